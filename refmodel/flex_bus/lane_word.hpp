// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What travels on the lanes: words, block headers and ordered sets.
//
// Purpose: the types that the Flex Bus twins share.
// Units:   a symbol is 8 bits on one lane, symbol 0 in bits 7:0 and first on the wire; a lane word
//          is four symbols of one lane; a word is a lane word on every lane.
// Errors:  none.
// Source:  CXL 2.0 6.2, PCIe 5.0 4.2.2, docs/blocks/flex_bus/README.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace cxlgpu {

inline constexpr unsigned kMaxLanes = 16;
inline constexpr unsigned kBlockWords = 4;
inline constexpr unsigned kFlitDws = 17;  // 68 bytes: ID and flit

inline constexpr unsigned kSyncOrderedSet = 0b01;
inline constexpr unsigned kSyncData = 0b10;

inline constexpr std::uint32_t kSdsFirstWord = 0x878787E1;
inline constexpr std::uint32_t kSdsWord = 0x87878787;
inline constexpr std::uint32_t kSkpWord = 0x99999999;
inline constexpr std::uint32_t kSkpEndWord = 0x000000E1;

// Only the first symbol of the last word of an SKP ordered set says anything.
constexpr bool is_skp_end(std::uint32_t lane_word) {
  return (lane_word & 0xFF) == 0xE1;
}

struct LaneWord {
  bool start = false;  // first word of a block with a header
  unsigned sync = 0;   // that header
  std::uint32_t data = 0;

  [[nodiscard]] bool starts_set(std::uint32_t first) const {
    return start && sync == kSyncOrderedSet && data == first;
  }
};

struct Word {
  bool valid = false;
  bool start = false;
  unsigned sync = 0;
  std::array<std::uint32_t, kMaxLanes> lane{};

  // Byte k in wire order: one byte a lane, then the next symbol.
  [[nodiscard]] std::uint8_t byte(unsigned lanes, unsigned k) const {
    return static_cast<std::uint8_t>(lane[k % lanes] >> (8 * (k / lanes)));
  }
  void set_byte(unsigned lanes, unsigned k, std::uint8_t value) {
    const unsigned shift = 8 * (k / lanes);
    std::uint32_t& at = lane[k % lanes];
    at = (at & ~(std::uint32_t{0xFF} << shift)) | std::uint32_t{value} << shift;
  }
  [[nodiscard]] bool all(unsigned lanes, std::uint32_t lane_word) const {
    return std::all_of(lane.begin(), lane.begin() + lanes,
                       [=](std::uint32_t l) { return l == lane_word; });
  }
  [[nodiscard]] bool all_skp_end(unsigned lanes) const {
    return std::all_of(lane.begin(), lane.begin() + lanes, is_skp_end);
  }
};

}  // namespace cxlgpu
