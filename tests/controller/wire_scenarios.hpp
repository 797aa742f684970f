// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Directed cases made of flits that no controller of ours sends: unframed or unexpected RETRY
// flits, early and second INIT.Param, unknown control flits, reserved slot codes.
//
// Purpose: the receiver's error rules, for twins and RTL alike.
// Units:   cycles; wires as in link_harness.hpp.
// Errors:  GoogleTest failures.
#pragma once

#include "tests/controller/link_scenarios.hpp"

namespace cxlgpu::test::scenario {

inline void inject_framed(LinkHarness& h, unsigned wire, unsigned frames, const Payload& last) {
  for (unsigned i = 0; i < frames; ++i) h.inject(wire, control_payload(flits::RetryFrame{}));
  h.inject(wire, last);
  h.steps(40);
}

// A Req counts after five or more Frames only; the answer is one Ack sequence.
inline void framing(Ends& ends, Lockstep& run, unsigned wire) {
  LinkHarness h(ends, run);
  bring_up(h);
  RetryLog log;
  h.on_flit = [&](WireFlit& f) {
    if (f.wire != wire) log.note(f);
  };
  for (const unsigned frames : {0u, 1u, 4u, 5u, 6u, 13u}) {
    log = {};
    const LinkLayer& sender = ends.twin(wire).link();
    const auto eseq = static_cast<std::uint8_t>(sender.local().eseq);
    inject_framed(h, wire, frames, control_payload(flits::RetryReq{.eseq = eseq, .num_retry = 3}));
    ASSERT_EQ(log.acks.size(), frames >= 5 ? 1u : 0u) << frames << " frames";
    if (frames < 5) continue;
    EXPECT_TRUE(log.acks[0].empty);
    EXPECT_EQ(log.acks[0].num_retry, 3u);
    EXPECT_EQ(log.acks[0].eseq, eseq);
    EXPECT_EQ(log.acks[0].wr_ptr, ends.twin(1 - wire).link().remote().wr_ptr);
  }
  // The Acks found nobody waiting.
  EXPECT_EQ(h.errors(wire), link_err::kUnexpectedAck);
  EXPECT_EQ(h.errors(1 - wire), 0u);
  burst(h, wire, 3, 5);
  EXPECT_TRUE(drain(h, kSoon));
  expect_at_rest(h, ends);
}

inline void unexpected_ack(Ends& ends, Lockstep& run, unsigned wire) {
  LinkHarness h(ends, run);
  bring_up(h);
  inject_framed(h, wire, 4, control_payload(flits::RetryAck{.num_retry = 1}));
  EXPECT_EQ(h.errors(1 - wire), 0u);
  inject_framed(h, wire, 5, control_payload(flits::RetryAck{.num_retry = 1}));
  EXPECT_EQ(h.errors(1 - wire), link_err::kUnexpectedAck);
  EXPECT_EQ(ends.twin(1 - wire).link().local().state, RetryLocal::State::kNormal);
}

// A flit that is not of the peer's making; what it does to sequence numbers no longer matters.
inline unsigned errors_of(Ends& ends, Lockstep& run, unsigned wire, const Payload& payload) {
  LinkHarness h(ends, run);
  bring_up(h);
  h.inject(wire, payload);
  h.steps(30);
  return h.errors(1 - wire);
}

inline void second_init(Ends& ends, Lockstep& run, unsigned wire) {
  EXPECT_EQ(errors_of(ends, run, wire, control_payload(flits::InitParam{.wrap = 22})),
            link_err::kSecondInit);
}

// The same between a data header and the rest of its line: told, and no data are lost.
inline void second_init_in_data(Ends& ends, Lockstep& run, unsigned wire) {
  LinkHarness h(ends, run);
  bring_up(h);
  bool done = false;
  h.on_flit = [&](WireFlit& f) {
    if (done || f.wire != wire || f.retry || f.owed_after == 0 || f.owed_after > 3) return;
    done = true;
    h.inject(wire, control_payload(flits::InitParam{.wrap = 22}));
  };
  h.send_wd(wire);
  h.steps(20);
  EXPECT_TRUE(done);
  EXPECT_TRUE(h.all_delivered());
  EXPECT_EQ(h.errors(1 - wire), link_err::kSecondInit);
}

// More flits acknowledged than were sent: all of the retry buffer is free, and no more than that.
inline void over_ack(Ends& ends, Lockstep& run, unsigned wire) {
  EXPECT_EQ(errors_of(ends, run, wire, control_payload(flits::Llcrd{.full_ack = 200})),
            link_err::kProtocol);
  const unsigned end = 1 - wire;
  EXPECT_EQ(ends.twin(end).link().remote().num_free, end_params(end).llrb_depth);
}

// A peer that goes on past its retry buffer: what waits to be acknowledged is counted up to 1023.
inline void never_acknowledged(Ends& ends, Lockstep& run, unsigned wire) {
  const unsigned end = 1 - wire;
  LinkHarness h(ends, run);
  bring_up(h);
  h.load.link_stall[end] = 100;
  for (unsigned i = 0; i < 1100; ++i) h.inject(wire, control_payload(flits::Llcrd{}));
  h.steps(1200);
  EXPECT_EQ(ends.twin(end).link().num_ack(), 1023u);
  h.load.link_stall[end] = 0;
  h.steps(500);
  EXPECT_LE(ends.twin(end).link().num_ack(), 1u);  // one alone is not worth a flit
  EXPECT_EQ(h.errors(end), 0u);
  EXPECT_EQ(h.errors(wire), link_err::kProtocol);  // it sent none of them
}

inline void unknown_control(Ends& ends, Lockstep& run, unsigned wire) {
  Payload payload = control_payload(flits::RetryIdle{});
  payload[4] = 0x05;
  EXPECT_EQ(errors_of(ends, run, wire, payload), link_err::kProtocol);
}

inline void unknown_retry(Ends& ends, Lockstep& run, unsigned wire) {
  Payload payload = control_payload(flits::RetryIdle{});
  payload[4] = 0x71;  // a RETRY flit of no kind there is
  EXPECT_EQ(errors_of(ends, run, wire, payload), link_err::kProtocol);
}

// Constant bits of RETRY flits are looked at.
inline void bent_retry_flit(Ends& ends, Lockstep& run, unsigned wire) {
  Payload payload = control_payload(flits::RetryFrame{});
  payload[40] = 1;
  EXPECT_EQ(errors_of(ends, run, wire, payload), link_err::kProtocol);
}

inline void reserved_slot_code(Ends& ends, Lockstep& run, unsigned wire) {
  Payload payload{};
  payload[0] = 7 << 5;  // H7
  EXPECT_EQ(errors_of(ends, run, wire, payload), link_err::kProtocol);
}

// The peer stays down: an LLCRD comes before its INIT.Param.
inline void before_init(Ends& ends, Lockstep& run, unsigned wire) {
  LinkHarness h(ends, run);
  h.link_up[wire] = false;
  h.steps(20);
  h.inject(wire, control_payload(flits::RetryIdle{}));
  h.steps(20);
  EXPECT_EQ(h.errors(1 - wire), 0u);
  h.inject(wire, control_payload(flits::Llcrd{}));
  h.steps(20);
  EXPECT_EQ(h.errors(1 - wire), link_err::kBeforeInit);
  h.inject(wire, control_payload(flits::InitParam{.wrap = 40}));
  h.steps(20);
  EXPECT_EQ(h.errors(1 - wire), link_err::kBeforeInit);
  EXPECT_TRUE(h.out()[1 - wire].init_done);
}

// A flit that carries messages with all bits but Valid 0 in the named places of slot 0.
inline Payload bare_s2m(unsigned code, unsigned places, bool with_data) {
  Payload payload{};
  flits::FlitHeader header{.sz = with_data};
  header.format[0] = static_cast<std::uint8_t>(code);
  or_slot(payload, 0, flits::pack_header(header));
  const auto all = flits::slot_format(flits::Direction::S2M, 0, code).places();
  for (unsigned i = 0; i < places; ++i) or_slot(payload, 0, place_message(1, all[i]));
  return payload;
}

// More messages than the receive FIFOs of the host hold, against all credits.
inline void overflow(Ends& ends, Lockstep& run) {
  LinkHarness h(ends, run);
  h.scoreboard = false;
  bring_up(h);
  h.load.rx_stall = {100, 100};
  const auto expect = [&](unsigned errors, unsigned nd, unsigned wd) {
    h.steps(150);
    EXPECT_EQ(h.errors(0), errors);
    EXPECT_EQ(h.out()[0].rx_nd_count, nd);
    EXPECT_EQ(h.out()[0].rx_wd_count, wd);
    h.clear_errors();
  };
  const Payload one = bare_s2m(4, 1, false), two = bare_s2m(4, 2, false);
  for (unsigned i = 0; i < 15; ++i) h.inject(1, two);
  h.inject(1, one);
  expect(0, 31, 0);
  h.inject(1, two);  // room for the first
  expect(link_err::kOverflow, 32, 0);
  h.inject(1, one);
  expect(link_err::kOverflow, 32, 0);
  for (unsigned i = 0; i < 32; ++i) {
    h.inject(1, bare_s2m(3, 1, true));
    h.inject(1, Payload{});  // the last chunk
  }
  expect(0, 32, 32);
  h.inject(1, bare_s2m(3, 1, true));
  h.inject(1, Payload{});
  expect(link_err::kOverflow, 32, 32);
}

// Errors from the first flit on: initialisation is repaired like anything else.
inline void noisy_bring_up(Ends& ends, Lockstep& run, unsigned sender) {
  LinkHarness h(ends, run);
  unsigned count = 0;
  h.on_flit = [&](WireFlit& f) {
    if (f.wire == sender && ++count <= 12 && h.random().percent(40)) f.damage(h.random());
  };
  EXPECT_TRUE(h.until([&] { return h.initialised(); }, kAfterTimeout));
  burst(h, sender, 3, 12);
  EXPECT_TRUE(drain(h, kAfterTimeout));
  expect_at_rest(h, ends);
}

}  // namespace cxlgpu::test::scenario
