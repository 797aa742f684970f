// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/config/config_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <type_traits>

#include "sim/config/key_rows.hpp"

namespace cxlgpu {

const std::vector<ConfigKey>& config_keys() {
  static const std::vector<ConfigKey> all = [] {
    std::vector<ConfigKey> keys;
    for (std::vector<ConfigKey> more : {machine_keys(), gpu_keys(), port_keys(), host_keys(),
                                        io_keys(), multipath_keys(), cap_keys(), kv_keys()}) {
      std::move(more.begin(), more.end(), std::back_inserter(keys));
    }
    return keys;
  }();
  return all;
}

const ConfigKey* find_key(const std::string& path) {
  const auto& all = config_keys();
  const auto at = std::find_if(all.begin(), all.end(),
                               [&path](const ConfigKey& key) { return key.path == path; });
  return at == all.end() ? nullptr : &*at;
}

const RtlSize* rtl_size_of(const std::string& key) {
  const auto* at = std::find_if(kRtlSizes.begin(), kRtlSizes.end(),
                                [&key](const RtlSize& size) { return size.key == key; });
  return at == kRtlSizes.end() ? nullptr : at;
}

std::vector<std::string> key_names() {
  std::vector<std::string> names;
  for (const ConfigKey& key : config_keys()) names.push_back(key.path);
  return names;
}

std::vector<std::string> key_sections() {
  std::set<std::string> names;
  for (const ConfigKey& key : config_keys()) {
    for (std::size_t dot = key.path.find('.'); dot != std::string::npos;
         dot = key.path.find('.', dot + 1)) {
      names.insert(key.path.substr(0, dot));
    }
  }
  return {names.begin(), names.end()};
}

std::string value_text(const KeyFacts& facts, const ConfigValue& value) {
  return std::visit(
      [&facts](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool>) {
          return v ? "true" : "false";
        } else if constexpr (std::is_same_v<T, double>) {
          return fmt::format("{:g}", v);
        } else if constexpr (std::is_same_v<T, std::string>) {
          return v.empty() ? "\"\"" : v;
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
          return number_text(v, facts.unit);
        } else if constexpr (std::is_same_v<T, std::vector<std::uint64_t>>) {
          return fmt::format("[{}]", fmt::join(v, ", "));
        } else {
          std::vector<std::string> maps;
          for (const HdmRange& range : v) {
            maps.push_back(fmt::format("{{base: 0x{:x}, size: {}, ports: [{}], granularity: {}{}}}",
                                       range.base, number_text(range.size, "bytes"),
                                       fmt::join(range.ports, ", "), range.granularity,
                                       range.persistent ? ", persistent: true" : ""));
          }
          return fmt::format("[{}]", fmt::join(maps, ", "));
        }
      },
      value);
}

}  // namespace cxlgpu
