// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/link_regs.hpp"

#include <algorithm>

namespace cxlgpu {

LinkRegs::LinkRegs(const Config& config) : config_(config) {
  regs_.capability.wrap_supported = config.llrb_depth - (config.wrap_inclusive ? 1 : 0);
  regs_.rx_credit.mem_nd = config.nd_rx_depth;
  regs_.rx_credit.mem_data = config.wd_rx_depth;
  acting_ = written();
}

LinkRegs::Out LinkRegs::eval() const {
  const auto held = [](unsigned depth, unsigned credits) {
    return depth - std::min(depth, credits);
  };
  return {.rdata = rdata_,
          .control = {.mdh_disable = acting_.defeature.mdh_disable,
                      .init_stall = regs_.control.init_stall,
                      .crd_stall = regs_.control.crd_stall,
                      .ack_force = acting_.timer.ack_force,
                      .flush = acting_.timer.flush,
                      .nd_held = held(config_.nd_rx_depth, acting_.credits.mem_nd),
                      .wd_held = held(config_.wd_rx_depth, acting_.credits.mem_data)}};
}

regs::link::Regs LinkRegs::registers(const LinkStatus& s) const {
  regs::link::Regs regs = regs_;
  regs.capability.version_received = s.version;
  regs.capability.wrap_received = s.wrap;
  regs.capability.num_retry = s.num_retry;
  regs.capability.num_phy_reinit = s.num_phy_reinit;
  regs.capability.wr_ptr = s.wr_ptr;
  regs.capability.eseq_echo = s.eseq_echo;
  regs.capability.num_free_buf = s.num_free;
  regs.control.init_state = s.init_state;
  regs.control.llrb_consumed = s.llrb_used;
  regs.rx_credit_return.mem_nd = s.nd_return;
  regs.rx_credit_return.mem_data = s.wd_return;
  regs.tx_credit.mem_nd = s.nd_credit;
  regs.tx_credit.mem_data = s.wd_credit;
  return regs;
}

void LinkRegs::clock(const In& in) {
  rdata_ = 0;
  if (!in.link_up) acting_ = written();  // a write of this cycle is too late
  if (!in.valid) return;
  const std::uint32_t offset = in.addr & 0x3c;
  if (in.write) {
    regs_.write_at(offset, in.wdata);
  } else {
    rdata_ = registers(in.status).word_at(offset);
  }
}

}  // namespace cxlgpu
