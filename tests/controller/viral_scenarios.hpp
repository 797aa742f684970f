// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Directed cases of viral, for any pair of ends: how it is announced, and who is told when.
//
// Purpose: an end that is viral sends one flit with its CRC inverted; the retry that follows tells
//          the peer, and nothing is lost by it. For twins and RTL alike.
// Units:   cycles; `sender` is the end that is viral (0 host), wires as in link_harness.hpp.
// Errors:  GoogleTest failures.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "tests/controller/mem_traffic.hpp"
#include "tests/controller/wire_scenarios.hpp"

namespace cxlgpu::test::scenario {

// What the viral end puts on its wire.
struct ViralLog {
  std::vector<WireFlit::Kind> announced;
  std::vector<std::uint64_t> announced_at;
  std::vector<bool> acks;  // Viral of each RETRY.Ack
  std::vector<Payload> sent;
  bool replayed = false;  // a flit that announced had been sent before

  void watch(LinkHarness& h, unsigned sender) {
    h.on_flit = [this, &h, sender](WireFlit& f) {
      if (f.wire != sender) return;
      if (is<flits::RetryAck>(f)) acks.push_back(std::get<flits::RetryAck>(*f.retry).viral);
      const bool again = std::find(sent.begin(), sent.end(), f.flit.payload) != sent.end();
      sent.push_back(f.flit.payload);
      if (announces(f.flit)) {
        const auto control = read_control(f.flit.payload);
        replayed |= again && !std::holds_alternative<flits::Llcrd>(control);
        announced.push_back(f.kind());
        announced_at.push_back(h.cycle());
      }
      if (spoil && !f.retry) {
        spoil = false;
        f.damage(h.random());
      }
    };
  }
  bool spoil = false;  // the next flit that can be lost gets a bit error
};

// Nothing to send: an LLCRD is made for it, and on the wire three cycles after viral. Later retries
// say Viral again; without viral they do not; and then again.
inline void viral_at_rest(Ends& ends, Lockstep& run, unsigned sender) {
  LinkHarness h(ends, run);
  ViralLog log;
  bring_up(h);
  log.watch(h, sender);
  const unsigned peer = 1 - sender;
  const auto retry = [&] {
    log.spoil = true;
    burst(h, sender, 2, 2);
    EXPECT_TRUE(drain(h, kSoon));
    h.steps(200);
    EXPECT_FALSE(log.spoil);
  };
  retry();
  EXPECT_EQ(log.acks, std::vector<bool>{false});
  h.clear_errors();

  const std::uint64_t set = h.cycle();
  h.viral[sender] = true;
  h.steps(500);
  EXPECT_EQ(log.announced, std::vector{WireFlit::Kind::kLlcrd});
  ASSERT_FALSE(log.announced_at.empty());
  EXPECT_EQ(log.announced_at[0] - set, 2u);  // selected, in the output register, offered
  EXPECT_EQ(log.acks, (std::vector<bool>{false, true}));
  EXPECT_EQ(h.heard(peer), 1u);
  EXPECT_EQ(h.errors(peer), kRetried);
  retry();
  EXPECT_EQ(log.acks, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(h.heard(peer), 2u);
  EXPECT_EQ(h.announced(sender), 1u);

  h.viral[sender] = false;
  h.steps(2);
  retry();
  EXPECT_EQ(log.acks, (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(h.heard(peer), 2u);
  h.viral[sender] = true;
  h.steps(500);
  EXPECT_EQ(h.announced(sender), 2u);
  EXPECT_EQ(h.heard(peer), 3u);
  EXPECT_EQ(h.heard(sender), 0u);
  EXPECT_EQ(h.announced(peer), 0u);
  expect_at_rest(h, ends);
}

// At any moment of a burst: the flit may be all data, an LLCRD or a replayed one,
// never a RETRY flit. Nothing is lost, and the peer is told.
inline void viral_in_every_kind(Ends& ends, Lockstep& run, unsigned sender) {
  const unsigned peer = 1 - sender;
  std::map<WireFlit::Kind, unsigned> announced;
  unsigned replayed = 0;
  for (unsigned round = 0; round < 45; ++round) {
    if (!run.ok()) return;
    const bool in_retry = round % 3 == 2;
    LinkHarness h(ends, run);  // a new one, so that its monitor knows data again
    h.latency = {9, 9};
    h.link_up = {false, false};
    h.steps(2);
    h.link_up = {true, true};
    bring_up(h);
    ViralLog log;
    log.watch(h, sender);
    log.spoil = in_retry;
    burst(h, sender, 3, 6);
    h.steps(in_retry ? round : round / 3);
    h.viral[sender] = true;
    EXPECT_TRUE(h.until([&] { return h.announced(sender) == 1; }, kSoon));
    EXPECT_TRUE(drain(h, kSoon)) << "round " << round;
    h.steps(200);
    EXPECT_EQ(h.announced(sender), 1u);
    EXPECT_GE(h.heard(peer), 1u) << "round " << round;
    EXPECT_LE(h.heard(peer), in_retry ? 2u : 1u) << "round " << round;
    EXPECT_EQ(h.errors(peer), kRetried);
    EXPECT_EQ(h.errors(sender), 0u);
    ASSERT_FALSE(log.announced.empty());
    if (!in_retry) ++announced[log.announced[0]];
    replayed += log.replayed;
    EXPECT_TRUE(in_retry || !log.replayed);
    h.viral[sender] = false;
    expect_at_rest(h, ends);
  }
  EXPECT_GT(announced[WireFlit::Kind::kLlcrd], 0u);
  EXPECT_GT(announced[WireFlit::Kind::kAdf], 0u);
  EXPECT_GT(replayed, 0u);
  EXPECT_EQ(announced[WireFlit::Kind::kProtocol], 0u);  // the LLCRD comes first
  EXPECT_EQ(announced[WireFlit::Kind::kOther], 0u);
}

// The announcement is lost: both ends retry after Recovery, and the Ack says it all the same.
inline void viral_lost_in_recovery(Ends& ends, Lockstep& run, unsigned sender) {
  LinkHarness h(ends, run);
  h.latency[sender] = 20;
  bring_up(h);
  const unsigned peer = 1 - sender;
  for (unsigned pause = 0; pause < 20; ++pause) {
    const std::uint64_t heard = h.heard(peer);
    h.viral[sender] = true;
    ASSERT_TRUE(h.until([&] { return h.announced(sender) == pause + 1; }, kSoon));
    h.steps(pause);
    h.lose_wires();
    h.phy_done = {true, true};
    h.step();
    h.phy_done = {};
    h.steps(200);
    EXPECT_EQ(h.heard(peer), heard + 1) << "pause " << pause;
    EXPECT_EQ(h.announced(sender), pause + 1);
    h.viral[sender] = false;
    h.steps(2);
  }
  EXPECT_EQ(h.errors(0) | h.errors(1), link_err::kRetry);
  expect_at_rest(h, ends);
}

// Viral before the link is up, and over a restart: announced after each initialisation, once.
inline void viral_over_restart(Ends& ends, Lockstep& run, unsigned sender) {
  LinkHarness h(ends, run);
  h.viral[sender] = true;
  bool initialised = false;
  h.on_flit = [&](WireFlit& f) {
    initialised |= h.out()[f.wire].init_done && f.wire == sender;
    EXPECT_TRUE(initialised || !announces(f.flit));
  };
  for (unsigned start = 1; start <= 4; ++start) {
    h.link_up = {true, true};
    EXPECT_TRUE(h.until([&] { return h.announced(sender) == start; }, kSoon));
    h.steps(300);
    EXPECT_EQ(h.announced(sender), start);
    EXPECT_EQ(h.heard(1 - sender), start);
    expect_at_rest(h, ends);
    h.link_up = {false, false};
    h.steps(start);
    initialised = false;
    h.restart_monitor(0);
    h.restart_monitor(1);
  }
}

// Nobody is told by a RETRY.Ack that is not the answer waited for.
inline void viral_ack_out_of_place(Ends& ends, Lockstep& run, unsigned sender) {
  LinkHarness h(ends, run);
  bring_up(h);
  const unsigned peer = 1 - sender;
  // Nothing was asked for, whatever number it carries.
  for (const std::uint8_t number : {0, 1}) {
    inject_framed(h, sender, 5,
                  control_payload(flits::RetryAck{.viral = true, .num_retry = number}));
    EXPECT_EQ(h.heard(peer), 0u);
    EXPECT_EQ(h.errors(peer), link_err::kUnexpectedAck);
  }
  // The peer waits for an answer to its first request.
  h.load.link_stall[sender] = 100;
  Payload bad = control_payload(flits::RetryIdle{});
  bool spoiled = false;
  h.on_flit = [&](WireFlit& f) {
    if (f.wire != sender || spoiled) return;
    spoiled = true;
    f.damage(h.random());
  };
  h.inject(sender, bad);
  const auto waits = [&] {
    return ends.twin(peer).link().local().state == RetryLocal::State::kLocalIdle;
  };
  EXPECT_TRUE(h.until(waits, kSoon));
  h.steps(20);
  inject_framed(h, sender, 5, control_payload(flits::RetryAck{.viral = true, .num_retry = 2}));
  EXPECT_EQ(h.heard(peer), 0u);  // to another request
  inject_framed(h, sender, 4, control_payload(flits::RetryAck{.viral = true, .num_retry = 1}));
  EXPECT_EQ(h.heard(peer), 0u);  // a Frame is missing
  EXPECT_TRUE(waits());
  // Right, and in the cycle in which Recovery ends: it was the answer.
  for (unsigned i = 0; i < 5; ++i) h.inject(sender, control_payload(flits::RetryFrame{}));
  h.inject(sender, control_payload(flits::RetryAck{.viral = true, .num_retry = 1}));
  unsigned arrived = 0;
  h.on_arrival = [&](unsigned wire, const CrcFlit&) { arrived += wire == sender; };
  EXPECT_TRUE(h.until([&] { return arrived == 6; }, kSoon));
  h.phy_done[peer] = true;  // the Ack is in R2
  h.step();
  h.phy_done[peer] = false;
  h.step();
  EXPECT_EQ(h.heard(peer), 1u);
  h.load.link_stall[sender] = 0;
  h.steps(200);
  EXPECT_EQ(h.heard(peer), 1u);  // what the end itself answers says nothing of viral
}

// Both ends, one after the other and with traffic all the time: nothing is lost, the wire breaks no
// rule, each end is told.
inline void viral_under_traffic(Ends& ends, Lockstep& run, unsigned flit_error_ppm,
                                std::uint64_t cycles) {
  LinkHarness h(ends, run);
  h.latency = {25, 31};
  MemTraffic traffic(h, 60);
  bring_up(h);
  h.load.link_stall = {20, 20};
  h.load.rx_stall = {10, 10};
  h.load.flit_error_ppm = flit_error_ppm;
  for (std::uint64_t i = 0; i < cycles && h.ok(); ++i) {
    if (i == cycles / 4) h.viral[1] = true;
    if (i == cycles / 2) h.viral[0] = true;
    traffic.step();
  }
  h.load = {};
  EXPECT_TRUE(h.until([&] { return traffic.idle(); }, 50000));
  expect_at_rest(h, ends);
  expect_no_findings(traffic.checker());
  EXPECT_GT(traffic.answered(), cycles / 50);
  for (unsigned end = 0; end < 2; ++end) {
    const auto d = end == 0 ? flits::Direction::M2S : flits::Direction::S2M;
    EXPECT_EQ(h.announced(end), 1u) << side(end);
    EXPECT_EQ(traffic.checker().viral_announcements(d), 1u) << side(end);
    EXPECT_GE(h.heard(end), 1u) << side(end);
    if (flit_error_ppm == 0) {
      EXPECT_EQ(h.heard(end), 1u) << side(end);
    }
  }
}

}  // namespace cxlgpu::test::scenario
