// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// HDM ranges: computed from the media found, checked against the decoders found, programmed.
//
// Purpose: plan_ranges() gives every byte of media an address; check_ranges() refuses what the
//          hardware cannot decode, before anything is written; program_ranges() writes and commits
//          the decoders of host bridge and endpoints.
// Units:   bytes.
// Errors:  InputError, one line: range or port, what is wrong, what to do.
// Source:  CXL 2.0, 8.2.5.12; commit order low to high.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/config/config.hpp"
#include "sim/firmware/enumerate.hpp"

namespace cxlgpu {

inline constexpr std::uint8_t kPortNumberBase = 0x10;  // PCIe port number of root port 0

struct InterleaveWish {
  std::uint64_t base = 0x1'0000'0000;
  unsigned ways = 1;  // neighbouring ports in groups of as many
  std::uint64_t granularity = 256;
};

// Ranges over all media of all endpoints, one a group of ports, rising from the base.
[[nodiscard]] std::vector<HdmRange> plan_ranges(const SystemInfo& system,
                                                const InterleaveWish& wish);

void check_ranges(const SystemInfo& system, const std::vector<HdmRange>& ranges);

// The decoders of one endpoint and their common enable, as bring-up and recovery program them.
FirmwareJob program_endpoint(IoThread io, std::uint64_t hdm_base, std::vector<HdmRange> ranges);

// Precondition: check_ranges() passed.
void program_ranges(RegisterBus& bus, const SystemInfo& system,
                    const std::vector<HdmRange>& ranges);

}  // namespace cxlgpu
