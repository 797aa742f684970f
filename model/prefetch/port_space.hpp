// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Granules of one root port, numbered as if its interleave chunks lay side by side.
//
// Purpose: a stream over memory comes to a port with holes, where the other ports' chunks are. A
//          published prefetcher knows none; it works on these numbers.
// Units:   granules (address[51:8]); chunks of 2^clip_log2 granules, kNoClip: no interleave.
// Errors:  none.
// Source:  CXL 2.0, 8.2.5.12 (interleave of HDM).
#pragma once

#include <cstdint>

#include "refmodel/root_port/address_window.hpp"

namespace cxlgpu {

class PortSpace {
 public:
  PortSpace(unsigned clip_log2, unsigned other_ways)
      : log2_(clip_log2 >= kNoClip ? 0 : clip_log2),
        ways_(clip_log2 >= kNoClip ? 1 : other_ways + std::uint64_t{1}) {}

  [[nodiscard]] std::uint64_t to_port(std::uint64_t granule) const {
    return (chunk_of(granule) / ways_ << log2_) | in_chunk(granule);
  }
  // `own`: any granule of the same port and range, as the bus names it. Every step over the other
  // ports' chunks keeps the place of the port among them.
  [[nodiscard]] std::uint64_t to_bus(std::uint64_t granule, std::uint64_t own) const {
    const std::uint64_t place = chunk_of(own) % ways_;
    return ((chunk_of(granule) * ways_ + place) << log2_) | in_chunk(granule);
  }

 private:
  [[nodiscard]] std::uint64_t chunk_of(std::uint64_t granule) const { return granule >> log2_; }
  [[nodiscard]] std::uint64_t in_chunk(std::uint64_t granule) const {
    return granule & ((std::uint64_t{1} << log2_) - 1);
  }

  unsigned log2_;
  std::uint64_t ways_;
};

}  // namespace cxlgpu
