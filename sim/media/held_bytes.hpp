// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which bytes of a slot are valid, of the slots that are there in part.
//
// Purpose: the media's side of stores that do not wait: docs/blocks/endpoint/README.md.
// Units:   lines of 64 bytes in a slot; a mask has a bit a byte.
// Rules:   a slot that was not opened, or is filled or whole since, is held whole and takes no
// room.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/request.hpp"

namespace cxlgpu {

class HeldBytes {
 public:
  explicit HeldBytes(std::size_t lines) : lines_(lines) {}

  void open(std::uint32_t slot) { slots_[slot].assign(lines_, 0); }
  void written(std::uint32_t slot, std::size_t line, std::uint64_t byte_enable) {
    if (slots_.empty()) return;
    const auto at = slots_.find(slot);
    if (at == slots_.end()) return;
    at->second[line] |= byte_enable;
    if (std::ranges::count(at->second, kAllBytes) == static_cast<std::ptrdiff_t>(lines_)) {
      slots_.erase(at);
    }
  }
  void filled(std::uint32_t slot) { slots_.erase(slot); }

  [[nodiscard]] bool in_part(std::uint32_t slot) const { return slots_.contains(slot); }
  [[nodiscard]] std::uint64_t mask(std::uint32_t slot, std::size_t line) const {
    const auto at = slots_.find(slot);
    return at == slots_.end() ? kAllBytes : at->second[line];
  }

 private:
  std::size_t lines_;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> slots_;
};

}  // namespace cxlgpu
