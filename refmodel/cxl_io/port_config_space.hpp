// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Configuration space of a root port: type 1 header and its capabilities.
//
// Purpose: twin of rtl/cxl_io/port_config_space.sv, cycle by cycle.
// Units:   byte offsets; of Bridge: see there.
// Shapes:  registers of 32 bits from 000h to 17Fh; everything else reads 0.
// Errors:  none: an access to what is not there reads 0, a write to it is ignored.
// Source:  PCI Express Base 5.0, 7.5; CXL 2.0, 8.1.5; docs/blocks/cxl_io/port_config_space.md.
#pragma once

#include <array>
#include <cstdint>

#include "refmodel/cxl_io/config_register.hpp"
#include "refmodel/cxl_io/io_types.hpp"

namespace cxlgpu {

namespace port_config_offset {
inline constexpr unsigned kId = 0x000, kCommand = 0x004, kClass = 0x008, kCacheLine = 0x00c,
                          kBar0 = 0x010, kBar0High = 0x014, kBuses = 0x018, kMemory = 0x020,
                          kPrefetchable = 0x024, kPreBaseHigh = 0x028, kPreLimitHigh = 0x02c,
                          kCapabilities = 0x034, kInterrupt = 0x03c, kPcie = 0x040,
                          kDeviceCapability = 0x044, kDeviceControl = 0x048,
                          kLinkCapability = 0x04c, kLinkControl = 0x050, kLinkCapability2 = 0x06c,
                          kLinkControl2 = 0x070, kCxlPort = 0x100, kPortStatus = 0x108,
                          kPortControl = 0x10c, kAltMemory = 0x110, kAltPrefetchable = 0x114,
                          kAltPreBaseHigh = 0x118, kAltPreLimitHigh = 0x11c, kFlexBus = 0x130,
                          kFlexBusStatus = 0x13c, kTrainingData = 0x140, kLocator = 0x150,
                          kGpf = 0x170, kGpfControl = 0x17c;
}  // namespace port_config_offset

// What software has told a root port of the addresses below it. Windows include both ends.
struct BridgeWindows {
  std::uint64_t mem_base = 0, mem_limit = 0;  // address[31:20]
  std::uint64_t pre_base = 0, pre_limit = 0;  // address[63:20]
  bool operator==(const BridgeWindows&) const = default;
};
struct Bridge {
  bool mem_space = false;
  std::uint64_t bar0 = 0;  // address[63:16]
  unsigned secondary = 0, subordinate = 0;
  BridgeWindows windows = {};
  bool alt = false;  // the alternates count too
  unsigned alt_bus_base = 0, alt_bus_limit = 0;
  BridgeWindows alt_windows = {};
  bool operator==(const Bridge&) const = default;
};

class PortConfigSpace {
 public:
  struct Parameters {
    std::uint16_t vendor_id = 0x1234;
    std::uint16_t device_id = 0xc800;
    std::uint8_t revision_id = 1;
    unsigned link_speed = 5;
    unsigned link_width = 8;
  };
  struct In {
    CfgAccess access = {};
    unsigned device = 0;  // 5 bits, constant
    bool link_up = false;
    unsigned port_status = 0;   // 7 bits
    std::uint32_t ts_data = 0;  // 24 bits
    unsigned id_error = 0;      // 3 pulses
  };
  struct Out {
    std::uint32_t rdata = 0;
    Bridge bridge;
    bool link_disable = false;  // software wants the link down
  };

  PortConfigSpace() : PortConfigSpace(Parameters{}) {}
  explicit PortConfigSpace(const Parameters& parameters);
  [[nodiscard]] Out eval() const { return {rdata_, bridge(), link_disable()}; }
  void clock(const In& in);

 private:
  [[nodiscard]] ConfigRegister& at(unsigned offset) { return registers_[offset / 4]; }
  [[nodiscard]] std::uint32_t value(unsigned offset) const { return registers_[offset / 4].value; }
  void header(const Parameters& p);
  void pcie(const Parameters& p);
  void dvsecs();

  [[nodiscard]] std::uint32_t read(const In& in) const;
  [[nodiscard]] bool link_disable() const;
  [[nodiscard]] Bridge bridge() const;
  [[nodiscard]] BridgeWindows windows(unsigned memory, unsigned prefetchable,
                                      unsigned base_high) const;

  std::array<ConfigRegister, 0x180 / 4> registers_{};
  std::uint32_t rdata_ = 0;
};

}  // namespace cxlgpu
