// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The whole configuration of a run, as it was resolved from all layers.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/config/config_keys.hpp"

namespace cxlgpu {

// As in a YAML file.
nlohmann::json value_json(const ConfigValue& value);
// Keys as in a YAML file, each section an object; hdm.ranges with them.
nlohmann::json config_json(const RunConfig& config);

}  // namespace cxlgpu
