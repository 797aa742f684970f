// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tools/paged_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "common/input_error.hpp"
#include "sim/gpu/gpu.hpp"
#include "sim/host/fixed_latency_engine.hpp"
#include "sim/host/run.hpp"
#include "sim/media/host_interface.hpp"
#include "sim/paging/drive_store.hpp"
#include "sim/paging/host_store.hpp"
#include "sim/paging/paged_engine.hpp"
#include "tools/gpu_figures.hpp"
#include "tools/paging_summary.hpp"
#include "tools/run_checks.hpp"
#include "tools/session_parts.hpp"
#include "tools/summary.hpp"
#include "tools/write_file.hpp"

namespace cxlgpu {

namespace {

// Settings of a CXL system that would be passed over in silence.
void check_options(const RunConfig& config, const SessionOptions& options) {
  const std::string_view memory = to_string(config.memory);
  if (config.engine != "model") {
    throw InputError(fmt::format(
        "{}: key 'run.engine': '{}' is of CXL systems, '{}' has none; use --engine model",
        config.scenario, config.engine, memory));
  }
  for (const auto& [option, file] : {std::pair{"--waves", &options.engine.waves},
                                     {"--flit-log", &options.engine.flit_log},
                                     {"--events", &options.events}}) {
    if (file->empty()) continue;
    throw InputError(
        fmt::format("{}: '{}' has no CXL link to look at; leave it out or use configuration cxl",
                    option, memory));
  }
  for (const auto& [key, given] :
       {std::pair{"endpoint.gc_busy_us", config.endpoint.gc_busy_us != 0},
        {"endpoint.image_in", !config.endpoint.image_in.empty()},
        {"endpoint.image_out", !config.endpoint.image_out.empty()}}) {
    if (!given) continue;
    throw InputError(fmt::format("{}: key '{}': '{}' has no CXL endpoint; leave it out",
                                 config.place(key, config.scenario), key, memory));
  }
}

SystemMapParams system_map(const RunConfig& config) {
  SystemMapParams map;
  map.hdm_base = config.hdm.front().base;
  map.hdm_size = hdm_end(config) - map.hdm_base;
  return map;
}

// All data in GPU memory; the engine behind it is never asked.
int run_gpu_dram(const RunConfig& config, const SessionOptions& options) {
  if (!options.trace.empty()) {
    throw InputError(
        "--trace: it begins behind GPU memory, in which 'gpu-dram' keeps all; use another "
        "configuration");
  }
  RunInput input = make_input(config, "");
  SystemMapParams map = system_map(config);
  map.local_bytes = (input.data_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  GpuParams params = config.gpu;
  params.local.part = local_part(config, options.config_dir / "media", map.local_bytes);
  Gpu gpu(params, map);
  FixedLatencyEngine nobody;
  CheckedEngine checked(nobody);
  SystemMemory memory(gpu.local_memory(), checked.shadow(), map);
  const ResultFolder folder(options.out);
  Allocator allocator(map);
  input.workload->setup(allocator, memory);
  input.workload->launch(gpu);

  const auto wall = std::chrono::steady_clock::now();
  const RunResult result = run_to_limit(gpu, checked, config);
  RunOutcome outcome;
  outcome.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  outcome.config = config;
  outcome.command = options.engine.replay;
  outcome.end = outcome.drained = result.end;
  outcome.data_bytes = input.data_bytes;
  outcome.local_bytes = map.local_bytes;
  add_ending(outcome, result, checked, &gpu, nullptr, options);
  outcome.gpu = gpu_json(gpu.stats(), params);
  if (result.status != RunStatus::Done) {
    // no result to hold against the CPU's
  } else if (const auto wrong = input.workload->verify(memory)) {
    outcome.problems.push_back(
        fmt::format("{}: {}; replay: {}", config.workload.name, *wrong, options.engine.replay));
  }
  if (checked.reads() + checked.writes() != 0) {
    outcome.problems.push_back(fmt::format("{} requests left GPU memory; replay: {}",
                                           checked.reads() + checked.writes(),
                                           options.engine.replay));
  }
  return finish_session(outcome, to_json(outcome, RunStats()), options);
}

// What holds the pages: host memory, drives or both.
struct Backing {
  std::unique_ptr<StripedDrives> drives;
  std::unique_ptr<PageStore> store;
};

Backing make_backing(const RunConfig& config, const SessionOptions& options,
                     std::uint64_t page_bytes) {
  const MediaConfig part =
      load_media_config(options.config_dir / "media" / (config.media + ".yaml"));
  const bool is_dram = std::holds_alternative<DramConfig>(part.params);
  const PcieConfig& pcie = config.paging.pcie;
  Backing backing;
  if (!is_dram || config.memory != MemoryKind::Uvm) {
    const HostInterface host = load_host_interface(options.config_dir / "host" / "nvme.yaml",
                                                   is_dram ? pcie.dram_drive : part.interface,
                                                   part.file, part.interface_line);
    backing.drives = std::make_unique<StripedDrives>(
        part, system_map(config).hdm_size, config.ports, pcie.stripe_bytes, host, pcie.queue_depth);
  }
  if (config.memory == MemoryKind::Uvm) {
    backing.store = std::make_unique<HostStore>(pcie, config.paging.host_fill, page_bytes,
                                                backing.drives.get());
  } else {
    backing.store =
        std::make_unique<DriveStore>(config.paging.direct(config.memory), *backing.drives);
  }
  return backing;
}

// Where the store is not what was written, a line for each of the first few memory lines.
void add_differences(RunOutcome& outcome, const Backdoor& store, const FlatMemory& written,
                     std::uint64_t end, const std::string& replay) {
  constexpr int kMost = 4;
  int found = 0;
  Line there;
  for (const std::uint64_t page : written.pages()) {
    for (std::uint64_t at = page; at < std::min(page + FlatMemory::kPageBytes, end);
         at += kLineBytes) {
      store.peek(at, there);
      if (there == written.read_line(at)) continue;
      if (++found > kMost) return;
      outcome.problems.push_back(
          fmt::format("contents after the run: line {:#x} differs from what was written; replay: "
                      "{}",
                      at, replay));
    }
  }
}

int run_paged(const RunConfig& config, const SessionOptions& options) {
  RunInput input = make_input(config, options.trace);
  const std::uint64_t data_bytes = input.data_bytes;
  const std::unique_ptr<Workload> workload = std::move(input.workload);
  SystemMapParams map = system_map(config);
  map.local_bytes = 0;  // all of it is paged
  const std::uint64_t frame_bytes = local_share(config, data_bytes);
  PagedEngineParams params;
  params.base = map.hdm_base;
  params.bytes = (data_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  check_fits(config, params.bytes, 0);
  params.frames = static_cast<std::uint32_t>(frame_bytes / kPageBytes);
  params.memory = config.gpu.local;
  params.memory.part = local_part(config, options.config_dir / "media", frame_bytes);
  params.faults = config.paging.faults(config.memory);
  const Backing backing = make_backing(config, options, params.bytes);
  RunStats stats;
  PagedEngine engine(params, *backing.store, &stats);
  CheckedEngine checked(engine);

  const ResultFolder folder(options.out);
  std::unique_ptr<Gpu> gpu;
  std::unique_ptr<TraceInitiator> replay;
  Initiator* initiator = nullptr;
  if (workload) {
    TeeBackdoor contents(engine, checked.shadow());
    GpuParams of_gpu = config.gpu;
    of_gpu.fabric_cycles = 0;  // the engine is GPU memory itself, whose latency holds the way there
    gpu = std::make_unique<Gpu>(of_gpu, map);
    Allocator allocator(map);
    workload->setup(allocator, contents);
    workload->launch(*gpu);
    initiator = gpu.get();
  } else {
    replay = make_replay(config, std::move(input));
    initiator = replay.get();
  }

  const auto wall = std::chrono::steady_clock::now();
  const RunResult result = run_to_limit(*initiator, checked, config);
  const bool done = result.status == RunStatus::Done;
  if (done) engine.drain();
  RunOutcome outcome;
  outcome.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  outcome.config = config;
  outcome.command = options.engine.replay;
  outcome.end = outcome.drained = engine.now();
  outcome.data_bytes = data_bytes;
  outcome.local_bytes = frame_bytes;
  outcome.reads_checked = checked.reads();
  outcome.writes_sent = checked.writes();
  outcome.mismatches = checked.mismatches();
  add_findings(outcome, checked, options.engine.replay);
  add_ending(outcome, result, checked, gpu.get(), replay.get(), options);
  if (done) {
    add_differences(outcome, engine, checked.shadow(), params.base + params.bytes,
                    options.engine.replay);
    const auto wrong = workload ? workload->verify(engine) : std::nullopt;
    if (wrong) {
      outcome.problems.push_back(
          fmt::format("{}: {}; replay: {}", config.workload.name, *wrong, options.engine.replay));
    }
  }
  if (gpu) outcome.gpu = gpu_json(gpu->stats(), config.gpu);
  if (backing.drives) outcome.media = backing.drives->counters();
  PagingOutcome paging{engine.stats(), backing.store->stats(), params.frames, {}};
  if (config.memory != MemoryKind::Uvm) {
    const DirectIoConfig& io = config.paging.direct(config.memory);
    paging.outside = Time{io.open_ps + io.close_ps};
  }
  outcome.paging = paging_json(paging);
  return finish_session(outcome, to_json(outcome, stats), options);
}

}  // namespace

int run_paged_session(const RunConfig& config, const SessionOptions& options) {
  check_options(config, options);
  return config.memory == MemoryKind::GpuDram ? run_gpu_dram(config, options)
                                              : run_paged(config, options);
}

}  // namespace cxlgpu
