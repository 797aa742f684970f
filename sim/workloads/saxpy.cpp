// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// saxpy: y[i] = a * x[i] + y[i] in single precision.
//
// Purpose: sequential and load-intensive like vadd, but what it stores it has just read.
// Shapes:  size elements; two arrays of 4-byte elements. `unroll` vectors of a warp's width are
//          loaded before the first is worked on.
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

class Saxpy : public Workload {
 public:
  using Workload::Workload;
  void place(Allocator& allocator) override {
    x_ = allocator.alloc<float>(size());
    y_ = allocator.alloc<float>(size());
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, x_, [&](std::uint64_t i) { return x(i); });
    fill_array(memory, y_, [&](std::uint64_t i) { return y(i); });
  }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    return difference(memory, y_, "y", [&](std::uint64_t i) { return kA * x(i) + y(i); });
  }

 private:
  static constexpr float kA = 3;
  // Integers small enough for every result to be exact; a * x is never zero.
  [[nodiscard]] float x(std::uint64_t i) const {
    return static_cast<float>(1 + Random(params().seed, i).below(1 << 20));
  }
  [[nodiscard]] float y(std::uint64_t i) const {
    return static_cast<float>(Random(params().seed, size() + i).below(1 << 20));
  }
  WarpTask kernel(Warp& w) const override;

  DeviceArray<float> x_, y_;
};

WarpTask Saxpy::kernel(Warp& w) const {
  const WorkRange range = share(w, size());
  const std::uint32_t unroll = params().unroll;
  for (std::uint64_t base = range.first; base < range.end; base += unroll * range.stride) {
    std::array<LoadHandle<float>, kMaxUnroll> x, y;
    std::uint32_t n = 0;
    for (std::uint64_t at = base; n < unroll && at < range.end; at += range.stride, ++n) {
      x[n] = w.load(x_, w.consecutive(at), w.active(range, at));
      y[n] = w.load(y_, w.consecutive(at), w.active(range, at));
    }
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint64_t at = base + k * range.stride;
      const auto [xs, ys] = co_await all(x[k], y[k]);
      w.compute(2);  // multiply, add
      w.store(y_, w.consecutive(at), w.map([&](unsigned i) { return kA * xs[i] + ys[i]; }),
              w.active(range, at));
    }
    w.compute(4);  // two pointers, counter, branch
  }
}

}  // namespace

WorkloadKind saxpy_workload() {
  return {"saxpy", "y = a x + y", "elements of an array", 3 << 15, 1, 1ULL << 32, &make<Saxpy>};
}

}  // namespace cxlgpu
