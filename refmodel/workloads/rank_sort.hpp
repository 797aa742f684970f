// The rank sort kernel, by itself so that other workloads can use it.
//
// Purpose: stable sort of equal pieces of an array: the place of an element is the number of
//          elements of its piece that are smaller, or equal and before it. Every lane ranks one
//          element against all of its piece, which takes piece^2 loads.
// Shapes:  keys.size is a multiple of `piece`; out[first of the piece + rank] = payload[i], which
//          may be the key itself.
// Errors:  none.
#pragma once

#include <cstdint>

#include "refmodel/gpu/device_array.hpp"
#include "refmodel/gpu/warp.hpp"

namespace cxlgpu {

struct RankSort {
  DeviceArray<std::int32_t> keys, payload, out;
  std::uint64_t piece = 1;
};

WarpTask rank_sort(Warp& w, RankSort arrays, Distribution distribution);

}  // namespace cxlgpu
