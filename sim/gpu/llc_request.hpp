// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a core asks of the last-level cache.
//
// Shapes:  one line. `mask` is the bytes needed (Fill: all; Load, Atomic: the lanes' elements) or
//          written (Store, with `data`). Fill is answered to L1 MSHR `l1_mshr` of `core`, a Store
//          without `op` to its write group `l1_mshr`, the others to `op` and `lanes`.
#pragma once

#include <cstdint>

#include "sim/gpu/mem_op.hpp"

namespace cxlgpu {

enum class LlcKind : std::uint8_t { Fill, Load, Store, Atomic };

struct LlcRequest {
  LlcKind kind = LlcKind::Fill;
  std::uint8_t core = 0;
  std::uint16_t l1_mshr = 0;
  LaneMask lanes = 0;
  MemOp* op = nullptr;
  std::uint64_t line = 0;
  std::uint64_t mask = kAllBytes;
  Line data{};
};

// The LLC's answer, due at a core at `due` (cycle).
struct LlcAnswer {
  std::uint64_t due = 0;
  LlcKind kind = LlcKind::Fill;
  std::uint8_t core = 0;
  std::uint16_t l1_mshr = 0;
  LaneMask lanes = 0;
  MemOp* op = nullptr;
  Line data{};  // Fill only
};

}  // namespace cxlgpu
