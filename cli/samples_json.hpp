// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Samples of a run (sim/stats/run_samples.hpp) as the report page reads them.
//
// Shapes:  "curves": by name {"values", "unit"}, a bin of "bin" ns each, those alone in which there
//          is something. "accesses": "loads" [ns, address, latency in ns], "memspecrd" [ns,
//          address, granules], "fills" [ns, address], each with "of": how many there were.
//          "requests": [kind, port, address, tag, ns, [ns in each stage, null: not passed]];
//          "longest": by kind and stage the indices of those with the longest time in it;
//          "by_latency": by kind indices of some of every latency.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/config/config.hpp"
#include "sim/stats/run_samples.hpp"

namespace cxlgpu {

nlohmann::json samples_json(const RunSamples& samples, const RunConfig& config);

}  // namespace cxlgpu
