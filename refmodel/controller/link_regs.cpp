// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/link_regs.hpp"

#include <algorithm>

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

LinkRegs::LinkRegs(const Config& config)
    : config_(config),
      wrap_(config.llrb_depth - (config.wrap_inclusive ? 1 : 0)),
      written_{.nd_credits = config.nd_rx_depth, .wd_credits = config.wd_rx_depth},
      acting_(written_) {}

LinkRegs::Out LinkRegs::eval() const {
  const auto held = [](unsigned depth, unsigned credits) {
    return depth - std::min(depth, credits);
  };
  return {.rdata = rdata_,
          .control = {.mdh_disable = acting_.mdh_disable,
                      .init_stall = init_stall_,
                      .crd_stall = crd_stall_,
                      .ack_force = acting_.ack_force,
                      .flush = acting_.flush,
                      .nd_held = held(config_.nd_rx_depth, acting_.nd_credits),
                      .wd_held = held(config_.wd_rx_depth, acting_.wd_credits)}};
}

// The whole register that a word belongs to.
std::uint64_t LinkRegs::read(std::uint32_t addr, const LinkStatus& s) const {
  if (word(addr) == reg::kAckTimer) {
    return reg::kAckTimerAckForce.put(written_.ack_force) | reg::kAckTimerFlush.put(written_.flush);
  }
  switch (word(addr) & ~7u) {
    case reg::kCapability:
      return reg::kCapabilityVersionSupported.put(version_) |
             reg::kCapabilityVersionReceived.put(s.version) |
             reg::kCapabilityWrapSupported.put(wrap_) | reg::kCapabilityWrapReceived.put(s.wrap) |
             reg::kCapabilityNumRetry.put(s.num_retry) |
             reg::kCapabilityNumPhyReinit.put(s.num_phy_reinit) |
             reg::kCapabilityWrPtr.put(s.wr_ptr) | reg::kCapabilityEseqEcho.put(s.eseq_echo) |
             reg::kCapabilityNumFreeBuf.put(s.num_free) | reg::kCapabilityNoLlReset.put(1);
    case reg::kControl:
      return reg::kControlInitStall.put(init_stall_) | reg::kControlCrdStall.put(crd_stall_) |
             reg::kControlInitState.put(s.init_state) | reg::kControlLlrbConsumed.put(s.llrb_used);
    case reg::kRxCredit:
      return credits(written_.nd_credits, written_.wd_credits);
    case reg::kRxCreditReturn:
      return credits(s.nd_return, s.wd_return);
    case reg::kTxCredit:
      return credits(s.nd_credit, s.wd_credit);
    case reg::kDefeature:
      return reg::kDefeatureMdhDisable.put(written_.mdh_disable);
    default:
      return 0;
  }
}

void LinkRegs::write(std::uint32_t addr, std::uint32_t value) {
  // A word of a register of two: the other keeps what the register has.
  const auto whole = [&](std::uint64_t before) {
    const unsigned shift = (addr & 4) == 0 ? 0 : 32;
    return (before & ~(std::uint64_t{0xffff'ffff} << shift)) | std::uint64_t{value} << shift;
  };
  switch (word(addr)) {
    case reg::kCapability:
      version_ = static_cast<unsigned>(reg::kCapabilityVersionSupported.get(value));
      wrap_ = static_cast<unsigned>(reg::kCapabilityWrapSupported.get(value));
      break;
    case reg::kControl:
      init_stall_ = reg::kControlInitStall.is_set(value);
      crd_stall_ = reg::kControlCrdStall.is_set(value);
      break;
    case reg::kRxCredit:
    case reg::kRxCredit + 4: {
      const std::uint64_t now = whole(credits(written_.nd_credits, written_.wd_credits));
      written_.nd_credits = static_cast<unsigned>(reg::kRxCreditMemNd.get(now));
      written_.wd_credits = static_cast<unsigned>(reg::kRxCreditMemData.get(now));
      break;
    }
    case reg::kAckTimer:
      written_.ack_force = reg::kAckTimerAckForce.get(value);
      written_.flush = reg::kAckTimerFlush.get(value);
      break;
    case reg::kDefeature:
      written_.mdh_disable = reg::kDefeatureMdhDisable.is_set(value);
      break;
    default:
      break;
  }
}

void LinkRegs::clock(const In& in) {
  rdata_ = 0;
  if (!in.link_up) acting_ = written_;  // a write of this cycle is too late
  if (!in.valid) return;
  if (in.write) {
    write(in.addr, in.wdata);
  } else {
    const std::uint64_t value = read(in.addr, in.status);
    rdata_ = static_cast<std::uint32_t>((in.addr & 4) == 0 ? value : value >> 32);
  }
}

}  // namespace cxlgpu
