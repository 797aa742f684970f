// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxl_controller with CXL.cache, host and device, in lockstep with its twin: random traffic of both
// protocols with stalls, latencies and errors, and the directed cases. Every output of both ends is
// compared in every cycle.
#include "Vcache_controller.h"
#include "tests/controller/cache_scenarios.hpp"
#include "tests/controller/control_scenarios.hpp"
#include "tests/controller/rtl_ends.hpp"
#include "tests/controller/viral_scenarios.hpp"
#include "tests/controller/wire_scenarios.hpp"

namespace cxlgpu::test {
namespace {

using RtlEnds = RtlEndsOf<Vcache_controller>;
using Source = RtlEnds::Source;
constexpr const char* kBlock = "controller/cache_controller";

// ------------------------------------------------------------------------------ random lockstep

// A new mix every few thousand cycles.
void random_mix(LinkHarness& h, Random& random, unsigned worst_ppm) {
  const auto percent = [&random] { return random.pick(std::array{0u, 5u, 30u, 100u}); };
  const auto link = [&random] { return random.pick(std::array{0u, 0u, 30u, 53u}); };
  const auto rx = [&random] { return random.pick(std::array{0u, 0u, 20u, 95u, 100u}); };
  const auto latency = [&random] { return static_cast<unsigned>(random.below(60)); };
  h.load.nd = {percent(), percent()};
  h.load.wd = {percent(), percent()};
  h.load.partial = percent();
  h.load.link_stall = {link(), link()};
  h.load.rx_stall = {rx(), rx()};
  h.load.flit_error_ppm = random.pick(std::array{0u, worst_ppm / 10, worst_ppm});
  h.load.viral_ppm = random.pick(std::array{0u, 200u, 2000u});
  for (CacheLoad& load : h.cache.load) {
    load = {{percent(), percent(), percent()}, {rx(), rx(), rx()}, percent()};
  }
  h.latency = {latency(), latency()};
  for (LinkControl& control : h.control) control.init_stall = control.crd_stall = false;
  h.control[1].mdh_disable = random.percent(30);
  h.load.control_ppm = random.pick(std::array{0u, 1000u, 5000u});
}

// Each RTL end talks to the other end's twin (Source::kTwin); the outputs are compared anyway, so
// the first difference stops the test.
void lockstep(std::uint64_t seed, unsigned worst_ppm) {
  Lockstep run(kBlock, seed);
  RtlEnds ends(run, Source::kTwin);
  LinkHarness h(ends, run);
  Random random(run.seed() + 1);
  const std::uint64_t cycles = from_environment("CXLGPU_CYCLES", 40000);
  while (h.ok() && run.cycle() < cycles) {
    random_mix(h, random, worst_ppm);
    h.steps(std::min(500 + random.below(3000), cycles - run.cycle()));
  }
  if (cycles < 40000 || !h.ok()) return;
  EXPECT_TRUE(h.initialised());
  const std::uint64_t share = cycles / (worst_ppm > 10000 ? 400 : 100);
  EXPECT_GT(h.delivered(), share);
  for (unsigned end = 0; end < 2; ++end) {
    for (const CacheChannel c : {kCreq, kCrsp, kCdat}) EXPECT_GT(h.cache.delivered(end, c), share);
  }
  EXPECT_GE(h.injected_errors(), worst_ppm / 200);
  for (unsigned end = 0; end < 2; ++end) {
    EXPECT_GT(h.announced(end), cycles / 10000) << scenario::side(end);
    EXPECT_GT(h.heard(end), cycles / 10000) << scenario::side(end);
  }
}

TEST(CacheController, LockstepClean) {
  lockstep(71, 0);
}
TEST(CacheController, LockstepNoisy) {
  lockstep(72, 2000);
}
TEST(CacheController, LockstepVeryNoisy) {
  lockstep(80, 50000);
}

// A protocol flit that no packer of ours sends: any formats, any messages, any credits.
Payload odd_flit(Random& random, unsigned wire) {
  Payload payload{};
  flits::FlitHeader header{.ak = random.percent(10),
                           .be = random.percent(20),
                           .sz = random.percent(90),
                           .rsp_crd = static_cast<std::uint8_t>(random.bits(4)),
                           .req_crd = static_cast<std::uint8_t>(random.bits(4)),
                           .data_crd = static_cast<std::uint8_t>(random.bits(4))};
  const auto direction = wire == 0 ? flits::Direction::M2S : flits::Direction::S2M;
  const unsigned data_percent = random.percent(20) ? 100 : 20;
  for (unsigned slot = 0; slot < 4; ++slot) {
    header.format[slot] = static_cast<std::uint8_t>(random.percent(40) ? 0 : random.bits(3));
    for (const auto& at : flits::slot_format(direction, slot, header.format[slot]).places()) {
      const bool data = flits::carries_data(at.kind);
      if (!random.percent(data ? data_percent : 70)) continue;
      or_slot(payload, slot, place_message(random_header(random), at));
    }
  }
  or_slot(payload, 0, flits::pack_header(header));
  return payload;
}

// Flits out of place, PHY pulses, flushes and link restarts in the middle of it: only the
// comparison counts. A flit of ours may not split a run of all-data flits.
void play_tricks(LinkHarness& h, const RtlEnds& ends, Random& random) {
  const auto wire = static_cast<unsigned>(random.bits(1));
  h.phy_done = {random.below(1000) == 0, random.below(1000) == 0};
  h.tx_flush = {random.below(40) == 0, random.below(40) == 0};
  const bool up = h.link_up[0] && h.link_up[1] ? random.below(3000) != 0 : random.percent(30);
  const auto end = static_cast<unsigned>(random.bits(1));
  if (up || random.bits(1) != 0) h.link_up = {up, up};
  if (!up) h.link_up[end] = false;
  const LinkLayer& receiver = ends.twin(1 - wire).link();
  if (!random.percent(8) || !h.wire_quiet(wire) || receiver.rx_owed() >= 4) return;
  for (auto n = 1 + random.below(3); n > 0; --n) {
    const Payload payload = odd_flit(random, wire);
    h.inject(wire, payload);
    LinkUnpacker ahead(wire == 1, true);
    ahead.clock({.start = false, .valid = true, .flit = payload});
    if (receiver.rx_owed() > 0 || ahead.owed() > 0) break;
  }
}

TEST(CacheController, LockstepWild) {
  Lockstep run(kBlock, 76);
  RtlEnds ends(run, Source::kTwin);
  LinkHarness h(ends, run);
  h.scoreboard = false;
  Random random(run.seed() + 1);
  const std::uint64_t cycles = from_environment("CXLGPU_CYCLES", 80000);
  unsigned errors = 0;
  while (h.ok() && run.cycle() < cycles) {
    if (run.cycle() % 2000 == 0) random_mix(h, random, 5000);
    play_tricks(h, ends, random);
    h.step();
    errors |= h.errors(0) | h.errors(1);
  }
  if (cycles < 80000) return;
  EXPECT_EQ(errors & (link_err::kOverflow | link_err::kProtocol),
            link_err::kOverflow | link_err::kProtocol);
}

// Receive queues that are full as a message comes without a credit, while one leaves and while
// credits come: in bursts, each on a new link, as an overflow may be its link's last event.
TEST(CacheController, LockstepOverflow) {
  Lockstep run(kBlock, 81);
  RtlEnds ends(run, Source::kTwin);
  LinkHarness h(ends, run);
  h.scoreboard = false;
  Random random(run.seed() + 1);
  const auto stall_receivers = [&h](unsigned percent) {
    h.load.rx_stall = {percent, percent};
    for (CacheLoad& load : h.cache.load) load.rx_stall = {percent, percent, percent};
  };
  const auto some = [&random] { return random.percent(60) ? 100u : 0u; };
  h.load.flit_error_ppm = h.load.viral_ppm = h.load.control_ppm = 0;
  unsigned errors = 0;
  const std::uint64_t cycles = from_environment("CXLGPU_CYCLES", 60000);
  while (h.ok() && run.cycle() < cycles) {
    h.link_up = {false, false};
    h.tx_flush = {true, true};
    h.steps(4);
    h.link_up = {true, true};
    h.load.nd = h.load.wd = {some(), some()};
    for (CacheLoad& load : h.cache.load) load.offer = {some(), some(), some()};
    stall_receivers(100);
    for (unsigned i = 0; i < 300; ++i) {
      h.tx_flush = {random.percent(3), random.percent(3)};
      h.step();
    }
    stall_receivers(random.pick(std::array{20u, 50u, 80u}));
    for (unsigned i = 0; i < 60; ++i) {
      const auto wire = static_cast<unsigned>(random.bits(1));
      const LinkLayer& receiver = ends.twin(1 - wire).link();
      if (random.percent(20) && h.wire_quiet(wire) && receiver.rx_owed() < 4) {
        h.inject(wire, odd_flit(random, wire));
      }
      h.tx_flush = {random.percent(10), random.percent(10)};
      h.step();
      errors |= h.errors(0) | h.errors(1);
    }
  }
  if (cycles < 60000) return;
  EXPECT_EQ(errors & link_err::kOverflow, link_err::kOverflow);
}

// ------------------------------------------------------------------------------- directed cases

class CacheControllerCases : public ::testing::TestWithParam<unsigned> {
 protected:
  Lockstep run{kBlock, 74};
  RtlEnds ends{run, Source::kRtl};
  unsigned end() const { return GetParam(); }
};

TEST_P(CacheControllerCases, ErrorInAdf) {
  scenario::error_in_adf(ends, run, end());
}
TEST_P(CacheControllerCases, ErrorInLastAdf) {
  scenario::error_in_last_adf(ends, run, end());
}
TEST_P(CacheControllerCases, LostAck) {
  scenario::lost_ack(ends, run, end(), false);
}
TEST_P(CacheControllerCases, RequestBehindReplayedAdf) {
  scenario::request_behind_replayed_adf(ends, run, end());
}
TEST_P(CacheControllerCases, IdleLatency) {
  scenario::idle_latency(ends, run, end(), false);
}
TEST_P(CacheControllerCases, IdleLatencyWithData) {
  scenario::idle_latency(ends, run, end(), true);
}
TEST_P(CacheControllerCases, Framing) {
  scenario::framing(ends, run, end());
}
TEST_P(CacheControllerCases, RecoveryUnasked) {
  scenario::recovery_unasked(ends, run, end());
}
TEST_P(CacheControllerCases, SecondInit) {
  scenario::second_init(ends, run, end());
}
TEST_P(CacheControllerCases, NeverAcknowledged) {
  scenario::never_acknowledged(ends, run, end());
}
TEST_P(CacheControllerCases, ReservedSlotCode) {
  scenario::reserved_slot_code(ends, run, end());
}
TEST_P(CacheControllerCases, ViralAtRest) {
  scenario::viral_at_rest(ends, run, end());
}
TEST_P(CacheControllerCases, CacheIdleLatency) {
  for (const CacheChannel channel : {kCreq, kCrsp, kCdat}) {
    Lockstep case_run(kBlock, 79);
    RtlEnds fresh(case_run, Source::kRtl);
    scenario::cache_idle_latency(fresh, case_run, end(), channel);
  }
}
TEST_P(CacheControllerCases, BlockedChannel) {
  for (const CacheChannel blocked : {kCreq, kCrsp, kCdat}) {
    Lockstep case_run(kBlock, 75);
    RtlEnds fresh(case_run, Source::kRtl);
    scenario::cache_blocked_channel(fresh, case_run, end(), blocked);
  }
}

TEST_P(CacheControllerCases, CreditStall) {
  scenario::credit_stall(ends, run, end());
}
TEST_P(CacheControllerCases, InitStall) {
  scenario::init_stall(ends, run, end());
}

INSTANTIATE_TEST_SUITE_P(Senders, CacheControllerCases, ::testing::Values(0u, 1u),
                         [](const auto& info) { return scenario::side(info.param); });

class CacheControllerPair : public ::testing::Test {
 protected:
  Lockstep run{kBlock, 77};
  RtlEnds ends{run, Source::kRtl};
};

// Two RTL controllers, a link with bit errors and the protocol checker on the wire.
TEST_F(CacheControllerPair, EndToEnd) {
  scenario::cache_end_to_end(ends, run, 1000, from_environment("CXLGPU_CYCLES", 30000));
}
TEST_F(CacheControllerPair, EndToEndClean) {
  scenario::cache_end_to_end(ends, run, 0, from_environment("CXLGPU_CYCLES", 30000) / 2);
}
TEST_F(CacheControllerPair, EndToEndAtConstantLatencies) {
  for (const unsigned latency : {1u, 10u, 100u, 400u}) {
    SCOPED_TRACE(::testing::Message() << "latency " << latency);
    Lockstep case_run(kBlock, 77 + latency);
    RtlEnds fresh(case_run, Source::kRtl);
    scenario::cache_end_to_end(fresh, case_run, 0, 8000, {latency, latency});
  }
}
TEST_F(CacheControllerPair, MemOnly) {
  scenario::end_to_end(ends, run, 1000, 60, from_environment("CXLGPU_CYCLES", 20000));
}
TEST_F(CacheControllerPair, NoStarvation) {
  scenario::cache_no_starvation(ends, run, 10000);
}
TEST_F(CacheControllerPair, SnoopBehindGo) {
  scenario::snoop_behind_go(ends, run);
}
TEST_F(CacheControllerPair, LlrbFull) {
  scenario::llrb_full(ends, run);
}
TEST_F(CacheControllerPair, Restart) {
  scenario::link_restart(ends, run);
}

}  // namespace
}  // namespace cxlgpu::test
