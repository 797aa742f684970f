// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A figure of stats.json or media.json: a value with its unit.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace cxlgpu {

template <typename Number>
[[nodiscard]] nlohmann::json figure(Number value, std::string_view unit) {
  return {{"value", value}, {"unit", unit}};
}

}  // namespace cxlgpu
