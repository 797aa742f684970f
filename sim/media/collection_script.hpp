// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Scripted garbage collection: when the dies of a flash part are busy with work of their own.
//
// Purpose: makes the tail that garbage collection causes, at known times. It stands in for a
//          translation layer: nothing is copied or erased, and what is written does not matter.
// Units:   simulated time; percent of a part's dies.
// Errors:  none; `every` is 0 (once) or more than `busy`, `dies_percent` is 1..100
//          (ConfigLoader checks it).
#pragma once

#include <cstdint>

#include "common/time.hpp"

namespace cxlgpu {

struct CollectionScript {
  Time first, every, busy;  // every 0: once; busy 0: never
  std::uint32_t dies_percent = 100;

  [[nodiscard]] constexpr bool on() const { return busy.ps != 0; }
  // How many of `dies` take part: rounded up, so at least one.
  [[nodiscard]] constexpr std::uint32_t dies(std::uint32_t dies) const {
    return static_cast<std::uint32_t>((std::uint64_t{dies} * dies_percent + 99) / 100);
  }
};

}  // namespace cxlgpu
