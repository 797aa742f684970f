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

#include <array>
#include <cstdint>

#include "refmodel/cxl_io/aer.hpp"
#include "refmodel/cxl_io/config_register.hpp"
#include "refmodel/cxl_io/io_types.hpp"

namespace cxlgpu {

namespace config_offset {
inline constexpr unsigned kId = 0x000, kCommand = 0x004, kClass = 0x008, kCacheLine = 0x00c,
                          kBar0 = 0x010, kBar0High = 0x014, kSubsystem = 0x02c,
                          kCapabilities = 0x034, kInterrupt = 0x03c, kPcie = 0x040,
                          kDeviceCapability = 0x044, kDeviceControl = 0x048,
                          kLinkCapability = 0x04c, kLinkControl = 0x050, kDeviceCapability2 = 0x064,
                          kLinkCapability2 = 0x06c, kLinkControl2 = 0x070, kPower = 0x080,
                          kPowerControl = 0x084, kCxlDevice = 0x100, kCxlControl = 0x10c,
                          kCxlStatus2 = 0x110, kCxlLock = 0x114, kRange1 = 0x118, kRange2 = 0x128,
                          kFlexBus = 0x140, kFlexBusStatus = 0x14c, kTrainingData = 0x150,
                          kLocator = 0x160, kVendor = 0x180, kGpf = 0x1a0, kSerial = 0x1b0,
                          kAer = 0x1c0;
}  // namespace config_offset

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
  [[nodiscard]] ConfigRegister& at(unsigned offset) { return registers_[offset / 4]; }
  [[nodiscard]] const ConfigRegister& at(unsigned offset) const { return registers_[offset / 4]; }
  void header(const Parameters& p);
  void pcie(const Parameters& p);
  void cxl_device(const Parameters& p);
  void range(unsigned offset, std::uint64_t size, bool base);
  void other_dvsecs(const Parameters& p);

  [[nodiscard]] std::uint32_t read(const In& in) const;
  void write(const CfgAccess& access);
  void events(const In& in);
  void viral(const In& in, bool enabled);
  [[nodiscard]] std::uint64_t range_base(unsigned offset) const;

  Parameters parameters_;
  std::array<ConfigRegister, 128> registers_{};
  Aer aer_;
  bool range1_ = false, range2_ = false;
  std::uint32_t rdata_ = 0;
  bool viral_ = false, viral_state_ = false;
};

}  // namespace cxlgpu
