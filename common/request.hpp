// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Requests and responses on the system bus between the GPU and the root complex.
//
// Purpose: the value types every engine, initiator, checker and test shares.
// Shapes:  one request is one 64-byte line; byte n of the line is data[n], written if
//          byte_enable bit n is set. A read carries no data and ignores byte_enable and poison.
// Rules:   ids are unique among outstanding requests and fit 16 bits (the AXI ID width). Managers
//          leave the last sixteen of them to the root ports.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/time.hpp"

namespace cxlgpu {

inline constexpr std::size_t kLineBytes = 64;
inline constexpr std::uint64_t kAllBytes = ~std::uint64_t{0};

using Line = std::array<std::uint8_t, kLineBytes>;

// Ids of the root ports' own writes: this and the 63 after it.
inline constexpr std::uint32_t kRootPortIds = 0xFFC0;

constexpr std::uint64_t line_of(std::uint64_t addr) {
  return addr / kLineBytes * kLineBytes;
}

struct MemRequest {
  std::uint32_t id = 0;
  bool is_write = false;
  std::uint64_t addr = 0;  // host physical address, 64-byte aligned
  std::uint64_t byte_enable = kAllBytes;
  Line data{};
  bool poison = false;  // a root port's own writes: the data are corrupt
};

struct MemResponse {
  std::uint32_t id = 0;
  bool is_write = false;
  bool error = false;  // decode error or poison (AXI SLVERR/DECERR)
  Line data{};         // reads only
};

// A range that a kernel will load soon: no request, never answered, may be lost.
struct Hint {
  std::uint64_t addr = 0;  // of a granule of 256 bytes
  unsigned granules = 1;   // 1..4096
  bool operator==(const Hint&) const = default;
};

// Copies the enabled bytes of `from` over those of the line at `to`. Enables come in runs (elements
// of arrays), so most words are copied as a whole or not at all.
inline void merge_bytes(std::uint8_t* to, const Line& from, std::uint64_t byte_enable) {
  if (byte_enable == kAllBytes) {
    std::memcpy(to, from.data(), kLineBytes);
    return;
  }
  for (std::size_t word = 0; word < kLineBytes; word += 8) {
    std::uint64_t enabled = (byte_enable >> word) & 0xff;
    if (enabled == 0xff) {
      std::memcpy(to + word, &from[word], 8);
      continue;
    }
    for (; enabled != 0; enabled &= enabled - 1) {
      const std::size_t at = word + static_cast<std::size_t>(std::countr_zero(enabled));
      to[at] = from[at];
    }
  }
}
inline void merge_bytes(Line& to, const Line& from, std::uint64_t byte_enable) {
  merge_bytes(to.data(), from, byte_enable);
}

}  // namespace cxlgpu
