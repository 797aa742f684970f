// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Directed cases of link_control_t and link_status_t, for any pair of ends.
//
// Purpose: what stalls, acknowledgement force and flush do to the link, and what the status shows.
//          For twins and RTL alike (the RTL's status is compared with the twin's in every cycle).
// Units:   cycles; `end` is the end whose settings are changed (0 host), wires as in
//          link_harness.hpp.
// Errors:  GoogleTest failures.
#pragma once

#include <vector>

#include "tests/controller/link_scenarios.hpp"

namespace cxlgpu::test::scenario {

inline LinkStatus status(const LinkHarness& h, const Ends& ends, unsigned end) {
  return ends.twin(end).link().status(h.control[end]);
}

inline void restart(LinkHarness& h) {
  h.control = {};
  h.link_up = {false, false};
  h.steps(2);
  h.link_up = {true, true};
  bring_up(h);
}

// Credits are held back: the peer comes to the end of its own, everything else goes on. When it is
// over, traffic resumes and nothing is lost.
inline void credit_stall(Ends& ends, Lockstep& run, unsigned end) {
  LinkHarness h(ends, run);
  const unsigned peer = 1 - end;
  bring_up(h);
  EXPECT_EQ(status(h, ends, end).init_state, 3u);
  h.control[end].crd_stall = true;
  h.load.nd = h.load.wd = {30, 30};
  if (ends.has_cache()) {
    h.cache.load[peer] = {.offer = {30, 30, 30}};
    h.cache.load[end] = {.offer = {5, 5, 5}};
  }
  unsigned given = 0, headers = 0, acks = 0, stale = 6;  // flits selected before, replays
  h.on_flit = [&](WireFlit& f) {
    const bool bearing =
        f.kind() == WireFlit::Kind::kProtocol || f.kind() == WireFlit::Kind::kLlcrd;
    if (f.wire != end || !bearing) return;
    if (stale > 0) {
      --stale;
      return;
    }
    const flits::FlitHeader header = get_header(f.flit.payload);
    given |= header.rsp_crd | header.req_crd | header.data_crd;
    acks += f.kind() == WireFlit::Kind::kLlcrd || header.ak;
    ++headers;
  };
  std::array<unsigned, 2> arrived{};
  h.on_nd = [&](unsigned to, MsgHeader) { ++arrived[to]; };
  h.on_wd = [&](unsigned to, const WdMessage&) { ++arrived[to]; };
  h.steps(1500);
  EXPECT_EQ(given, 0u);
  EXPECT_GT(headers, 20u);
  EXPECT_GT(acks, 1u);
  const LinkStatus stalled = status(h, ends, end), starved = status(h, ends, peer);
  EXPECT_EQ(stalled.init_state, 2u);
  EXPECT_EQ(stalled.nd_return, end_params(end).nd_rx_depth);
  EXPECT_EQ(stalled.wd_return, end_params(end).wd_rx_depth);
  EXPECT_EQ(starved.init_state, 3u);
  EXPECT_EQ(starved.nd_credit + starved.wd_credit, 0u);
  if (ends.has_cache()) {
    for (const CacheChannel c : {kCreq, kCrsp, kCdat}) {
      if (peer == 0 && c == kCreq) continue;  // waits behind the Crsps
      EXPECT_EQ(ends.twin(peer).cache().credits(c), 0u) << "channel " << c;
    }
  }
  EXPECT_EQ(arrived[end], end_params(end).nd_rx_depth + end_params(end).wd_rx_depth);
  const auto before = arrived;
  h.steps(1000);
  EXPECT_EQ(arrived[end], before[end]);
  EXPECT_GT(arrived[peer], before[peer]) << "the other way goes on";
  EXPECT_EQ(given, 0u);

  h.load = {};
  h.cache.load = {};
  h.control[end].crd_stall = false;
  EXPECT_TRUE(drain(h, kSoon));
  EXPECT_GT(arrived[end], before[end]);
  EXPECT_NE(given, 0u);
  EXPECT_EQ(h.errors(0) | h.errors(1), 0u);
  EXPECT_EQ(status(h, ends, end).init_state, 3u);
  expect_at_rest(h, ends);
}

// INIT.Param is held back: the link does not come up until that ends. Once it is up, a stall
// changes nothing.
inline void init_stall(Ends& ends, Lockstep& run, unsigned end) {
  LinkHarness h(ends, run);
  const unsigned peer = 1 - end;
  unsigned params = 0, others = 0;
  h.on_flit = [&](WireFlit& f) {
    if (f.wire != end) return;
    (is<flits::RetryIdle>(f) ? others : params) += 1;
  };
  h.control[end].init_stall = true;
  h.step();
  EXPECT_EQ(status(h, ends, peer).init_state, 1u);
  h.steps(1000);
  EXPECT_EQ(params, 0u);
  EXPECT_GT(others, 900u);
  EXPECT_FALSE(h.out()[0].init_done || h.out()[1].init_done);
  LinkStatus held = status(h, ends, end), waiting = status(h, ends, peer);
  EXPECT_EQ(held.init_state, 0u);
  EXPECT_EQ(held.wrap, end_params(peer).llrb_depth);
  EXPECT_EQ(held.version, 2u);
  EXPECT_EQ(held.llrb_used, 0u);
  EXPECT_EQ(waiting.init_state, 1u);
  EXPECT_EQ(waiting.wrap + waiting.version, 0u);
  EXPECT_EQ(waiting.llrb_used, 1u);

  h.control[end].init_stall = false;
  EXPECT_EQ(status(h, ends, end).init_state, 1u);
  ASSERT_TRUE(h.until([&] { return h.initialised(); }, 50));
  h.control[end].init_stall = true;
  h.steps(300);
  EXPECT_EQ(status(h, ends, end).init_state, 3u);
  waiting = status(h, ends, peer);
  EXPECT_EQ(waiting.init_state, 3u);
  EXPECT_EQ(waiting.wrap, end_params(end).llrb_depth);
  EXPECT_EQ(waiting.version, 2u);
  burst(h, end, 3, 5);
  burst(h, peer, 3, 5);
  EXPECT_TRUE(drain(h, kSoon));
  expect_at_rest(h, ends);
  // A link that goes down and up again waits again.
  h.link_up = {false, false};
  h.steps(3);
  EXPECT_EQ(status(h, ends, end).init_state, 0u);
  EXPECT_EQ(status(h, ends, peer).init_state, 0u);
  h.link_up = {true, true};
  h.steps(300);
  EXPECT_FALSE(h.out()[0].init_done || h.out()[1].init_done);
  h.control[end].init_stall = false;
  bring_up(h);
  expect_at_rest(h, ends);
}

// LLCRDs that an end sends, with the cycle in which they left.
struct LlcrdLog {
  std::vector<unsigned> full_acks;
  std::vector<std::uint64_t> at;
  void watch(LinkHarness& h, unsigned end) {
    h.on_flit = [this, &h, end](WireFlit& f) {
      if (f.wire != end || f.kind() != WireFlit::Kind::kLlcrd) return;
      full_acks.push_back(std::get<flits::Llcrd>(read_control(f.flit.payload)).full_ack);
      at.push_back(h.cycle());
    };
  }
};

// An LLCRD leaves when so many flits wait to be acknowledged; 0 counts as 16.
inline void ack_force(Ends& ends, Lockstep& run, unsigned end) {
  const unsigned peer = 1 - end;
  for (const unsigned setting : {0u, 1u, 5u, 16u, 17u, 255u}) {
    LinkHarness h(ends, run);
    restart(h);
    LlcrdLog log;
    log.watch(h, end);
    h.control[end] = {.ack_force = setting, .flush = 1023};
    for (unsigned i = 0; i < 20; ++i) {  // one flit each
      h.send_nd(peer);
      h.steps(20);
    }
    h.steps(20);
    const unsigned force = setting == 0 ? 16 : setting;
    if (force > 20) {
      EXPECT_TRUE(log.at.empty()) << "ack_force " << setting;
      continue;
    }
    ASSERT_FALSE(log.at.empty()) << "ack_force " << setting;
    EXPECT_EQ(log.full_acks[0], force);
  }
}

// An LLCRD leaves that long after there was something to return; 0 counts as 32.
inline void flush(Ends& ends, Lockstep& run, unsigned end) {
  const unsigned peer = 1 - end;
  const auto delay = [&](unsigned setting) {
    LinkHarness h(ends, run);
    restart(h);
    LlcrdLog log;
    log.watch(h, end);
    h.control[end] = {.ack_force = 255, .flush = setting};
    h.send_nd(peer);
    std::uint64_t taken = 0;
    h.on_nd = [&](unsigned, MsgHeader) { taken = h.cycle(); };
    h.steps(1200);
    return log.at.empty() ? 0 : log.at[0] - taken;
  };
  const std::uint64_t least = delay(1);
  EXPECT_GT(least, 0u);
  EXPECT_LT(least, 8u);
  EXPECT_EQ(delay(5), least + 4);
  EXPECT_EQ(delay(0), least + 31);
  EXPECT_EQ(delay(32), least + 31);
  EXPECT_EQ(delay(1023), least + 1022);
}

// A timer that has reached FLUSH stands still: a longer FLUSH later starts from there.
inline void timer_stands_still(Ends& ends, Lockstep& run, unsigned end) {
  const unsigned peer = 1 - end;
  LinkHarness h(ends, run);
  restart(h);
  LlcrdLog log;
  h.control[end] = {.ack_force = 255, .flush = 5};
  h.load.link_stall[end] = 100;       // nothing leaves
  for (unsigned i = 0; i < 2; ++i) {  // sel_q and the output register are full
    h.send_nd(end);
    h.steps(20);
  }
  h.send_nd(peer);
  h.steps(100);
  h.control[end].flush = 100;
  log.watch(h, end);
  h.steps(60);
  h.load.link_stall[end] = 0;
  h.steps(20);
  EXPECT_TRUE(log.at.empty()) << "the timer ran on while it was at FLUSH";
  h.steps(100);
  EXPECT_EQ(log.at.size(), 1u);
}

// What the last RETRY flits said; all of it is gone when the link starts again.
inline void status_of_retries(Ends& ends, Lockstep& run, unsigned sender) {
  LinkHarness h(ends, run);
  const unsigned receiver = 1 - sender;
  bring_up(h);
  for (unsigned end = 0; end < 2; ++end) {
    const LinkStatus s = status(h, ends, end);
    EXPECT_EQ(s.num_retry + s.num_phy_reinit + s.wr_ptr + s.eseq_echo + s.num_free, 0u);
    EXPECT_EQ(s.nd_credit, end_params(1 - end).nd_rx_depth);
    EXPECT_EQ(s.wd_credit, end_params(1 - end).wd_rx_depth);
    EXPECT_EQ(s.nd_return + s.wd_return, 0u);
  }
  RetryLog log;
  bool first = false;
  unsigned acks_hit = 0;
  h.on_flit = [&](WireFlit& f) {
    if (f.wire == receiver && is<flits::RetryReq>(f)) log.note(f);
    if (f.wire != sender) return;
    if (!first && !f.retry) {
      first = true;
      f.damage(h.random());
    } else if (is<flits::RetryAck>(f) && acks_hit < 2) {  // two timeouts
      ++acks_hit;
      f.damage(h.random());
    } else if (is<flits::RetryAck>(f)) {
      log.note(f);
    }
  };
  burst(h, sender, 3, 12);
  EXPECT_TRUE(drain(h, 2 * kAfterTimeout));
  ASSERT_EQ(log.requests.size(), 3u);
  ASSERT_EQ(log.acks.size(), 1u);
  const LinkStatus asked = status(h, ends, sender), answered = status(h, ends, receiver);
  EXPECT_EQ(asked.num_retry, 3u);
  EXPECT_EQ(asked.num_phy_reinit, 0u);
  EXPECT_EQ(asked.wr_ptr + asked.eseq_echo + asked.num_free, 0u);
  EXPECT_EQ(answered.num_retry, 0u);
  EXPECT_EQ(answered.wr_ptr, log.acks[0].wr_ptr);
  EXPECT_EQ(answered.eseq_echo, log.acks[0].eseq);
  EXPECT_EQ(answered.num_free, log.acks[0].num_free_buf);
  EXPECT_NE(answered.num_free, 0u);
  // Recovery counts too: NUM_RETRY from 1 again.
  h.phy_done = {true, true};
  h.step();
  h.phy_done = {};
  h.steps(300);
  EXPECT_EQ(status(h, ends, sender).num_retry, 1u);
  EXPECT_EQ(status(h, ends, receiver).num_retry, 1u);
  EXPECT_NE(status(h, ends, sender).num_free, 0u);

  h.on_flit = nullptr;
  h.link_up = {false, false};
  h.steps(20);
  for (unsigned end = 0; end < 2; ++end) {  // not by going down
    EXPECT_EQ(status(h, ends, end).num_retry, 1u);
    EXPECT_EQ(status(h, ends, end).wrap, end_params(1 - end).llrb_depth);
  }
  h.link_up = {true, true};
  h.step();
  for (unsigned end = 0; end < 2; ++end) {
    LinkStatus fresh;
    fresh.init_state = 1;
    fresh.nd_return = end_params(end).nd_rx_depth;
    fresh.wd_return = end_params(end).wd_rx_depth;
    EXPECT_EQ(status(h, ends, end), fresh) << side(end);
  }
  bring_up(h);
  expect_at_rest(h, ends);
}

}  // namespace cxlgpu::test::scenario
