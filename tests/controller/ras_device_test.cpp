// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ras of a device, whose Poison_Enabled is hardwired, in lockstep with its twin. All else is in
// ras_test.cpp.
#include "Vras_device.h"
#include "refmodel/controller/ras.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/controller/ras_world.hpp"

namespace cxlgpu::test {
namespace {

void drive(Vras_device& rtl, const Ras::In& in) {
  set_bits(rtl.reg_req_i, 49, 1, in.valid);
  set_bits(rtl.reg_req_i, 48, 1, in.write);
  set_bits(rtl.reg_req_i, 32, 16, in.addr);
  set_bits(rtl.reg_req_i, 0, 32, in.wdata);
  rtl.uncor_i = in.uncor;
  set_bits(rtl.cor_i, 0, 7, in.cor);
  rtl.poison_i = in.poison;
  rtl.crc_i = in.crc;
  rtl.retry_i = in.retry;
  for (unsigned k = 0; k < in.log_flit.size(); ++k) {
    set_bits(rtl.log_flit_i, std::size_t{32} * k, 32, in.log_flit[k]);
  }
  for (unsigned k = 0; k < in.log_header.size(); ++k) {
    set_bits(rtl.log_header_i, std::size_t{32} * k, 32, in.log_header[k]);
  }
  rtl.log_overflow_i = in.log_overflow;
}

TEST(RasOfADevice, Lockstep) {
  Lockstep run("controller/ras_device", 0x4a6);
  Random random(run.seed());
  Clocked<Vras_device> rtl;
  Ras twin({.poison_fixed = true});
  rtl.reset();
  RasWorld world;
  std::uint64_t cleared = 0;
  while (run.next()) {
    const Ras::In in = world.step(random);
    drive(*rtl, in);
    rtl.settle();
    const Ras::Out out = twin.eval(in);
    run.check("reg_rdata_o", rtl->reg_rdata_o, out.rdata);
    run.check("cor_o", rtl->cor_o, out.cor);
    run.check("nonfatal_o", rtl->nonfatal_o, out.nonfatal);
    run.check("fatal_o", rtl->fatal_o, out.fatal);
    cleared += in.valid && in.write && (in.addr & 0x7c) == regs::ras::kControl &&
               !regs::ras::kControlPoisonEnabled.is_set(in.wdata);
    rtl.edge();
    twin.clock(in);
  }
  if (run.cycle() > 100000) {
    EXPECT_GT(cleared, 100u);
  }
}

// CXL 2.0, 8.2.5.9.5: what software writes does not make poison an uncorrectable error.
TEST(RasOfADevice, PoisonIsCorrectableWhateverIsWritten) {
  test::shows(
      "link",
      "Poison_Enabled is hardwired to 1 in a device: poison received is a correctable error "
      "whatever software writes",
      "CXL 2.0, 8.2.5.9.5");
  namespace reg = regs::ras;
  constexpr std::uint32_t kPoison = 1u << 5, kPoisonEnabled = 1u << 13;
  Clocked<Vras_device> rtl;
  rtl.reset();
  const auto step = [&](const Ras::In& in) {
    drive(*rtl, in);
    rtl.settle();
    rtl.edge();
    drive(*rtl, {});
    rtl.settle();
  };
  const auto write = [&](std::uint32_t addr, std::uint32_t value) {
    step({.valid = true, .write = true, .addr = addr, .wdata = value});
  };
  const auto read = [&](std::uint32_t addr) {
    step({.valid = true, .addr = addr});
    return rtl->reg_rdata_o;
  };
  write(reg::kUncorMask, 0);
  write(reg::kCorMask, 0);
  for (const std::uint32_t value : {0u, ~0u, ~kPoisonEnabled}) {
    write(reg::kControl, value);
    EXPECT_EQ(read(reg::kControl), kPoisonEnabled);
    step({.poison = true});
    EXPECT_TRUE(rtl->cor_o);
    EXPECT_FALSE(rtl->nonfatal_o || rtl->fatal_o);
    EXPECT_EQ(read(reg::kUncorStatus), 0u);
    EXPECT_EQ(read(reg::kCorStatus), kPoison);
    write(reg::kCorStatus, kPoison);
  }
}

}  // namespace
}  // namespace cxlgpu::test
