// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A host with a program that moves a file between its drives and GPU memory (workload io).
//
// Purpose: no kernel runs; the program is the run's initiator, and checks every byte itself.
// Errors:  InputError for engines other than the model, for options that only a CXL system or the
//          requests of a GPU have, and for work that the stack does not do.
#include <fmt/format.h>

#include <memory>

#include "cli/host_machine.hpp"
#include "cli/io_summary.hpp"
#include "sim/io/io_run.hpp"
#include "sim/machine/run_checks.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kMostBytes = 16ULL << 30;  // of a file, and of all buffers

class IoMachine : public HostMachine<IoRun> {
 public:
  using HostMachine::HostMachine;

  void size(const RunInput& input) override;
  [[nodiscard]] RunGauges gauges() const override { return media_gauges(run_->media()); }
  void report(RunOutcome& outcome) override {
    outcome.local_bytes = run_->buffer_bytes();
    outcome.media = run_->media();
    outcome.io = io_json(run_->result(), run_->steps());
  }
};

void IoMachine::size(const RunInput&) {
  IoRunParams params;
  params.stack = config_.memory;
  params.host = config_.io;
  params.pcie = config_.paging.pcie;
  params.work = io_work(config_);
  const IoWork& work = params.work;
  if (work.count < work.threads) {
    refuse("workload.io_threads", fmt::format("{} threads have {} I/Os (workload.size); lower it, "
                                              "or raise that",
                                              work.threads, work.count));
  }
  const std::uint64_t in_flight =
      work.bytes * work.threads * (work.mode == IoMode::Sync ? 1 : work.group);
  if (work.bytes * work.count > kMostBytes || in_flight > kMostBytes) {
    refuse("workload.io_bytes",
           fmt::format("{} bytes make a file of {} and buffers of {} bytes, more than {}; lower "
                       "it, or workload.size",
                       work.bytes, work.bytes * work.count, in_flight, kMostBytes));
  }
  params.part = media_part(config_, options_.config_dir / "media");
  const bool is_dram = std::holds_alternative<DramConfig>(params.part.params);
  std::string link = is_dram ? params.pcie.dram_drive : params.part.interface;
  if (params.host.drive_link != "part") link = params.host.drive_link;
  params.interface = load_host_interface(options_.config_dir / "host" / "nvme.yaml", link,
                                         params.part.file, params.part.interface_line);
  run_ = std::make_unique<IoRun>(params);
  if (const char* why = run_->without()) {
    refuse("workload.io_mode",
           fmt::format("{}: '{}' {}", kIoModeNames[static_cast<std::size_t>(work.mode)],
                       to_string(config_.memory), why));
  }
}

}  // namespace

IoWork io_work(const RunConfig& config) {
  IoWork work = config.workload.io;
  work.count = host_work_size(config);
  work.seed = config.seed;
  return work;
}

std::unique_ptr<Machine> make_io_machine(const RunConfig& config, const SessionOptions& options) {
  return std::make_unique<IoMachine>(config, options);
}

}  // namespace cxlgpu
