// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// hs: temperatures of a chip over time, from the power that its parts take, with checkpoints.
//
// Purpose: a stencil whose whole result is copied to persistent memory now and then, in a stream.
// Shapes:  size is the edge n of a grid, two arrays of temperatures and one of power of 4 bytes. A
//          step is two time steps, from the first array to the second and back; the first is what
//          is checkpointed. At the edge a cell is its own neighbour.
// Units:   degrees Celsius, watts, metres, seconds.
// Source:  model and constants of Rodinia's hotspot: a chip of 16 mm square and 0.5 mm, of silicon.
#include "sim/workloads/iterative.hpp"

namespace cxlgpu {
namespace {

// What a grid of n x n cells has.
struct Chip {
  float rx = 0, ry = 0, rz = 0, step = 0;  // step: of time, over a cell's capacity
  explicit Chip(U64 n) {
    constexpr float kThick = 0.0005F, kEdge = 0.016F, kConduct = 100, kHeat = 1.75e6F;
    constexpr float kFit = 0.5F, kMostPower = 3e6F, kPrecision = 0.001F;
    const float cell = kEdge / static_cast<float>(n);
    rx = ry = cell / (2.0F * kConduct * kThick * cell);
    rz = kThick / (kConduct * cell * cell);
    const float capacity = kFit * kHeat * kThick * cell * cell;
    step = kPrecision / (kMostPower / (kFit * kThick * kHeat)) / capacity;
  }
  [[nodiscard]] float next(float own, float up, float down, float left, float right,
                           float power) const {
    constexpr float kAmbient = 80;
    return own + step * (power + (up + down - 2.0F * own) / ry + (left + right - 2.0F * own) / rx +
                         (kAmbient - own) / rz);
  }
};

class HotSpot : public IterativeWorkload {
 public:
  explicit HotSpot(const WorkloadParams& params) : IterativeWorkload(params), chip_(params.size) {}

 private:
  void place_data(Allocator& allocator) override {
    now_ = allocator.alloc<float>(size() * size());
    half_ = allocator.alloc<float>(now_.size);
    power_ = allocator.alloc<float>(now_.size);
  }
  void fill_data(Backdoor& memory) override {
    fill_array(memory, now_, [&](U64 i) { return first(i); });
    fill_array(memory, half_, [](U64) { return 0.0F; });
    fill_array(memory, power_, [&](U64 i) { return power(i); });
  }
  [[nodiscard]] std::vector<DeviceArray<U32>> state() const override { return {words_of(now_)}; }
  [[nodiscard]] std::string piece() const override { return "hs"; }
  [[nodiscard]] float random(U64 i) const {
    return static_cast<float>(Random(params().seed, i).below(1 << 16)) * 0x1p-16F;
  }
  [[nodiscard]] float first(U64 i) const { return 320.0F + 10.0F * random(2 * i); }
  [[nodiscard]] float power(U64 i) const { return 0.01F * random(2 * i + 1); }
  [[nodiscard]] U64 before(U64 x) const { return x == 0 ? 0 : x - 1; }
  [[nodiscard]] U64 behind(U64 x) const { return std::min(x + 1, size() - 1); }

  [[nodiscard]] StateWords start() const override {
    StateWords words;
    for (U64 i = 0; i < size() * size(); ++i) words.push_back(bits_of(first(i)));
    return words;
  }
  void advance(StateWords& words, U64) const override {
    for (unsigned half = 0; half < 2; ++half) {
      const StateWords old = words;
      const auto at = [&](U64 row, U64 column) { return float_of(old[row * size() + column]); };
      for (U64 i = 0; i < words.size(); ++i) {
        const U64 r = i / size(), c = i % size();
        words[i] = bits_of(chip_.next(at(r, c), at(before(r), c), at(behind(r), c),
                                      at(r, before(c)), at(r, behind(c)), power(i)));
      }
    }
  }
  WarpTask step(Warp& w, U64) const override {
    co_await half_step(w, now_, half_);
    co_await w.barrier();
    co_await half_step(w, half_, now_);
  }
  WarpTask half_step(Warp& w, DeviceArray<float> from, DeviceArray<float> to) const;

  Chip chip_;
  DeviceArray<float> now_, half_, power_;
};

WarpTask HotSpot::half_step(Warp& w, DeviceArray<float> from, DeviceArray<float> to) const {
  const U64 n = size(), per_row = (n + w.width() - 1) / w.width();
  for (U64 vector = w.id(); vector < n * per_row; vector += w.count()) {
    const U64 row = vector / per_row, x = vector % per_row * w.width();
    const LaneMask mask = w.active({0, n, 1}, x);
    const auto load = [&](U64 r, auto&& column) {
      return w.load(from, w.map([&](unsigned i) { return r * n + column(std::min(x + i, n - 1)); }),
                    mask);
    };
    const auto same = [](U64 c) { return c; };
    auto own = load(row, same), up = load(before(row), same), down = load(behind(row), same);
    auto left = load(row, [&](U64 c) { return before(c); });
    auto right = load(row, [&](U64 c) { return behind(c); });
    auto power = w.load(power_, w.consecutive(row * n + x), mask);
    const auto [t, u, d, l, r, p] = co_await all(own, up, down, left, right, power);
    const Lanes<float> me = t, above = u, below = d, before_me = l, behind_me = r, taken = p;
    // Nine additions, six products and divisions; edges, addresses, loop.
    w.compute(15 + 6 + 8);
    w.store(to, w.consecutive(row * n + x), w.map([&](unsigned i) {
      return chip_.next(me[i], above[i], below[i], before_me[i], behind_me[i], taken[i]);
    }),
            mask);
  }
}

}  // namespace

WorkloadKind hs_workload() {
  return {"hs",
          "temperatures of a chip, with checkpoints",
          "edge of the grid",
          128,
          2,
          1 << 14,
          make<HotSpot>,
          {.default_value = 10, .min = 1, .max = 100000, .counts = "steps"}};
}

}  // namespace cxlgpu
