// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Flex Bus transmitter: flits to words on the lanes.
//
// Purpose: twin of rtl/flex_bus/flex_bus_tx.sv.
// Units:   blocks of four words; bytes in wire order.
// Errors:  none.
// Source:  CXL 2.0 6.2 and 6.7, docs/blocks/flex_bus/flex_bus_tx.md.
#pragma once

#include <deque>

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
  [[nodiscard]] Out eval(const In& in) const {
    return {in.flit_en && room(in) >= kFlitBytes, null_, word_};
  }
  void clock(const In& in);

 private:
  static constexpr unsigned kFlitBytes = 4 * kFlitDws;
  enum class Part : std::uint8_t { kNone, kSds, kData, kSkp };
  struct Place {
    Part part = Part::kNone;
    unsigned word = 0;  // of this part
  };
  [[nodiscard]] unsigned interval_words(const In& in) const;
  [[nodiscard]] Place place(const In& in) const;
  [[nodiscard]] unsigned room(const In& in) const;
  void begin_flit(const In& in, unsigned room);
  void make_word(const In& in, const Place& at);

  unsigned lanes_, bypass_blocks_, sync_blocks_;
  std::uint64_t stream_cycles_ = 0;
  std::deque<std::uint8_t> to_send_;  // of the flit that has begun
  bool null_ = false;
  Word word_;
};

}  // namespace cxlgpu
