// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// dnn: training of a small network on pictures of digits, with checkpoints of its weights.
//
// Purpose: passes over weights that all change, and a copy of them now and then.
// Shapes:  two fully connected layers: 64 inputs, size hidden units (the greater of 0 and the sum),
//          10 outputs; weights and biases of 4 bytes, those of an input or unit one after the
//          other. A pass is one picture of 8 x 8, drawn by a rule of seed and pass, forwards and
//          back: steepest descent of the squared error. A lane has a unit, so that sums have one
//          order.
// Source:  GPM (S. Pandey et al., ASPLOS 2022) trains LeNet, whose two fully connected layers have
//          94 % of its weights; the convolutions before them are left out, digits are drawn.
#include <cmath>

#include "sim/workloads/iterative.hpp"

namespace cxlgpu {
namespace {

constexpr U64 kInputs = 64, kOutputs = 10;
constexpr float kRate = 0x1p-7F;

class Training : public IterativeWorkload {
 public:
  using IterativeWorkload::IterativeWorkload;

 private:
  void place_data(Allocator& allocator) override {
    first_ = allocator.alloc<float>(kInputs * size());
    first_bias_ = allocator.alloc<float>(size());
    second_ = allocator.alloc<float>(size() * kOutputs);
    second_bias_ = allocator.alloc<float>(kOutputs);
    hidden_ = allocator.alloc<float>(size());
    errors_ = allocator.alloc<float>(kOutputs);
    pictures_ = allocator.alloc<float>(params().iterations * kInputs);
  }
  void fill_data(Backdoor& memory) override {
    const StateWords words = start();
    U64 at = 0;
    for (const DeviceArray<U32>& array : state()) {
      fill_array(memory, array, [&](U64 i) { return words[at + i]; });
      at += array.size;
    }
    fill_array(memory, hidden_, [](U64) { return 0.0F; });
    fill_array(memory, errors_, [](U64) { return 0.0F; });
    fill_array(memory, pictures_, [&](U64 i) { return pixel(i / kInputs, i % kInputs); });
  }
  [[nodiscard]] std::vector<DeviceArray<U32>> state() const override {
    return {words_of(first_), words_of(first_bias_), words_of(second_), words_of(second_bias_)};
  }
  [[nodiscard]] std::string piece() const override { return "dnn"; }

  [[nodiscard]] U64 digit(U64 pass) const { return Random(params().seed, pass).below(kOutputs); }
  // Strokes that depend on the digit, and noise.
  [[nodiscard]] float pixel(U64 pass, U64 at) const {
    const U64 stroke = Random(digit(pass) + 1, at).below(4) == 0 ? 12 : 0;
    return static_cast<float>(stroke + Random(params().seed, pass << 8 | at).below(4)) * 0x1p-4F;
  }
  [[nodiscard]] float wanted(U64 pass, U64 output) const { return digit(pass) == output ? 1 : 0; }
  [[nodiscard]] StateWords start() const override {
    StateWords words;
    for (U64 i = 0; i < kInputs * size() + size() + size() * kOutputs + kOutputs; ++i) {
      const auto part = static_cast<float>(Random(params().seed, i << 20).below(1 << 12));
      words.push_back(bits_of((part - 0x1p11F) * 0x1p-15F));
    }
    return words;
  }
  void advance(StateWords& words, U64 pass) const override;
  WarpTask step(Warp& w, U64 pass) const override;
  WarpTask forwards(Warp& w, U64 pass) const;
  WarpTask outputs(Warp& w, U64 pass) const;
  WarpTask backwards(Warp& w, U64 pass) const;
  WarpTask load_errors(Warp& w, std::array<float, kOutputs>& errors) const;
  WarpTask load_picture(Warp& w, U64 pass, std::array<float, kInputs>& picture) const;

  DeviceArray<float> first_, first_bias_, second_, second_bias_, hidden_, errors_, pictures_;
};

void Training::advance(StateWords& words, U64 pass) const {
  const U64 h = size();
  std::vector<float> v(words.size());
  for (U64 i = 0; i < v.size(); ++i) v[i] = float_of(words[i]);
  float* const w1 = v.data();
  float* const b1 = w1 + kInputs * h;
  float* const w2 = b1 + h;
  float* const b2 = w2 + h * kOutputs;
  std::vector<float> hidden(h);
  for (U64 j = 0; j < h; ++j) {
    float sum = b1[j];
    for (U64 i = 0; i < kInputs; ++i) sum += w1[i * h + j] * pixel(pass, i);
    hidden[j] = std::max(sum, 0.0F);
  }
  std::array<float, kOutputs> errors{};
  for (U64 k = 0; k < kOutputs; ++k) {
    float sum = b2[k];
    for (U64 j = 0; j < h; ++j) sum += w2[j * kOutputs + k] * hidden[j];
    errors[k] = kRate * (sum - wanted(pass, k));
    b2[k] -= errors[k];
  }
  for (U64 j = 0; j < h; ++j) {
    float back = 0;
    for (U64 k = 0; k < kOutputs; ++k) {
      back += w2[j * kOutputs + k] * errors[k];
      w2[j * kOutputs + k] -= errors[k] * hidden[j];
    }
    if (hidden[j] <= 0) back = 0;
    for (U64 i = 0; i < kInputs; ++i) w1[i * h + j] -= back * pixel(pass, i);
    b1[j] -= back;
  }
  for (U64 i = 0; i < v.size(); ++i) words[i] = bits_of(v[i]);
}

WarpTask Training::load_picture(Warp& w, U64 pass, std::array<float, kInputs>& picture) const {
  for (U64 i = 0; i < kInputs; i += w.width()) {
    const LaneMask mask = w.active({0, kInputs, 1}, i);
    const auto some = co_await w.load(pictures_, w.consecutive(pass * kInputs + i), mask);
    for_lanes(mask, [&](unsigned lane) { picture[i + lane] = some[lane]; });
  }
}

// A lane a hidden unit.
WarpTask Training::forwards(Warp& w, U64 pass) const {
  std::array<float, kInputs> picture{};
  const WorkRange range = share(w, size());
  if (range.first < range.end) co_await load_picture(w, pass, picture);
  for (U64 base = range.first; base < range.end; base += range.stride) {
    const LaneMask mask = w.active(range, base);
    Lanes<float> sum = co_await w.load(first_bias_, w.consecutive(base), mask);
    for (U64 i = 0; i < kInputs; ++i) {
      const auto weight = co_await w.load(first_, w.consecutive(i * size() + base), mask);
      for (unsigned lane = 0; lane < w.width(); ++lane) sum[lane] += weight[lane] * picture[i];
      w.compute(2, Unit::Fpu);
      w.compute(2);
    }
    w.compute(3);
    w.store(hidden_, w.consecutive(base), w.map([&](unsigned i) { return std::max(sum[i], 0.0F); }),
            mask);
  }
}

// By one warp, a lane an output.
WarpTask Training::outputs(Warp& w, U64 pass) const {
  for (U64 k = 0; k < kOutputs; k += w.width()) {
    const LaneMask mask = w.active({0, kOutputs, 1}, k);
    const auto bias = co_await w.load(second_bias_, w.consecutive(k), mask);
    Lanes<float> sum = bias;
    for (U64 j = 0; j < size(); ++j) {
      auto weights = w.load(second_, w.consecutive(j * kOutputs + k), mask);
      auto units = w.load(hidden_, w.uniform(j), mask);
      const auto [weight, unit] = co_await all(weights, units);
      for (unsigned i = 0; i < w.width(); ++i) sum[i] += weight[i] * unit[i];
      w.compute(2, Unit::Fpu);
      w.compute(2);
    }
    const auto errors = w.map([&](unsigned i) {
      return k + i < kOutputs ? kRate * (sum[i] - wanted(pass, k + i)) : 0.0F;
    });
    w.compute(4);
    w.store(errors_, w.consecutive(k), errors, mask);
    w.store(second_bias_, w.consecutive(k), w.map([&](unsigned i) { return bias[i] - errors[i]; }),
            mask);
  }
}

WarpTask Training::load_errors(Warp& w, std::array<float, kOutputs>& errors) const {
  for (U64 k = 0; k < kOutputs; k += w.width()) {
    const LaneMask mask = w.active({0, kOutputs, 1}, k);
    const auto some = co_await w.load(errors_, w.consecutive(k), mask);
    for_lanes(mask, [&](unsigned lane) { errors[k + lane] = some[lane]; });
  }
}

WarpTask Training::backwards(Warp& w, U64 pass) const {
  const WorkRange range = share(w, size());
  if (range.first >= range.end) co_return;
  std::array<float, kInputs> picture{};
  std::array<float, kOutputs> errors{};
  co_await load_picture(w, pass, picture);
  co_await load_errors(w, errors);
  for (U64 base = range.first; base < range.end; base += range.stride) {
    const LaneMask mask = w.active(range, base);
    const auto unit = co_await w.load(hidden_, w.consecutive(base), mask);
    Lanes<float> back{};
    for (U64 k = 0; k < kOutputs; ++k) {
      const auto at = w.map([&](unsigned i) { return (base + i) * kOutputs + k; });
      const auto weight = co_await w.load(second_, at, mask);
      for (unsigned i = 0; i < w.width(); ++i) back[i] += weight[i] * errors[k];
      w.compute(4, Unit::Fpu);
      w.compute(2);
      w.store(second_, at, w.map([&](unsigned i) { return weight[i] - errors[k] * unit[i]; }),
              mask);
    }
    for (unsigned i = 0; i < w.width(); ++i) back[i] = unit[i] <= 0 ? 0 : back[i];
    w.compute(2);
    for (U64 i = 0; i < kInputs; ++i) {
      const auto at = w.consecutive(i * size() + base);
      const auto weight = co_await w.load(first_, at, mask);
      w.compute(2, Unit::Fpu);
      w.compute(2);
      w.store(first_, at,
              w.map([&](unsigned lane) { return weight[lane] - back[lane] * picture[i]; }), mask);
    }
    const auto bias = co_await w.load(first_bias_, w.consecutive(base), mask);
    w.store(first_bias_, w.consecutive(base), w.map([&](unsigned i) { return bias[i] - back[i]; }),
            mask);
  }
}

WarpTask Training::step(Warp& w, U64 pass) const {
  co_await forwards(w, pass);
  co_await w.barrier();
  if (w.id() == 0) co_await outputs(w, pass);
  co_await w.barrier();
  co_await backwards(w, pass);
}

}  // namespace

WorkloadKind dnn_workload() {
  return {"dnn",
          "training of a small network, with checkpoints",
          "hidden units",
          384,
          1,
          1 << 16,
          make<Training>,
          {.default_value = 10, .min = 1, .max = 100000, .counts = "passes"}};
}

}  // namespace cxlgpu
