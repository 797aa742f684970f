// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// spmv: y = A x, A sparse in compressed rows (CSR).
//
// Purpose: rows of uneven length side by side, and a gather: x at whatever columns a row has.
// Shapes:  A has size rows and columns; its pattern is a skewed graph (skewed_graph.hpp) or that of
//          workload.file. A lane works out one row, so a warp's lanes are each in a row of their
//          own.
#include "sim/workloads/divergence.hpp"
#include "sim/workloads/skewed_graph.hpp"

namespace cxlgpu {
namespace {

class Spmv : public Workload {
 public:
  Spmv(const WorkloadParams& params, Graph pattern)
      : Workload(params), pattern_(std::move(pattern)) {}
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    return difference(memory, y_, "y", [&](std::uint64_t row) {
      float sum = 0;
      for (std::uint64_t e = pattern_.first_edges[row]; e < pattern_.first_edges[row + 1]; ++e) {
        sum += value(e) * x(pattern_.targets[e]);
      }
      return sum;
    });
  }

 private:
  // Whole numbers small enough for the sum of any row of a seeded matrix to be exact.
  [[nodiscard]] float value(std::uint64_t e) const {
    return static_cast<float>(1 + Random(params().seed, e).below(15));
  }
  [[nodiscard]] float x(std::uint64_t column) const {
    return static_cast<float>(1 + Random(~params().seed, column).below(1 << 10));
  }
  void place(Allocator& allocator) override {
    first_ = allocator.alloc<std::uint32_t>(size() + 1);
    columns_ = allocator.alloc<std::uint32_t>(pattern_.edges());
    values_ = allocator.alloc<float>(pattern_.edges());
    x_ = allocator.alloc<float>(size());
    y_ = allocator.alloc<float>(size());
  }
  void fill(Backdoor& memory) override {
    copy_to_device(memory, first_, pattern_.first_edges);
    copy_to_device(memory, columns_, pattern_.targets);
    fill_array(memory, values_, [&](std::uint64_t e) { return value(e); });
    fill_array(memory, x_, [&](std::uint64_t column) { return x(column); });
    fill_array(memory, y_, [](std::uint64_t) { return -1.0F; });
  }
  WarpTask kernel(Warp& w) const override;

  Graph pattern_;
  DeviceArray<std::uint32_t> first_, columns_;
  DeviceArray<float> values_, x_, y_;
};

// Instructions besides the accesses: 8 a row (two addresses, sum cleared, address of y, pointer,
// counter, branch, the loop's first test), 10 an entry (which lanes go on: compare, predicate,
// branch; address of x; product, sum; entry and two pointers, back).
WarpTask Spmv::kernel(Warp& w) const {
  const WorkRange range = share(w, size());
  for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
    const auto row = w.consecutive(base);
    const LaneMask mask = w.active(range, base);
    auto first = w.load(first_, row, mask);
    auto last = w.load(first_, w.map([&](unsigned i) { return row[i] + 1; }), mask);
    auto [entry, end] = co_await all(first, last);
    w.compute(8);
    Lanes<float> sum{};
    for (;;) {
      const LaneMask busy = lanes_where(mask, [&](unsigned i) { return entry[i] < end[i]; });
      if (busy == 0) break;
      auto columns = w.load(columns_, entry, busy);
      auto values = w.load(values_, entry, busy);
      const auto [column, value] = co_await all(columns, values);
      const Lanes<float> x = co_await w.load(x_, column, busy);
      w.compute(10);
      for_lanes(busy, [&](unsigned i) {
        sum[i] += value[i] * x[i];
        ++entry[i];
      });
    }
    w.store(y_, row, sum, mask);
  }
}

}  // namespace

WorkloadKind spmv_workload() {
  return {.name = "spmv",
          .about = "sparse matrix times vector, compressed rows of uneven length",
          .size_counts = "rows of the matrix",
          .default_size = 1 << 13,
          .min_size = 2,
          .max_size = Graph::kMaxNodes,
          .make = &make_on_skewed_graph<Spmv>,
          .reads_file = true};
}

}  // namespace cxlgpu
