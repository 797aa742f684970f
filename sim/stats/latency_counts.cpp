// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/stats/latency_counts.hpp"

namespace cxlgpu {

Percentiles percentiles_of(std::vector<std::uint64_t> latencies) {
  Percentiles p;
  p.count = latencies.size();
  if (latencies.empty()) return p;
  // Ranks rise: each search begins where the last one ended, and nothing is sorted.
  auto from = latencies.begin();
  const auto rank = [&](double share) {
    const auto index = static_cast<std::size_t>(share * static_cast<double>(latencies.size()));
    const auto at =
        latencies.begin() + static_cast<std::ptrdiff_t>(std::min(index, latencies.size() - 1));
    std::nth_element(from, at, latencies.end());
    from = at;
    return Time{*at};
  };
  std::uint64_t sum = 0;
  for (const std::uint64_t latency : latencies) sum += latency;
  p.mean = Time{sum / latencies.size()};
  p.p50 = rank(0.5);
  p.p90 = rank(0.9);
  p.p99 = rank(0.99);
  p.p999 = rank(0.999);
  p.max = Time{*std::max_element(from, latencies.end())};
  return p;
}

void LatencyCounts::add(const LatencyCounts& other) {
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
  for (std::size_t bin = 0; bin < other.counts_.size(); ++bin) counts_[bin] += other.counts_[bin];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

Percentiles LatencyCounts::percentiles() const {
  Percentiles p;
  p.count = count_;
  if (count_ == 0) return p;
  std::size_t bin = 0;
  std::uint64_t below = 0;  // in the bins before it
  // Ranks rise: each search goes on from the bin of the last.
  const auto rank = [&](double share) {
    const auto index =
        std::min(static_cast<std::uint64_t>(share * static_cast<double>(count_)), count_ - 1);
    while (below + counts_[bin] <= index) below += counts_[bin++];
    const std::uint64_t least = FineLatencyBins::least(bin);
    return Time{std::min(least + (FineLatencyBins::least(bin + 1) - least) / 2, max_)};
  };
  p.mean = Time{sum_ / count_};
  p.p50 = rank(0.5);
  p.p90 = rank(0.9);
  p.p99 = rank(0.99);
  p.p999 = rank(0.999);
  p.max = Time{max_};
  return p;
}

}  // namespace cxlgpu
