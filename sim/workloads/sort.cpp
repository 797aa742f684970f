// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// sort: rank sort of whole numbers, Vortex's psort.
//
// Purpose: compute intensive with next to no stores: every element is compared with every other.
// Shapes:  size elements, two arrays of 4-byte elements; size^2 comparisons.
#include <algorithm>

#include "sim/workloads/kernels.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {

// Every lane ranks one element against all of its piece. Instructions besides loads and stores, as
// GCC 12 -O2 makes them for RV32IMAF of the plain loop, with split and join where lanes part: 10
// for every element of the piece (is it smaller, is it equal, the rank's increment, index, pointer,
// loop branch, two splits and joins), 2 more for one that is equal to a lane's own (is it before
// it, so much is added); 15 for the lane's own (remainder, piece's first and end, pointers, initial
// values, place, loop).
WarpTask rank_sort(Warp& w, RankSort arrays, Distribution distribution) {
  const WorkRange range = w.work(arrays.keys.size, distribution);
  const bool sorts_keys = arrays.payload.base == arrays.keys.base;
  for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
    const auto own = w.consecutive(base);
    const LaneMask mask = w.active(range, base);
    const auto first = w.map([&](unsigned i) { return own[i] - own[i] % arrays.piece; });
    const Lanes<std::int32_t> key = co_await w.load(arrays.keys, own, mask);
    w.compute(15);
    Lanes<std::uint64_t> rank{};
    for (std::uint64_t k = 0; k < arrays.piece; ++k) {
      const auto at = w.map([&](unsigned i) { return first[i] + k; });
      const Lanes<std::int32_t> other = co_await w.load(arrays.keys, at, mask);
      w.compute(10);
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

namespace {

class Sort : public Workload {
 public:
  using Workload::Workload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    std::vector<std::int32_t> expected(size());
    for (std::uint64_t i = 0; i < size(); ++i) expected[i] = value(i);
    std::sort(expected.begin(), expected.end());
    return difference(memory, out_, "out", [&](std::uint64_t i) { return expected[i]; });
  }

 private:
  // Half as many values as elements, so that some are equal.
  [[nodiscard]] std::int32_t value(std::uint64_t i) const {
    return static_cast<std::int32_t>(Random(params().seed, i).below(size() / 2 + 1));
  }
  void place(Allocator& allocator) override {
    in_ = allocator.alloc<std::int32_t>(size());
    out_ = allocator.alloc<std::int32_t>(size());
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, in_, [&](std::uint64_t i) { return value(i); });
    fill_array(memory, out_, [](std::uint64_t) { return -1; });
  }
  WarpTask kernel(Warp& w) const override {
    return rank_sort(w, {in_, in_, out_, size()}, params().distribution);
  }

  DeviceArray<std::int32_t> in_, out_;
};

}  // namespace

WorkloadKind sort_workload() {
  return {"sort", "rank sort of whole numbers", "elements", 3 << 10, 2, 1ULL << 28, &make<Sort>};
}

}  // namespace cxlgpu
