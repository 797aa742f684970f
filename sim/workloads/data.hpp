// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Input and result of a workload, made and compared piece by piece.
//
// Purpose: a data set of gigabytes is never copied on the host: its values are a rule of seed and
//          index, written to the device in pieces and worked out again for the comparison.
// Shapes:  element i of an array is value_of(i), a T; comparisons are of bit patterns.
// Errors:  none; a difference is returned as one line.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/splitmix.hpp"
#include "sim/gpu/device_array.hpp"
#include "sim/host/backdoor.hpp"

namespace cxlgpu {

// The workloads' random numbers. They can start at any place.
class Random : public SplitMix {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t place = 0)
      : SplitMix((seed + place) * kSplitMixStep + 1) {}
};

// A rank below n by Zipf's law with exponent 1, in octaves: ranks 0, 1..2, 3..6 and so on are drawn
// equally often, and within one all ranks. Whole numbers only, so the same everywhere. One
// element's draws are Random(seed, element * kDraws)'s, so that no two elements share a number.
inline constexpr std::uint64_t kDraws = 64;
inline std::uint64_t zipf(Random& random, std::uint64_t n) {
  for (;;) {
    const std::uint64_t first = 1ULL << random.below(static_cast<unsigned>(std::bit_width(n)));
    const std::uint64_t rank = first - 1 + random.below(first);
    if (rank < n) return rank;
  }
}
// Where rank r of n lies: one to one for n up to 2^31, and neighbours in rank are far apart.
constexpr std::uint64_t spread(std::uint64_t rank, std::uint64_t n) {
  return rank * 2654435761 % n;  // a prime
}

inline constexpr std::uint64_t kPieceElements = 1 << 16;

template <typename T, typename F>
void fill_array(Backdoor& memory, const DeviceArray<T>& array, F&& value_of) {
  std::vector<T> piece;
  for (std::uint64_t first = 0; first < array.size; first += kPieceElements) {
    piece.resize(std::min(kPieceElements, array.size - first));
    for (std::uint64_t i = 0; i < piece.size(); ++i) piece[i] = value_of(first + i);
    memory.poke(array.address(first),
                {reinterpret_cast<const std::uint8_t*>(piece.data()), piece.size() * sizeof(T)});
  }
}

// The first element that is not value_of(its index); `name` names the array.
template <typename T, typename F>
std::optional<std::string> difference(const Backdoor& memory, const DeviceArray<T>& array,
                                      std::string_view name, F&& value_of) {
  std::vector<T> piece;
  for (std::uint64_t first = 0; first < array.size; first += kPieceElements) {
    piece.resize(std::min(kPieceElements, array.size - first));
    memory.peek(array.address(first),
                {reinterpret_cast<std::uint8_t*>(piece.data()), piece.size() * sizeof(T)});
    for (std::uint64_t i = 0; i < piece.size(); ++i) {
      const T expected = value_of(first + i);
      if (std::memcmp(&piece[i], &expected, sizeof(T)) == 0) continue;
      return fmt::format("{}[{}] at {:#x} is {}, expected {}", name, first + i,
                         array.address(first + i), piece[i], expected);
    }
  }
  return std::nullopt;
}

}  // namespace cxlgpu
