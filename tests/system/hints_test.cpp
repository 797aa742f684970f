// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Hints of kernels through the whole system: what they bring, what becomes of those that cannot be
// used, and RTL and model in step whatever hints come, picosecond by picosecond.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/system/hinted.hpp"
#include "tests/system/random_traffic.hpp"
#include "tests/system/test_system.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBase = 0x100000000, kPortBytes = 256ull << 20;
constexpr Time kLimit{1'000'000'000'000};

std::vector<unsigned> first_ports(unsigned count) {
  std::vector<unsigned> ports;
  for (unsigned port = 0; port < count; ++port) ports.push_back(port);
  return ports;
}

// One interleave set over all ports. Endpoints that report load only of what waits for them.
TestSystemOptions system_of(const std::string& engine, unsigned ports = 2,
                            std::uint64_t chunk = 1024) {
  TestSystemOptions options;
  options.config.engine = engine;
  options.config.ports = 2;
  options.config.hdm = {{kBase, kPortBytes * ports, chunk, first_ports(ports)}};
  options.cached = true;
  options.sets_log2 = 5;  // 64 KiB
  options.config.endpoint.backlog_thresholds = {127, 127, 127};
  options.config.endpoint.task_thresholds = {127, 127, 127};
  return options;
}

struct Seen {
  Time end;  // of the loads
  HintStats hints;
  std::uint64_t hits = 0, misses = 0, sent = 0;
  std::vector<HintCounters> ports;
  BridgeHintCounters bridge;
};

Seen run_on(const TestSystemOptions& options, Initiator& initiator) {
  TestSystem system(options);
  EXPECT_TRUE(system.run_all(initiator));
  Seen seen;
  seen.end = system.engine().now();
  EXPECT_TRUE(system.drain_and_compare());
  system.finish();
  seen.hints = system.stats().hints();
  seen.hits = system.stats().lookups(LookupResult::Hit);
  seen.misses = system.stats().lookups(LookupResult::Miss);
  seen.sent = system.stats().spec().sent;
  for (unsigned port = 0; port < options.config.ports; ++port) {
    seen.ports.push_back(system.engine().hints(port));
  }
  seen.bridge = system.engine().bridge_hints();
  return seen;
}

HintCounters sum(const std::vector<HintCounters>& ports) {
  HintCounters all;
  for (const HintCounters& port : ports) {
    all.granules += port.granules;
    all.issued += port.issued;
    all.dropped += port.dropped;
  }
  return all;
}

constexpr std::uint64_t kGranules = 64, kLines = kGranules * 4;

HintThenLoad::Options whole_range() {
  HintThenLoad::Options options;
  options.hints = {{kBase, kGranules}};
  options.wait = Time{8'000'000};
  options.base = kBase;
  options.lines = kLines;
  return options;
}

class HintsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(HintsTest, ARangeThatIsHintedIsThereWhenItIsLoaded) {
  test::shows("sr", "Loads of a hinted range hit the internal DRAM and take less time",
              "docs/blocks/root_port/hint_queue.md");
  HintThenLoad hinted(whole_range());
  const Seen with = run_on(system_of(GetParam()), hinted);
  TestSystemOptions off = system_of(GetParam());
  off.config.root_port.hints = false;
  HintThenLoad same(whole_range());
  const Seen without = run_on(off, same);

  EXPECT_EQ(with.hits, kLines);
  EXPECT_EQ(with.misses, 0u);
  EXPECT_EQ(with.hints.granules, kGranules);
  EXPECT_EQ(with.hints.useful, kGranules);
  EXPECT_EQ(with.hints.late + with.hints.lost + with.hints.wasted, 0u);
  EXPECT_EQ(with.bridge, (BridgeHintCounters{.hints = 1}));
  // A KiB in a message, half of them at each port.
  const HintCounters half{.granules = kGranules / 2, .issued = kGranules / 8, .dropped = 0};
  EXPECT_EQ(with.ports, (std::vector<HintCounters>{half, half}));
  EXPECT_EQ(with.sent, kGranules / 4);

  EXPECT_EQ(without.hints.granules, 0u);
  EXPECT_EQ(without.sent, 0u);
  EXPECT_EQ(without.misses, kGranules);
  const HintCounters dropped{.granules = kGranules / 2, .issued = 0, .dropped = kGranules / 2};
  EXPECT_EQ(without.ports, (std::vector<HintCounters>{dropped, dropped}));
  // Beside the wait.
  EXPECT_LT((with.end - Time{8'000'000}).ps * 3, (without.end - Time{8'000'000}).ps);
}

TEST_P(HintsTest, ARangeHintedTwiceIsRequestedTwiceAndUsefulOnce) {
  HintThenLoad::Options options = whole_range();
  options.hints.push_back(options.hints[0]);
  HintThenLoad hinted(options);
  const Seen seen = run_on(system_of(GetParam()), hinted);
  EXPECT_EQ(seen.hits, kLines);
  EXPECT_EQ(seen.hints.granules, 2 * kGranules);
  EXPECT_EQ(seen.hints.useful, kGranules);
  EXPECT_EQ(seen.hints.wasted, kGranules);
  EXPECT_EQ(seen.bridge.hints, 2u);
}

TEST_P(HintsTest, WhatIsHintedTooLateIsCountedSo) {
  HintThenLoad::Options options = whole_range();
  options.wait = kCycle * 40;
  options.outstanding = 32;
  HintThenLoad hinted(options);
  const Seen seen = run_on(system_of(GetParam()), hinted);
  EXPECT_EQ(seen.hints.granules, kGranules);
  EXPECT_GT(seen.hints.late, kGranules / 8);
  EXPECT_EQ(seen.hints.useful + seen.hints.late + seen.hints.lost + seen.hints.wasted, kGranules);
}

TEST_P(HintsTest, WhatNoPortServesIsPassedOver) {
  test::shows("sr", "Granules that no root port serves are passed over, and change nothing",
              "docs/blocks/host_bridge/hint_walker.md");
  const std::uint64_t end = kBase + 2 * kPortBytes;
  HintThenLoad::Options options = whole_range();
  // Across the lower and the upper end, outside, and around the end of the addresses.
  options.hints = {
      {kBase - 5 * 256, 7}, {end - 3 * 256, 9}, {0, 11}, {((std::uint64_t{1} << 44) - 2) * 256, 4}};
  HintThenLoad hinted(options);
  const Seen seen = run_on(system_of(GetParam()), hinted);
  EXPECT_EQ(seen.bridge, (BridgeHintCounters{.hints = 4, .lost = 0, .misses = 5 + 6 + 11 + 4}));
  EXPECT_EQ(sum(seen.ports).granules, 2u + 3);
  EXPECT_EQ(seen.hints.granules, 2u + 3);
  EXPECT_EQ(seen.hints.useful, 2u);
  EXPECT_EQ(seen.hints.wasted, 3u);
}

// More than the host bridge holds, faster than it can give them away.
TEST_P(HintsTest, WhatFindsNoRoomIsLost) {
  test::shows("sr", "A hint that finds no room is lost, and counted",
              "docs/blocks/host_bridge/hint_walker.md");
  HintThenLoad::Options options = whole_range();
  options.hints.assign(40, {kBase, 8});
  HintThenLoad hinted(options);
  const Seen seen = run_on(system_of(GetParam()), hinted);
  EXPECT_EQ(seen.bridge.hints, 40u);
  EXPECT_GT(seen.bridge.lost, 10u);
  EXPECT_LE(seen.bridge.lost, 40u - 16);
  EXPECT_EQ(sum(seen.ports).granules, (40 - seen.bridge.lost) * 8);
  EXPECT_EQ(seen.hints.useful, 8u);
}

// An internal DRAM of two KiB at each port: what is hinted early is gone when it is loaded.
TEST_P(HintsTest, WithoutCapacityTheyCostTimeNotData) {
  TestSystemOptions small = system_of(GetParam());
  small.sets_log2 = 0;
  HintThenLoad hinted(whole_range());
  const Seen seen = run_on(small, hinted);
  EXPECT_EQ(seen.hints.granules, kGranules);
  EXPECT_GT(seen.hints.lost, kGranules / 2);
  EXPECT_EQ(seen.hints.useful + seen.hints.late + seen.hints.lost + seen.hints.wasted, kGranules);
}

// Without internal DRAM there is nothing that a hint could fill.
TEST_P(HintsTest, OfDirectMediaTheyAreLost) {
  TestSystemOptions direct = system_of(GetParam());
  direct.cached = false;
  HintThenLoad hinted(whole_range());
  const Seen seen = run_on(direct, hinted);
  EXPECT_EQ(seen.hints.lost, seen.hints.granules);
  EXPECT_EQ(seen.hits, 0u);
}

TEST_P(HintsTest, OneACycle) {
  TestSystem system(system_of(GetParam()));
  Engine& engine = system.engine();
  for (int cycle = 0; cycle < 3; ++cycle) {
    EXPECT_TRUE(engine.hint({kBase, 1}));
    EXPECT_FALSE(engine.hint({kBase, 1}));
    engine.advance_to(engine.now() + kCycle);
  }
  system.finish();
  EXPECT_EQ(system.engine().bridge_hints().hints, 3u);
}

// Switched off they change no time: the answers come as if none was given.
TEST_P(HintsTest, SwitchedOffNoCycleDiffers) {
  std::vector<Time> ends;
  for (const bool given : {false, true}) {
    TestSystemOptions options = system_of(GetParam());
    options.config.root_port.hints = false;
    options.config.root_port.policy = SrPolicy::Sr;
    RandomTraffic::Options traffic;
    traffic.requests = 1500;
    traffic.base = kBase;
    RandomTraffic plain(traffic);
    HintedInitiator hinted(plain, {.base = kBase});
    const Seen seen = run_on(options, given ? static_cast<Initiator&>(hinted) : plain);
    EXPECT_EQ(seen.bridge.hints > 50, given);
    EXPECT_EQ(sum(seen.ports).dropped, sum(seen.ports).granules);
    EXPECT_EQ(seen.hints.granules, 0u);
    ends.push_back(seen.end);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

INSTANTIATE_TEST_SUITE_P(Engines, HintsTest, ::testing::Values("model", "cosim"));

struct Mix {
  SrPolicy policy = SrPolicy::Off;
  bool ds = false;
  bool length = true;
  unsigned ports = 2;
  std::uint64_t chunk = 1024;
  std::vector<std::uint64_t> interval = {4, 5, 8, 15};
  bool cached = true;
  std::uint64_t requests = 1500;
};

std::string name_of(const Mix& mix) {
  std::string name = "policy " + std::to_string(static_cast<int>(mix.policy)) +
                     (mix.ds ? " ds" : "") + (mix.length ? "" : " 64 B") + " ports " +
                     std::to_string(mix.ports) + " chunk " + std::to_string(mix.chunk) +
                     (mix.cached ? "" : " direct") + " interval";
  for (const std::uint64_t code : mix.interval) name += " " + std::to_string(code);
  return name;
}

// Endpoints whose load changes all the time.
TestSystemOptions mixed(const std::string& engine, const Mix& mix) {
  TestSystemOptions options = system_of(engine, mix.ports, mix.chunk);
  options.config.endpoint.backlog_thresholds = RunConfig{}.endpoint.backlog_thresholds;
  options.config.endpoint.task_thresholds = {16, 40, 56};
  options.config.root_port.policy = mix.policy;
  options.config.root_port.spec_length = mix.length;
  options.config.root_port.ds = mix.ds;
  options.config.root_port.hint_interval = mix.interval;
  options.cached = mix.cached;
  options.sets_log2 = 3;
  return options;
}

RandomTraffic::Options mixed_traffic(const Mix& mix, std::uint64_t seed) {
  RandomTraffic::Options traffic;
  traffic.seed = seed;
  traffic.base = kBase;
  traffic.requests = mix.requests;
  traffic.idle_share = seed % 2 == 0 ? 0.2 : 0.9;
  return traffic;
}

std::uint64_t first_seed() {
  return test::from_environment("CXLGPU_SEED", 1);
}

Seen run_mix(const std::string& engine, const Mix& mix, std::uint64_t seed) {
  SCOPED_TRACE(name_of(mix) + ", seed " + std::to_string(seed));
  RandomTraffic traffic(mixed_traffic(mix, seed));
  HintedInitiator hinted(traffic, {.seed = seed, .base = kBase});
  const Seen seen = run_on(mixed(engine, mix), hinted);
  EXPECT_EQ(seen.bridge.hints, hinted.given());
  EXPECT_GT(sum(seen.ports).issued, 0u);
  return seen;
}

// TestSystem compares every request's times, and the counters of hints at the end.
TEST(HintsRtl, WithEveryPolicyAndDeterministicStoreInStep) {
  test::shows("sr", "With hints, RTL and model agree in every picosecond, whatever the policy",
              "docs/blocks/root_port/hint_queue.md");
  std::uint64_t seed = first_seed();
  for (const SrPolicy policy : {SrPolicy::Off, SrPolicy::Naive, SrPolicy::Dyn, SrPolicy::SrPaper,
                                SrPolicy::Sr, SrPolicy::Stream}) {
    for (const bool ds : {false, true}) {
      Mix mix;
      mix.policy = policy;
      mix.ds = ds;
      mix.interval = seed % 2 == 0 ? std::vector<std::uint64_t>{0, 1, 3, 6} : mix.interval;
      run_mix("cosim", mix, seed++);
    }
  }
}

TEST(HintsRtl, OverPortsAndChunksInStep) {
  std::uint64_t seed = first_seed() + 100;
  for (const unsigned ports : {1u, 2u}) {
    for (const std::uint64_t chunk : {256u, 4096u}) {
      for (const bool length : {true, false}) {
        Mix mix;
        mix.policy = seed % 2 == 0 ? SrPolicy::Sr : SrPolicy::Off;
        mix.ports = ports;
        mix.chunk = chunk;
        mix.length = length;
        mix.cached = seed % 4 != 3;
        mix.interval = {0, 0, seed % 8, 8};
        run_mix("cosim", mix, seed++);
      }
    }
  }
}

class EventLog : public TraceSink {
 public:
  void on_event(const TraceEvent& event) override { events.push_back(event); }
  std::vector<TraceEvent> events;
};

std::vector<std::unique_ptr<SimpleMedia>> media_of(const TestSystemOptions& options) {
  std::vector<std::unique_ptr<SimpleMedia>> media;
  for (unsigned port = 0; port < options.config.ports; ++port) {
    media.push_back(std::make_unique<SimpleMedia>(options.seed + port, options.low, options.high));
  }
  return media;
}

// What the ports make of hints, and when: every MemSpecRd, not only what it does to a load.
TEST(HintsRtl, EveryMemSpecRdAtTheSameTime) {
  std::vector<std::vector<TraceEvent>> issued;
  Mix mix;
  mix.policy = SrPolicy::Naive;
  mix.interval = {1, 2, 4, 7};
  mix.requests = 5000;
  for (const char* engine : {"rtl", "model"}) {
    const TestSystemOptions options = mixed(engine, mix);
    const auto media = media_of(options);
    EventLog log;
    EngineParts parts{{true, options.sets_log2}, {}, {}, &log};
    for (const auto& part : media) parts.media.push_back(part.get());
    const auto system = make_engine(options.config, parts, {});
    RandomTraffic traffic(mixed_traffic(mix, 3));
    HintedInitiator hinted(traffic, {.seed = 3, .base = kBase, .rest = 300});
    EXPECT_EQ(run(hinted, *system, kLimit).status, RunStatus::Done);
    auto& mine = issued.emplace_back();
    for (const TraceEvent& event : log.events) {
      if (event.stage == Stage::SpecIssue) mine.push_back(event);
    }
    system->finish();
  }
  const auto hints = [](const std::vector<TraceEvent>& events) {
    return std::ranges::count(events, kHintSpecId, &TraceEvent::id);
  };
  EXPECT_GT(hints(issued[0]), 100);
  EXPECT_GT(static_cast<long>(issued[0].size()), hints(issued[0]) + 50);
  ASSERT_EQ(issued[0].size(), issued[1].size());
  for (std::size_t i = 0; i < issued[0].size(); ++i) {
    const TraceEvent &a = issued[0][i], &b = issued[1][i];
    ASSERT_TRUE(a.at == b.at && a.port == b.port && a.id == b.id && a.addr == b.addr &&
                a.info == b.info)
        << i << ": rtl at " << a.at.ns() << " port " << unsigned{a.port} << " id " << a.id << " 0x"
        << std::hex << a.addr << std::dec << " " << a.info << ", model at " << b.at.ns() << " port "
        << unsigned{b.port} << " id " << b.id << " 0x" << std::hex << b.addr;
  }
}

}  // namespace
}  // namespace cxlgpu
