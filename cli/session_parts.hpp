// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What every kind of run is made of, and what is said about it after.
//
// Purpose: what the steps of a session and its machines share.
// Errors:  InputError of make_workload, TraceReader and write_file.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "cli/summary.hpp"
#include "sim/config/config.hpp"
#include "sim/gpu/gpu.hpp"
#include "sim/gpu/gpu_stats.hpp"
#include "sim/host/host_program.hpp"
#include "sim/host/run.hpp"
#include "sim/host/safetensors.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/host/trace_initiator.hpp"
#include "sim/io/kv_load.hpp"
#include "sim/io/kv_trace.hpp"
#include "sim/io/model_load.hpp"
#include "sim/multipath/interceptor.hpp"
#include "sim/serving/prefix_plan.hpp"
#include "sim/stats/run_samples.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {

// What runs: a workload on the GPU model, or a trace.
struct RunInput {
  std::unique_ptr<Workload> workload;    // null: the trace, or the machine's program
  std::unique_ptr<TraceReader> trace;    // at its front, unless it is kept
  std::vector<TraceRecord> kept;         // the whole trace, if it is short
  std::optional<std::uint64_t> records;  // of it; nothing: not known before its end
  std::optional<KvTrace> kv;             // of a program that loads a KV cache
  std::optional<Safetensors> model;      // ... or a model
  std::optional<PrefixPlan> prefixes;    // ... or fetches prefixes
  std::uint64_t data_bytes = 0;
};
// `trace`: a file, "-" for standard input, empty for the workload. A file is read once to know its
// data set, and checked with that, and again for the replay if it is long; what comes from a pipe
// is checked as it is replayed.
// `stop` as of TraceReadOptions.
RunInput make_input(const RunConfig& config, const std::string& trace,
                    const std::atomic<int>* stop = nullptr);
// What workload io is to do, or copy. Precondition: config.workload is that one.
IoWork io_work(const RunConfig& config);
// Of workload kvload: its requests; the I/Os that load them, InputError if their blocks are no
// whole pages, or too many bytes.
KvTrace kvload_trace(const RunConfig& config, const std::atomic<int>* stop);
std::unique_ptr<KvLoadPlan> kvload_plan(const RunConfig& config, const KvTrace& trace);
// Of workload modelload: its tensors; the I/Os that load them, InputError if they are too many
// bytes.
Safetensors modelload_tensors(const RunConfig& config);
std::unique_ptr<ModelLoadPlan> modelload_plan(const RunConfig& config, const Safetensors& model);
CopyWork copy_work(const RunConfig& config);
CopyScheme copy_scheme(MemoryKind memory);
// Of workload prefix: what it is to do; its requests and what they find. InputError for a shape
// whose blocks are no whole pages, and for a trace that has no lengths.
PrefixWork prefix_work(const RunConfig& config);
PrefixPlan prefix_plan(const RunConfig& config, const std::atomic<int>* stop);
// workload.size of a workload of the host, or its default: InputError if it is not in its range.
std::uint64_t host_work_size(const RunConfig& config);
// Precondition: a trace.
std::unique_ptr<TraceInitiator> make_replay(const RunConfig& config, RunInput&& input);

// The data set with what GPU memory holds of it, which the ranges must be able to hold. To be
// called before anything of it is made: InputError with the sizes.
void check_fits(const RunConfig& config, std::uint64_t data_bytes, std::uint64_t local_bytes);

std::uint64_t hdm_end(const RunConfig& config);
// Bytes of GPU memory for a data set, in whole pages of 4 KiB.
std::uint64_t local_share(const RunConfig& config, std::uint64_t data_bytes);

// Of all parts together, what of it the report page shows over time.
RunGauges media_gauges(const std::vector<MediaCounters>& parts);

// What the scoreboard found, a line each.
void add_findings(RunOutcome& outcome, const CheckedEngine& checked, const std::string& replay);
// Up to run.limit_us or options.until, or until options.engine.stop is not 0.
RunResult run_to_limit(Initiator& initiator, Engine& engine, const RunConfig& config,
                       const SessionOptions& options, RunWatch& watch);

// What a run left undone that its limit or a signal ended; a deadlock is a problem. Of `gpu`,
// `replay` and `program` one is not null, and `gpu` has counted up to its end.
void add_ending(RunOutcome& outcome, const RunResult& result, const CheckedEngine& checked,
                Gpu* gpu, const TraceInitiator* replay, const HostProgram* program,
                const SessionOptions& options);
// The folder of the waveform file.
void check_waves_place(const std::string& waves);
// What goes with an FST: files for GTKWave and Surfer, and the names of states. `first`: of
// requests; `end`: of the run, both since reset.
void write_wave_files(const EngineOptions& options, const RunConfig& config,
                      std::optional<Time> first, Time end);
// The exit status of session.hpp.
int exit_status(const RunOutcome& outcome, const SessionOptions& options);
// stats.json and the report page, if there is to be a folder with them.
// `samples`: of samples_json(), null: none were taken.
void write_results(const nlohmann::json& document, const nlohmann::json& samples,
                   const SessionOptions& options);
// Prints and writes what came out, problems too, and gives the exit status.
int finish_session(const RunOutcome& outcome, const nlohmann::json& document,
                   const nlohmann::json& samples, const SessionOptions& options);

}  // namespace cxlgpu
