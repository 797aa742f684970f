// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A line of eight-byte words, loaded by a warp: for kernels of quantised models, whose lines are 64
// numbers of a byte.
//
// Shapes:  lane i has word i of a vector; as many loads as vectors cover the eight words.
// Errors:  words_of() precondition: the loads are answered.
#pragma once

#include <array>
#include <cstdint>

#include "sim/workloads/divergence.hpp"

namespace cxlgpu {

inline constexpr std::uint64_t kLineWords = kLineBytes / sizeof(std::uint64_t);
using Words = std::array<std::uint64_t, kLineWords>;
using LineLoad = std::array<LoadHandle<std::uint64_t>, kLineWords>;

inline LineLoad load_line(Warp& w, const DeviceArray<std::uint64_t>& array, std::uint64_t line) {
  LineLoad loads;
  for (std::uint64_t word = 0; word < kLineWords; word += w.width()) {
    loads[word] =
        w.load(array, w.consecutive(line * kLineWords + word), lanes_below(w, word, kLineWords));
  }
  return loads;
}

inline Words words_of(const Warp& w, const LineLoad& loads) {
  Words words{};
  for (std::uint64_t word = 0; word < kLineWords; word += w.width()) {
    const Lanes<std::uint64_t> part = loads[word].get();
    for (std::uint64_t i = 0; i < w.width() && word + i < kLineWords; ++i)
      words[word + i] = part[i];
  }
  return words;
}

// Number n of the eight in a word, -128..127.
constexpr std::int32_t byte_of(std::uint64_t word, std::uint64_t n) {
  return static_cast<std::int8_t>(word >> (8 * n));
}

constexpr std::int32_t dot(const Words& a, const Words& b) {
  std::int32_t sum = 0;
  for (std::uint64_t i = 0; i < kLineBytes; ++i) {
    sum += byte_of(a[i / 8], i % 8) * byte_of(b[i / 8], i % 8);
  }
  return sum;
}

// Instructions of dot(): two of four products a word, as GPUs have them (dp4a), and the lanes' sums
// added by halves.
inline void compute_dot(Warp& w, std::uint32_t lines = 1) {
  w.compute(2 * lines, Unit::Mul);
  w.compute(3);
}

}  // namespace cxlgpu
