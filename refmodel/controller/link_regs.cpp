// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/link_regs.hpp"

#include "common/registers.hpp"

namespace cxlgpu {
namespace {

namespace reg = regs::link;

constexpr std::uint32_t word(std::uint32_t addr) {
  return addr & 0x3c;
}

std::uint64_t credits(unsigned nd, unsigned wd) {
  return reg::kRxCreditMemNd.put(nd) | reg::kRxCreditMemData.put(wd);
}

}  // namespace

// The whole register that a word belongs to.
std::uint64_t LinkRegs::read(std::uint32_t addr, const LinkStatus& s) const {
  if (word(addr) == reg::kAckTimer) {
    return reg::kAckTimerAckForce.put(control_.ack_force) | reg::kAckTimerFlush.put(control_.flush);
  }
  switch (word(addr) & ~7u) {
    case reg::kCapability:
      return reg::kCapabilityVersionSupported.put(2) |
             reg::kCapabilityVersionReceived.put(s.version) |
             reg::kCapabilityWrapSupported.put(config_.llrb_depth -
                                               (config_.wrap_inclusive ? 1 : 0)) |
             reg::kCapabilityWrapReceived.put(s.wrap) | reg::kCapabilityNumRetry.put(s.num_retry) |
             reg::kCapabilityNumPhyReinit.put(s.num_phy_reinit) |
             reg::kCapabilityWrPtr.put(s.wr_ptr) | reg::kCapabilityEseqEcho.put(s.eseq_echo) |
             reg::kCapabilityNumFreeBuf.put(s.num_free) | reg::kCapabilityNoLlReset.put(1);
    case reg::kControl:
      return reg::kControlInitStall.put(control_.init_stall) |
             reg::kControlCrdStall.put(control_.crd_stall) |
             reg::kControlInitState.put(s.init_state) | reg::kControlLlrbConsumed.put(s.llrb_used);
    case reg::kRxCredit:
      return credits(config_.nd_rx_depth, config_.wd_rx_depth);
    case reg::kRxCreditReturn:
      return credits(s.nd_return, s.wd_return);
    case reg::kTxCredit:
      return credits(s.nd_credit, s.wd_credit);
    case reg::kDefeature:
      return reg::kDefeatureMdhDisable.put(control_.mdh_disable);
    default:
      return 0;
  }
}

void LinkRegs::write(std::uint32_t addr, std::uint32_t value) {
  switch (word(addr)) {
    case reg::kControl:
      control_.init_stall = reg::kControlInitStall.is_set(value);
      control_.crd_stall = reg::kControlCrdStall.is_set(value);
      break;
    case reg::kAckTimer:
      control_.ack_force = reg::kAckTimerAckForce.get(value);
      control_.flush = reg::kAckTimerFlush.get(value);
      break;
    case reg::kDefeature:
      control_.mdh_disable = reg::kDefeatureMdhDisable.is_set(value);
      break;
    default:
      break;
  }
}

void LinkRegs::clock(const In& in) {
  rdata_ = 0;
  if (!in.valid) return;
  if (in.write) {
    write(in.addr, in.wdata);
  } else {
    const std::uint64_t value = read(in.addr, in.status);
    rdata_ = static_cast<std::uint32_t>((in.addr & 4) == 0 ? value : value >> 32);
  }
}

}  // namespace cxlgpu
