// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// hist: how often each key occurs, counted by atomics.
//
// Purpose: one stream of loads and an atomic for each key: scattered, but a few bins take most.
// Shapes:  size keys of 4 bytes, size / 2 bins (16 or more) of 4 bytes in device memory. Keys
//          follow Zipf's law; the frequent ones lie all over the bins.
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

class Histogram : public Workload {
 public:
  using Workload::Workload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    std::vector<std::uint32_t> counts(bins_.size);
    for (std::uint64_t i = 0; i < size(); ++i) ++counts[key(i)];
    return difference(memory, bins_, "bin", [&](std::uint64_t bin) { return counts[bin]; });
  }

 private:
  [[nodiscard]] std::uint32_t key(std::uint64_t i) const {
    Random random(params().seed, i * kDraws);
    return static_cast<std::uint32_t>(spread(zipf(random, bins_.size), bins_.size));
  }
  void place(Allocator& allocator) override {
    keys_ = allocator.alloc<std::uint32_t>(size());
    bins_ = allocator.alloc<std::uint32_t>(std::max<std::uint64_t>(16, size() / 2));
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, keys_, [&](std::uint64_t i) { return key(i); });
    fill_array(memory, bins_, [](std::uint64_t) { return 0U; });
  }
  WarpTask kernel(Warp& w) const override;

  DeviceArray<std::uint32_t> keys_, bins_;
};

// Instructions besides the accesses: an address a key; pointer, counter, branch of the loop.
WarpTask Histogram::kernel(Warp& w) const {
  const WorkRange range = share(w, size());
  const std::uint32_t unroll = params().unroll;
  const auto one = w.map([](unsigned) { return 1U; });
  for (std::uint64_t base = range.first; base < range.end; base += unroll * range.stride) {
    std::array<LoadHandle<std::uint32_t>, kMaxUnroll> keys;
    std::uint32_t n = 0;
    for (std::uint64_t at = base; n < unroll && at < range.end; at += range.stride, ++n) {
      keys[n] = w.load(keys_, w.consecutive(at), w.active(range, at));
    }
    for (std::uint32_t k = 0; k < n; ++k) {
      const Lanes<std::uint32_t> key = co_await keys[k];
      w.compute();
      w.atomic_add(bins_, key, one, w.active(range, base + k * range.stride));
    }
    w.compute(3);
  }
}

}  // namespace

WorkloadKind hist_workload() {
  return {"hist", "histogram of keys by atomics", "keys", 3 << 15, 1, 1ULL << 31, &make<Histogram>};
}

}  // namespace cxlgpu
