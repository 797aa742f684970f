// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Deterministic store in the whole system, on every engine: loads see every older store, everything
// is at the endpoints when the run is drained, and the model is in step with the RTL.
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <memory>

#include "common/registers.hpp"
#include "model/engine.hpp"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/machine/memory_map.hpp"
#include "sim/stats/run_stats.hpp"
#include "tb/system_engine.hpp"
#include "tests/common/environment.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/system/ask.hpp"
#include "tests/system/random_traffic.hpp"
#include "tests/system/simple_media.hpp"
#include "tests/system/test_system.hpp"

namespace cxlgpu {
namespace {

namespace rp = regs::rp;

constexpr std::uint64_t kBase = 0xf'ffc1'0000'0000;  // high bits of lines are kept, too
constexpr std::uint64_t kSize = 512ull << 20;
constexpr Time kLimit{1'000'000'000'000};
constexpr unsigned kPorts = 2;

struct Scenario {
  RunConfig config;
  RandomTraffic::Options traffic;
  bool cached = false;
  Time low{500'000}, high{3'000'000};  // media latency
};

std::uint64_t seed() {
  return test::from_environment("CXLGPU_SEED", 1);
}

// Stores to few lines, which meet each other, loads and themselves all the time.
Scenario make_scenario(const std::string& engine) {
  Scenario scenario;
  scenario.config.engine = engine;
  scenario.config.ports = kPorts;
  scenario.config.hdm = {{kBase, kSize, 1024, {0, 1}}};
  scenario.config.root_port.policy = SrPolicy::Sr;
  scenario.config.root_port.ds = true;
  scenario.config.seed = seed();
  scenario.traffic.seed = seed();
  scenario.traffic.base = kBase;
  scenario.traffic.requests = 4000;
  scenario.traffic.lines = 96;
  scenario.traffic.write_share = 0.6;
  scenario.traffic.partial_share = 0.5;
  scenario.traffic.stream_share = 0.3;
  return scenario;
}

std::vector<std::unique_ptr<SimpleMedia>> parts(const Scenario& scenario) {
  std::vector<std::unique_ptr<SimpleMedia>> all;
  for (unsigned port = 0; port < kPorts; ++port) {
    all.push_back(
        std::make_unique<SimpleMedia>(scenario.traffic.seed + port, scenario.low, scenario.high));
  }
  return all;
}

std::vector<Media*> pointers(const std::vector<std::unique_ptr<SimpleMedia>>& parts) {
  std::vector<Media*> all;
  for (const auto& part : parts) all.push_back(part.get());
  return all;
}

// What both ports did.
std::array<std::uint64_t, kDsEventNames.size()> events_of(const RunStats& stats) {
  std::array<std::uint64_t, kDsEventNames.size()> sum{};
  for (const DsStats& port : stats.deterministic_store()) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += port.count[i];
  }
  return sum;
}
enum Event : std::size_t { Direct, Deferred, InPlace, Flushed, Hit, Merge, False, Full, Error };

TestSystemOptions options_of(const Scenario& s) {
  std::cout << s.config.engine << (s.cached ? " cached" : "") << " CXLGPU_SEED=" << s.traffic.seed
            << std::endl;
  return {s.config, s.cached, 3, s.low, s.high, s.traffic.seed};
}

// A system and the requests that it gets.
class System : public TestSystem {
 public:
  explicit System(const Scenario& s) : TestSystem(options_of(s)), traffic_(s.traffic) {}
  void run_traffic() {
    RandomTraffic traffic(traffic_);
    run_all(traffic);
    EXPECT_EQ(traffic.answered(), traffic_.requests);
  }

 private:
  RandomTraffic::Options traffic_;
};

// Long, and cosim has the RTL in it, too: the night has `rtl` by itself as well.
class DeterministicStore : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Engines, DeterministicStore,
                         ::testing::ValuesIn(test::volume() == 1
                                                 ? std::vector{"model", "cosim"}
                                                 : std::vector{"model", "rtl", "cosim"}),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(DeterministicStore, LoadsSeeEveryOlderStoreAndAllArrives) {
  test::shows("ds",
              "A load sees every older store, deferred, merged or at the endpoint; drained, the "
              "endpoints hold what was written",
              "docs/blocks/root_port/ds_engine.md");
  std::array<std::uint64_t, kDsEventNames.size()> seen{};
  for (const bool cached : {false, true}) {
    for (const unsigned max_writes : {1u, 8u}) {
      Scenario scenario = make_scenario(GetParam());
      scenario.cached = cached;
      scenario.config.root_port.ds_max_writes = max_writes;
      System system(scenario);
      system.run_traffic();
      system.drain_and_compare();
      system.finish();
      const auto events = events_of(system.stats());
      for (std::size_t i = 0; i < seen.size(); ++i) seen[i] += events[i];
      // A line that is stored to while it is in flight goes once more.
      EXPECT_GE(events[Flushed], events[Deferred]);
    }
  }
  for (const Event event : {Direct, Deferred, InPlace, Flushed, Hit, Merge}) {
    EXPECT_GT(seen[event], 20u) << kDsEventNames[event];
  }
  EXPECT_EQ(seen[Error], 0u);
}

// The stack is full, the endpoint slow: stores wait, and everything arrives.
TEST_P(DeterministicStore, MoreLinesThanSlots) {
  Scenario scenario = make_scenario(GetParam());
  scenario.config.root_port.ds_interval = {10, 10, 10, 10};
  scenario.config.endpoint.backlog_thresholds = {127, 127, 127};  // stores are always sent
  scenario.config.endpoint.task_thresholds = {127, 127, 127};
  scenario.config.root_port.ds_max_writes = 1;
  scenario.traffic.lines = 16384;
  scenario.traffic.write_share = 0.95;
  scenario.traffic.requests = 4200;
  scenario.traffic.idle_share = 0;
  scenario.low = scenario.high = Time{300'000};
  System system(scenario);
  system.run_traffic();
  EXPECT_GT(events_of(system.stats())[Full], 0u);
  EXPECT_GT(events_of(system.stats())[False], 0u);
  for (const DsStats& port : system.stats().deterministic_store()) {
    EXPECT_EQ(port.peak_deferred, 1024u);
  }
  system.drain_and_compare();
  system.finish();
}

// Without the drain it is not there: the comparison sees what it is for, and the drain waits.
TEST_P(DeterministicStore, WhatIsDeferredIsNotAtTheEndpointBeforeTheDrain) {
  Scenario scenario = make_scenario(GetParam());
  scenario.config.root_port.ds_interval = {15, 15, 15, 15};
  scenario.config.root_port.ds_max_writes = 1;
  scenario.traffic.requests = 200;
  System system(scenario);
  system.run_traffic();
  EXPECT_FALSE(system.differences().empty());
  system.drain_and_compare();
  // The fence is gone: stores are taken again. In cosim the two ended the drain at different times,
  // and a store leaves something to do behind it: each request finds both at rest.
  const auto rest = [&] { system.checked().advance_to(system.checked().now() + kCycle * 1000); };
  rest();
  EXPECT_FALSE(ask(system.checked(), kBase, true).error);
  rest();
  EXPECT_EQ(ask(system.checked(), kBase, false).data[0], 0x5a);
  system.drain_and_compare();
  system.finish();
}

// A store is done long before its endpoint has it.
TEST_P(DeterministicStore, StoresDoNotWaitForTheMedia) {
  test::shows("ds", "A store is answered from GPU memory, whatever the endpoint takes",
              "docs/blocks/root_port/ds_engine.md");
  Scenario scenario = make_scenario(GetParam());
  scenario.low = scenario.high = Time{20'000'000};  // 20 us
  scenario.traffic.write_share = 1;
  scenario.traffic.requests = 150;
  scenario.traffic.outstanding = 1;
  System system(scenario);
  system.run_traffic();
  EXPECT_LT(system.stats().stores().percentiles().max, Time{1'000'000});
  system.drain_and_compare();
  system.finish();
}

TEST_P(DeterministicStore, OffIsOff) {
  Scenario scenario = make_scenario(GetParam());
  scenario.config.root_port.ds = false;
  System system(scenario);
  system.run_traffic();
  EXPECT_TRUE(system.stats().deterministic_store().empty());
  const Time before = system.engine().now();
  system.drain_and_compare();  // nothing to drain, and everything is there
  EXPECT_EQ(system.engine().now(), before);
  system.finish();
}

// ---- engines against each other ----------------------------------------------------------------

class EventLog : public TraceSink {
 public:
  void on_event(const TraceEvent& e) override { events.push_back(e); }
  std::vector<TraceEvent> events;
};

// The engine's own work, which is of no request: in the same cycles, with as much pending.
TEST(DeterministicStoreEngines, ModelDoesWhatTheRtlDoesInTheSameCycle) {
  test::shows("ds", "RTL and model defer, send and search in the same cycles",
              "docs/blocks/root_port/ds_engine.md");
  std::array<std::vector<TraceEvent>, 2> of_engine;
  for (std::size_t e = 0; e < of_engine.size(); ++e) {
    Scenario scenario = make_scenario(e == 0 ? "model" : "rtl");
    scenario.cached = true;
    scenario.traffic.lines = 1024;
    scenario.config.root_port.ds_interval = {5, 6, 8, 12};
    scenario.config.root_port.ds_max_writes = 3;
    const auto media = parts(scenario);
    EventLog log;
    const auto engine =
        make_engine(scenario.config, {{true, 3}, pointers(media), {}, &log}, EngineOptions{});
    RandomTraffic traffic(scenario.traffic);
    const RunResult result = run(traffic, *engine, kLimit);
    EXPECT_EQ(result.status, RunStatus::Done);
    for (const TraceEvent& event : log.events) {
      if (event.stage == Stage::DsEvent && event.at < result.end) of_engine[e].push_back(event);
    }
    engine->finish();
  }
  const auto& [model, rtl] = of_engine;
  EXPECT_GT(model.size(), 2000u);
  ASSERT_EQ(model.size(), rtl.size());
  for (unsigned port = 0; port < kPorts; ++port) {
    std::array<std::vector<TraceEvent>, 2> own;
    for (std::size_t e = 0; e < own.size(); ++e) {
      for (const TraceEvent& event : of_engine[e]) {
        if (event.port == port) own[e].push_back(event);
      }
    }
    ASSERT_EQ(own[0].size(), own[1].size());
    for (std::size_t i = 0; i < own[0].size(); ++i) {
      ASSERT_EQ(own[0][i].at, own[1][i].at) << i;
      ASSERT_EQ(own[0][i].info, own[1][i].info) << own[0][i].at.ns() << " ns";
    }
  }
}

TEST(DeterministicStoreEngines, BitErrorsCostTimeNotData) {
  test::shows("ds", "Bit errors under deterministic store cost time and no data",
              "CXL 2.0, 4.2.8 (retry)");
  for (const char* engine : {"model", "rtl"}) {
    Scenario scenario = make_scenario(engine);
    scenario.cached = true;
    scenario.traffic.requests = 300;
    scenario.config.link.bit_error_rate_m2s = scenario.config.link.bit_error_rate_s2m = 1e-4;
    System system(scenario);
    system.run_traffic();
    system.drain_and_compare();
    system.finish();
    EXPECT_GT(system.engine().link(0).m2s.damaged, 0u);
  }
}

// The RTL of both ports with its registers, which the SystemEngine does not show.
class RegisteredRtl : public System {
 public:
  explicit RegisteredRtl(const Scenario& s)
      : System(s), bus_(dynamic_cast<RegisterBus&>(engine())) {}
  std::uint32_t read(unsigned port, std::uint32_t offset) {
    return bus_.read(RegisterSpace::RootPort, port, offset);
  }
  void write(unsigned port, std::uint32_t offset, std::uint32_t value) {
    bus_.write(RegisterSpace::RootPort, port, offset, value);
  }

 private:
  RegisterBus& bus_;
};

// Local memory refuses an access outside the port's part of it (DsRegion).
TEST(DeterministicStoreEngines, EachPortHasItsOwnPartOfLocalMemory) {
  test::shows("ds",
              "Each port keeps its deferred lines in its own range of local memory, at the base "
              "that its registers give",
              "docs/blocks/root_port/deterministic_store.md");
  for (const std::uint64_t base : {0x1'2340'0000ull, 0xf'ffff'fff8'0000ull, 0ull}) {
    Scenario scenario = make_scenario("rtl");
    scenario.config.ds_base = base;
    scenario.traffic.requests = 800;
    RegisteredRtl system(scenario);
    for (unsigned port = 0; port < kPorts; ++port) {
      const std::uint64_t part = base + 0x4'0000ull * port;
      EXPECT_EQ(system.read(port, rp::kDsBaseLow), static_cast<std::uint32_t>(part));
      EXPECT_EQ(system.read(port, rp::kDsBaseHigh), static_cast<std::uint32_t>(part >> 32));
    }
    EXPECT_NO_THROW(system.run_traffic());
    EXPECT_GT(events_of(system.stats())[Hit], 10u);
    system.drain_and_compare();
    system.finish();
  }
}

TEST(DeterministicStoreEngines, RegistersSayWhatItIsAndDid) {
  test::shows("ds",
              "The registers of deterministic store read back every field as written, identify it "
              "and count each of its actions",
              "docs/blocks/root_port/deterministic_store.md");
  Scenario scenario = make_scenario("rtl");
  scenario.config.root_port.ds_interval = {1, 2, 3, 4};
  scenario.config.root_port.ds_max_writes = 5;
  scenario.traffic.requests = 1500;
  RegisteredRtl system(scenario);
  system.run_traffic();
  system.drain_and_compare();
  for (unsigned port = 0; port < kPorts; ++port) {
    EXPECT_EQ(system.read(port, rp::kDsControl), 0x501u);
    EXPECT_EQ(system.read(port, rp::kDsStatus), 3u);
    EXPECT_EQ(system.read(port, rp::kDsInterval), 0x4321u);
    EXPECT_EQ(system.read(port, rp::kDsCap), 1024u | 32u << 16);
    EXPECT_EQ(system.read(port, rp::kSrCap), 32u | 32u << 8 | 1024u << 16 | 4u << 29);
    for (std::uint32_t i = 0; i < kDsEventNames.size(); ++i) {
      EXPECT_EQ(system.read(port, rp::kDsDirect + 4 * i),
                system.stats().deterministic_store()[port].count[i])
          << kDsEventNames[i];
    }
    // One bit at a time, and all; bits that are no field's read 0. The fence goes away again. The
    // base can be written last, with deterministic store off.
    const struct {
      std::uint32_t offset, fields;
    } rows[] = {{rp::kDsControl, 0x7f03},
                {rp::kDsInterval, 0xffff},
                {rp::kDsBaseLow, 0xfffc'0000},
                {rp::kDsBaseHigh, 0x000f'ffff}};
    const std::uint32_t control = system.read(port, rp::kDsControl);
    for (const auto& row : rows) {
      if (row.offset == rp::kDsBaseLow) {
        system.write(port, rp::kDsControl, control & ~rp::kDsControlEnable.mask());
        EXPECT_EQ(system.read(port, rp::kDsStatus), 2u);
      }
      const std::uint32_t before = system.read(port, row.offset);
      for (unsigned bit = 0; bit <= 33; ++bit) {
        const std::uint32_t value = bit == 33 ? 0 : bit == 32 ? ~0u : 1u << bit;
        system.write(port, row.offset, value);
        EXPECT_EQ(system.read(port, row.offset), value & row.fields) << row.offset;
      }
      system.write(port, row.offset, before);
    }
    system.write(port, rp::kDsControl, control);
    EXPECT_EQ(system.read(port, rp::kDsStatus), 3u);
    // What it is cannot be written.
    for (const std::uint32_t offset : {rp::kSrCap, rp::kDsCap, rp::kDsDirect, rp::kDsRefused}) {
      const std::uint32_t before = system.read(port, offset);
      system.write(port, offset, ~before);
      EXPECT_EQ(system.read(port, offset), before) << offset;
    }
  }
  system.finish();
}

// ---- the model alone ---------------------------------------------------------------------------

// Calls on the registers at every cycle: no cycle is slept through.
class Sleepless : public Engine {
 public:
  explicit Sleepless(ModelEngine& inner) : inner_(inner) {}
  [[nodiscard]] Time now() const override { return inner_.now(); }
  bool submit(const MemRequest& request) override { return inner_.submit(request); }
  std::optional<MemResponse> take() override { return inner_.take(); }
  void advance_to(Time t) override {
    const Time end = std::min(t, inner_.now() + kCycle);
    for (unsigned port = 0; port < kPorts; ++port) {
      inner_.write(RegisterSpace::RootPort, port, rp::kDsStatus, 0);
    }
    inner_.advance_to(end);
  }

 private:
  ModelEngine& inner_;
};

TEST(DeterministicStoreModel, CyclesSleptThroughChangeNothing) {
  for (const bool sleeps : {true, false}) {
    Scenario scenario = make_scenario("model");
    scenario.config.root_port.ds_interval = {9, 10, 8, 12};
    scenario.config.root_port.ds_max_writes = 2;
    scenario.traffic.idle_share = 0.99;
    scenario.traffic.requests = 2000;
    static std::vector<TraceEvent> reference;
    const auto media = parts(scenario);
    EventLog log;
    ModelEngine engine(scenario.config, {false, 0}, pointers(media), &log);
    Sleepless sleepless(engine);
    RandomTraffic traffic(scenario.traffic);
    const RunResult result =
        sleeps ? run(traffic, engine, kLimit) : run(traffic, sleepless, kLimit);
    EXPECT_EQ(result.status, RunStatus::Done);
    if (sleeps) {
      reference = log.events;
      continue;
    }
    ASSERT_EQ(log.events.size(), reference.size());
    for (std::size_t i = 0; i < reference.size(); ++i) {
      const TraceEvent &a = log.events[i], &b = reference[i];
      ASSERT_TRUE(a.at == b.at && a.stage == b.stage && a.port == b.port && a.id == b.id &&
                  a.addr == b.addr && a.info == b.info)
          << i << ": " << kStageNames[static_cast<std::size_t>(a.stage)] << " at " << a.at.ns()
          << " and " << kStageNames[static_cast<std::size_t>(b.stage)] << " at " << b.at.ns();
    }
  }
}

// Switched in the middle of traffic: each port changes when it is quiet, and no data is lost.
TEST(DeterministicStoreModel, SwitchedUnderTraffic) {
  Scenario scenario = make_scenario("model");
  const auto media = parts(scenario);
  ModelEngine engine(scenario.config, {false, 0}, pointers(media), nullptr);
  CheckedEngine checked(engine);
  const auto on = [&](unsigned port) {
    return rp::kDsStatusOn.is_set(engine.read(RegisterSpace::RootPort, port, rp::kDsStatus));
  };
  const auto enable = [&](bool value) {
    for (unsigned port = 0; port < kPorts; ++port) {
      engine.write(RegisterSpace::RootPort, port, rp::kDsControl,
                   rp::kDsControlEnable.put(value) | rp::kDsControlMaxWrites.put(4));
    }
  };
  bool was_under_way = false;
  for (unsigned round = 0; round < 20; ++round) {
    RandomTraffic::Options options = scenario.traffic;
    options.seed += round;
    options.requests = 100;
    RandomTraffic traffic(options);
    traffic.step(checked);
    checked.advance_to(checked.now() + kCycle * 50);
    const bool value = round % 2 != 0;
    enable(value);
    was_under_way |= on(0) != value || on(1) != value;
    EXPECT_EQ(run(traffic, checked, kLimit).status, RunStatus::Done);
    for (Time end = checked.now() + Time{100'000'000}; checked.now() < end;) {
      checked.advance_to(end);
      ASSERT_FALSE(checked.take()) << "an answer to nothing";
    }
    EXPECT_EQ(on(0), value);
    EXPECT_EQ(on(1), value);
  }
  EXPECT_TRUE(was_under_way);
  EXPECT_TRUE(checked.clean());
  EXPECT_FALSE(drain_stores(engine, engine, kPorts));
  const auto wrong = MemoryMap(scenario.config.hdm, pointers(media)).differences(checked.shadow());
  EXPECT_TRUE(wrong.empty()) << wrong[0];
}

TEST(DeterministicStoreModel, RegistersSayWhatItIsAndDid) {
  Scenario scenario = make_scenario("model");
  scenario.config.root_port.ds_interval = {1, 2, 3, 4};
  scenario.config.root_port.ds_max_writes = 5;
  scenario.config.ds_base = 0x1'2340'0000;
  const auto media = parts(scenario);
  RunStats stats;
  ModelEngine engine(scenario.config, {false, 0}, pointers(media), &stats);
  RandomTraffic traffic(scenario.traffic);
  EXPECT_EQ(run(traffic, engine, kLimit).status, RunStatus::Done);
  EXPECT_FALSE(drain_stores(engine, engine, kPorts));
  for (unsigned port = 0; port < kPorts; ++port) {
    const auto read = [&](std::uint32_t offset) {
      return engine.read(RegisterSpace::RootPort, port, offset);
    };
    EXPECT_EQ(read(rp::kDsControl), 0x501u);
    EXPECT_EQ(read(rp::kDsStatus), 3u);
    EXPECT_EQ(read(rp::kDsInterval), 0x4321u);
    EXPECT_EQ(read(rp::kDsBaseLow), 0x2340'0000u + 0x4'0000 * port);
    EXPECT_EQ(read(rp::kDsBaseHigh), 1u);
    EXPECT_EQ(read(rp::kDsCap), 1024u | 32u << 16);
    EXPECT_EQ(read(rp::kSrCap), 32u | 32u << 8 | 1024u << 16 | 4u << 29);
    for (std::uint32_t i = 0; i < kDsEventNames.size(); ++i) {
      EXPECT_EQ(read(rp::kDsDirect + 4 * i), stats.deterministic_store()[port].count[i])
          << kDsEventNames[i];
    }
  }
}

// A drain says so if it cannot: here the media never answers.
TEST(DeterministicStoreModel, DrainThatCannotEndSaysWhatIsLeft) {
  Scenario scenario = make_scenario("model");
  scenario.low = scenario.high = Time{3'600'000'000'000'000};  // an hour
  scenario.config.root_port.ds_max_writes = 16;
  const auto media = parts(scenario);
  ModelEngine engine(scenario.config, {false, 0}, pointers(media), nullptr);
  for (std::uint64_t line = 0; line < 20; ++line) {
    const std::uint64_t chunk = line / 16 * 2048 + 1024;  // of port 1
    EXPECT_FALSE(ask(engine, kBase + chunk + line % 16 * kLineBytes, true).error);
  }
  const auto left = drain_stores(engine, engine, kPorts, Time{10'000'000});
  ASSERT_TRUE(left);
  EXPECT_EQ(*left, "port 1: 4 deferred stores are not at their endpoint");
  EXPECT_GE(engine.now(), Time{10'000'000});
}

}  // namespace
}  // namespace cxlgpu
