// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// retry_local in lockstep with its twin, in phases that reach every state: clean running, noise,
// lost acknowledgements (timeouts, exhaustion, PHY reinitialisation, ABORT).
#include "refmodel/controller/retry_local.hpp"

#include <set>

#include "Vretry_local.h"
#include "tests/controller/ports.hpp"
#include "tests/coverage/functional_groups.hpp"
#include "tests/coverage/pair_bins.hpp"

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

void count(PairBins& pairs, const RetryLocal::Out& now, const RetryLocal::In& in, bool last) {
  const bool good = in.flit_valid && !in.flit_bad;
  const bool awaited = in.ack_num_retry == now.num_retry;
  pairs.look(now.state, {in.flit_retryable, good && !in.flit_retryable && !in.ack_seq,
                         in.flit_valid && in.flit_bad, in.ack_seq && awaited,
                         in.ack_seq && !awaited, in.tx_flit && !in.req_sent && !last,
                         in.req_sent && !last, last, in.phy_done, in.start});
}

void drive(Vretry_local& rtl, const RetryLocal::In& in) {
  rtl.start_i = in.start;
  rtl.flit_valid_i = in.flit_valid;
  rtl.flit_bad_i = in.flit_bad;
  rtl.flit_retryable_i = in.flit_retryable;
  rtl.ack_seq_i = in.ack_seq;
  rtl.ack_num_retry_i = in.ack_num_retry;
  rtl.ack_empty_i = in.ack_empty;
  rtl.tx_flit_i = in.tx_flit;
  rtl.req_sent_i = in.req_sent;
  rtl.phy_done_i = in.phy_done;
  rtl.wrap_i = in.wrap;
}

void lockstep(bool inclusive, std::uint64_t seed) {
  TestCoverage counts(coverage::lrsm_events());
  PairBins pairs(coverage::lrsm_pairs());
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
  unsigned aborted = 0, waited = 0;  // waited: flits in LOCAL_IDLE
  while (run.next()) {
    const RetryLocal::Out now = twin.eval({});
    if (run.cycle() % 1500 == 0) phase = random.below(std::size(kPhases));
    // Long enough for NUM_RETRY and NUM_PHY_REINIT to run out, then for a timeout or two.
    if (run.cycle() % 60000 < 9000) phase = 4;
    if (run.cycle() % 60000 - 9000 < 16000) phase = 2;
    const bool waits =
        now.state == RetryLocal::State::kPhyReinit || now.state == RetryLocal::State::kAbort;
    RetryLocal::In in = random_in(random, waits ? kWaiting : kPhases[phase], now, wrap);
    if (now.state == RetryLocal::State::kAbort && ++aborted % 50 == 0) in.start = true;
    // Where nothing takes long: a start in any state, whatever comes with it.
    if (run.cycle() % 60000 >= 25000 && random.below(waits ? 20 : 200) == 0) in.start = true;
    if (in.start) wrap = random.pick(std::array{9u, 22u, 128u, 255u});
    in.wrap = wrap;
    drive(*rtl, in);
    rtl.settle();
    const RetryLocal::Out out = twin.eval(in);
    seen.insert(out.state);
    count(counts, twin, in);
    const bool idle = out.state == RetryLocal::State::kLocalIdle;
    if (!idle) waited = 0;
    count(pairs, out, in, idle && in.tx_flit && ++waited == limits.timeout);
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

// CXL 2.0, table 56: ESeq goes on where the error stopped it, also over the wrap, after a retry and
// after a Recovery that ten requests without an answer have led to.
TEST(RetryLocal, ESeqGoesOnAfterAnError) {
  for (const bool inclusive : {false, true}) {
    constexpr unsigned kWrap = 9;
    const unsigned numbers = inclusive ? kWrap + 1 : kWrap;
    for (const bool recovers : {false, true}) {
      for (const unsigned at : {0u, numbers - 2, numbers - 1}) {
        SCOPED_TRACE(testing::Message() << inclusive << ' ' << recovers << ' ' << at);
        Clocked<Vretry_local> rtl;
        rtl->inclusive_i = inclusive;
        rtl.reset();
        const auto cycle = [&](RetryLocal::In in) {
          in.wrap = kWrap;
          drive(*rtl, in);
          rtl.edge();
        };
        for (unsigned n = 0; n < at; ++n) cycle({.flit_valid = true, .flit_retryable = true});
        cycle({.flit_valid = true, .flit_bad = true});
        if (recovers) {
          for (unsigned n = 0; n < 10; ++n) {
            cycle({.tx_flit = true, .req_sent = true});
            for (unsigned flit = 0; flit < 4096; ++flit) cycle({.tx_flit = true});
          }
          cycle({});
          EXPECT_TRUE(rtl->phy_reinit_req_o);
          EXPECT_EQ(rtl->num_phy_reinit_o, 1);
          cycle({.phy_done = true});
        }
        cycle({.tx_flit = true, .req_sent = true});
        cycle({.flit_valid = true, .ack_seq = true, .ack_num_retry = 1});
        for (unsigned n = at; n < at + 2 * numbers; ++n) {
          EXPECT_EQ(rtl->eseq_o, n % numbers);
          cycle({.flit_valid = true, .flit_retryable = true});
        }
      }
    }
  }
}

// CXL 2.0, table 56, by hand: what comes in the very cycle in which the time-out runs out.
TEST(RetryLocal, LastFlitOfTheTimeOut) {
  using enum RetryLocal::State;
  PairBins pairs(coverage::lrsm_pairs());
  struct Case {
    RetryLocal::In in;
    RetryLocal::State state;
    unsigned num_retry;
  };
  for (const Case& c :
       {Case{{}, kLlrReq, 1}, Case{{.flit_valid = true, .flit_retryable = true}, kLlrReq, 1},
        Case{{.flit_valid = true}, kLlrReq, 1},
        Case{{.flit_valid = true, .flit_bad = true}, kLlrReq, 1},
        Case{{.flit_valid = true, .ack_seq = true, .ack_num_retry = 1}, kNormal, 1},
        Case{{.flit_valid = true, .ack_seq = true, .ack_num_retry = 2}, kLlrReq, 1},
        Case{{.phy_done = true}, kLlrReq, 0},
        Case{{.flit_valid = true, .flit_bad = true, .phy_done = true}, kLlrReq, 0},
        Case{{.start = true}, kNormal, 0}}) {
    Clocked<Vretry_local> rtl;
    rtl.reset();
    const auto cycle = [&](RetryLocal::In in) {
      in.wrap = 22;
      drive(*rtl, in);
      rtl.edge();
    };
    cycle({.flit_valid = true, .flit_bad = true});
    cycle({.tx_flit = true, .req_sent = true});
    for (unsigned n = 1; n < 4096; ++n) cycle({.tx_flit = true});
    ASSERT_EQ(rtl->state_o, static_cast<unsigned>(kLocalIdle));
    RetryLocal::In in = c.in;
    in.tx_flit = true;
    count(pairs, {.state = kLocalIdle, .num_retry = rtl->num_retry_o}, in, true);
    cycle(in);
    EXPECT_EQ(rtl->state_o, static_cast<unsigned>(c.state));
    EXPECT_EQ(rtl->num_retry_o, c.num_retry);
    EXPECT_EQ(rtl->eseq_o, 0);
  }
}

// Whatever comes in its cycle: a Recovery leaves ABORT as it is, a start ends it.
TEST(RetryLocal, OnlyAStartLeavesAbort) {
  using enum RetryLocal::State;
  PairBins pairs(coverage::lrsm_pairs());
  for (const RetryLocal::In& with : {RetryLocal::In{},
                                     {.flit_valid = true, .flit_retryable = true},
                                     {.flit_valid = true},
                                     {.flit_valid = true, .flit_bad = true},
                                     {.flit_valid = true, .ack_seq = true, .ack_num_retry = 10},
                                     {.flit_valid = true, .ack_seq = true, .ack_num_retry = 3},
                                     {.tx_flit = true},
                                     {.tx_flit = true, .req_sent = true}}) {
    Clocked<Vretry_local> rtl;
    rtl.reset();
    const auto cycle = [&](RetryLocal::In in) {
      in.wrap = 22;
      drive(*rtl, in);
      rtl.edge();
    };
    // Ten requests without a good flit between, ten Recoveries with ten more each.
    cycle({.flit_valid = true, .flit_retryable = true});
    for (unsigned recovery = 0; recovery <= 10; ++recovery) {
      for (unsigned n = recovery == 0 ? 1 : 2; n <= 10; ++n) {
        cycle({.flit_valid = true, .flit_bad = true});
        cycle({.tx_flit = true, .req_sent = true});
        EXPECT_EQ(rtl->num_retry_o, n);
        cycle({.flit_valid = true, .ack_seq = true, .ack_num_retry = n});
      }
      cycle({.flit_valid = true, .flit_bad = true});
      cycle({});
      if (recovery < 10) {
        EXPECT_EQ(rtl->state_o, static_cast<unsigned>(kPhyReinit));
        // LLRREQ with the count at 0: one request and its Ack, then nine as above.
        cycle({.phy_done = true});
        EXPECT_EQ(rtl->num_retry_o, 0);
        cycle({.tx_flit = true, .req_sent = true});
        cycle({.flit_valid = true, .ack_seq = true, .ack_num_retry = 1});
      }
    }
    EXPECT_EQ(rtl->state_o, static_cast<unsigned>(kAbort));
    for (const auto& [recovery, start] : {std::pair{false, false}, {true, false}, {true, true}}) {
      RetryLocal::In in = with;
      in.tx_flit = true;
      in.phy_done = recovery;
      in.start = start;
      count(pairs, {.state = kAbort, .num_retry = rtl->num_retry_o}, in, false);
      cycle(in);
      EXPECT_EQ(rtl->state_o, static_cast<unsigned>(start ? kNormal : kAbort));
    }
    EXPECT_EQ(rtl->eseq_o, 0);
    EXPECT_EQ(rtl->num_retry_o, 0);
  }
}

}  // namespace
}  // namespace cxlgpu::test
