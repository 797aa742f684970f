// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/stats/occupancy.hpp"

#include <algorithm>
#include <utility>

namespace cxlgpu {

std::vector<double> Occupancy::series(const TimeBins& bins) const {
  if (folded_) return folded_series(bins);
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

void Occupancy::fold() {
  folded_.emplace(std::vector<GrowingBins::Kind>(2, GrowingBins::Kind::Sum));
  exact_ = 0;
  for (const std::uint64_t step : std::exchange(steps_, {})) count(step);
}

void Occupancy::count(std::uint64_t one) {
  if (!folded_) fold();
  const Time at{one >> 1};
  const double sign = (one & 1) != 0 ? -1.0 : 1.0;
  folded_->add(Net, at, sign);
  folded_->add(NetTimesWhen, at, sign * static_cast<double>(at.ps));
}

std::vector<double> Occupancy::folded_series(const TimeBins& bins) const {
  const std::uint64_t width = folded_->width().ps;
  std::vector<double> mean(bins.count);
  double before = 0;
  // A part's mean stands for all of it, and is shared out by how much of it lies in each bin.
  for (std::size_t part = 0;; ++part) {
    const std::uint64_t begin = part * width, end = begin + width;
    std::size_t bin = begin / bins.width.ps;
    if (bin >= bins.count) return mean;
    double here = before;
    if (part < folded_->count()) {
      const double net = folded_->at(Net, part);
      here += (net * static_cast<double>(end) - folded_->at(NetTimesWhen, part)) /
              static_cast<double>(width);
      before += net;
    }
    for (std::uint64_t from = begin; from < end && bin < bins.count; ++bin) {
      const std::uint64_t to = std::min(end, (bin + 1) * bins.width.ps);
      mean[bin] += here * static_cast<double>(to - from) / static_cast<double>(bins.width.ps);
      from = to;
    }
  }
}

}  // namespace cxlgpu
