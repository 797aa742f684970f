// Fields of packed structs in the flat ports of verilated models.
//
// Purpose: a packed struct port is a byte string, bit 0 of byte 0 lowest (little-endian words);
// these
//          helpers read and write fields at any bit offset of it.
// Units:   bits; element i of a packed array of width W starts at bit i * W.
#pragma once

#include <cstdint>
#include <cstring>

namespace cxlgpu {

// Bits [lo + width - 1 : lo], width 1..57.
template <typename Port>
[[nodiscard]] inline std::uint64_t field(const Port& port, std::size_t lo, std::size_t width) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&port) + lo / 8;
  const std::size_t left = sizeof(Port) - lo / 8;
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, left < 8 ? left : 8);
  return (value >> (lo % 8)) & ((std::uint64_t{1} << width) - 1);
}

template <typename Port>
[[nodiscard]] inline bool bit_at(const Port& port, std::size_t at) {
  return (reinterpret_cast<const unsigned char*>(&port)[at / 8] >> (at % 8)) & 1;
}

template <typename Port>
inline void set_field(Port& port, std::size_t lo, std::size_t width, std::uint64_t value) {
  auto* bytes = reinterpret_cast<unsigned char*>(&port) + lo / 8;
  const std::size_t left = sizeof(Port) - lo / 8;
  std::uint64_t old = 0;
  std::memcpy(&old, bytes, left < 8 ? left : 8);
  const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << (lo % 8);
  old = (old & ~mask) | ((value << (lo % 8)) & mask);
  std::memcpy(bytes, &old, left < 8 ? left : 8);
}

// N bytes from any bit offset, and back.
template <std::size_t N, typename Port>
inline void get_bytes(const Port& port, std::size_t lo, unsigned char* out) {
  if (lo % 8 == 0) {
    std::memcpy(out, reinterpret_cast<const unsigned char*>(&port) + lo / 8, N);
    return;
  }
  for (std::size_t i = 0; i < N; ++i) {
    out[i] = static_cast<unsigned char>(field(port, lo + 8 * i, 8));
  }
}

template <std::size_t N, typename Port>
inline void set_bytes(Port& port, std::size_t lo, const unsigned char* in) {
  if (lo % 8 == 0) {
    std::memcpy(reinterpret_cast<unsigned char*>(&port) + lo / 8, in, N);
    return;
  }
  for (std::size_t i = 0; i < N; ++i) set_field(port, lo + 8 * i, 8, in[i]);
}

}  // namespace cxlgpu
