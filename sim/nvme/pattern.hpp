// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The bytes that values are made of: those of the run published with rados-nkv and ROCm XIO.
//
// Purpose: known contents, so that every byte can be checked where it comes to lie. Byte i is the
//          low one of a 32-bit hash of seed + i; with that seed the first 4 KiB are the object that
//          was published (54 3C F4 ED 67 93 FD 9E ..., SHA-256 ea1b6431...).
// Source:  "For whom the door-bell tolls" (the output of xxd and sha256sum there); the hash is the
//          finaliser of MurmurHash3 with shifts 16, 13, 16, which those bytes were found to be.
#pragma once

#include <cstdint>

namespace cxlgpu::nvme {

inline constexpr std::uint32_t kPatternSeed = 0xc0'ffee;

constexpr std::uint8_t pattern(std::uint64_t i) {
  auto h = static_cast<std::uint32_t>(kPatternSeed + i);
  h ^= h >> 16;
  h *= 0x85eb'ca6b;
  h ^= h >> 13;
  h *= 0xc2b2'ae35;
  h ^= h >> 16;
  return static_cast<std::uint8_t>(h);
}

}  // namespace cxlgpu::nvme
