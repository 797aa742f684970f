// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A host with a language model that fetches prefixes of its requests (workload prefix): from host
// memory, or from drives.
//
// Purpose: no kernel runs; the program is the run's initiator, and checks every byte itself.
// Errors:  InputError for engines other than the model, for options that only a CXL system or the
//          requests of a GPU have, and for shapes, traces and sizes that it cannot have.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/host_machine.hpp"
#include "cli/prefix_summary.hpp"
#include "sim/serving/prefix_run.hpp"

namespace cxlgpu {

namespace {

class PrefixMachine : public HostMachine<PrefixRun> {
 public:
  using HostMachine::HostMachine;

  void size(const RunInput& input) override;
  [[nodiscard]] RunGauges gauges() const override { return media_gauges(run_->media()); }
  void report(RunOutcome& outcome) override {
    outcome.local_bytes = run_->buffer_bytes();
    outcome.media = run_->media();
    outcome.prefix = prefix_json(*run_, prefix_work(config_));
  }

 private:
  void check_buffers(const PrefixWork& work, const PrefixPlan& plan) const;
};

void PrefixMachine::check_buffers(const PrefixWork& work, const PrefixPlan& plan) const {
  std::uint64_t longest = 0, together = 0;
  for (const PrefixRequest& request : plan.requests) {
    if (request.slots.empty()) continue;
    for (const PrefixGroup& group : fetch_groups(work, plan, request)) {
      std::uint64_t all = 0;
      for (const IoSpan& span : group.spans) {
        longest = std::max(longest, span.bytes);
        all += span.bytes;
      }
      together = std::max(together, all);
    }
  }
  // Of copies host memory and the GPU's.
  const std::uint64_t bytes = runs_copies(config_.memory) ? 2 * longest : together;
  if (bytes <= kMostHostBytes) return;
  refuse(runs_copies(config_.memory) ? "workload.prefix_merge_bytes" : "workload.prefix_batch",
         fmt::format("makes buffers of {} bytes, more than {}; lower it", bytes, kMostHostBytes));
}

void PrefixMachine::size(const RunInput& input) {
  const PrefixWork work = prefix_work(config_);
  const PrefixPlan& plan = *input.prefixes;
  if (runs_copies(config_.memory)) {
    check_links();
    check_host_memory();
    check_buffers(work, plan);
    run_ = make_prefix_copies(work, plan, copy_scheme(config_.memory), config_.multipath);
    return;
  }
  if (work.kv().part_bytes() > kMostPrefixIo) {
    refuse("workload.prefix_tokens",
           fmt::format("{} make blocks of {} bytes a layer, and an I/O has at most {}; lower it",
                       work.tokens, work.kv().part_bytes(), kMostPrefixIo));
  }
  if (plan.slots > kMostHostBytes / work.block_bytes()) {
    refuse("workload.prefix_cache_blocks",
           fmt::format("{} blocks of {} bytes make a file of more than {}; name a smaller number, "
                       "or fewer requests (workload.size)",
                       plan.slots, work.block_bytes(), kMostHostBytes));
  }
  check_buffers(work, plan);
  IoRunParams params = io_run_params(config_, options_);
  params.work.mode = IoMode::Batch;
  run_ = make_prefix_ios(work, plan, params);
}

}  // namespace

PrefixWork prefix_work(const RunConfig& config) {
  PrefixWork work = config.workload.prefix;
  work.seed = config.seed;
  return work;
}

PrefixPlan prefix_plan(const RunConfig& config, const std::atomic<int>* stop) {
  const PrefixWork work = prefix_work(config);
  const auto refuse = [&config](const std::string& key, const std::string& what) {
    throw InputError(fmt::format("{}: key '{}': {}", config.place(key, "default"), key, what));
  };
  const std::uint64_t part = work.kv().part_bytes();
  if (part == 0 || part % HostKernel::kAlignment != 0) {
    refuse("workload.prefix_tokens",
           fmt::format("{} make blocks of {} bytes a layer; choose tokens, heads, head size and "
                       "bits that make multiples of {}",
                       work.tokens, part, HostKernel::kAlignment));
  }
  if (part > kMostHostBytes / 2 / work.model.layers) {
    refuse("workload.prefix_tokens",
           fmt::format("{} make blocks of {} bytes in each of {} layers, more than {}; lower them",
                       work.tokens, part, work.model.layers, kMostHostBytes / 2));
  }
  if (work.overlap && work.layout == KvLayout::Whole) {
    refuse("workload.prefix_overlap",
           "says nothing while workload.prefix_layout is whole; choose block or layer there");
  }
  const std::uint64_t size = host_work_size(config);
  const std::string& file = config.workload.file;
  if (file.empty()) return plan_prefixes(work, drawn_prefix_trace(work, size));
  KvTrace trace = read_kv_trace(file, stop);
  if (config.workload.size != 0) trace.keep(size);
  if (!trace.shared) {
    throw InputError(
        fmt::format("{}: its requests share no blocks and have no lengths; give a "
                    "trace in Mooncake's form",
                    file));
  }
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const KvRequest& request = trace.requests[i];
    const std::uint64_t blocks = (request.input_tokens + work.tokens - 1) / work.tokens;
    if (request.input_tokens != 0 && request.blocks.size() == blocks) continue;
    throw InputError(
        fmt::format("{}: request {} has {} blocks for {} tokens of {} each; set "
                    "workload.prefix_tokens to what a block of it has",
                    file, i + 1, request.blocks.size(), request.input_tokens, work.tokens));
  }
  return plan_prefixes(work, trace);
}

std::unique_ptr<Machine> make_prefix_machine(const RunConfig& config,
                                             const SessionOptions& options) {
  return std::make_unique<PrefixMachine>(config, options);
}

}  // namespace cxlgpu
