// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Speed of the media models in one thread: requests a second of processor time, and what the
// translation layer and the contents hold for each page.
//
// Run it alone on a quiet machine in a Release build (`make media-bench`). A request is counted
// from submit() to take(); requests are made before the clock starts, each iteration begins with a
// new part. "saturated" keeps the part's queues full, "one" has one request outstanding.
#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "sim/media/flash_media.hpp"
#include "sim/media/make_media.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kDram = std::uint64_t{1} << 30, kFlash = std::uint64_t{64} << 30;
constexpr std::uint32_t kSlots = 65536, kLine = 256;

// Of 100 requests, how many are of each kind; the rest are reads.
struct Mix {
  unsigned writes = 0, fills = 0, write_backs = 0;
};

struct Case {
  MediaConfig config;
  MediaShape shape;
  Mix mix;
  bool one = false;
};

std::vector<MediaCommand> requests(const Case& what, std::uint64_t count) {
  std::mt19937_64 random(7);
  std::vector<MediaCommand> commands(count);
  for (MediaCommand& c : commands) {
    const unsigned kind = random() % 100;
    const Mix& m = what.mix;
    if (kind < m.writes) {
      c.op = MediaOp::Write;
    } else if (kind < m.writes + m.fills) {
      c.op = MediaOp::Fill;
    } else if (kind < m.writes + m.fills + m.write_backs) {
      c.op = MediaOp::WriteBack;
    }
    c.dpa = random() % (what.shape.capacity / kLine) * kLine;
    c.slot = static_cast<std::uint32_t>(random() % kSlots);
  }
  return commands;
}

void serve(Media& media, const std::vector<MediaCommand>& commands, bool one) {
  Time now{0};
  std::size_t sent = 0, got = 0;
  while (got < commands.size()) {
    while (sent < commands.size() &&
           (one ? sent == got : media.can_accept(now, commands[sent].op))) {
      media.submit(commands[sent++], now);
    }
    bool any = false;
    while (media.take(now)) {
      ++got;
      any = true;
    }
    if (!any) now = media.next_event();
  }
}

void run(benchmark::State& state, const Case& what) {
  const auto commands = requests(what, static_cast<std::uint64_t>(state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    auto media = make_media(what.config, what.shape);
    state.ResumeTiming();
    serve(*media, commands, what.one);
    state.PauseTiming();
    media.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// The bench of the RTL asks every cycle; nearly always nothing is due.
void poll(benchmark::State& state, const Case& what) {
  const auto media = make_media(what.config, what.shape);
  std::vector<MediaCommand> commands = requests(what, static_cast<std::uint64_t>(state.range(0)));
  for (const MediaCommand& command : commands) media->submit(command, Time{0});
  for (auto _ : state) {
    benchmark::DoNotOptimize(media->status(Time{1000}));
    benchmark::DoNotOptimize(media->take(Time{1000}));
    benchmark::DoNotOptimize(media->next_event());
  }
}

MediaConfig part(const std::string& name) {
  return load_media_config(std::filesystem::path(CXLGPU_SOURCE_DIR) / "configs/media" /
                           (name + ".yaml"));
}

// A drive of 3 GB that collects all the time.
Case collecting() {
  Case what{part("nand"), {}, {30, 0, 0}};
  FlashConfig& c = std::get<FlashConfig>(what.config.params);
  c.pages_per_block = 64;
  c.pages_per_die = 64 * 128;
  c.translation->free_low = 2;
  c.translation->free_high = 3;
  c.translation->over_provisioning_percent = 28;
  c.translation->prefilled_percent = 100;
  c.capacity = ftl_logical_pages(c.ftl_shape(), *c.translation) * c.page_bytes;
  what.shape = {c.capacity, kSlots, kLine};
  return what;
}

void add(const std::string& name, const Case& what, std::int64_t count) {
  benchmark::RegisterBenchmark(name.c_str(), run, what)->Arg(count)->Unit(benchmark::kMillisecond);
}

void add_all() {
  const MediaShape dram{kDram}, flash{kFlash, kSlots, kLine};
  constexpr std::int64_t kMany = 400000;
  const Mix reads, mixed{30, 0, 0}, fills{0, 100, 0}, cached{0, 70, 30};
  add("dram/random reads", {part("dram"), dram, reads}, kMany);
  add("dram/random reads, one", {part("dram"), dram, reads, true}, kMany);
  add("dram/70 reads 30 writes", {part("dram"), dram, mixed}, kMany);
  Case choices{part("dram"), dram, reads};
  std::get<DramConfig>(choices.config.params).scheduling = DramScheduling::FrFcfs;
  std::get<DramConfig>(choices.config.params).refresh = DramRefresh::SameBank;
  add("dram, fr_fcfs, same-bank refresh/random reads", choices, kMany);
  add("hbm3/random reads", {part("hbm3"), dram, reads}, kMany);
  for (const std::string name : {"nand", "znand"}) {
    add(name + "/random reads of 64 B", {part(name), flash, reads}, kMany);
    add(name + "/70 reads 30 writes of 64 B", {part(name), flash, mixed}, kMany);
    add(name + "/random fills", {part(name), flash, fills}, kMany);
    add(name + "/random fills, one", {part(name), flash, fills, true}, kMany);
    add(name + "/70 fills 30 write-backs", {part(name), flash, cached}, kMany);
  }
  add("nand that collects/70 reads 30 writes of 64 B", collecting(), kMany);
  for (const std::string name : {"dram", "nand"}) {
    for (const std::int64_t queued : {0, 32}) {
      benchmark::RegisterBenchmark((name + "/a cycle in which nothing happens").c_str(), poll,
                                   Case{part(name), {kDram, kSlots, kLine}, reads})
          ->Arg(queued);
    }
  }
}

}  // namespace
}  // namespace cxlgpu

int main(int argc, char** argv) {
  cxlgpu::add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
