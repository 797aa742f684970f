// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Figures of a part and what is published of it, as text and as JSON.
//
// Shapes: text of at most 100 columns. JSON, part of media.json: "figures", by name {"media":
//         figure, "drive": figure or absent, "media_latency", "drive_latency": of closed loops};
//         "published", a list of {"figure", "published", "ours": figure or null, "difference":
//         figure in % or null, "source", "why": text or null, "unexplained": over 10 % without
//         why}; "full_drive".
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/media/media_figures.hpp"

namespace cxlgpu {

[[nodiscard]] std::string figures_text(const MediaConfig& config, const MediaFigures& figures);
[[nodiscard]] std::string published_text(const MediaConfig& config, const MediaFigures& figures);
// Adds the three members to `document`.
void add_figures(nlohmann::json& document, const MediaConfig& config, const MediaFigures& figures);

}  // namespace cxlgpu
