// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Enumeration of the endpoint by a host.
//
// Purpose: sizes and maps BAR0, walks the chains of capabilities, finds the register blocks.
// Units:   byte offsets in configuration space, byte addresses.
// Errors:  what is not as CXL 2.0 has it is a GoogleTest failure.
// Source:  CXL 2.0, 8.1, 8.2.5.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tests/cxl_io/io_host.hpp"

namespace cxlgpu::test {

constexpr unsigned kVendorDvsec = 0x1'0000;  // key of our own DVSEC 1, not one of CXL's

struct Device {
  std::uint64_t bar0 = 0;
  std::map<unsigned, unsigned> dvsec;  // offset by DVSEC ID
  std::uint64_t component = 0;         // register blocks, by the locator
  std::uint64_t hdm = 0;               // HDM decoder structure, by the capability array
  std::uint64_t vendor = 0;
  std::uint64_t registers = 0;  // CXL device registers
};

inline void size_bar0(Bench& bench) {
  bench.config_write(0x10, kOnes);
  bench.config_write(0x14, kOnes);
  bench.config_write(0x18, kOnes);
  EXPECT_EQ(bench.config_read(0x10), 0xfffc'0004u);  // 256 KiB, 64 bits, memory
  EXPECT_EQ(bench.config_read(0x14), kOnes);
  EXPECT_EQ(bench.config_read(0x18), 0u);  // no other
}

inline void map_bar0(Bench& bench, std::uint64_t address) {
  bench.config_write(0x10, static_cast<std::uint32_t>(address));
  bench.config_write(0x14, static_cast<std::uint32_t>(address >> 32));
  bench.config_write(0x04, 0x0006, 0x3);  // memory space, bus master
}

inline std::vector<unsigned> walk_capabilities(Bench& bench) {
  std::vector<unsigned> ids;
  for (unsigned at = bench.config_read(0x34) & 0xff; at != 0 && ids.size() < 48;) {
    const std::uint32_t header = bench.config_read(at);
    ids.push_back(header & 0xff);
    at = header >> 8 & 0xff;
  }
  return ids;
}

// DVSECs by their ID; what else is in the chain may be errors (1) and the serial number (3).
inline std::map<unsigned, unsigned> walk_dvsecs(Bench& bench) {
  std::map<unsigned, unsigned> found;
  unsigned links = 0, steps = 0;
  for (unsigned at = 0x100; at != 0 && steps < 48; ++steps) {
    const std::uint32_t header = bench.config_read(at);
    const unsigned id = header & 0xffff;
    if (id != 0x0023) {
      EXPECT_TRUE(id == 1 || id == 3) << "capability " << id << " at " << at;
      at = header >> 20;
      continue;
    }
    ++links;
    const bool cxl = (bench.config_read(at + 4) & 0xffff) == 0x1e98;
    found[cxl ? bench.config_read(at + 8) & 0xffff : kVendorDvsec] = at;
    at = header >> 20;
  }
  EXPECT_EQ(found.size(), links) << "a DVSEC twice";
  return found;
}

inline std::uint64_t locate(Bench& bench, std::uint64_t bar0, unsigned entry) {
  return bar0 + (bench.config_read(entry) & 0xffff'0000) +
         (std::uint64_t{bench.config_read(entry + 4)} << 32);
}

// As a host: finds everything by the chains, checks no more than it needs to.
inline Device enumerate(Bench& bench, std::uint64_t bar0) {
  Device device;
  device.bar0 = bar0;
  size_bar0(bench);
  map_bar0(bench, bar0);
  device.dvsec = walk_dvsecs(bench);
  device.component = locate(bench, bar0, device.dvsec.at(8) + 0xc);
  device.registers = locate(bench, bar0, device.dvsec.at(8) + 0x14);
  device.vendor = locate(bench, bar0, device.dvsec.at(kVendorDvsec) + 0xc);
  const std::uint32_t entry = bench.read(device.component + 0x1004);
  EXPECT_EQ(entry & 0xffff, 5u);  // HDM decoders
  device.hdm = device.component + 0x1000 + (entry >> 20);
  return device;
}

constexpr std::uint64_t kBar0 = 0xc004'0000;              // 3 DW headers
constexpr std::uint64_t kHighBar0 = 0x12'3456'0004'0000;  // 4 DW headers

}  // namespace cxlgpu::test
