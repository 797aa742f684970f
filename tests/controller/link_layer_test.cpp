// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The link layer of the golden model on its own: host twin against device twin, without RTL. The
// same cases run in lockstep with the RTL in cxl_controller_test.cpp.
#include "refmodel/controller/link_layer.hpp"

#include "tests/controller/control_scenarios.hpp"
#include "tests/controller/mem_traffic.hpp"
#include "tests/controller/viral_scenarios.hpp"
#include "tests/controller/wire_scenarios.hpp"

namespace cxlgpu::test {
namespace {

class LinkLayerTwins : public ::testing::TestWithParam<unsigned> {
 protected:
  Lockstep run{"controller/link_layer", 21};
  Ends ends;
  unsigned end() const { return GetParam(); }
};

TEST_P(LinkLayerTwins, ErrorInAdf) {
  scenario::error_in_adf(ends, run, end());
}
TEST_P(LinkLayerTwins, ErrorInLastAdf) {
  scenario::error_in_last_adf(ends, run, end());
}
TEST_P(LinkLayerTwins, ErrorBeforeAdfRun) {
  scenario::error_before_adf_run(ends, run, end());
}
TEST_P(LinkLayerTwins, LostAck) {
  scenario::lost_ack(ends, run, end(), false);
}
TEST_P(LinkLayerTwins, LostFrameOfAck) {
  scenario::lost_ack(ends, run, end(), true);
}
TEST_P(LinkLayerTwins, StaleAck) {
  scenario::stale_ack(ends, run, end());
}
TEST_P(LinkLayerTwins, RequestBehindReplayedAdf) {
  scenario::request_behind_replayed_adf(ends, run, end());
}
TEST_P(LinkLayerTwins, Exhaustion) {
  scenario::exhaustion(ends, run, end(), 4096);
}
TEST_P(LinkLayerTwins, IdleLatency) {
  scenario::idle_latency(ends, run, end(), false);
}
TEST_P(LinkLayerTwins, IdleLatencyWithData) {
  scenario::idle_latency(ends, run, end(), true);
}
TEST_P(LinkLayerTwins, Framing) {
  scenario::framing(ends, run, end());
}
TEST_P(LinkLayerTwins, UnexpectedAck) {
  scenario::unexpected_ack(ends, run, end());
}
TEST_P(LinkLayerTwins, OverAck) {
  scenario::over_ack(ends, run, end());
}
TEST_P(LinkLayerTwins, NeverAcknowledged) {
  scenario::never_acknowledged(ends, run, end());
}
TEST_P(LinkLayerTwins, RecoveryCancelsAck) {
  scenario::recovery_cancels_ack(ends, run, end());
}
TEST_P(LinkLayerTwins, RecoveryUnasked) {
  scenario::recovery_unasked(ends, run, end());
}
TEST_P(LinkLayerTwins, SecondInit) {
  scenario::second_init(ends, run, end());
}
TEST_P(LinkLayerTwins, UnknownControl) {
  scenario::unknown_control(ends, run, end());
}
TEST_P(LinkLayerTwins, UnknownRetry) {
  scenario::unknown_retry(ends, run, end());
}
TEST_P(LinkLayerTwins, BentRetryFlit) {
  scenario::bent_retry_flit(ends, run, end());
}
TEST_P(LinkLayerTwins, ReservedSlotCode) {
  scenario::reserved_slot_code(ends, run, end());
}
TEST_P(LinkLayerTwins, NoisyBringUp) {
  for (unsigned seed = 40; seed < 60; ++seed) {
    Lockstep case_run("controller/link_layer", seed);
    Ends fresh;
    scenario::noisy_bring_up(fresh, case_run, end());
  }
}
TEST_P(LinkLayerTwins, BeforeInit) {
  scenario::before_init(ends, run, end());
}

TEST_P(LinkLayerTwins, ViralAtRest) {
  scenario::viral_at_rest(ends, run, end());
}
TEST_P(LinkLayerTwins, ViralInEveryKindOfFlit) {
  scenario::viral_in_every_kind(ends, run, end());
}
TEST_P(LinkLayerTwins, ViralLostInRecovery) {
  scenario::viral_lost_in_recovery(ends, run, end());
}
TEST_P(LinkLayerTwins, ViralOverRestart) {
  scenario::viral_over_restart(ends, run, end());
}
TEST_P(LinkLayerTwins, ViralAckOutOfPlace) {
  scenario::viral_ack_out_of_place(ends, run, end());
}

TEST_P(LinkLayerTwins, CreditStall) {
  scenario::credit_stall(ends, run, end());
}
TEST_P(LinkLayerTwins, InitStall) {
  scenario::init_stall(ends, run, end());
}
TEST_P(LinkLayerTwins, AckForce) {
  scenario::ack_force(ends, run, end());
}
TEST_P(LinkLayerTwins, Flush) {
  scenario::flush(ends, run, end());
}
TEST_P(LinkLayerTwins, TimerStandsStill) {
  scenario::timer_stands_still(ends, run, end());
}
TEST_P(LinkLayerTwins, StatusOfRetries) {
  scenario::status_of_retries(ends, run, end());
}

TEST_P(LinkLayerTwins, ErrorInRequest) {
  for (unsigned member = 0; member < 6; ++member) {
    Ends fresh;
    scenario::error_in_request(fresh, run, end(), member);
  }
}

TEST_P(LinkLayerTwins, Abort) {
  Ends short_timeout({.timeout = 200});
  scenario::abort(short_timeout, run, end(), 200);
}

INSTANTIATE_TEST_SUITE_P(Senders, LinkLayerTwins, ::testing::Values(0u, 1u),
                         [](const auto& info) { return scenario::side(info.param); });

TEST(LinkLayer, LlrbFull) {
  Lockstep run("controller/link_layer", 22);
  Ends ends;
  scenario::llrb_full(ends, run);
}

TEST(LinkLayer, ViralUnderTraffic) {
  for (const unsigned ppm : {0u, 2000u}) {
    Lockstep run("controller/link_layer", 28);
    Ends ends;
    scenario::viral_under_traffic(ends, run, ppm, 15000);
  }
}

TEST(LinkLayer, Restart) {
  Lockstep run("controller/link_layer", 23);
  Ends ends;
  scenario::link_restart(ends, run);
}

TEST(LinkLayer, StaleFlitAtStart) {
  Lockstep run("controller/link_layer", 27);
  Ends ends;
  scenario::stale_flit_at_start(ends, run);
}

TEST(LinkLayer, Overflow) {
  Lockstep run("controller/link_layer", 24);
  Ends ends;
  scenario::overflow(ends, run);
}

TEST(LinkLayer, EndToEnd) {
  for (const unsigned ppm : {0u, 1000u, 20000u}) {
    Lockstep run("controller/link_layer", 26);
    Ends ends;
    scenario::end_to_end(ends, run, ppm, 60, from_environment("CXLGPU_CYCLES", 200000) / 8);
  }
}

// Everything at once: every message arrives once, in order and unchanged, and all comes to rest.
TEST(LinkLayer, RandomTrafficWithErrors) {
  Lockstep run("controller/link_layer", 25);
  Ends ends;
  LinkHarness h(ends, run);
  for (const unsigned ppm : {0u, 1000u, 20000u, 100000u}) {
    h.load = {.nd = {60, 60}, .wd = {40, 40}, .link_stall = {20, 20}, .rx_stall = {20, 20}};
    h.load.flit_error_ppm = ppm;
    h.steps(from_environment("CXLGPU_CYCLES", 200000) / 8);
    h.load = {};
    EXPECT_TRUE(scenario::drain(h, 50000));
    scenario::expect_at_rest(h, ends);
  }
}

}  // namespace
}  // namespace cxlgpu::test
