// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/stats/dev_load_curve.hpp"

#include <utility>

namespace cxlgpu {

void DevLoadCurve::count(Time at, unsigned level) {
  if (!folded_) {
    exact_ = 0;
    folded_.emplace(std::vector<GrowingBins::Kind>(DevLoadCounts{}.size(), GrowingBins::Kind::Sum));
    for (const std::uint64_t one : std::exchange(each_, {})) {
      folded_->add(one & 3, Time{one >> 2}, 1);
    }
  }
  folded_->add(level, at, 1);
}

std::vector<DevLoadCounts> DevLoadCurve::series(const TimeBins& bins) const {
  std::vector<DevLoadCounts> counts(bins.count);
  for (const std::uint64_t one : each_) ++counts[bins.of(Time{one >> 2})][one & 3];
  if (!folded_) return counts;
  for (std::size_t part = 0; part < folded_->count(); ++part) {
    DevLoadCounts& to = counts[bins.of(folded_->width() * part)];
    for (std::size_t level = 0; level < to.size(); ++level) {
      to[level] += static_cast<std::uint64_t>(folded_->at(level, part));
    }
  }
  return counts;
}

}  // namespace cxlgpu
