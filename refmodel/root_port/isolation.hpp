// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Completion time-out and isolation of one root port.
//
// Purpose: the capability structure (ID 9) as registers, the tick that ages the memory queue, and
//          the state in which the queue answers by itself; holds the link down if software wants
//          it.
// Units:   periods and the counter in clock cycles (1 ns at 1 GHz); addr is a byte offset, the
//          register is addr[11:2].
// Errors:  writes to what is absent or read-only are ignored, reads of what is absent give 0; a
//          write that would end isolation while the memory queue is busy is ignored for that bit.
// Source:  docs/blocks/root_port/isolation.md; regs/timeout.yaml (CXL 3.x, 8.2.4.24).
#pragma once

#include <cstdint>

#include "common/register_types.hpp"

namespace cxlgpu {

class Isolation {
 public:
  struct In {
    bool valid = false, write = false;  // only for 000h..7FFh
    std::uint32_t addr = 0, wdata = 0;
    bool link_up = false;    // CXL.mem link layer alive and initialised
    bool abort = false;      // the link's retry gave up
    bool timed_out = false;  // the memory queue has an entry that waited too long
    bool busy = false;       // the memory queue is not empty
  };
  struct Out {
    std::uint32_t rdata = 0;  // 0 but in the cycle after a read
    bool tick = false;
    bool isolated = false;
    bool force_down = false;  // the port holds its link down
  };

  // Cycles from tick to tick, by mem_value of control.
  [[nodiscard]] static std::uint64_t period(unsigned mem_value);

  [[nodiscard]] Out eval(const In&) const {
    const bool isolated = regs_.status.mem_isolation;
    return {rdata_, tick_, isolated, isolated && regs_.control.mem_link_down};
  }
  void clock(const In& in);

 private:
  // The bits of status, with the causes of this cycle.
  void update_status(const In& in, bool went_down);

  regs::timeout::Regs regs_;
  bool was_usable_ = false;
  std::uint64_t waited_ = 0;  // of the period
  bool tick_ = false;
  std::uint32_t rdata_ = 0;
};

}  // namespace cxlgpu
