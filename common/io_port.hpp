// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Register accesses over CXL.io, as software asks for them and is answered.
//
// Purpose: what firmware hands to a root port's access registers, and what its requester takes.
// Units:   addresses in bytes; data of one register.
// Errors:  CplStatus::kNoAnswer for a request that nothing answered.
// Source:  PCI Express Base 5.0, 2.2; docs/blocks/cxl_io/io_requester.md.
#pragma once

#include <cstdint>

namespace cxlgpu {

enum class CplStatus : std::uint8_t {
  kSuccess = 0,
  kUnsupported = 1,
  kRetry = 2,
  kAbort = 4,
  kNoAnswer = 7,  // not on the wire: timeout, or the link went down
};

enum class IoOp : std::uint8_t { kCfgRd0, kCfgWr0, kCfgRd1, kCfgWr1, kMemRd, kMemWr };
constexpr bool is_write(IoOp op) {
  return (static_cast<unsigned>(op) & 1) != 0;
}
constexpr bool is_memory(IoOp op) {
  return op == IoOp::kMemRd || op == IoOp::kMemWr;
}

struct IoRequest {
  IoOp op = IoOp::kCfgRd0;
  std::uint64_t addr = 0;  // configuration: [27:20] bus, [19:15] device, [14:12] function
  unsigned enables = 0;    // 4 bits
  std::uint32_t data = 0;
};

struct IoResponse {
  CplStatus status = CplStatus::kSuccess;
  std::uint32_t data = 0;
  bool operator==(const IoResponse&) const = default;
};

}  // namespace cxlgpu
