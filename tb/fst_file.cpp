// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/fst_file.hpp"

#include <array>
#include <cstdint>
#include <fstream>

namespace cxlgpu {

bool is_whole_fst(const std::string& file) {
  // Block types of the format; a length counts its own eight bytes and what follows.
  constexpr int kHeader = 0, kGeometry = 3, kHierarchy = 4, kHierarchyLz4 = 6, kHierarchyLz4Duo = 7;
  constexpr int kUnfinished = 255;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return false;
  const auto size = static_cast<std::uint64_t>(in.tellg());
  bool header = false, geometry = false, hierarchy = false;
  std::uint64_t at = 0;
  while (at < size) {
    std::array<char, 9> head{};
    in.seekg(static_cast<std::streamoff>(at));
    if (!in.read(head.data(), head.size())) return false;
    const int type = static_cast<unsigned char>(head[0]);
    std::uint64_t length = 0;
    for (std::size_t i = 1; i < head.size(); ++i) {
      length = length << 8 | static_cast<unsigned char>(head[i]);
    }
    if (type == kUnfinished || length < 8 || length > size - at - 1) return false;
    header |= type == kHeader;
    geometry |= type == kGeometry;
    hierarchy |= type == kHierarchy || type == kHierarchyLz4 || type == kHierarchyLz4Duo;
    at += 1 + length;
  }
  return header && geometry && hierarchy;
}

}  // namespace cxlgpu
