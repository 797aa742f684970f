// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// How many are in a queue over time, from when each went in and each came out.
//
// Purpose: the curve of a queue's fill; who went in and who came out need not be matched.
// Units:   mean number over each bin.
// Shapes:  each step up to `exact`; from there on bins that grow, which the curve is the mean of.
// Errors:  none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/time.hpp"
#include "sim/stats/growing_bins.hpp"
#include "sim/stats/time_bins.hpp"

namespace cxlgpu {

class Occupancy {
 public:
  static constexpr std::size_t kKept = 1u << 20;

  explicit Occupancy(std::size_t exact = kKept) : exact_(exact) {}
  void enter(Time at) { step(at.ps << 1); }
  void leave(Time at) { step(at.ps << 1 | 1); }
  // Steps past the last bin are left out.
  [[nodiscard]] std::vector<double> series(const TimeBins& bins) const;

 private:
  enum Curve : std::size_t { Net, NetTimesWhen };

  [[gnu::always_inline]] void step(std::uint64_t one) {
    if (steps_.size() < exact_) [[likely]]
      return steps_.push_back(one);
    count(one);
  }
  [[gnu::cold]] void count(std::uint64_t one);
  void fold();
  [[nodiscard]] std::vector<double> folded_series(const TimeBins& bins) const;

  std::size_t exact_;                 // 0 once folded
  std::vector<std::uint64_t> steps_;  // 2 * time in ps, + 1 if one leaves
  std::optional<GrowingBins> folded_;
};

}  // namespace cxlgpu
