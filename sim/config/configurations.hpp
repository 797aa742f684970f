// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the last part of a scenario's name means, <workload>-<media>-<configuration>.
//
// Purpose: the one table of configuration names. Everything that a name does not say is the
//          machine's (configs/system/default.yaml). A new one is a row, and a row in the guide.
#pragma once

#include <string>
#include <vector>

#include "sim/config/config.hpp"

namespace cxlgpu {

// In the order in which they are listed.
[[nodiscard]] std::vector<std::string> configuration_names();

// Precondition: a name of the table.
void apply_configuration(RunConfig& config, const std::string& name);

}  // namespace cxlgpu
