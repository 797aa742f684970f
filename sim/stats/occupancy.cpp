// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/stats/occupancy.hpp"

namespace cxlgpu {

std::vector<double> Occupancy::series(const TimeBins& bins) const {
  // A step counts in its own bin for the rest of it, and whole in every later one.
  std::vector<double> own(bins.count), later(bins.count + 1);
  for (const std::uint64_t step : steps_) {
    const std::uint64_t at = step >> 1;
    const std::size_t bin = at / bins.width.ps;
    if (bin >= bins.count) continue;
    const double sign = (step & 1) != 0 ? -1.0 : 1.0;
    const std::uint64_t rest = bins.width.ps - at % bins.width.ps;
    own[bin] += sign * static_cast<double>(rest) / static_cast<double>(bins.width.ps);
    later[bin + 1] += sign;
  }
  double before = 0;
  for (std::size_t bin = 0; bin < bins.count; ++bin) {
    before += later[bin];
    own[bin] += before;
  }
  return own;
}

}  // namespace cxlgpu
