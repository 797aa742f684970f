// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The project's own configuration, for tests of what is made from it.
#pragma once

#include "sim/config/config.hpp"
#include "sim/media/host_interface.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {

inline std::filesystem::path configs() {
  return std::filesystem::path(CXLGPU_SOURCE_DIR) / "configs";
}

inline RunConfig configured(const std::string& scenario,
                            const std::vector<std::string>& sets = {}) {
  const ScenarioNames names{workload_names(),
                            media_names(configs() / "media"),
                            {"cxl", "gpu-dram", "uvm", "gds", "phoenix"}};
  return ConfigLoader(configs(), names).load(scenario, sets);
}

inline MediaConfig part(const std::string& name) {
  return load_media_config(configs() / "media" / (name + ".yaml"));
}

inline HostInterface nvme_link(const std::string& link) {
  return load_host_interface(configs() / "host" / "nvme.yaml", link, "test", 1);
}

}  // namespace cxlgpu
