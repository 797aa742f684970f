// sort: rank sort of whole numbers, Vortex's psort.
//
// Purpose: compute intensive with next to no stores: every element is compared with every other.
// Shapes:  size elements, two arrays of 4-byte elements; size^2 comparisons.
#include <algorithm>

#include "refmodel/workloads/rank_sort.hpp"
#include "refmodel/workloads/workload.hpp"

namespace cxlgpu {
namespace {

class Sort : public Workload {
 public:
  using Workload::Workload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    std::vector<std::int32_t> expected(size());
    for (std::uint64_t i = 0; i < size(); ++i) expected[i] = value(i);
    std::sort(expected.begin(), expected.end());
    return difference(memory, out_, "out", [&](std::uint64_t i) { return expected[i]; });
  }

 private:
  // Half as many values as elements, so that some are equal.
  [[nodiscard]] std::int32_t value(std::uint64_t i) const {
    return static_cast<std::int32_t>(Random(params().seed, i).below(size() / 2 + 1));
  }
  void place(Allocator& allocator) override {
    in_ = allocator.alloc<std::int32_t>(size());
    out_ = allocator.alloc<std::int32_t>(size());
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, in_, [&](std::uint64_t i) { return value(i); });
    fill_array(memory, out_, [](std::uint64_t) { return -1; });
  }
  WarpTask kernel(Warp& w) const override {
    return rank_sort(w, {in_, in_, out_, size()}, params().distribution);
  }

  DeviceArray<std::int32_t> in_, out_;
};

}  // namespace

WorkloadKind sort_workload() {
  return {"sort", "rank sort of whole numbers", "elements", 1 << 12, 2, 1ULL << 28, &make<Sort>};
}

}  // namespace cxlgpu
