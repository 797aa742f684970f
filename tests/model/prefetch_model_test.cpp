// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The policies that the model alone has, in the machine: data is right whatever they prefetch, each
// MemSpecRd is one its port may send, none is begun at severe load, and no cycle that is slept
// through changes anything.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>

#include "sim/firmware/speculation.hpp"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "tests/model/model_machine.hpp"
#include "tests/system/random_traffic.hpp"

namespace cxlgpu {
namespace {

constexpr std::array kPolicies = {SrPolicy::Stride, SrPolicy::BestOffset, SrPolicy::AccessMap,
                                  SrPolicy::Footprint};

struct PrefetchModel : ::testing::TestWithParam<SrPolicy> {
  [[nodiscard]] static RunConfig config_of(unsigned ports, std::uint64_t chunk) {
    RunConfig config = interleaved(ports, chunk);
    config.root_port.policy = GetParam();
    // No load: policies are what is looked at.
    EndpointConfig& load = config.endpoint;
    load.ingress_thresholds = load.mshr_thresholds = {127, 127, 127};
    load.backlog_thresholds = load.task_thresholds = {127, 127, 127};
    return config;
  }
};
INSTANTIATE_TEST_SUITE_P(Policies, PrefetchModel, ::testing::ValuesIn(kPolicies));

struct Count {
  std::uint64_t issued = 0, requested = 0, seen = 0, halted = 0;
};
Count count(const ModelMachine& machine, unsigned ports) {
  Count all;
  for (unsigned port = 0; port < ports; ++port) {
    const SrCounters counters = read_speculation(*machine.engine, port);
    all.issued += counters.issued;
    all.requested += counters.requested;
    all.seen += counters.loads_seen;
    all.halted += counters.halt_suppressed;
  }
  return all;
}

TEST_P(PrefetchModel, NoPrefetchChangesDataOrLeavesItsPort) {
  EXPECT_TRUE(rc::check([] {
    const unsigned ports = *rc::gen::element(1u, 2u, 4u);
    const std::uint64_t chunk = *rc::gen::element(256u, 512u, 1024u, 4096u);
    RunConfig config = config_of(ports, chunk);
    config.root_port.ds = *rc::gen::arbitrary<bool>();
    config.root_port.spec_length = *rc::gen::inRange(0, 4) != 0;
    config.root_port.spec_64b = *rc::gen::inRange(0, 8) == 0;
    config.root_port.spec_cap_bytes = 256 * *rc::gen::inRange(1u, 5u);
    config.link.drop_spec_every = *rc::gen::element(0u, 0u, 3u);
    const RandomTraffic::Options options{
        .seed = *rc::gen::inRange(1u, 1u << 30),
        .requests = 1500,
        .base = kModelBase,
        .lines = *rc::gen::element(32u, 256u, 4096u),
        .write_share = *rc::gen::element(0.0, 0.2, 0.5),
    };
    ModelMachine machine(config, *rc::gen::inRange(0, 5) != 0, *rc::gen::inRange(0u, 5u));
    CheckedEngine checked(*machine.engine);
    RandomTraffic traffic(options);
    RC_ASSERT(run(traffic, checked, kModelLimit).status == RunStatus::Done);
    RC_ASSERT(checked.clean());
    RC_ASSERT(checked.mismatches() == 0u);
    const bool length = config.root_port.spec_length && !config.root_port.spec_64b;
    for (const TraceEvent& event : machine.log.issued()) {
      // Without length the address is a line.
      const std::uint64_t first = (event.addr - kModelBase) / 256 * 256;
      const std::uint64_t last = first + 256 * event.info - 1;
      RC_ASSERT(event.info >= 1 &&
                event.info <= (length ? config.root_port.spec_cap_bytes / 256 : 1));
      RC_ASSERT(ports == 1 || first / chunk == last / chunk);
      RC_ASSERT(first / chunk % ports == event.port);
    }
  }));
}

// Loads of `granules` in order, of each the first line, one at a time: none has an own granule to
// request. After each `then`.
template <typename Then>
void stream(ModelMachine& machine, std::uint64_t granules, Then then) {
  ModelEngine& engine = *machine.engine;
  for (std::uint64_t granule = 0; granule < granules; ++granule) {
    MemRequest request;
    request.addr = kModelBase + granule * 256;
    request.id = static_cast<std::uint32_t>(granule);
    while (!engine.submit(request)) engine.advance_to(engine.now() + kCycle);
    while (!engine.take()) engine.advance_to(engine.now() + kCycle * 1000);
    then(engine);
  }
}

// All but the first granules, and for footprint what is loaded before a first generation has ended
// (65 regions of each port), and the triggers.
TEST_P(PrefetchModel, AStreamIsPredicted) {
  ModelMachine machine(config_of(2, 1024), true, 6);
  stream(machine, 4096, [](ModelEngine&) {});
  const std::uint64_t requested = count(machine, 2).requested;
  if (GetParam() == SrPolicy::Footprint) {
    EXPECT_EQ(requested, 2u * (256 - 65) * 7);
  } else {
    EXPECT_GT(requested, 4096u - 80);
    EXPECT_LT(requested, 4096u + 80);
  }
}

TEST_P(PrefetchModel, AtSevereLoadNothingIsBegun) {
  for (const bool severe : {false, true}) {
    RunConfig config = config_of(2, 1024);
    if (severe) config.endpoint.ingress_thresholds = {0, 0, 0};
    config.endpoint.load_margins = {0, 0, 0};
    ModelMachine machine(config);
    RandomTraffic traffic(
        {.requests = 6000, .base = kModelBase, .lines = 1 << 16, .write_share = 0.1});
    EXPECT_EQ(run(traffic, *machine.engine, kModelLimit).status, RunStatus::Done);
    const Count counts = count(machine, 2);
    EXPECT_GT(counts.seen, 5000u);
    if (severe) {
      // Until the first response says so.
      EXPECT_LT(counts.issued, 200u);
      EXPECT_GT(counts.halted, counts.seen - 300);
    } else {
      EXPECT_GT(counts.issued, 800u);
      EXPECT_EQ(counts.halted, 0u);
    }
  }
}

TEST_P(PrefetchModel, CyclesSleptThroughChangeNothing) {
  std::size_t issued = 0;
  for (std::uint64_t seed = 1; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    RunConfig config = config_of(2, 512);
    config.root_port.ds = seed > 2;
    ModelMachine asleep(config), awake(config);
    for (const bool sleeps : {true, false}) {
      ModelMachine& machine = sleeps ? asleep : awake;
      Sleepless sleepless(*machine.engine, config.ports);
      RandomTraffic traffic({.seed = seed,
                             .requests = 1500,
                             .base = kModelBase,
                             .lines = 2048,
                             .idle_share = seed % 2 == 0 ? 0.8 : 0.99});
      Engine& engine = sleeps ? static_cast<Engine&>(*machine.engine) : sleepless;
      EXPECT_EQ(run(traffic, engine, kModelLimit).status, RunStatus::Done);
    }
    issued += asleep.log.issued().size();
    expect_same(asleep.log.events, awake.log.events);
  }
  EXPECT_GT(issued, 200u);
}

// What knows nothing predicts nothing; only best-offset begins with an offset of 1.
TEST_P(PrefetchModel, AWriteOfThePolicyRegisterForgets) {
  if (GetParam() == SrPolicy::BestOffset) return;
  for (const bool forgets : {false, true}) {
    ModelMachine machine(config_of(1, 1024), true, 6);
    stream(machine, 2048, [forgets](ModelEngine& engine) {
      const std::uint32_t policy = engine.read(RegisterSpace::RootPort, 0, regs::rp::kPolicy);
      if (forgets) engine.write(RegisterSpace::RootPort, 0, regs::rp::kPolicy, policy);
    });
    const std::uint64_t requested = count(machine, 1).requested;
    if (forgets) {
      EXPECT_EQ(requested, 0u);
    } else {
      EXPECT_GT(requested, 1000u);
    }
  }
}

}  // namespace
}  // namespace cxlgpu
