// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Fields of packed structs in the flat ports of verilated models.
//
// Purpose: a packed struct port is a byte string, bit 0 of byte 0 lowest (little-endian words);
//          these helpers read and write fields at any bit offset of it.
//          Fields by name are those of tb/layout.hpp; `from` is the bit where their struct starts.
// Units:   bits; element i of a packed array of width W starts at bit i * W.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tb/layout.hpp"

namespace cxlgpu {

// Bytes that the simulator keeps a port of so many bits in.
[[nodiscard]] constexpr std::size_t port_bytes(std::size_t bits) {
  if (bits > 64) return (bits + 31) / 32 * 4;
  return bits > 32 ? 8 : bits > 16 ? 4 : bits > 8 ? 2 : 1;
}

namespace wide {

// The eight bytes around bit `lo` of a port of eight or more: where they start, where the bit is.
// The last eight rather than fewer, so that every copy is of a size known to the compiler.
template <typename Port>
[[nodiscard]] inline std::size_t window(std::size_t lo) {
  return std::min(lo / 8, sizeof(Port) - 8);
}

}  // namespace wide

// Bits [lo + width - 1 : lo], width 1..57.
template <typename Port>
[[nodiscard]] inline std::uint64_t field(const Port& port, std::size_t lo, std::size_t width) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  if constexpr (sizeof(Port) < 8) {
    return (static_cast<std::uint64_t>(port) >> lo) & mask;
  } else {
    const std::size_t at = wide::window<Port>(lo);
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const unsigned char*>(&port) + at, 8);
    return (value >> (lo - 8 * at)) & mask;
  }
}

template <typename Port>
[[nodiscard]] inline bool bit_at(const Port& port, std::size_t at) {
  return (reinterpret_cast<const unsigned char*>(&port)[at / 8] >> (at % 8)) & 1;
}

template <typename Port>
[[gnu::always_inline]] inline void set_field(Port& port, std::size_t lo, std::size_t width,
                                             std::uint64_t value) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  if constexpr (sizeof(Port) < 8) {
    port = static_cast<Port>((port & ~(mask << lo)) | ((value & mask) << lo));
  } else {
    const std::size_t at = wide::window<Port>(lo);
    const std::size_t shift = lo - 8 * at;
    unsigned char* bytes = reinterpret_cast<unsigned char*>(&port) + at;
    std::uint64_t old = 0;
    std::memcpy(&old, bytes, 8);
    old = (old & ~(mask << shift)) | ((value & mask) << shift);
    std::memcpy(bytes, &old, 8);
  }
}

// The same by name, width 1..64. Inlined always: the place is a constant where they are called.
template <typename Port>
[[nodiscard, gnu::always_inline]] inline std::uint64_t field(const Port& port, layout::Field at,
                                                             std::size_t from = 0) {
  const std::size_t lo = from + at.lo;
  if (at.width <= 57) return field(port, lo, at.width);
  return field(port, lo, 32) | field(port, lo + 32, at.width - 32) << 32;
}

template <typename Port>
[[nodiscard, gnu::always_inline]] inline bool bit_at(const Port& port, layout::Field at,
                                                     std::size_t from = 0) {
  return bit_at(port, from + at.lo);
}

template <typename Port>
[[gnu::always_inline]] inline void set_field(Port& port, layout::Field at, std::uint64_t value,
                                             std::size_t from = 0) {
  const std::size_t lo = from + at.lo;
  if (at.width <= 57) return set_field(port, lo, at.width, value);
  set_field(port, lo, 32, value);
  set_field(port, lo + 32, at.width - 32, value >> 32);
}

// N bytes from any bit offset, and back: eight at a time.
template <std::size_t N, typename Port>
inline void get_bytes(const Port& port, std::size_t lo, unsigned char* out) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&port) + lo / 8;
  const std::size_t shift = lo % 8;
  if (shift == 0) {
    std::memcpy(out, bytes, N);
    return;
  }
  std::size_t i = 0;
  for (; i + 8 <= N; i += 8) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes + i, 8);
    value = value >> shift | static_cast<std::uint64_t>(bytes[i + 8]) << (64 - shift);
    std::memcpy(out + i, &value, 8);
  }
  for (; i < N; ++i) out[i] = static_cast<unsigned char>(field(port, lo + 8 * i, 8));
}

template <std::size_t N, typename Port>
inline void set_bytes(Port& port, std::size_t lo, const unsigned char* in) {
  auto* bytes = reinterpret_cast<unsigned char*>(&port) + lo / 8;
  const std::size_t shift = lo % 8;
  if (shift == 0) {
    std::memcpy(bytes, in, N);
    return;
  }
  const std::uint64_t below = (std::uint64_t{1} << shift) - 1;  // not ours in the first byte
  std::uint64_t carry = bytes[0] & below;
  std::size_t i = 0;
  for (; i + 8 <= N; i += 8) {
    std::uint64_t value = 0;
    std::memcpy(&value, in + i, 8);
    const std::uint64_t moved = value << shift | carry;
    carry = value >> (64 - shift);
    std::memcpy(bytes + i, &moved, 8);
  }
  bytes[i] = static_cast<unsigned char>((bytes[i] & ~below) | carry);
  for (; i < N; ++i) set_field(port, lo + 8 * i, 8, in[i]);
}

}  // namespace cxlgpu
