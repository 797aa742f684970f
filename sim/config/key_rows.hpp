// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Rows of the table of keys: what people read of a key, bound to the member it is read into.
//
// Purpose: shared by keys_*.cpp, each of which has the keys of some sections.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/rtl_sizes.hpp"
#include "sim/config/config_keys.hpp"

namespace cxlgpu {

// Sections in the order of the guide's page.
std::vector<ConfigKey> machine_keys();    // system, run, hdm, link, media, workload, trace
std::vector<ConfigKey> gpu_keys();        // gpu, local_memory
std::vector<ConfigKey> port_keys();       // root_port, endpoint
std::vector<ConfigKey> host_keys();       // pcie, uvm, gds, phoenix
std::vector<ConfigKey> io_keys();         // io
std::vector<ConfigKey> io_work_keys();    // of workload, those of io
std::vector<ConfigKey> kvload_keys();     // ... and of kvload
std::vector<ConfigKey> multipath_keys();  // multipath
std::vector<ConfigKey> copy_keys();       // of workload, those of copy
std::vector<ConfigKey> prefix_keys();     // ... and of prefix
std::vector<ConfigKey> cap_keys();        // cap
std::vector<ConfigKey> kv_keys();         // kv

inline constexpr std::uint64_t kMiB = 1024 * 1024;
inline constexpr std::uint64_t kMostUs = 1'000'000'000;       // a thousand seconds
inline constexpr std::uint64_t kMostPs = 10'000'000'000'000;  // ten seconds

#define CXLGPU_MEMBER(expr) \
  [](auto& c) -> auto& {    \
    return c.expr;          \
  }

// Enumerations, and a bool that a Choice names, are the place among the choices.
template <typename Member>
ConfigKey row(KeyFacts facts, Member member) {
  ConfigKey key;
  if (const RtlSize* size = rtl_size_of(facts.path)) {
    facts.range.rtl_least = size->least;
    facts.range.rtl_most = size->greatest;
  }
  using T = std::remove_reference_t<decltype(member(std::declval<RunConfig&>()))>;
  key.set = [facts, member](RunConfig& c, const std::string& t, const std::string& w,
                            const std::string& k) {
    T& to = member(c);
    if constexpr (std::is_same_v<T, std::string>) {
      to = facts.range.choices.empty() ? t : facts.range.choices[parse_index(facts, t, w, k)];
    } else if constexpr (std::is_same_v<T, std::vector<std::uint64_t>>) {
      to = parse_list(facts, t, w, k);
    } else if constexpr (std::is_same_v<T, double>) {
      to = parse_decimal(facts, t, w, k);
    } else if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
      to = static_cast<T>(parse_index(facts, t, w, k));
    } else {
      to = static_cast<T>(parse_number(facts, t, w, k));
    }
  };
  key.get = [facts, member](const RunConfig& c) -> ConfigValue {
    const T& from = member(c);
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
      if (facts.range.type == KeyRange::Type::Choice) {
        return facts.range.choices.at(static_cast<std::size_t>(from));
      }
    }
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      return std::uint64_t{from};
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<std::uint64_t>(from);
    } else {
      return from;
    }
  };
  static_cast<KeyFacts&>(key) = std::move(facts);
  return key;
}

}  // namespace cxlgpu
