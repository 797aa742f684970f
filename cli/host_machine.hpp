// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A host with a program of its own, on which no kernel runs (workloads io, kvload, modelload,
// copy and prefix).
//
// Purpose: what all such machines are alike in: the program is the run's initiator, and checks
//          every byte itself.
// Shapes:  `Run` is a HostProgram with begin(), done(), judge() and problems(). size() of the
//          machine makes it, report() says what came of it.
// Errors:  InputError for engines other than the model, and for options that only a CXL system or
//          the requests of a GPU have.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "cli/machine.hpp"
#include "common/input_error.hpp"
#include "sim/host/fixed_latency_engine.hpp"
#include "sim/machine/run_checks.hpp"

namespace cxlgpu {

// Of a file on the drives, and of all buffers of a run together.
inline constexpr std::uint64_t kMostHostBytes = 16ULL << 30;

template <typename Run>
class HostMachine : public Machine {
 public:
  HostMachine(const RunConfig& config, const SessionOptions& options)
      : config_(config), options_(options) {
    check_host_program(config, options);
  }

  [[nodiscard]] const SystemMapParams& map() const override { return map_; }
  [[nodiscard]] GpuParams gpu_params() const override { return config_.gpu; }
  [[nodiscard]] Backdoor& contents(Gpu&) override {
    throw std::logic_error("a program of the host has no kernel");
  }
  [[nodiscard]] HostProgram* program() override { return run_.get(); }
  [[nodiscard]] RunStats& stats() override { return stats_; }
  [[nodiscard]] Engine& start() override {
    run_->begin();
    return clock_;
  }
  [[nodiscard]] FlatMemory take_initial() override { return {}; }

  void finish(const RunResult& result, RunOutcome& outcome) override {
    outcome.end = outcome.drained = result.end;
  }
  void add_findings(const CheckedEngine&, RunOutcome& outcome) const override {
    if (run_->done()) run_->judge();
    for (const std::string& problem : run_->problems()) {
      outcome.problems.push_back(fmt::format("{}: {}; replay: {}", config_.workload.name, problem,
                                             options_.engine.replay));
    }
  }
  void judge(const FlatMemory&, RunOutcome&) const override {}

 protected:
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const {
    throw InputError(
        fmt::format("{}: key '{}': {}", config_.place(key, config_.scenario), key, what));
  }
  void check_gpu(const std::string& key, std::uint64_t gpu) const {
    if (gpu < config_.multipath.gpus) return;
    refuse(key, fmt::format("names GPU {}, of {} (multipath.gpus); lower it, or raise that", gpu,
                            config_.multipath.gpus));
  }
  // What keys of the links of several GPUs name.
  void check_links() const {
    const MultipathConfig& links = config_.multipath;
    check_gpu("multipath.pcie_percent", links.pcie_percent.size() - 1);
    check_gpu("multipath.priority_gpu", links.priority_gpu);
    check_gpu("multipath.down_gpu", links.down_gpu);
    if (links.down_at_us == 0 && links.down_gpu != 0) {
      refuse("multipath.down_gpu", "says nothing while multipath.down_at_us is 0; give that too");
    }
    const std::size_t shares =
        std::min<std::size_t>({links.static_split.size(), links.paths, links.gpus});
    const auto end = links.static_split.begin() + static_cast<std::ptrdiff_t>(shares);
    if (std::all_of(links.static_split.begin(), end, [](std::uint64_t one) { return one == 0; })) {
      refuse("multipath.static_split",
             fmt::format("leaves {} paths nothing; give one a share", shares));
    }
  }
  void check_host_memory() const {
    const MediaConfig part = media_part(config_, options_.config_dir / "media");
    if (std::holds_alternative<DramConfig>(part.params)) return;
    refuse("media.part", fmt::format("'{}' is no DRAM, which host memory is for '{}'; choose dram",
                                     part.name, config_.workload.name));
  }

  const RunConfig& config_;
  const SessionOptions& options_;
  std::unique_ptr<Run> run_;

 private:
  SystemMapParams map_;
  FixedLatencyEngine clock_;
  RunStats stats_;
};

}  // namespace cxlgpu
