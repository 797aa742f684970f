// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Page migration in stats.json and in the printed table.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/media_port.hpp"
#include "sim/paging/paged_engine.hpp"

namespace cxlgpu {

struct PagingOutcome {
  PagingStats engine;
  StoreStats store;
  std::uint32_t frames = 0;
  Time outside;  // opening and closing, once a program and not in the run
};

nlohmann::json paging_json(const PagingOutcome& outcome);
// Rows "name, text" of what paging_json() made.
std::vector<std::pair<std::string, std::string>> paging_rows(const nlohmann::json& paging);

}  // namespace cxlgpu
