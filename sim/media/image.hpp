// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A file that holds the state of a part between runs.
//
// Shapes:  24 bytes of head ("CXLGPUIM", version, 0, length), then a zlib stream of little-endian
//          numbers, which ends with its Adler-32. A file under its own name is always whole
//          (flits/output_file.hpp).
// Errors:  InputError, one line "FILE: what is wrong; what to do", for a file that cannot be read,
//          is no image, is of another version, is damaged, or ends early; flits::OutputError for
//          one that cannot be written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "flits/output_file.hpp"

namespace cxlgpu {

class ImageWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(value); }
  void u32(std::uint32_t value) { number(value, 4); }
  void u64(std::uint64_t value) { number(value, 8); }
  void bytes(std::span<const std::uint8_t> data) {
    bytes_.insert(bytes_.end(), data.begin(), data.end());
  }
  void write_to(const std::filesystem::path& path) const;
  // Every byte of it is on the disk, but it has not its name yet.
  void write_to(flits::OutputFile& file) const;
  [[nodiscard]] const std::vector<std::uint8_t>& contents() const { return bytes_; }

 private:
  void number(std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  }
  std::vector<std::uint8_t> bytes_;
};

class ImageReader {
 public:
  explicit ImageReader(std::filesystem::path file);
  [[nodiscard]] std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  [[nodiscard]] std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  [[nodiscard]] std::uint64_t u64() { return number(8); }
  // A number that must be below `limit`: what indexes something.
  [[nodiscard]] std::uint32_t below(std::uint32_t limit);
  [[nodiscard]] std::uint8_t below_u8(std::uint8_t limit);
  void bytes(std::span<std::uint8_t> to);
  void finish() const;  // everything was read
  [[noreturn]] void fail(const std::string& what_and_remedy) const;

 private:
  std::uint64_t number(unsigned size);
  std::filesystem::path file_;
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

}  // namespace cxlgpu
