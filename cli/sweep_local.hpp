// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Points of a sweep on the cores of this machine, each a process of its own.
//
// Signals: SIGINT or SIGTERM ends the runs, whose folders are removed; what ended before stays.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/sweep_point.hpp"

namespace cxlgpu {

// Called after each point, in the order in which they end.
using PointEnded = std::function<void(const PointFolder& folder, const PointExit& exit)>;

// Prepared folders, at most `jobs` at a time. The signal that stopped it, 0: all were run.
int run_points(const std::vector<PointFolder>& folders, unsigned jobs, const PointEnded& ended);

}  // namespace cxlgpu
