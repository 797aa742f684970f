// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the blocks of CXL.io hand to each other, and the parts of a TLP that all of them read.
//
// Units:   bytes; a register's number is its offset / 4.
// Shapes:  byte n of a TLP is element n, header byte 0 first, at most two DWs of its data; bytes
// that
//          it does not have are 0.
// Source:  PCI Express Base 5.0, chapter 2.2; docs/blocks/cxl_io/README.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/io_port.hpp"

namespace cxlgpu {

using Tlp = std::array<std::uint8_t, 24>;

enum class FcClass : std::uint8_t { kPosted = 0, kNonPosted = 1, kCompletion = 2 };

namespace tlp_type {
inline constexpr unsigned kMemory = 0b00000, kMemoryLocked = 0b00001, kConfig0 = 0b00100,
                          kConfig1 = 0b00101, kCompletion = 0b01010, kCompletionLocked = 0b01011,
                          kFetchAdd = 0b01100, kSwap = 0b01101, kCompareAndSwap = 0b01110;
}  // namespace tlp_type

constexpr unsigned type_of(const Tlp& tlp) {
  return tlp[0] & 0x1f;
}
constexpr bool long_header(const Tlp& tlp) {
  return (tlp[0] & 0x20) != 0;
}
constexpr bool has_data(const Tlp& tlp) {
  return (tlp[0] & 0x40) != 0;
}
constexpr bool poisoned(const Tlp& tlp) {
  return (tlp[2] & 0x40) != 0;
}
constexpr unsigned length_field(const Tlp& tlp) {
  return (tlp[2] & 3u) << 8 | tlp[3];
}
constexpr unsigned header_bytes(const Tlp& tlp) {
  return long_header(tlp) ? 16 : 12;
}
// A header as the error logs take it: zeros behind one of 3 DW.
using TlpHeader = std::array<std::uint8_t, 16>;
constexpr TlpHeader header_of(const Tlp& tlp) {
  TlpHeader header{};
  std::copy_n(tlp.begin(), header_bytes(tlp), header.begin());
  return header;
}
// DWs of data that it carries on the wire.
constexpr unsigned data_dws(const Tlp& tlp) {
  if (!has_data(tlp)) return 0;
  return length_field(tlp) != 0 ? length_field(tlp) : 1024;
}
constexpr unsigned data_credits(const Tlp& tlp) {
  return (data_dws(tlp) + 3) / 4;
}
// What is handed on of it.
constexpr unsigned tlp_bytes(const Tlp& tlp) {
  return header_bytes(tlp) + 4 * std::min(data_dws(tlp), 2u);
}
constexpr FcClass class_of(const Tlp& tlp) {
  const unsigned type = type_of(tlp);
  if (type >> 1 == 0b0101) return FcClass::kCompletion;
  const bool message = type >> 3 == 0b10;
  return message || (type == tlp_type::kMemory && has_data(tlp)) ? FcClass::kPosted
                                                                 : FcClass::kNonPosted;
}
// A DW of data, its first byte lowest.
constexpr std::uint32_t data_of(const Tlp& tlp, unsigned dw = 0) {
  const unsigned at = header_bytes(tlp) + 4 * dw;
  return tlp[at] | tlp[at + 1] << 8 | tlp[at + 2] << 16 | std::uint32_t{tlp[at + 3]} << 24;
}
constexpr void set_data(Tlp& tlp, std::uint32_t data, unsigned dw = 0) {
  const unsigned at = header_bytes(tlp) + 4 * dw;
  for (unsigned i = 0; i < 4; ++i) tlp[at + i] = static_cast<std::uint8_t>(data >> (8 * i));
}

// Access to a configuration register; enables and data count in writes only.
struct CfgAccess {
  bool valid = false;
  bool write = false;
  unsigned word = 0;     // 10 bits
  unsigned enables = 0;  // 4 bits
  std::uint32_t data = 0;
  bool operator==(const CfgAccess&) const = default;
};

// Access to a register of the endpoint.
struct RegAccess {
  bool valid = false;
  bool write = false;
  unsigned addr = 0;  // 16 bits
  std::uint32_t data = 0;
  bool operator==(const RegAccess&) const = default;
};

}  // namespace cxlgpu
