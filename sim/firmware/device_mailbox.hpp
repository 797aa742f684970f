// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The CXL device registers of a memory device, as a driver uses them.
//
// Purpose: finds mailbox and memory device status by the capabilities array, waits until media and
//          mailbox are ready, runs mailbox commands.
// Units:   addresses in memory space, bytes.
// Errors:  InputError, one line: port, what is wrong, what to do.
// Source:  CXL 2.0, 8.2.8 (registers), 8.2.9 (commands and return codes).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/firmware/function.hpp"

namespace cxlgpu {

class DeviceMailbox {
 public:
  // The register block, by the register locator; memory space is on.
  DeviceMailbox(Function& function, std::uint64_t block);

  void wait_ready();
  // A command without input: its first `words` words of output, at least `bytes` long.
  std::vector<std::uint32_t> run(std::uint16_t opcode, unsigned words, unsigned bytes);
  // Total capacity, by Identify Memory Device.
  std::uint64_t capacity();

 private:
  std::uint64_t capability(std::uint16_t id, const char* what);
  std::uint32_t read(std::uint64_t address) { return function_.io().read(address); }

  Function& function_;
  std::uint64_t block_;
  std::uint64_t mailbox_;  // as of the start of its capability
  std::uint64_t status_;
};

}  // namespace cxlgpu
