// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Bit fields in the flat ports of verilated models.
//
// Purpose: Verilator 5.006 shows a packed port as CData, SData, IData, QData (8, 16, 32, 64 bits)
//          or, above 64 bits, as VlWide<N> (N words of 32 bits, word 0 lowest). These helpers read
//          and write a field at any bit offset of any of them, so that a test names fields by
//          offset and width only. An array port [N-1:0][W-1:0] has element i at bit i * W.
// Units:   offsets and widths in bits, bit 0 lowest; byte n of a line is its bits [8n+7:8n].
// Errors:  a field outside the port or wider than 64 bits fails an assert (in every build type).
// Source:  Verilator manual, "Connecting to C++" (VlWide, CData..QData).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace cxlgpu::test {

// Width in bits of the storage of a port (the declared width may be less).
template <typename Port>
constexpr std::size_t port_bits(const Port& port) {
  return 8 * sizeof(port);
}

inline void require_bits(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "tests/common/bits.hpp: %s\n", what);
  std::abort();
}

// Bits [lo + width - 1 : lo] of a port; width 0..64.
template <typename Port>
std::uint64_t get_bits(const Port& port, std::size_t lo, std::size_t width) {
  require_bits(width <= 64 && lo + width <= port_bits(port), "get_bits outside the port");
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if (width == 0) return 0;
  if constexpr (std::is_integral_v<Port>) {
    return (static_cast<std::uint64_t>(port) >> lo) & mask;
  } else {
    std::uint64_t value = 0;
    for (std::size_t done = 0; done < width;) {
      const std::size_t at = lo + done;
      value |= (std::uint64_t{port[at / 32]} >> (at % 32)) << done;
      done += 32 - at % 32;
    }
    return value & mask;
  }
}

// Writes the low `width` bits of value to bits [lo + width - 1 : lo]; the others keep theirs.
template <typename Port>
void set_bits(Port& port, std::size_t lo, std::size_t width, std::uint64_t value) {
  require_bits(width <= 64 && lo + width <= port_bits(port), "set_bits outside the port");
  if constexpr (std::is_integral_v<Port>) {
    if (width == 0) return;
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    const std::uint64_t old = static_cast<std::uint64_t>(port);
    port = static_cast<Port>((old & ~(mask << lo)) | ((value & mask) << lo));
  } else {
    for (std::size_t done = 0; done < width;) {
      const std::size_t at = lo + done;
      const std::size_t shift = at % 32;
      const std::size_t n = (32 - shift) < (width - done) ? 32 - shift : width - done;
      const std::uint64_t mask = ((std::uint64_t{1} << n) - 1) << shift;
      const std::uint64_t part = ((value >> done) << shift) & mask;
      port[at / 32] = static_cast<std::uint32_t>((port[at / 32] & ~mask) | part);
      done += n;
    }
  }
}

// N bytes at any bit offset (byte 0 lowest).
template <std::size_t N, typename Port>
std::array<std::uint8_t, N> get_bytes(const Port& port, std::size_t lo = 0) {
  std::array<std::uint8_t, N> bytes{};
  for (std::size_t i = 0; i < N; ++i) {
    bytes[i] = static_cast<std::uint8_t>(get_bits(port, lo + 8 * i, 8));
  }
  return bytes;
}

template <typename Port, std::size_t N>
void set_bytes(Port& port, std::size_t lo, const std::array<std::uint8_t, N>& bytes) {
  for (std::size_t i = 0; i < N; ++i) set_bits(port, lo + 8 * i, 8, bytes[i]);
}

// A 64-byte line or flit payload (512 bits) at any bit offset; quick when lo is a multiple of 32.
using LineBytes = std::array<std::uint8_t, 64>;

template <typename Port>
LineBytes get_line(const Port& port, std::size_t lo = 0) {
  LineBytes line{};
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint64_t word = get_bits(port, lo + 64 * i, 64);
    for (std::size_t b = 0; b < 8; ++b)
      line[8 * i + b] = static_cast<std::uint8_t>(word >> (8 * b));
  }
  return line;
}

template <typename Port>
void set_line(Port& port, std::size_t lo, const LineBytes& line) {
  for (std::size_t i = 0; i < 8; ++i) {
    std::uint64_t word = 0;
    for (std::size_t b = 0; b < 8; ++b) word |= std::uint64_t{line[8 * i + b]} << (8 * b);
    set_bits(port, lo + 64 * i, 64, word);
  }
}

// All bits of the storage to zero.
template <typename Port>
void clear_bits(Port& port) {
  if constexpr (std::is_integral_v<Port>) {
    port = 0;
  } else {
    for (std::size_t i = 0; i < port_bits(port) / 32; ++i) port[i] = 0;
  }
}

}  // namespace cxlgpu::test
