// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Elastic buffer of one lane: evens out two clocks by SKP words.
//
// Purpose: twin of rtl/flex_bus/elastic_buffer.sv.
// Units:   lane words.
// Errors:  overflow and underflow pulses.
// Source:  PCIe 5.0 4.2.7, docs/blocks/flex_bus/elastic_buffer.md.
#pragma once

#include <deque>
#include <optional>

#include "refmodel/flex_bus/lane_word.hpp"

namespace cxlgpu {

class ElasticBuffer {
 public:
  struct Sizes {
    unsigned depth = 8, prime = 4, low = 3, high = 5;
  };
  struct In {
    bool clear = false;
    std::optional<LaneWord> write = std::nullopt;
    bool read = false;
  };
  struct Out {
    std::optional<LaneWord> word;
    unsigned count = 0;
    bool added = false, removed = false;
    bool overflow = false, underflow = false;
  };

  ElasticBuffer() = default;
  explicit ElasticBuffer(const Sizes& sizes) : sizes_(sizes) {}

  [[nodiscard]] Out eval(const In& in) const {
    Out out = flags_;
    out.count = static_cast<unsigned>(words_.size());
    out.word = read(in);
    return out;
  }
  void clock(const In& in) {
    if (in.clear) {
      *this = ElasticBuffer(sizes_);
      return;
    }
    const bool going = go();
    const bool full = words_.size() >= sizes_.depth;
    const std::optional<LaneWord> word = read(in);
    flags_ = {};
    flags_.added = adds(in);
    flags_.underflow = in.read && going && !word;
    flags_.removed = removes(in);
    flags_.overflow = in.write && full && !flags_.removed;
    if (word) {
      if (!flags_.added) words_.pop_front();
      set_read_ = word->starts_set(kSkpWord);
    }
    if (in.write) {
      if (!flags_.removed && !full) words_.push_back(*in.write);
      set_written_ = in.write->starts_set(kSkpWord);
    }
    primed_ = going;
  }

 private:
  [[nodiscard]] bool go() const { return primed_ || words_.size() >= sizes_.prime; }
  [[nodiscard]] bool adds(const In& in) const {
    return in.read && go() && set_read_ && words_.size() < sizes_.low;
  }
  [[nodiscard]] bool removes(const In& in) const {
    return in.write && set_written_ && !in.write->start && in.write->data == kSkpWord &&
           words_.size() > sizes_.high;
  }
  [[nodiscard]] std::optional<LaneWord> read(const In& in) const {
    if (adds(in)) return LaneWord{.start = false, .sync = 0, .data = kSkpWord};
    if (in.read && go() && !words_.empty()) return words_.front();
    return std::nullopt;
  }

  Sizes sizes_;
  std::deque<LaneWord> words_;
  bool primed_ = false;
  bool set_written_ = false, set_read_ = false;  // the last word was the first of an SKP set
  Out flags_;
};

}  // namespace cxlgpu
