// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Configuration space of the endpoint's function 0.
//
// Purpose: twin of rtl/cxl_io/config_space.sv, cycle by cycle.
// Units:   byte offsets; range sizes in 256 MiB.
// Shapes:  registers of 32 bits from 000h to 1FFh; everything else reads 0.
// Resets:  a new one stands for the reset of everything, hot_reset() for that of all but what is
//          sticky.
// Errors:  none: an access to what is not there reads 0, a write to it is ignored.
// Source:  PCI Express Base 5.0, 7.4, 7.5; CXL 2.0, 8.1; docs/blocks/cxl_io/config_space.md.
#pragma once

#include <cstdint>

#include "common/register_types.hpp"
#include "refmodel/cxl_io/aer.hpp"
#include "refmodel/cxl_io/io_types.hpp"

namespace cxlgpu {

class ConfigSpace {
 public:
  struct Parameters {
    std::uint16_t vendor_id = 0x1234;
    std::uint16_t device_id = 0xc801;
    std::uint8_t revision_id = 1;
    unsigned link_speed = 5;
    unsigned link_width = 8;
    std::uint64_t range1_size = 16;  // 36 bits; 0: no such range
    std::uint64_t range2_size = 0;
    std::uint64_t serial_number = 1;
    unsigned max_spec_granules = 4;
  };
  struct In {
    CfgAccess access;
    bool mem_active = false;
    unsigned port_status = 0;   // 7 bits
    std::uint32_t ts_data = 0;  // 24 bits
    unsigned id_error = 0;      // 3 pulses
    unsigned io_err = 0;        // IoLink::Out
    TlpHeader io_err_hdr{};
    unsigned event = 0;  // IoCompleter::Out
    bool event_posted = false;
    TlpHeader event_hdr{};
    unsigned ras = 0;         // pulses: fatal, non-fatal, correctable, the latter bit 0
    bool viral_peer = false;  // pulse: the host has said that it is viral
    bool viral_own = false;   // pulse: a fatal error here
  };
  struct Out {
    std::uint32_t rdata = 0;
    bool mem_space_en = false;
    std::uint64_t bar0 = 0;  // address[63:18]
    bool mem_enable = false;
    std::uint64_t range1_base = 0, range2_base = 0;  // address[63:28]
    bool viral = false;                              // announce it
    bool viral_state = false;                        // the device is viral
  };

  explicit ConfigSpace(const Parameters& parameters);
  [[nodiscard]] Out eval() const;
  void clock(const In& in);
  // What is sticky keeps its value.
  void hot_reset();

 private:
  static constexpr regs::Side kSide = regs::Side::Device;
  // The blocks of registers but AER, which has what it does beside them.
  struct Registers {
    regs::pci_header0::Regs header;
    regs::pcie::Regs pcie = regs::pcie::Regs::at_reset(kSide);
    regs::pci_pm::Regs power;
    regs::dvsec_device::Regs device;
    regs::dvsec_flex_bus::Regs flex_bus = regs::dvsec_flex_bus::Regs::at_reset(kSide);
    regs::dvsec_locator::Regs locator = regs::dvsec_locator::Regs::at_reset(kSide);
    regs::dvsec_vendor::Regs vendor;
    regs::dvsec_gpf_device::Regs gpf;
    regs::serial_number::Regs serial;
  };
  void identify(const Parameters& p);
  void link(const Parameters& p);
  void memory(const Parameters& p);
  void chain();

  [[nodiscard]] std::uint32_t read(const In& in) const;
  void write(const CfgAccess& access);
  void write_power(unsigned offset, const CfgAccess& access);
  void write_device(unsigned offset, const CfgAccess& access);
  void events(const In& in);
  void viral(const In& in, bool enabled);
  [[nodiscard]] std::uint64_t range_base(unsigned range) const;

  Parameters parameters_;
  Registers regs_;
  Aer aer_;
  std::uint32_t rdata_ = 0;
  bool viral_ = false, viral_state_ = false;
};

}  // namespace cxlgpu
