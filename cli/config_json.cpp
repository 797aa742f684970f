// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/config_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace cxlgpu {

nlohmann::json value_json(const ConfigValue& value) {
  return std::visit(
      [](const auto& v) -> nlohmann::json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::vector<HdmRange>>) {
          nlohmann::json ranges = nlohmann::json::array();
          for (const HdmRange& range : v) {
            ranges.push_back({{"base", fmt::format("0x{:x}", range.base)},
                              {"size", range.size},
                              {"ports", range.ports},
                              {"granularity", range.granularity}});
            if (range.persistent) ranges.back()["persistent"] = true;
          }
          return ranges;
        } else {
          return v;
        }
      },
      value);
}

nlohmann::json config_json(const RunConfig& config) {
  nlohmann::json all = nlohmann::json::object();
  for (const ConfigKey& key : config_keys()) {
    std::string path = "/" + key.path;
    std::replace(path.begin(), path.end(), '.', '/');
    all[nlohmann::json::json_pointer(path)] = value_json(key.get(config));
  }
  return all;
}

}  // namespace cxlgpu
