// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A host with programs that copy between its memory and its GPUs' (workload copy).
//
// Purpose: no kernel runs; the programs are the run's initiator, and check every byte themselves.
// Errors:  InputError for engines other than the model, for options that only a CXL system or the
//          requests of a GPU have, and for GPUs, nodes and sizes that the host has not.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/copy_summary.hpp"
#include "cli/host_machine.hpp"
#include "sim/multipath/copy_run.hpp"

namespace cxlgpu {

namespace {

class CopyMachine : public HostMachine<CopyRun> {
 public:
  using HostMachine::HostMachine;

  void size(const RunInput& input) override;
  void report(RunOutcome& outcome) override {
    outcome.local_bytes = outcome.data_bytes;
    outcome.copy = copy_json(run_->result());
  }

 private:
  void check_names(const CopyWork& work) const;
  void check_bytes(const CopyWork& work) const;
};

// GPUs and nodes that keys name.
void CopyMachine::check_names(const CopyWork& work) const {
  const MultipathConfig& machine = config_.multipath;
  const auto known = [this](const std::string& key, std::uint64_t gpu) { check_gpu(key, gpu); };
  for (const std::uint64_t gpu : work.gpus) known("workload.copy_gpus", gpu);
  for (const std::uint64_t gpu : work.peer) known("workload.copy_peer", gpu);
  known("workload.copy_background", work.background.size() - 1);
  if (work.node != "local" && std::stoul(work.node) >= machine.nodes()) {
    refuse("workload.copy_node", fmt::format("{} is none of the {} nodes of {} GPUs; lower it",
                                             work.node, machine.nodes(), machine.gpus));
  }
  if (work.background_until_us != 0 && work.background_until_us < work.background_from_us) {
    refuse("workload.copy_background_until_us",
           fmt::format("{} is before workload.copy_background_from_us, {}; raise it, or 0 for the "
                       "end",
                       work.background_until_us, work.background_from_us));
  }
}

void CopyMachine::check_bytes(const CopyWork& work) const {
  const MultipathConfig& machine = config_.multipath;
  const std::uint64_t streams = work.gpus.size();
  const std::uint64_t engines = work.engines == CopyEngines::Each ? streams : 1;
  const std::uint64_t staging =
      std::min(machine.chunk_bytes, work.bytes) * machine.pipelines * machine.gpus * engines;
  const std::uint64_t all = 2 * work.bytes * streams + staging;
  if (all <= kMostHostBytes) return;
  refuse("workload.copy_bytes",
         fmt::format("{} bytes for {} GPUs make buffers of {} bytes, more than {}; lower it",
                     work.bytes, streams, all, kMostHostBytes));
}

void CopyMachine::size(const RunInput&) {
  const CopyWork work = copy_work(config_);
  check_names(work);
  check_links();
  check_bytes(work);
  check_host_memory();
  run_ =
      std::make_unique<CopyRun>(CopyParams{copy_scheme(config_.memory), config_.multipath, work});
}

}  // namespace

CopyScheme copy_scheme(MemoryKind memory) {
  return memory == MemoryKind::Direct   ? CopyScheme::Direct
         : memory == MemoryKind::Static ? CopyScheme::Static
                                        : CopyScheme::Mma;
}

CopyWork copy_work(const RunConfig& config) {
  CopyWork work = config.workload.copy;
  work.count = host_work_size(config);
  work.seed = config.seed;
  return work;
}

std::unique_ptr<Machine> make_copy_machine(const RunConfig& config, const SessionOptions& options) {
  return std::make_unique<CopyMachine>(config, options);
}

}  // namespace cxlgpu
