// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Hints in the event-driven model: a cycle that is slept through changes nothing, the pace is the
// configuration's, and data is right over one, two and four ports, however they are interleaved.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model/engine.hpp"
#include "sim/firmware/speculation.hpp"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/model/model_machine.hpp"
#include "tests/system/hinted.hpp"
#include "tests/system/random_traffic.hpp"

namespace cxlgpu {
namespace {

RunConfig config_of(unsigned ports, std::uint64_t chunk = 1024) {
  RunConfig config = interleaved(ports, chunk);
  config.endpoint.task_thresholds = {16, 40, 56};
  return config;
}

TEST(HintsModel, CyclesSleptThroughChangeNothing) {
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    SCOPED_TRACE(seed);
    RunConfig config = config_of(2);
    config.root_port.policy = seed % 2 == 0 ? SrPolicy::Stream : SrPolicy::Off;
    config.root_port.ds = seed > 4;
    config.root_port.hint_interval = {seed % 8, 7, 8, 10};
    ModelMachine asleep(config), awake(config);
    for (const bool sleeps : {true, false}) {
      ModelMachine& machine = sleeps ? asleep : awake;
      Sleepless sleepless(*machine.engine, config.ports);
      RandomTraffic traffic({.seed = seed,
                             .requests = 1500,
                             .base = kModelBase,
                             .idle_share = seed % 3 == 0 ? 0.8 : 0.99});
      HintedInitiator hinted(traffic, {.seed = seed, .base = kModelBase, .rest = 4000});
      Engine& engine = sleeps ? static_cast<Engine&>(*machine.engine) : sleepless;
      EXPECT_EQ(run(hinted, engine, kModelLimit).status, RunStatus::Done);
    }
    EXPECT_GT(std::ranges::count(asleep.log.issued(), kHintSpecId, &TraceEvent::id), 20);
    expect_same(asleep.log.events, awake.log.events);
  }
}

// From one MemSpecRd of four granules to the next: 4 * 2^code cycles.
TEST(HintsModel, ThePauseIsThatOfTheConfiguration) {
  for (const unsigned code : {0u, 3u, 6u, 9u}) {
    RunConfig config = config_of(1);
    config.root_port.hint_interval = {code, 15, 15, 15};
    ModelMachine machine(config);
    EXPECT_TRUE(machine.engine->hint({kModelBase, 16}));
    machine.engine->advance_to(Time{20'000'000});
    const std::vector<TraceEvent> issued = machine.log.issued();
    ASSERT_EQ(issued.size(), 4u);
    // Without a pause: one cycle offered, four to gather the next.
    const std::uint64_t cycles = std::max(std::uint64_t{5}, std::uint64_t{4} << code);
    for (std::size_t i = 0; i < issued.size(); ++i) {
      EXPECT_EQ(issued[i].id, kHintSpecId);
      EXPECT_EQ(issued[i].addr, kModelBase + i * 1024);
      EXPECT_EQ(issued[i].info, 4u);
    }
    for (std::size_t i = 1; i < issued.size(); ++i) {
      EXPECT_EQ(issued[i].at - issued[i - 1].at, kCycle * cycles) << code;
    }
  }
}

// What stands alone waits 16 cycles for more; the next granule that does not follow closes it.
TEST(HintsModel, ARunIsClosedByTimeOrByAnotherGranule) {
  const auto first_issue = [](const std::vector<Hint>& hints) {
    ModelMachine machine(config_of(1));
    for (const Hint& hint : hints) {
      EXPECT_TRUE(machine.engine->hint(hint));
      machine.engine->advance_to(machine.engine->now() + kCycle);
    }
    machine.engine->advance_to(Time{1'000'000});
    return machine.log.issued().at(0);
  };
  const TraceEvent whole = first_issue({{kModelBase, 4}});
  const TraceEvent alone = first_issue({{kModelBase, 1}});
  const TraceEvent pushed = first_issue({{kModelBase, 1}, {kModelBase + 4096, 1}});
  const TraceEvent joined = first_issue({{kModelBase, 1}, {kModelBase + 256, 3}});
  EXPECT_EQ(alone.info, 1u);
  EXPECT_EQ(pushed.info, 1u);
  EXPECT_EQ(joined.info, 4u);
  EXPECT_EQ(alone.at, pushed.at + kCycle * 15);
  EXPECT_EQ(whole.at, pushed.at + kCycle * 2);
  EXPECT_EQ(joined.at, whole.at);
}

TEST(HintsModel, OverOneTwoAndFourPortsDataIsRight) {
  std::uint64_t seed = test::from_environment("CXLGPU_SEED", 1), misses = 0;
  for (const unsigned ports : {1u, 2u, 4u}) {
    for (const std::uint64_t chunk : {256u, 4096u}) {
      for (const bool ds : {false, true}) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", ports " + std::to_string(ports));
        RunConfig config = config_of(ports, chunk);
        config.root_port.policy = seed % 3 == 0 ? SrPolicy::Stream : SrPolicy::Sr;
        config.root_port.ds = ds;
        config.root_port.hint_interval = {seed % 4, 4, 6, 9};
        ModelMachine machine(config);
        CheckedEngine checked(*machine.engine);
        RandomTraffic traffic({.seed = seed, .requests = 5000, .base = kModelBase});
        HintedInitiator hinted(traffic, {.seed = seed, .base = kModelBase});
        EXPECT_EQ(run(hinted, checked, kModelLimit).status, RunStatus::Done);
        EXPECT_TRUE(checked.clean());
        EXPECT_EQ(checked.mismatches(), 0u);
        end_hints(*machine.engine, *machine.engine, ports, kCycle * 2);
        const BridgeHintCounters bridge = read_bridge_hints(*machine.engine);
        EXPECT_EQ(bridge.hints, hinted.given());
        misses += bridge.misses;
        // All that were not lost have come out, each granule at the port that serves it.
        std::uint64_t requested = 0, granules = bridge.misses;
        for (unsigned port = 0; port < ports; ++port) {
          const HintCounters hints = read_hints(*machine.engine, port);
          EXPECT_GT(hints.issued, 0u);
          granules += hints.granules;
          requested += hints.granules - hints.dropped;
        }
        EXPECT_LE(granules, hinted.granules());
        EXPECT_EQ(granules == hinted.granules(), bridge.lost == 0);
        std::uint64_t issued = 0;
        for (const TraceEvent& event : machine.log.issued()) {
          if (event.id != kHintSpecId) continue;
          issued += event.info;
          EXPECT_EQ((event.addr - kModelBase) / chunk % ports, event.port);
        }
        EXPECT_EQ(issued, requested);
        ++seed;
      }
    }
  }
  EXPECT_GT(misses, 0u);
}

}  // namespace
}  // namespace cxlgpu
