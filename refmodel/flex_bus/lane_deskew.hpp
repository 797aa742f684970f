// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Lane deskew: makes words out of lanes that arrive at different times.
//
// Purpose: twin of rtl/flex_bus/lane_deskew.sv.
// Units:   lane words.
// Errors:  Out::lost: the lanes no longer agree.
// Source:  PCIe 5.0 4.2.2.5, docs/blocks/flex_bus/lane_deskew.md.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "refmodel/flex_bus/lane_word.hpp"

namespace cxlgpu {

class LaneDeskew {
 public:
  struct In {
    bool clear = false, bypass = false;
    std::array<std::optional<LaneWord>, kMaxLanes> lane;
  };
  struct Out {
    Word word;
    bool aligned = false, lost = false;
  };

  explicit LaneDeskew(unsigned lanes, unsigned depth = 8) : depth_(depth), queue_(lanes) {}
  [[nodiscard]] Out eval(const In&) const;
  void clock(const In& in);
  [[nodiscard]] bool in_skp() const { return in_skp_; }
  [[nodiscard]] std::size_t held(unsigned lane) const { return queue_[lane].size(); }

 private:
  using Queue = std::deque<LaneWord>;
  enum class Move : std::uint8_t { kNone, kWord, kDrop, kLost };

  [[nodiscard]] Move move() const;
  [[nodiscard]] bool droppable(const LaneWord& head) const;

  unsigned depth_;
  std::vector<Queue> queue_;
  bool aligned_ = false, in_skp_ = false, lost_ = false;
};

}  // namespace cxlgpu
