// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// path: the cheapest way down a grid, Rodinia's pathfinder.
//
// Purpose: dynamic programming: a row needs the row above, so all warps meet after each.
// Shapes:  size columns, `iterations` rows; every cell holds a cost of 0..9. The cheapest way to a
//          cell comes from the three cells above it. Two rows of sums, used in turn. Rows default
//          to 20, what Rodinia's kernel does between two launches in its usual run (pyramid height
//          20): the columns are what grows.
#include <algorithm>

#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

class Path : public Workload {
 public:
  using Workload::Workload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    const std::uint64_t n = size();
    std::vector<std::int32_t> above(n), sum(n);
    for (std::uint64_t c = 0; c < n; ++c) sum[c] = cost(c);
    for (std::uint64_t row = 1; row < rows(); ++row) {
      above.swap(sum);
      for (std::uint64_t c = 0; c < n; ++c) {
        const std::int32_t left = above[c == 0 ? 0 : c - 1];
        const std::int32_t right = above[c == n - 1 ? c : c + 1];
        sum[c] = cost(row * n + c) + std::min({left, above[c], right});
      }
    }
    return difference(memory, sums_[(rows() - 1) % 2], "sum",
                      [&](std::uint64_t c) { return sum[c]; });
  }

 private:
  [[nodiscard]] std::uint64_t rows() const { return params().iterations; }
  [[nodiscard]] std::int32_t cost(std::uint64_t cell) const {
    return static_cast<std::int32_t>(Random(params().seed, cell).below(10));
  }
  void place(Allocator& allocator) override {
    cost_ = allocator.alloc<std::int32_t>((rows() - 1) * size());
    for (auto& row : sums_) row = allocator.alloc<std::int32_t>(size());
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, cost_, [&](std::uint64_t i) { return cost(size() + i); });
    fill_array(memory, sums_[0], [&](std::uint64_t c) { return cost(c); });
    fill_array(memory, sums_[1], [](std::uint64_t) { return -1; });
  }
  WarpTask kernel(Warp& w) const override;

  DeviceArray<std::int32_t> cost_;                 // rows 1 and up
  std::array<DeviceArray<std::int32_t>, 2> sums_;  // of even and odd rows
};

// Instructions besides loads and stores, as GCC 12 -O2 makes them for RV32IMAF of the plain loop,
// with split and join where lanes part: 25 a cell: 7 for the column left of it (edge or not), 3 for
// the one right of it, 8 for the two minima (compare, move, split, join), the sum, and 6 for three
// pointers, the index and the loop. A row takes 4: swapped pointers, row counter, branch.
WarpTask Path::kernel(Warp& w) const {
  const std::uint64_t n = size();
  const WorkRange range = share(w, n);
  for (std::uint64_t row = 1; row < rows(); ++row) {
    const auto& above = sums_[(row - 1) % 2];
    for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
      const auto column = w.consecutive(base);
      const LaneMask mask = w.active(range, base);
      w.compute(10);
      auto left =
          w.load(above, w.map([&](unsigned i) { return column[i] - (column[i] != 0); }), mask);
      auto middle = w.load(above, column, mask);
      auto right =
          w.load(above, w.map([&](unsigned i) { return column[i] + (column[i] < n - 1); }), mask);
      auto cost = w.load(cost_, w.map([&](unsigned i) { return (row - 1) * n + column[i]; }), mask);
      const auto [l, m, r, c] = co_await all(left, middle, right, cost);
      w.compute(15);
      Lanes<std::int32_t> sum{};
      for (unsigned i = 0; i < w.width(); ++i) sum[i] = c[i] + std::min({l[i], m[i], r[i]});
      w.store(sums_[row % 2], column, sum, mask);
    }
    w.compute(4);
    co_await w.barrier();
  }
}

}  // namespace

WorkloadKind path_workload() {
  return {"path",      "cheapest way down a grid, row by row",
          "columns",   9 << 10,
          1,           1ULL << 30,
          &make<Path>, {.default_value = 20, .min = 2, .max = 1000, .counts = "rows"}};
}

}  // namespace cxlgpu
