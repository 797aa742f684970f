// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A seeded permutation of 0 .. n - 1 that is computed, not stored.
//
// Purpose: where the data of a used drive lies, without a table of it. Both directions in O(1).
// Source:  Feistel network of four rounds on the next even number of bits; numbers outside the
//          range are walked on until one falls inside (M. Luby, C. Rackoff 1988; J. Black,
//          P. Rogaway 2002, "cycle walking").
// Errors:  none; x < n, n > 0 (asserted).
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>

#include "common/splitmix.hpp"

namespace cxlgpu {

class Permutation {
 public:
  Permutation(std::uint64_t seed, std::uint32_t n)
      : n_(n),
        half_((static_cast<unsigned>(std::bit_width(n - 1)) + 1) / 2),
        mask_((std::uint32_t{1} << half_) - 1) {
    assert(n > 0);
    const std::uint64_t key = mix_bits(seed);
    for (unsigned i = 0; i < keys_.size(); ++i) keys_[i] = std::rotl(key, static_cast<int>(17 * i));
  }
  [[nodiscard]] std::uint32_t place(std::uint32_t x) const {
    assert(x < n_);
    do {
      std::uint32_t left = x >> half_, right = x & mask_;
      for (const std::uint64_t key : keys_) {
        const std::uint32_t next = left ^ round(right, key);
        left = right;
        right = next;
      }
      x = join(left, right);
    } while (x >= n_);
    return x;
  }
  [[nodiscard]] std::uint32_t number_at(std::uint32_t x) const {
    assert(x < n_);
    do {
      std::uint32_t left = x >> half_, right = x & mask_;
      for (unsigned i = 4; i > 0; --i) {
        const std::uint32_t before = right ^ round(left, keys_[i - 1]);
        right = left;
        left = before;
      }
      x = join(left, right);
    } while (x >= n_);
    return x;
  }

 private:
  [[nodiscard]] std::uint32_t round(std::uint32_t value, std::uint64_t key) const {
    return static_cast<std::uint32_t>(((value ^ key) * 0xbf58476d1ce4e5b9ull) >> 40) & mask_;
  }
  [[nodiscard]] std::uint32_t join(std::uint32_t left, std::uint32_t right) const {
    return left << half_ | right;
  }

  std::uint32_t n_;
  unsigned half_;
  std::uint32_t mask_;
  std::array<std::uint64_t, 4> keys_{};
};

}  // namespace cxlgpu
