// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the SR reader of a root port has counted, by its vendor registers.
//
// Purpose: the figures of a run's speculation, from every engine in the same way.
// Units:   counts of loads, MemSpecRd, granules (256 B) and lines (64 B), as SrCounters names them;
//          32 bits, they wrap.
// Errors:  none.
// Source:  docs/blocks/root_port/root_port.md, root_port/sr_reader.md.
#pragma once

#include "common/counters.hpp"
#include "common/register_bus.hpp"

namespace cxlgpu {

[[nodiscard]] SrCounters read_speculation(RegisterBus& bus, unsigned port);

}  // namespace cxlgpu
