// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// gauss: Gaussian elimination without pivoting, Rodinia's Fan1 and Fan2.
//
// Purpose: as many stores as operations: the rest of the matrix is rewritten for every pivot.
// Shapes:  a system of size equations: matrix, multipliers, right side. The matrix is diagonally
//          dominant, so that no pivot is small. Fan1 makes the multipliers of a column, lanes down
//          the column; Fan2 takes a warp a row, lanes along it; all warps meet after each. The
//          triangle is left for the host to substitute back, as Rodinia does.
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

class Gauss : public Workload {
 public:
  using Workload::Workload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override;

 private:
  // In [-1, 1), on the diagonal above the sum of what is beside it.
  [[nodiscard]] float coefficient(std::uint64_t i) const {
    const float x = static_cast<float>(Random(params().seed, i).below(1 << 24)) * 0x1p-23F - 1.0F;
    return i / size() == i % size() ? x + static_cast<float>(size() + 1) : x;
  }
  [[nodiscard]] float right_side(std::uint64_t i) const {
    return static_cast<float>(Random(params().seed, size() * size() + i).below(1 << 12));
  }
  void place(Allocator& allocator) override {
    a_ = allocator.alloc<float>(size() * size());
    m_ = allocator.alloc<float>(size() * size());
    b_ = allocator.alloc<float>(size());
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, a_, [&](std::uint64_t i) { return coefficient(i); });
    fill_array(memory, m_, [](std::uint64_t) { return 0.0F; });
    fill_array(memory, b_, [&](std::uint64_t i) { return right_side(i); });
  }
  WarpTask kernel(Warp& w) const override;

  DeviceArray<float> a_, m_, b_;
};

// Instructions besides loads and stores, as GCC 12 -O2 -ffp-contract=off makes them for RV32IMAF of
// the plain loops, with split and join where lanes part. Fan1: 15 a pivot (pointers and strides), 5
// an element (division, two pointers, index, branch). Fan2: 20 a pivot, 13 a row (the right side's
// product and difference, which is lane 0's alone: compare, split, join; pointers, counters,
// branches), 7 an element (product, difference, row pointer, the pivot row's address from it,
// column, branch).
WarpTask Gauss::kernel(Warp& w) const {
  const std::uint64_t n = size();
  for (std::uint64_t t = 0; t + 1 < n; ++t) {
    const std::uint64_t below = n - 1 - t;
    const auto pivot = w.map([&](unsigned) { return t * n + t; });
    w.compute(15);
    const WorkRange column = share(w, below);
    for (std::uint64_t base = column.first; base < column.end; base += column.stride) {
      const LaneMask mask = w.active(column, base);
      const auto at = w.map([&](unsigned i) { return (t + 1 + base + i) * n + t; });
      auto top = w.load(a_, pivot, mask);
      auto element = w.load(a_, at, mask);
      const auto [p, x] = co_await all(top, element);
      w.compute(5);
      Lanes<float> multiplier{};
      for (unsigned i = 0; i < w.width(); ++i) multiplier[i] = x[i] / p[i];
      w.store(m_, at, multiplier, mask);
    }
    co_await w.barrier();

    w.compute(20);
    // A warp's share of below * width lanes is a share of `below` rows.
    const WorkRange rows = share(w, below * w.width());
    for (std::uint64_t piece = rows.first; piece < rows.end; piece += rows.stride) {
      const std::uint64_t row = t + 1 + piece / w.width();
      const Lanes<float> multiplier =
          co_await w.load(m_, w.map([&](unsigned) { return row * n + t; }), w.full_mask());
      for (std::uint64_t j = t; j < n; j += w.width()) {
        const LaneMask mask = w.active({t, n, w.width()}, j);
        const auto at = w.map([&](unsigned i) { return row * n + j + i; });
        auto above = w.load(a_, w.map([&](unsigned i) { return t * n + j + i; }), mask);
        auto element = w.load(a_, at, mask);
        const auto [p, x] = co_await all(above, element);
        w.compute(7);
        Lanes<float> rest{};
        for (unsigned i = 0; i < w.width(); ++i) rest[i] = x[i] - multiplier[i] * p[i];
        w.store(a_, at, rest, mask);
      }
      auto above = w.load(b_, w.map([&](unsigned) { return t; }), lane_bit(0));
      auto element = w.load(b_, w.map([&](unsigned) { return row; }), lane_bit(0));
      const auto [p, x] = co_await all(above, element);
      w.compute(13);
      Lanes<float> rest{};
      rest[0] = x[0] - multiplier[0] * p[0];
      w.store(b_, w.map([&](unsigned) { return row; }), rest, lane_bit(0));
    }
    co_await w.barrier();
  }
}

std::optional<std::string> Gauss::verify(const Backdoor& memory) const {
  const std::uint64_t n = size();
  std::vector<float> a(n * n), m(n * n), b(n);
  for (std::uint64_t i = 0; i < n * n; ++i) a[i] = coefficient(i);
  for (std::uint64_t i = 0; i < n; ++i) b[i] = right_side(i);
  for (std::uint64_t t = 0; t + 1 < n; ++t) {
    for (std::uint64_t row = t + 1; row < n; ++row) {
      const float multiplier = a[row * n + t] / a[t * n + t];
      m[row * n + t] = multiplier;
      for (std::uint64_t j = t; j < n; ++j) a[row * n + j] -= multiplier * a[t * n + j];
      b[row] -= multiplier * b[t];
    }
  }
  const auto compare = [&](const DeviceArray<float>& array, const char* name,
                           const std::vector<float>& expected) {
    return difference(memory, array, name, [&](std::uint64_t i) { return expected[i]; });
  };
  if (auto wrong = compare(a_, "a", a)) return wrong;
  if (auto wrong = compare(m_, "m", m)) return wrong;
  return compare(b_, "b", b);
}

}  // namespace

WorkloadKind gauss_workload() {
  return {"gauss", "Gaussian elimination", "equations", 200, 2, 1 << 15, &make<Gauss>};
}

}  // namespace cxlgpu
