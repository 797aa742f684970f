// A figure of stats.json or media.json: a value with its unit.
#pragma once

#include <nlohmann/json.hpp>

namespace cxlgpu {

template <typename Number>
[[nodiscard]] nlohmann::json figure(Number value, const char* unit) {
  return {{"value", value}, {"unit", unit}};
}

}  // namespace cxlgpu
