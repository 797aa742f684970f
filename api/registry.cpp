// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/cxlgpu.hpp"

namespace cxlgpu {
inline namespace v1 {

Registry& Registry::add_medium(const std::string& name, MakeMedium make, InternalDram dram) {
  const auto same = [&name](const Medium& medium) { return medium.name == name; };
  if (name.empty() || !make || std::ranges::any_of(media_, same)) {
    throw Error("Registry::add_medium",
                "'" + name + "' is empty, without a maker, or there already",
                "give each medium a name of its own and what makes it");
  }
  media_.push_back({name, std::move(make), dram});
  return *this;
}

Registry& Registry::add_policy(const std::string& name, MakePolicy make) {
  const auto same = [&name](const Policy& policy) { return policy.name == name; };
  if (name.empty() || !make || std::ranges::any_of(policies_, same)) {
    throw Error("Registry::add_policy",
                "'" + name + "' is empty, without a maker, or there already",
                "give each policy a name of its own and what makes it");
  }
  policies_.push_back({name, std::move(make)});
  return *this;
}

}  // namespace v1
}  // namespace cxlgpu
