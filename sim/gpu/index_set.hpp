// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A set of small numbers: the cores of the GPU, the warps of a core.
//
// Purpose: what a machine word is for up to 64 of them, for as many as kMost. Loops go over the
//          words that the size given needs, which is one for nearly every machine; the others are
//          0.
// Shapes:  numbers 0..size-1; word w holds 64w..64w+63, the lowest in bit 0.
// Errors:  a number beyond the size is a programming error (asserted).
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace cxlgpu {

class IndexSet {
 public:
  static constexpr std::uint32_t kMost = 256;

  explicit IndexSet(std::uint32_t size = kMost) : words_((size + 63) / 64) {
    assert(size >= 1 && size <= kMost);
  }
  void insert(std::uint32_t n) { word_of(n) |= bit(n); }
  void erase(std::uint32_t n) { word_of(n) &= ~bit(n); }
  void clear() { word_ = {}; }
  [[nodiscard]] bool empty() const {
    static_assert(kMost == 4 * 64);
    return (word_[0] | word_[1] | word_[2] | word_[3]) == 0;  // less work than to ask for the size
  }
  [[nodiscard]] std::uint32_t words() const { return words_; }
  [[nodiscard]] std::uint64_t word(std::uint32_t w) const { return word_[w]; }
  [[nodiscard]] static std::uint64_t bit(std::uint32_t n) { return std::uint64_t{1} << n % 64; }

 private:
  [[nodiscard]] std::uint64_t& word_of(std::uint32_t n) {
    assert(n / 64 < words_);
    return word_[n / 64];
  }
  std::uint32_t words_;
  std::array<std::uint64_t, kMost / 64> word_{};
};

// Calls body(number) for each number of the sets that members(w) gives word by
// word, rising. What body changes is not looked at again within its word.
template <typename Members, typename Body>
inline void for_each_index(std::uint32_t words, Members members, Body body) {
  for (std::uint32_t w = 0; w < words; ++w) {
    for (std::uint64_t m = members(w); m != 0; m &= m - 1) {
      body(64 * w + static_cast<std::uint32_t>(std::countr_zero(m)));
    }
  }
}
template <typename Body>
inline void for_each_index(const IndexSet& set, Body body) {
  for_each_index(
      set.words(), [&set](std::uint32_t w) { return set.word(w); }, body);
}

// The first at or behind `from` of those that members(w) gives, and so round; there is one.
template <typename Members>
[[nodiscard]] inline std::uint32_t first_index(std::uint32_t words, Members members,
                                               std::uint32_t from) {
  if (words == 1) {
    const std::uint64_t all = members(0), later = all & (~std::uint64_t{0} << from);
    return static_cast<std::uint32_t>(std::countr_zero(later != 0 ? later : all));
  }
  std::uint32_t w = from / 64;
  std::uint64_t m = members(w) & (~std::uint64_t{0} << from % 64);
  while (m == 0) {
    w = w + 1 == words ? 0 : w + 1;
    m = members(w);
  }
  return 64 * w + static_cast<std::uint32_t>(std::countr_zero(m));
}

}  // namespace cxlgpu
