// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the GPU model counted, as figures with units, and the lines of a run's table about it.
//
// Purpose: rates, shares and means that are read more often than the counts they are made of.
// Units:   each figure carries its own; rates are over the whole run, launches and flush included.
// Rules:   a share of nothing is 0. Bandwidths count whole lines, partial writes too.
// Errors:  none.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/gpu/gpu_config.hpp"
#include "sim/gpu/gpu_stats.hpp"

namespace cxlgpu {

[[nodiscard]] nlohmann::json gpu_json(const GpuStats& stats, const GpuParams& params);
// Name and text of each line, of what gpu_json() gave.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> gpu_rows(const nlohmann::json& gpu);

}  // namespace cxlgpu
