// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which messages a slot format holds and where: H0..H6 in slot 0, G0..G6 in slots 1-3, per
// direction.
//
// Positions are bits of the 128-bit slot; header slots start at bit 32. The two NDRs of the split
// formats are the exception: the first NDR's DevLoad stands apart, at `tail_at`.
// Source: CXL 2.0 slot format figures, 68-byte flit.
#pragma once

#include <cstdint>
#include <span>

#include "flits/flit.hpp"
#include "flits/messages.hpp"

namespace cxlgpu::flits {

inline constexpr unsigned kMaxPlaces = 5;  // messages in one slot
inline constexpr unsigned kHeaderSlotBit = 32;
inline constexpr std::uint8_t kDataFormat = 0;  // G0
inline constexpr std::uint8_t kMacFormat = 6;   // H6

struct Placement {
  MessageKind kind{};
  std::uint8_t at = 0;
  std::uint8_t tail_at = 0;  // 0: contiguous; else where bits 29:28 of an NDR stand
};

struct SlotFormat {
  std::uint8_t count = 0;
  std::array<Placement, kMaxPlaces> place{};
  bool raw = false;  // data chunk, byte enables or MAC: no message
  bool mdh = false;  // several data headers
  u128 used = 0;     // bits that mean something; the flit header counts as used in slot 0

  bool defined() const { return raw || count != 0; }
  std::span<const Placement> places() const { return {place.data(), count}; }
};

/// Never fails: a reserved code gives a format that is not defined(). code 0..7, slot 0..3.
const SlotFormat& slot_format(Direction direction, unsigned slot, unsigned code);

/// The message at a place, as bits (LSB first), and the reverse.
constexpr u128 take(u128 slot, const Placement& p) {
  if (p.tail_at == 0) return slot >> p.at;
  return ((slot >> p.at) & low_mask(28)) | u128{get_bits(slot, p.tail_at, 2)} << 28;
}
constexpr u128 place(u128 message, const Placement& p) {
  if (p.tail_at == 0) return message << p.at;
  return (message & low_mask(28)) << p.at | (message >> 28) << p.tail_at;
}

/// Message of a kind from its bits, and the reverse.
Message unpack(MessageKind kind, u128 bits);
u128 pack(const Message& m);

}  // namespace cxlgpu::flits
