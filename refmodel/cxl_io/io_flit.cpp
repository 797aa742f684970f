// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_flit.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>

namespace cxlgpu {
namespace {

constexpr std::uint8_t byte(unsigned value) {
  return static_cast<std::uint8_t>(value);
}

// x^4 + x + 1 over the 11 bits of Length, bit 0 first.
constexpr unsigned length_crc(unsigned length) {
  unsigned crc = 0;
  for (unsigned i = 0; i < 11; ++i) {
    const bool carry = ((crc >> 3 ^ length >> i) & 1) != 0;
    crc = (crc << 1 & 0xf) ^ (carry ? 0b0011u : 0);
  }
  return crc;
}
static_assert(length_crc(5) == 0x6 && length_crc(6) == 0x2 && length_crc(7) == 0xb);

constexpr unsigned kLongest = 1 + 4 + 1024 + 1 + 1, kMaxPayload = 32;  // DW

constexpr unsigned length_parity(unsigned length) {
  return static_cast<unsigned>(std::popcount(length) + std::popcount(length_crc(length))) & 1;
}

std::uint32_t lcrc(unsigned sequence, std::span<const std::uint8_t> tlp) {
  const std::array<Bytef, 2> number{byte(sequence >> 8), byte(sequence)};
  const uLong crc = crc32(crc32(0, nullptr, 0), number.data(), number.size());
  return static_cast<std::uint32_t>(crc32(crc, tlp.data(), static_cast<uInt>(tlp.size())));
}

// 100Bh, least significant bit first.
std::uint16_t dllp_crc(const std::uint8_t* dllp) {
  unsigned crc = 0xffff;
  for (unsigned bit = 0; bit < 32; ++bit) {
    const bool carry = ((crc ^ dllp[bit / 8] >> (bit % 8)) & 1) != 0;
    crc = crc >> 1 ^ (carry ? 0xd008u : 0);
  }
  return static_cast<std::uint16_t>(~crc);
}

constexpr bool is_sdp(const std::uint8_t* token) {
  return token[0] == 0xf0 && token[1] == 0xac;
}

IoVerdict classify_dllp(std::span<const std::uint8_t> packet) {
  if ((packet[6] | packet[7] << 8) != dllp_crc(&packet[2])) return DamagedDllp{};
  const unsigned type = packet[2];
  if (type == 0x00 || type == 0x10) {
    return AckNak{type == 0x10, (packet[4] & 0xfu) << 8 | packet[5]};
  }
  const unsigned kind = type >> 6, fc = type >> 4 & 3;
  if (kind == 0 || fc == 3 || (type & 0xf) != 0) return {};
  return FlowControl{.kind = static_cast<FcKind>(kind),
                     .fc = static_cast<FcClass>(fc),
                     .header = (packet[3] & 0x3fu) << 2 | packet[4] >> 6,
                     .data = (packet[4] & 0xfu) << 8 | packet[5]};
}

IoVerdict classify_tlp(std::span<const std::uint8_t> packet, Behind behind) {
  const unsigned length = token_length(packet.data());
  if (length == 0 || packet.size() != 4 * length) return DamagedTlp{};
  SequencedTlp received{.sequence = (packet[2] & 0xfu) << 8 | packet[3]};
  const std::size_t end = packet.size() - 4;
  const auto bytes = packet.subspan(4, end - 4);
  std::uint32_t crc = 0;
  for (unsigned i = 0; i < 4; ++i) crc |= std::uint32_t{packet[end + i]} << (8 * i);
  const std::uint32_t right = lcrc(received.sequence, bytes);
  if (crc == ~right && behind != Behind::kOther) return {};  // nullified
  if (crc != right || behind == Behind::kEdb) return DamagedTlp{};
  Tlp& tlp = received.tlp;
  std::copy_n(bytes.begin(), std::min(bytes.size(), tlp.size()), tlp.begin());
  const bool reserved_format = (tlp[0] & 0x80) != 0, digest = (tlp[2] & 0x80) != 0;
  const unsigned dws = header_bytes(tlp) / 4 + data_dws(tlp) + (digest ? 1 : 0);
  received.malformed = reserved_format || length != 2 + dws || data_dws(tlp) > kMaxPayload;
  std::fill(tlp.begin() + tlp_bytes(tlp), tlp.end(), std::uint8_t{0});
  return received;
}

}  // namespace

unsigned token_length(const std::uint8_t* token) {
  const unsigned length = token[0] >> 4 | (token[1] & 0x7f) << 4;
  if ((token[0] & 0xf) != 0xf || token[2] >> 4 != length_crc(length)) return 0;
  if (token[1] >> 7 != length_parity(length)) return 0;
  return length >= 5 && length <= kLongest ? length : 0;
}

IoFlit make_dllp_flit(const std::array<std::uint8_t, 4>& dllp) {
  IoFlit flit{0xf0, 0xac};
  std::copy(dllp.begin(), dllp.end(), &flit[2]);
  const std::uint16_t crc = dllp_crc(dllp.data());
  flit[6] = byte(crc);
  flit[7] = byte(crc >> 8);
  return flit;
}

IoFlit make_flit(const AckNak& dllp) {
  return make_dllp_flit(
      {byte(dllp.nak ? 0x10 : 0x00), 0, byte(dllp.sequence >> 8), byte(dllp.sequence)});
}

IoFlit make_flit(const FlowControl& dllp) {
  const unsigned type = static_cast<unsigned>(dllp.kind) << 6 | static_cast<unsigned>(dllp.fc) << 4;
  return make_dllp_flit({byte(type), byte(dllp.header >> 2),
                         byte((dllp.header & 3) << 6 | dllp.data >> 8), byte(dllp.data)});
}

std::vector<std::uint8_t> make_tlp_packet(unsigned sequence, std::span<const std::uint8_t> tlp) {
  const auto length = static_cast<unsigned>(tlp.size() / 4 + 2);
  std::vector<std::uint8_t> packet(4 * length);
  packet[0] = byte((length & 0xf) << 4 | 0xf);
  packet[1] = byte(length_parity(length) << 7 | length >> 4);
  packet[2] = byte(length_crc(length) << 4 | sequence >> 8);
  packet[3] = byte(sequence);
  std::copy(tlp.begin(), tlp.end(), packet.begin() + 4);
  const std::uint32_t crc = lcrc(sequence, tlp);
  for (std::size_t i = 0; i < 4; ++i) packet[4 + tlp.size() + i] = byte(crc >> (8 * i));
  return packet;
}

IoFlit make_tlp_flit(const SequencedTlp& tlp, unsigned dws) {
  IoFlit flit{};
  const auto packet = make_tlp_packet(tlp.sequence, std::span(tlp.tlp).first(4 * dws));
  std::copy(packet.begin(), packet.end(), flit.begin());
  return flit;
}

IoFlit make_flit(const SequencedTlp& tlp) {
  return make_tlp_flit(tlp, tlp_bytes(tlp.tlp) / 4);
}

IoVerdict classify(std::span<const std::uint8_t> packet, Behind behind) {
  return is_sdp(packet.data()) ? classify_dllp(packet) : classify_tlp(packet, behind);
}

IoVerdict classify(const IoFlit& flit) {
  if (std::all_of(flit.begin(), flit.begin() + 4, [](std::uint8_t b) { return b == 0; })) return {};
  const std::size_t dws = is_sdp(flit.data()) ? 2 : std::clamp(token_length(flit.data()), 1u, 16u);
  return classify(std::span(flit).first(4 * dws), Behind::kOther);
}

}  // namespace cxlgpu
