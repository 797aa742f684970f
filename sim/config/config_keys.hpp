// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Every key of a configuration: what people read of it, and where it goes.
//
// Purpose: the one table that the YAML layers, --set, `cxlgpu list --keys`, `cxlgpu explain`,
//          docs/guide/keys.md, configs/schema.json and stats.json work from. A new key is a row in
//          one of keys_*.cpp and a default in a file of configs/.
// Units:   as the row says.
// Errors:  InputError of one line: where, key, what is wrong, what to do.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "common/rtl_sizes.hpp"
#include "sim/config/config.hpp"
#include "sim/config/key_range.hpp"

namespace cxlgpu {

inline constexpr unsigned kMostSrQueueEntries = 64, kMostMemoryQueueEntries = 64;
inline constexpr unsigned kMostDsWrites = 64, kMostMshrs = 256;
inline constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 52;  // of physical addresses

using ConfigValue = std::variant<bool, std::uint64_t, double, std::string,
                                 std::vector<std::uint64_t>, std::vector<HdmRange>>;

struct ConfigKey : KeyFacts {
  // Reads the text of a value into the configuration.
  std::function<void(RunConfig&, const std::string& text, const std::string& where,
                     const std::string& key)>
      set;
  std::function<ConfigValue(const RunConfig&)> get;
};

const std::vector<ConfigKey>& config_keys();
// Of that name; null if there is none.
const ConfigKey* find_key(const std::string& path);
// Names of all keys, and of what they stand in: gpu, gpu.l1.
std::vector<std::string> key_names();
std::vector<std::string> key_sections();

// The row of configs/rtl for a key; null: it is no size of the RTL.
const RtlSize* rtl_size_of(const std::string& key);
// Refuses what a run asks of a size, if the RTL has another value of it.
void check_size(const RunConfig& config, const RtlSize& size, std::uint64_t rtl);

// A value as it would be written in a file.
std::string value_text(const KeyFacts& facts, const ConfigValue& value);

}  // namespace cxlgpu
