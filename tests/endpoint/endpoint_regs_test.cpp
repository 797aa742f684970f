// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// endpoint_regs: the twin in lockstep with the RTL, and its corners by hand.
#include "refmodel/endpoint/endpoint_regs.hpp"

#include <algorithm>
#include <array>

#include "Vendpoint_regs.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_registers.hpp"
#include "tests/endpoint/load_types.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

class Pair {
 public:
  Pair() { rtl_.reset(); }

  Lockstep lockstep{"endpoint/endpoint_regs", 0xe9};

  // One cycle: outputs compared, then the edge. The outputs are those before the edge.
  EndpointRegs::Out step(const EndpointRegs::In& in) {
    test::set_bits(rtl_->reg_req_i, 49, 1, in.valid);
    test::set_bits(rtl_->reg_req_i, 48, 1, in.write);
    test::set_bits(rtl_->reg_req_i, 32, 16, in.addr);
    test::set_bits(rtl_->reg_req_i, 0, 32, in.wdata);
    rtl_->write_back_done_i = in.write_back_done;
    rtl_->event_i = in.events;
    rtl_->load_status_i = test::load_status_bits(in.load_status);
    const EndpointRegs::Out out = compare(in);
    if (!lockstep.ok()) return out;
    meet(in);
    twin_.clock(in);
    rtl_.edge();
    return out;
  }
  // The reset is asynchronous: the outputs follow it before any edge.
  void reset() {
    twin_ = EndpointRegs();
    rtl_->rst_ni = 0;
    compare({});
    rtl_.reset();
  }

  void write(std::uint32_t addr, std::uint32_t value) {
    step({.valid = true, .write = true, .addr = addr, .wdata = value});
  }
  std::uint32_t read(std::uint32_t addr) {
    step({.valid = true, .write = false, .addr = addr});
    return step({}).rdata;
  }

 private:
  EndpointRegs::Out compare(const EndpointRegs::In& in) {
    rtl_.settle();
    const EndpointRegs::Out out = twin_.eval(in);
    lockstep.check("reg_rdata_o", rtl_->reg_rdata_o, out.rdata);
    lockstep.check("dram_enable_o", rtl_->dram_enable_o, out.dram_enable);
    lockstep.check("len_enable_o", rtl_->len_enable_o, out.len_enable);
    lockstep.check("sets_log2_o", rtl_->sets_log2_o, out.sets_log2);
    lockstep.check("open_max_o", rtl_->open_max_o, out.open_max);
    lockstep.check("persistent_from_o", std::uint64_t{rtl_->persistent_from_o} << 28,
                   out.persistent_from);
    lockstep.check("durable_o", rtl_->durable_o, static_cast<unsigned>(out.durable));
    test::for_each_load_control_field(
        out.load, [&](const char* name, std::size_t lo, std::size_t width, auto value) {
          lockstep.check(name, test::get_bits(rtl_->load_control_o, lo, width), value);
        });
    return out;
  }

  void meet(const EndpointRegs::In& in) {
    using coverage::CounterAccess;
    const unsigned events = in.events | unsigned{in.write_back_done} << kDramEvents;
    const std::uint32_t at = in.addr & 0x7fc;
    for (unsigned n = 0; n <= kDramEvents; ++n) {
      const bool addressed = in.valid && at == (n == kDramEvents ? 0x010 : 0x030 + 4 * n);
      const CounterAccess access = !addressed ? CounterAccess::Other
                                   : in.write ? CounterAccess::Write
                                              : CounterAccess::Read;
      counters_.hit({n, events >> n & 1, before_ >> n & 1, static_cast<unsigned>(access)});
    }
    before_ = events;
  }

  unsigned before_ = 0;  // events of the cycle before
  test::TestCoverage counters_{coverage::endpoint_counter_pairs()};
  EndpointRegs twin_;
  Clocked<Vendpoint_regs> rtl_;
};

// A register that is there, with any of the bits that do not count, or one beside it.
std::uint32_t random_addr(Random& random) {
  auto addr = 0x800 + 4 * static_cast<std::uint32_t>(random.below(25));
  if (random.percent(15)) addr ^= 4u << random.below(9);
  if (random.percent(5)) addr = static_cast<std::uint32_t>(random.bits(12));
  return addr | 0x800 | static_cast<std::uint32_t>(random.bits(4)) << 12 |
         static_cast<std::uint32_t>(random.bits(2));
}

LoadStatus random_status(Random& random) {
  LoadStatus status;
  status.dev_load = static_cast<std::uint8_t>(random.bits(2));
  status.egress = static_cast<std::uint8_t>(random.bits(2));
  for (auto& level : status.level) level = static_cast<std::uint8_t>(random.bits(2));
  status.backpressure = static_cast<std::uint8_t>(random.bits(7));
  return status;
}

TEST(EndpointRegs, LockstepWithRtl) {
  Pair pair;
  Random random(pair.lockstep.seed());
  std::uint64_t counted_reads = 0;
  std::array<std::uint64_t, kDramEvents> event_reads{};
  while (pair.lockstep.next()) {
    EndpointRegs::In in;
    in.valid = random.percent(80);
    in.write = random.percent(40);
    in.addr = in.valid ? random_addr(random) : static_cast<std::uint32_t>(random.bits(16));
    in.wdata = static_cast<std::uint32_t>(random.bits(32));
    in.write_back_done = random.percent(50);
    if (random.percent(70)) in.events = static_cast<DramEvents>(random.bits(kDramEvents));
    in.load_status = random_status(random);
    pair.step(in);
    const std::uint32_t at = in.addr & 0x7fc;
    const bool is_read = in.valid && !in.write;
    counted_reads += is_read && at == 0x010 && in.write_back_done;
    if (is_read && at >= 0x030 && at < 0x030 + 4 * kDramEvents) {
      const unsigned event = (at - 0x030) / 4;
      event_reads[event] += in.events >> event & 1u;
    }
    if (random.below(5000) == 0) pair.reset();
  }
  if (pair.lockstep.cycle() > 100000) {
    EXPECT_GT(counted_reads, 500u);
    for (const std::uint64_t reads : event_reads) EXPECT_GT(reads, 500u);
  }
}

constexpr std::uint32_t kSizes = 128 | 256 << 16;  // MSHRs, bytes of a line

TEST(EndpointRegs, ResetValues) {
  Pair pair;
  EXPECT_EQ(pair.read(0x800), 0u);
  EXPECT_EQ(pair.read(0x804), 10u);
  EXPECT_EQ(pair.read(0x808), 0x180c04u);
  EXPECT_EQ(pair.read(0x80c), 0x302010u);
  EXPECT_EQ(pair.read(0x810), 0u);
  EXPECT_EQ(pair.read(0x814), 0x7f7f7fu);
  EXPECT_EQ(pair.read(0x818), 0x7f7f7fu);
  EXPECT_EQ(pair.read(0x81c), 0x08190a00u);
  for (std::uint32_t addr = 0x820; addr < 0x880; addr += 4) {
    EXPECT_EQ(pair.read(addr), addr == 0x824 ? kSizes : 0u);
  }
}

TEST(EndpointRegs, OnlyTheListedBitsAreStored) {
  Pair pair;
  for (std::uint32_t addr = 0x800; addr < 0x880; addr += 4) pair.write(addr, ~0u);
  pair.write(0xa00, ~0u);
  EXPECT_EQ(pair.read(0x800), 3u);
  EXPECT_EQ(pair.read(0x804), 10u);
  EXPECT_EQ(pair.read(0x808), 0x7f7f7f7fu);
  EXPECT_EQ(pair.read(0x80c), 0x7f7f7f7fu);
  EXPECT_EQ(pair.read(0x810), 0u);
  EXPECT_EQ(pair.read(0x814), 0x7f7f7f7fu);
  EXPECT_EQ(pair.read(0x818), 0x7f7f7fu);  // no margin
  EXPECT_EQ(pair.read(0x81c), 0x1f7f7f03u);
  for (std::uint32_t addr = 0x820; addr < 0x880; addr += 4) {
    const std::uint32_t expected = addr == 0x824   ? kSizes
                                   : addr == 0x828 ? 64u
                                   : addr == 0x85c ? 0xff'ffffu
                                   : addr == 0x860 ? 2u
                                                   : 0u;
    EXPECT_EQ(pair.read(addr), expected);
  }
  EXPECT_EQ(pair.read(0xa00), 0u);
}

TEST(EndpointRegs, OpenLinesAreCappedByHalfTheMshrs) {
  Pair pair;
  for (const std::uint32_t value : {0u, 1u, 63u, 64u, 65u, 255u, 256u, 0x107u}) {
    pair.write(0x828, value);
    EXPECT_EQ(pair.read(0x828), std::min(value % 256, 64u));
    EXPECT_EQ(pair.step({}).open_max, std::min(value % 256, 64u));
  }
}

TEST(EndpointRegs, WhatPersistsAndWhenAWriteOfItIsDone) {
  Pair pair;
  pair.write(0x85c, 0xab00'0001);
  EXPECT_EQ(pair.read(0x85c), 1u);
  EXPECT_EQ(pair.step({}).persistent_from, 0x1000'0000u);
  pair.write(0x85c, 0x80'0000);
  EXPECT_EQ(pair.step({}).persistent_from, std::uint64_t{1} << 51);
  for (const std::uint32_t value : {1u, 2u, 3u, 0u, 5u, 7u, ~3u}) {
    pair.write(0x860, value);
    EXPECT_EQ(pair.read(0x860), std::min(value % 4, 2u));
    EXPECT_EQ(static_cast<unsigned>(pair.step({}).durable), std::min(value % 4, 2u));
  }
}

TEST(EndpointRegs, SetsAreCappedByFourBits) {
  Pair pair;
  for (std::uint32_t value = 0; value < 32; ++value) {
    pair.write(0x804, value);
    EXPECT_EQ(pair.read(0x804), std::min(value % 16, 10u));
  }
}

TEST(EndpointRegs, AddressBitsThatDoNotCount) {
  Pair pair;
  pair.write(0xf80b, 0x010203);
  EXPECT_EQ(pair.read(0x0808), 0x010203u);
  EXPECT_EQ(pair.read(0x5809), 0x010203u);
  EXPECT_EQ(pair.read(0x0a08), 0u);
}

TEST(EndpointRegs, ReadDataIsZeroAfterAnyOtherCycle) {
  Pair pair;
  pair.step({.valid = true, .write = false, .addr = 0x808});
  EXPECT_EQ(pair.step({.valid = true, .write = true, .addr = 0x808, .wdata = 1}).rdata, 0x180c04u);
  const EndpointRegs::Out out = pair.step({.valid = false, .write = false, .addr = 0x808});
  EXPECT_EQ(out.rdata, 0u);  // after a write
  EXPECT_EQ(out.load.measure[0].thresholds[0], 1u);
  EXPECT_EQ(pair.step({}).rdata, 0u);  // after an idle cycle
}

TEST(EndpointRegs, ACountIsReadAsItWasBeforeItsEdge) {
  Pair pair;
  EndpointRegs::In in{.valid = true, .write = false, .addr = 0x810};
  in.write_back_done = true;
  for (unsigned i = 0; i < 5; ++i) pair.step(in);
  EXPECT_EQ(pair.step({}).rdata, 4u);
  EXPECT_EQ(pair.read(0x810), 5u);
  // A write does not hold it up.
  pair.step({.valid = true, .write = true, .addr = 0x810, .wdata = 99, .write_back_done = true});
  EXPECT_EQ(pair.read(0x810), 6u);
}

TEST(EndpointRegs, EventsAreCountedEachOnItsOwn) {
  Pair pair;
  for (unsigned event = 0; event < kDramEvents; ++event) {
    for (unsigned i = 0; i <= event; ++i)
      pair.step({.events = static_cast<DramEvents>(1u << event)});
  }
  for (unsigned event = 0; event < kDramEvents; ++event) {
    const std::uint32_t addr = 0x830 + 4 * event;
    EXPECT_EQ(pair.read(addr), event + 1);
    // As before its edge, and counted all the same.
    pair.step({.valid = true, .addr = addr, .events = static_cast<DramEvents>(1u << event)});
    EXPECT_EQ(pair.step({}).rdata, event + 1) << event;
    EXPECT_EQ(pair.read(addr), event + 2);
  }
}

TEST(EndpointRegs, StatusIsThatOfTheRequestsCycle) {
  Pair pair;
  EndpointRegs::In in{.valid = true, .addr = 0x820};
  in.load_status = {.dev_load = 3, .egress = 2, .level = {1, 2, 3, 1}, .backpressure = 77};
  pair.step(in);
  EXPECT_EQ(pair.step({}).rdata,
            77u | 1u << 8 | 2u << 10 | 3u << 12 | 1u << 14 | 2u << 16 | 3u << 18);
}

}  // namespace
}  // namespace cxlgpu
