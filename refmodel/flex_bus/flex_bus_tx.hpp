// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Flex Bus transmitter: flits to words on the lanes.
//
// Purpose: twin of rtl/flex_bus/flex_bus_tx.sv.
// Units:   blocks of four words; DWs of four bytes.
// Errors:  none.
// Source:  CXL 2.0 6.2 and 6.7, docs/blocks/flex_bus/flex_bus_tx.md.
#pragma once

#include <vector>

#include "refmodel/flex_bus/lane_word.hpp"
#include "refmodel/flex_bus/protocol_id.hpp"

namespace cxlgpu {

class FlexBusTx {
 public:
  struct In {
    bool run = false, bypass = false, flit_en = false;
    bool tx_valid = false;
    FlitKind tx_kind = FlitKind::kNull;
    CrcFlit tx_flit;
  };
  struct Out {
    bool tx_ready = false;
    bool null = false;  // with the word in which a NULL flit begins
    Word word;
  };

  explicit FlexBusTx(unsigned lanes, unsigned bypass_blocks = 340, unsigned sync_blocks = 374)
      : lanes_(lanes), bypass_blocks_(bypass_blocks), sync_blocks_(sync_blocks) {}
  [[nodiscard]] Out eval(const In& in) const { return {takes_flit(in), null_, word_}; }
  void clock(const In& in);

 private:
  // The twin is to be written anew.
};

}  // namespace cxlgpu
