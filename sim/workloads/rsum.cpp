// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// rsum: sum of an array by trees of work-groups, pass after pass until one number is left.
//
// Purpose: reduction: a stream of loads, and much work on the same few lines.
// Shapes:  size elements of 4 bytes. A work-group is 64 neighbours and runs on one warp: copied to
//          the group's scratch, halved six times there, its sum written to the next pass's array.
//          The scratch lies in device memory, 256 bytes for each of `warps` warps, and is used
//          again by the warp's next group.
// Errors:  a GPU of more than `warps` warps is a programming error (std::logic_error).
#include <stdexcept>

#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

class ReductionSum : public Workload {
 public:
  using Workload::Workload;
  void place(Allocator& allocator) override {
    passes_.assign(1, allocator.alloc<float>(size()));
    while (passes_.back().size > 1 || passes_.size() == 1) {
      passes_.push_back(allocator.alloc<float>(groups(passes_.back().size)));
    }
    scratch_ = allocator.alloc<float>(kGroup * params().warps);
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, passes_.front(), [&](std::uint64_t i) { return value(i); });
    for (std::size_t pass = 1; pass < passes_.size(); ++pass) {
      fill_array(memory, passes_[pass], [](std::uint64_t) { return -1.0F; });
    }
  }
  void launch(Gpu& gpu) override {
    for (std::size_t pass = 0; pass + 1 < passes_.size(); ++pass) {
      gpu.launch([this, pass](Warp& w) { return reduce(w, passes_[pass], passes_[pass + 1]); });
    }
  }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override;

 private:
  static constexpr std::uint64_t kGroup = 64;
  static constexpr std::uint64_t groups(std::uint64_t n) { return (n + kGroup - 1) / kGroup; }
  // One element in 4096 has a bit: with the largest size, too, every partial sum is exact.
  [[nodiscard]] float value(std::uint64_t i) const {
    const std::uint64_t number = Random(params().seed, i).next();
    return static_cast<float>(size() <= (1 << 20) ? number % 16 : number % 4096 == 0);
  }
  WarpTask reduce(Warp& w, DeviceArray<float> in, DeviceArray<float> out) const;

  std::vector<DeviceArray<float>> passes_;  // the input, the sums of its groups, ... the sum
  DeviceArray<float> scratch_;
};

WarpTask ReductionSum::reduce(Warp& w, DeviceArray<float> in, DeviceArray<float> out) const {
  if (w.count() > params().warps) throw std::logic_error("rsum: scratch for too few warps");
  const std::uint64_t width = w.width(), scratch = w.id() * kGroup;
  const WorkRange range = share(w, groups(in.size) * width);  // a vector of work is a group
  const auto below = [&](std::uint64_t first, std::uint64_t end) {
    return first < end ? w.active({0, end, 1}, first) : LaneMask{0};
  };
  for (std::uint64_t at = range.first; at < range.end; at += range.stride) {
    const std::uint64_t group = at / width, first = group * kGroup;
    for (std::uint64_t i = 0; i < kGroup; i += width) {
      const Lanes<float> x =
          co_await w.load(in, w.consecutive(first + i), below(first + i, in.size));
      w.compute(7);  // bound: compare, split, join; two pointers, counter, branch
      w.store(scratch_, w.consecutive(scratch + i), x, below(i, kGroup));
    }
    for (std::uint64_t half = kGroup / 2; half != 0; half /= 2) {
      for (std::uint64_t i = 0; i < half; i += width) {
        const LaneMask mask = below(i, half);
        auto left = w.load(scratch_, w.consecutive(scratch + i), mask);
        auto right = w.load(scratch_, w.consecutive(scratch + i + half), mask);
        const auto [x, y] = co_await all(left, right);
        // Lane below half: compare, split, join; address, add; pointer, counter, branch.
        w.compute(8);
        w.store(scratch_, w.consecutive(scratch + i),
                w.map([&](unsigned lane) { return x[lane] + y[lane]; }), mask);
      }
      w.compute(3);  // half, its bytes, branch
    }
    const Lanes<float> sum = co_await w.load(scratch_, w.consecutive(scratch), lane_bit(0));
    w.compute(5);  // lane 0: compare, split, join; address of the result
    w.store(out, w.consecutive(group), sum, lane_bit(0));
  }
}

std::optional<std::string> ReductionSum::verify(const Backdoor& memory) const {
  std::vector<float> sums;
  for (std::uint64_t first = 0; first < size(); first += kGroup) {
    float sum = 0;
    for (std::uint64_t i = first; i < std::min(first + kGroup, size()); ++i) sum += value(i);
    sums.push_back(sum);
  }
  for (std::size_t pass = 1; pass < passes_.size(); ++pass) {
    const auto expected = [&](std::uint64_t i) { return sums[i]; };
    const std::string name = fmt::format("sum of pass {}", pass);
    if (auto wrong = difference(memory, passes_[pass], name, expected)) return wrong;
    std::vector<float> next(groups(sums.size()), 0.0F);
    for (std::uint64_t i = 0; i < sums.size(); ++i) next[i / kGroup] += sums[i];
    sums = std::move(next);
  }
  return std::nullopt;
}

}  // namespace

WorkloadKind rsum_workload() {
  return {"rsum", "sum of an array", "elements of the array", 3 << 16,
          1,      1ULL << 32,        &make<ReductionSum>};
}

}  // namespace cxlgpu
