// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/stats/time_bins.hpp"

#include <algorithm>

namespace cxlgpu {

namespace {

constexpr std::size_t kMostBins = 120;

}  // namespace

TimeBins TimeBins::over(Time end) {
  Time width{1000};
  for (unsigned step = 0; end.ps / kMostBins >= width.ps; ++step) {
    width = step % 3 == 1 ? Time{width.ps / 2 * 5} : width * 2;
  }
  return {width, static_cast<std::size_t>(end.ps / width.ps + 1)};
}

std::size_t TimeBins::of(Time at) const {
  return std::min(static_cast<std::size_t>(at.ps / width.ps), count - 1);
}

}  // namespace cxlgpu
