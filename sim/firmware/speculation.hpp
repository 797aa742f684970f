// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the SR reader of a root port has counted, and hints: set up and counted, by the vendor
// registers of port and host bridge.
//
// Purpose: the figures of a run's speculation, from every engine in the same way.
// Units:   as SrCounters, HintCounters and BridgeHintCounters name them; 32 bits, they wrap.
// Errors:  none.
// Source:  docs/blocks/root_port/root_port.md, root_port/sr_reader.md, root_port/hint_queue.md,
//          host_bridge/host_bridge.md.
#pragma once

#include "common/counters.hpp"
#include "common/engine.hpp"
#include "common/register_bus.hpp"
#include "sim/config/config.hpp"

namespace cxlgpu {

void set_up_hints(RegisterBus& bus, unsigned port, const RootPortConfig& config);
// At the end of a run: hints are not used any more, and those held pass the host bridge unused, so
// that the counters stand still. `access`: what a register access takes that takes `engine`, which
// is behind `bus`, no time.
void end_hints(RegisterBus& bus, Engine& engine, unsigned ports, Time access);
[[nodiscard]] SrCounters read_speculation(RegisterBus& bus, unsigned port);
[[nodiscard]] HintCounters read_hints(RegisterBus& bus, unsigned port);
[[nodiscard]] BridgeHintCounters read_bridge_hints(RegisterBus& bus);

}  // namespace cxlgpu
