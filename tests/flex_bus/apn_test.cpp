// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// apn in lockstep with its twin: both ends, large and small goals, peers that follow the rules,
// answer wrongly or fall silent; and two ends of the RTL that negotiate with each other.
#include "refmodel/flex_bus/apn.hpp"

#include "Vapn.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/flex_bus/ports.hpp"

namespace cxlgpu::test {
namespace {

namespace caps = apn_caps;

constexpr unsigned kEnds = 5;
// As in apn_tb.sv.
Apn make_twin(unsigned g) {
  const bool is_dsp = g % 2 == 0;
  if (g == 4) return {is_dsp, {}};
  if (g < 2) return {is_dsp, {.timeout = 100}};
  return {is_dsp,
          {.ts_received = 2, .ts_sent = 3, .null_received = 1, .null_sent = 1, .timeout = 20}};
}

class Ends {
 public:
  Lockstep run{"flex_bus/apn", 0xA9};
  std::array<Apn::In, kEnds> in;
  std::array<Apn::Out, kEnds> out;  // of the last compared state, with the inputs then

  Ends() { reset(); }
  // What the outputs are in this cycle; the inputs may still change.
  Apn::Out peek(unsigned g) const { return twin_[g].eval(in[g]); }
  void step() {
    for (unsigned g = 0; g < kEnds; ++g) apply(g);
    rtl_.settle();
    compare();
    rtl_.edge();
    for (unsigned g = 0; g < kEnds; ++g) twin_[g].clock(in[g]);
  }
  void reset() {
    for (unsigned g = 0; g < kEnds; ++g) twin_[g] = make_twin(g);
    rtl_->rst_ni = 0;
    rtl_.settle();
    compare();
    rtl_.reset();
  }

 private:
  void apply(unsigned g) {
    set_bits(rtl_->start_i, g, 1, in[g].start);
    set_bits(rtl_->advertise_i, 32 * g, 24, in[g].advertise);
    set_bits(rtl_->common_clock_i, g, 1, in[g].common_clock);
    set_bits(rtl_->retimer_present_i, 2 * g, 2, in[g].retimers);
    set_bits(rtl_->speed_done_i, g, 1, in[g].speed_done);
    set_bits(rtl_->speed_ok_i, g, 1, in[g].speed_ok);
    set_bits(rtl_->recovery_i, g, 1, in[g].recovery);
    set_bits(rtl_->ts_rx_valid_i, g, 1, in[g].ts.has_value());
    if (in[g].ts) set_bits(rtl_->ts_rx_i, 64 * g, 57, pack(*in[g].ts));
    set_bits(rtl_->null_sent_i, g, 1, in[g].null_sent);
    set_bits(rtl_->null_rcvd_i, g, 1, in[g].null_received);
  }
  void compare() {
    for (unsigned g = 0; g < kEnds; ++g) {
      out[g] = twin_[g].eval(in[g]);
      const Apn::Out& twin = out[g];
      run.check("ts_tx_valid_o", get_bits(rtl_->ts_tx_valid_o, g, 1), twin.ts.has_value());
      run.check("ts_tx_o", get_bits(rtl_->ts_tx_o, 64 * g, 57), twin.ts ? pack(*twin.ts) : 0);
      run.check("state_o", get_bits(rtl_->state_o, 3 * g, 3), static_cast<unsigned>(twin.state));
      run.check("done_o", get_bits(rtl_->done_o, g, 1), twin.done);
      run.check("cxl_o", get_bits(rtl_->cxl_o, g, 1), twin.cxl);
      run.check("caps_o", get_bits(rtl_->caps_o, 32 * g, 24), twin.caps);
      run.check("bypass_o", get_bits(rtl_->bypass_o, g, 1), twin.bypass);
      run.check("expect_o", get_bits(rtl_->expect_o, 4 * g, 4), twin.expect);
      run.check("rx_run_o", get_bits(rtl_->rx_run_o, g, 1), twin.rx_run);
      run.check("tx_run_o", get_bits(rtl_->tx_run_o, g, 1), twin.tx_run);
      run.check("l0_o", get_bits(rtl_->l0_o, g, 1), twin.l0);
      run.check("recovery_o", get_bits(rtl_->recovery_o, g, 1), twin.recovery);
      if (!run.ok()) {
        ADD_FAILURE() << "end " << g << ", state before the edge "
                      << static_cast<unsigned>(twin.state);
        return;
      }
    }
  }

  Clocked<Vapn> rtl_;
  std::vector<Apn> twin_{kEnds, make_twin(0)};
};

std::uint32_t random_caps(Random& random) {
  const auto noise = static_cast<std::uint32_t>(random.bits(24));
  switch (random.below(4)) {
    case 0:
      return noise;
    case 1:
      return noise & static_cast<std::uint32_t>(random.bits(24));
    default:
      return noise | caps::kIo | caps::kMem;
  }
}

// The peer of one end, and the other inputs.
class Peer {
 public:
  void drive(Random& random, Apn::In& in, const Apn::Out& now) {
    if (random.below(300) == 0) {
      silent_ = random.percent(15);
      wild_ = random.pick(std::array{0u, 0u, 2u, 30u});
      calls_recovery_ = random.pick(std::array{0u, 0u, 1u, 10u});
      null_percent_ = random.pick(std::array{0u, 20u, 60u, 60u});
    }
    const bool idle = now.state == ApnState::kIdle;
    if (idle && random.percent(20)) {
      in.advertise = random_caps(random);
      in.common_clock = random.percent(80);
      in.retimers = random.percent(60) ? 0 : static_cast<unsigned>(random.bits(2));
    }
    if (random.below(200) == 0) in.common_clock = !in.common_clock;
    in.start = random.percent(idle ? 20 : 2);
    in.speed_done = random.percent(10);
    in.speed_ok = random.percent(90);
    in.recovery = random.percent(calls_recovery_);
    in.null_sent = random.percent(null_percent_);
    in.null_received = random.percent(null_percent_);
    in.ts.reset();
    if (!silent_ && random.percent(80)) in.ts = answer(random, in, now);
  }

 private:
  // What a peer in step with this end sends, sometimes something else.
  ApnTs answer(Random& random, const Apn::In& in, const Apn::Out& now) {
    ApnTs ts{.is_ts2 = false,
             .caps = now.caps,
             .vendor = 0x1E98,
             .common_clock = random.percent(90),
             .usage = 2};
    // A link at work hears training sets only when the peer recovers.
    if (now.l0 || (now.state == ApnState::kEntry && !random.percent(1))) {
      ts.is_ts2 = !random.percent(1);
    } else {
      ts.is_ts2 = now.state == ApnState::kTs2 || now.state == ApnState::kRecoveryTs2 ||
                  (now.state == ApnState::kTs1 && random.percent(50));
    }
    if (now.state == ApnState::kTs1) {
      ts.caps = random.percent(60) ? in.advertise & random_caps(random) : random_caps(random);
    }
    if (!random.percent(wild_)) return ts;
    switch (random.below(8)) {
      case 0:
        ts.caps ^= 1u << random.below(24);
        break;
      case 1:
        ts.vendor ^= static_cast<std::uint16_t>(1u << random.below(16));
        break;
      case 2:
        ts.usage ^= static_cast<std::uint8_t>(1u << random.below(3));
        break;
      case 3:
        ts.protocol ^= static_cast<std::uint8_t>(1u << random.below(3));
        break;
      case 4:
        ts.status = static_cast<std::uint8_t>(random.bits(2));  // says nothing here
        ts.reserved = static_cast<std::uint8_t>(random.bits(7));
        break;
      case 5:
        ts.is_ts2 = !ts.is_ts2;
        break;
      case 6:
        ts = unpack_ts(static_cast<std::uint64_t>(ts.is_ts2) << 56);  // no modified set
        break;
      default:
        ts = unpack_ts(random.bits(57));
        break;
    }
    return ts;
  }

  bool silent_ = false;
  unsigned wild_ = 0, calls_recovery_ = 0, null_percent_ = 50;
};

TEST(Apn, Lockstep) {
  Ends ends;
  const Cycles cycles(200000);
  Random random(ends.run.seed());
  std::array<Peer, kEnds> peer;
  // [end][state]: times entered
  std::array<std::array<std::uint64_t, 8>, kEnds> entered{};
  std::array<std::uint64_t, kEnds> pcie{}, bypass{};
  std::array<Apn::Out, kEnds> before;
  while (cycles.next(ends.run)) {
    for (unsigned g = 0; g < kEnds; ++g) peer[g].drive(random, ends.in[g], ends.peek(g));
    before = ends.out;
    ends.step();
    for (unsigned g = 0; g < kEnds; ++g) {
      const Apn::Out& now = ends.out[g];
      if (now.state == before[g].state) continue;
      ++entered[g][static_cast<unsigned>(now.state)];
      pcie[g] += now.state == ApnState::kIdle && now.done && !now.cxl;
      bypass[g] += now.l0 && now.bypass;
    }
    if (random.below(5000) == 0) ends.reset();
  }
  if (!cycles.full(ends.run)) return;
  for (unsigned g = 0; g < kEnds; ++g) {
    for (unsigned s = 0; s < 8; ++s) EXPECT_GT(entered[g][s], 20u) << "end " << g << " state " << s;
    EXPECT_GT(pcie[g], 20u) << g;
    EXPECT_GT(bypass[g], 5u) << g;
  }
}

// Ends 0 and 1 with each other over a link of some cycles each way.
class Link {
 public:
  static constexpr std::uint32_t kType3 =
      caps::kPcie | caps::kIo | caps::kMem | caps::kCxl20 | caps::kBypass;

  explicit Link(unsigned latency) : latency_(latency) {
    for (unsigned g : {0u, 1u}) {
      end(g).advertise = kType3;
      end(g).common_clock = end(g).speed_ok = true;
    }
  }
  Apn::In& end(unsigned g) { return ends_.in[g]; }
  const Apn::Out& seen(unsigned g) { return ends_.out[g]; }

  // Set by a retimer in TS1s and TS2s on their way.
  std::uint32_t retimer_bits = 0;

  void step() {
    for (unsigned g : {0u, 1u}) {
      const Apn::Out now = ends_.peek(g);
      std::optional<ApnTs> ts = now.ts;
      if (ts && now.state == ApnState::kTs1) ts->caps |= retimer_bits;
      wire_[1 - g].push_back({ts, now.tx_run});
      // Every flit is NULL until L0; one a cycle.
      end(g).null_sent = now.tx_run && !now.l0;
      end(g).speed_done = now.state == ApnState::kSpeed;
      end(g).ts.reset();
      end(g).null_received = false;
      if (wire_[g].size() > latency_) {
        end(g).ts = wire_[g].front().ts;
        end(g).null_received = wire_[g].front().flit && now.rx_run;
        wire_[g].pop_front();
      }
    }
    ends_.step();
  }
  // Both ends start, then run until neither trains any more.
  void train(unsigned cycles = 300) {
    end(0).start = end(1).start = true;
    step();
    end(0).start = end(1).start = false;
    for (unsigned i = 0; i < cycles; ++i) step();
  }

 private:
  struct Symbols {
    std::optional<ApnTs> ts;
    bool flit = false;
  };
  Ends ends_;
  unsigned latency_;
  std::array<std::deque<Symbols>, 2> wire_;
};

TEST(Apn, TwoEndsReachL0) {
  for (const unsigned latency : {0u, 1u, 5u, 20u}) {
    Link link(latency);
    link.train();
    for (const unsigned g : {0u, 1u}) {
      EXPECT_TRUE(link.seen(g).l0) << latency;
      EXPECT_TRUE(link.seen(g).done);
      EXPECT_TRUE(link.seen(g).cxl);
      EXPECT_TRUE(link.seen(g).bypass);
      EXPECT_EQ(link.seen(g).caps, caps::kIo | caps::kMem | caps::kCxl20 | caps::kBypass);
      EXPECT_EQ(link.seen(g).expect, 0xFu);
    }
    // One end asks for Recovery: both go through it and come back.
    link.end(1).recovery = true;
    link.step();
    link.end(1).recovery = false;
    bool recovered[2] = {};
    for (unsigned i = 0; i < 300; ++i) {
      link.step();
      for (const unsigned g : {0u, 1u}) {
        recovered[g] |= link.seen(g).state == ApnState::kRecoveryTs2;
      }
    }
    EXPECT_TRUE(recovered[0] && recovered[1]) << latency;
    EXPECT_TRUE(link.seen(0).l0 && link.seen(1).l0) << latency;
  }
}

TEST(Apn, BypassNeedsBothEndsOneClockAndAwareRetimers) {
  const auto bypass = [](auto change) {
    Link link(3);
    change(link);
    link.train();
    EXPECT_TRUE(link.seen(0).l0 && link.seen(1).l0);
    EXPECT_EQ(link.seen(0).bypass, link.seen(1).bypass);
    return link.seen(0).bypass;
  };
  EXPECT_TRUE(bypass([](Link&) {}));
  EXPECT_FALSE(bypass([](Link& l) { l.end(0).advertise &= ~caps::kBypass; }));
  EXPECT_FALSE(bypass([](Link& l) { l.end(1).advertise &= ~caps::kBypass; }));
  EXPECT_FALSE(bypass([](Link& l) { l.end(0).common_clock = false; }));
  EXPECT_FALSE(bypass([](Link& l) { l.end(1).common_clock = false; }));
  EXPECT_FALSE(bypass([](Link& l) { l.end(0).retimers = 1; }));
  EXPECT_FALSE(bypass([](Link& l) {
    l.end(0).retimers = 3;
    l.retimer_bits = caps::kRetimer1Aware;
  }));
  EXPECT_TRUE(bypass([](Link& l) {
    l.end(0).retimers = 3;
    l.retimer_bits = caps::kRetimer1Aware | caps::kRetimer2Aware;
  }));
}

TEST(Apn, FallsBackToPcie) {
  const auto pcie = [](auto change) {
    Link link(3);
    change(link);
    link.train();
    for (const unsigned g : {0u, 1u}) {
      EXPECT_EQ(link.seen(g).state, ApnState::kIdle);
      EXPECT_TRUE(link.seen(g).done);
      EXPECT_FALSE(link.seen(g).cxl);
      EXPECT_EQ(link.seen(g).caps, caps::kPcie);
      EXPECT_EQ(link.seen(g).expect, 0u);
    }
  };
  pcie([](Link& l) { l.end(0).advertise = caps::kPcie; });
  pcie([](Link& l) { l.end(1).advertise = caps::kPcie; });
  pcie([](Link& l) { l.end(1).advertise = caps::kPcie | caps::kIo; });  // neither mem nor cache
  pcie([](Link& l) { l.end(1).advertise = caps::kPcie | caps::kMem; });
  pcie([](Link& l) { l.end(0).speed_ok = l.end(1).speed_ok = false; });
}

}  // namespace
}  // namespace cxlgpu::test
