// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Bins of one width from time 0 on, for curves over a run.
#pragma once

#include <cstddef>

#include "common/time.hpp"

namespace cxlgpu {

struct TimeBins {
  Time width{1};
  std::size_t count = 1;

  // Of a width that is easy to read (1, 2 or 5 times a power of ten, in ns), as many as a picture
  // shows.
  [[nodiscard]] static TimeBins over(Time end);
  [[nodiscard]] std::size_t of(Time at) const;
};

}  // namespace cxlgpu
