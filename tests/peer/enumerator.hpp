// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The operating system of the strict host: finds the device, checks what it shows, programs it for
// CXL.mem.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io_host.hpp"
#include "task.hpp"
#include "violations.hpp"

namespace peer {

// What a driver of this very device writes into its BAR, before CXL.mem is used.
struct VendorWrite {
  uint64_t offset = 0;  // in the BAR of the component registers
  uint32_t value = 0;
};

// What the link registers are to say from the next hot reset on (S20 8.2.5.11), other than by
// default.
struct LinkSettings {
  static constexpr uint64_t kWrap = 0xff;  // LLR_Wrap_Value_Supported, which nothing follows from
  static constexpr uint64_t kMemReq = 5, kMemData = 3;  // credits to give
  static constexpr uint64_t kAckForce = 0x20, kFlush = 0x40;
};

struct EnumeratorKnobs {
  std::vector<VendorWrite> vendor;
  bool use_ranges = false;
  bool config_lock = false;
  bool lock_on_commit = false;
  bool viral_enable = false;
  bool bar_above_4g = false;
  bool power_management = true;
  uint64_t window_base = 0x1'0000'0000;
  uint64_t window_size = 0;  // 0: all of the device
};

// What the enumeration has found, for whoever works with the registers after it.
struct Machine {
  uint64_t component = 0;  // addresses of the register blocks
  uint64_t device = 0;
  uint32_t aer = 0, pcie = 0;  // offsets in the configuration space
  uint32_t dvsec_device = 0;
  uint64_t ras = 0, link = 0, hdm = 0;  // addresses
  uint64_t bar_base = 0, bar_size = 0;
  uint64_t window_base = 0, window_size = 0;
  bool ready = false;
};

class Enumerator {
 public:
  Enumerator(const EnumeratorKnobs& knobs, IoHost& io, std::vector<std::string>& remarks)
      : knobs_(knobs), io_(io), remarks_(remarks) {}

  // All of it, S20 9.12 and 8.2.5.12. `machine().ready` says whether CXL.mem may be used.
  Task<void> run();
  const Machine& machine() const { return machine_; }
  const std::string& step() const { return step_; }
  // Writes every register of the link structure that software can write, with the device's link in
  // use; from the next hot reset on run() expects what was written.
  Task<void> write_link_registers();
  // Credits for CXL.mem that the device has to give on this link.
  uint64_t request_credits() const { return request_credits_; }
  uint64_t data_credits() const { return data_credits_; }
  // What the registers show against the standard, found on the way.
  Violations& findings() { return findings_; }

 private:
  Task<bool> find_device();
  Task<void> walk_capabilities();
  Task<void> walk_extended();
  Task<void> check_dvsec_device();
  Task<void> check_other_dvsecs();
  Task<bool> size_bars();
  Task<bool> locate_registers();
  Task<void> check_component();
  Task<void> check_ras();
  Task<void> check_link();
  Task<void> expect_link_registers();
  Task<void> end_link_stalls();
  Task<void> check_device_registers();
  Task<bool> program_decoder();
  Task<bool> program_range();
  Task<bool> enable();
  Task<void> write_vendor();
  void broken(std::string_view clause, std::string_view what) { findings_.add(clause, what); }
  Task<uint64_t> read64(uint64_t address);
  void remark(std::string what);
  void expect(bool right, std::string_view clause, std::string_view what) {
    if (!right) broken(clause, what);
  }

  EnumeratorKnobs knobs_;
  IoHost& io_;
  std::vector<std::string>& remarks_;
  Machine machine_;
  std::string step_;
  Violations findings_;
  std::map<uint32_t, uint32_t> dvsecs_;    // by id: offset
  std::map<uint32_t, uint32_t> extended_;  // by capability id, DVSECs not counted
  std::array<uint64_t, 6> bar_base_{}, bar_size_{};
  uint64_t memory_size_ = 0;
  bool link_written_ = false;
  uint64_t request_credits_ = 0, data_credits_ = 0;
};

}  // namespace peer
