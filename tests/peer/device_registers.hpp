// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The memory device registers of a standard CXL 2.0 device (S20 8.2.8): status, mailbox, and its
// commands (8.2.9).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "registers.hpp"

namespace peer {

class DeviceRegisters {
 public:
  // command_cycles: from the doorbell to its clearing (at most 2 s).
  DeviceRegisters(uint64_t memory_size, unsigned command_cycles);

  uint32_t read(uint32_t at) const { return registers_.read(at); }
  void write(uint32_t at, uint32_t value, unsigned byte_enable);
  void tick();
  void reset();

 private:
  static constexpr uint32_t kStatus = 0x80;
  static constexpr uint32_t kMemoryStatus = 0x90;
  static constexpr uint32_t kMailbox = 0x1000;
  static constexpr unsigned kPayloadLog2 = 9;

  enum class Return : uint16_t {
    Success = 0,
    InvalidInput = 2,
    Unsupported = 3,
    InvalidLength = 0x16
  };
  struct Answer {
    Return code = Return::Success;
    std::vector<uint8_t> payload;
  };
  void execute();
  Answer command(unsigned opcode, std::span<const uint8_t> input);
  Answer identify() const;
  Answer get_log(std::span<const uint8_t> input) const;

  uint64_t memory_size_;
  unsigned command_cycles_;
  unsigned busy_ = 0;
  std::array<uint8_t, 4> event_policy_{};
  RegisterFile registers_{0x2000};
};

}  // namespace peer
