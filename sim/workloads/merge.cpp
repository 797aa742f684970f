// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// merge: two sorted arrays merged into one along the merge path.
//
// Purpose: two streams of which data says which goes on: for a while one, then the other, each lane
//          in a place of its own, which it finds by bisection first.
// Shapes:  two arrays of size elements of 4 bytes, and one of 2 * size. How dense an array's values
//          lie is drawn again every 256 elements, so that one side is often taken many times in a
//          row. A lane merges 32 neighbours of the result.
// Source:  Green, McColl, Bader 2012 (merge path).
#include "sim/workloads/divergence.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kRun = 32, kDensity = 256;

class Merge : public Workload {
 public:
  explicit Merge(const WorkloadParams& params) : Workload(params) {
    for (std::uint64_t s = 0; s < 2; ++s) {
      Random random(params.seed, s << 40);
      std::uint64_t value = 0, scale = 1;
      for (std::uint64_t i = 0; i < size(); ++i) {
        if (i % kDensity == 0) scale = 1ULL << random.below(6);
        value += random.below(scale + 1);
        sorted_[s].push_back(static_cast<std::uint32_t>(value));
      }
    }
  }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    std::vector<std::uint32_t> merged(2 * size());
    std::merge(sorted_[0].begin(), sorted_[0].end(), sorted_[1].begin(), sorted_[1].end(),
               merged.begin());
    return difference(memory, out_, "out", [&](std::uint64_t i) { return merged[i]; });
  }

 private:
  void place(Allocator& allocator) override {
    a_ = allocator.alloc<std::uint32_t>(size());
    b_ = allocator.alloc<std::uint32_t>(size());
    out_ = allocator.alloc<std::uint32_t>(2 * size());
  }
  void fill(Backdoor& memory) override {
    copy_to_device(memory, a_, sorted_[0]);
    copy_to_device(memory, b_, sorted_[1]);
    fill_array(memory, out_, [](std::uint64_t) { return ~0U; });
  }
  WarpTask kernel(Warp& w) const override;

  std::array<std::vector<std::uint32_t>, 2> sorted_;
  DeviceArray<std::uint32_t> a_, b_, out_;
};

// Instructions besides the accesses: 12 a lane's run (bounds, addresses, loop), 9 a bisection
// (middle, two addresses, compare, two selects, which lanes go on), 12 an element (which is next:
// bounds and compare with split and join; pointers, counter, branch).
WarpTask Merge::kernel(Warp& w) const {
  const std::uint64_t n = size(), runs = (2 * n + kRun - 1) / kRun;
  const WorkRange range = share(w, runs);
  for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
    const LaneMask mask = w.active(range, base);
    const auto begin = w.map([&](unsigned i) { return (base + i) * kRun; });
    w.compute(12);
    // How many of the elements before `begin` are of a.
    Lanes<std::uint64_t> low{}, high{};
    for_lanes(mask, [&](unsigned i) {
      low[i] = begin[i] > n ? begin[i] - n : 0;
      high[i] = std::min(begin[i], n);
    });
    for (;;) {
      const LaneMask busy = lanes_where(mask, [&](unsigned i) { return low[i] < high[i]; });
      if (busy == 0) break;
      const auto middle = w.map([&](unsigned i) { return (low[i] + high[i]) / 2; });
      auto of_a = w.load(a_, middle, busy);
      auto of_b = w.load(b_, w.map([&](unsigned i) { return begin[i] - 1 - middle[i]; }), busy);
      const auto [a, b] = co_await all(of_a, of_b);
      w.compute(9);
      for_lanes(busy, [&](unsigned i) {
        if (a[i] <= b[i]) {
          low[i] = middle[i] + 1;
        } else {
          high[i] = middle[i];
        }
      });
    }
    Lanes<std::uint64_t> at_a = low, at_b{};
    for_lanes(mask, [&](unsigned i) { at_b[i] = begin[i] - low[i]; });
    const auto in_a = [&](unsigned i) { return at_a[i] < n; };
    const auto in_b = [&](unsigned i) { return at_b[i] < n; };
    auto first_a = w.load(a_, at_a, lanes_where(mask, in_a));
    auto first_b = w.load(b_, at_b, lanes_where(mask, in_b));
    auto [a, b] = co_await all(first_a, first_b);
    for (std::uint64_t k = 0; k < kRun; ++k) {
      const LaneMask busy = lanes_where(mask, [&](unsigned i) { return begin[i] + k < 2 * n; });
      if (busy == 0) break;
      const LaneMask from_a =
          lanes_where(busy, [&](unsigned i) { return in_a(i) && (!in_b(i) || a[i] <= b[i]); });
      w.compute(12);
      w.store(out_, w.map([&](unsigned i) { return begin[i] + k; }),
              w.map([&](unsigned i) { return has_lane(from_a, i) ? a[i] : b[i]; }), busy);
      for_lanes(busy, [&](unsigned i) { ++(has_lane(from_a, i) ? at_a : at_b)[i]; });
      if (k + 1 == kRun) break;
      const LaneMask more_a = lanes_where(from_a, in_a), more_b = lanes_where(busy & ~from_a, in_b);
      auto next_a = w.load(a_, at_a, more_a), next_b = w.load(b_, at_b, more_b);
      const auto [new_a, new_b] = co_await all(next_a, next_b);
      for_lanes(more_a, [&](unsigned i) { a[i] = new_a[i]; });
      for_lanes(more_b, [&](unsigned i) { b[i] = new_b[i]; });
    }
    co_await w.drain();
  }
}

}  // namespace

WorkloadKind merge_workload() {
  return {"merge",
          "two sorted arrays merged along the merge path",
          "elements of each",
          3 << 14,
          2,
          1 << 26,
          &make<Merge>};
}

}  // namespace cxlgpu
