// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Time that bytes take on a parallel bus.
//
// Units:   bytes, bus width in bits, rate in mega transfers per second.
// Rules:   rounded up to the picosecond, so that no rate, however high, makes data free.
#pragma once

#include <cstdint>

#include "common/time.hpp"

namespace cxlgpu {

constexpr Time bus_time(std::uint64_t bytes, std::uint64_t width_bits, std::uint64_t mtps) {
  const std::uint64_t transfers = (bytes * 8 + width_bits - 1) / width_bits;
  return Time{(transfers * 1000000 + mtps - 1) / mtps};
}

}  // namespace cxlgpu
