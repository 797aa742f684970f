// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a run with an NVMe controller leaves in stats.json, and its rows of the table.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/nvme/kv_host.hpp"

namespace cxlgpu {

nlohmann::json kv_json(const nvme::KvHost& kv);
std::vector<std::pair<std::string, std::string>> kv_rows(const nlohmann::json& kv);

}  // namespace cxlgpu
