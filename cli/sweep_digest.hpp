// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A digest that tells points of a sweep apart: 64 bits, against accidents and not against an enemy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace cxlgpu {

// FNV-1a, then mixed so that near inputs are far apart.
class Digest {
 public:
  // With its length, so that "a", "b" is not "ab", "".
  Digest& add(std::string_view bytes);
  // Its contents; of a folder those of the files in it. Nothing for what cannot be read.
  Digest& add_file(const std::filesystem::path& path);
  [[nodiscard]] std::uint64_t value() const;
  [[nodiscard]] std::string hex() const;

 private:
  void bytes(std::string_view bytes);
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace cxlgpu
