// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// CXL.io packets of any length as flits, written from PCIe's tables and not by RTL or model.
//
// Purpose: what a standard peer sends: TLPs longer than a flit, packets in any DW, EDB.
// Units:   DWs; a flit has 16.
// Errors:  none; a packet may be wrong on purpose.
// Source:  PCI Express Base 5.0, 4.2.2.3 (tokens), 3.6.2 (LCRC).
#pragma once

#include <deque>
#include <vector>

#include "tests/cxl_io/io_wire.hpp"

namespace cxlgpu::test {

// Header DWs of a TLP, byte 0 in the low bits, and its data.
using Dws = std::vector<std::uint32_t>;

inline Dws message_with_data(unsigned code, std::uint32_t vendor, unsigned vendor_code,
                             unsigned data_dws) {
  Dws dws{0x74u | data_dws << 24 | (data_dws >> 8) << 16, code << 24,
          (vendor & 0xff00) << 8 | (vendor & 0xff) << 24, vendor_code << 24};
  for (unsigned i = 0; i < data_dws; ++i) dws.push_back(0x1111'1111u * (i + 1));
  return dws;
}

inline Dws memory_write(std::uint32_t address, unsigned data_dws) {
  Dws dws{0x40u | (data_dws & 0xff) << 24 | (data_dws >> 8 & 3) << 16,
          (data_dws > 1 ? 0xff00'0000u : 0x0f00'0000u), __builtin_bswap32(address)};
  for (unsigned i = 0; i < data_dws; ++i) dws.push_back(0x0101'0101u * (i + 1));
  return dws;
}

class IoStream {
 public:
  enum class Lcrc { kRight, kWrong, kInverted };

  void idle(unsigned dws) { dws_.insert(dws_.end(), dws, 0); }
  void dw(std::uint32_t value) { dws_.push_back(value); }
  // The EDB token.
  void edb() { dw(0xc0c0'c0c0); }
  // token_dws: Length of the token if it is to be wrong.
  void tlp(unsigned sequence, const Dws& tlp, Lcrc kind = Lcrc::kRight, unsigned token_dws = 0) {
    const unsigned length = token_dws != 0 ? token_dws : static_cast<unsigned>(tlp.size()) + 2;
    const unsigned check = length_crc(length);
    const unsigned parity = static_cast<unsigned>(__builtin_parity(length << 4 | check));
    dw(0xf | (length & 0xf) << 4 | (length >> 4) << 8 | parity << 15 | (sequence >> 8) << 16 |
       check << 20 | (sequence & 0xff) << 24);
    const std::array<Bytef, 2> head{static_cast<Bytef>(sequence >> 8),
                                    static_cast<Bytef>(sequence)};
    uLong crc = crc32(crc32(0, nullptr, 0), head.data(), head.size());
    for (const std::uint32_t word : tlp) {
      const std::array<Bytef, 4> bytes{static_cast<Bytef>(word), static_cast<Bytef>(word >> 8),
                                       static_cast<Bytef>(word >> 16),
                                       static_cast<Bytef>(word >> 24)};
      crc = crc32(crc, bytes.data(), bytes.size());
      dw(word);
    }
    auto sent = static_cast<std::uint32_t>(crc);
    if (kind == Lcrc::kWrong) sent ^= 0x0001'0000;
    if (kind == Lcrc::kInverted) sent = ~sent;
    dw(sent);
  }
  // All of it, idle symbols to the end of the last flit. What was written is gone then.
  std::deque<Flit> flits() {
    std::deque<Flit> flits;
    while (!dws_.empty()) {
      Flit flit{};
      for (unsigned i = 0; i < 16 && !dws_.empty(); ++i) {
        for (unsigned k = 0; k < 4; ++k)
          flit[4 * i + k] = static_cast<std::uint8_t>(dws_.front() >> (8 * k));
        dws_.pop_front();
      }
      flits.push_back(flit);
    }
    return flits;
  }

 private:
  std::deque<std::uint32_t> dws_;
};

}  // namespace cxlgpu::test
