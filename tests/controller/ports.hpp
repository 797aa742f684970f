// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Controller types on verilated ports, and random ones.
//
// Purpose: what every controller block test needs to drive payloads, headers and messages.
// Units:   bit offsets in the port.
// Errors:  as in tests/common/bits.hpp.
#pragma once

#include "refmodel/controller/wire.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {

inline constexpr unsigned kHeaderPortBits = 87;  // msg_hdr_t

template <typename Port>
void set_header(Port& port, std::size_t lo, MsgHeader header) {
  set_bits(port, lo, 64, static_cast<std::uint64_t>(header));
  set_bits(port, lo + 64, kHeaderPortBits - 64, static_cast<std::uint64_t>(header >> 64));
}

template <typename Port>
MsgHeader get_header_port(const Port& port, std::size_t lo = 0) {
  return get_bits(port, lo, 64) |
         static_cast<MsgHeader>(get_bits(port, lo + 64, kHeaderPortBits - 64)) << 64;
}

// Element i of an array port [..][width-1:0], width at most 128.
template <typename Port>
void set_field(Port& port, std::size_t i, unsigned width, MsgHeader value) {
  const unsigned low = width < 64 ? width : 64;
  set_bits(port, width * i, low, static_cast<std::uint64_t>(value));
  set_bits(port, width * i + low, width - low, static_cast<std::uint64_t>(value >> 64));
}
template <typename Port>
MsgHeader get_field(const Port& port, std::size_t i, unsigned width) {
  const unsigned low = width < 64 ? width : 64;
  return get_bits(port, width * i, low) |
         static_cast<MsgHeader>(get_bits(port, width * i + low, width - low)) << 64;
}

inline std::array<std::uint8_t, 16> header_bytes(MsgHeader header) {
  std::array<std::uint8_t, 16> bytes;
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

inline Payload random_payload(Random& random) {
  Payload payload;
  for (unsigned i = 0; i < payload.size(); i += 8) {
    const std::uint64_t word = random.bits(64);
    std::memcpy(payload.data() + i, &word, 8);
  }
  return payload;
}

// A header of `width` bits with its valid bit set.
inline MsgHeader random_header(Random& random, unsigned width = kHeaderPortBits) {
  const MsgHeader bits = MsgHeader{random.bits(64)} << 64 | random.bits(64);
  return (bits & flits::low_mask(width)) | 1;
}

// The same with an opcode that its receiver knows, so that nothing is logged.
inline MsgHeader known_header(Random& random, bool to_host, bool with_data, unsigned width) {
  constexpr std::array<unsigned, 5> kReq{0, 1, 2, 8, 9};
  const unsigned bits = to_host ? 3 : 4;
  const std::uint64_t opcode = to_host     ? (with_data ? 0 : random.below(3))
                               : with_data ? 1 + random.below(2)
                                           : kReq[random.below(kReq.size())];
  const MsgHeader others = ~(flits::low_mask(bits) << 1);
  return (random_header(random, width) & others) | MsgHeader{opcode} << 1;
}

// Byte enables: mostly all ones, else sparse, single or none.
inline std::uint64_t random_enables(Random& random, unsigned partial_percent = 30) {
  if (!random.percent(partial_percent)) return kAllEnables;
  switch (random.below(4)) {
    case 0:
      return random.bits(64);
    case 1:
      return std::uint64_t{1} << random.below(64);
    case 2:
      return ~(std::uint64_t{1} << random.below(64));
    default:
      return 0;
  }
}

inline WdMessage random_wd(Random& random, unsigned width = kHeaderPortBits,
                           unsigned partial = 30) {
  WdMessage wd;
  wd.header = random_header(random, width);
  wd.data = random_payload(random);
  wd.enables = random_enables(random, partial);
  return wd;
}

}  // namespace cxlgpu::test
