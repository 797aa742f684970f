// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A workload to copy: y[i] = 3 * x[i], its data, its kernel, and the computation on the CPU that
// checks it.
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

class Scale : public Workload {  // y[i] = 3 * x[i]
  using Workload::Workload;
  DeviceArray<float> x_, y_;
  float x(std::uint64_t i) const { return static_cast<float>((i + params().seed) % 1000); }
  void place(Allocator& allocator) override {
    x_ = allocator.alloc<float>(size());
    y_ = allocator.alloc<float>(size());
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, x_, [&](std::uint64_t i) { return x(i); });
    fill_array(memory, y_, [](std::uint64_t) { return -1.0F; });
  }
  WarpTask kernel(Warp& w) const override {
    const WorkRange mine = share(w, size());
    for (std::uint64_t at = mine.first; at < mine.end; at += mine.stride) {
      const auto index = w.consecutive(at);      // lane i works on element at + i
      const LaneMask mask = w.active(mine, at);  // lanes past the end do nothing
      const Lanes<float> x = co_await w.load(x_, index, mask);
      w.compute(5);  // multiply, two pointers, counter, branch
      w.store(y_, index, w.map([&](unsigned lane) { return 3 * x[lane]; }), mask);
    }
  }
  std::optional<std::string> verify(const Backdoor& memory) const override {
    return difference(memory, y_, "y", [&](std::uint64_t i) { return 3 * x(i); });
  }
};

}  // namespace

WorkloadKind scale_workload() {
  return {"scale", "y = 3 x", "elements of an array", 1 << 16, 1, 1ULL << 30, &make<Scale>};
}

}  // namespace cxlgpu
