// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// stats.json of a run and the short table printed from it.
//
// Purpose: one document holds every figure with its unit; table and report page are drawn from it.
// Shapes:  schema 2; a figure is {"value": number, "unit": text}, a curve {"values": [number or
//          null], "unit": text} with a point for each bin.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common/counters.hpp"
#include "common/media_port.hpp"
#include "sim/config/config.hpp"
#include "sim/firmware/internal_dram.hpp"
#include "sim/stats/run_stats.hpp"

namespace cxlgpu {

// How a run ended that its initiator did not end.
struct Unfinished {
  std::string why;               // "limit reached", "interrupted"
  std::string message;           // one line: which limit, what was not done, what to do
  std::uint64_t unanswered = 0;  // requests in flight
  // Of a trace, of a workload, of a program of the host.
  std::optional<std::uint64_t> never_issued, kernels_left, items_left;
};

struct RunOutcome {
  RunConfig config;
  std::optional<Unfinished> unfinished;
  std::string command;  // that made the run
  Time end;             // first request to last response, and results written back
  Time drained;         // every store at its endpoint, known to 256 cycles
  std::uint64_t data_bytes = 0, local_bytes = 0, cache_bytes = 0;
  std::uint64_t reads_checked = 0, writes_sent = 0, mismatches = 0;
  std::vector<std::string> problems;   // one line each: mismatches, protocol violations
  std::vector<LinkCounters> m2s, s2m;  // by port
  std::vector<MediaCounters> media;
  std::vector<SrCounters> speculation;  // by port
  std::vector<HintCounters> hints;      // by port
  BridgeHintCounters bridge_hints;
  std::vector<std::optional<InternalDramCounters>> internal_dram;  // by port; none: no answer
  nlohmann::json gpu;                                              // the front end's own counters
  nlohmann::json paging;  // of paging_json(), null for others
  nlohmann::json io;      // of io_json(), null for others
  nlohmann::json copy;    // of copy_json(), null for others
  nlohmann::json prefix;  // of prefix_json(), null for others
  nlohmann::json cosim;   // comparison with the model, if there was one
  nlohmann::json outage;  // of a link that was to go down and come back, null for others
  double wall_seconds = 0;
};

nlohmann::json to_json(const RunOutcome& outcome, const RunStats& stats);
std::string table(const nlohmann::json& stats);

}  // namespace cxlgpu
