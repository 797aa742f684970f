// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Directed cases for initialisation, retry, credits and latency, for any pair of ends.
//
// Purpose: each function plays one case of CXL 2.0 4.2.8 on a LinkHarness and asserts what must
//          come of it; the twin tests and the RTL lockstep tests run the same list.
// Units:   cycles; `sender` is the end whose flit is hit (0 host), wires as in link_harness.hpp.
// Errors:  GoogleTest failures.
#pragma once

#include <vector>

#include "tests/controller/link_harness.hpp"

namespace cxlgpu::test::scenario {

inline constexpr std::uint64_t kSoon = 2000;           // without a timeout
inline constexpr std::uint64_t kAfterTimeout = 12000;  // with one or two
inline constexpr unsigned kRetried = link_err::kCrc | link_err::kRetry;

inline const char* side(unsigned end) {
  return end == 0 ? "host" : "device";
}

// Initialised, all credits granted, nothing in flight.
inline void bring_up(LinkHarness& h) {
  ASSERT_TRUE(h.until([&] { return h.initialised(); }, kSoon));
  h.steps(300);
  h.clear_errors();
}

// Messages that leave back to back, so that runs of all-data flits come about.
inline void burst(LinkHarness& h, unsigned end, unsigned nd, unsigned wd) {
  const unsigned before = h.load.link_stall[end];
  h.load.link_stall[end] = 100;
  for (unsigned i = 0; i < nd; ++i) h.send_nd(end);
  for (unsigned i = 0; i < wd; ++i) h.send_wd(end);
  h.steps(20);
  h.load.link_stall[end] = before;
}

inline bool drain(LinkHarness& h, std::uint64_t limit) {
  return h.until([&] { return h.all_delivered(); }, limit);
}

// All credits are back, and all retry-buffer entries but the one that no LLCRD is sent for.
inline void expect_at_rest(LinkHarness& h, const Ends& ends) {
  h.steps(500);
  for (unsigned end = 0; end < 2; ++end) {
    const LinkLayer& link = ends.twin(end).link();
    EXPECT_EQ(link.nd_credits(), end_params(1 - end).nd_rx_depth) << side(end);
    EXPECT_EQ(link.wd_credits(), end_params(1 - end).wd_rx_depth) << side(end);
    for (const CacheChannel c : {kCreq, kCrsp, kCdat}) {
      const unsigned depth = ends.has_cache() ? end_params(1 - end).cache_rx_depth[c] : 0;
      EXPECT_EQ(ends.twin(end).cache().credits(c), depth) << side(end) << " channel " << c;
    }
    EXPECT_GE(link.remote().num_free + 1, end_params(end).llrb_depth) << side(end);
    EXPECT_EQ(link.tx_owed() + link.rx_owed(), 0u) << side(end);
    EXPECT_EQ(h.out()[end].rx_nd_count + h.out()[end].rx_wd_count, 0u) << side(end);
  }
}

template <typename Kind>
bool is(const WireFlit& f) {
  return f.retry && std::holds_alternative<Kind>(*f.retry);
}

// Hits the first flit for which hit() holds; `done` says so.
inline auto once(LinkHarness& h, bool& done, std::function<bool(const WireFlit&)> hit) {
  return [&h, &done, hit](WireFlit& f) {
    if (done || !hit(f)) return;
    done = true;
    f.damage(h.random());
  };
}

// --------------------------------------------------------------------------------- plain retry

inline void one_error(Ends& ends, Lockstep& run, unsigned sender,
                      const std::function<bool(const WireFlit&)>& hit) {
  LinkHarness h(ends, run);
  bring_up(h);
  bool done = false;
  h.on_flit = once(h, done, [&](const WireFlit& f) { return f.wire == sender && hit(f); });
  burst(h, sender, 3, 12);
  EXPECT_TRUE(drain(h, kSoon)) << side(sender);
  EXPECT_TRUE(done) << "no such flit, " << side(sender);
  EXPECT_EQ(h.errors(1 - sender), kRetried);
  EXPECT_EQ(h.errors(sender), 0u);
  expect_at_rest(h, ends);
}

inline void error_in_adf(Ends& ends, Lockstep& run, unsigned sender) {
  one_error(ends, run, sender, [](const WireFlit& f) { return f.is_adf(); });
}

inline void error_in_last_adf(Ends& ends, Lockstep& run, unsigned sender) {
  one_error(ends, run, sender, [](const WireFlit& f) { return f.is_adf() && f.owed_after < 4; });
}

inline void error_before_adf_run(Ends& ends, Lockstep& run, unsigned sender) {
  one_error(ends, run, sender,
            [](const WireFlit& f) { return !f.retry && f.owed_before < 4 && f.owed_after >= 4; });
}

// ------------------------------------------------------------------- errors in the retry itself

struct RetryLog {
  std::vector<flits::RetryReq> requests;
  std::vector<flits::RetryAck> acks;
  void note(const WireFlit& f) {
    if (is<flits::RetryReq>(f)) requests.push_back(std::get<flits::RetryReq>(*f.retry));
    if (is<flits::RetryAck>(f)) acks.push_back(std::get<flits::RetryAck>(*f.retry));
  }
};

// After a damaged data flit, hits one flit of the Req sequence (member 0..4 Frames, 5 the Req).
inline void error_in_request(Ends& ends, Lockstep& run, unsigned sender, unsigned member) {
  LinkHarness h(ends, run);
  bring_up(h);
  bool first = false;
  unsigned seen = 0;
  RetryLog log;
  h.on_flit = [&](WireFlit& f) {
    if (f.wire == sender && !f.retry && !first) {
      first = true;
      f.damage(h.random());
    } else if (f.wire != sender && (is<flits::RetryFrame>(f) || is<flits::RetryReq>(f))) {
      log.note(f);
      if (seen++ == member) f.damage(h.random());
    }
  };
  burst(h, sender, 3, 12);
  EXPECT_TRUE(drain(h, kAfterTimeout));
  EXPECT_EQ(h.errors(1 - sender) & link_err::kTimeout, link_err::kTimeout) << "member " << member;
  ASSERT_GE(log.requests.size(), 2u);
  EXPECT_EQ(log.requests[0].num_retry, 1u);
  EXPECT_EQ(log.requests[1].num_retry, 2u);
  EXPECT_EQ(log.requests[0].eseq, log.requests[1].eseq);
  expect_at_rest(h, ends);
}

// Hits the first RETRY.Ack, or a Frame before it.
inline void lost_ack(Ends& ends, Lockstep& run, unsigned sender, bool frame) {
  LinkHarness h(ends, run);
  bring_up(h);
  bool first = false, lost = false;
  RetryLog log;
  h.on_flit = [&](WireFlit& f) {
    log.note(f);
    if (f.wire != sender) return;
    const bool target = frame ? is<flits::RetryFrame>(f) : is<flits::RetryAck>(f);
    if (!first && !f.retry) {
      first = true;
      f.damage(h.random());
    } else if (first && !lost && target) {
      lost = true;
      f.damage(h.random());
    }
  };
  burst(h, sender, 3, 12);
  EXPECT_TRUE(drain(h, kAfterTimeout));
  EXPECT_TRUE(lost);
  EXPECT_EQ(h.errors(1 - sender), kRetried | link_err::kTimeout);
  ASSERT_EQ(log.requests.size(), 2u);
  EXPECT_EQ(log.requests[1].num_retry, 2u);
  ASSERT_EQ(log.acks.size(), 2u);
  EXPECT_EQ(log.acks[1].num_retry, 2u);
  expect_at_rest(h, ends);
}

// The first RETRY.Ack comes with another NUM_RETRY: ignored, and what is replayed then too.
inline void stale_ack(Ends& ends, Lockstep& run, unsigned sender) {
  LinkHarness h(ends, run);
  bring_up(h);
  bool first = false, stale = false;
  h.on_flit = [&](WireFlit& f) {
    if (f.wire != sender) return;
    if (!first && !f.retry) {
      first = true;
      f.damage(h.random());
    } else if (!stale && is<flits::RetryAck>(f)) {
      stale = true;
      auto ack = std::get<flits::RetryAck>(*f.retry);
      ack.num_retry = static_cast<std::uint8_t>(ack.num_retry + 5);
      f.flit.payload = control_payload(ack);
      f.flit.crc = crc_of(f.flit.payload);
    }
  };
  burst(h, sender, 3, 12);
  EXPECT_TRUE(drain(h, kAfterTimeout));
  EXPECT_TRUE(stale);
  EXPECT_EQ(h.errors(1 - sender), kRetried | link_err::kTimeout);
  expect_at_rest(h, ends);
}

// A second retry in the other direction falls due while a replay that starts with an all-data flit
// is about to begin: the run comes first, since the peer already waits for it.
inline void request_behind_replayed_adf(Ends& ends, Lockstep& run, unsigned sender) {
  LinkHarness h(ends, run);
  h.latency = {0, 0};
  bring_up(h);
  bool adf_hit = false, requested = false, idle_hit = false, acked = false, after_ack = false;
  h.on_flit = [&](WireFlit& f) {
    if (f.wire == sender) {
      if (acked && !after_ack) {
        after_ack = true;
        EXPECT_FALSE(f.retry.has_value()) << "a RETRY flit splits the run that the peer waits for";
      }
      if (is<flits::RetryAck>(f)) acked = true;
      if (f.is_adf() && !adf_hit) {
        adf_hit = true;
        f.damage(h.random());
      }
    } else if (is<flits::RetryReq>(f)) {
      requested = true;
    } else if (requested && !idle_hit) {
      idle_hit = true;
      f.damage(h.random());
    }
  };
  burst(h, sender, 0, 12);
  EXPECT_TRUE(drain(h, kSoon));
  EXPECT_TRUE(idle_hit && after_ack);
  EXPECT_EQ(h.errors(0), kRetried);
  EXPECT_EQ(h.errors(1), kRetried);
  expect_at_rest(h, ends);
}

// Every Ack is lost: NUM_RETRY runs out, the PHY is retrained, then it works again.
inline void exhaustion(Ends& ends, Lockstep& run, unsigned sender, unsigned timeout) {
  LinkHarness h(ends, run);
  bring_up(h);
  bool first = false, jam = true;
  RetryLog log;
  h.on_flit = [&](WireFlit& f) {
    log.note(f);
    if (f.wire != sender) return;
    const bool hit = !first ? !f.retry : jam && is<flits::RetryAck>(f);
    first |= hit;
    if (hit) f.damage(h.random());
  };
  burst(h, sender, 3, 12);
  const unsigned receiver = 1 - sender;
  EXPECT_TRUE(h.until([&] { return h.out()[receiver].phy_reinit_req; }, 12 * (timeout + 200)));
  ASSERT_EQ(log.requests.size(), 10u);
  for (unsigned i = 0; i < 10; ++i) EXPECT_EQ(log.requests[i].num_retry, i + 1);
  h.steps(300);
  EXPECT_TRUE(h.out()[receiver].phy_reinit_req);
  EXPECT_EQ(log.requests.size(), 10u) << "a request while the PHY is retrained";
  jam = false;
  h.phy_done[receiver] = true;
  h.step();
  h.phy_done[receiver] = false;
  EXPECT_TRUE(drain(h, kSoon));
  ASSERT_EQ(log.requests.size(), 11u);
  EXPECT_EQ(log.requests[10].num_retry, 1u);
  EXPECT_EQ(log.requests[10].num_phy_reinit, 1u);
  EXPECT_FALSE(h.out()[receiver].phy_reinit_req);
  expect_at_rest(h, ends);
}

// The PHY goes through Recovery while a RETRY.Ack waits: it is not sent any more. Both ends ask
// again, NUM_RETRY counts from 1 again, and each request gets one answer.
inline void recovery_cancels_ack(Ends& ends, Lockstep& run, unsigned sender) {
  const unsigned receiver = 1 - sender;
  for (unsigned pause = 0; pause < 40; ++pause) {  // where in the exchange it happens
    if (!run.ok()) return;
    LinkHarness h(ends, run);
    h.link_up = {false, false};
    h.steps(2);
    h.link_up = {true, true};
    bring_up(h);
    bool first = false, requested = false, recovered = false;
    RetryLog before, after;
    h.on_flit = [&](WireFlit& f) {
      if (f.wire == sender) (recovered ? after : before).note(f);
      if (f.wire == receiver && is<flits::RetryReq>(f)) requested = true;
      if (f.wire != sender || first || f.retry) return;
      first = true;
      f.damage(h.random());
    };
    burst(h, sender, 3, 12);
    ASSERT_TRUE(h.until([&] { return requested; }, kSoon));
    h.steps(pause);
    h.load.link_stall = {100, 100};
    h.steps(60);  // the wires run empty, the Ack has got as far as it can
    h.phy_done = {true, true};
    h.step();
    h.phy_done = {};
    recovered = true;
    h.load.link_stall = {0, 0};
    EXPECT_TRUE(drain(h, kSoon));
    h.steps(100);
    EXPECT_LE(before.acks.size(), 1u);
    // What still stood in the output stages comes without its Frames and does not count.
    ASSERT_GE(after.acks.size(), 1u) << "pause " << pause;
    EXPECT_LE(before.acks.size() + after.acks.size(), 2u) << "pause " << pause;
    ASSERT_EQ(after.requests.size(), 1u) << "pause " << pause;
    EXPECT_EQ(after.requests[0].num_retry, 1u);
    EXPECT_EQ(after.acks.back().num_retry, 1u);
    EXPECT_EQ((h.errors(0) | h.errors(1)) & ~kRetried, 0u) << "pause " << pause;
    expect_at_rest(h, ends);
  }
}

// The PHY retrains on its own account and loses what is in flight: both ends retry, nothing is
// lost.
inline void recovery_unasked(Ends& ends, Lockstep& run, unsigned sender) {
  LinkHarness h(ends, run);
  h.latency[sender] = 9;
  bring_up(h);
  for (unsigned i = 0; i < 50; ++i) {
    burst(h, sender, 3, 4);
    if (i % 2 != 0) burst(h, 1 - sender, 3, 4);
    h.steps(i);
    h.lose_wires();
    h.phy_done = {true, true};
    h.step();
    h.phy_done = {};
    EXPECT_TRUE(drain(h, kSoon)) << "round " << i;
  }
  EXPECT_EQ(h.errors(0), link_err::kRetry);
  EXPECT_EQ(h.errors(1), link_err::kRetry);
  expect_at_rest(h, ends);
}

// Retraining does not help either: ABORT.
inline void abort(Ends& ends, Lockstep& run, unsigned sender, unsigned timeout) {
  LinkHarness h(ends, run);
  bring_up(h);
  bool first = false;
  h.on_flit = [&](WireFlit& f) {
    if (f.wire != sender) return;
    if (first ? is<flits::RetryAck>(f) : !f.retry) f.damage(h.random());
    first |= !f.retry;
  };
  const unsigned receiver = 1 - sender;
  burst(h, sender, 3, 12);
  unsigned trainings = 0;
  for (; trainings < 20; ++trainings) {
    h.until([&] { return h.out()[receiver].phy_reinit_req || h.out()[receiver].abort; },
            12 * (timeout + 200));
    if (h.out()[receiver].abort) break;
    h.phy_done[receiver] = true;
    h.step();
    h.phy_done[receiver] = false;
    h.step();
  }
  EXPECT_TRUE(h.out()[receiver].abort);
  EXPECT_EQ(trainings, 10u);
  h.steps(timeout + 1000);
  EXPECT_TRUE(h.out()[receiver].abort) << "ABORT is left only by a link start";
}

// ------------------------------------------------------------------------------ buffers and more

// The peer answers nothing: the retry buffer fills up to its reserve and no further.
inline void llrb_full(Ends& ends, Lockstep& run) {
  constexpr unsigned kDevice = 1;  // its buffer is smaller than what credits allow
  LinkHarness h(ends, run);
  bring_up(h);
  h.load.link_stall[0] = 100;
  for (unsigned i = 0; i < 32; ++i) {
    h.send_nd(kDevice);
    h.send_wd(kDevice);
  }
  unsigned least = 1000;
  h.until(
      [&] {
        least = std::min(least, ends.twin(kDevice).link().remote().num_free);
        return false;
      },
      400);
  EXPECT_FALSE(h.all_delivered());
  EXPECT_LT(least, 6u);
  EXPECT_GE(least, 3u);
  h.load.link_stall[0] = 0;
  EXPECT_TRUE(drain(h, kSoon));
  EXPECT_EQ(h.errors(0) | h.errors(1), 0u);
  expect_at_rest(h, ends);
}

// The receiver takes nothing: as many messages come as its queues have entries. What is offered
// then waits in the sender's queues, and arrives when the receiver goes on.
inline void full_queue(Ends& ends, Lockstep& run, unsigned sender) {
  LinkHarness h(ends, run);
  const unsigned receiver = 1 - sender;
  const ControllerParams to = end_params(receiver);
  bring_up(h);
  h.load.rx_stall[receiver] = 100;
  for (unsigned i = 0; i < to.nd_rx_depth; ++i) h.send_nd(sender);
  for (unsigned i = 0; i < to.wd_rx_depth; ++i) h.send_wd(sender);
  h.steps(600);
  const auto expect_full = [&] {
    const LinkLayer& link = ends.twin(sender).link();
    EXPECT_EQ(h.out()[receiver].rx_nd_count, to.nd_rx_depth) << side(sender);
    EXPECT_EQ(h.out()[receiver].rx_wd_count, to.wd_rx_depth) << side(sender);
    EXPECT_EQ(link.nd_credits() + link.wd_credits(), 0u) << side(sender);
  };
  expect_full();
  for (unsigned i = 0; i < 8; ++i) {  // more than the transmit queues take
    h.send_nd(sender);
    h.send_wd(sender);
    h.steps(5);
  }
  EXPECT_FALSE(h.out()[sender].tx_nd_ready || h.out()[sender].tx_wd_ready) << side(sender);
  expect_full();
  h.load.rx_stall[receiver] = 0;
  EXPECT_TRUE(drain(h, kSoon));
  EXPECT_EQ(h.errors(0) | h.errors(1), 0u);
  expect_at_rest(h, ends);
}

// One message through an idle link takes three cycles at the sender and two at the receiver.
inline void idle_latency(Ends& ends, Lockstep& run, unsigned sender, bool with_data) {
  LinkHarness h(ends, run);
  h.latency = {7, 7};
  bring_up(h);
  std::uint64_t sent = 0, last_arrival = 0, left = 0, seen = 0;
  h.on_flit = [&](WireFlit& f) {
    if (f.wire == sender && left == 0) left = h.cycle();
  };
  h.on_arrival = [&](unsigned wire, const CrcFlit&) {
    if (wire == sender && seen == 0) last_arrival = h.cycle();
  };
  sent = h.cycle();
  if (with_data) {
    const unsigned width = sender == 0 ? 87 : 40;
    WdMessage wd = random_wd(h.random(), width, 0);
    wd.header = known_header(h.random(), sender != 0, true, width);
    h.send_wd(sender, wd);
  } else {
    h.send_nd(sender);
  }
  for (unsigned i = 0; i < 30 && seen == 0; ++i) {
    const std::uint64_t now = h.cycle();
    h.step();
    const CxlController::Out& o = h.out()[1 - sender];
    if (o.rx_nd_valid || o.rx_wd_valid) seen = now;
  }
  EXPECT_EQ(left - sent, 3u) << side(sender);
  // With data the second flit completes the message: one cycle later on the wire.
  EXPECT_EQ(last_arrival - left, with_data ? 8u : 7u);
  EXPECT_EQ(seen - last_arrival, 2u);
}

// One end comes up late, later both go down and up again.
inline void link_restart(Ends& ends, Lockstep& run) {
  LinkHarness h(ends, run);
  h.link_up = {true, false};
  h.steps(200);
  EXPECT_FALSE(h.initialised());
  h.link_up[1] = true;
  bring_up(h);
  h.load.nd = h.load.wd = {40, 40};
  h.steps(500);
  h.load = {};
  EXPECT_TRUE(drain(h, kSoon));
  h.link_up = {false, false};
  h.steps(50);
  h.send_nd(0);  // accepted while down, sent afterwards
  h.send_wd(1);
  h.steps(10);
  h.link_up = {true, true};
  h.restart_monitor(0);
  h.restart_monitor(1);
  h.step();
  h.step();
  EXPECT_FALSE(h.initialised());
  EXPECT_TRUE(h.until([&] { return h.initialised(); }, kSoon));
  EXPECT_TRUE(drain(h, kSoon));
  EXPECT_EQ(h.errors(0) | h.errors(1), 0u);
  expect_at_rest(h, ends);
}

// The link goes down with a flit waiting for the PHY: it is not offered when the link starts again.
inline void stale_flit_at_start(Ends& ends, Lockstep& run) {
  LinkHarness h(ends, run);
  bring_up(h);
  h.load.link_stall = {100, 100};
  for (unsigned end = 0; end < 2; ++end) {
    for (unsigned i = 0; i < 6; ++i) h.send_wd(end);
  }
  h.steps(20);
  EXPECT_TRUE(h.out()[0].link_tx_valid && h.out()[1].link_tx_valid);
  h.scoreboard = false;  // what the link loses when it goes down is lost
  h.link_up = {false, false};
  h.step();
  h.on_flit = [](WireFlit& f) { ADD_FAILURE() << "a flit from before the start, wire " << f.wire; };
  h.steps(10);
  h.load.link_stall = {0, 0};
  h.link_up = {true, true};
  h.step();
  h.step();
}

}  // namespace cxlgpu::test::scenario
