// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The vector types of a warp: one value per thread, one mask bit per thread.
//
// Shapes:  lane i is element i and mask bit i; lanes at or above the warp's width are unused.
// Errors:  none.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace cxlgpu {

inline constexpr unsigned kMaxLanes = 32;
using LaneMask = std::uint32_t;

template <typename T>
using Lanes = std::array<T, kMaxLanes>;

// Lowest set lane; mask must not be empty.
constexpr unsigned first_lane(LaneMask mask) {
  return static_cast<unsigned>(std::countr_zero(mask));
}
constexpr LaneMask lane_bit(unsigned lane) {
  return LaneMask{1} << lane;
}
constexpr bool has_lane(LaneMask mask, unsigned lane) {
  return ((mask >> lane) & 1) != 0;
}

}  // namespace cxlgpu
