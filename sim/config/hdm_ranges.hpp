// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// hdm.ranges, the one key that is a list of maps: from a file, and from --set as a YAML flow list.
//
// Purpose: the same checks whatever it comes from.
// Errors:  InputError of one line: where, key (hdm.ranges[0].size), what is wrong, what to do.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/config/config.hpp"
#include "sim/config/key_range.hpp"

namespace YAML {
class Node;
}

namespace cxlgpu {

// What a range has: hdm.ranges[].base and so on.
const std::vector<KeyFacts>& hdm_fields();

// `place` says where a node stands.
void read_hdm_ranges(RunConfig& config, const YAML::Node& list, const std::string& where,
                     const std::function<std::string(const YAML::Node&)>& place);
// From the text of a --set.
void parse_hdm_ranges(RunConfig& config, const std::string& text, const std::string& where);

}  // namespace cxlgpu
