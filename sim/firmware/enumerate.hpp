// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Finds out what is there: the host bridge, the root ports and the endpoint behind each.
//
// Purpose: walks configuration spaces and register blocks by what they say of themselves, gives
//          buses and BARs their places and switches memory space on. Nothing is taken for granted
//          but what CXL asks for.
// Units:   bytes; addresses are those of CXL.io's memory space.
// Errors:  InputError, one line: port, what is wrong, what to do.
// Source:  PCI Express Base 5.0, 7.5, 7.9.6; CXL 2.0, 8.1, 8.2.4, 8.2.5, 8.2.8; 9.12 for the order.
#pragma once

#include <cstdint>
#include <vector>

#include "common/register_bus.hpp"
#include "sim/firmware/bridge.hpp"

namespace cxlgpu {

// What an HDM decoder capability says of its decoders.
struct DecoderAbility {
  unsigned decoders = 0;
  unsigned targets = 0;  // of a host bridge's target list
  bool low = false;      // granularities 256 B to 2 KiB
  bool high = false;     // 4 KiB to 16 KiB
};

struct EndpointInfo {
  unsigned port = 0;
  std::uint16_t vendor = 0, device = 0;
  std::uint64_t bytes = 0;  // of media, all ranges
  DecoderAbility hdm;
  std::vector<Bar> bars;       // with the places that they have
  std::uint64_t hdm_base = 0;  // HDM decoder structure
  std::uint64_t vendor_base =
      0;  // our vendor block (as of its offset 800h), 0: the device has none
  unsigned max_spec_granules = 0;  // of a MemSpecRd, 0: no length
  std::uint32_t cxl_dvsec = 0;     // offset of DVSEC 0 in configuration space
};

struct SystemInfo {
  DecoderAbility host;
  std::vector<RootPortInfo> root_ports;
  std::vector<EndpointInfo> endpoints;  // by port, one each
};

SystemInfo enumerate(RegisterBus& bus, unsigned ports);

// Memory space on: BARs decode from now on.
FirmwareJob switch_memory_space_on(IoThread io);

}  // namespace cxlgpu
