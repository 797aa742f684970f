// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Configuration space of a root port: type 1 header and its capabilities.
//
// Purpose: twin of rtl/cxl_io/port_config_space.sv, cycle by cycle.
// Units:   byte offsets; of Bridge: see there.
// Shapes:  registers of 32 bits from 000h to 17Fh; everything else reads 0.
// Errors:  none: an access to what is not there reads 0, a write to it is ignored.
// Source:  PCI Express Base 5.0, 7.5; CXL 2.0, 8.1.5; docs/blocks/cxl_io/port_config_space.md.
#pragma once

#include <cstdint>

#include "common/register_types.hpp"
#include "refmodel/cxl_io/io_types.hpp"

namespace cxlgpu {

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
  static constexpr regs::Side kSide = regs::Side::Host;
  struct Registers {
    regs::pci_header1::Regs header;
    regs::pcie::Regs pcie = regs::pcie::Regs::at_reset(kSide);
    regs::dvsec_port::Regs port;
    regs::dvsec_flex_bus::Regs flex_bus = regs::dvsec_flex_bus::Regs::at_reset(kSide);
    regs::dvsec_locator::Regs locator = regs::dvsec_locator::Regs::at_reset(kSide);
    regs::dvsec_gpf_port::Regs gpf;
  };
  void identify(const Parameters& p);
  void link(const Parameters& p);
  void chain();

  [[nodiscard]] std::uint32_t read(const In& in) const;
  void write(const CfgAccess& access);
  [[nodiscard]] bool link_disable() const;
  [[nodiscard]] Bridge bridge() const;

  Registers regs_;
  std::uint32_t rdata_ = 0;
};

}  // namespace cxlgpu
