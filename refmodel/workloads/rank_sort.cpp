#include "refmodel/workloads/rank_sort.hpp"

namespace cxlgpu {

// Instructions besides loads and stores, as GCC 12 -O2 makes them for RV32IMAF of the plain loop:
// an element of a piece takes 6: the comparison "smaller", the comparison "equal" of the lanes that
// are not (both paths are issued when lanes differ), the rank's increment, index, pointer and loop
// branch; the element that a lane meets itself in takes 2 more. A lane's own element takes 12:
// remainder, piece's first and end, pointers, initial values and the loop.
WarpTask rank_sort(Warp& w, RankSort arrays, Distribution distribution) {
  const WorkRange range = w.work(arrays.keys.size, distribution);
  const bool sorts_keys = arrays.payload.base == arrays.keys.base;
  for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
    const auto own = w.consecutive(base);
    const LaneMask mask = w.active(range, base);
    const auto first = w.map([&](unsigned i) { return own[i] - own[i] % arrays.piece; });
    const Lanes<std::int32_t> key = co_await w.load(arrays.keys, own, mask);
    w.compute(12);
    Lanes<std::uint64_t> rank{};
    for (std::uint64_t k = 0; k < arrays.piece; ++k) {
      const auto at = w.map([&](unsigned i) { return first[i] + k; });
      const Lanes<std::int32_t> other = co_await w.load(arrays.keys, at, mask);
      w.compute(6);
      LaneMask equal = 0;
      for (LaneMask m = mask; m != 0; m &= m - 1) {
        const unsigned i = first_lane(m);
        if (other[i] == key[i]) equal |= lane_bit(i);
        rank[i] += other[i] < key[i] || (other[i] == key[i] && at[i] < own[i]);
      }
      if (equal != 0) w.compute(2);
    }
    const auto place = w.map([&](unsigned i) { return first[i] + rank[i]; });
    Lanes<std::int32_t> value = key;
    if (!sorts_keys) value = co_await w.load(arrays.payload, own, mask);
    w.store(arrays.out, place, value, mask);
  }
}

}  // namespace cxlgpu
