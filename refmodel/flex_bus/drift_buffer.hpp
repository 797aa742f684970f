// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Drift buffer of one lane: takes up wander between two ends with one reference clock.
//
// Purpose: twin of rtl/flex_bus/drift_buffer.sv.
// Units:   lane words.
// Errors:  overflow and underflow pulses.
// Source:  CXL 2.0 6.7, docs/blocks/flex_bus/elastic_buffer.md.
#pragma once

#include <deque>
#include <optional>

#include "refmodel/flex_bus/lane_word.hpp"

namespace cxlgpu {

class DriftBuffer {
 public:
  struct In {
    bool clear = false;
    std::optional<LaneWord> write = std::nullopt;
    bool read = false;
  };
  struct Out {
    std::optional<LaneWord> word;
    unsigned count = 0;
    bool overflow = false, underflow = false;
  };

  explicit DriftBuffer(unsigned depth = 4, unsigned prime = 2) : depth_(depth), prime_(prime) {}

  [[nodiscard]] Out eval(const In& in) const {
    Out out{.word = {},
            .count = static_cast<unsigned>(words_.size()),
            .overflow = overflow_,
            .underflow = underflow_};
    if (in.read && go() && !words_.empty()) out.word = words_.front();
    return out;
  }
  void clock(const In& in) {
    if (in.clear) {
      *this = DriftBuffer(depth_, prime_);
      return;
    }
    const bool going = go();
    const bool full = words_.size() >= depth_;
    underflow_ = in.read && going && words_.empty();
    overflow_ = in.write && full;
    if (in.read && going && !words_.empty()) words_.pop_front();
    if (in.write && !full) words_.push_back(*in.write);
    primed_ = going;
  }

 private:
  [[nodiscard]] bool go() const { return primed_ || words_.size() >= prime_; }

  unsigned depth_, prime_;
  std::deque<LaneWord> words_;
  bool primed_ = false;
  bool overflow_ = false, underflow_ = false;
};

}  // namespace cxlgpu
