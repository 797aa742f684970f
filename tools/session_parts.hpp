// What every kind of run is made of, and what is said about it after.
//
// Purpose: shared by the session of CXL systems and that of paged ones.
// Errors:  InputError of make_workload, read_trace and write_file.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "refmodel/gpu/gpu_stats.hpp"
#include "refmodel/workloads/workload.hpp"
#include "refmodel/host/scoreboard.hpp"
#include "refmodel/host/trace_initiator.hpp"
#include "refmodel/system/config.hpp"
#include "tools/session.hpp"
#include "tools/summary.hpp"

namespace cxlgpu {

// What runs: a workload on the GPU model, or a trace.
struct RunInput {
  std::unique_ptr<Workload> workload;  // null: the records
  std::vector<TraceRecord> records;
  std::uint64_t data_bytes = 0;
};
// `trace`: a file, empty for the workload.
RunInput make_input(const RunConfig& config, const std::string& trace);
// Precondition: a trace.
std::unique_ptr<TraceInitiator> make_replay(const RunConfig& config, RunInput&& input);

std::uint64_t hdm_end(const RunConfig& config);
// Bytes of GPU memory for a data set, in whole pages of 4 KiB.
std::uint64_t local_share(const RunConfig& config, std::uint64_t data_bytes);

// What the scoreboard found, a line each.
void add_findings(RunOutcome& outcome, const CheckedEngine& checked, const std::string& replay);
// Prints and writes what came out, problems too. 0 clean, 1 otherwise.
int finish_session(const RunOutcome& outcome, nlohmann::json document,
                   const SessionOptions& options);

}  // namespace cxlgpu
