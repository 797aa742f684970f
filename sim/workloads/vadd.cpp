// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// vadd: c[i] = a[i] + b[i] in single precision.
//
// Purpose: the sequential, load-intensive workload: two load streams and one store stream a warp.
// Shapes:  size elements; three arrays of 4-byte elements. `unroll` vectors of a warp's width are
//          loaded before the first is added. `iterations` kernels, each over all of it.
#include "sim/workloads/kernels.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {

WarpTask vector_sum(Warp& w, VectorSum arrays, Distribution distribution) {
  const WorkRange range = w.work(arrays.sum.size, distribution);
  const std::uint32_t unroll = arrays.unroll;
  std::array<LoadHandle<float>, kMaxUnroll> a, b;
  for (std::uint64_t base = range.first; base < range.end; base += unroll * range.stride) {
    std::uint32_t n = 0;
    for (std::uint64_t at = base; n < unroll && at < range.end; at += range.stride, ++n) {
      const auto index = w.consecutive(at);
      const LaneMask mask = w.active(range, at);
      a[n] = w.load(arrays.a, index, mask);
      b[n] = w.load(arrays.b, index, mask);
    }
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint64_t at = base + k * range.stride;
      const Lanes<float> x = co_await a[k];
      const Lanes<float> y = co_await b[k];
      w.compute();  // add
      w.store(arrays.sum, w.consecutive(at), w.map([&](unsigned i) { return x[i] + y[i]; }),
              w.active(range, at));
    }
    w.compute(5);  // three pointers, counter, branch
  }
}

namespace {

class VectorAdd : public Workload {
 public:
  using Workload::Workload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    return difference(memory, c_, "c",
                      [&](std::uint64_t i) { return value(i) + value(size() + i); });
  }

 private:
  // Integers below 2^24 and their sums are exact, so that every wrong byte shows.
  [[nodiscard]] float value(std::uint64_t i) const {
    return static_cast<float>(Random(params().seed, i).below(1 << 23));
  }
  void place(Allocator& allocator) override {
    a_ = allocator.alloc<float>(size());
    b_ = allocator.alloc<float>(size());
    c_ = allocator.alloc<float>(size());
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, a_, [&](std::uint64_t i) { return value(i); });
    fill_array(memory, b_, [&](std::uint64_t i) { return value(size() + i); });
    fill_array(memory, c_, [](std::uint64_t) { return -1.0F; });
  }
  void launch(Gpu& gpu) override {
    for (std::uint64_t pass = 0; pass < params().iterations; ++pass) Workload::launch(gpu);
  }
  WarpTask kernel(Warp& w) const override {
    return vector_sum(w, {a_, b_, c_, params().unroll}, params().distribution);
  }

  DeviceArray<float> a_, b_, c_;
};

}  // namespace

WorkloadKind vadd_workload() {
  return {"vadd",
          "c = a + b",
          "elements of an array",
          1 << 16,
          1,
          1ULL << 32,
          &make<VectorAdd>,
          {.default_value = 1, .min = 1, .max = 1000, .counts = "passes"}};
}

}  // namespace cxlgpu
