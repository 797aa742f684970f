// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// link_regs: the twin in lockstep with the RTL, and its rules by hand on both.
#include "refmodel/controller/link_regs.hpp"

#include <array>

#include "Vlink_regs.h"
#include "tests/common/requirement.hpp"
#include "tests/controller/link_status.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_registers.hpp"

namespace cxlgpu::test {
namespace {

LinkRegs::In read_of(std::uint32_t addr) {
  LinkRegs::In in;
  in.valid = true;
  in.addr = addr;
  return in;
}
LinkRegs::In write_of(std::uint32_t addr, std::uint32_t value) {
  LinkRegs::In in = read_of(addr);
  in.write = true;
  in.wdata = value;
  return in;
}

// Twin and RTL, one cycle a step.
class Pair {
 public:
  explicit Pair(std::uint64_t seed, bool inclusive = false)
      : lockstep("controller/link_regs", seed),
        config_{.wrap_inclusive = inclusive},
        twin_(config_) {
    rtl_->inclusive_i = inclusive;
    rtl_.reset();
  }

  Lockstep lockstep;

  // One cycle: outputs compared, then the edge. The outputs are those before the edge.
  LinkRegs::Out step(const LinkRegs::In& in) {
    set_bits(rtl_->reg_req_i, 49, 1, in.valid);
    set_bits(rtl_->reg_req_i, 48, 1, in.write);
    set_bits(rtl_->reg_req_i, 32, 16, in.addr);
    set_bits(rtl_->reg_req_i, 0, 32, in.wdata);
    rtl_->link_up_i = in.link_up;
    for (const StatusField& f : kStatusFields) {
      set_bits(rtl_->link_status_i, f.lo, f.width, in.status.*f.member);
    }
    const LinkRegs::Out out = compare();
    if (!lockstep.ok()) return out;
    meet(in);
    twin_.clock(in);
    rtl_.edge();
    return out;
  }
  // The reset is asynchronous: the outputs follow it before any edge.
  void reset() {
    twin_ = LinkRegs(config_);
    rtl_->rst_ni = 0;
    compare();
    rtl_.reset();
  }

 private:
  LinkRegs::Out compare() {
    rtl_.settle();
    const LinkRegs::Out out = twin_.eval();
    lockstep.check("reg_rdata_o", rtl_->reg_rdata_o, out.rdata);
    const auto control = [this](unsigned lo, unsigned width) {
      return get_bits(rtl_->link_control_o, lo, width);
    };
    lockstep.check("link_control_o.mdh_disable", control(0, 1), out.control.mdh_disable);
    lockstep.check("link_control_o.init_stall", control(1, 1), out.control.init_stall);
    lockstep.check("link_control_o.crd_stall", control(2, 1), out.control.crd_stall);
    lockstep.check("link_control_o.ack_force", control(3, 8), out.control.ack_force);
    lockstep.check("link_control_o.flush", control(11, 10), out.control.flush);
    lockstep.check("link_control_o.nd_held", control(21, 7), out.control.nd_held);
    lockstep.check("link_control_o.wd_held", control(28, 7), out.control.wd_held);
    return out;
  }

  void meet(const LinkRegs::In& in) {
    bool changes = false;
    for (const StatusField& f : kStatusFields) changes |= in.status.*f.member != status_.*f.member;
    status_ = in.status;
    pairs_.hit(
        {in.valid ? 1u + 2u * in.write + (in.addr >> 2 & 1) : 0u, in.addr >> 3 & 7, changes});
  }

  LinkStatus status_{};  // of the cycle before
  TestCoverage pairs_{coverage::link_regs_pairs()};
  LinkRegs::Config config_;
  LinkRegs twin_;
  Clocked<Vlink_regs> rtl_;
};

LinkStatus random_status(Random& random) {
  LinkStatus status;
  for (const StatusField& f : kStatusFields) {
    status.*f.member =
        static_cast<unsigned>(random.percent(10) ? (1u << f.width) - 1 : random.bits(f.width));
  }
  return status;
}

void lockstep(Pair& pair) {
  Random random(pair.lockstep.seed());
  std::uint64_t reads = 0, writes = 0, holds = 0;
  LinkStatus status;
  bool link_up = false;
  while (pair.lockstep.next()) {
    if (random.below(1000) == 0) pair.reset();
    LinkRegs::In in;
    in.valid = random.percent(80);
    in.write = random.percent(40);
    in.addr = static_cast<std::uint32_t>(random.bits(16));
    if (random.percent(50))
      in.addr = random.pick(std::array{0x0u, 0x8u, 0x10u, 0x14u, 0x28u, 0x30u}) | 0x1200;
    in.wdata = static_cast<std::uint32_t>(random.bits(32));
    // Credits at and around the depths.
    if (random.percent(30))
      in.wdata = static_cast<std::uint32_t>(random.bits(12)) | (in.wdata & 3u << 30);
    if (random.below(20) == 0) link_up = random.percent(60);
    in.link_up = link_up;
    if (random.percent(70)) status = random_status(random);
    in.status = status;
    const LinkRegs::Out out = pair.step(in);
    reads += out.rdata != 0;
    writes += in.valid && in.write;
    holds += out.control.nd_held != 0 && out.control.nd_held != 32 && out.control.wd_held != 0;
  }
  if (pair.lockstep.cycle() < 100000) return;
  EXPECT_GT(reads, pair.lockstep.cycle() / 10);
  EXPECT_GT(writes, pair.lockstep.cycle() / 10);
  EXPECT_GT(holds, pair.lockstep.cycle() / 500);
}

TEST(LinkRegs, Lockstep) {
  Pair pair(0x11c4);
  lockstep(pair);
}
TEST(LinkRegs, LockstepWrapInclusive) {
  Pair pair(0x11c6, true);
  lockstep(pair);
}

// The wrap value of INIT.Param: the depth of the retry buffer, or its last sequence number.
TEST(LinkRegs, WrapSupported) {
  for (const bool inclusive : {false, true}) {
    Pair pair(0x11c7, inclusive);
    pair.step(read_of(0));
    EXPECT_EQ(pair.step({}).rdata, inclusive ? 0x7f02u : 0x8002u);
  }
}

// ---- By hand ----

class ByHand : public ::testing::Test {
 protected:
  Pair pair{0x11c5};
  LinkStatus status{};

  std::uint32_t read(std::uint32_t addr) {
    LinkRegs::In in = read_of(addr);
    in.status = status;
    in.link_up = link_up;
    pair.step(in);
    in.valid = false;
    return pair.step(in).rdata;
  }
  void write(std::uint32_t addr, std::uint32_t value) {
    LinkRegs::In in = write_of(addr, value);
    in.link_up = link_up;
    pair.step(in);
  }
  LinkControl control() {
    LinkRegs::In in;
    in.link_up = link_up;
    return pair.step(in).control;
  }
  bool link_up = false;
};

// CXL 2.0, 8.2.5.11, with what the page says of an end of ours.
TEST_F(ByHand, ResetValues) {
  constexpr std::array<std::uint32_t, 16> kReset{
      0x0000'8002, 0x0400'0000, 0, 0, 0, 0x0000'2008, 0, 0, 0, 0, 0x2010, 0, 0, 0, 0, 0};
  static_assert(kReset[5] == (32u << 8 | 32u >> 2));
  for (unsigned n = 0; n < 16; ++n) EXPECT_EQ(read(4 * n), kReset[n]) << n;
  const LinkControl out = control();
  EXPECT_FALSE(out.mdh_disable || out.init_stall || out.crd_stall);
  EXPECT_EQ(out.ack_force, 16u);
  EXPECT_EQ(out.flush, 32u);
}

TEST_F(ByHand, WhereEachFieldIs) {
  const auto alone = [&](unsigned LinkStatus::*member, unsigned value) {
    status = {};
    status.*member = value;
  };
  const auto expect = [&](std::uint32_t addr, std::uint64_t reset, unsigned lsb, unsigned ones) {
    const std::uint64_t value = reset | std::uint64_t{ones} << lsb;
    EXPECT_EQ(read(addr), static_cast<std::uint32_t>(value));
    EXPECT_EQ(read(addr + 4), static_cast<std::uint32_t>(value >> 32));
  };
  constexpr std::uint64_t kCapability = 0x0400'0000'0000'8002;
  struct Place {
    unsigned LinkStatus::*member;
    unsigned addr, lsb, ones;
  };
  for (const Place& p : {Place{&LinkStatus::version, 0, 4, 0xf},
                         {&LinkStatus::wrap, 0, 16, 0xff},
                         {&LinkStatus::num_retry, 0, 24, 0x1f},
                         {&LinkStatus::num_phy_reinit, 0, 29, 0x1f},
                         {&LinkStatus::wr_ptr, 0, 34, 0xff},
                         {&LinkStatus::eseq_echo, 0, 42, 0xff},
                         {&LinkStatus::num_free, 0, 50, 0xff},
                         {&LinkStatus::init_state, 8, 3, 3},
                         {&LinkStatus::llrb_used, 8, 5, 0xff},
                         {&LinkStatus::nd_return, 0x18, 30, 0x3ff},
                         {&LinkStatus::wd_return, 0x18, 40, 0x3ff},
                         {&LinkStatus::nd_credit, 0x20, 30, 0x3ff},
                         {&LinkStatus::wd_credit, 0x20, 40, 0x3ff}}) {
    alone(p.member, p.ones);
    for (const unsigned addr : {0u, 0x8u, 0x18u, 0x20u}) {
      const std::uint64_t reset = addr == 0 ? kCapability : 0;
      expect(addr, reset, p.lsb, addr == p.addr ? p.ones : 0);
    }
    EXPECT_EQ(read(0x28), 0x2010u);
  }
}

TEST_F(ByHand, WhatCanBeWritten) {
  for (unsigned n = 0; n < 16; ++n) write(4 * n, ~0u);
  constexpr std::array<std::uint32_t, 16> kSet{
      0x0000'ff0f, 0x0400'0000, 6, 0, 3u << 30, 0x3'ffff, 0, 0, 0, 0, 0x3'ffff, 0, 1, 0, 0, 0};
  for (unsigned n = 0; n < 16; ++n) EXPECT_EQ(read(4 * n), kSet[n]) << n;
  const LinkControl set = control();
  EXPECT_TRUE(set.mdh_disable && set.init_stall && set.crd_stall);
  EXPECT_EQ(set.ack_force, 255u);
  EXPECT_EQ(set.flush, 1023u);
  for (unsigned n = 0; n < 16; ++n) write(4 * n, 0);
  const LinkControl clear = control();
  EXPECT_FALSE(clear.mdh_disable || clear.init_stall || clear.crd_stall);
  EXPECT_EQ(clear.ack_force, 0u);  // as written: the link layer knows what 0 counts as
  EXPECT_EQ(clear.flush, 0u);
  EXPECT_EQ(clear.nd_held, 32u);  // no credit at all
  EXPECT_EQ(clear.wd_held, 32u);
  write(0x8, 2);
  EXPECT_TRUE(control().init_stall);
  EXPECT_FALSE(control().crd_stall);
  write(0xd28, 0x1'2345);  // only addr[5:0] counts
  EXPECT_EQ(control().ack_force, 0u);
  EXPECT_EQ(control().ack_force, 0x45u);
  EXPECT_EQ(control().flush, 0x123u);
}

// CXL 2.0, 8.2.5.11.3, .6 and .7: what is written there acts with the next hot reset, so with the
// link down; the stalls of .2 act at once. Reset is that of power-up, so none is lost by it.
TEST_F(ByHand, WhatWaitsForTheHotReset) {
  test::shows("link",
              "Link registers read as written at once; credits to give, Ack timers and MDH Disable "
              "act only once the link is down",
              "CXL 2.0, 8.2.5.11.2, 8.2.5.11.3, 8.2.5.11.6, 8.2.5.11.7");
  constexpr unsigned kNd = 5, kWd = 3;
  control();
  link_up = true;
  const LinkControl before = control();
  EXPECT_EQ(before.nd_held, 0u);
  EXPECT_EQ(before.wd_held, 0u);
  write(0x00, 0xff02);
  write(0x10, (kNd & 3) << 30);
  write(0x14, kNd >> 2 | kWd << 8);
  write(0x28, 0x40 << 8 | 0x20);
  write(0x30, 1);
  for (unsigned n = 0; n < 50; ++n) {
    const LinkControl now = control();
    ASSERT_FALSE(now.mdh_disable);
    ASSERT_EQ(now.ack_force, before.ack_force);
    ASSERT_EQ(now.flush, before.flush);
    ASSERT_EQ(now.nd_held, 0u);
    ASSERT_EQ(now.wd_held, 0u);
  }
  EXPECT_EQ(read(0x00), 0xff02u);
  EXPECT_EQ(read(0x10), (kNd & 3) << 30);
  EXPECT_EQ(read(0x14), kNd >> 2 | kWd << 8);
  EXPECT_EQ(read(0x28), 0x4020u);
  EXPECT_EQ(read(0x30), 1u);
  write(0x08, 6);
  EXPECT_TRUE(control().init_stall);
  EXPECT_TRUE(control().crd_stall);
  write(0x08, 0);
  EXPECT_FALSE(control().init_stall);
  EXPECT_FALSE(control().crd_stall);
  // One cycle without the link, and it is in effect for as long as the next link lasts.
  link_up = false;
  control();
  link_up = true;
  for (unsigned n = 0; n < 3; ++n) {
    const LinkControl now = control();
    EXPECT_TRUE(now.mdh_disable);
    EXPECT_EQ(now.ack_force, 0x20u);
    EXPECT_EQ(now.flush, 0x40u);
    EXPECT_EQ(now.nd_held, 32 - kNd);
    EXPECT_EQ(now.wd_held, 32 - kWd);
    write(0x28, 0x2010);
    write(0x30, 0);
  }
  EXPECT_EQ(read(0x10), (kNd & 3) << 30);
}

// The status is that of the cycle of the request, and data are 0 but after a read.
TEST_F(ByHand, WhenItIsRead) {
  LinkRegs::In in = read_of(0x8);
  in.status.init_state = 3;
  pair.step(in);
  in.valid = false;
  in.status.init_state = 1;
  EXPECT_EQ(pair.step(in).rdata, 3u << 3);
  EXPECT_EQ(pair.step(write_of(0x8, 4)).rdata, 0u);
  EXPECT_EQ(pair.step(read_of(0x8)).rdata, 0u);
  EXPECT_EQ(pair.step({}).rdata, 4u);
  EXPECT_EQ(pair.step({}).rdata, 0u);
}

// ---- The twin alone: other parameters than the RTL is built with here ----

TEST(LinkRegsTwin, Parameters) {
  LinkRegs twin({.llrb_depth = 40, .nd_rx_depth = 24, .wd_rx_depth = 12});
  const auto read = [&](std::uint32_t addr) {
    twin.clock(read_of(addr));
    return twin.eval().rdata;
  };
  EXPECT_EQ(read(0x0), 0x2802u);
  EXPECT_EQ(read(0x10), 0u);
  EXPECT_EQ(read(0x14), 12u << 8 | 24u >> 2);
}

}  // namespace
}  // namespace cxlgpu::test
