// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One HTML file of parts that are compiled in, and of data.
//
// Rules:   what comes from outside (names, paths, the command) is data of the page, never part of
//          its text: it is in one JSON element, in which no "<" stands.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace cxlgpu {

struct PageParts {
  std::string_view page, style, library, script;
};

[[nodiscard]] std::string html_page(const PageParts& parts, const nlohmann::json& data);

}  // namespace cxlgpu
