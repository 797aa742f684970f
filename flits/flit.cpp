// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/flit.hpp"

#include "flits/crc16.hpp"

namespace cxlgpu::flits {
namespace {

constexpr std::array<std::uint8_t, 256> make_hex_values() {
  std::array<std::uint8_t, 256> values{};
  for (auto& v : values) v = 0xFF;
  for (unsigned d = 0; d < 10; ++d) values['0' + d] = static_cast<std::uint8_t>(d);
  for (unsigned d = 0; d < 6; ++d) {
    values['a' + d] = values['A' + d] = static_cast<std::uint8_t>(10 + d);
  }
  return values;
}
constexpr auto kHexValues = make_hex_values();
constexpr std::string_view kHexDigits = "0123456789abcdef";

void write_hex_bytes(std::span<const std::uint8_t> bytes, char* out) {
  for (std::uint8_t b : bytes) {
    *out++ = kHexDigits[b >> 4];
    *out++ = kHexDigits[b & 15];
  }
}

}  // namespace

std::optional<Direction> direction_from_name(std::string_view text) {
  if (text == "M2S") return Direction::M2S;
  if (text == "S2M") return Direction::S2M;
  return std::nullopt;
}

std::string_view name(ProtocolId id) {
  switch (id) {
    case ProtocolId::Io:
      return "CXL.io";
    case ProtocolId::IoEds:
      return "CXL.io+EDS";
    case ProtocolId::CacheMem:
      return "CXL.cachemem";
    case ProtocolId::CacheMemEds:
      return "CXL.cachemem+EDS";
    case ProtocolId::Null:
      return "NULL";
    case ProtocolId::NullEds:
      return "NULL+EDS";
    case ProtocolId::Almp:
      return "ALMP";
    case ProtocolId::AlmpEds:
      return "ALMP+EDS";
  }
  return {};
}

std::uint32_t pack_header(const FlitHeader& h) {
  std::uint32_t bits = 0;
  bits |= std::uint32_t{h.ak} << 2 | std::uint32_t{h.be} << 3 | std::uint32_t{h.sz} << 4;
  for (unsigned s = 0; s < 4; ++s) bits |= (h.format[s] & 7u) << (5 + 3 * s);
  bits |= (h.rsp_crd & 15u) << 20 | (h.req_crd & 15u) << 24 | (h.data_crd & 15u) << 28;
  return bits;
}

FlitHeader unpack_header(std::uint32_t bits) {
  FlitHeader h;
  h.ak = (bits >> 2) & 1;
  h.be = (bits >> 3) & 1;
  h.sz = (bits >> 4) & 1;
  for (unsigned s = 0; s < 4; ++s) h.format[s] = (bits >> (5 + 3 * s)) & 7;
  h.rsp_crd = (bits >> 20) & 15;
  h.req_crd = (bits >> 24) & 15;
  h.data_crd = (bits >> 28) & 15;
  return h;
}

ProtocolIdVerdict Flit::protocol_id() const {
  const auto a = static_cast<ProtocolId>(bytes[0]);
  const auto b = static_cast<ProtocolId>(bytes[1]);
  const bool a_valid = !name(a).empty();
  const bool b_valid = !name(b).empty();
  if (a_valid && b_valid) return {a == b ? std::optional(a) : std::nullopt, false};
  if (a_valid) return {a, true};
  if (b_valid) return {b, true};
  return {std::nullopt, false};
}

bool Flit::crc_ok() const {
  return crc16(payload()) == crc();
}

bool Flit::crc_inverted() const {
  return (crc16(payload()) ^ crc()) == 0xFFFF;
}

void Flit::set_crc() {
  const std::uint16_t value = crc16(payload());
  bytes[66] = static_cast<std::uint8_t>(value);
  bytes[67] = static_cast<std::uint8_t>(value >> 8);
}

std::string bytes_to_hex(std::span<const std::uint8_t> bytes) {
  std::string text(2 * bytes.size(), '0');
  write_hex_bytes(bytes, text.data());
  return text;
}

bool hex_to_bytes(std::string_view hex, std::span<std::uint8_t> out) {
  if (hex.size() != 2 * out.size()) return false;
  std::uint8_t bad = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint8_t high = kHexValues[static_cast<unsigned char>(hex[2 * i])];
    const std::uint8_t low = kHexValues[static_cast<unsigned char>(hex[2 * i + 1])];
    bad |= (high | low) & 0xF0;
    out[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return bad == 0;
}

std::optional<Flit> Flit::from_hex(std::string_view hex) {
  Flit flit;
  if (!hex_to_bytes(hex, flit.bytes)) return std::nullopt;
  return flit;
}

std::string Flit::to_hex() const {
  return bytes_to_hex(bytes);
}

void Flit::write_hex(std::span<char, 2 * kBytes> out) const {
  write_hex_bytes(bytes, out.data());
}

}  // namespace cxlgpu::flits
