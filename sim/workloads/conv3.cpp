// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// conv3: a picture convolved with 3 x 3 weights.
//
// Purpose: neighbours in two dimensions; the nine weights are loaded again for every vector, since
//          a compiler cannot know that the result does not overlap them.
// Shapes:  size is the edge n of the result, n^2 elements of 4 bytes; the input has a border of one
//          element all round. A lane works out one element.
#include "sim/workloads/kernels.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {

WarpTask convolution(Warp& w, Convolution arrays, Distribution distribution) {
  const std::uint64_t n = arrays.edge, width = w.width(),
                      per_row = (n + width - 1) / width;  // vectors
  const WorkRange range = w.work(n * per_row * width, distribution);
  for (std::uint64_t at = range.first; at < range.end; at += range.stride) {
    const std::uint64_t row = at / width / per_row, column = at / width % per_row * width;
    const LaneMask mask = w.active({0, n, 1}, column);
    std::array<LoadHandle<float>, 9> values, weights;
    for (std::uint64_t k = 0; k < 9; ++k) {
      values[k] = w.load(arrays.picture, w.consecutive(arrays.under(row, column, k)), mask);
      weights[k] = w.load(arrays.weights, w.map([k](unsigned) { return k; }), mask);
    }
    Lanes<float> sum{};
    for (std::uint64_t k = 0; k < 9; ++k) {
      const auto [x, weight] = co_await all(values[k], weights[k]);
      w.compute(2);  // multiply, add
      for (unsigned i = 0; i < width; ++i) sum[i] += x[i] * weight[i];
    }
    w.compute(6);  // pointers to three rows and the result, counter, branch
    w.store(arrays.out, w.consecutive(row * n + column), sum, mask);
  }
}

namespace {

class Conv3 : public Workload {
 public:
  using Workload::Workload;
  void place(Allocator& allocator) override {
    in_ = allocator.alloc<float>(pitch() * pitch());
    weights_ = allocator.alloc<float>(9);
    out_ = allocator.alloc<float>(size() * size());
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, in_, [&](std::uint64_t i) { return value(i); });
    fill_array(memory, weights_, weight);
    fill_array(memory, out_, [](std::uint64_t) { return -1.0F; });
  }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    return difference(memory, out_, "out", [&](std::uint64_t i) {
      float sum = 0;
      for (std::uint64_t k = 0; k < 9; ++k)
        sum += value(arrays().under(i / size(), i % size(), k)) * weight(k);
      return sum;
    });
  }

 private:
  [[nodiscard]] std::uint64_t pitch() const { return size() + 2; }
  [[nodiscard]] Convolution arrays() const { return {in_, weights_, out_, size()}; }
  // Integers small enough for every result to be exact; a sum is never negative.
  [[nodiscard]] float value(std::uint64_t i) const {
    return static_cast<float>(Random(params().seed, i).below(1 << 16));
  }
  static float weight(std::uint64_t k) { return static_cast<float>(k + 1); }
  WarpTask kernel(Warp& w) const override {
    return convolution(w, arrays(), params().distribution);
  }

  DeviceArray<float> in_, weights_, out_;
};

}  // namespace

WorkloadKind conv3_workload() {
  return {"conv3", "3 x 3 convolution", "edge of the picture", 312, 1, 1 << 15, &make<Conv3>};
}

}  // namespace cxlgpu
