// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// An array in a core's scratchpad, as a kernel sees it.
//
// Shapes:  `size` elements from byte `base`; every warp of a core that names the same place shares
//          it. end() is where the next one may begin, aligned for any element.
// Errors:  Warp::shared() throws InputError for one that passes the scratchpad's end.
#pragma once

#include <cassert>
#include <cstdint>
#include <type_traits>

namespace cxlgpu {

template <typename T>
struct SharedArray {
  static_assert(std::is_trivially_copyable_v<T> &&
                (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8));
  static constexpr unsigned kBytes = sizeof(T);  // of an element
  std::uint32_t base = 0;
  std::uint32_t size = 0;
  [[nodiscard]] std::uint64_t address(std::uint64_t index) const {
    assert(index < size);
    return base + index * sizeof(T);
  }
  [[nodiscard]] std::uint32_t end() const {
    return (base + size * static_cast<std::uint32_t>(sizeof(T)) + 7) / 8 * 8;
  }
};

}  // namespace cxlgpu
