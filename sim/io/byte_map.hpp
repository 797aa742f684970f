// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Ranges of addresses with the bytes that they stand for: GPU memory, and a process's address
// space.
//
// Purpose: calls hand on addresses, as the real ones do; what is not in a range, or reaches out of
//          it, is found here.
// Rules:   ranges are placed one after the other, never again where one was, a page of the
//          alignment apart, so that running out of one is seen. Bytes stay until unmapped.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace cxlgpu {

class ByteMap {
 public:
  using Bytes = std::span<std::uint8_t>;
  // The first range begins at `base`, each at a multiple of `alignment`, a power of two.
  ByteMap(std::uint64_t base, std::uint64_t alignment) : next_(base), alignment_(alignment) {}

  std::uint64_t map(Bytes bytes) {
    const std::uint64_t at = next_;
    next_ = (at + bytes.size() + 2 * alignment_ - 1) & ~(alignment_ - 1);
    ranges_.emplace(at, bytes);
    return at;
  }
  // False: no range begins there.
  bool unmap(std::uint64_t address) { return ranges_.erase(address) == 1; }
  // Nothing: not within one range.
  [[nodiscard]] std::optional<Bytes> find(std::uint64_t address, std::uint64_t bytes) const {
    auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) return std::nullopt;
    const auto& [base, range] = *--after;
    const std::uint64_t within = address - base;
    if (within > range.size() || bytes > range.size() - within) return std::nullopt;
    return range.subspan(within, bytes);
  }

 private:
  std::uint64_t next_, alignment_;
  std::map<std::uint64_t, Bytes> ranges_;
};

}  // namespace cxlgpu
