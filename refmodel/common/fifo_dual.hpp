// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A FIFO with up to two words in and two words out a cycle.
//
// Purpose: twin of rtl/common/fifo_dual.sv.
// Units:   words; word 0 is the older of the two.
// Errors:  word 1 offered without word 0, or more taken than held, is the caller's fault.
// Source:  docs/blocks/common/fifo_dual.md.
#pragma once

#include <array>
#include <cstddef>
#include <deque>

namespace cxlgpu {

template <typename T>
class FifoDual {
 public:
  struct In {
    bool clear = false;
    std::array<bool, 2> valid{};
    std::array<T, 2> data{};
    unsigned take = 0;  // words that leave, 0..2
  };
  struct Out {
    std::array<bool, 2> ready{};
    std::array<bool, 2> valid{};
    std::array<T, 2> data{};  // each with its valid
    std::size_t count = 0;
  };

  explicit FifoDual(std::size_t depth) : depth_(depth) {}

  [[nodiscard]] Out eval(const In&) const {
    Out out;
    out.count = words_.size();
    for (std::size_t k = 0; k < 2; ++k) {
      out.ready[k] = words_.size() + k < depth_;
      out.valid[k] = words_.size() > k;
      if (out.valid[k]) out.data[k] = words_[k];
    }
    return out;
  }
  void clock(const In& in) {
    const Out before = eval(in);
    words_.erase(words_.begin(), words_.begin() + in.take);
    for (std::size_t k = 0; k < 2; ++k) {
      if (in.valid[k] && before.ready[k]) words_.push_back(in.data[k]);
    }
    if (in.clear) words_.clear();
  }

 private:
  std::size_t depth_;
  std::deque<T> words_;
};

}  // namespace cxlgpu
