// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What software tells a link layer, and what the link layer tells software.
//
// Purpose: the link side of the link capability structure (link_regs.hpp).
// Units:   flush in cycles; ack_force, llrb_used and num_free in flits; credits in messages.
// Errors:  none.
// Source:  docs/blocks/controller/link_regs.md; CXL 2.0, 8.2.5.11.
#pragma once

namespace cxlgpu {

struct LinkControl {
  bool mdh_disable = false;
  bool init_stall = false;            // INIT.Param is held back
  bool crd_stall = false;             // credits are held back
  unsigned ack_force = 16;            // acknowledgements that force an LLCRD; 0 counts as 16
  unsigned flush = 32;                // cycles without credits or Ak sent that do; 0 counts as 32
  unsigned nd_held = 0, wd_held = 0;  // CXL.mem credits that a starting link does not hand out
  bool operator==(const LinkControl&) const = default;
};

struct LinkStatus {
  unsigned init_state = 0;  // 0 nothing sent or no link, 1 in progress, 2 credits stalled, 3 done
  unsigned llrb_used = 0;   // entries of the retry buffer
  unsigned version = 0, wrap = 0;                    // of the peer's INIT.Param
  unsigned num_retry = 0, num_phy_reinit = 0;        // of its last RETRY.Req
  unsigned wr_ptr = 0, eseq_echo = 0, num_free = 0;  // of its last RETRY.Ack
  unsigned nd_return = 0, wd_return = 0;             // CXL.mem credits still to be returned
  unsigned nd_credit = 0, wd_credit = 0;             // CXL.mem credits to send with
  bool operator==(const LinkStatus&) const = default;
};

}  // namespace cxlgpu
