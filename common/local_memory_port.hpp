// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The port of a root port to GPU local memory: where deterministic store keeps its lines.
//
// Purpose: what the store engine asks of local memory and what it is answered.
// Shapes:  `slot` is a line of the port's region; one request a cycle, reads answered in order.
// Source:  docs/blocks/root_port/ds_engine.md, docs/blocks/root_port/deterministic_store.md.
#pragma once

#include <cstdint>

#include "common/request.hpp"

namespace cxlgpu {

enum class LmKind : std::uint8_t { Load, Merge, Flush };

struct LmRequest {  // to local memory: a write, or a read with its tag
  bool write = false;
  LmKind kind = LmKind::Load;  // this and index: reads only
  unsigned index = 0;
  unsigned slot = 0;
  std::uint64_t byte_enable = 0;  // this and data: writes only
  Line data{};
};

struct LmResponse {
  LmKind kind = LmKind::Load;
  unsigned index = 0;
  Line data{};
  bool error = false;  // the data are corrupt
};

}  // namespace cxlgpu
