// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The configuration space of a standard CXL 2.0 memory device: Type 0 header, capabilities, DVSECs.
#pragma once

#include <cstdint>

#include "registers.hpp"

namespace peer {

class ConfigSpace {
 public:
  explicit ConfigSpace(uint64_t memory_size);

  uint32_t read(uint32_t at) const { return registers_.read(at); }
  void write(uint32_t at, uint32_t value, unsigned byte_enable);
  void reset(bool cold);

  bool memory_space_enabled() const { return (registers_.read(0x04) & 2) != 0; }
  bool bus_master_enabled() const { return (registers_.read(0x04) & 4) != 0; }
  uint64_t bar_base() const;
  static constexpr uint64_t kBarSize =
      0x2'0000;  // 64 KB component registers, then 64 KB device registers

  bool mem_enable() const { return (registers_.read(kDvsecDevice + 0x0c) & 4) != 0; }
  bool viral_enable() const { return (registers_.read(kDvsecDevice + 0x0c) & 1U << 14) != 0; }
  // Range 1 of DVSEC 0 (S20 8.1.3.8): does it decode the address, and to which device address?
  bool range_hit(uint64_t hpa, uint64_t& dpa) const;
  void set_viral_status() { registers_.raise(kDvsecDevice + 0x0c, 1U << 30); }
  void set_pm_init_complete() { registers_.raise(kDvsecDevice + 0x10, 1U << 31); }

  // Errors of the transaction layer: bits of the Device Status and of AER.
  void log_uncorrectable(uint32_t aer_bit, bool unsupported_request);
  void log_correctable(uint32_t aer_bit);

  static constexpr uint32_t kPm = 0x40;
  static constexpr uint32_t kPcie = 0x50;
  static constexpr uint32_t kAer = 0x100;
  static constexpr uint32_t kSerial = 0x148;
  static constexpr uint32_t kDvsecDevice = 0x160;
  static constexpr uint32_t kDvsecGpf = 0x1a0;
  static constexpr uint32_t kDvsecFlexBus = 0x1b0;
  static constexpr uint32_t kDvsecLocator = 0x1d0;
  static constexpr uint32_t kSecondary = 0x1f0;
  static constexpr uint32_t kSpeed16 = 0x210;
  static constexpr uint32_t kSpeed32 = 0x240;
  static constexpr uint32_t kMargining = 0x270;
  static constexpr uint32_t kFeature = 0x2a0;

 private:
  void define_header();
  void define_pcie();
  void define_aer();
  void define_dvsecs(uint64_t memory_size);
  void define_speeds();
  void dvsec(uint32_t at, uint32_t next, uint32_t id, uint32_t revision, uint32_t length,
             uint32_t upper_half);

  uint64_t memory_size_;
  RegisterFile registers_{4096};
};

}  // namespace peer
