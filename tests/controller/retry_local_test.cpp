// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// retry_local in lockstep with its twin, in phases that reach every state: clean running, noise,
// lost acknowledgements (timeouts, exhaustion, PHY reinitialisation, ABORT).
#include "refmodel/controller/retry_local.hpp"

#include <set>

#include "Vretry_local.h"
#include "tests/controller/ports.hpp"
#include "tests/coverage/functional_groups.hpp"
#include "tests/coverage/functional_gtest.hpp"

namespace cxlgpu::test {
namespace {

struct Phase {
  unsigned bad, ack, ack_match, tx, req_sent, phy_done, start_permille;
  unsigned recovery_permille = 0;  // a Recovery that this end did not ask for
};
constexpr Phase kPhases[] = {
    {1, 20, 80, 80, 20, 10, 1, 3},    // clean
    {20, 20, 50, 80, 50, 50, 9, 30},  // noisy
    {50, 0, 0, 100, 100, 100, 0},     // no answer: timeouts
    {50, 5, 0, 100, 100, 30, 0},      // stale answers only
    {90, 50, 100, 90, 100, 90, 0},    // quick answers, never a good flit: NUM_RETRY runs out
};

// In the states that wait for somebody else, everything else too.
constexpr Phase kWaiting{30, 40, 50, 80, 50, 5, 20, 50};

RetryLocal::In random_in(Random& random, const Phase& phase, const RetryLocal::Out& now,
                         unsigned wrap) {
  RetryLocal::In in{.wrap = wrap};
  in.start = random.below(1000) < phase.start_permille && random.percent(30);
  in.flit_valid = random.percent(70);
  in.flit_bad = in.flit_valid && random.percent(phase.bad);
  const bool good = in.flit_valid && !in.flit_bad;
  in.ack_seq = good && random.percent(phase.ack);
  in.flit_retryable = good && !in.ack_seq && phase.bad < 90 && random.percent(50);
  in.ack_num_retry = random.percent(phase.ack_match) ? now.num_retry : random.bits(5);
  in.ack_empty = phase.bad < 90 && random.percent(20);
  in.tx_flit = random.percent(phase.tx);
  in.req_sent = in.tx_flit && random.percent(phase.req_sent);
  const bool asked = now.state == RetryLocal::State::kPhyReinit;
  in.phy_done =
      asked ? random.percent(phase.phy_done) : random.below(1000) < phase.recovery_permille;
  return in;
}

void count(TestCoverage& counts, const RetryLocal& twin, const RetryLocal::In& in) {
  using coverage::LrsmEvent;
  const RetryLocal::Out now = twin.eval(in);
  const auto hit = [&](bool happens, LrsmEvent event) {
    if (happens) counts.hit({static_cast<unsigned>(now.state), static_cast<unsigned>(event)});
  };
  hit(in.start, LrsmEvent::Start);
  if (in.start) return;  // wins over all
  const bool awaited = in.ack_num_retry == now.num_retry;
  hit(in.flit_retryable, LrsmEvent::Retryable);
  hit(in.flit_valid && !in.flit_bad && !in.flit_retryable, LrsmEvent::NotRetryable);
  hit(in.flit_valid && in.flit_bad, LrsmEvent::Bad);
  hit(in.ack_seq && awaited && !in.ack_empty, LrsmEvent::AckAwaited);
  hit(in.ack_seq && awaited && in.ack_empty, LrsmEvent::AckEmpty);
  hit(in.ack_seq && !awaited, LrsmEvent::AckOther);
  hit(in.tx_flit, LrsmEvent::TxFlit);
  hit(in.req_sent, LrsmEvent::ReqSent);
  hit(in.phy_done, LrsmEvent::PhyDone);
  hit(twin.exhausted(), LrsmEvent::Exhausted);
}

void lockstep(bool inclusive, std::uint64_t seed) {
  TestCoverage counts(coverage::lrsm_events());
  Lockstep run("controller/retry_local", seed);
  Random random(run.seed());
  Clocked<Vretry_local> rtl;
  const RetryLocal::Limits limits{.wrap_inclusive = inclusive};
  RetryLocal twin(limits);
  rtl->inclusive_i = inclusive;
  rtl.reset();
  std::set<RetryLocal::State> seen;
  std::size_t phase = 0;
  unsigned wrap = 9;
  unsigned aborted = 0;
  while (run.next()) {
    const RetryLocal::Out now = twin.eval({});
    if (run.cycle() % 1500 == 0) phase = random.below(std::size(kPhases));
    // Long enough for NUM_RETRY and NUM_PHY_REINIT to run out, then for a timeout or two.
    if (run.cycle() % 60000 < 5000) phase = 4;
    if (run.cycle() % 60000 - 5000 < 20000) phase = 2;
    const bool waits =
        now.state == RetryLocal::State::kPhyReinit || now.state == RetryLocal::State::kAbort;
    RetryLocal::In in = random_in(random, waits ? kWaiting : kPhases[phase], now, wrap);
    if (now.state == RetryLocal::State::kAbort && ++aborted % 50 == 0) in.start = true;
    if (in.start) wrap = random.pick(std::array{9u, 22u, 128u, 255u});
    in.wrap = wrap;
    rtl->start_i = in.start;
    rtl->flit_valid_i = in.flit_valid;
    rtl->flit_bad_i = in.flit_bad;
    rtl->flit_retryable_i = in.flit_retryable;
    rtl->ack_seq_i = in.ack_seq;
    rtl->ack_num_retry_i = in.ack_num_retry;
    rtl->ack_empty_i = in.ack_empty;
    rtl->tx_flit_i = in.tx_flit;
    rtl->req_sent_i = in.req_sent;
    rtl->phy_done_i = in.phy_done;
    rtl->wrap_i = in.wrap;
    rtl.settle();
    const RetryLocal::Out out = twin.eval(in);
    seen.insert(out.state);
    count(counts, twin, in);
    run.check("state_o", rtl->state_o, static_cast<unsigned>(out.state));
    run.check("eseq_o", rtl->eseq_o, out.eseq);
    run.check("num_retry_o", rtl->num_retry_o, out.num_retry);
    run.check("num_phy_reinit_o", rtl->num_phy_reinit_o, out.num_phy_reinit);
    run.check("phy_reinit_req_o", rtl->phy_reinit_req_o, out.phy_reinit_req);
    run.check("accept_o", rtl->accept_o, out.accept);
    rtl.edge();
    twin.clock(in);
    // In whatever state it is, but for the long ways to Abort and to a timeout.
    if (run.cycle() % 60000 >= 25000 && random.below(500) == 0) {
      rtl.reset();
      twin = RetryLocal(limits);
    }
  }
  if (run.cycle() > 100000) {
    EXPECT_EQ(seen.size(), 5u) << "not every state was reached";
  }
}

TEST(RetryLocal, Lockstep) {
  lockstep(false, 3);
}
TEST(RetryLocal, LockstepWrapInclusive) {
  lockstep(true, 33);
}

// ESeq after each good retryable flit, by hand: 0..wrap-1, or 0..wrap.
TEST(RetryLocal, WrapBothWays) {
  for (const bool inclusive : {false, true}) {
    for (const unsigned wrap : {9u, 22u, 40u, 128u, 255u}) {
      Clocked<Vretry_local> rtl;
      rtl->inclusive_i = inclusive;
      rtl->wrap_i = wrap;
      rtl.reset();
      const unsigned numbers = inclusive ? wrap + 1 : wrap;
      rtl->flit_valid_i = rtl->flit_retryable_i = 1;
      for (unsigned n = 0; n < 2 * numbers + 3; ++n) {
        EXPECT_EQ(rtl->eseq_o, n % numbers) << inclusive << ' ' << wrap;
        rtl.edge();
      }
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test
