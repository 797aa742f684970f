// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a program of the host did with its file, as figures with units, and the lines of the table.
//
// Rules:   time of steps is summed up over threads and I/Os; the share of software is that of an
//          I/O's own way, without driver and file: all steps but Transfer and Copy.
// Errors:  none.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/host/safetensors.hpp"
#include "sim/io/io_job.hpp"
#include "sim/io/kv_load.hpp"
#include "sim/io/kv_trace.hpp"
#include "sim/io/model_load.hpp"
#include "sim/io/steps.hpp"

namespace cxlgpu {

// What a KV-cache trace holds, and how its blocks are loaded: object `kv` of `io`.
[[nodiscard]] nlohmann::json kv_cache_json(const KvTrace& trace, const KvLoadPlan& plan);
// What is loaded of a model: object `model`.
[[nodiscard]] nlohmann::json model_json(const Safetensors& model, const ModelLoadPlan& plan);
// Count and time of each step; the lines of those that were.
[[nodiscard]] nlohmann::json steps_json(const StepBook& book);
[[nodiscard]] std::vector<std::pair<std::string, std::string>> step_rows(
    const nlohmann::json& steps);
[[nodiscard]] nlohmann::json io_json(const IoResult& result, const StepBook& steps);
// Name and text of each line, of what io_json() gave.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> io_rows(const nlohmann::json& io);

}  // namespace cxlgpu
