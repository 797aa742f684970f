// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What programs of the host have copied, as figures with units, and the lines of the table.
//
// Errors:  none.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/multipath/copy_run.hpp"

namespace cxlgpu {

// Of its own copies alone.
[[nodiscard]] nlohmann::json link_json(const CopyResult::Link& link);
[[nodiscard]] nlohmann::json copy_json(const CopyResult& result);
// Name and text of each line, of what copy_json() gave.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> copy_rows(
    const nlohmann::json& copy);

}  // namespace cxlgpu
