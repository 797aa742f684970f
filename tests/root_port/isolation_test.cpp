// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// isolation: the twin in lockstep with the RTL, and its rules by hand.
#include "refmodel/root_port/isolation.hpp"

#include <array>
#include <cstdlib>

#include "Visolation.h"
#include "refmodel/common/registers.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"

namespace cxlgpu {
namespace {

namespace tmo = regs::timeout;
using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr std::uint64_t kShort = 50'000;  // period of mem_value 1
constexpr std::uint64_t kDefault = 5'000'000;

constexpr std::uint32_t kEnable = tmo::kControlMemEnable.put(1);
constexpr std::uint32_t kIsolate = tmo::kControlMemIsolation.put(1);
constexpr std::uint32_t kHoldDown = tmo::kControlMemLinkDown.put(1);
constexpr std::uint32_t kTimedOut = tmo::kStatusMemTimeout.put(1);
constexpr std::uint32_t kIsolated = tmo::kStatusMemIsolation.put(1);
constexpr std::uint32_t kLinkDown = tmo::kStatusMemLinkDown.put(1);
constexpr std::uint32_t kBusy = tmo::kStatusBusy.put(1);

void write(Isolation::In& in, std::uint32_t addr, std::uint32_t wdata) {
  in.valid = in.write = true;
  in.addr = addr;
  in.wdata = wdata;
}

// Twin and RTL, one cycle a step.
class Pair {
 public:
  explicit Pair(std::uint64_t seed) : lockstep_("root_port/isolation", seed) { reset(); }

  Lockstep& lockstep() { return lockstep_; }
  bool force_down() {
    rtl_.settle();
    return rtl_->force_down_o != 0;
  }
  void reset() {
    rtl_.reset();
    twin_ = {};
  }
  Isolation::Out step(const Isolation::In& in) {
    test::set_bits(rtl_->reg_req_i, 49, 1, in.valid);
    test::set_bits(rtl_->reg_req_i, 48, 1, in.write);
    test::set_bits(rtl_->reg_req_i, 32, 16, in.addr);
    test::set_bits(rtl_->reg_req_i, 0, 32, in.wdata);
    rtl_->link_up_i = in.link_up;
    rtl_->abort_i = in.abort;
    rtl_->timed_out_i = in.timed_out;
    rtl_->busy_i = in.busy;
    rtl_.settle();
    const Isolation::Out twin = twin_.eval(in);
    Isolation::Out out = twin;  // what the RTL says: the rules by hand are its own
    out.rdata = rtl_->reg_rdata_o;
    out.tick = rtl_->tick_o != 0;
    out.isolated = rtl_->isolated_o != 0;
    lockstep_.check("reg_rdata_o", out.rdata, twin.rdata);
    lockstep_.check("tick_o", out.tick, twin.tick);
    lockstep_.check("isolated_o", out.isolated, twin.isolated);
    out.force_down = rtl_->force_down_o != 0;
    lockstep_.check("force_down_o", out.force_down, twin.force_down);
    twin_.clock(in);
    rtl_.edge();
    return out;
  }

 private:
  Lockstep lockstep_;
  Clocked<Visolation> rtl_;
  Isolation twin_;
};

// What happens around the block, random; rates change every few hundred cycles.
class World {
 public:
  Isolation::In step(Random& random, bool isolated) {
    if (random.below(200) == 0) change(random);
    Isolation::In in;
    if (random.percent(link_changes_)) up_ = !up_;
    in.link_up = up_;
    in.abort = random.percent(aborts_);
    in.timed_out = random.percent(time_outs_);
    if (!isolated) busy_ = random.percent(80);  // in isolation it drains, mostly
    if (isolated && busy_ && random.percent(drains_)) busy_ = false;
    in.busy = busy_ || random.percent(5);

    in.valid = random.percent(accesses_);
    in.write = random.percent(60);
    const std::array<std::uint32_t, 6> known{tmo::kCapability, 0x4,          tmo::kControl,
                                             tmo::kStatus,     tmo::kStatus, tmo::kStatus};
    const bool elsewhere = random.percent(15);
    // addr[11] is 0, the page and the byte in the register do not count.
    in.addr = static_cast<std::uint32_t>(elsewhere ? random.bits(11) & ~3u : random.pick(known));
    if (elsewhere && random.percent(50)) {  // one address bit off
      in.addr = random.pick(known) | 1u << (4 + random.below(7));
    }
    in.addr |= static_cast<std::uint32_t>(random.bits(4) << 12 | random.bits(2));
    in.wdata = static_cast<std::uint32_t>(random.bits(32));
    // Enables that stay for a while, or nothing but their changes would be seen.
    if (in.write && (in.addr & 0xffc) == tmo::kControl && random.percent(80)) in.valid = false;
    return in;
  }

 private:
  void change(Random& random) {
    const std::array<unsigned, 6> rates{0, 0, 1, 5, 30, 60};
    link_changes_ = random.pick(rates);
    aborts_ = random.pick(rates);
    time_outs_ = random.pick(rates);
    drains_ = 1 + static_cast<unsigned>(random.below(50));
    accesses_ = 5 + static_cast<unsigned>(random.below(96));
  }
  bool up_ = false, busy_ = false;
  unsigned link_changes_ = 0, aborts_ = 0, time_outs_ = 0, drains_ = 20, accesses_ = 50;
};

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

// A write in any cycle around the tick begins the period anew, and takes the tick after it away.
TEST(Isolation, AnyWriteToControlRestartsThePeriod) {
  Pair pair(2);
  for (const std::uint64_t at : {kShort / 2, kShort - 2, kShort - 1, kShort, kShort + 1}) {
    write_control(pair, kEnable | 1);
    // Cycles 0 .. at-1; the write is in cycle `at`.
    std::uint64_t left = at;
    while (left != 0) {
      const std::uint64_t tick = until_tick(pair, left);
      if (tick == left) break;
      EXPECT_EQ(tick, kShort);
      left -= tick + 1;
    }
    write_control(pair, kEnable | kIsolate | 1);
    EXPECT_EQ(until_tick(pair, 2 * kShort), kShort) << "write in cycle " << at;
  }
}

TEST(Isolation, PeriodsOfTheSpecification) {
  struct Code {
    unsigned value;
    double min, max;  // seconds, of the time-out, which is one to two periods
  };
  for (const Code code : {Code{0, 50e-6, 10e-3}, Code{1, 50e-6, 100e-6}, Code{2, 1e-3, 10e-3},
                          Code{5, 16e-3, 55e-3}, Code{6, 65e-3, 210e-3}, Code{9, 260e-3, 900e-3},
                          Code{0xa, 1, 3.5}, Code{0xd, 4, 13}, Code{0xe, 17, 64}}) {
    const double period = static_cast<double>(Isolation::period(code.value)) * 1e-9;
    EXPECT_GE(period, code.min) << code.value;
    EXPECT_LE(2 * period, code.max) << code.value;
  }
  for (const unsigned value : {3u, 4u, 7u, 8u, 0xbu, 0xcu, 0xfu}) {
    EXPECT_EQ(Isolation::period(value), Isolation::period(0)) << value;
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

// The others are too long to run out here: none is the short one, and the long ones not the
// default. All of it with CXLGPU_LONG=1, one code with CXLGPU_MEM_VALUE (400 ms take minutes, 30 s
// hours).
TEST(Isolation, LongPeriodsInRtl) {
  const bool all = test::from_environment("CXLGPU_LONG", 0) != 0;
  const auto only = test::from_environment("CXLGPU_MEM_VALUE", 16);
  for (unsigned value = 2; value < 16; ++value) {
    if (all && only < 16 && only != value) continue;
    const std::uint64_t period = Isolation::period(value);
    const std::uint64_t part = (period > kDefault ? kDefault : kShort) + 2;
    const std::uint64_t limit = all ? 2 * period : part;
    EXPECT_EQ(rtl_period(value, limit), all ? period : limit) << value;
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
