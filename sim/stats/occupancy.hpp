// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// How many are in a queue over time, from when each went in and each came out.
//
// Purpose: the curve of a queue's fill; who went in and who came out need not be matched.
// Units:   mean number over each bin.
// Errors:  none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/time.hpp"
#include "sim/stats/time_bins.hpp"

namespace cxlgpu {

class Occupancy {
 public:
  void enter(Time at) { steps_.push_back(at.ps << 1); }
  void leave(Time at) { steps_.push_back(at.ps << 1 | 1); }
  // Steps past the last bin are left out.
  [[nodiscard]] std::vector<double> series(const TimeBins& bins) const;

 private:
  std::vector<std::uint64_t> steps_;  // 2 * time in ps, + 1 if one leaves
};

}  // namespace cxlgpu
