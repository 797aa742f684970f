// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// CRC-16 of the 68-byte flit.
//
// Covers the 64 payload bytes (flit bits 511:0), not the protocol ID. Polynomial 1F053h, initial
// value 0, no reflection, no final XOR; flit bit 511 enters first, so byte 63 is taken first, each
// byte from its top bit. The result travels low byte first as flit bytes 64-65.
// Source: CXL 2.0 link layer, CRC section.
#pragma once

#include <cstdint>
#include <span>

namespace cxlgpu::flits {

inline constexpr std::uint16_t kCrcPolynomial = 0xF053;  // x^16 is implied

/// CRC of the 64 payload bytes in transmit order (payload[0] = flit bits 7:0).
std::uint16_t crc16(std::span<const std::uint8_t, 64> payload);

}  // namespace cxlgpu::flits
