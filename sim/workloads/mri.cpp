// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// mri: samples put in order, then smoothed: the composition sort + conv3.
//
// Purpose: sort's dense comparisons and conv3's streaming on one data set.
// Shapes:  size is the edge n of the result. A scanner reads n + 2 lines of n + 2 samples, each
// with
//          its position along the line, in no order. sort puts every line into the order of its
//          positions, by ranks within the line: (n + 2)^3 comparisons; conv3 smooths what comes out
//          with the weights 1 2 1, 2 4 2, 1 2 1.
#include <algorithm>
#include <numeric>

#include "sim/workloads/kernels.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

class Mri : public Workload {
 public:
  using Workload::Workload;
  void place(Allocator& allocator) override {
    positions_ = allocator.alloc<std::int32_t>(line() * line());
    samples_ = allocator.alloc<float>(line() * line());
    picture_ = allocator.alloc<float>(line() * line());
    weights_ = allocator.alloc<float>(9);
    out_ = allocator.alloc<float>(size() * size());
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, positions_, [&](std::uint64_t i) { return position(i); });
    fill_array(memory, samples_, [&](std::uint64_t i) { return sample(i); });
    fill_array(memory, weights_, weight);
    for (const auto& array : {picture_, out_}) {
      fill_array(memory, array, [](std::uint64_t) { return -1.0F; });
    }
  }
  void launch(Gpu& gpu) override {
    const Distribution how = params().distribution;
    // The sort moves 32-bit words, whatever they stand for.
    const auto words = [](const DeviceArray<float>& array) {
      return DeviceArray<std::int32_t>{array.base, array.size};
    };
    const RankSort sort{positions_, words(samples_), words(picture_), line()};
    gpu.launch([=](Warp& w) { return rank_sort(w, sort, how); });
    gpu.launch([=, this](Warp& w) { return convolution(w, smoothing(), how); });
  }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    std::vector<float> picture(line() * line());
    std::vector<std::uint64_t> order(line());
    for (std::uint64_t first = 0; first < picture.size(); first += line()) {
      std::iota(order.begin(), order.end(), first);
      std::stable_sort(order.begin(), order.end(),
                       [&](std::uint64_t a, std::uint64_t b) { return position(a) < position(b); });
      for (std::uint64_t i = 0; i < line(); ++i) picture[first + i] = sample(order[i]);
    }
    if (auto wrong =
            difference(memory, picture_, "picture", [&](std::uint64_t i) { return picture[i]; })) {
      return wrong;
    }
    return difference(memory, out_, "out", [&](std::uint64_t i) {
      float sum = 0;
      for (std::uint64_t k = 0; k < 9; ++k) {
        sum += picture[smoothing().under(i / size(), i % size(), k)] * weight(k);
      }
      return sum;
    });
  }

 private:
  [[nodiscard]] std::uint64_t line() const { return size() + 2; }
  [[nodiscard]] Convolution smoothing() const { return {picture_, weights_, out_, size()}; }
  [[nodiscard]] std::int32_t position(std::uint64_t i) const {
    return static_cast<std::int32_t>(Random(params().seed, i).below(8 * line()));
  }
  // Whole numbers small enough for every sum to be exact.
  [[nodiscard]] float sample(std::uint64_t i) const {
    return static_cast<float>(Random(params().seed, line() * line() + i).below(1 << 16));
  }
  static float weight(std::uint64_t k) {
    return static_cast<float>((k / 3 == 1 ? 2 : 1) * (k % 3 == 1 ? 2 : 1));
  }

  DeviceArray<std::int32_t> positions_;
  DeviceArray<float> samples_, picture_, weights_, out_;
};

}  // namespace

WorkloadKind mri_workload() {
  return {"mri",
          "samples sorted line by line, then smoothed: sort, conv3",
          "edge of the picture",
          192,
          1,
          1 << 15,
          &make<Mri>};
}

}  // namespace cxlgpu
