// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the hardware says of its sizes, in its capability registers.
//
// Purpose: a run believes the RTL, not what somebody says of it: whatever the run asks of a size
//          (common/rtl_sizes.hpp) is compared with the register before anything depends on it.
// Units:   those of configs/rtl/default.yaml.
// Errors:  InputError, one line: where the run said otherwise, the key, both values, what to do.
#pragma once

#include <cstdint>
#include <functional>

#include "common/register_bus.hpp"
#include "sim/config/config.hpp"

namespace cxlgpu {

// Root ports that there are: the pages from the first on whose capability register is not empty.
unsigned count_root_ports(RegisterBus& bus);
// Refuses a run with more, unless none of them says its sizes.
void check_port_count(RegisterBus& bus, const RunConfig& config);
// Of one port and its endpoint. What is not there (0) is not compared: its user finds it missing.
using ReadRegister = std::function<std::uint32_t(std::uint32_t offset)>;
void check_sizes(const RunConfig& config, const ReadRegister& root_port,
                 const ReadRegister& endpoint);

}  // namespace cxlgpu
