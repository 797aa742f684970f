// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which of the two kinds of log a workload writes: log.hpp says what they are.
//
// Purpose: a key of the configuration, which needs none of the rest.
// Errors:  none.
#pragma once

#include <cstdint>

namespace cxlgpu {

enum class LogKind : std::uint8_t { Hcl, Conventional };

}  // namespace cxlgpu
