// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The report page of a run: one HTML file that opens without a network.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cxlgpu {

// `stats` is the document of cli/summary.hpp.
std::string report_page(const nlohmann::json& stats);

}  // namespace cxlgpu
