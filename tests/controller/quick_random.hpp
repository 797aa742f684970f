// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Random numbers for benches that draw many a cycle.
//
// Purpose: xoshiro256** seeded by splitmix64: the same stream on every machine, a nanosecond a
// draw. Errors:  none; below(0) is a programming error. Source:  Blackman and Vigna, "Scrambled
// linear pseudorandom number generators".
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace cxlgpu::test {

class QuickRandom {
 public:
  explicit QuickRandom(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9E3779B97F4A7C15ull;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
      word = z ^ (z >> 31);
    }
  }
  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }
  std::uint64_t bits(unsigned n) { return n == 0 ? 0 : next() >> (64 - n); }
  std::uint64_t below(std::uint64_t n) {
    return n <= UINT32_MAX ? ((next() >> 32) * n) >> 32 : next() % n;
  }
  bool percent(unsigned p) { return below(100) < p; }
  // Trials before the next success of probability p: none is drawn until then.
  std::uint64_t gap(double p) {
    if (p <= 0) return std::uint64_t{1} << 62;
    const double u = static_cast<double>(next() >> 11) * 0x1p-53;
    const double trials = std::log1p(-u) / std::log1p(-p);
    return trials > 1e18 ? std::uint64_t{1} << 59 : static_cast<std::uint64_t>(trials);
  }
  template <typename Array>
  auto pick(const Array& values) {
    return values[below(std::size(values))];
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, unsigned k) { return x << k | x >> (64 - k); }
  std::array<std::uint64_t, 4> state_;
};

}  // namespace cxlgpu::test
