// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// stencil: one step of a 7-point stencil over a cube, as Parboil's naive kernel.
//
// Purpose: neighbours in three dimensions: of seven loads two come from the next planes.
// Shapes:  size is the edge n of a cube, x fastest; two arrays of n^3 elements of 4 bytes. A lane
//          works out one inner element; the surface of the result is left alone.
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

class Stencil : public Workload {
 public:
  using Workload::Workload;
  void place(Allocator& allocator) override {
    in_ = allocator.alloc<float>(size() * size() * size());
    out_ = allocator.alloc<float>(size() * size() * size());
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, in_, [&](std::uint64_t i) { return value(i); });
    fill_array(memory, out_, [](std::uint64_t) { return kOutside; });
  }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    const std::uint64_t n = size();
    const auto inner = [n](std::uint64_t x) { return x != 0 && x != n - 1; };
    return difference(memory, out_, "out", [&](std::uint64_t i) {
      if (!inner(i % n) || !inner(i / n % n) || !inner(i / n / n)) return kOutside;
      return kAround * (value(i + n * n) + value(i - n * n) + value(i + n) + value(i - n) +
                        value(i + 1) + value(i - 1)) -
             value(i) * kCentre;
    });
  }

 private:
  static constexpr float kOutside = -1e6F, kAround = 2, kCentre = 3;  // of a result, never -1e6
  // Integers small enough for every result to be exact.
  [[nodiscard]] float value(std::uint64_t i) const {
    return static_cast<float>(Random(params().seed, i).below(1 << 16));
  }
  WarpTask kernel(Warp& w) const override;

  DeviceArray<float> in_, out_;
};

WarpTask Stencil::kernel(Warp& w) const {
  const std::uint64_t n = size(), inner = n - 2, width = w.width();
  const std::uint64_t per_row = (inner + width - 1) / width;  // vectors
  const WorkRange range = share(w, inner * inner * per_row * width);
  for (std::uint64_t at = range.first; at < range.end; at += range.stride) {
    const std::uint64_t row = at / width / per_row, x = at / width % per_row * width;
    const LaneMask mask = w.active({0, inner, 1}, x);
    const std::uint64_t centre = ((row / inner + 1) * n + row % inner + 1) * n + x + 1;
    const auto load = [&](std::uint64_t i) { return w.load(in_, w.consecutive(i), mask); };
    auto above = load(centre + n * n), below = load(centre - n * n);
    auto behind = load(centre + n), before = load(centre - n);
    auto right = load(centre + 1), left = load(centre - 1), middle = load(centre);
    const auto [a, b, c, d, e, f, m] =
        co_await all(above, below, behind, before, right, left, middle);
    // Five additions, two multiplications, one subtraction; inside the row: compare, split, join;
    // pointers to five rows and the result, counter, branch.
    w.compute(8 + 3 + 8);
    w.store(out_, w.consecutive(centre), w.map([&](unsigned i) {
      return kAround * (a[i] + b[i] + c[i] + d[i] + e[i] + f[i]) - m[i] * kCentre;
    }),
            mask);
  }
}

}  // namespace

WorkloadKind stencil_workload() {
  return {"stencil", "7-point stencil", "edge of the cube", 46, 3, 1 << 11, &make<Stencil>};
}

}  // namespace cxlgpu
