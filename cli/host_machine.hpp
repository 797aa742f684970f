// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A host with a program of its own, on which no kernel runs (workloads io, kvload, modelload and
// copy).
//
// Purpose: what all such machines are alike in: the program is the run's initiator, and checks
//          every byte itself.
// Shapes:  `Run` is a HostProgram with begin(), done(), judge() and problems(). size() of the
//          machine makes it, report() says what came of it.
// Errors:  InputError for engines other than the model, and for options that only a CXL system or
//          the requests of a GPU have.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "cli/machine.hpp"
#include "common/input_error.hpp"
#include "sim/host/fixed_latency_engine.hpp"

namespace cxlgpu {

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

  const RunConfig& config_;
  const SessionOptions& options_;
  std::unique_ptr<Run> run_;

 private:
  SystemMapParams map_;
  FixedLatencyEngine clock_;
  RunStats stats_;
};

}  // namespace cxlgpu
