// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Sizes of the RTL: what it can be built with, and where it reports what it has.
//
// Made by scripts/rtl_sizes.py from configs/rtl/default.yaml: do not edit.
//
// Purpose: one table for configuration, firmware and bench. kDefaultRtl is the machine of
//          configs/rtl/default.yaml, from which every configuration starts.
// Units:   as the row says; a register's field counts `scale` of them.
// Errors:  none.
// Source:  configs/rtl/default.yaml.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "common/registers.hpp"

namespace cxlgpu {

struct RtlSizes {
  unsigned ports = 2;                  // ports
  unsigned sr_queue_entries = 32;      // entries
  unsigned memory_queue_entries = 32;  // entries
  unsigned ring_entries = 1024;        // granules
  unsigned spec_cap_bytes = 1024;      // bytes
  unsigned ds_lines = 1024;            // lines
  unsigned ds_writes = 32;             // writes
  unsigned mshrs = 128;                // fills
  unsigned line_bytes = 256;           // bytes
};
inline constexpr RtlSizes kDefaultRtl;

struct RtlSize {
  enum class Page : std::uint8_t { None, RootPort, Endpoint };
  std::string_view name, key;  // in configs/rtl, of a run
  std::uint64_t least, greatest;
  bool power_of_two;
  Page page;  // of the register that reports it
  std::uint32_t offset;
  regs::Field field;
  std::uint64_t scale;
};

// clang-format off
inline constexpr std::array<RtlSize, 9> kRtlSizes = {{
    {"ports", "system.ports", 1, 15, false,
     RtlSize::Page::None, 0, {}, 1},
    {"sr_queue_entries", "root_port.sr_queue_entries", 4, 64, false,
     RtlSize::Page::RootPort, regs::rp::kSrCap, regs::rp::kSrCapSrQueue, 1},
    {"memory_queue_entries", "root_port.memory_queue_entries", 4, 64, false,
     RtlSize::Page::RootPort, regs::rp::kSrCap, regs::rp::kSrCapMemoryQueue, 1},
    {"ring_entries", "root_port.ring_entries", 16, 4096, true,
     RtlSize::Page::RootPort, regs::rp::kSrCap, regs::rp::kSrCapRing, 1},
    {"spec_cap_bytes", "root_port.spec_cap_bytes", 1024, 1024, false,
     RtlSize::Page::RootPort, regs::rp::kSrCap, regs::rp::kSrCapSpecGranules, 256},
    {"ds_lines", "root_port.ds_lines", 16, 4096, true,
     RtlSize::Page::RootPort, regs::rp::kDsCap, regs::rp::kDsCapSlots, 1},
    {"ds_writes", "root_port.ds_writes", 1, 64, false,
     RtlSize::Page::RootPort, regs::rp::kDsCap, regs::rp::kDsCapWrites, 1},
    {"mshrs", "endpoint.mshrs", 16, 256, true,
     RtlSize::Page::Endpoint, regs::ep::kCap, regs::ep::kCapMshrs, 1},
    {"line_bytes", "endpoint.line_bytes", 64, 1024, true,
     RtlSize::Page::Endpoint, regs::ep::kCap, regs::ep::kCapLineBytes, 1},
}};
// clang-format on

}  // namespace cxlgpu
