// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Transaction layer packets of PCIe 5.0, chapter 2, as far as a CXL.io endpoint and its host need
// them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace peer {

enum class TlpKind : uint8_t {
  MemRead,
  MemWrite,
  IoRead,
  IoWrite,
  CfgRead0,
  CfgRead1,
  CfgWrite0,
  CfgWrite1,
  Message,
  Completion,
  Other  // locked reads, AtomicOps and what is reserved
};

enum class CplStatus : uint8_t { Success = 0, Unsupported = 1, RetryStatus = 2, Abort = 4 };

struct Tlp {
  TlpKind kind = TlpKind::MemRead;
  uint8_t fmt = 0;  // as on the wire; encode() takes them from kind, but for Other
  uint8_t type = 0;
  uint8_t tc = 0;
  uint8_t attr = 0;  // IDO, Relaxed Ordering, No Snoop: bits 2, 1, 0
  bool hint = false;
  bool digest = false;    // TD: one DW of ECRC follows
  bool poisoned = false;  // EP
  uint8_t address_type = 0;
  uint16_t length = 1;  // in DW, 1 to 1024
  uint16_t requester = 0;
  uint16_t tag = 0;  // ten bits
  // requests
  uint8_t first_be = 0xf;
  uint8_t last_be = 0;
  uint64_t address =
      0;  // memory and I/O, in bytes; configuration: the register, in bytes, 0 to 4095
  uint16_t target = 0;  // configuration: bus, device, function
  // completions
  uint16_t completer = 0;
  CplStatus status = CplStatus::Success;
  bool bcm = false;
  uint16_t byte_count = 4;  // 1 to 4096
  uint8_t lower_address = 0;
  // messages
  uint8_t code = 0;
  std::array<uint8_t, 8> message{};  // bytes 8 to 15 of the header

  std::vector<uint32_t> data;  // byte 0 of each DW in bits 7:0

  bool with_data() const { return !data.empty(); }
};

std::vector<uint8_t> encode(const Tlp& tlp);

struct ParsedTlp {
  Tlp tlp;
  std::string malformed;  // why it is, empty: well formed
};
ParsedTlp decode_tlp(std::span<const uint8_t> bytes);

// Bytes that a memory read of these enables asks for, and the lower address of its first completion
// (PCIe 5.0, 2.3.1.1, Tables 2-37 and 2-38).
unsigned byte_count_of(const Tlp& request);
uint8_t lower_address_of(const Tlp& request);

}  // namespace peer
