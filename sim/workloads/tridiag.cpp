// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// tridiag: many tridiagonal systems of equations, solved by Thomas' algorithm.
//
// Purpose: there and back: a sweep upwards through four arrays that rewrites two of them, then one
//          downwards through those two, which meets last what it wrote first.
// Shapes:  size systems of `iterations` equations each; equation i of system k at [i * size + k].
//          A lane solves one system, so a warp's next access is a row of size elements away.
//          `unroll` equations are loaded before the first of them is worked on. Diagonally
//          dominant.
// Source:  Thomas 1949; layout as in batched solvers (cuSPARSE's gtsvInterleavedBatch).
#include "sim/workloads/divergence.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

struct Equation {  // lower x[i-1] + middle x[i] + upper x[i+1] = right
  float lower = 0, middle = 0, upper = 0, right = 0;
};
struct Reduced {  // x[i] = right - upper x[i+1]
  float upper = 0, right = 0;
};
Reduced reduce(const Equation& e, const Reduced& before) {
  const float by = e.middle - e.lower * before.upper;
  return {e.upper / by, (e.right - e.lower * before.right) / by};
}

class Tridiagonal : public Workload {
 public:
  using Workload::Workload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    const std::uint64_t n = equations();
    std::vector<float> upper(n * size()), x(n * size());
    std::vector<Reduced> rows(n);
    for (std::uint64_t k = 0; k < size(); ++k) {
      Reduced before;
      for (std::uint64_t i = 0; i < n; ++i) before = rows[i] = reduce(equation(i, k), before);
      float behind = 0;
      for (std::uint64_t i = n; i-- > 0;) {
        behind = rows[i].right - rows[i].upper * behind;
        upper[i * size() + k] = rows[i].upper;
        x[i * size() + k] = behind;
      }
    }
    if (auto wrong = difference(memory, upper_, "upper", [&](auto i) { return upper[i]; })) {
      return wrong;
    }
    return difference(memory, right_, "x", [&](auto i) { return x[i]; });
  }

 private:
  [[nodiscard]] std::uint64_t equations() const { return params().iterations; }
  // In [-1, 1).
  [[nodiscard]] float random(std::uint64_t i) const {
    return static_cast<float>(Random(params().seed, i).below(1 << 24)) * 0x1p-23F - 1.0F;
  }
  [[nodiscard]] Equation equation(std::uint64_t i, std::uint64_t k) const {
    const std::uint64_t at = (i * size() + k) * 4;
    return {i == 0 ? 0 : random(at), 4 + random(at + 1), i + 1 == equations() ? 0 : random(at + 2),
            random(at + 3)};
  }
  void place(Allocator& allocator) override {
    for (auto* array : {&lower_, &middle_, &upper_, &right_}) {
      *array = allocator.alloc<float>(equations() * size());
    }
  }
  void fill(Backdoor& memory) override {
    const auto fill_with = [&](const DeviceArray<float>& array, float Equation::*part) {
      fill_array(memory, array,
                 [&](std::uint64_t i) { return equation(i / size(), i % size()).*part; });
    };
    fill_with(lower_, &Equation::lower);
    fill_with(middle_, &Equation::middle);
    fill_with(upper_, &Equation::upper);
    fill_with(right_, &Equation::right);
  }
  WarpTask kernel(Warp& w) const override;

  DeviceArray<float> lower_, middle_, upper_, right_;
};

// Instructions besides the accesses, upwards: two products, two differences, two divisions an
// equation, and 4 for pointers; downwards a product, a difference, and 2 for pointers; 2 a turn of
// either loop (counter, branch), 6 a vector of systems.
WarpTask Tridiagonal::kernel(Warp& w) const {
  const std::uint64_t n = equations(), unroll = params().unroll;
  const WorkRange range = share(w, size());
  for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
    const LaneMask mask = w.active(range, base);
    const auto row = [&](std::uint64_t i) { return w.consecutive(i * size() + base); };
    w.compute(6);
    Lanes<Reduced> before{};
    for (std::uint64_t first = 0; first < n; first += unroll) {
      std::array<LoadHandle<float>, kMaxUnroll> lower, middle, upper, right;
      const std::uint64_t count = std::min(unroll, n - first);
      for (std::uint64_t k = 0; k < count; ++k) {
        lower[k] = w.load(lower_, row(first + k), mask);
        middle[k] = w.load(middle_, row(first + k), mask);
        upper[k] = w.load(upper_, row(first + k), mask);
        right[k] = w.load(right_, row(first + k), mask);
      }
      for (std::uint64_t k = 0; k < count; ++k) {
        const auto [a, b, c, d] = co_await all(lower[k], middle[k], upper[k], right[k]);
        w.compute(4, Unit::Fpu);
        w.compute(2, Unit::Sfu);
        w.compute(4);
        Lanes<float> new_upper{}, new_right{};
        for_lanes(mask, [&](unsigned i) {
          before[i] = reduce({a[i], b[i], c[i], d[i]}, before[i]);
          new_upper[i] = before[i].upper;
          new_right[i] = before[i].right;
        });
        w.store(upper_, row(first + k), new_upper, mask);
        w.store(right_, row(first + k), new_right, mask);
      }
      w.compute(2);
    }
    Lanes<float> x{};
    for (std::uint64_t left = n; left != 0;) {
      std::array<LoadHandle<float>, kMaxUnroll> upper, right;
      const std::uint64_t count = std::min(unroll, left);
      for (std::uint64_t k = 0; k < count; ++k) {
        upper[k] = w.load(upper_, row(left - 1 - k), mask);
        right[k] = w.load(right_, row(left - 1 - k), mask);
      }
      for (std::uint64_t k = 0; k < count; ++k) {
        const auto [c, d] = co_await all(upper[k], right[k]);
        w.compute(2, Unit::Fpu);
        w.compute(2);
        for_lanes(mask, [&](unsigned i) { x[i] = d[i] - c[i] * x[i]; });
        w.store(right_, row(left - 1 - k), x, mask);
      }
      w.compute(2);
      left -= count;
    }
  }
}

}  // namespace

WorkloadKind tridiag_workload() {
  return {"tridiag",
          "tridiagonal systems, a sweep up and one down",
          "systems",
          1 << 9,
          1,
          1 << 24,
          &make<Tridiagonal>,
          {.default_value = 80, .min = 2, .max = 1 << 12, .counts = "equations of a system"}};
}

}  // namespace cxlgpu
