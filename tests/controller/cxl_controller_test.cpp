// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxl_controller, host and device, in lockstep with its twin: random traffic with stalls, latencies
// and errors, and the directed cases. Every output of both ends is compared in every cycle.
#include "Vcxl_controller.h"
#include "tests/common/requirement.hpp"
#include "tests/controller/control_scenarios.hpp"
#include "tests/controller/mem_traffic.hpp"
#include "tests/controller/rtl_ends.hpp"
#include "tests/controller/viral_scenarios.hpp"
#include "tests/controller/wire_scenarios.hpp"

namespace cxlgpu::test {
namespace {

using RtlEnds = RtlEndsOf<Vcxl_controller>;
using Source = RtlEnds::Source;
constexpr const char* kBlock = "controller/cxl_controller";

// ------------------------------------------------------------------------------ random lockstep

// A new mix every few thousand cycles.
void random_mix(LinkHarness& h, Random& random, unsigned worst_ppm) {
  const auto percent = [&random] { return random.pick(std::array{0u, 5u, 30u, 100u}); };
  const auto link = [&random] { return random.pick(std::array{0u, 0u, 30u, 53u}); };
  const auto rx = [&random] { return random.pick(std::array{0u, 0u, 20u, 95u}); };
  const auto latency = [&random] { return static_cast<unsigned>(random.below(60)); };
  h.load.nd = {percent(), percent()};
  h.load.wd = {percent(), percent()};
  h.load.partial = percent();
  h.load.link_stall = {link(), link()};
  h.load.rx_stall = {rx(), rx()};
  h.load.flit_error_ppm = random.pick(std::array{0u, worst_ppm / 10, worst_ppm});
  h.load.viral_ppm = random.pick(std::array{0u, 200u, 2000u});
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
  const std::uint64_t cycles = from_environment("CXLGPU_CYCLES", 100000);
  while (h.ok() && run.cycle() < cycles) {
    random_mix(h, random, worst_ppm);
    h.steps(std::min(500 + random.below(3000), cycles - run.cycle()));
  }
  if (cycles < 50000 || !h.ok()) return;
  EXPECT_TRUE(h.initialised());
  EXPECT_GT(h.delivered(), cycles / (worst_ppm > 10000 ? 200 : 20));
  EXPECT_GE(h.injected_errors(), worst_ppm / 100);
  for (unsigned end = 0; end < 2; ++end) {
    EXPECT_GT(h.announced(end), cycles / 10000) << scenario::side(end);
    EXPECT_GT(h.heard(end), cycles / 10000) << scenario::side(end);
  }
}

TEST(CxlController, LockstepClean) {
  test::shows("link", "The RTL's controller is its twin in every cycle on a clean link",
              "docs/blocks/controller/cxl_controller.md");
  lockstep(11, 0);
}
TEST(CxlController, LockstepNoisy) {
  lockstep(12, 2000);
}
TEST(CxlController, LockstepVeryNoisy) {
  test::shows("link", "The RTL's controller is its twin in every cycle on a noisy link",
              "docs/blocks/controller/cxl_controller.md");
  lockstep(13, 50000);
}

// RETRY flits out of place, unknown control flits, PHY pulses and link restarts in the middle of
// it: only the comparison counts. A flit of ours may not split a run of all-data flits.
void play_tricks(LinkHarness& h, const RtlEnds& ends, Random& random) {
  const auto wire = static_cast<unsigned>(random.bits(1));
  h.phy_done = {random.below(500) == 0, random.below(500) == 0};
  h.tx_flush = {random.below(200) == 0, random.below(200) == 0};
  // Down for a few cycles on average, sometimes for one; mostly both ends, sometimes one.
  const bool up = h.link_up[0] && h.link_up[1] ? random.below(3000) != 0 : random.percent(30);
  const auto end = static_cast<unsigned>(random.bits(1));
  if (up || random.bits(1) != 0) h.link_up = {up, up};
  if (!up) h.link_up[end] = false;
  const LinkLayer& receiver = ends.twin(1 - wire).link();
  if (!random.percent(10) || !h.wire_quiet(wire) || receiver.rx_owed() >= 4) return;
  for (auto frames = random.below(8); frames > 0; --frames) {
    h.inject(wire, control_payload(flits::RetryFrame{}));
  }
  const auto same = static_cast<std::uint8_t>(receiver.local().num_retry);
  const auto any = static_cast<std::uint8_t>(random.bits(5));
  Payload payload = control_payload(
      flits::RetryAck{.viral = random.bits(1) != 0, .num_retry = random.percent(30) ? same : any});
  if (random.percent(30)) payload = control_payload(flits::RetryIdle{});
  // A Req for a flit that no buffer holds.
  const auto beyond = static_cast<std::uint8_t>(128 + random.below(128));
  if (random.percent(30)) payload = control_payload(flits::RetryReq{.eseq = beyond});
  if (random.percent(30))
    payload[4 + random.below(60)] ^= static_cast<std::uint8_t>(random.bits(8));
  const flits::Control control = read_control(payload);
  if (flits::is_retry(control) || std::holds_alternative<flits::UnknownControl>(control)) {
    h.inject(wire, payload);
  }
}

TEST(CxlController, LockstepWild) {
  Lockstep run(kBlock, 16);
  RtlEnds ends(run, Source::kTwin);
  LinkHarness h(ends, run);
  h.scoreboard = false;
  Random random(run.seed() + 1);
  const std::uint64_t cycles = from_environment("CXLGPU_CYCLES", 100000);
  while (h.ok() && run.cycle() < cycles) {
    if (run.cycle() % 2000 == 0) random_mix(h, random, 10000);
    play_tricks(h, ends, random);
    h.step();
  }
}

// A flit of a device that sends lines in halves: one, now and then whole lines in a slot of
// several data headers. Nobody gave it the credits.
Payload short_answer(Random& random) {
  flits::ProtocolFlit f;
  const bool mdh = random.percent(10);
  f.header.format[0] = mdh ? 5 : 3;
  f.header.sz = mdh ? random.percent(80) : random.percent(20);
  f.header.be = random.percent(5);
  flits::S2mDrs drs;
  drs.tag = random.percent(90) ? 7 : 8;
  drs.ld_id = random.percent(90) ? 0 : 1;
  drs.poison = random.percent(20);
  f.slots[0].messages = {drs};
  Payload payload = as_payload(flits::encode(flits::Direction::S2M, f));
  for (unsigned byte = 16; byte < 48; ++byte) {
    payload[byte] = static_cast<std::uint8_t>(random.bits(8));
  }
  return payload;
}

// Halves at the host, between completions, with and without room in its queue: only the comparison
// counts. What is left of a whole line is sent behind it.
TEST(CxlController, LockstepHalves) {
  Lockstep run(kBlock, 17);
  RtlEnds ends(run, Source::kTwin);
  LinkHarness h(ends, run);
  h.scoreboard = false;
  Random random(run.seed() + 1);
  h.load.nd = {0, 10};
  const std::uint64_t cycles = from_environment("CXLGPU_CYCLES", 100000);
  unsigned errors = 0;
  while (h.ok() && run.cycle() < cycles) {
    if (run.cycle() % 500 == 0) {
      h.load.rx_stall = {random.pick(std::array{0u, 0u, 50u, 100u}), 0};
      h.control[0].mdh_disable = random.percent(50);
      h.link_up = {random.percent(95), true};
      h.link_up[1] = h.link_up[0];
    }
    const LinkLayer& host = ends.twin(0).link();
    if (random.percent(20) && h.initialised() && h.wire_quiet(1)) {
      h.inject(1, host.rx_owed() > 0 ? random_payload(random) : short_answer(random));
    }
    h.step();
    errors |= h.out()[0].err;
  }
  if (cycles < 50000 || !h.ok()) return;
  EXPECT_EQ(errors & (link_err::kProtocol | link_err::kOverflow),
            link_err::kProtocol | link_err::kOverflow);
  EXPECT_GT(h.delivered(), cycles / 50);
}

// ------------------------------------------------------------------------------- errors upon
// errors

// Every kind of error in every state of both retry machines, under each kind of traffic: only the
// comparison counts.
class RetryStorm {
 public:
  RetryStorm(LinkHarness& h, const RtlEnds& ends, Random& random)
      : h_(h), ends_(ends), random_(random) {
    h_.scoreboard = false;
    h_.load.any_harm = true;
  }

  // Bit 0: requests, bit 1: data; what was offered before is gone.
  void offer(std::array<unsigned, 2> traffic) {
    h_.load.nd = h_.load.wd = {};
    h_.tx_flush = {true, true};
    h_.steps(40);
    h_.tx_flush = {};
    for (unsigned wire = 0; wire < 2; ++wire) {
      h_.load.nd[wire] = (traffic[wire] & 1) != 0 ? 100 : 0;
      h_.load.wd[wire] = (traffic[wire] & 2) != 0 ? 100 : 0;
    }
  }
  // Errors for a while; `recovery`: the PHY retrains at times, one a number of cycles.
  void rage(unsigned cycles, unsigned recovery) {
    for (unsigned i = 0; i < cycles && h_.ok(); ++i) {
      h_.phy_done = {};
      if (recovery != 0 && random_.below(recovery) == 0) retrain();
      bad_flit();
      stale_ack();
      h_.step();
    }
    h_.phy_done = {};
    h_.load.link_stall = {};
    stalled_.reset();
  }
  // Both ends are told in the next cycle, what is in flight is lost.
  void retrain() {
    h_.lose_wires();
    h_.phy_done = {true, true};
  }
  // Every Ack is lost until both ends are in this state.
  bool lose_acks(RetryLocal::State state, std::uint64_t limit) {
    h_.load.flit_error_ppm = 0;
    h_.on_flit = [this](WireFlit& f) {
      if (scenario::is<flits::RetryAck>(f)) f.harm(random_);
    };
    for (unsigned wire = 0; wire < 2; ++wire) {
      h_.inject_bad(wire, control_payload(flits::RetryIdle{}));
    }
    const auto reached = [&](unsigned end) {
      return ends_.twin(end).link().local().state == state;
    };
    const bool done = h_.until(
        [&] {
          // On the way to ABORT the PHY is retrained as often as it is asked for.
          for (unsigned end = 0; end < 2; ++end) {
            h_.phy_done[end] = state == RetryLocal::State::kAbort && h_.out()[end].phy_reinit_req;
          }
          return reached(0) && reached(1);
        },
        limit);
    h_.phy_done = {};
    h_.on_flit = nullptr;
    return done;
  }

 private:
  Payload any_flit() {
    switch (random_.below(6)) {
      case 0:
        return control_payload(flits::RetryFrame{});
      case 1:
        return control_payload(flits::RetryReq{.num_retry = 1});
      case 2:
        return control_payload(flits::RetryAck{.num_retry = 1});
      case 3:
        return control_payload(flits::Llcrd{.full_ack = 8});
      default:
        return random_payload(random_);
    }
  }
  void bad_flit() {
    if (!random_.percent(10)) return;
    const auto wire = static_cast<unsigned>(random_.bits(1));
    if (random_.percent(15)) return h_.inject_inverted(wire, any_flit());
    h_.inject_bad(wire, any_flit());
  }
  // A framed RETRY.Ack that nobody waits for, on a wire that is kept quiet for it: it may not split
  // a run of all-data flits.
  void stale_ack() {
    if (!stalled_) {
      if (random_.below(30) != 0) return;
      stalled_ = static_cast<unsigned>(random_.bits(1));
      wait_ = static_cast<unsigned>(random_.below(60));
      // Its receiver may have an Ack of its own to send, which then waits.
      h_.load.link_stall[1 - *stalled_] = random_.percent(70) ? 100 : 0;
      return;
    }
    if (wait_ > 0) {
      --wait_;
      return;
    }
    h_.load.link_stall[*stalled_] = 100;
    const unsigned wire = *stalled_;
    if (!h_.wire_quiet(wire)) return;
    const LinkLayer& receiver = ends_.twin(1 - wire).link();
    const RetryLocal::Out local = receiver.local();
    if (local.state != RetryLocal::State::kNormal || receiver.rx_owed() < 4) {
      for (unsigned i = 0; i < 5; ++i) h_.inject(wire, control_payload(flits::RetryFrame{}));
      const auto other = static_cast<std::uint8_t>((local.num_retry + 1 + random_.below(31)) % 32);
      h_.inject(wire, control_payload(flits::RetryAck{.num_retry = other}));
    }
    for (unsigned& stall : h_.load.link_stall) stall = random_.pick(std::array{0u, 0u, 30u});
    stalled_.reset();
  }

  LinkHarness& h_;
  const RtlEnds& ends_;
  Random& random_;
  std::optional<unsigned> stalled_;  // wire
  unsigned wait_ = 0;                // cycles before it is
};

TEST(CxlController, LockstepRetryStorm) {
  const std::uint64_t cycles = from_environment("CXLGPU_CYCLES", 300000);
  Lockstep run(kBlock, 17);
  RtlEnds ends(run, Source::kTwin);
  LinkHarness h(ends, run);
  Random random(run.seed() + 1);
  RetryStorm storm(h, ends, random);
  while (h.ok() && run.cycle() < cycles) {
    h.load.flit_error_ppm = random.pick(std::array{0u, 20000u, 100000u, 400000u});
    h.load.viral_ppm = random.pick(std::array{0u, 2000u});
    const auto latency = [&random] { return static_cast<unsigned>(random.below(20)); };
    h.latency = {latency(), latency()};
    const auto traffic = [&random] { return static_cast<unsigned>(random.bits(2)); };
    storm.offer({traffic(), traffic()});
    storm.rage(400, random.pick(std::array{0u, 30u, 300u}));
  }
}

// The same where failed retries end: both ends wait for their PHY, and at last give up.
void storm_at_the_end(RetryLocal::State state, std::uint64_t limit, unsigned rounds) {
  const std::uint64_t cycles = rounds * (limit + 5000);
  if (from_environment("CXLGPU_CYCLES", cycles) < cycles) {
    GTEST_SKIP() << "needs CXLGPU_CYCLES=" << cycles;
  }
  Lockstep run(kBlock, 18);
  RtlEnds ends(run, Source::kTwin);
  LinkHarness h(ends, run);
  Random random(run.seed() + 1);
  RetryStorm storm(h, ends, random);
  ASSERT_TRUE(h.until([&] { return h.initialised(); }, scenario::kSoon));
  for (unsigned round = 0; round < rounds; ++round) {
    ASSERT_TRUE(storm.lose_acks(state, limit));
    for (unsigned traffic = 0; traffic < 4; ++traffic) {
      storm.offer({traffic, traffic});
      storm.rage(800, 0);
      EXPECT_EQ(ends.twin(0).link().local().state, state);
      EXPECT_EQ(ends.twin(1).link().local().state, state);
    }
    // The PHY comes back under two kinds of traffic a round.
    for (unsigned half = 0; half < 2; ++half) {
      if (half == 1 && state != RetryLocal::State::kAbort) break;
      storm.offer({2 * (round ^ half), 2 * (round ^ half) + 1});
      h.steps(40);
      storm.retrain();
      h.step();
      h.phy_done = {};
    }
    h.steps(100);
  }
}

TEST(CxlController, LockstepStormInPhyReinit) {
  storm_at_the_end(RetryLocal::State::kPhyReinit, 60000, 2);
}
TEST(CxlController, LockstepStormInAbort) {
  storm_at_the_end(RetryLocal::State::kAbort, 600000, 1);
}

// ------------------------------------------------------------------------------- directed cases

class CxlControllerCases : public ::testing::TestWithParam<unsigned> {
 protected:
  Lockstep run{kBlock, 14};
  RtlEnds ends{run, Source::kRtl};
  unsigned end() const { return GetParam(); }
};

TEST_P(CxlControllerCases, ErrorInAdf) {
  test::shows("link", "A damaged all-data flit is replayed and no data are lost",
              "CXL 2.0, 4.2.8 (retry)");
  scenario::error_in_adf(ends, run, end());
}
TEST_P(CxlControllerCases, ErrorInLastAdf) {
  scenario::error_in_last_adf(ends, run, end());
}
TEST_P(CxlControllerCases, ErrorBeforeAdfRun) {
  scenario::error_before_adf_run(ends, run, end());
}
TEST_P(CxlControllerCases, LostAck) {
  test::shows("link", "A lost RETRY.Ack is requested again", "CXL 2.0, 4.2.8.5 (retry)");
  scenario::lost_ack(ends, run, end(), false);
}
TEST_P(CxlControllerCases, LostFrameOfAck) {
  scenario::lost_ack(ends, run, end(), true);
}
TEST_P(CxlControllerCases, StaleAck) {
  scenario::stale_ack(ends, run, end());
}
TEST_P(CxlControllerCases, RequestBehindReplayedAdf) {
  scenario::request_behind_replayed_adf(ends, run, end());
}
TEST_P(CxlControllerCases, ErrorInFrameOfRequest) {
  scenario::error_in_request(ends, run, end(), 2);
}
TEST_P(CxlControllerCases, ErrorInRequest) {
  scenario::error_in_request(ends, run, end(), 5);
}
TEST_P(CxlControllerCases, Exhaustion) {
  test::shows("link", "Retries that do not succeed end in a request to retrain the link",
              "CXL 2.0, 4.2.8.5 (retry)");
  scenario::exhaustion(ends, run, end(), 4096);
}
TEST_P(CxlControllerCases, IdleLatency) {
  scenario::idle_latency(ends, run, end(), false);
}
TEST_P(CxlControllerCases, IdleLatencyWithData) {
  scenario::idle_latency(ends, run, end(), true);
}
TEST_P(CxlControllerCases, Framing) {
  scenario::framing(ends, run, end());
}
TEST_P(CxlControllerCases, UnexpectedAck) {
  scenario::unexpected_ack(ends, run, end());
}
TEST_P(CxlControllerCases, OverAck) {
  scenario::over_ack(ends, run, end());
}
TEST_P(CxlControllerCases, NeverAcknowledged) {
  scenario::never_acknowledged(ends, run, end());
}
TEST_P(CxlControllerCases, RecoveryCancelsAck) {
  scenario::recovery_cancels_ack(ends, run, end());
}
TEST_P(CxlControllerCases, RecoveryUnasked) {
  scenario::recovery_unasked(ends, run, end());
}
TEST_P(CxlControllerCases, SecondInit) {
  scenario::second_init(ends, run, end());
}
TEST_P(CxlControllerCases, SecondInitInData) {
  scenario::second_init_in_data(ends, run, end());
}
TEST_P(CxlControllerCases, UnknownControl) {
  scenario::unknown_control(ends, run, end());
}
TEST_P(CxlControllerCases, UnknownRetry) {
  scenario::unknown_retry(ends, run, end());
}
TEST_P(CxlControllerCases, BentRetryFlit) {
  scenario::bent_retry_flit(ends, run, end());
}
TEST_P(CxlControllerCases, ReservedSlotCode) {
  scenario::reserved_slot_code(ends, run, end());
}
TEST_P(CxlControllerCases, NoisyBringUp) {
  for (unsigned seed = 40; seed < 60; ++seed) {
    Lockstep case_run("controller/cxl_controller", seed);
    RtlEnds fresh(case_run, Source::kRtl);
    scenario::noisy_bring_up(fresh, case_run, end());
  }
}
TEST_P(CxlControllerCases, BeforeInit) {
  scenario::before_init(ends, run, end());
}

TEST_P(CxlControllerCases, ViralAtRest) {
  scenario::viral_at_rest(ends, run, end());
}
TEST_P(CxlControllerCases, ViralInEveryKindOfFlit) {
  scenario::viral_in_every_kind(ends, run, end());
}
TEST_P(CxlControllerCases, ViralLostInRecovery) {
  scenario::viral_lost_in_recovery(ends, run, end());
}
TEST_P(CxlControllerCases, ViralOverRestart) {
  scenario::viral_over_restart(ends, run, end());
}
TEST_P(CxlControllerCases, ViralAckOutOfPlace) {
  scenario::viral_ack_out_of_place(ends, run, end());
}

TEST_P(CxlControllerCases, CreditStall) {
  test::shows("link", "Without credits nothing is sent, and nothing is lost when they come",
              "CXL 2.0, 4.2.2, 4.2.7 (credits)");
  scenario::credit_stall(ends, run, end());
}
TEST_P(CxlControllerCases, FullQueue) {
  scenario::full_queue(ends, run, end());
}
TEST_P(CxlControllerCases, InitStall) {
  scenario::init_stall(ends, run, end());
}
TEST_P(CxlControllerCases, AckForce) {
  scenario::ack_force(ends, run, end());
}
TEST_P(CxlControllerCases, Flush) {
  scenario::flush(ends, run, end());
}
TEST_P(CxlControllerCases, TimerStandsStill) {
  scenario::timer_stands_still(ends, run, end());
}
TEST_P(CxlControllerCases, StatusOfRetries) {
  scenario::status_of_retries(ends, run, end());
}

// ABORT takes 110 timeouts of 4096 flits: only in long runs (the machine itself reaches it in
// retry_local_test).
TEST_P(CxlControllerCases, Abort) {
  if (from_environment("CXLGPU_CYCLES", 0) < 500000) GTEST_SKIP() << "needs CXLGPU_CYCLES=500000";
  scenario::abort(ends, run, end(), 4096);
}

INSTANTIATE_TEST_SUITE_P(Senders, CxlControllerCases, ::testing::Values(0u, 1u),
                         [](const auto& info) { return scenario::side(info.param); });

class CxlControllerPair : public ::testing::Test {
 protected:
  Lockstep run{kBlock, 15};
  RtlEnds ends{run, Source::kRtl};
};

// Two RTL controllers, a link with bit errors (1e-3 per flit) and the protocol checker on the wire.
TEST_F(CxlControllerPair, EndToEnd) {
  test::shows("link", "Over a link with errors every message arrives once, whole and in order",
              "CXL 2.0, 4.2.8 (retry)");
  scenario::end_to_end(ends, run, 1000, 60, from_environment("CXLGPU_CYCLES", 80000));
}
TEST_F(CxlControllerPair, EndToEndClean) {
  scenario::end_to_end(ends, run, 0, 80, from_environment("CXLGPU_CYCLES", 80000) / 4);
}

// Wires of one length, which random latencies never are for long: nothing swings in step for good.
TEST_F(CxlControllerPair, EndToEndAtConstantLatencies) {
  for (const unsigned latency : {1u, 10u, 100u, 400u}) {
    for (const unsigned percent : {5u, 100u}) {
      SCOPED_TRACE(::testing::Message() << "latency " << latency << " load " << percent);
      Lockstep case_run(kBlock, 15 + latency);
      RtlEnds fresh(case_run, Source::kRtl);
      scenario::end_to_end(fresh, case_run, 5000, percent, 8000, 0, {latency, latency});
    }
  }
}

// Settings change at any time: the wire stays legal, nothing is lost, all comes to rest.
TEST_F(CxlControllerPair, EndToEndWithChangingControl) {
  scenario::end_to_end(ends, run, 500, 60, from_environment("CXLGPU_CYCLES", 80000) / 2, 5000);
}

TEST_F(CxlControllerPair, ViralUnderTraffic) {
  scenario::viral_under_traffic(ends, run, 0, 5000);
}
TEST_F(CxlControllerPair, ViralUnderTrafficWithErrors) {
  scenario::viral_under_traffic(ends, run, 2000, 15000);
}

TEST_F(CxlControllerPair, LlrbFull) {
  test::shows("link", "A full retry buffer stops the sender until acknowledgements come",
              "CXL 2.0, 4.2.8 (retry)");
  scenario::llrb_full(ends, run);
}
TEST_F(CxlControllerPair, Restart) {
  scenario::link_restart(ends, run);
}
TEST_F(CxlControllerPair, StaleFlitAtStart) {
  scenario::stale_flit_at_start(ends, run);
}
TEST_F(CxlControllerPair, Overflow) {
  scenario::overflow(ends, run);
}

}  // namespace
}  // namespace cxlgpu::test
