// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Brings a system up through the registers of its root complex alone.
//
// Purpose: enumerates root ports and endpoints over CXL.io, programs and commits the HDM decoders
//          of host bridge and endpoints, then switches CXL.mem on (nothing is decoded before), sets
//          the policy of root ports, their completion time-out and isolation, the internal DRAM of
//          endpoints and what their DevLoad tells; switches deterministic store on.
// Units:   byte offsets of 32-bit registers, docs/blocks.
// Errors:  InputError, one line, if something is missing or the hardware refuses a decoder.
// Source:  CXL 2.0, 8.1, 8.2.5.12; CXL 3.0, 8.2.4.23 (time-out and isolation).
#pragma once

#include "common/register_bus.hpp"
#include "sim/config/config.hpp"
#include "sim/firmware/hdm.hpp"

namespace cxlgpu {

// What firmware learns of the parts behind the ports.
struct EndpointParts {
  bool internal_dram = false;
  unsigned cache_sets_log2 = 0;
};

// Mem_Enable of an endpoint, by its DVSEC 0; read back.
FirmwareJob enable_mem(IoThread io, std::uint32_t cxl_dvsec);

// What it found.
SystemInfo bring_up(RegisterBus& bus, const RunConfig& config, const EndpointParts& parts);

}  // namespace cxlgpu
