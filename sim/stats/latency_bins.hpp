// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Bins of a histogram of latencies: 2^kSteps of one width to each doubling, so that a bin is at
// most that part of its latency wide. Those of fewer steps are made of whole ones of more.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace cxlgpu {

template <unsigned kSteps>
struct LogBins {
  static constexpr std::size_t kCount = std::size_t{65 - kSteps} << kSteps;

  [[nodiscard]] static std::size_t of(std::uint64_t ps) {
    if (ps < 1u << kSteps) return ps;
    const unsigned shift = static_cast<unsigned>(std::bit_width(ps)) - (kSteps + 1);
    return (std::size_t{shift} << kSteps) + (ps >> shift);
  }
  // Least latency of a bin.
  [[nodiscard]] static std::uint64_t least(std::size_t bin) {
    if (bin < 2u << kSteps) return bin;
    const std::size_t shift = (bin >> kSteps) - 1;
    return ((1u << kSteps) + bin % (1u << kSteps)) << shift;
  }
};

// What a picture shows: an eighth. What percentiles of very many requests are of: 1/64, so that the
// middle of a bin is at most 1/128 off.
using LatencyBins = LogBins<3>;
using FineLatencyBins = LogBins<6>;

}  // namespace cxlgpu
