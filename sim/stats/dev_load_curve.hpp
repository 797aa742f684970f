// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// How many responses said each DevLoad, over time.
//
// Shapes:  each response up to `exact`; from there on bins that grow. Of these, one stands in the
//          bin in which it begins.
// Errors:  none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/time.hpp"
#include "sim/stats/growing_bins.hpp"
#include "sim/stats/time_bins.hpp"

namespace cxlgpu {

// Responses that said each DevLoad.
using DevLoadCounts = std::array<std::uint64_t, 4>;

class DevLoadCurve {
 public:
  static constexpr std::size_t kKept = 1u << 20;

  explicit DevLoadCurve(std::size_t exact = kKept) : exact_(exact) {}
  void add(Time at, unsigned level) {
    if (each_.size() < exact_) [[likely]]
      return each_.push_back(at.ps << 2 | level);
    count(at, level);
  }
  [[nodiscard]] std::vector<DevLoadCounts> series(const TimeBins& bins) const;

 private:
  [[gnu::cold]] void count(Time at, unsigned level);

  std::size_t exact_;                // 0 once folded
  std::vector<std::uint64_t> each_;  // 4 * time in ps + DevLoad
  std::optional<GrowingBins> folded_;
};

}  // namespace cxlgpu
