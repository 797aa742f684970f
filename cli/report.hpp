// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The report page of a run, or of several side by side: one HTML file that opens without a network.
//
// Rules:   what comes from outside (names, paths, the command) is data of the page, never part of
//          its text: it is in one JSON element, in which no "<" stands.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cxlgpu {

// `stats` is the document of cli/summary.hpp, `samples` that of cli/samples_json.hpp or null.
std::string report_page(const nlohmann::json& stats, const nlohmann::json& samples);

struct LabelledRun {
  std::string label;
  nlohmann::json stats;
};
std::string comparison_page(const std::vector<LabelledRun>& runs);

}  // namespace cxlgpu
