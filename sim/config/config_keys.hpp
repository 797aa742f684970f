// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Every scalar key of a configuration: its name, its range, and where it goes.
//
// Purpose: the one list that the YAML layers, --set, `cxlgpu list --keys` and stats.json work from,
// and
//          how the text of a value is read. hdm.ranges is a list of maps and is read by the loader.
// Units:   as configs/system/default.yaml has them.
// Errors:  InputError of one line: where, key, what is wrong, what to do.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "sim/config/config.hpp"

namespace cxlgpu {

inline constexpr unsigned kMostSrQueueEntries = 64, kMostMemoryQueueEntries = 64;
inline constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 52;  // of physical addresses

using ConfigValue =
    std::variant<bool, std::uint64_t, double, std::string, std::vector<std::uint64_t>>;

// How a key is read from text, and what it is.
struct ConfigAccess {
  std::function<void(RunConfig&, const std::string& text, const std::string& where,
                     const std::string& key)>
      set;
  std::function<ConfigValue(const RunConfig&)> get;
};

struct ConfigKey {
  const char* path;
  ConfigAccess access;
};
const std::vector<ConfigKey>& config_keys();

[[noreturn]] void fail(const std::string& where, const std::string& key, const std::string& what);
// 123, 0x7b, 64KiB, 1MiB, 4GiB.
std::uint64_t parse_unsigned(const std::string& text, const std::string& where,
                             const std::string& key);
std::uint64_t parse_range(const std::string& text, const std::string& where, const std::string& key,
                          std::uint64_t low, std::uint64_t high);
std::uint64_t parse_power_of_two(const std::string& text, const std::string& where,
                                 const std::string& key, std::uint64_t low, std::uint64_t high);
std::string parse_choice(const std::string& text, const std::string& where, const std::string& key,
                         const std::vector<std::string>& choices);

}  // namespace cxlgpu
