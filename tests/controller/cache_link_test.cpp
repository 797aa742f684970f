// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The controller of the golden model with CXL.cache, host twin against device twin, without RTL.
// The same cases run in lockstep with the RTL in cache_controller_test.cpp.
#include "tests/controller/cache_scenarios.hpp"
#include "tests/controller/wire_scenarios.hpp"

namespace cxlgpu::test {
namespace {

constexpr const char* kBlock = "controller/cache_link";

struct CacheEnds : Ends {
  explicit CacheEnds(const RetryLocal::Limits& limits = {}) : Ends(limits, true) {}
};

TEST(CacheLink, EndToEnd) {
  for (const unsigned ppm : {0u, 1000u, 20000u}) {
    Lockstep run(kBlock, 61);
    CacheEnds ends;
    scenario::cache_end_to_end(ends, run, ppm, from_environment("CXLGPU_CYCLES", 200000) / 8);
  }
}
TEST(CacheLink, NoStarvation) {
  Lockstep run(kBlock, 62);
  CacheEnds ends;
  scenario::cache_no_starvation(ends, run, 20000);
}
TEST(CacheLink, SnoopBehindGo) {
  Lockstep run(kBlock, 63);
  CacheEnds ends;
  scenario::snoop_behind_go(ends, run);
}
TEST(CacheLink, BlockedChannel) {
  for (unsigned receiver = 0; receiver < 2; ++receiver) {
    for (const CacheChannel blocked : {kCreq, kCrsp, kCdat}) {
      Lockstep run(kBlock, 64);
      CacheEnds ends;
      scenario::cache_blocked_channel(ends, run, receiver, blocked);
    }
  }
}
TEST(CacheLink, IdleLatency) {
  for (unsigned sender = 0; sender < 2; ++sender) {
    for (const CacheChannel channel : {kCreq, kCrsp, kCdat}) {
      Lockstep run(kBlock, 69);
      CacheEnds ends;
      scenario::cache_idle_latency(ends, run, sender, channel);
    }
  }
}
// CXL.mem alone still does what it did.
TEST(CacheLink, MemOnly) {
  for (const unsigned ppm : {0u, 20000u}) {
    Lockstep run(kBlock, 65);
    CacheEnds ends;
    scenario::end_to_end(ends, run, ppm, 60, from_environment("CXLGPU_CYCLES", 200000) / 8);
  }
}

class CacheLinkCases : public ::testing::TestWithParam<unsigned> {
 protected:
  Lockstep run{kBlock, 66};
  CacheEnds ends;
  unsigned end() const { return GetParam(); }
};

TEST_P(CacheLinkCases, ErrorInAdf) {
  scenario::error_in_adf(ends, run, end());
}
TEST_P(CacheLinkCases, LostAck) {
  scenario::lost_ack(ends, run, end(), false);
}
TEST_P(CacheLinkCases, RequestBehindReplayedAdf) {
  scenario::request_behind_replayed_adf(ends, run, end());
}
TEST_P(CacheLinkCases, IdleLatency) {
  scenario::idle_latency(ends, run, end(), false);
}
TEST_P(CacheLinkCases, Framing) {
  scenario::framing(ends, run, end());
}
TEST_P(CacheLinkCases, RecoveryUnasked) {
  scenario::recovery_unasked(ends, run, end());
}
TEST_P(CacheLinkCases, SecondInit) {
  scenario::second_init(ends, run, end());
}
TEST_P(CacheLinkCases, ReservedSlotCode) {
  scenario::reserved_slot_code(ends, run, end());
}
TEST_P(CacheLinkCases, BeforeInit) {
  scenario::before_init(ends, run, end());
}
INSTANTIATE_TEST_SUITE_P(Senders, CacheLinkCases, ::testing::Values(0u, 1u),
                         [](const auto& info) { return scenario::side(info.param); });

// Everything at once: every message arrives once, in order and unchanged, and all comes to rest.
TEST(CacheLink, RandomTrafficWithErrors) {
  Lockstep run(kBlock, 67);
  CacheEnds ends;
  LinkHarness h(ends, run);
  for (const unsigned ppm : {0u, 1000u, 20000u, 100000u}) {
    h.load = {.nd = {40, 40}, .wd = {20, 20}, .link_stall = {20, 20}, .rx_stall = {20, 20}};
    for (CacheLoad& load : h.cache.load) load = {{40, 40, 20}, {20, 20, 20}, 30};
    h.load.flit_error_ppm = ppm;
    h.steps(from_environment("CXLGPU_CYCLES", 200000) / 16);
    h.load = {};
    h.cache.load = {};
    EXPECT_TRUE(scenario::drain(h, 50000));
    scenario::expect_at_rest(h, ends);
  }
}
TEST(CacheLink, Restart) {
  Lockstep run(kBlock, 68);
  CacheEnds ends;
  scenario::link_restart(ends, run);
}

}  // namespace
}  // namespace cxlgpu::test
