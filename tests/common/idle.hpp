// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What stands on an input port without its valid: anything, and in every cycle something else.
//
// Purpose: a block that takes a payload without looking at valid is seen only if the payload is not
//          the last or the next one by chance. Only for ports on whose payload no output depends
//          without valid; the twin does not see it.
// Units:   bit positions as in bits.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/common/bits.hpp"

namespace cxlgpu::test {

class Idle {
 public:
  // Bits [lo + width - 1 : lo], any width.
  template <typename Port>
  void fill(Port& port, std::size_t lo, std::size_t width) {
    for (std::size_t at = 0; at < width; at += 64) {
      const std::size_t n = width - at < 64 ? width - at : 64;
      set_bits(port, lo + at, n, next());
    }
  }

 private:
  std::uint64_t next() {  // xorshift, so that the test's own stream stays as it is
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

}  // namespace cxlgpu::test
