// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Latencies as a histogram: percentiles of any number of requests, in memory of one size.
//
// Purpose: what LatencyBook keeps of very many requests.
// Units:   picoseconds.
// Rules:   count, mean and longest are exact; a percentile is at most 1/128 of itself off.
// Errors:  none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/time.hpp"
#include "sim/stats/latency_bins.hpp"

namespace cxlgpu {

struct Percentiles {
  std::uint64_t count = 0;
  Time mean, p50, p90, p99, p999, max;
};

// Exact, of these latencies in ps; all 0 without one.
[[nodiscard]] Percentiles percentiles_of(std::vector<std::uint64_t> latencies);

class LatencyCounts {
 public:
  void add(std::uint64_t ps) {
    const std::size_t bin = FineLatencyBins::of(ps);
    if (bin >= counts_.size()) counts_.resize(bin + 1);
    ++counts_[bin];
    ++count_;
    sum_ += ps;
    max_ = std::max(max_, ps);
  }
  void add(const LatencyCounts& other);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] Percentiles percentiles() const;
  // By FineLatencyBins, up to the last that is not empty.
  [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return counts_; }

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0, sum_ = 0, max_ = 0;
};

}  // namespace cxlgpu
