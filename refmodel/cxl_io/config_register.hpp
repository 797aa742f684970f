// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One register of a configuration space: its value and what a write may change of it.
//
// Units:   32 bits.
// Errors:  none: a write to bits that are in no mask is ignored.
// Source:  PCI Express Base 5.0, 7.4 (register attributes); docs/blocks/cxl_io/config_space.md.
#pragma once

#include <cstdint>

#include "refmodel/cxl_io/io_types.hpp"

namespace cxlgpu {

struct ConfigRegister {
  std::uint32_t value = 0;
  std::uint32_t rw = 0;
  std::uint32_t rwl = 0;   // RW until locked
  std::uint32_t rw1c = 0;  // a written 1 clears
  std::uint32_t rwo = 0;   // a written 1 sets and stays

  // The value that a write leaves.
  [[nodiscard]] constexpr std::uint32_t written(const CfgAccess& access,
                                                bool locked = false) const {
    std::uint32_t enabled = 0;
    for (unsigned i = 0; i < 4; ++i) {
      if ((access.enables >> i & 1) != 0) enabled |= 0xffu << (8 * i);
    }
    const std::uint32_t writable = (rw | (locked ? 0 : rwl)) & enabled;
    std::uint32_t left = (value & ~writable) | (access.data & writable);
    left &= ~(access.data & enabled & rw1c);
    return left | (access.data & enabled & rwo);
  }
};

}  // namespace cxlgpu
