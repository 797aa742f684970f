#include "tools/session_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "tools/figure.hpp"
#include "tools/report.hpp"
#include "tools/write_file.hpp"

namespace cxlgpu {

RunInput make_input(const RunConfig& config, const std::string& trace) {
  RunInput input;
  if (trace.empty()) {
    WorkloadParams params;
    params.size = config.workload.size;
    params.seed = config.seed;
    params.iterations = config.workload.iterations;
    params.file = config.workload.file;
    params.distribution = config.distribution;
    params.store_percent = config.workload.store_percent;
    params.warps = config.gpu.cores * config.gpu.warps;
    input.workload = make_workload(config.workload.name, params);
    input.data_bytes = input.workload->data_set_bytes();
    return input;
  }
  TraceReadOptions read;
  read.max_requests = config.trace.max_requests;
  read.size_bytes = hdm_end(config) - config.hdm.front().base;
  input.records = read_trace(trace, read);
  for (const TraceRecord& r : input.records) {
    input.data_bytes = std::max(input.data_bytes, r.addr + kLineBytes);
  }
  return input;
}

std::unique_ptr<TraceInitiator> make_replay(const RunConfig& config, RunInput&& input) {
  TraceReplayParams params;
  params.offset = config.hdm.front().base;
  params.max_outstanding_reads = config.trace.max_reads;
  params.max_outstanding_writes = config.trace.max_writes;
  params.seed = config.seed;
  return std::make_unique<TraceInitiator>(std::move(input.records), params);
}

std::uint64_t hdm_end(const RunConfig& config) {
  return config.hdm.back().base + config.hdm.back().size;
}

std::uint64_t local_share(const RunConfig& config, std::uint64_t data_bytes) {
  return (data_bytes * config.local_percent / 100 + 4095) / 4096 * 4096;
}

void add_findings(RunOutcome& outcome, const CheckedEngine& checked, const std::string& replay) {
  for (const Mismatch& m : checked.records()) {
    outcome.problems.push_back(to_string(m) + "; replay: " + replay);
  }
  if (checked.id_errors() != 0) {
    outcome.problems.push_back(
        fmt::format("{} answers with a wrong id; replay: {}", checked.id_errors(), replay));
  }
  if (checked.error_responses() != 0) {
    outcome.problems.push_back(
        fmt::format("{} error responses; replay: {}", checked.error_responses(), replay));
  }
}

int finish_session(const RunOutcome& outcome, nlohmann::json document,
                   const SessionOptions& options) {
  const bool clean = outcome.problems.empty();
  document["status"] = clean ? "clean" : "WRONG";
  if (!options.out.empty()) {
    const std::filesystem::path out = options.out;
    write_file(out / "stats.json", document.dump(1) + "\n");
    write_file(out / "report.html", report_page(document));
  }
  if (!options.quiet) fmt::print("{}", table(document));
  for (const std::string& problem : outcome.problems) fmt::print(stderr, "{}\n", problem);
  return clean ? 0 : 1;
}

}  // namespace cxlgpu
