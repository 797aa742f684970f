// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Masks of the lanes that go on, for kernels whose lanes part.
//
// Shapes:  masks as in sim/gpu/lanes.hpp.
// Errors:  none.
#pragma once

#include "sim/gpu/lanes.hpp"
#include "sim/gpu/warp.hpp"

namespace cxlgpu {

template <typename F>
void for_lanes(LaneMask mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(first_lane(mask));
}

// Lanes of `among` for which condition(lane) holds.
template <typename F>
LaneMask lanes_where(LaneMask among, F&& condition) {
  LaneMask mask = 0;
  for_lanes(among, [&](unsigned i) { mask |= condition(i) ? lane_bit(i) : 0; });
  return mask;
}

// Lanes of a vector that begins at `first` which lie below `end`; none if it begins beyond.
inline LaneMask lanes_below(const Warp& w, std::uint64_t first, std::uint64_t end) {
  return first < end ? w.active({0, end, 1}, first) : LaneMask{0};
}

}  // namespace cxlgpu
