// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/crc16.hpp"

#include <array>

namespace cxlgpu::flits {
namespace {

using Slices = std::array<std::array<std::uint16_t, 256>, 8>;

// slices[k][b]: remainder of byte b followed by k zero bytes.
constexpr Slices make_slices() {
  Slices slices{};
  for (unsigned b = 0; b < 256; ++b) {
    std::uint32_t crc = b << 8;
    for (int i = 0; i < 8; ++i) crc = (crc << 1) ^ ((crc & 0x8000) ? 0x10000u | kCrcPolynomial : 0);
    slices[0][b] = static_cast<std::uint16_t>(crc);
  }
  for (unsigned k = 1; k < 8; ++k) {
    for (unsigned b = 0; b < 256; ++b) {
      const std::uint16_t prev = slices[k - 1][b];
      slices[k][b] = static_cast<std::uint16_t>((prev << 8) ^ slices[0][prev >> 8]);
    }
  }
  return slices;
}

constexpr Slices kSlices = make_slices();

}  // namespace

std::uint16_t crc16(std::span<const std::uint8_t, 64> payload) {
  std::uint16_t crc = 0;
  for (int group = 56; group >= 0; group -= 8) {  // highest byte first, eight at a time
    const std::uint8_t* p = payload.data() + group;
    crc =
        static_cast<std::uint16_t>(kSlices[7][p[7] ^ (crc >> 8)] ^ kSlices[6][p[6] ^ (crc & 0xFF)] ^
                                   kSlices[5][p[5]] ^ kSlices[4][p[4]] ^ kSlices[3][p[3]] ^
                                   kSlices[2][p[2]] ^ kSlices[1][p[1]] ^ kSlices[0][p[0]]);
  }
  return crc;
}

}  // namespace cxlgpu::flits
