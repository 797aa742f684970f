// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What requests of workload prefix found, fetched and waited for, as figures with units, and the
// lines of the table.
//
// Errors:  none.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/serving/prefix_run.hpp"

namespace cxlgpu {

[[nodiscard]] nlohmann::json prefix_json(const PrefixRun& run, const PrefixWork& work);
// Name and text of each line, of what prefix_json() gave.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> prefix_rows(
    const nlohmann::json& prefix);

}  // namespace cxlgpu
