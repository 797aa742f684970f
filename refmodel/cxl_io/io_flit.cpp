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

constexpr unsigned dws_of(const Tlp& tlp) {
  return tlp_bytes(tlp) / 4;
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

constexpr unsigned length_parity(unsigned length) {
  return static_cast<unsigned>(std::popcount(length) + std::popcount(length_crc(length))) & 1;
}

std::uint32_t lcrc(unsigned sequence, const std::uint8_t* tlp, unsigned bytes) {
  const std::array<Bytef, 2> number{byte(sequence >> 8), byte(sequence)};
  const uLong crc = crc32(crc32(0, nullptr, 0), number.data(), number.size());
  return static_cast<std::uint32_t>(crc32(crc, tlp, bytes));
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

IoVerdict classify_dllp(const IoFlit& flit) {
  if ((flit[6] | flit[7] << 8) != dllp_crc(&flit[2])) return DamagedDllp{};
  const unsigned type = flit[2];
  if (type == 0x00 || type == 0x10) return AckNak{type == 0x10, (flit[4] & 0xfu) << 8 | flit[5]};
  const unsigned kind = type >> 6, fc = type >> 4 & 3;
  if (kind == 0 || fc == 3 || (type & 0xf) != 0) return {};
  return FlowControl{.kind = static_cast<FcKind>(kind),
                     .fc = static_cast<FcClass>(fc),
                     .header = (flit[3] & 0x3fu) << 2 | flit[4] >> 6,
                     .data = (flit[4] & 0xfu) << 8 | flit[5]};
}

IoVerdict classify_tlp(const IoFlit& flit) {
  const unsigned length = flit[0] >> 4 | (flit[1] & 0x7f) << 4;
  if ((flit[0] & 0xf) != 0xf || flit[2] >> 4 != length_crc(length)) return DamagedTlp{};
  if (flit[1] >> 7 != length_parity(length) || length < 5 || length > 7) return DamagedTlp{};
  const unsigned dws = length - 2, end = 4 + 4 * dws;
  SequencedTlp received{.sequence = (flit[2] & 0xfu) << 8 | flit[3]};
  std::uint32_t crc = 0;
  for (unsigned i = 0; i < 4; ++i) crc |= std::uint32_t{flit[end + i]} << (8 * i);
  if (crc != lcrc(received.sequence, &flit[4], 4 * dws)) return DamagedTlp{};
  Tlp& tlp = received.tlp;
  std::copy_n(&flit[4], 4 * dws, tlp.begin());
  const bool reserved_format = (tlp[0] & 0x80) != 0, digest = (tlp[2] & 0x80) != 0;
  received.malformed =
      reserved_format || digest || dws_of(tlp) != dws || (has_data(tlp) && length_field(tlp) != 1);
  return received;
}

}  // namespace

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

IoFlit make_tlp_flit(const SequencedTlp& tlp, unsigned dws) {
  const unsigned length = dws + 2, bytes = 4 * dws;
  IoFlit flit{};
  flit[0] = byte((length & 0xf) << 4 | 0xf);
  flit[1] = byte(length_parity(length) << 7 | length >> 4);
  flit[2] = byte(length_crc(length) << 4 | tlp.sequence >> 8);
  flit[3] = byte(tlp.sequence);
  std::copy_n(tlp.tlp.begin(), bytes, &flit[4]);
  const std::uint32_t crc = lcrc(tlp.sequence, tlp.tlp.data(), bytes);
  for (unsigned i = 0; i < 4; ++i) flit[4 + bytes + i] = byte(crc >> (8 * i));
  return flit;
}

IoFlit make_flit(const SequencedTlp& tlp) {
  return make_tlp_flit(tlp, dws_of(tlp.tlp));
}

IoVerdict classify(const IoFlit& flit) {
  if (std::all_of(flit.begin(), flit.begin() + 4, [](std::uint8_t b) { return b == 0; })) return {};
  return flit[0] == 0xf0 && flit[1] == 0xac ? classify_dllp(flit) : classify_tlp(flit);
}

}  // namespace cxlgpu
