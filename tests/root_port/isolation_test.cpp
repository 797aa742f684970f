// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// isolation: the twin in lockstep with the RTL, and its rules by hand.
#include <array>
#include <cstdlib>

#include "Visolation___024root.h"
#include "tests/common/requirement.hpp"
#include "tests/root_port/isolation_bench.hpp"

namespace cxlgpu {
namespace {

using namespace isolation_bench;

TEST(Isolation, LockstepWithRtl) {
  Pair pair(0x150);
  Lockstep& lockstep = pair.lockstep();
  Random random(lockstep.seed());
  World world;
  bool isolated = false, was_status_read = false, ending = false;
  std::uint64_t entered = 0, left = 0, kept = 0, left_with_cause = 0, busy_read = 0;
  std::uint64_t by_link = 0, by_timeout = 0, timeout_read = 0, ended_down = 0;
  Isolation::In before;
  while (lockstep.next()) {
    const Isolation::In in = world.step(random, isolated);
    const Isolation::Out out = pair.step(in);
    entered += out.isolated && !isolated;
    left += !out.isolated && isolated;
    kept += out.isolated && ending;
    left_with_cause += !out.isolated && isolated && before.timed_out;
    if (was_status_read) {
      busy_read += (out.rdata & kBusy) != 0;
      timeout_read += (out.rdata & kTimedOut) != 0;
      by_link += (out.rdata & kIsolated) != 0 && (out.rdata & kLinkDown) != 0;
      by_timeout += (out.rdata & kIsolated) != 0 && (out.rdata & kLinkDown) == 0;
    }
    ended_down += !out.isolated && isolated && !in.link_up;
    isolated = out.isolated;
    const bool status = in.valid && (in.addr & 0xffc) == tmo::kStatus;
    was_status_read = status && !in.write;
    ending = isolated && status && in.write && (in.wdata & kIsolated) != 0;
    before = in;
    if (random.below(1000) == 0) {
      pair.reset();
      world = {};
      isolated = was_status_read = ending = false;
    }
  }
  if (lockstep.cycle() > 100000) {
    EXPECT_GT(entered, 1000u);
    EXPECT_GT(left, 500u);
    EXPECT_GT(kept, 1000u);
    EXPECT_GT(left_with_cause, 50u);
    EXPECT_GT(busy_read, 300u);
    EXPECT_GT(timeout_read, 1000u);
    EXPECT_GT(by_link, 500u);
    EXPECT_GT(by_timeout, 500u);
    EXPECT_GT(ended_down, 100u);
  }
}

// Runs until `cycles` cycles after this one are over or a tick shows; cycle 0 is the next one.
// Returns the cycle of the tick, or `cycles`.
std::uint64_t until_tick(Pair& pair, std::uint64_t cycles) {
  for (std::uint64_t cycle = 0; cycle < cycles && pair.lockstep().ok(); ++cycle) {
    if (pair.step({}).tick) return cycle;
  }
  return cycles;
}

void write_control(Pair& pair, std::uint32_t value) {
  Isolation::In in;
  write(in, tmo::kControl, value);
  pair.step(in);
}

TEST(Isolation, TickOncePerPeriod) {
  Pair pair(1);
  EXPECT_EQ(until_tick(pair, 2 * kShort), 2 * kShort);  // not enabled
  write_control(pair, kEnable | 1);
  EXPECT_EQ(until_tick(pair, 2 * kShort), kShort);
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(until_tick(pair, 2 * kShort), kShort - 1);
  // A read, a write to status and the events of the link do not disturb it.
  Isolation::In in;
  in.valid = in.link_up = true;
  in.addr = tmo::kControl;
  pair.step(in);
  write(in, tmo::kStatus, ~0u);
  pair.step(in);
  write(in, tmo::kCapability, ~0u);
  in.timed_out = in.abort = in.busy = true;
  pair.step(in);
  EXPECT_EQ(until_tick(pair, 2 * kShort), kShort - 4);
  write_control(pair, 1);
  EXPECT_EQ(until_tick(pair, 2 * kShort), 2 * kShort);  // off again
}

// An access in any cycle around the tick: a write of control restarts the period, and takes the
// tick after it away; nothing else disturbs it.
TEST(Isolation, AnyWriteToControlRestartsThePeriod) {
  Pair pair(2);
  enum class Access { kStaysEnabled, kDisables, kReads, kStatus };
  for (const Access access :
       {Access::kStaysEnabled, Access::kDisables, Access::kReads, Access::kStatus}) {
    for (const std::uint64_t at : {kShort / 2, kShort - 2, kShort - 1, kShort, kShort + 1}) {
      SCOPED_TRACE(testing::Message() << "access " << static_cast<int>(access) << " in " << at);
      write_control(pair, kEnable | 1);
      // Cycles 0 .. at-1; the access is in cycle `at`.
      std::uint64_t left = at;
      while (left != 0) {
        const std::uint64_t tick = until_tick(pair, left);
        if (tick == left) break;
        EXPECT_EQ(tick, kShort);
        left -= tick + 1;
      }
      Isolation::In in;
      in.valid = in.write = access != Access::kReads;
      in.valid = true;
      in.addr = access == Access::kStatus ? tmo::kStatus : tmo::kControl;
      in.wdata = access == Access::kDisables ? 1 : kEnable | kIsolate | 1;
      EXPECT_EQ(pair.step(in).tick, at == kShort);
      const std::uint64_t limit = 2 * kShort;
      const std::uint64_t undisturbed = (at < kShort ? kShort : 2 * kShort) - at - 1;
      EXPECT_EQ(until_tick(pair, limit), access == Access::kStaysEnabled ? kShort
                                         : access == Access::kDisables   ? limit
                                                                         : undisturbed);
    }
  }
}

// The cycles from tick to tick at 1 GHz, by mem_value; and what the specification allows a time-out
// to last, which is one to two of them.
struct Code {
  std::uint64_t period;
  double min, max;  // seconds
};
constexpr Code kAsDefault{5'000'000, 50e-6, 10e-3};
constexpr std::array<Code, 16> kCodes{
    kAsDefault, Code{50'000, 50e-6, 100e-6},       Code{5'000'000, 1e-3, 10e-3},     kAsDefault,
    kAsDefault, Code{20'000'000, 16e-3, 55e-3},    Code{100'000'000, 65e-3, 210e-3}, kAsDefault,
    kAsDefault, Code{400'000'000, 260e-3, 900e-3}, Code{1'500'000'000, 1, 3.5},      kAsDefault,
    kAsDefault, Code{6'000'000'000, 4, 13},        Code{30'000'000'000, 17, 64},     kAsDefault};

// Every code in the RTL: the counter of the period is set shortly before places where a tick may
// come, so that the longest period fits as well. It ticks there with the code whose period ends
// there, and with no other.
TEST(Isolation, EveryPeriodCode) {
  test::shows("link",
              "Each code of CXL.mem Transaction Timeout Value gives a time-out within the range of "
              "the specification",
              "CXL 3.x, 8.2.4.24.2");
  Clocked<Visolation> rtl;
  rtl.reset();
  QData& count = rtl->rootp->isolation__DOT__count_q;
  const auto begin = [&](unsigned code, std::uint64_t cycles_over) {
    test::set_bits(rtl->reg_req_i, 48, 2, 3);
    test::set_bits(rtl->reg_req_i, 32, 16, tmo::kControl);
    test::set_bits(rtl->reg_req_i, 0, 32, kEnable | code);
    rtl.edge();
    test::set_bits(rtl->reg_req_i, 48, 2, 0);
    count = cycles_over;
  };
  for (unsigned code = 0; code < 16; ++code) {
    const Code& expected = kCodes[code];
    EXPECT_GE(static_cast<double>(expected.period) * 1e-9, expected.min) << code;
    EXPECT_LE(static_cast<double>(2 * expected.period) * 1e-9, expected.max) << code;
    for (const Code& other : kCodes) {
      if (other.period > expected.period) continue;
      begin(code, other.period - 4);
      for (unsigned cycle = 0; cycle < 8; ++cycle) {
        EXPECT_EQ(rtl->tick_o, other.period == expected.period && cycle == 4)
            << "code " << code << ", " << other.period - 4 + cycle << " cycles over";
        rtl.edge();
      }
    }
    // The carry into each bit of the counter.
    for (unsigned bit = 0; bit < 35 && std::uint64_t{1} << bit < expected.period - 1; ++bit) {
      begin(code, (std::uint64_t{1} << bit) - 1);
      rtl.edge();
      EXPECT_EQ(count, std::uint64_t{1} << bit) << code;
      EXPECT_EQ(rtl->tick_o, 0) << code;
    }
  }
}

// The RTL alone, since nothing but the tick matters, and quickly: only clock edges.
std::uint64_t rtl_period(unsigned mem_value, std::uint64_t limit) {
  Clocked<Visolation> rtl;
  rtl.reset();
  test::set_bits(rtl->reg_req_i, 48, 2, 3);
  test::set_bits(rtl->reg_req_i, 32, 16, tmo::kControl);
  test::set_bits(rtl->reg_req_i, 0, 32, kEnable | mem_value);
  rtl.edge();
  test::set_bits(rtl->reg_req_i, 48, 2, 0);
  std::uint64_t cycle = 0;
  while (rtl->tick_o == 0 && cycle < limit) {
    rtl.edge();
    ++cycle;
  }
  return cycle;
}

TEST(Isolation, DefaultPeriodInRtl) {
  EXPECT_EQ(rtl_period(0, 2 * kDefault), kDefault);
}

// All codes in full with CXLGPU_LONG=1, one of them with CXLGPU_MEM_VALUE too (400 ms take minutes,
// 30 s hours).
TEST(Isolation, LongPeriodsInRtl) {
  if (test::from_environment("CXLGPU_LONG", 0) == 0) return;
  const auto only = test::from_environment("CXLGPU_MEM_VALUE", 16);
  for (unsigned value = 2; value < 16; ++value) {
    if (only < 16 && only != value) continue;
    const std::uint64_t period = kCodes[value].period;
    EXPECT_EQ(rtl_period(value, 2 * period), period) << value;
  }
}

// ---- Rules by hand, on both ----

class ByHand : public ::testing::Test {
 protected:
  // `next` stays from cycle to cycle but for the register access.
  Isolation::Out step() {
    const Isolation::Out out = pair.step(next);
    next.valid = next.write = false;
    return out;
  }
  void control(std::uint32_t value) {
    write(next, tmo::kControl, value);
    step();
  }
  void clear(std::uint32_t bits) {
    write(next, tmo::kStatus, bits);
    step();
  }
  std::uint32_t read(std::uint32_t addr) {
    next.valid = true;
    next.addr = addr;
    step();
    return step().rdata;
  }
  std::uint32_t status() { return read(tmo::kStatus); }
  bool forced() { return pair.force_down(); }  // after the last edge
  void bring_up() {
    next.link_up = true;
    step();
  }

  Pair pair{3};
  Isolation::In next;
};

TEST_F(ByHand, Registers) {
  EXPECT_EQ(read(tmo::kCapability), 0x3001fu);
  EXPECT_EQ(read(tmo::kControl), 0u);
  EXPECT_EQ(status(), 0u);
  control(~0u);
  write(next, tmo::kCapability, 0);
  step();
  EXPECT_EQ(read(tmo::kControl), 0x3001fu);  // no CXL.cache, no signalling
  EXPECT_EQ(read(tmo::kCapability), 0x3001fu);
  EXPECT_EQ(read(0x18), 0u);
  EXPECT_EQ(read(0x408), 0u);
  EXPECT_EQ(status(), 0u);  // writing 1 sets nothing
}

// Each bit of control and of status by itself, and each code of mem_value.
TEST_F(ByHand, EachBitIsItsOwn) {
  for (unsigned bit = 0; bit < 32; ++bit) {
    const std::uint32_t one = 1u << bit;
    control(one);
    EXPECT_EQ(read(tmo::kControl), one & 0x3001fu) << bit;
    control(~one);
    EXPECT_EQ(read(tmo::kControl), ~one & 0x3001fu) << bit;
  }
  for (unsigned code = 0; code < 16; ++code) {
    control(code);
    EXPECT_EQ(read(tmo::kControl), code);
  }
  for (unsigned bit = 0; bit < 32; ++bit) {
    pair.reset();
    next = {};
    bring_up();
    control(kEnable | kIsolate);
    next.timed_out = true;
    next.link_up = false;
    step();  // all three
    next.timed_out = false;
    const std::uint32_t one = 1u << bit;
    clear(one);
    EXPECT_EQ(status(), (kTimedOut | kIsolated | kLinkDown) & ~one) << bit;
  }
}

TEST_F(ByHand, TimeoutIsolatesOnlyIfEnabled) {
  bring_up();
  next.timed_out = true;
  control(kIsolate);
  step();
  next.timed_out = false;
  EXPECT_EQ(status(), 0u);  // no time-out without mem_enable
  control(kEnable | kHoldDown);
  next.timed_out = true;
  step();
  next.timed_out = false;
  EXPECT_EQ(status(), kTimedOut);  // bit 17 isolates nothing
  EXPECT_FALSE(forced());
  control(kEnable | kIsolate);
  next.timed_out = true;
  clear(kTimedOut);  // setting wins
  next.timed_out = false;
  EXPECT_TRUE(step().isolated);
  EXPECT_EQ(status(), kTimedOut | kIsolated);
  next.busy = true;
  EXPECT_EQ(status(), kTimedOut | kIsolated | kBusy);
  clear(kTimedOut);
  EXPECT_EQ(status(), kIsolated | kBusy);
}

TEST_F(ByHand, LinkDownIsolatesIfEnabledAndOnceUp) {
  test::shows("link", "CXL.mem Isolation Enable isolates on a link down as on a time-out",
              "CXL 3.x, 8.2.4.24.2");
  control(kIsolate);
  step();
  EXPECT_EQ(status(), 0u);  // never up is not gone down
  bring_up();
  next.link_up = false;
  EXPECT_FALSE(step().isolated);
  EXPECT_TRUE(step().isolated);
  EXPECT_EQ(status(), kIsolated | kLinkDown);
  clear(kLinkDown);
  EXPECT_EQ(status(), kIsolated);  // it does not begin again
  bring_up();
  clear(kIsolated);
  EXPECT_EQ(status(), 0u);
  // Bit 17 alone isolates nothing.
  control(kEnable | kHoldDown);
  next.link_up = false;
  step();
  step();
  EXPECT_EQ(status(), 0u);
  // A time-out with a link that went down before: not because of the link.
  control(kEnable | kIsolate);
  next.timed_out = true;
  step();
  next.timed_out = false;
  EXPECT_EQ(status(), kTimedOut | kIsolated);
  // Down, while isolated already, does not say so either.
  bring_up();
  next.link_up = false;
  step();
  EXPECT_EQ(status(), kTimedOut | kIsolated);
}

TEST_F(ByHand, AbortIsDown) {
  control(kIsolate);
  next.link_up = next.abort = true;  // never usable
  step();
  step();
  EXPECT_EQ(status(), 0u);
  next.abort = false;
  step();
  next.abort = true;
  step();
  EXPECT_EQ(status(), kIsolated | kLinkDown);
  clear(kIsolated | kLinkDown);  // the abort is still there, but it has begun before
  EXPECT_FALSE(step().isolated);
  EXPECT_EQ(status(), 0u);
}

TEST_F(ByHand, SoftwareEndsIsolationWhateverTheLinkDoes) {
  test::shows("link",
              "Software may end isolation once RP Busy is 0, with the link up or down and whatever "
              "the other status bits are",
              "CXL 3.x, 8.2.4.24.3");
  for (const bool up : {false, true}) {
    for (const bool timed_out : {false, true}) {
      pair.reset();
      next = {};
      bring_up();
      control(kEnable | kIsolate);
      next.timed_out = timed_out;
      next.link_up = timed_out;
      step();
      next.timed_out = false;
      EXPECT_TRUE(step().isolated);
      next.link_up = up;
      step();
      next.busy = true;
      clear(kIsolated);
      EXPECT_TRUE(step().isolated);  // requests left
      next.busy = false;
      clear(~kIsolated);
      EXPECT_TRUE(step().isolated);  // another bit
      clear(kIsolated);
      EXPECT_FALSE(step().isolated);
      for (unsigned i = 0; i < 5; ++i) EXPECT_FALSE(step().isolated);
      EXPECT_EQ(status(), 0u);  // ~kIsolated cleared the others
    }
  }
}

// With the other bits set too: they do not stand in its way, nor does it clear them.
TEST_F(ByHand, OnlyBit8Ends) {
  bring_up();
  control(kEnable | kIsolate);
  next.timed_out = true;
  next.link_up = false;
  step();  // both causes in one cycle
  next.timed_out = false;
  EXPECT_EQ(status(), kTimedOut | kIsolated | kLinkDown);
  clear(kIsolated);
  EXPECT_EQ(status(), kTimedOut | kLinkDown);
}

// Every access with every cause in one cycle, busy or not, isolated before or not.
TEST_F(ByHand, EveryAccessMeetsEveryCause) {
  enum Access { kNone, kRead, kControl, kOthers, kEnds };
  for (const Access access : {kNone, kRead, kControl, kOthers, kEnds}) {
    for (unsigned cause = 0; cause < 4; ++cause) {
      for (const bool busy : {false, true}) {
        for (const bool before : {false, true}) {
          SCOPED_TRACE(testing::Message() << "access " << access << ", cause " << cause << ", busy "
                                          << busy << ", before " << before);
          pair.reset();
          next = {};
          bring_up();
          control(kEnable | kIsolate);
          next.timed_out = before;
          step();
          next.timed_out = (cause & 1) != 0;
          next.link_up = (cause & 2) == 0;
          next.busy = busy;
          if (access == kRead) next.valid = true, next.addr = tmo::kControl;
          if (access == kControl) write(next, tmo::kControl, 0);  // too late for the cause
          if (access == kOthers) write(next, tmo::kStatus, kTimedOut | kLinkDown);
          if (access == kEnds) write(next, tmo::kStatus, kIsolated);
          EXPECT_EQ(step().isolated, before);
          next.timed_out = false;
          const bool ends = access == kEnds && before && !busy;
          const bool isolated = cause != 0 || (before && !ends);
          const bool timed_out = (cause & 1) != 0 || (before && access != kOthers);
          const bool link_down = (cause & 2) != 0 && (!before || ends);
          const Isolation::Out after = step();
          EXPECT_EQ(after.isolated, isolated);
          EXPECT_EQ(after.rdata, access == kRead ? kEnable | kIsolate : 0);
          EXPECT_EQ(status(), (isolated ? kIsolated : 0) | (timed_out ? kTimedOut : 0) |
                                  (link_down ? kLinkDown : 0) | (isolated && busy ? kBusy : 0));
        }
      }
    }
  }
}

// A cause in the cycle in which software ends it: it goes on, and says why.
TEST_F(ByHand, ACauseInTheCycleOfTheEndIsNotLost) {
  for (const bool by_link : {false, true}) {
    pair.reset();
    next = {};
    bring_up();
    control(kEnable | kIsolate);
    next.timed_out = true;
    step();
    next.timed_out = !by_link;
    next.link_up = !by_link;
    clear(kIsolated | kTimedOut | kLinkDown);
    next.timed_out = false;
    EXPECT_TRUE(step().isolated);
    EXPECT_EQ(status(), by_link ? kIsolated | kLinkDown : kIsolated | kTimedOut);
  }
}

TEST_F(ByHand, IsolationHoldsTheLinkDownIfEnabled) {
  test::shows(
      "link",
      "With CXL.mem Isolation Link Down Enable the port holds the link down as long as it is "
      "isolated",
      "CXL 3.x, 8.2.4.24.2, 8.2.4.24.3");
  bring_up();
  control(kEnable | kIsolate | kHoldDown);
  for (unsigned i = 0; i < 3; ++i) {
    step();
    EXPECT_FALSE(forced());
  }
  next.timed_out = true;
  step();
  next.timed_out = false;
  EXPECT_TRUE(forced());
  next.link_up = false;  // as it must
  for (unsigned i = 0; i < 3; ++i) {
    step();
    EXPECT_TRUE(forced());
  }
  EXPECT_EQ(status(), kTimedOut | kIsolated);
  control(kEnable | kIsolate);  // software lets the link train, isolated still
  EXPECT_FALSE(forced());
  EXPECT_TRUE(step().isolated);
  control(kEnable | kIsolate | kHoldDown);
  EXPECT_TRUE(forced());
  clear(kIsolated);
  EXPECT_FALSE(forced());
  EXPECT_EQ(status(), kTimedOut);
}

}  // namespace
}  // namespace cxlgpu
