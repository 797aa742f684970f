// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Brings every store that deterministic store has put off to its endpoint.
//
// Purpose: after it the endpoints hold what was written, as before a memory is read by others or
//          goes away. Sets the fence of each port, waits until all are empty, clears it again.
// Units:   simulated time in picoseconds.
// Errors:  the result is one line that says what is left, if not all went within the limit.
// Source:  docs/blocks/root_port/root_port.md.
#pragma once

#include <optional>
#include <string>

#include "common/engine.hpp"
#include "common/register_bus.hpp"

namespace cxlgpu {

inline constexpr Time kDrainLimit{20'000'000'000};  // 20 ms

// `engine` is the one behind `bus`; no request is in flight.
[[nodiscard]] std::optional<std::string> drain_stores(RegisterBus& bus, Engine& engine,
                                                      unsigned ports, Time limit = kDrainLimit);

}  // namespace cxlgpu
