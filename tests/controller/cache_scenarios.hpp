// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// CXL.cache and CXL.mem traffic on one link, for twins and RTL alike.
//
// Purpose: what a link with CXL.cache must do whatever the packing: messages arrive, the wire obeys
//          the protocol checker, snoops stay behind GOs, nobody starves, credits all come back.
// Units:   cycles; loads in percent a cycle.
// Errors:  GoogleTest failures.
#pragma once

#include "tests/controller/mem_traffic.hpp"

namespace cxlgpu::test {

// Fields at random, with codes that are not reserved.
template <typename M>
MsgHeader legal_message(Random& random) {
  M m;
  flits::for_each_field<M>([&](const auto& f) {
    using T = std::remove_cvref_t<decltype(m.*f.member)>;
    if constexpr (std::is_enum_v<T>) {
      const auto& names = flits::NamesOf<T>::table;
      m.*f.member = names[random.below(names.size())].value;
    } else {
      m.*f.member = static_cast<T>(random.bits(f.width) << f.shift);
    }
  });
  m.valid = true;
  return flits::pack(m);
}

inline MsgHeader legal_cache_message(Random& random, unsigned end, CacheChannel channel) {
  switch (channel) {
    case kCreq:
      return end == 0 ? legal_message<flits::H2dReq>(random) : legal_message<flits::D2hReq>(random);
    case kCrsp:
      return end == 0 ? legal_message<flits::H2dRsp>(random) : legal_message<flits::D2hRsp>(random);
    default:
      return end == 0 ? legal_message<flits::H2dDh>(random) : legal_message<flits::D2hDh>(random);
  }
}

namespace scenario {

// Both protocols at once, with bit errors and stalls, under the eyes of the checker.
inline void cache_end_to_end(Ends& ends, Lockstep& run, unsigned flit_error_ppm,
                             std::uint64_t cycles, std::array<unsigned, 2> latency = {25, 31}) {
  LinkHarness h(ends, run);
  h.latency = latency;
  h.cache.make_header = [&h](unsigned end, CacheChannel channel) {
    return legal_cache_message(h.random(), end, channel);
  };
  flits::LinkCheckerOptions options;
  options.cache = true;
  MemTraffic traffic(h, 40, options);
  bring_up(h);
  h.load.link_stall = {20, 20};
  h.load.rx_stall = {10, 10};
  h.load.flit_error_ppm = flit_error_ppm;
  for (unsigned end = 0; end < 2; ++end) {
    h.cache.load[end] = {.offer = {30, 30, 15}, .rx_stall = {10, 10, 10}};
  }
  for (std::uint64_t i = 0; i < cycles && h.ok(); ++i) traffic.step();
  h.load = {};
  h.cache.load = {};
  EXPECT_TRUE(h.until([&] { return traffic.idle(); }, 50000));
  h.steps(8 * latency[0]);  // the last acknowledgements go there and back
  expect_at_rest(h, ends);
  expect_no_findings(traffic.checker());
  EXPECT_EQ(h.injected_errors() > 0, flit_error_ppm > 0);
  // Time-outs of the retry take most of a very noisy run; how much is luck. A long way leaves room
  // for what the credits cover, there and back.
  const std::uint64_t share = flit_error_ppm > 10000 ? 0 : cycles / (latency[0] < 100 ? 50 : 500);
  EXPECT_GT(traffic.answered(), share);
  for (unsigned end = 0; end < 2; ++end) {
    for (const CacheChannel c : {kCreq, kCrsp, kCdat}) EXPECT_GT(h.cache.delivered(end, c), share);
  }
}

// Everything is always offered: each channel still moves. The least share is what is left after
// the channels before it in the packer's lists had theirs.
inline void cache_no_starvation(Ends& ends, Lockstep& run, std::uint64_t cycles) {
  LinkHarness h(ends, run);
  std::array<std::array<std::uint64_t, 2>, 2> mem{};
  h.on_nd = [&](unsigned end, MsgHeader) { ++mem[end][0]; };
  h.on_wd = [&](unsigned end, const WdMessage&) { ++mem[end][1]; };
  bring_up(h);
  h.load.nd = h.load.wd = {100, 100};
  for (CacheLoad& load : h.cache.load) load.offer = {100, 100, 100};
  h.steps(cycles);
  for (unsigned end = 0; end < 2; ++end) {
    for (const std::uint64_t n : mem[end]) EXPECT_GT(n, cycles / 100) << side(end);
    for (const CacheChannel c : {kCreq, kCrsp, kCdat}) {
      EXPECT_GT(h.cache.delivered(end, c), cycles / 100) << side(end) << " channel " << c;
    }
  }
  h.load = {};
  h.cache.load = {};
  EXPECT_TRUE(drain(h, 50000));
  expect_at_rest(h, ends);
}

// A GO that cannot leave (the device takes none, so its credits run out) holds the snoop behind it;
// a snoop before it goes.
inline void snoop_behind_go(Ends& ends, Lockstep& run) {
  LinkHarness h(ends, run);
  bring_up(h);
  h.cache.load[1].rx_stall[kCrsp] = 100;
  const unsigned credits = end_params(1).cache_rx_depth[kCrsp];
  for (unsigned i = 0; i < credits; ++i) h.cache.send(0, kCrsp);
  h.steps(200);
  h.cache.send(0, kCrsp);
  h.steps(20);
  for (unsigned i = 0; i < 3; ++i) h.cache.send(0, kCreq);
  h.steps(500);
  EXPECT_EQ(h.cache.delivered(1, kCreq), 0u);
  EXPECT_EQ(ends.twin(1).cache().received(kCreq), 0u);  // not even on the wire
  h.cache.load[1].rx_stall[kCrsp] = 0;
  EXPECT_TRUE(drain(h, kSoon));
  EXPECT_EQ(h.cache.delivered(1, kCreq), 3u);
  // The receiver keeps the order too: the device does not take the GO that has arrived.
  h.cache.load[1].rx_stall[kCrsp] = 100;
  h.cache.send(0, kCreq);
  h.step();
  h.cache.send(0, kCrsp);
  h.steps(30);
  EXPECT_EQ(h.cache.delivered(1, kCreq), 4u);
  h.cache.send(0, kCreq);
  h.steps(100);
  EXPECT_EQ(ends.twin(1).cache().received(kCreq), 1u);
  EXPECT_EQ(h.cache.delivered(1, kCreq), 4u);
  h.cache.load[1].rx_stall[kCrsp] = 0;
  EXPECT_TRUE(drain(h, kSoon));
  // No such order the other way.
  h.cache.load[0].rx_stall[kCrsp] = 100;
  for (unsigned i = 0; i < end_params(0).cache_rx_depth[kCrsp] + 1; ++i) h.cache.send(1, kCrsp);
  h.cache.send(1, kCreq);
  h.steps(200);
  EXPECT_EQ(h.cache.delivered(0, kCreq), 1u);
  h.cache.load[0].rx_stall[kCrsp] = 0;
  EXPECT_TRUE(drain(h, kSoon));
  expect_at_rest(h, ends);
}

// The latencies of the contract hold for the CXL.cache channels too.
inline void cache_idle_latency(Ends& ends, Lockstep& run, unsigned sender, CacheChannel channel) {
  LinkHarness h(ends, run);
  h.latency = {7, 7};
  bring_up(h);
  std::uint64_t last_arrival = 0, left = 0, seen = 0;
  h.on_flit = [&](WireFlit& f) {
    if (f.wire == sender && left == 0) left = h.cycle();
  };
  h.on_arrival = [&](unsigned wire, const CrcFlit&) {
    if (wire == sender && seen == 0) last_arrival = h.cycle();
  };
  const std::uint64_t sent = h.cycle();
  h.cache.load[sender].partial = 0;
  h.cache.send(sender, channel);
  for (unsigned i = 0; i < 30 && seen == 0; ++i) {
    const std::uint64_t now = h.cycle();
    h.step();
    if (h.out()[1 - sender].cache.rx_valid[channel]) seen = now;
  }
  EXPECT_EQ(left - sent, 3u) << side(sender) << " channel " << channel;
  // With data the second flit completes the message: one cycle later on the wire.
  EXPECT_EQ(last_arrival - left, channel == kCdat ? 8u : 7u);
  EXPECT_EQ(seen - last_arrival, 2u);
}

// One channel that stands still at its receiver does not stop the others.
inline void cache_blocked_channel(Ends& ends, Lockstep& run, unsigned receiver,
                                  CacheChannel blocked) {
  LinkHarness h(ends, run);
  bring_up(h);
  const unsigned sender = 1 - receiver;
  h.cache.load[receiver].rx_stall[blocked] = 100;
  h.load.nd[sender] = h.load.wd[sender] = 30;
  h.cache.load[sender].offer = {30, 30, 30};
  h.steps(2000);
  for (const CacheChannel c : {kCreq, kCrsp, kCdat}) {
    const bool held = c == blocked || (sender == 0 && blocked == kCrsp && c == kCreq);
    if (c == blocked) {
      EXPECT_EQ(h.cache.delivered(receiver, c), 0u);
    } else if (!held) {
      EXPECT_GT(h.cache.delivered(receiver, c), 100u) << "channel " << c;
    }
  }
  EXPECT_GT(h.delivered(), 500u);
  h.cache.load = {};
  h.load = {};
  EXPECT_TRUE(drain(h, 50000));
  expect_at_rest(h, ends);
}

}  // namespace scenario
}  // namespace cxlgpu::test
