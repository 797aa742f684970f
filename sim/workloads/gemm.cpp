// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// gemm: C = A B in single precision, one element of C a lane, no tiles.
//
// Purpose: the load-intensive workload that reads everything many times: A along its rows, B one
//          element for all lanes.
// Shapes:  size is the edge n of three square matrices of 4-byte elements. Element (row r, column
//          c) lies at c * n + r; lanes are neighbouring rows. `unroll` steps of the inner loop are
//          loaded before the first is added.
#include "sim/workloads/kernels.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {

WarpTask matrix_product(Warp& w, MatrixProduct arrays, Distribution distribution) {
  const std::uint64_t rows = arrays.rows, inner = arrays.inner;
  const std::uint64_t width = w.width(), per_column = (rows + width - 1) / width;
  const std::uint32_t unroll = arrays.unroll;
  const WorkRange range = w.work(arrays.columns * per_column * width, distribution);
  std::array<LoadHandle<float>, kMaxUnroll> a, b;
  for (std::uint64_t at = range.first; at < range.end; at += range.stride) {
    const std::uint64_t column = at / width / per_column, row = at / width % per_column * width;
    const LaneMask mask = w.active({0, rows, 1}, row);
    Lanes<float> sum{};
    for (std::uint64_t base = 0; base < inner; base += unroll) {
      const auto steps = static_cast<std::uint32_t>(std::min<std::uint64_t>(unroll, inner - base));
      for (std::uint32_t k = 0; k < steps; ++k) {
        a[k] = w.load(arrays.left, w.consecutive((base + k) * rows + row), mask);
        b[k] = w.load(arrays.right, w.uniform(column * inner + base + k), mask);
      }
      for (std::uint32_t k = 0; k < steps; ++k) {
        const Lanes<float> x = co_await a[k], y = co_await b[k];
        w.compute(3);  // multiply, add; the next row of A
        sum = w.map([&](unsigned i) { return sum[i] + x[i] * y[i]; });
      }
      w.compute(3);  // pointer to B, counter, branch
    }
    w.compute(7);  // pointers to A, B, C, clear the sum, counter, branch, counter of the inner loop
    w.store(arrays.product, w.consecutive(column * rows + row), sum, mask);
  }
}

namespace {

class Gemm : public Workload {
 public:
  using Workload::Workload;
  void place(Allocator& allocator) override {
    a_ = allocator.alloc<float>(size() * size());
    b_ = allocator.alloc<float>(size() * size());
    c_ = allocator.alloc<float>(size() * size());
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, a_, [&](std::uint64_t i) { return value(i); });
    fill_array(memory, b_, [&](std::uint64_t i) { return value(a_.size + i); });
    fill_array(memory, c_, [](std::uint64_t) { return -1.0F; });
  }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override;

 private:
  // Integers small enough for every sum to be exact.
  [[nodiscard]] float value(std::uint64_t i) const {
    return static_cast<float>(Random(params().seed, i).below(16));
  }
  WarpTask kernel(Warp& w) const override {
    const std::uint64_t n = size();
    return matrix_product(w, {a_, b_, c_, n, n, n, params().unroll}, params().distribution);
  }

  DeviceArray<float> a_, b_, c_;
};

std::optional<std::string> Gemm::verify(const Backdoor& memory) const {
  const std::uint64_t n = size();
  std::vector<float> a(n * n), column(n);
  for (std::uint64_t i = 0; i < a.size(); ++i) a[i] = value(i);
  return difference(memory, c_, "c", [&](std::uint64_t i) {
    if (i % n == 0) {  // a column at a time, so that A is read along its rows
      std::fill(column.begin(), column.end(), 0.0F);
      for (std::uint64_t k = 0; k < n; ++k) {
        const float b = value(n * n + i + k);
        for (std::uint64_t r = 0; r < n; ++r) column[r] += a[k * n + r] * b;
      }
    }
    return column[i % n];
  });
}

}  // namespace

WorkloadKind gemm_workload() {
  return {"gemm", "matrix product", "edge of a matrix", 176, 1, 1 << 15, &make<Gemm>};
}

}  // namespace cxlgpu
