// Requests and responses on the system bus between the GPU and the root complex.
//
// Purpose: the value types every engine, initiator, checker and test shares.
// Shapes:  one request is one 64-byte line; byte n of the line is data[n], written if
//          byte_enable bit n is set. A read carries no data and ignores byte_enable.
// Rules:   ids are unique among outstanding requests and fit 16 bits (the AXI ID width).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "refmodel/common/time.hpp"

namespace cxlgpu {

inline constexpr std::size_t kLineBytes = 64;
inline constexpr std::uint64_t kAllBytes = ~std::uint64_t{0};

using Line = std::array<std::uint8_t, kLineBytes>;

constexpr std::uint64_t line_of(std::uint64_t addr) {
  return addr / kLineBytes * kLineBytes;
}

struct MemRequest {
  std::uint32_t id = 0;
  bool is_write = false;
  std::uint64_t addr = 0;  // host physical address, 64-byte aligned
  std::uint64_t byte_enable = kAllBytes;
  Line data{};
};

struct MemResponse {
  std::uint32_t id = 0;
  bool is_write = false;
  bool error = false;  // decode error or poison (AXI SLVERR/DECERR)
  Line data{};         // reads only
};

// Copies the enabled bytes of `from` over `to`.
inline void merge_bytes(Line& to, const Line& from, std::uint64_t byte_enable) {
  if (byte_enable == kAllBytes) {
    to = from;
    return;
  }
  for (std::size_t i = 0; i < kLineBytes; ++i) {
    if ((byte_enable >> i) & 1) to[i] = from[i];
  }
}

}  // namespace cxlgpu
