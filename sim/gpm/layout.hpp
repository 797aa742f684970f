// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the library of persistent structures leaves on the medium.
//
// Purpose: the layouts in one place, for kernels and for checks on the host.
// Shapes:  little-endian. Every structure has a magic number and the CRC-32 of what stands before
//          the CRC, so that a loss of power within its making is seen.
//          Directory: the first 4 KiB of the persistent range, 64 entries of 64 B.
//          Header line of a structure: eight 4-byte words of its own behind magic and version.
// Errors:  none.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "common/request.hpp"

namespace cxlgpu::gpm {

enum class Kind : std::uint32_t { Region = 1, HclLog = 2, ConvLog = 3, Checkpoint = 4 };

inline constexpr std::uint64_t kDirectoryBytes = 4096;
inline constexpr std::uint64_t kEntries = kDirectoryBytes / kLineBytes;
inline constexpr std::size_t kNameBytes = 32;

inline std::uint32_t crc_of(const void* from, std::size_t bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, static_cast<const Bytef*>(from), static_cast<uInt>(bytes)));
}

// One line of the directory.
struct Entry {
  std::array<char, kNameBytes> name{};
  std::uint64_t base = 0, bytes = 0;
  std::uint32_t kind = 0;
  std::uint32_t state = 0;  // 1: valid
  std::uint32_t crc = 0;    // of name, base, bytes and kind
  std::uint32_t zero = 0;

  static constexpr std::size_t kStateWord = 13;  // of sixteen
  [[nodiscard]] std::uint32_t own_crc() const { return crc_of(this, kStateWord * 4); }
  [[nodiscard]] bool is(std::string_view wanted) const {
    std::array<char, kNameBytes> padded{};
    std::memcpy(padded.data(), wanted.data(), std::min(wanted.size(), kNameBytes));
    return name == padded;
  }
  [[nodiscard]] bool valid() const { return state == 1 && crc == own_crc(); }
};
static_assert(sizeof(Entry) == kLineBytes);

// The first line of a structure.
struct Header {
  static constexpr std::uint64_t kMagic = 0x004d'5047'4c58'43ULL;  // "CXLGPM"
  static constexpr std::uint32_t kVersion = 1;
  std::uint64_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t kind = 0;
  std::array<std::uint32_t, 8> of_kind{};
  std::uint32_t crc = 0;
  std::array<std::uint32_t, 3> zero{};

  [[nodiscard]] std::uint32_t own_crc() const { return crc_of(this, offsetof(Header, crc)); }
  [[nodiscard]] bool valid(Kind wanted) const {
    return magic == kMagic && version == kVersion && kind == static_cast<std::uint32_t>(wanted) &&
           crc == own_crc();
  }
};
static_assert(sizeof(Header) == kLineBytes);

// A line as sixteen words, which is how kernels load and store it.
using LineWords = std::array<std::uint32_t, kLineBytes / 4>;
template <typename T>
LineWords words_of(const T& line) {
  static_assert(sizeof(T) == kLineBytes);
  LineWords words;
  std::memcpy(words.data(), &line, kLineBytes);
  return words;
}
template <typename T>
T line_from(const LineWords& words) {
  static_assert(sizeof(T) == kLineBytes);
  T line;
  std::memcpy(static_cast<void*>(&line), words.data(), kLineBytes);
  return line;
}

constexpr std::uint64_t up_to(std::uint64_t n, std::uint64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

}  // namespace cxlgpu::gpm
