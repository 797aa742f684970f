// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The way of firmware to registers. Engines implement it.
//
// Purpose: the register space of the root complex; endpoints are reached through a root port's
// CXL.io
//          access registers.
// Units:   byte offsets of 32-bit registers in a 4 KiB page, docs/blocks; `index` is the number
//          of the root port, 0 for the host bridge.
// Errors:  none: what is not there reads 0.
#pragma once

#include <cstdint>

namespace cxlgpu {

enum class RegisterSpace : std::uint8_t { HostBridge, RootPort };

class RegisterBus {
 public:
  virtual ~RegisterBus() = default;
  virtual void write(RegisterSpace space, unsigned index, std::uint32_t offset,
                     std::uint32_t value) = 0;
  virtual std::uint32_t read(RegisterSpace space, unsigned index, std::uint32_t offset) = 0;
};

}  // namespace cxlgpu
