// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The memory space that BARs are given addresses in, from below.
//
// Units:   bytes; sizes are powers of two.
// Errors:  no room: nothing is given.
// Source:  PCI Express Base 5.0, 7.5.1.2.1 (BARs), 7.5.1.3.8 (windows of a bridge).
#pragma once

#include <cstdint>
#include <optional>

namespace cxlgpu {

class MmioSpace {
 public:
  // A bridge tells what is below it by windows of whole MiB.
  static constexpr std::uint64_t kBase = 0xc000'0000, kEnd = 0xe000'0000, kWindow = 1 << 20;

  [[nodiscard]] std::uint64_t next() const { return next_; }
  // The next window begins here.
  std::uint64_t align() { return next_ = up(kWindow); }
  std::optional<std::uint64_t> take(std::uint64_t size) {
    const std::uint64_t base = up(size);
    if (base + size > kEnd) return std::nullopt;
    next_ = base + size;
    return base;
  }

 private:
  [[nodiscard]] std::uint64_t up(std::uint64_t size) const {
    return (next_ + size - 1) & ~(size - 1);
  }
  std::uint64_t next_ = kBase;
};

}  // namespace cxlgpu
