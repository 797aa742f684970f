// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The bits that the controller twins share: payloads, headers, credit codes and control flits.
//
// Purpose: a thin layer over flits/ (layouts, CRC, control flits) in the shape the twins need:
//          payload and CRC apart, messages as raw bits.
// Units:   bit offsets count from flit bit 0 (byte 0 bit 0, sent first).
// Shapes:  Payload 64 bytes (four slots, without CRC); MsgHeader a message in wire layout in its
//          low bits; Chunk 16 bytes (one slot).
// Errors:  none.
// Source:  CXL 2.0 4.2.2 to 4.2.5.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "flits/control.hpp"
#include "flits/crc16.hpp"
#include "flits/flit.hpp"
#include "flits/slots.hpp"

namespace cxlgpu {

using Payload = std::array<std::uint8_t, 64>;
using Line = std::array<std::uint8_t, 64>;
using flits::Chunk;
using MsgHeader = flits::u128;  // at most 87 bits

inline constexpr std::uint64_t kAllEnables = ~std::uint64_t{0};

struct CrcFlit {
  Payload payload{};
  std::uint16_t crc = 0;
  bool operator==(const CrcFlit&) const = default;
};

struct WdMessage {
  MsgHeader header = 0;
  Line data{};
  std::uint64_t enables = kAllEnables;
  bool operator==(const WdMessage&) const = default;
};

// Width of a message in bits.
inline constexpr auto kMessageWidths = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<unsigned, sizeof...(I)>{
      flits::Layout<std::variant_alternative_t<I, flits::Message>>::width...};
}
(std::make_index_sequence<flits::kMessageKinds>{});

// The bits of a message at its place in a slot, and the reverse.
inline MsgHeader take_message(MsgHeader slot, const flits::Placement& at) {
  return flits::take(slot, at) & flits::low_mask(kMessageWidths[flits::index(at.kind)]);
}
inline MsgHeader place_message(MsgHeader message, const flits::Placement& at) {
  return flits::place(message & flits::low_mask(kMessageWidths[flits::index(at.kind)]), at);
}

inline std::uint16_t crc_of(const Payload& payload) {
  return flits::crc16(payload);
}

// Slot s as a number, and as bytes.
inline MsgHeader get_slot(const Payload& payload, unsigned s) {
  MsgHeader slot;
  std::memcpy(&slot, payload.data() + 16 * s, sizeof slot);
  return slot;
}
inline void or_slot(Payload& payload, unsigned s, MsgHeader bits) {
  bits |= get_slot(payload, s);
  std::memcpy(payload.data() + 16 * s, &bits, sizeof bits);
}
inline Chunk get_chunk(const Payload& payload, unsigned s) {
  Chunk chunk;
  std::memcpy(chunk.data(), payload.data() + 16 * s, chunk.size());
  return chunk;
}
inline void set_chunk(Payload& payload, unsigned s, const Chunk& chunk) {
  std::memcpy(payload.data() + 16 * s, chunk.data(), chunk.size());
}

// The BE slot, and the message of a header and its chunks (four, or five with the BE slot).
inline Chunk enables_chunk(std::uint64_t enables) {
  Chunk chunk{};
  std::memcpy(chunk.data(), &enables, sizeof enables);
  return chunk;
}
inline constexpr unsigned kChunksPerLine = 4;
inline WdMessage assemble(MsgHeader header, std::span<const Chunk> chunks) {
  WdMessage message{.header = header};
  for (unsigned k = 0; k < kChunksPerLine; ++k) set_chunk(message.data, k, chunks[k]);
  if (chunks.size() > kChunksPerLine) {
    std::memcpy(&message.enables, chunks[kChunksPerLine].data(), sizeof message.enables);
  }
  return message;
}

inline flits::FlitHeader get_header(const Payload& payload) {
  return flits::unpack_header(static_cast<std::uint32_t>(get_slot(payload, 0)));
}

// A payload as a whole flit (CRC left 0) and back: the form flits/ works on.
inline flits::Flit as_flit(const Payload& payload) {
  flits::Flit flit;
  flit.set_protocol_id(flits::ProtocolId::CacheMem);
  std::memcpy(flit.bytes.data() + 2, payload.data(), payload.size());
  return flit;
}
inline Payload as_payload(const flits::Flit& flit) {
  Payload payload;
  std::memcpy(payload.data(), flit.bytes.data() + 2, payload.size());
  return payload;
}
// A control flit; UnknownControl if it is none that this link uses, or a RETRY flit with a constant
// bit wrong. Meaningless for a flit that is not of control type.
inline flits::Control read_control(const Payload& payload) {
  const flits::Flit flit = as_flit(payload);
  if (const auto retry = flits::classify_retry(flit)) return *retry;
  const auto control = flits::classify_control(flit);
  const bool used = control && (std::holds_alternative<flits::Llcrd>(*control) ||
                                std::holds_alternative<flits::InitParam>(*control));
  return used ? *control : flits::UnknownControl{};
}
inline Payload control_payload(const flits::Control& control) {
  return as_payload(flits::encode_control(control));
}

// Three-bit credit code: messages it stands for, and the largest code not above n.
constexpr unsigned credit_count(unsigned code) {
  return code == 0 ? 0 : 1u << (code - 1);
}
constexpr unsigned credit_code(unsigned n) {
  return flits::encode_credit(false, n);
}
// Credit field for CXL.mem: 0 when the code is 0.
constexpr std::uint8_t mem_credit(unsigned code) {
  return static_cast<std::uint8_t>(code == 0 ? 0 : 8 | code);
}

}  // namespace cxlgpu
