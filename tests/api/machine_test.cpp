// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The library's header, call by call: what is kept, what comes back, what is refused and how.
// Against other programs it is held by tests/package/outside.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/cxlgpu.hpp"

namespace cxlgpu {
namespace {

Options options(const std::string& scenario, std::vector<std::string> sets = {}) {
  Options all;
  all.scenario = scenario;
  all.sets = std::move(sets);
  all.configs = CXLGPU_SOURCE_DIR "/configs";
  return all;
}

Line filled(std::uint8_t value) {
  Line data;
  data.fill(value);
  return data;
}

// Submits, as often as it takes, and waits for the one answer.
Response answer(Machine& machine, const Request& request) {
  while (!machine.submit(request)) EXPECT_TRUE(machine.advance());
  std::optional<Response> response;
  while (!(response = machine.take())) {
    if (!machine.advance()) {
      ADD_FAILURE() << "never answered";
      return {};
    }
  }
  return *response;
}

// Thrown, with all three of its parts, and these texts in its line.
void refused(const std::function<void()>& call, const std::vector<std::string>& texts) {
  try {
    call();
    FAIL() << "was taken";
  } catch (const Error& error) {
    const std::string line = error.what();
    EXPECT_EQ(line, error.where() + ": " + error.wrong() + "; " + error.remedy());
    EXPECT_FALSE(error.where().empty() || error.wrong().empty() || error.remedy().empty()) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    for (const std::string& text : texts) EXPECT_NE(line.find(text), std::string::npos) << line;
  }
}

TEST(Machine, GivesBackWhatWasStoredByBytes) {
  Machine machine(options("trace-znand-sr"));
  const std::uint64_t line = machine.address_base() + 4096;
  EXPECT_EQ(machine.now(), Time{0});
  const Response whole =
      answer(machine, {.tag = 7, .address = line, .is_write = true, .data = filled(0x11)});
  EXPECT_EQ(whole.tag, 7u);
  EXPECT_TRUE(whole.is_write && !whole.error);
  answer(machine, {.address = line, .is_write = true, .data = filled(0x22), .byte_enable = 0xf0});
  Line wanted = filled(0x11);
  std::fill_n(wanted.begin() + 4, 4, std::uint8_t{0x22});
  const Response load = answer(machine, {.tag = 9, .address = line});
  EXPECT_EQ(load.tag, 9u);
  EXPECT_EQ(load.address, line);
  EXPECT_EQ(load.data, wanted);
  const Time parts = std::accumulate(load.stages.begin(), load.stages.end(), Time{0});
  EXPECT_EQ(parts, load.latency());
  EXPECT_GT(load.latency().ps, 50'000u);
  EXPECT_EQ(load.answered, machine.now());
  EXPECT_TRUE(load.dev_load.has_value());
  EXPECT_EQ(machine.outstanding(), 0u);
  EXPECT_FALSE(machine.advance()) << "nothing is outstanding";
}

TEST(Machine, ContentsWithoutTime) {
  Machine machine(options("trace-dram-cxl"));
  const std::uint64_t at = machine.address_base() + 60;  // over the end of a line
  const std::vector<std::uint8_t> put{1, 2, 3, 4, 5, 6, 7, 8};
  machine.poke(at, put);
  std::vector<std::uint8_t> got(put.size());
  machine.peek(at, got);
  EXPECT_EQ(got, put);
  const Response load = answer(machine, {.address = machine.address_base()});
  EXPECT_EQ(std::memcmp(load.data.data() + 60, put.data(), 4), 0);
  refused([&] { machine.poke(at, put); }, {"Machine::poke", "poke first"});
  std::vector<std::uint8_t> outside(4, 0xee);
  machine.peek(machine.address_base() + machine.address_bytes(), outside);
  EXPECT_EQ(outside, std::vector<std::uint8_t>(4, 0));
}

TEST(Machine, AnAddressWithoutADecoderIsAnsweredWithAnError) {
  Machine machine(options("trace-dram-cxl"));
  const std::uint64_t beyond = machine.address_base() + machine.address_bytes();
  const Response load = answer(machine, {.address = beyond});
  EXPECT_TRUE(load.error);
  EXPECT_FALSE(load.dev_load.has_value()) << "no endpoint said anything";
}

TEST(Machine, AHintIsThereBeforeItsLoad) {
  const auto load_after_hint = [](bool hinted) {
    Machine machine(options("trace-znand-cxl"));
    const std::uint64_t line = machine.address_base() + 65536;
    answer(machine, {.address = machine.address_base()});  // links are awake
    EXPECT_TRUE(!hinted || machine.hint(line, 1));
    const Time ready = machine.now() + Time{20'000'000};
    while (machine.now() < ready) machine.advance_to(ready);
    return answer(machine, {.address = line}).latency();
  };
  EXPECT_LT(load_after_hint(true).ps * 3, load_after_hint(false).ps);
}

TEST(Machine, StatisticsCountAndBeginAgain) {
  Machine machine(options("trace-znand-sr"));
  std::uint64_t longest = 0, sum = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const Response load = answer(machine, {.address = machine.address_base() + 64 * i});
    longest = std::max(longest, load.latency().ps);
    sum += load.latency().ps;
  }
  answer(machine, {.address = machine.address_base(), .is_write = true});
  const Statistics all = machine.statistics();
  EXPECT_EQ(all.now, machine.now());
  EXPECT_EQ(all.loads.count, 32u);
  EXPECT_EQ(all.loads.max.ps, longest);
  EXPECT_EQ(all.loads.mean.ps, sum / 32);
  EXPECT_EQ(all.stores.count, 1u);
  EXPECT_GT(all.speculation.sent, 0u);
  ASSERT_FALSE(all.ports.empty());
  std::uint64_t flits = 0, said = 0;
  for (const auto& port : all.ports) flits += port.flits_to_host;
  for (const std::uint64_t n : all.dev_loads) said += n;
  EXPECT_GT(flits, 33u);
  EXPECT_EQ(said, 33u);
  while (!machine.submit({.address = machine.address_base()})) machine.advance();
  refused([&] { machine.clear_statistics(); }, {"clear_statistics", "1 requests are outstanding"});
  refused([&] { machine.drain(); }, {"drain", "take their responses first"});
  while (!machine.take()) ASSERT_TRUE(machine.advance());
  machine.clear_statistics();
  EXPECT_EQ(machine.statistics().loads.count, 0u);
  answer(machine, {.address = machine.address_base() + 64});
  EXPECT_EQ(machine.statistics().loads.count, 1u);
}

TEST(Machine, DrainWritesWhatDeterministicStoreHasPutOff) {
  Machine machine(options("trace-znand-ds"));
  const std::uint64_t line = machine.address_base() + 8192;
  const Response store = answer(machine, {.address = line, .is_write = true, .data = filled(0x33)});
  EXPECT_FALSE(store.dev_load.has_value()) << "GPU memory answered";
  machine.drain();
  Line got{};
  machine.peek(line, got);
  EXPECT_EQ(got, filled(0x33));
}

TEST(Machine, MovedItGoesOn) {
  Machine first(options("trace-dram-cxl"));
  const std::uint64_t line = first.address_base();
  answer(first, {.address = line, .is_write = true, .data = filled(0x44)});
  const Time before = first.now();
  Machine second(std::move(first));
  EXPECT_EQ(second.now(), before);
  first = Machine(options("trace-dram-cxl"));
  EXPECT_EQ(answer(second, {.address = line}).data, filled(0x44));
  EXPECT_EQ(answer(first, {.address = line}).data, filled(0));
}

TEST(Machine, CallsThatAreWrongAreRefused) {
  Machine machine(options("trace-dram-cxl"));
  const std::uint64_t base = machine.address_base();
  refused([&] { machine.submit({.address = base + 4}); },
          {"Machine::submit", "inside a line", "byte_enable"});
  EXPECT_EQ(machine.outstanding(), 0u);
  for (const unsigned granules : {0u, 4097u}) {
    refused([&] { machine.hint(base, granules); }, {"Machine::hint", "1..4096"});
  }
  answer(machine, {.address = base});
  refused([&] { machine.advance_to(Time{0}); }, {"advance_to", "before now()"});
}

TEST(Machine, ConfigurationsThatAreWrongAreRefused) {
  const auto make = [](const Options& all) { return [all] { const Machine machine(all); }; };
  refused(make(options("trace-dram-nothing")), {"nothing"});
  refused(make(options("trace-dram-cxl", {"link.bit_error_rate_m2s=2"})),
          {"link.bit_error_rate_m2s"});
  refused(make(options("trace-dram-gpu-dram")), {"system.memory", "run the command"});
  refused(make(options("trace-dram-cxl", {"link.down_at_us=5"})), {"link.down_at_us"});
  refused(make(options("trace-znand-sr", {"endpoint.image_out=x"})), {"endpoint.image_out"});
  Options nowhere = options("trace-dram-cxl");
  nowhere.configs = "/nonexistent";
  refused(make(nowhere), {"/nonexistent", "media/", "CXLGPU_CONFIGS"});
}

TEST(Machine, MakersThatGiveNothingAreRefused) {
  Registry registry;
  registry.add_medium("none", [](const MediumShape&) { return std::unique_ptr<Media>(); });
  registry.add_policy("nobody", [](unsigned) { return std::unique_ptr<Prefetcher>(); });
  for (Options all :
       {options("trace-none-cxl"), options("trace-znand-sr", {"root_port.policy=nobody"})}) {
    all.registry = &registry;
    refused([&] { const Machine machine(all); }, {"was not made"});
  }
}

// Of a part from YAML the same is refused.
TEST(Machine, AnInternalDramWithoutRoomForItsLinesIsRefused) {
  Registry registry;
  registry.add_medium(
      "own", [](const MediumShape&) { return std::unique_ptr<Media>(); },
      Registry::InternalDram::With);
  for (const char* scenario : {"trace-own-cxl", "trace-znand-cxl"}) {
    Options all = options(scenario, {"endpoint.line_bytes=1024", "endpoint.cache_bytes=4096"});
    all.registry = &registry;
    refused([&] { const Machine machine(all); }, {"endpoint.line_bytes", "raise the other"});
  }
}

TEST(ErrorLine, IsTakenApart) {
  const Error whole("f.yaml:3: key 'a': is 1; 2: no; lower it");
  EXPECT_EQ(whole.where(), "f.yaml:3");
  EXPECT_EQ(whole.wrong(), "key 'a': is 1; 2: no");
  EXPECT_EQ(whole.remedy(), "lower it");
  const Error plain("nothing to part");
  EXPECT_EQ(plain.wrong(), "nothing to part");
  EXPECT_TRUE(plain.where().empty() && plain.remedy().empty());
}

}  // namespace
}  // namespace cxlgpu
