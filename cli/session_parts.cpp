// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/session_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "cli/interrupt.hpp"
#include "cli/report.hpp"
#include "cli/write_file.hpp"
#include "common/input_error.hpp"
#include "sim/io/host_workloads.hpp"
#include "tb/wave_groups.hpp"

namespace cxlgpu {

namespace {

nvme::KvWork kv_work(const RunConfig& config) {
  const nvme::NvmeConfig& kv = config.nvme;
  nvme::KvWork work;
  work.interface = kv.interface;
  work.memory_mode = kv.memory_mode;
  work.queues = kv.queues;
  work.entries = kv.queue_entries;
  work.batch = config.workload.kv_batch;
  work.value_bytes = config.workload.kv_value_bytes;
  work.bar_base = kv.bar_base;
  work.host_base = kv.host_base;
  work.ring_base = kv.ring_base;
  work.bridge = kv.poll_interval_ps != 0;
  work.limits = {kv.wait_us * 1'000'000 / kCycle.ps, kv.backoff_cycles, kv.queue_fault};
  return work;
}

}  // namespace

RunInput make_input(const RunConfig& config, const std::string& trace,
                    const std::atomic<int>* stop) {
  RunInput input;
  if (trace.empty() && host_workload(config.workload.name) != nullptr) {
    if (config.workload.name == "prefix") {
      input.prefixes = prefix_plan(config, stop);
      input.data_bytes = input.prefixes->fetched * prefix_work(config).block_bytes();
    } else if (runs_copies(config.memory)) {
      const CopyWork work = copy_work(config);
      input.data_bytes = work.bytes * work.gpus.size();
    } else if (config.workload.name == "kvload") {
      input.kv = kvload_trace(config, stop);
      input.data_bytes = kvload_plan(config, *input.kv)->bytes();
    } else if (config.workload.name == "modelload") {
      input.model = modelload_tensors(config);
      input.data_bytes = modelload_plan(config, *input.model)->bytes();
    } else {
      const IoWork work = io_work(config);
      input.data_bytes = work.count * work.bytes;
    }
    return input;
  }
  if (trace.empty()) {
    WorkloadParams params;
    params.size = config.workload.size;
    params.seed = config.seed;
    params.iterations = config.workload.iterations;
    params.file = config.workload.file;
    params.distribution = config.distribution;
    params.store_percent = config.workload.store_percent;
    params.unroll = config.workload.unroll;
    params.hints = config.workload.hints;
    params.hint_accuracy = config.workload.hint_accuracy;
    params.hint_ahead = config.workload.hint_ahead;
    params.compute_per_line = config.workload.compute_per_line;
    params.layers = config.workload.layers;
    params.experts = config.workload.experts;
    params.top_k = config.workload.top_k;
    params.kv_heads = config.workload.kv_heads;
    params.head_size = config.workload.head_size;
    params.warps = config.gpu.cores * config.gpu.warps;
    params.threads = config.gpu.threads;
    params.log = config.workload.log;
    params.log_partitions = config.workload.log_partitions;
    params.checkpoint_every = config.workload.checkpoint_every;
    params.kv = kv_work(config);
    params.assisted = config.persistent() != nullptr && config.persist_by != PersistBy::Gpu &&
                      config.persist_by != PersistBy::Ndp;
    input.workload = make_workload(config.workload.name, params);
    input.data_bytes = input.workload->data_set_bytes();
    return input;
  }
  TraceReadOptions read;
  read.max_requests = config.trace.max_requests;
  read.size_bytes = hdm_end(config) - config.hdm.front().base;
  read.data_bytes = config.trace.data_bytes;
  read.stop = stop;
  input.trace = std::make_unique<TraceReader>(trace, read);
  input.data_bytes = read.data_bytes != 0 ? read.data_bytes : read.size_bytes;
  if (!input.trace->file().rewinds()) return input;
  TraceExtent all = extent(*input.trace);
  if (all.kept.empty()) input.trace->rewind();
  input.kept = std::move(all.kept);
  input.records = all.records;
  if (read.data_bytes == 0) input.data_bytes = all.end;
  return input;
}

std::unique_ptr<TraceInitiator> make_replay(const RunConfig& config, RunInput&& input) {
  TraceReplayParams params;
  params.offset = config.hdm.front().base;
  params.max_outstanding_reads = config.trace.max_reads;
  params.max_outstanding_writes = config.trace.max_writes;
  params.seed = config.seed;
  if (!input.kept.empty()) {
    return std::make_unique<TraceInitiator>(std::move(input.kept), params);
  }
  return std::make_unique<TraceInitiator>(std::move(input.trace), input.records, params);
}

std::uint64_t host_work_size(const RunConfig& config) {
  const HostWorkloadKind& kind = *host_workload(config.workload.name);
  const std::uint64_t size = config.workload.size == 0 ? kind.default_size : config.workload.size;
  if (size < kind.min_size || size > kind.max_size) {
    throw InputError(
        fmt::format("{}: key 'workload.size' ({}): {} is not in {}..{}; choose a value "
                    "that is",
                    config.place("workload.size", config.scenario), kind.size_counts, size,
                    kind.min_size, kind.max_size));
  }
  return size;
}

void check_fits(const RunConfig& config, std::uint64_t data_bytes, std::uint64_t local_bytes) {
  const std::uint64_t room = hdm_end(config) - config.hdm.front().base + local_bytes;
  if (data_bytes <= room) return;
  throw InputError(fmt::format(
      "{}: key 'workload.size': makes a data set of {} bytes, hdm.ranges and GPU memory hold {}; "
      "lower it, or raise the size of hdm.ranges (`cxlgpu explain hdm.ranges`)",
      config.place("workload.size", config.scenario), data_bytes, room));
}

std::uint64_t hdm_end(const RunConfig& config) {
  return config.hdm.back().base + config.hdm.back().size;
}

std::uint64_t local_share(const RunConfig& config, std::uint64_t data_bytes) {
  return (data_bytes * config.local_percent / 100 + 4095) / 4096 * 4096;
}

RunGauges media_gauges(const std::vector<MediaCounters>& parts) {
  RunGauges all;
  for (const MediaCounters& part : parts) {
    all.collections += part.collections + part.erases;
    all.programs += part.page_programs;
    all.suspends += part.program_suspends + part.erase_suspends;
  }
  return all;
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

RunResult run_to_limit(Initiator& initiator, Engine& engine, const RunConfig& config,
                       const SessionOptions& options, RunWatch& watch) {
  const Interruptible now;
  const Time limit = std::min(Time{config.limit_us * 1000000}, options.until);
  return run(initiator, engine, limit, options.engine.stop, &watch);
}

void add_ending(RunOutcome& outcome, const RunResult& result, const CheckedEngine& checked,
                Gpu* gpu, const TraceInitiator* replay, const HostProgram* program,
                const SessionOptions& options) {
  if (result.status == RunStatus::Done) return;
  if (gpu != nullptr) gpu->stop(result.end);
  if (result.status == RunStatus::Deadlock) {
    outcome.problems.push_back(
        fmt::format("deadlock at {:.0f} ns with {} requests unanswered; "
                    "replay: {}",
                    result.end.ns(), checked.outstanding(), options.engine.replay));
    return;
  }
  const RunConfig& config = outcome.config;
  Unfinished left;
  left.unanswered = checked.outstanding();
  std::string undone = fmt::format("{} requests unanswered", left.unanswered);
  std::string remedy = "raise run.limit_us";
  if (replay != nullptr) {
    left.never_issued = replay->remaining();
    undone +=
        left.never_issued
            ? fmt::format(" and {} of the trace never issued", *left.never_issued)
            : fmt::format(" and the trace never issued behind its first {}", replay->position());
    if (const auto next = replay->next_cycle()) {
      undone += fmt::format(", the next of cycle {}", *next);
      remedy += " or let the trace's cycles begin at 0";
    }
  } else if (program != nullptr) {
    left.items_left = program->items_left();
    undone = fmt::format("{} {} unfinished", program->items_left(), program->counts());
  } else {
    left.kernels_left = gpu->kernels_left();
    undone += fmt::format(" and {} kernel{} unfinished", *left.kernels_left,
                          *left.kernels_left == 1 ? "" : "s");
  }
  if (result.status == RunStatus::Stopped) {
    left.why = "interrupted";
    left.message =
        fmt::format("interrupted at {:.3f} us (simulated) with {}", result.end.ns() / 1000, undone);
  } else {
    left.why = "limit reached";
    left.message =
        fmt::format("{}: key 'run.limit_us': {} us (simulated) are over with {}; {}",
                    config.place("run.limit_us", config.scenario), config.limit_us, undone, remedy);
  }
  outcome.unfinished = std::move(left);
}

void check_waves_place(const std::string& waves) {
  const std::filesystem::path folder = std::filesystem::path(waves).parent_path();
  if (waves.empty() || folder.empty() || std::filesystem::is_directory(folder)) return;
  throw InputError(fmt::format("{}: its folder does not exist; choose another place", waves));
}

void write_wave_files(const EngineOptions& options, const RunConfig& config,
                      std::optional<Time> first, Time end) {
  WaveView view;
  view.marker =
      std::max(options.waves_marker.value_or(first.value_or(Time{0})), options.waves_from);
  view.label = options.waves_marker ? "mismatch" : "first_request";
  // What led to it stands left of it.
  const std::uint64_t before = options.waves_marker ? 150 : 20;
  view.from = std::max(view.marker - std::min(view.marker, kCycle * before), options.waves_from);
  view.length = std::min(end, options.waves_to) - options.waves_from;
  RtlSizes sizes;  // of the build: the run has come up with them
  sizes.ports = config.ports;
  sizes.sr_queue_entries = config.root_port.sr_queue_entries;
  sizes.memory_queue_entries = config.root_port.memory_queue_entries;
  sizes.line_bytes = config.endpoint.line_bytes;
  const std::filesystem::path fst = options.waves, states = wave_states_folder(fst),
                              mappings = surfer_mappings_folder(fst);
  std::error_code ignored;  // write_files() says it
  std::filesystem::create_directories(mappings, ignored);
  std::vector<std::pair<std::filesystem::path, std::string>> files = {
      {std::filesystem::path(fst).replace_extension(".gtkw"), gtkwave_save_file(fst, sizes, view)},
      {std::filesystem::path(fst).replace_extension(".sucl"), surfer_command_file(sizes, view)}};
  for (const StateNames& names : wave_states()) {
    const std::string file = fmt::format("{}.txt", names.type);
    files.emplace_back(states / file, gtkwave_translate_file(names));
    files.emplace_back(mappings / file, surfer_mapping_file(names));
  }
  write_files(files);
}

int exit_status(const RunOutcome& outcome, const SessionOptions& options) {
  const std::atomic<int>* stop = options.engine.stop;
  if (const int signal = stop != nullptr ? stop->load() : 0; signal != 0) return 128 + signal;
  if (!outcome.problems.empty()) return 1;
  return outcome.unfinished ? 3 : 0;
}

void write_results(const nlohmann::json& document, const nlohmann::json& samples,
                   const SessionOptions& options) {
  if (options.out.empty()) return;
  const std::filesystem::path out = options.out;
  std::vector<std::pair<std::filesystem::path, std::string>> files = {
      {out / "stats.json", json_text(document, 1) + "\n"}};
  if (options.page) {
    files.emplace_back(out / "report.html", report_page(document, samples));
  } else {
    std::error_code ignored;  // one of an earlier run would show other figures
    std::filesystem::remove(out / "report.html", ignored);
  }
  write_files(files);
}

int finish_session(const RunOutcome& outcome, const nlohmann::json& document,
                   const nlohmann::json& samples, const SessionOptions& options) {
  std::string where = "none; add --out DIR for stats.json and report.html";
  write_results(document, samples, options);
  if (!options.out.empty()) {
    const std::filesystem::path out = options.out;
    where = (out / (options.page ? "report.html" : "stats.json")).string();
    options.log.info("{}{} written", where, options.page ? " and stats.json beside it are" : " is");
  }
  if (!options.quiet) fmt::print("{}  {:<42} {}\n", table(document), "report", where);
  for (const std::string& problem : outcome.problems) {
    fmt::print(stderr, "{}\n", one_line(problem));
  }
  if (outcome.unfinished) fmt::print(stderr, "{}\n", one_line(outcome.unfinished->message));
  return exit_status(outcome, options);
}

}  // namespace cxlgpu
