// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine.
//
// Shapes:  the stream of a state; mix_bits(x) is the first number of the state x, and a hash of x.
// Source:  splitmix64 (G. Steele, D. Lea, C. Flood: Fast Splittable Pseudorandom Number Generators,
//          2014).
// Errors:  none.
#pragma once

#include <cstdint>

namespace cxlgpu {

inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15ULL;

constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x += kSplitMixStep;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

class SplitMix {
 public:
  constexpr explicit SplitMix(std::uint64_t state) : state_(state) {}
  constexpr std::uint64_t next() {
    const std::uint64_t number = mix_bits(state_);
    state_ += kSplitMixStep;
    return number;
  }
  constexpr std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

}  // namespace cxlgpu
