// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A core's scratchpad memory (Vortex's local memory): contents and bank conflicts.
//
// Purpose: accesses of a kernel's SharedArray; they never reach the caches.
// Shapes:  addresses are bytes from its start; word n (4 B) lies in bank n % banks.
// Rules:   one access takes as many cycles as the bank with most distinct words of it: lanes that
//          want the same word share one. Contents stay from kernel to kernel, zero at first.
// Errors:  an address past its end is a programming error (asserted); SharedArrays lie inside.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/gpu/gpu_config.hpp"
#include "sim/gpu/mem_op.hpp"

namespace cxlgpu {

class Scratchpad {
 public:
  explicit Scratchpad(const ScratchpadParams& params);
  // Reads or writes every lane of `lanes`, lowest first. Returns its cycles, at least 1.
  std::uint32_t access(MemOp& op, LaneMask lanes);

 private:
  [[nodiscard]] std::uint32_t cycles(const MemOp& op, LaneMask lanes) const;
  std::uint32_t banks_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace cxlgpu
