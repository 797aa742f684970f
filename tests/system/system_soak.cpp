// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Soak of the whole system on four ports: `make system-soak`.
//
// Each seed brings up one system (media, policy, deterministic store, HDM ranges, internal DRAM,
// garbage collection and pace follow from the seed) and sends a store-heavy mix through it that
// looks for hazards (soak_trace.hpp), with up to 128 loads and 64 stores in flight. Two of three
// seeds give hints beside it, in bursts that overrun the host bridge, of what is accessed and of
// what is not. RTL and model run side by side: every answer, path and time is compared, and what
// became of hints; every load is held against a flat memory, every flit against the link rules; at
// the end all stores are brought to the endpoints and the contents of each are held against that
// memory. Every fifth seed is on the RTL alone instead, with bit errors on the links and drains in
// between. One line a seed.
// Exit code: 0 nothing wrong, 1 a difference (one line), 2 wrong usage.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>

#include "Vcxlgpu_four.h"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/host/trace_initiator.hpp"
#include "sim/machine/endpoint_media.hpp"
#include "sim/media/media_config.hpp"
#include "sim/stats/run_stats.hpp"
#include "tb/rtl_engine_impl.hpp"
#include "tests/system/hinted.hpp"
#include "tests/system/soak_trace.hpp"

namespace cxlgpu {

template class BasicRtlEngine<Vcxlgpu_four, 4>;

namespace {

constexpr unsigned kPorts = 4;
constexpr std::uint64_t kBase = 0x100000000;
constexpr std::uint64_t kWay = 256ull << 20;  // bytes of a range on each of its ports
constexpr Time kLimit{1'000'000'000'000};     // a second

std::unique_ptr<SystemEngine> make_four(const RunConfig& config, const EngineParts& parts,
                                        const EngineOptions& options) {
  return std::make_unique<BasicRtlEngine<Vcxlgpu_four, kPorts>>(config, parts, options);
}

struct Options {
  std::uint64_t first_seed = 1;
  unsigned seeds = 55;
  std::uint64_t requests = 24000;  // a seed
  std::string engine;              // empty: by seed
};

// What a seed stands for.
struct Plan {
  RunConfig config;
  SoakPlaces places;
  unsigned sets_log2 = 0;
  bool hints = false;
  std::string name;
};

std::vector<std::vector<unsigned>> ways_of(std::uint64_t which) {
  static const std::vector<std::vector<std::vector<unsigned>>> kLayouts = {
      {{0, 1, 2, 3}}, {{3, 1, 0, 2}}, {{0, 2}, {3, 1}}, {{1}, {2, 0}, {3}}};
  return kLayouts[which % kLayouts.size()];
}

Plan plan_of(std::uint64_t seed, const Options& options) {
  static constexpr std::array kPolicies = {SrPolicy::Off,     SrPolicy::Naive, SrPolicy::Dyn,
                                           SrPolicy::SrPaper, SrPolicy::Sr,    SrPolicy::Stream};
  static constexpr std::array<std::string_view, 6> kPolicyNames = {"off",      "naive", "dyn",
                                                                   "sr-paper", "sr",    "stream"};
  std::mt19937_64 rng(seed);
  Plan plan;
  RunConfig& config = plan.config;
  config.seed = seed;
  config.ports = kPorts;
  const bool alone = options.engine.empty() && seed % 5 == 0;
  config.engine = !options.engine.empty() ? options.engine : alone ? "rtl" : "cosim";
  config.media = seed % 2 == 0 ? "dram" : "znand";
  const std::size_t policy = rng() % kPolicies.size();
  config.root_port.policy = kPolicies[policy];
  config.root_port.spec_length = rng() % 4 != 0;
  config.root_port.ds = rng() % 3 != 0;
  config.root_port.ds_max_writes = 1 + static_cast<unsigned>(rng() % 16);
  if (rng() % 2 == 0) config.root_port.ds_interval = {4, 6, 9, 11};
  const std::uint64_t granularity = 256ull << rng() % 4;
  std::uint64_t base = kBase;
  for (const auto& ports : ways_of(rng())) {
    const std::uint64_t size = kWay * ports.size();
    config.hdm.push_back({base, size, granularity, ports});
    plan.places.windows.push_back(base - kBase);
    base += size;
  }
  plan.places.chunk_lines = granularity / kLineBytes;
  plan.places.window_lines = 1024ull << rng() % 5;
  plan.sets_log2 = 2 + static_cast<unsigned>(rng() % 6);
  const bool collects = config.media == "znand" && rng() % 4 != 0;
  if (collects) {
    config.endpoint.gc_first_us = 5 + rng() % 20;
    config.endpoint.gc_busy_us = 10 + rng() % 40;
    config.endpoint.gc_every_us = config.endpoint.gc_busy_us + 30 + rng() % 100;
    config.endpoint.gc_dies_percent = 25 * (1 + rng() % 4);
  }
  if (alone && rng() % 2 == 0) {
    config.link.bit_error_rate_m2s = config.link.bit_error_rate_s2m = 1e-6;
  }
  plan.hints = rng() % 3 != 0;
  if (rng() % 2 == 0) config.root_port.hint_interval = {0, 2, 5, 9};
  plan.name = fmt::format(
      "seed {}: {} {} policy {}{} ds {}, {} ranges, granularity {}, {} lines, {} sets{}{}", seed,
      config.engine, config.media, kPolicyNames[policy],
      config.root_port.spec_length ? "" : " (64 B)", config.root_port.ds ? "on" : "off",
      config.hdm.size(), granularity, plan.places.window_lines * plan.places.windows.size(),
      1u << plan.sets_log2, collects ? ", gc" : "", plan.hints ? ", hints" : "");
  return plan;
}

struct Totals {
  std::uint64_t loads = 0, stores = 0, partial = 0, cycles = 0, specs = 0;
  std::uint64_t hints = 0, hints_lost = 0, hinted = 0;  // hinted: granules requested
  Time simulated{0};
  std::array<std::uint64_t, kDsEventNames.size()> ds{};
  double seconds = 0;
};

// One system and what is checked of it; the first thing wrong ends it.
class Soak {
 public:
  explicit Soak(const Plan& plan)
      : plan_(plan),
        part_(load_media_config(std::string(CXLGPU_SOURCE_DIR "/configs/media/") +
                                plan.config.media + ".yaml")),
        media_(plan.config, part_, plan.sets_log2),
        model_media_(plan.config, part_, plan.sets_log2),
        cosim_(plan.config.engine == "cosim") {
    check(plan.config, plan.name);
    const bool cached = std::holds_alternative<FlashConfig>(part_.params);
    EngineParts parts{{cached, plan.sets_log2}, media_.media(), {}, &stats_};
    if (cosim_) parts.model_media = model_media_.media();
    engine_ = make_engine(plan.config, parts, {}, make_four);
    checked_ = std::make_unique<CheckedEngine>(*engine_);
  }

  // What is wrong, empty: nothing.
  std::string run_requests(std::uint64_t requests, Totals& totals) {
    const auto wall = std::chrono::steady_clock::now();
    SoakTrace trace(plan_.config.seed, plan_.places);
    std::mt19937_64 lengths(plan_.config.seed), drains(plan_.config.seed);
    std::string wrong;
    while (requests > 0 && wrong.empty()) {
      // After each part all requests are answered.
      const std::uint64_t part = std::min<std::uint64_t>(requests, 500 + lengths() % 8000);
      requests -= part;
      wrong = run_part(trace.next(part), totals);
      // A drain takes the model another time than the RTL: from then on they are not in step.
      if (wrong.empty() && (requests == 0 || (!cosim_ && drains() % 2 == 0))) wrong = drain();
    }
    engine_->finish();
    if (wrong.empty()) wrong = after_the_end();
    count(totals);
    totals.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
    return wrong;
  }

 private:
  std::string run_part(std::vector<TraceRecord> records, Totals& totals) {
    TraceReplayParams params;
    params.offset = kBase;
    params.max_outstanding_reads = 128;
    params.max_outstanding_writes = 64;
    params.seed = plan_.config.seed + ++parts_ * 1000;  // other data
    TraceInitiator initiator(std::move(records), params);
    HintedInitiator hinted(initiator, hints());
    Initiator& all = plan_.hints ? static_cast<Initiator&>(hinted) : initiator;
    const RunResult result = run(all, *checked_, kLimit);
    given_ += hinted.given();
    totals.loads += initiator.stats().reads;
    totals.stores += initiator.stats().writes;
    totals.partial += initiator.stats().partial_writes;
    if (checked_->mismatches() != 0) return "load: " + to_string(checked_->records()[0]);
    if (checked_->id_errors() != 0) return "an answer to nothing, or a second one";
    if (checked_->error_responses() != 0) return "an error response";
    if (result.status != RunStatus::Done) {
      return fmt::format("{} at {} ps", to_string(result.status), result.end.ps);
    }
    return {};
  }

  // Of the lines that are accessed and of some behind them. After a drain ports drop them.
  HintedInitiator::Options hints() const {
    const auto& windows = plan_.places.windows;
    HintedInitiator::Options options;
    options.seed = plan_.config.seed + parts_ * 1000;
    options.base = kBase + windows[parts_ % windows.size()];
    options.granules = plan_.places.window_lines / 4 * 9 / 8;
    options.longest = 1 + options.seed % 32;
    options.rest = 200 << options.seed % 6;
    return options;
  }

  std::string drain() {
    if (const auto left = engine_->drain()) return "drain: " + *left;
    const auto wrong = media_.map().differences(checked_->shadow());
    if (!wrong.empty()) return "contents: " + wrong[0];
    if (!cosim_) return {};
    const auto model = model_media_.map().differences(checked_->shadow());
    return model.empty() ? "" : "contents of the model: " + model[0];
  }

  std::string after_the_end() {
    const auto problems = engine_->problems();
    if (!problems.empty()) return problems[0];
    if (const std::uint64_t seen = engine_->bridge_hints().hints; seen != given_) {
      return fmt::format("{} hints given, {} counted", given_, seen);
    }
    const CosimReport* report = engine_->cosim();
    if (report == nullptr) return {};
    if (report->time_differences + report->lookup_differences != 0) {
      return fmt::format("model and RTL: {} requests differ in time, {} in where they hit; {}",
                         report->time_differences, report->lookup_differences,
                         report->first_time_difference);
    }
    const std::uint64_t sent = checked_->reads() + checked_->writes();
    return report->compared == sent
               ? ""
               : fmt::format("{} of {} requests compared", report->compared, sent);
  }

  void count(Totals& totals) const {
    totals.cycles += engine_->cycles();
    totals.simulated += engine_->now();
    totals.specs += stats_.spec().sent;
    totals.hints += given_;
    totals.hints_lost += engine_->bridge_hints().lost;
    totals.hinted += stats_.hints().granules;
    for (const DsStats& port : stats_.deterministic_store()) {
      for (std::size_t i = 0; i < port.count.size(); ++i) totals.ds[i] += port.count[i];
    }
  }

  Plan plan_;
  MediaConfig part_;
  EndpointMedia media_, model_media_;
  bool cosim_;
  RunStats stats_;
  std::unique_ptr<SystemEngine> engine_;
  std::unique_ptr<CheckedEngine> checked_;
  std::uint64_t parts_ = 0, given_ = 0;
};

void add(Totals& to, const Totals& one) {
  to.loads += one.loads;
  to.stores += one.stores;
  to.partial += one.partial;
  to.cycles += one.cycles;
  to.simulated += one.simulated;
  to.specs += one.specs;
  to.hints += one.hints;
  to.hints_lost += one.hints_lost;
  to.hinted += one.hinted;
  to.seconds += one.seconds;
  for (std::size_t i = 0; i < to.ds.size(); ++i) to.ds[i] += one.ds[i];
}

std::string text(const Totals& t) {
  std::string ds;
  for (std::size_t i = 0; i < t.ds.size(); ++i) {
    if (t.ds[i] != 0) ds += fmt::format(" {} {}", kDsEventNames[i], t.ds[i]);
  }
  return fmt::format(
      "{} loads, {} stores ({} partial), {} MemSpecRd, {} hints ({} lost, {} granules requested); "
      "{} cycles, {:.0f} us, {:.1f} s, {:.0f} kcycles/s{}",
      t.loads, t.stores, t.partial, t.specs, t.hints, t.hints_lost, t.hinted, t.cycles,
      t.simulated.ns() / 1000, t.seconds, static_cast<double>(t.cycles) / t.seconds / 1000,
      ds.empty() ? "" : "; ds:" + ds);
}

int soak(const Options& options) {
  Totals cosim, alone;
  for (std::uint64_t seed = options.first_seed; seed < options.first_seed + options.seeds; ++seed) {
    const Plan plan = plan_of(seed, options);
    Totals one;
    const std::string wrong = Soak(plan).run_requests(options.requests, one);
    if (!wrong.empty()) {
      fmt::print("WRONG {}: {}; again: system_soak --first-seed {} --seeds 1 --requests {}{}\n",
                 plan.name, wrong, seed, options.requests,
                 options.engine.empty() ? "" : " --engine " + options.engine);
      return 1;
    }
    fmt::print("{}: {}\n", plan.name, text(one));
    std::fflush(stdout);
    add(plan.config.engine == "cosim" ? cosim : alone, one);
  }
  for (const auto& [name, totals] : {std::pair{"cosim", cosim}, {"one engine", alone}}) {
    if (totals.loads + totals.stores != 0) fmt::print("{}: {}\n", name, text(totals));
  }
  fmt::print("nothing wrong\n");
  return 0;
}

}  // namespace
}  // namespace cxlgpu

int main(int argc, char** argv) {
  cxlgpu::Options options;
  CLI::App app("Whole system, four ports, hazards looked for");
  app.add_option("--first-seed", options.first_seed, "first of the seeds");
  app.add_option("--seeds", options.seeds, "how many");
  app.add_option("--requests", options.requests, "of each seed")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30));
  app.add_option("--engine", options.engine, "of every seed; default: by seed")
      ->check(CLI::IsMember({"rtl", "model", "cosim"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return cxlgpu::soak(options);
}
