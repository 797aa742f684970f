// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// retry_buffer in lockstep with its twin: pushes up to the last entry but one, acknowledgements,
// requests for any sequence number still held, replays broken off by newer requests, Recoveries, a
// peer that acknowledges too much or asks for what is not held; resets, with and without a start
// after them.
#include "refmodel/controller/retry_buffer.hpp"

#include "Vretry_buffer.h"
#include "tests/common/requirement.hpp"
#include "tests/controller/ports.hpp"
#include "tests/coverage/functional_groups.hpp"
#include "tests/coverage/pair_bins.hpp"

namespace cxlgpu::test {
namespace {

constexpr unsigned kSmall = 22, kBig = 128;  // retry_buffer_tb.sv

// What the link layer may do in this state.
RetryBuffer::In random_in(Random& random, const RetryBuffer::Out& now, unsigned depth,
                          unsigned push_percent, unsigned ack_percent) {
  RetryBuffer::In in;
  const bool rare = now.llrack || now.replaying || now.num_free <= 1;
  in.start = random.below(rare ? 300 : 2000) == 0;
  const unsigned held = depth - now.num_free;
  if (held > 0 && random.percent(ack_percent)) in.ack = random.below(held + 1);
  // A peer that cannot count.
  const unsigned seldom = now.llrack && now.replaying ? 5 : 1;
  if (random.percent(seldom)) in.ack = held + random.below(256);
  in.phy_done = random.percent(seldom);
  in.req_seq = random.percent(3);
  // Any entry from the oldest unacknowledged one to WrPtr (nothing to replay).
  in.req_eseq = (now.wr_ptr + depth - random.below(held + 1)) % depth;
  if (random.percent(20)) in.req_eseq = random.bits(8);  // a peer that cannot count
  in.req_num_retry = random.bits(5);
  if (in.req_seq && random.below(30) == 0) in.start = true;
  if (now.llrack && random.percent(30)) {
    in.ack_sent = true;
    // What the pending request names is held until it is replayed: a real peer acknowledges nothing
    // after it, but what it took before may be acknowledged in this very cycle.
    const unsigned behind = (now.wr_ptr + depth - now.eseq_echo) % depth;
    in.ack = behind < held && random.percent(50) ? random.below(held - behind + 1) : 0;
    if (random.percent(3)) in.ack = held + 1 + random.below(200);  // a peer that cannot count
  } else if (now.replaying) {
    in.replay_take = random.percent(70);
  } else if (now.num_free > 1 && random.percent(push_percent)) {
    in.push = true;
    in.push_payload = random_payload(random);
    in.push_is_adf = random.percent(40);
  }
  return in;
}

void count(PairBins& pairs, unsigned depth, const RetryBuffer::In& in,
           const RetryBuffer::Out& out) {
  using enum coverage::LlrbFill;
  pairs.look(out.num_free == depth ? Empty
             : out.num_free > 1    ? Some
                                   : OneFree,
             {in.push, in.ack > 0 && !out.over_ack, out.over_ack, in.req_seq && !out.bad_req,
              out.bad_req, in.ack_sent, in.replay_take, in.phy_done, in.start});
}

void count(TestCoverage& counts, unsigned depth, const RetryBuffer::In& in,
           const RetryBuffer::Out& out) {
  using coverage::RrsmEvent;
  const unsigned state = (out.llrack ? 1 : 0) + (out.replaying ? 2 : 0);
  const unsigned fill = out.num_free == depth ? 0 : out.num_free > 1 ? 1 : 2;
  const auto hit = [&](bool happens, RrsmEvent event) {
    if (happens) counts.hit({state, fill, static_cast<unsigned>(event)});
  };
  hit(in.start, RrsmEvent::Start);
  if (in.start) return;
  hit(in.push && !in.push_is_adf, RrsmEvent::PushHeader);
  hit(in.push && in.push_is_adf, RrsmEvent::PushAdf);
  hit(in.ack > 0 && !out.over_ack, RrsmEvent::Acked);
  hit(out.over_ack, RrsmEvent::AckedTooMuch);
  hit(in.req_seq && !out.bad_req, RrsmEvent::Req);
  hit(in.ack_sent, RrsmEvent::AckSent);
  hit(in.replay_take, RrsmEvent::Replayed);
  hit(in.phy_done, RrsmEvent::PhyDone);
}

void lockstep(unsigned depth, std::uint64_t seed, std::uint64_t cycles) {
  TestCoverage counts(coverage::rrsm_events());
  PairBins pairs(coverage::llrb_pairs());
  Lockstep run("controller/retry_buffer", seed, cycles);
  Random random(run.seed());
  Clocked<Vretry_buffer> rtl;
  RetryBuffer twin(depth);
  rtl->is_big_i = depth == kBig;
  rtl.reset();
  unsigned push_percent = 50, ack_percent = 20;
  std::uint64_t replayed = 0, full = 0, refused = 0;
  while (run.next()) {
    if (run.cycle() % 200 == 0) {
      push_percent = random.pick(std::array{10u, 50u, 100u});
      ack_percent = random.pick(std::array{20u, 20u, 1u});  // the last fills the buffer
    }
    if (random.below(2000) == 0) {
      rtl.reset();
      twin = RetryBuffer(depth);
    }
    const RetryBuffer::In in = random_in(random, twin.eval(), depth, push_percent, ack_percent);
    const RetryBuffer::Out out = twin.eval(in);
    count(counts, depth, in, out);
    count(pairs, depth, in, out);
    rtl->start_i = in.start;
    rtl->push_i = in.push;
    set_line(rtl->push_payload_i, 0, in.push_payload);
    rtl->push_is_adf_i = in.push_is_adf;
    rtl->ack_i = in.ack;
    rtl->req_seq_i = in.req_seq;
    rtl->req_eseq_i = in.req_eseq;
    rtl->req_num_retry_i = in.req_num_retry;
    rtl->ack_sent_i = in.ack_sent;
    rtl->replay_take_i = in.replay_take;
    rtl->phy_done_i = in.phy_done;
    rtl.settle();
    run.check("wr_ptr_o", rtl->wr_ptr_o, out.wr_ptr);
    run.check("rd_ptr_o", rtl->rd_ptr_o, out.rd_ptr);
    run.check("num_free_o", rtl->num_free_o, out.num_free);
    run.check("over_ack_o", rtl->over_ack_o, out.over_ack);
    run.check("bad_req_o", rtl->bad_req_o, out.bad_req);
    run.check("llrack_o", rtl->llrack_o, out.llrack);
    run.check("replaying_o", rtl->replaying_o, out.replaying);
    if (out.llrack) {
      run.check("eseq_echo_o", rtl->eseq_echo_o, out.eseq_echo);
      run.check("num_retry_echo_o", rtl->num_retry_echo_o, out.num_retry_echo);
    }
    if (out.replaying) {
      run.check_bytes("replay_payload_o", get_line(rtl->replay_payload_o), out.replay_payload);
      run.check("replay_is_adf_o", rtl->replay_is_adf_o, out.replay_is_adf);
      ++replayed;
    }
    if (out.num_free == 1) ++full;
    if (out.bad_req) ++refused;
    rtl.edge();
    twin.clock(in);
  }
  if (run.cycle() > 50000) {
    EXPECT_GT(replayed, 1000u);
    EXPECT_GT(full, depth == kSmall ? 100u : 20u);
    EXPECT_GT(refused, 100u);
  }
}

TEST(RetryBuffer, Lockstep) {
  lockstep(kSmall, 4, 2000000);  // rare states meet rare inputs
}
TEST(RetryBuffer, LockstepOfTheProductsDepth) {
  lockstep(kBig, 5, 300000);
}

// RETRY.Req may name a flit that is held, or the next one to be sent. Anything else changes nothing
// and is told.
TEST(RetryBuffer, EseqOutOfRange) {
  test::shows("link", "A RETRY.Req for a flit that is not held is refused and reported",
              "CXL 2.0, 4.2.8.5 (retry)");
  Clocked<Vretry_buffer> rtl;
  rtl->is_big_i = 0;
  rtl.reset();
  // 30 flits sent, 25 of them acknowledged: WrPtr 8, held 3 to 7.
  for (unsigned n = 0; n < 30; ++n) {
    rtl->push_i = 1;
    rtl->ack_i = n >= 5 ? 1 : 0;
    rtl.edge();
  }
  rtl->push_i = rtl->ack_i = 0;
  ASSERT_EQ(rtl->wr_ptr_o, 8);
  ASSERT_EQ(rtl->num_free_o, 17);
  for (unsigned eseq = 0; eseq < 256; ++eseq) {
    const bool held = eseq >= 3 && eseq <= 8;
    rtl->req_seq_i = 1;
    rtl->req_eseq_i = eseq;
    rtl.settle();
    EXPECT_EQ(rtl->bad_req_o != 0, !held) << eseq;
    rtl.edge();
    rtl->req_seq_i = 0;
    rtl.settle();
    EXPECT_EQ(rtl->bad_req_o, 0) << eseq;
    EXPECT_EQ(rtl->llrack_o != 0, held) << eseq;
    if (!held) continue;
    EXPECT_EQ(rtl->eseq_echo_o, eseq);
    rtl->phy_done_i = 1;
    rtl.edge();
    rtl->phy_done_i = 0;
    rtl.settle();
  }
}

// A flit that is pushed while others are replayed comes after them. By hand, on both.
TEST(RetryBuffer, PushedWhileReplaying) {
  Clocked<Vretry_buffer> rtl;
  RetryBuffer twin(kSmall);
  rtl->is_big_i = 0;
  rtl.reset();
  const auto step = [&](RetryBuffer::In in, std::uint8_t flit = 0) {
    in.push_payload.fill(flit);
    rtl->push_i = in.push;
    set_line(rtl->push_payload_i, 0, in.push_payload);
    rtl->req_seq_i = in.req_seq;
    rtl->req_eseq_i = in.req_eseq;
    rtl->ack_sent_i = in.ack_sent;
    rtl->replay_take_i = in.replay_take;
    rtl.edge();
    twin.clock(in);
    rtl.settle();
  };
  for (std::uint8_t flit = 0; flit < 3; ++flit) step({.push = true}, flit);
  step({.req_seq = true, .req_eseq = 1});
  step({.ack_sent = true});
  step({.push = true}, 3);
  step({.push = true, .replay_take = true}, 4);
  for (std::uint8_t flit = 2; flit < 5; ++flit) {
    EXPECT_TRUE(rtl->replaying_o != 0 && twin.eval().replaying);
    EXPECT_EQ(rtl->rd_ptr_o, flit);
    EXPECT_EQ(twin.eval().rd_ptr, flit);
    EXPECT_EQ(get_line(rtl->replay_payload_o)[0], flit);
    EXPECT_EQ(twin.eval().replay_payload[0], flit);
    step({.replay_take = true});
  }
  EXPECT_FALSE(rtl->replaying_o != 0 || twin.eval().replaying);
}

}  // namespace
}  // namespace cxlgpu::test
