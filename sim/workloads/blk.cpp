// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// blk: prices of options by Black and Scholes' formula, day by day, with checkpoints.
//
// Purpose: streams and much arithmetic; what is checkpointed is half of what is read.
// Shapes:  size options: spot and strike price, years to run; call and put price, summed up over
// the
//          days, of 4 bytes. A step is a day, by which all options have less time to run.
// Source:  F. Black and M. Scholes, 1973; the cumulative normal distribution as Abramowitz and
//          Stegun, 26.2.17. Ranges of the input as NVIDIA's sample has them.
#include <cmath>

#include "sim/workloads/iterative.hpp"

namespace cxlgpu {
namespace {

constexpr float kRate = 0.02F, kVolatility = 0.3F, kDay = 1.0F / 365.0F;

float normal(float x) {
  const float k = 1.0F / (1.0F + 0.2316419F * std::fabs(x));
  const float sum =
      k * (0.31938153F +
           k * (-0.356563782F + k * (1.781477937F + k * (-1.821255978F + k * 1.330274429F))));
  const float tail = 0.39894228040F * std::exp(-0.5F * x * x) * sum;
  return x > 0 ? 1.0F - tail : tail;
}

struct Prices {
  float call = 0, put = 0;
};

Prices price(float spot, float strike, float years) {
  const float root = std::sqrt(years);
  const float d1 = (std::log(spot / strike) + (kRate + 0.5F * kVolatility * kVolatility) * years) /
                   (kVolatility * root);
  const float n1 = normal(d1), n2 = normal(d1 - kVolatility * root);
  const float paid = strike * std::exp(-kRate * years);
  return {spot * n1 - paid * n2, paid * (1.0F - n2) - spot * (1.0F - n1)};
}

class BlackScholes : public IterativeWorkload {
 public:
  using IterativeWorkload::IterativeWorkload;

 private:
  void place_data(Allocator& allocator) override {
    for (DeviceArray<float>& array : option_) array = allocator.alloc<float>(size());
    calls_ = allocator.alloc<float>(size());
    puts_ = allocator.alloc<float>(size());
  }
  void fill_data(Backdoor& memory) override {
    for (U64 k = 0; k < option_.size(); ++k) {
      fill_array(memory, option_[k], [&](U64 i) { return option(i, k); });
    }
    fill_array(memory, calls_, [](U64) { return 0.0F; });
    fill_array(memory, puts_, [](U64) { return 0.0F; });
  }
  [[nodiscard]] std::vector<DeviceArray<U32>> state() const override {
    return {words_of(calls_), words_of(puts_)};
  }
  [[nodiscard]] std::string piece() const override { return "blk"; }

  // Spot, strike, years.
  [[nodiscard]] float option(U64 i, U64 k) const {
    constexpr std::array<std::pair<float, float>, 3> kRanges = {
        {{5.0F, 30.0F}, {1.0F, 100.0F}, {0.25F, 10.0F}}};
    const float part =
        static_cast<float>(Random(params().seed, i * 3 + k).below(1 << 20)) * 0x1p-20F;
    return kRanges[k].first + part * (kRanges[k].second - kRanges[k].first);
  }
  // Never at an end: it would divide by 0.
  [[nodiscard]] static float left(float years, U64 day) {
    return std::max(years - static_cast<float>(day) * kDay, kDay);
  }
  [[nodiscard]] StateWords start() const override { return StateWords(2 * size()); }
  void advance(StateWords& words, U64 day) const override {
    for (U64 i = 0; i < size(); ++i) {
      const Prices p = price(option(i, 0), option(i, 1), left(option(i, 2), day));
      words[i] = bits_of(float_of(words[i]) + p.call);
      words[size() + i] = bits_of(float_of(words[size() + i]) + p.put);
    }
  }
  WarpTask step(Warp& w, U64 day) const override;

  std::array<DeviceArray<float>, 3> option_;
  DeviceArray<float> calls_, puts_;
};

WarpTask BlackScholes::step(Warp& w, U64 day) const {
  const WorkRange range = share(w, size());
  for (U64 base = range.first; base < range.end; base += range.stride) {
    const LaneMask mask = w.active(range, base);
    const auto at = w.consecutive(base);
    auto spots = w.load(option_[0], at, mask), strikes = w.load(option_[1], at, mask);
    auto years = w.load(option_[2], at, mask);
    auto calls = w.load(calls_, at, mask), puts = w.load(puts_, at, mask);
    const auto [s, x, t, c, p] = co_await all(spots, strikes, years, calls, puts);
    // Sums and products; a root, a logarithm, three exponentials and five divisions.
    w.compute(44, Unit::Fpu);
    w.compute(10, Unit::Sfu);
    w.compute(10);  // years left, pointers, loop
    Lanes<float> call{}, put{};
    for (LaneMask m = mask; m != 0; m &= m - 1) {
      const unsigned i = first_lane(m);
      const Prices prices = price(s[i], x[i], left(t[i], day));
      call[i] = c[i] + prices.call;
      put[i] = p[i] + prices.put;
    }
    w.store(calls_, at, call, mask);
    w.store(puts_, at, put, mask);
  }
}

}  // namespace

WorkloadKind blk_workload() {
  return {"blk",
          "prices of options, with checkpoints",
          "options",
          10 << 10,
          1,
          1 << 26,
          make<BlackScholes>,
          {.default_value = 10, .min = 1, .max = 3650, .counts = "days"}};
}

}  // namespace cxlgpu
