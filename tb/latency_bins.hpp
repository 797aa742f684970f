// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Bins of a histogram of latencies: eight of one width to each doubling, so that a bin is at most
// an eighth of its latency wide.
#pragma once

#include <bit>
#include <cstdint>

namespace cxlgpu {

struct LatencyBins {
  static constexpr std::size_t kCount = 8 * 62;

  [[nodiscard]] static std::size_t of(std::uint64_t ps) {
    if (ps < 8) return ps;
    const unsigned shift = static_cast<unsigned>(std::bit_width(ps)) - 4;
    return 8 * std::size_t{shift} + (ps >> shift);
  }
  // Least latency of a bin.
  [[nodiscard]] static std::uint64_t least(std::size_t bin) {
    if (bin < 16) return bin;
    const std::size_t shift = bin / 8 - 1;
    return std::uint64_t{8 + bin % 8} << shift;
  }
};

}  // namespace cxlgpu
