// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Hints in the event-driven model: a cycle that is slept through changes nothing, the pace is the
// configuration's, and data is right over one, two and four ports, however they are interleaved.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "model/engine.hpp"
#include "sim/firmware/speculation.hpp"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/system/hinted.hpp"
#include "tests/system/random_traffic.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBase = 0x100000000, kPortBytes = 256ull << 20;
constexpr Time kLimit{1'000'000'000'000};

RunConfig config_of(unsigned ports, std::uint64_t chunk = 1024) {
  RunConfig config;
  config.ports = ports;
  std::vector<unsigned> all;
  for (unsigned port = 0; port < ports; ++port) all.push_back(port);
  config.hdm = {{kBase, kPortBytes * ports, chunk, all}};
  config.endpoint.task_thresholds = {16, 40, 56};
  return config;
}

class EventLog : public TraceSink {
 public:
  void on_event(const TraceEvent& event) override { events.push_back(event); }
  [[nodiscard]] std::vector<TraceEvent> issued() const {
    std::vector<TraceEvent> all;
    for (const TraceEvent& event : events) {
      if (event.stage == Stage::SpecIssue) all.push_back(event);
    }
    return all;
  }
  std::vector<TraceEvent> events;
};

// The model on media of random latency.
struct Machine {
  Machine(const RunConfig& config, bool cached = true, unsigned sets_log2 = 3) {
    std::vector<Media*> parts;
    for (unsigned port = 0; port < config.ports; ++port) {
      media.push_back(std::make_unique<SimpleMedia>(1 + port, Time{500'000}, Time{3'000'000}));
      parts.push_back(media.back().get());
    }
    engine = std::make_unique<ModelEngine>(config, EndpointParts{cached, sets_log2}, parts, &log);
  }
  std::vector<std::unique_ptr<SimpleMedia>> media;
  EventLog log;
  std::unique_ptr<ModelEngine> engine;
};

// Each cycle is run, and each port woken in it: a register is written that changes nothing.
class Sleepless : public Engine {
 public:
  Sleepless(ModelEngine& inner, unsigned ports) : inner_(inner), ports_(ports) {}
  [[nodiscard]] Time now() const override { return inner_.now(); }
  bool submit(const MemRequest& request) override { return inner_.submit(request); }
  bool hint(const Hint& hint) override { return inner_.hint(hint); }
  std::optional<MemResponse> take() override { return inner_.take(); }
  void advance_to(Time t) override {
    for (unsigned port = 0; port < ports_; ++port) {
      inner_.write(RegisterSpace::RootPort, port, regs::rp::kDsStatus, 0);
    }
    inner_.advance_to(std::min(t, inner_.now() + kCycle));
  }

 private:
  ModelEngine& inner_;
  unsigned ports_;
};

void expect_same(const std::vector<TraceEvent>& some, const std::vector<TraceEvent>& others) {
  ASSERT_EQ(some.size(), others.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    const TraceEvent &a = some[i], &b = others[i];
    ASSERT_TRUE(a.at == b.at && a.stage == b.stage && a.port == b.port && a.id == b.id &&
                a.addr == b.addr && a.info == b.info)
        << i << ": " << kStageNames[static_cast<std::size_t>(a.stage)] << " at " << a.at.ns()
        << " and " << kStageNames[static_cast<std::size_t>(b.stage)] << " at " << b.at.ns();
  }
}

TEST(HintsModel, CyclesSleptThroughChangeNothing) {
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    SCOPED_TRACE(seed);
    RunConfig config = config_of(2);
    config.root_port.policy = seed % 2 == 0 ? SrPolicy::Stream : SrPolicy::Off;
    config.root_port.ds = seed > 4;
    config.root_port.hint_interval = {seed % 8, 7, 8, 10};
    Machine asleep(config), awake(config);
    for (const bool sleeps : {true, false}) {
      Machine& machine = sleeps ? asleep : awake;
      Sleepless sleepless(*machine.engine, config.ports);
      RandomTraffic traffic({.seed = seed,
                             .requests = 1500,
                             .base = kBase,
                             .idle_share = seed % 3 == 0 ? 0.8 : 0.99});
      HintedInitiator hinted(traffic, {.seed = seed, .base = kBase, .rest = 4000});
      Engine& engine = sleeps ? static_cast<Engine&>(*machine.engine) : sleepless;
      EXPECT_EQ(run(hinted, engine, kLimit).status, RunStatus::Done);
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
    Machine machine(config);
    EXPECT_TRUE(machine.engine->hint({kBase, 16}));
    machine.engine->advance_to(Time{20'000'000});
    const std::vector<TraceEvent> issued = machine.log.issued();
    ASSERT_EQ(issued.size(), 4u);
    // Without a pause: one cycle offered, four to gather the next.
    const std::uint64_t cycles = std::max(std::uint64_t{5}, std::uint64_t{4} << code);
    for (std::size_t i = 0; i < issued.size(); ++i) {
      EXPECT_EQ(issued[i].id, kHintSpecId);
      EXPECT_EQ(issued[i].addr, kBase + i * 1024);
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
    Machine machine(config_of(1));
    for (const Hint& hint : hints) {
      EXPECT_TRUE(machine.engine->hint(hint));
      machine.engine->advance_to(machine.engine->now() + kCycle);
    }
    machine.engine->advance_to(Time{1'000'000});
    return machine.log.issued().at(0);
  };
  const TraceEvent whole = first_issue({{kBase, 4}});
  const TraceEvent alone = first_issue({{kBase, 1}});
  const TraceEvent pushed = first_issue({{kBase, 1}, {kBase + 4096, 1}});
  const TraceEvent joined = first_issue({{kBase, 1}, {kBase + 256, 3}});
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
        Machine machine(config);
        CheckedEngine checked(*machine.engine);
        RandomTraffic traffic({.seed = seed, .requests = 5000, .base = kBase});
        HintedInitiator hinted(traffic, {.seed = seed, .base = kBase});
        EXPECT_EQ(run(hinted, checked, kLimit).status, RunStatus::Done);
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
          EXPECT_EQ((event.addr - kBase) / chunk % ports, event.port);
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
