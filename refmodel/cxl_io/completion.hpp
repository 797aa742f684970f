// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a completion says of the request that it answers.
//
// Purpose: shared by the twins of the two completers, io_completer and io_requester.
// Units:   bytes; counts modulo 4096, as their field.
// Shapes:  a completion without data: completer in bytes 4 and 5 not set.
// Errors:  none.
// Source:  PCI Express Base 5.0, 2.2.9; docs/blocks/cxl_io/io_completer.md, io_requester.md.
#pragma once

#include <bit>
#include <cstdint>

#include "refmodel/cxl_io/io_types.hpp"

namespace cxlgpu {

constexpr unsigned first_enables(const Tlp& tlp) {
  return tlp[7] & 0xf;
}
constexpr unsigned last_enables(const Tlp& tlp) {
  return tlp[7] >> 4;
}
// Of a memory request, bits 1:0 zero.
constexpr std::uint64_t address_of(const Tlp& tlp) {
  std::uint64_t address = 0;
  for (unsigned i = 8; i < header_bytes(tlp); ++i) address = address << 8 | tlp[i];
  return address & ~std::uint64_t{3};
}
constexpr bool is_memory_read(const Tlp& tlp) {
  const unsigned type = type_of(tlp);
  return (type == tlp_type::kMemory || type == tlp_type::kMemoryLocked) && !has_data(tlp);
}

namespace completion_detail {

// Bytes left out at the start and at the end of what the enables of a read select.
constexpr unsigned skip(const Tlp& tlp) {
  const unsigned enables = first_enables(tlp);
  return enables == 0 ? 0 : static_cast<unsigned>(std::countr_zero(enables));
}
constexpr unsigned rest(const Tlp& tlp) {
  const unsigned enables = length_field(tlp) == 1 ? first_enables(tlp) : last_enables(tlp);
  return enables == 0 ? 0 : 4 - static_cast<unsigned>(std::bit_width(enables));
}

}  // namespace completion_detail

// Byte count and lower address that answer a memory read.
constexpr unsigned read_count(const Tlp& tlp) {
  if (length_field(tlp) == 1 && first_enables(tlp) == 0) return 1;
  return (4 * length_field(tlp) - completion_detail::skip(tlp) - completion_detail::rest(tlp)) %
         4096;
}
// Of an AtomicOp the size of an operand: compare and swap carries two of them.
constexpr unsigned completion_count(const Tlp& request) {
  if (is_memory_read(request)) return read_count(request);
  switch (type_of(request)) {
    case tlp_type::kFetchAdd:
    case tlp_type::kSwap:
      return 4 * length_field(request) % 4096;
    case tlp_type::kCompareAndSwap:
      return 2 * length_field(request);
    default:
      return 4;
  }
}
constexpr unsigned read_lower_address(const Tlp& tlp) {
  return static_cast<unsigned>(address_of(tlp) & 0x7c) | completion_detail::skip(tlp);
}

// The completion of `request` without data, of lower address 0.
constexpr Tlp completion_of(const Tlp& request, CplStatus status) {
  const unsigned count = completion_count(request);
  const bool locked = type_of(request) == tlp_type::kMemoryLocked;
  Tlp reply{};
  reply[0] = locked ? tlp_type::kCompletionLocked : tlp_type::kCompletion;
  reply[1] = request[1] & 0xfc;
  reply[2] = request[2] & 0x30;
  reply[6] = static_cast<std::uint8_t>(static_cast<unsigned>(status) << 5 | count >> 8);
  reply[7] = static_cast<std::uint8_t>(count);
  for (unsigned i = 0; i < 3; ++i) reply[8 + i] = request[4 + i];
  return reply;
}

}  // namespace cxlgpu
