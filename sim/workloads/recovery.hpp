// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a workload makes of the memory that a loss of power left.
//
// Purpose: its invariant, its recovery, and its result after that, on an ideal memory: what is
//          recovered does not depend on the machine that recovers it, so many states can be tried.
// Errors:  the first thing that is wrong is returned, in one line.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/host/scoreboard.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {

using MakeWorkload = std::function<std::unique_ptr<Workload>()>;

// `left`: contents of persistent memory. `run`: else the invariant alone.
std::optional<std::string> recovery_problem(const MakeWorkload& make, const GpuParams& params,
                                            const SystemMapParams& map, const FlatMemory& left,
                                            bool run);

}  // namespace cxlgpu
