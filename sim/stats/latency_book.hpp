// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Latencies of requests of one kind: as a whole, over time, by stage.
//
// Purpose: percentiles of a run, exact as long as every latency fits in little memory.
// Units:   picoseconds.
// Shapes:  each latency, until fold(); from there on histograms (LatencyCounts) of up to kBins
//          equal parts of the time so far, whose width doubles as the run
//          grows.
// Rules:   over time, a request stands in the bin in which it was accepted; what comes past the
//          last bin stands in the last. Of histograms, a part of the run stands in the bin in which
//          the part begins.
// Errors:  none.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/stats/latency_counts.hpp"
#include "sim/stats/request_tracker.hpp"
#include "sim/stats/time_bins.hpp"

namespace cxlgpu {

// ps from the stage passed before; 0: not passed.
using StageTimes = std::array<std::uint64_t, kPathStages>;

class LatencyBook {
 public:
  static constexpr std::size_t kBins = 256;

  void add(const RequestRecord& record);
  // The time it was in each stage besides, for who needs it: it costs a fifth more.
  StageTimes add_timed(const RequestRecord& record);
  void add(const LatencyBook& other);
  void fold();
  [[nodiscard]] Percentiles percentiles() const;
  [[nodiscard]] std::vector<Percentiles> series(const TimeBins& bins) const;
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Requests in each bin of LatencyBins.
  [[nodiscard]] std::array<std::uint64_t, LatencyBins::kCount> histogram() const;
  // Mean time charged to each stage; sums to the mean latency.
  [[nodiscard]] std::array<double, kPathStages> stage_means_ps() const;

 private:
  [[nodiscard]] bool folded() const { return !parts_.empty(); }
  [[nodiscard]] LatencyCounts whole() const;
  void note(Time accepted, Time latency);
  void widen();
  void count(std::uint64_t accepted, std::uint64_t latency);

  std::uint64_t count_ = 0;
  std::vector<std::uint64_t> latencies_, accepted_;  // of each request, until fold()
  std::vector<LatencyCounts> parts_;                 // of 2^shift_ ps each, from time 0 on
  unsigned shift_ = 14;
  std::array<std::uint64_t, kPathStages> stage_sum_{};
};

}  // namespace cxlgpu
