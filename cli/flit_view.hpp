// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A flit as a drawing for a terminal: its four slots side by side, each with what it holds.
//
// Input:  the JSON that `cxlgpu flit decode --json` prints of it.
// Output: lines of at most `columns` characters; box drawing where the locale has UTF-8, else plain
//         ASCII; colours only if chosen.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cxlgpu {

struct FlitViewStyle {
  unsigned columns = 80;  // kMinColumns or more
  bool utf8 = false;
  bool colour = false;
};

inline constexpr unsigned kMinFlitViewColumns = 80, kMaxFlitViewColumns = 160;

/// Of standard output: its width, the locale's characters, colours on a terminal unless NO_COLOR is
/// set or TERM is dumb.
FlitViewStyle flit_view_style();

std::string draw_flit(const nlohmann::ordered_json& flit, const FlitViewStyle& style);

}  // namespace cxlgpu
