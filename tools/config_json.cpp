// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tools/config_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sim/config/config_keys.hpp"

namespace cxlgpu {

nlohmann::json config_json(const RunConfig& config) {
  nlohmann::json all = nlohmann::json::object();
  for (const ConfigKey& key : config_keys()) {
    std::string path = std::string("/") + key.path;
    std::replace(path.begin(), path.end(), '.', '/');
    std::visit([&](const auto& value) { all[nlohmann::json::json_pointer(path)] = value; },
               key.access.get(config));
  }
  nlohmann::json ranges = nlohmann::json::array();
  for (const HdmRange& range : config.hdm) {
    ranges.push_back({{"base", fmt::format("0x{:x}", range.base)},
                      {"size", range.size},
                      {"ports", range.ports},
                      {"granularity", range.granularity}});
  }
  all["hdm"]["ranges"] = ranges;
  return all;
}

}  // namespace cxlgpu
