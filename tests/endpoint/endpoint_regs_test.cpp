// endpoint_regs: the twin in lockstep with the RTL, and its corners by hand.
#include "refmodel/endpoint/endpoint_regs.hpp"

#include <algorithm>
#include <array>

#include "Vendpoint_regs.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"

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
    const EndpointRegs::Out out = compare(in);
    if (!lockstep.ok()) return out;
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
    for (unsigned k = 0; k < 3; ++k) {
      lockstep.check("ingress_th_o", test::get_bits(rtl_->ingress_th_o, 7 * k, 7),
                     out.thresholds.ingress[k]);
      lockstep.check("mshr_th_o", test::get_bits(rtl_->mshr_th_o, 7 * k, 7),
                     out.thresholds.mshr[k]);
    }
    return out;
  }

  EndpointRegs twin_;
  Clocked<Vendpoint_regs> rtl_;
};

// A register that is there, with any of the bits that do not count, or one beside it.
std::uint32_t random_addr(Random& random) {
  std::uint32_t addr = random.pick(std::array{0x800u, 0x804u, 0x808u, 0x80cu, 0x810u});
  if (random.percent(15)) addr ^= 4u << random.below(9);
  if (random.percent(5)) addr = static_cast<std::uint32_t>(random.bits(12));
  return addr | 0x800 | static_cast<std::uint32_t>(random.bits(4)) << 12 |
         static_cast<std::uint32_t>(random.bits(2));
}

TEST(EndpointRegs, LockstepWithRtl) {
  Pair pair;
  Random random(pair.lockstep.seed());
  std::uint64_t counted_reads = 0;
  while (pair.lockstep.next()) {
    EndpointRegs::In in;
    in.valid = random.percent(80);
    in.write = random.percent(40);
    in.addr = in.valid ? random_addr(random) : static_cast<std::uint32_t>(random.bits(16));
    in.wdata = static_cast<std::uint32_t>(random.bits(32));
    in.write_back_done = random.percent(50);
    pair.step(in);
    counted_reads += in.valid && !in.write && (in.addr & 0x7fc) == 0x010 && in.write_back_done;
    if (random.below(5000) == 0) pair.reset();
  }
  if (pair.lockstep.cycle() > 100000) {
    EXPECT_GT(counted_reads, 1000u);
  }
}

TEST(EndpointRegs, ResetValues) {
  Pair pair;
  EXPECT_EQ(pair.read(0x800), 0u);
  EXPECT_EQ(pair.read(0x804), 10u);
  EXPECT_EQ(pair.read(0x808), 0x180c04u);
  EXPECT_EQ(pair.read(0x80c), 0x302010u);
  EXPECT_EQ(pair.read(0x810), 0u);
}

TEST(EndpointRegs, OnlyTheListedBitsAreStored) {
  Pair pair;
  for (const std::uint32_t addr : {0x800u, 0x804u, 0x808u, 0x80cu, 0x810u, 0x814u, 0xa00u}) {
    pair.write(addr, ~0u);
  }
  EXPECT_EQ(pair.read(0x800), 3u);
  EXPECT_EQ(pair.read(0x804), 10u);
  EXPECT_EQ(pair.read(0x808), 0x7f7f7fu);
  EXPECT_EQ(pair.read(0x80c), 0x7f7f7fu);
  EXPECT_EQ(pair.read(0x810), 0u);
  EXPECT_EQ(pair.read(0x814), 0u);
  EXPECT_EQ(pair.read(0xa00), 0u);
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
  EXPECT_EQ(out.thresholds.ingress[0], 1u);
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

}  // namespace
}  // namespace cxlgpu
