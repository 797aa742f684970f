// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which lines may be in a small set: says "no" at once for nearly all that are not.
//
// Purpose: spares queues and miss registers the search for a line that they seldom hold.
// Shapes:  a line is any number that names it (address or index); each add() has its remove().
// Errors:  remove() of what was not added is a programming error (asserted).
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace cxlgpu {

class LineFilter {
 public:
  void add(std::uint64_t line) { ++count_[slot(line)]; }
  void remove(std::uint64_t line) {
    assert(count_[slot(line)] > 0);
    --count_[slot(line)];
  }
  [[nodiscard]] bool may_hold(std::uint64_t line) const { return count_[slot(line)] != 0; }

 private:
  static constexpr std::size_t kSlots = 256;
  // Folded so that neighbours and streams a power of two apart fall on different slots.
  [[nodiscard]] static std::size_t slot(std::uint64_t line) {
    return (line ^ line >> 6 ^ line >> 13) % kSlots;
  }
  std::array<std::uint16_t, kSlots> count_{};
};

}  // namespace cxlgpu
