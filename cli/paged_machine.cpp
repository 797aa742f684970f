// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Systems that are not CXL: all data in GPU memory, or GPU memory as a pool of pages that come from
// elsewhere on a fault.
//
// Purpose: every byte is moved and checked as in a CXL system: each load against the flat memory,
//          the contents after the run, the kernel's result.
// Errors:  InputError too for engines other than the model and for options that only a CXL system
//          has.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/machine.hpp"
#include "cli/paging_summary.hpp"
#include "common/input_error.hpp"
#include "sim/gpu/local_memory.hpp"
#include "sim/host/fixed_latency_engine.hpp"
#include "sim/machine/run_checks.hpp"
#include "sim/media/host_interface.hpp"
#include "sim/paging/drive_store.hpp"
#include "sim/paging/host_store.hpp"
#include "sim/paging/paged_engine.hpp"
#include "sim/stats/trace_tap.hpp"

namespace cxlgpu {

void check_without_cxl(const RunConfig& config, const SessionOptions& options) {
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

void check_host_program(const RunConfig& config, const SessionOptions& options) {
  check_without_cxl(config, options);
  for (const auto& [option, file] :
       {std::pair{"--requests", &options.requests}, {"--timeline", &options.timeline.file}}) {
    if (file->empty()) continue;
    throw InputError(
        fmt::format("{}: it has the requests of a GPU's kernel, and '{}' is a "
                    "program of the host; use another workload",
                    option, config.workload.name));
  }
}

namespace {

SystemMapParams system_map(const RunConfig& config) {
  SystemMapParams map;
  map.hdm_base = config.hdm.front().base;
  map.hdm_size = hdm_end(config) - map.hdm_base;
  return map;
}

// What holds the pages: host memory, drives or both.
struct Backing {
  std::unique_ptr<StripedDrives> drives;
  std::unique_ptr<PageStore> store;
};

Backing make_backing(const RunConfig& config, const SessionOptions& options,
                     std::uint64_t page_bytes) {
  const MediaConfig part = media_part(config, options.config_dir / "media");
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

// All data in GPU memory; the engine behind it is never asked.
class GpuDramMachine : public Machine {
 public:
  GpuDramMachine(const RunConfig& config, const SessionOptions& options)
      : config_(config), options_(options), map_(system_map(config)) {
    check_without_cxl(config, options);
    if (!options.trace.empty()) {
      throw InputError(
          "--trace: it begins behind GPU memory, in which 'gpu-dram' keeps all; use another "
          "configuration");
    }
    for (const auto& [option, file] :
         {std::pair{"--requests", &options.requests}, {"--timeline", &options.timeline.file}}) {
      if (file->empty()) continue;
      throw InputError(fmt::format(
          "{}: it has the requests that leave the GPU, and 'gpu-dram' has none; use another "
          "configuration",
          option));
    }
  }

  void size(const RunInput& input) override {
    map_.local_bytes = (input.data_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
    map_.hdm_size = 0;
  }
  [[nodiscard]] const SystemMapParams& map() const override { return map_; }
  [[nodiscard]] GpuParams gpu_params() const override {
    GpuParams params = config_.gpu;
    params.local.part = local_part(config_, options_.config_dir / "media", map_.local_bytes);
    return params;
  }
  [[nodiscard]] Backdoor& contents(Gpu& gpu) override {
    return memory_.emplace(gpu.local_memory(), behind_, map_);
  }
  [[nodiscard]] Engine& start() override { return nobody_; }
  [[nodiscard]] FlatMemory take_initial() override { return {}; }

  void finish(const RunResult& result, RunOutcome& outcome) override {
    outcome.end = outcome.drained = result.end;
  }
  void add_findings(const CheckedEngine& checked, RunOutcome& outcome) const override {
    if (checked.reads() + checked.writes() == 0) return;
    outcome.problems.push_back(fmt::format("{} requests left GPU memory; replay: {}",
                                           checked.reads() + checked.writes(),
                                           options_.engine.replay));
  }
  void judge(const FlatMemory&, RunOutcome&) const override {}
  void report(RunOutcome& outcome) override { outcome.local_bytes = map_.local_bytes; }
  [[nodiscard]] RunStats& stats() override { return stats_; }

 private:
  const RunConfig& config_;
  const SessionOptions& options_;
  SystemMapParams map_;
  FlatMemory behind_;  // stays empty
  std::optional<SystemMemory> memory_;
  FixedLatencyEngine nobody_;
  RunStats stats_;
};

class PagedMachine : public Machine {
 public:
  PagedMachine(const RunConfig& config, const SessionOptions& options)
      : config_(config), options_(options), map_(system_map(config)) {
    check_without_cxl(config, options);
    map_.local_bytes = 0;  // all of it is paged
  }

  void size(const RunInput& input) override;
  [[nodiscard]] const SystemMapParams& map() const override { return map_; }
  [[nodiscard]] GpuParams gpu_params() const override {
    GpuParams params = config_.gpu;
    params.fabric_cycles = 0;  // the engine is GPU memory itself, whose latency holds the way there
    return params;
  }
  [[nodiscard]] Backdoor& contents(Gpu&) override { return *contents_; }
  [[nodiscard]] RunGauges gauges() const override;
  [[nodiscard]] Engine& start() override { return *engine_; }
  [[nodiscard]] FlatMemory take_initial() override { return std::move(initial_); }

  void finish(const RunResult& result, RunOutcome& outcome) override {
    if (result.status == RunStatus::Done) engine_->drain();
    outcome.end = outcome.drained = engine_->now();
  }
  void add_findings(const CheckedEngine&, RunOutcome&) const override {}
  void judge(const FlatMemory& written, RunOutcome& outcome) const override {
    add_differences(outcome, *engine_, written, params_.base + params_.bytes,
                    options_.engine.replay);
  }
  void report(RunOutcome& outcome) override;
  [[nodiscard]] RunStats& stats() override { return stats_; }

 private:
  const RunConfig& config_;
  const SessionOptions& options_;
  SystemMapParams map_;
  PagedEngineParams params_;
  std::uint64_t frame_bytes_ = 0;
  Backing backing_;
  RunStats stats_;
  std::unique_ptr<PagedEngine> engine_;
  FlatMemory initial_;
  std::optional<TeeBackdoor> contents_;
};

void PagedMachine::size(const RunInput& input) {
  frame_bytes_ = local_share(config_, input.data_bytes);
  params_.base = map_.hdm_base;
  params_.bytes = (input.data_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  check_fits(config_, params_.bytes, 0);
  params_.frames = static_cast<std::uint32_t>(frame_bytes_ / kPageBytes);
  params_.memory = config_.gpu.local;
  params_.memory.part = local_part(config_, options_.config_dir / "media", frame_bytes_);
  params_.faults = config_.paging.faults(config_.memory);
  backing_ = make_backing(config_, options_, params_.bytes);
  TraceSink& sink = options_.tap == nullptr ? stats_ : options_.tap->before(stats_);
  engine_ = std::make_unique<PagedEngine>(params_, *backing_.store, &sink);
  contents_.emplace(*engine_, initial_);
}

RunGauges PagedMachine::gauges() const {
  RunGauges all = backing_.drives ? media_gauges(backing_.drives->counters()) : RunGauges{};
  const PagingStats& paging = engine_->stats();
  all.page_faults = paging.faults;
  all.pages_in = paging.pages_in;
  all.pages_out = paging.pages_out;
  return all;
}

void PagedMachine::report(RunOutcome& outcome) {
  outcome.local_bytes = frame_bytes_;
  if (backing_.drives) outcome.media = backing_.drives->counters();
  PagingOutcome paging{engine_->stats(), backing_.store->stats(), params_.frames, {}};
  if (config_.memory != MemoryKind::Uvm) {
    const DirectIoConfig& io = config_.paging.direct(config_.memory);
    paging.outside = Time{io.open_ps + io.close_ps};
  }
  outcome.paging = paging_json(paging);
}

}  // namespace

std::unique_ptr<Machine> make_paged_machine(const RunConfig& config,
                                            const SessionOptions& options) {
  return std::make_unique<PagedMachine>(config, options);
}

std::unique_ptr<Machine> make_gpu_dram_machine(const RunConfig& config,
                                               const SessionOptions& options) {
  return std::make_unique<GpuDramMachine>(config, options);
}

}  // namespace cxlgpu
