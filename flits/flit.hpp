// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One 68-byte flit as it travels: 2 protocol-ID bytes, 64 payload bytes, 2 CRC bytes.
//
// Byte order is transmit order; payload byte n is flit bits [8n+7:8n]; slot s is payload bytes
// 16s..16s+15 and slot 0 starts with the 4 header bytes (so slot positions count from 0 there too).
// Errors: from_hex() gives nullopt for anything but 136 hex digits.
// Source: CXL 2.0 Flex Bus framing and the flit header figures.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "flits/bits.hpp"

namespace cxlgpu::flits {

/// Host to device or back; CXL.cache H2D and D2H go the same two ways.
enum class Direction : std::uint8_t { M2S, S2M };
constexpr Direction opposite(Direction d) {
  return d == Direction::M2S ? Direction::S2M : Direction::M2S;
}
constexpr std::size_t index(Direction d) {
  return static_cast<std::size_t>(d);
}
constexpr std::string_view name(Direction d) {
  return d == Direction::M2S ? "M2S" : "S2M";
}
std::optional<Direction> direction_from_name(std::string_view text);

/// 8-bit codes; both protocol-ID bytes carry the same one. "Eds" forms precede an end-of-data
/// token.
enum class ProtocolId : std::uint8_t {
  Io = 0xFF,
  IoEds = 0xD2,
  CacheMem = 0x55,
  CacheMemEds = 0x87,
  Null = 0x99,
  NullEds = 0x4B,
  Almp = 0xCC,
  AlmpEds = 0x1E,
};
/// Empty for a reserved code.
std::string_view name(ProtocolId id);
constexpr bool is_cachemem(ProtocolId id) {
  return id == ProtocolId::CacheMem || id == ProtocolId::CacheMemEds;
}

constexpr bool is_io(ProtocolId id) {
  return id == ProtocolId::Io || id == ProtocolId::IoEds;
}

constexpr bool is_almp(ProtocolId id) {
  return id == ProtocolId::Almp || id == ProtocolId::AlmpEds;
}

/// What a receiver makes of the two protocol-ID bytes.
struct ProtocolIdVerdict {
  std::optional<ProtocolId> id;  // nullopt: uncorrectable, the flit is dropped and retried
  bool corrected = false;        // one byte was damaged, the other is used
};

using Chunk = std::array<std::uint8_t, 16>;  // one data slot, line byte 16k first
using LineData = std::array<std::uint8_t, 64>;

/// Header fields of a protocol flit, as on the wire. The credit fields keep their 4-bit code.
struct FlitHeader {
  bool ak = false;  // 8 flits acknowledged
  bool be = false;
  bool sz = false;  // 64 B
  std::array<std::uint8_t, 4> format{};
  std::uint8_t rsp_crd = 0, req_crd = 0, data_crd = 0;
  bool operator==(const FlitHeader&) const = default;
};
inline constexpr std::uint32_t kHeaderReserved = 0x000E0002;
std::uint32_t pack_header(const FlitHeader& h);
FlitHeader unpack_header(std::uint32_t bits);

/// A credit field: bit 3 selects CXL.mem, bits 2:0 count 0, 1, 2, 4 .. 64.
struct CreditCode {
  bool mem;
  unsigned count;
};
constexpr CreditCode decode_credit(std::uint8_t code) {
  const unsigned exponent = code & 7u;
  return {(code & 8u) != 0, exponent == 0 ? 0u : 1u << (exponent - 1)};
}
/// The code of the largest count that is at most `count`.
constexpr std::uint8_t encode_credit(bool mem, unsigned count) {
  unsigned code = 0;
  while (code < 7 && (1u << code) <= count) ++code;
  return static_cast<std::uint8_t>(code | (mem && code != 0 ? 8u : 0u));
}

struct Flit {
  static constexpr std::size_t kBytes = 68;
  std::array<std::uint8_t, kBytes> bytes{};
  bool operator==(const Flit&) const = default;

  std::span<const std::uint8_t, 64> payload() const { return std::span(bytes).subspan<2, 64>(); }
  std::span<std::uint8_t, 64> payload() { return std::span(bytes).subspan<2, 64>(); }

  ProtocolIdVerdict protocol_id() const;
  void set_protocol_id(ProtocolId id) { bytes[0] = bytes[1] = static_cast<std::uint8_t>(id); }

  std::uint16_t crc() const { return static_cast<std::uint16_t>(bytes[66] | bytes[67] << 8); }
  bool crc_ok() const;
  bool crc_inverted() const;  // every bit of it wrong: how a port announces viral
  void set_crc();             // recomputes the CRC from the payload

  std::uint32_t header_bits() const {
    std::uint32_t h;
    std::memcpy(&h, &bytes[2], sizeof h);
    return h;
  }
  bool is_control() const { return (bytes[2] & 1u) != 0; }  // meaningless in an all-data flit

  u128 slot(unsigned s) const {
    u128 v;
    std::memcpy(&v, &bytes[2 + 16 * s], sizeof v);
    return v;
  }
  void set_slot(unsigned s, u128 v) { std::memcpy(&bytes[2 + 16 * s], &v, sizeof v); }

  static std::optional<Flit> from_hex(std::string_view hex);
  std::string to_hex() const;
  void write_hex(std::span<char, 2 * kBytes> out) const;
};

/// Lower-case hex of bytes in order, and back (false unless exactly out.size() bytes of hex).
std::string bytes_to_hex(std::span<const std::uint8_t> bytes);
bool hex_to_bytes(std::string_view hex, std::span<std::uint8_t> out);

}  // namespace cxlgpu::flits
