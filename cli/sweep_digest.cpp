// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <vector>

namespace cxlgpu {

void Digest::bytes(std::string_view bytes) {
  for (const char c : bytes) {
    state_ ^= static_cast<unsigned char>(c);
    state_ *= 0x100000001b3u;
  }
}

Digest& Digest::add(std::string_view text) {
  bytes(fmt::format("{}:", text.size()));
  bytes(text);
  return *this;
}

Digest& Digest::add_file(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      if (entry.is_regular_file(error)) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path& file : files) add(file.filename().string()).add_file(file);
    return *this;
  }
  if (!std::filesystem::is_regular_file(path, error)) return *this;
  std::ifstream in(path, std::ios::binary);
  std::string part(std::size_t{1} << 16, '\0');
  std::uint64_t size = 0;
  while (in.read(part.data(), static_cast<std::streamsize>(part.size())) || in.gcount() > 0) {
    bytes(std::string_view(part).substr(0, static_cast<std::size_t>(in.gcount())));
    size += static_cast<std::uint64_t>(in.gcount());
  }
  return add(fmt::format("{}", size));
}

std::uint64_t Digest::value() const {
  std::uint64_t x = state_;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::string Digest::hex() const {
  return fmt::format("{:016x}", value());
}

}  // namespace cxlgpu
