// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A host with a program that moves a file between its drives and GPU memory (workload io), or loads
// blocks of a KV cache (kvload) or a model's tensors (modelload) from one.
//
// Purpose: no kernel runs; the program is the run's initiator, and checks every byte itself.
// Errors:  InputError for engines other than the model, for options that only a CXL system or the
//          requests of a GPU have, and for work that the stack does not do.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "cli/host_machine.hpp"
#include "cli/io_summary.hpp"
#include "sim/io/io_run.hpp"

namespace cxlgpu {

namespace {

class IoMachine : public HostMachine<IoRun> {
 public:
  using HostMachine::HostMachine;

  void size(const RunInput& input) override;
  [[nodiscard]] RunGauges gauges() const override { return media_gauges(run_->media()); }
  void report(RunOutcome& outcome) override {
    outcome.local_bytes = run_->buffer_bytes();
    outcome.media = run_->media();
    outcome.io = io_json(run_->result(), run_->steps());
    if (kv_) outcome.io["kv"] = *kv_;
    if (model_) outcome.io["model"] = *model_;
  }

 private:
  [[nodiscard]] IoWork checked_work() const;
  [[nodiscard]] IoWork kvload_work(const KvTrace& trace, const KvLoadPlan& plan);

  std::optional<nlohmann::json> kv_, model_;
};

IoWork IoMachine::checked_work() const {
  const IoWork work = io_work(config_);
  if (work.count < work.threads) {
    refuse("workload.io_threads", fmt::format("{} threads have {} I/Os (workload.size); lower it, "
                                              "or raise that",
                                              work.threads, work.count));
  }
  const std::uint64_t in_flight =
      work.bytes * work.threads * (one_at_a_time(work.mode) ? 1 : work.group);
  if (work.bytes * work.count > kMostHostBytes || in_flight > kMostHostBytes) {
    refuse("workload.io_bytes",
           fmt::format("{} bytes make a file of {} and buffers of {} bytes, more than {}; lower "
                       "it, or workload.size",
                       work.bytes, work.bytes * work.count, in_flight, kMostHostBytes));
  }
  return work;
}

IoWork IoMachine::kvload_work(const KvTrace& trace, const KvLoadPlan& plan) {
  kv_ = kv_cache_json(trace, plan);
  IoWork work;
  work.mode = IoMode::Batch;
  work.seed = config_.seed;
  return work;
}

void IoMachine::size(const RunInput& input) {
  IoRunParams params = io_run_params(config_, options_);
  if (input.kv) {
    const std::shared_ptr<KvLoadPlan> plan = kvload_plan(config_, *input.kv);
    params.work = kvload_work(*input.kv, *plan);
    params.plan = [plan] { return std::make_unique<KvLoadPlan>(*plan); };
  } else if (input.model) {
    const std::shared_ptr<ModelLoadPlan> plan = modelload_plan(config_, *input.model);
    model_ = model_json(*input.model, *plan);
    params.work.mode = config_.memory == MemoryKind::Posix ? IoMode::Mmap : IoMode::Sync;
    params.work.registration = IoRegistration::Each;
    params.work.seed = config_.seed;
    params.plan = [plan] { return std::make_unique<ModelLoadPlan>(*plan); };
  } else {
    params.work = checked_work();
  }
  run_ = std::make_unique<IoRun>(params);
  if (const char* why = run_->without()) {
    refuse("workload.io_mode",
           fmt::format("{}: '{}' {}", kIoModeNames[static_cast<std::size_t>(params.work.mode)],
                       to_string(config_.memory), why));
  }
}

}  // namespace

IoRunParams io_run_params(const RunConfig& config, const SessionOptions& options) {
  IoRunParams params;
  params.stack = config.memory;
  params.host = config.io;
  params.pcie = config.paging.pcie;
  params.part = media_part(config, options.config_dir / "media");
  const bool is_dram = std::holds_alternative<DramConfig>(params.part.params);
  std::string link = is_dram ? params.pcie.dram_drive : params.part.interface;
  if (params.host.drive_link != "part") link = params.host.drive_link;
  params.interface = load_host_interface(options.config_dir / "host" / "nvme.yaml", link,
                                         params.part.file, params.part.interface_line);
  return params;
}

IoWork io_work(const RunConfig& config) {
  IoWork work = config.workload.io;
  work.count = host_work_size(config);
  work.seed = config.seed;
  return work;
}

KvTrace kvload_trace(const RunConfig& config, const std::atomic<int>* stop) {
  const std::uint64_t size = host_work_size(config);
  if (config.workload.file.empty()) return drawn_kv_trace(config.seed, size);
  KvTrace trace = read_kv_trace(config.workload.file, stop);
  if (config.workload.size != 0) trace.keep(size);
  return trace;
}

std::unique_ptr<KvLoadPlan> kvload_plan(const RunConfig& config, const KvTrace& trace) {
  const KvLoadWork& work = config.workload.kvload;
  const auto refuse = [&config](const std::string& key, const std::string& what) {
    throw InputError(fmt::format("{}: key '{}': {}", config.place(key, "default"), key, what));
  };
  const std::uint64_t bytes = work.part_bytes();
  if (bytes == 0 || bytes % HostKernel::kAlignment != 0) {
    refuse("workload.kvload_tokens",
           fmt::format("{} make blocks of {} bytes a layer, which direct I/O cannot read; choose "
                       "tokens, heads, bits and per cents that make multiples of {}",
                       work.tokens, bytes, HostKernel::kAlignment));
  }
  if (bytes > kMostHostBytes / work.layers / trace.blocks) {
    refuse("workload.kvload_layers",
           fmt::format("{} layers of {} blocks of {} bytes make a file of more than {}; lower "
                       "them, or name a trace of fewer blocks",
                       work.layers, trace.blocks, bytes, kMostHostBytes));
  }
  std::vector<std::vector<std::uint64_t>> requests = trace.cached();
  if (std::all_of(requests.begin(), requests.end(), [](const auto& one) { return one.empty(); })) {
    throw InputError(
        fmt::format("{}: no request of it names a block that one before it has; give a longer "
                    "trace, or more requests (workload.size)",
                    config.workload.file));
  }
  auto plan = std::make_unique<KvLoadPlan>(work, std::move(requests), trace.blocks);
  std::uint64_t buffers = 0;
  for (const std::uint64_t one : plan->buffers()) buffers += one;
  if (buffers > kMostHostBytes) {
    refuse("workload.kvload_batch", fmt::format("{} I/Os have buffers of {} bytes, more than {}; "
                                                "lower it, or workload.kvload_merge_bytes",
                                                work.batch, buffers, kMostHostBytes));
  }
  return plan;
}

Safetensors modelload_tensors(const RunConfig& config) {
  const std::uint64_t size = host_work_size(config);
  if (config.workload.file.empty()) return small_model(size);
  Safetensors model = read_safetensors(config.workload.file);
  if (config.workload.size != 0) model.keep(size);
  return model;
}

std::unique_ptr<ModelLoadPlan> modelload_plan(const RunConfig& config, const Safetensors& model) {
  if (model.file_bytes() > kMostHostBytes) {
    throw InputError(fmt::format(
        "{}: {} tensors end at byte {}, and a run holds {}; load fewer of "
        "them (workload.size)",
        config.workload.file, model.tensors.size(), model.file_bytes(), kMostHostBytes));
  }
  return std::make_unique<ModelLoadPlan>(model, config.memory != MemoryKind::Posix,
                                         config.io.phoenix.mapping_bytes);
}

std::unique_ptr<Machine> make_io_machine(const RunConfig& config, const SessionOptions& options) {
  return std::make_unique<IoMachine>(config, options);
}

}  // namespace cxlgpu
