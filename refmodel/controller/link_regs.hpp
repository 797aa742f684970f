// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Link capability structure of a CXL.cachemem end.
//
// Purpose: twin of rtl/controller/link_regs.sv: what software sees of a link layer, and the
//          settings that it makes. All of these outlive a hot reset; some wait for one to act.
// Units:   addr is a byte offset, the register word is addr[5:2]; fields as in link_control.hpp.
// Shapes:  64-bit registers are two words, low first.
// Errors:  writes to what is absent or read-only are ignored, reads of what is absent give 0.
// Source:  docs/blocks/controller/link_regs.md; regs/link.yaml (CXL 2.0, 8.2.5.11).
#pragma once

#include <cstdint>

#include "common/register_types.hpp"
#include "refmodel/controller/link_control.hpp"

namespace cxlgpu {

class LinkRegs {
 public:
  struct Config {  // of this end
    unsigned llrb_depth = 128;
    unsigned nd_rx_depth = 32;
    unsigned wd_rx_depth = 32;
    bool wrap_inclusive = false;  // the wrap value is the last sequence number, not their count
  };
  struct In {
    bool valid = false, write = false;
    std::uint32_t addr = 0, wdata = 0;
    bool link_up = false;  // of CXL.mem
    LinkStatus status{};
  };
  struct Out {
    std::uint32_t rdata = 0;  // 0 but in the cycle after a read
    LinkControl control{};
  };

  LinkRegs() : LinkRegs(Config{}) {}
  explicit LinkRegs(const Config& config);
  // Every output is a register, or from registers alone.
  [[nodiscard]] Out eval() const;
  [[nodiscard]] Out eval(const In&) const { return eval(); }
  void clock(const In& in);

 private:
  // What acts from the next time without a link on.
  struct Deferred {
    regs::link::RxCreditReg credits;  // handed out
    regs::link::AckTimerReg timer;
    regs::link::DefeatureReg defeature;
  };
  [[nodiscard]] Deferred written() const {
    return {regs_.rx_credit, regs_.ack_timer, regs_.defeature};
  }
  // The structure as a read sees it in this cycle.
  [[nodiscard]] regs::link::Regs registers(const LinkStatus& status) const;

  Config config_;
  regs::link::Regs regs_;  // what software writes
  Deferred acting_;
  std::uint32_t rdata_ = 0;
};

}  // namespace cxlgpu
