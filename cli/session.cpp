// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/session.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "cli/gpu_figures.hpp"
#include "cli/machine.hpp"
#include "cli/run_checks.hpp"
#include "cli/session_parts.hpp"
#include "cli/summary.hpp"
#include "cli/write_file.hpp"
#include "common/input_error.hpp"
#include "sim/config/configurations.hpp"
#include "sim/gpu/gpu.hpp"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/host/trace_initiator.hpp"
#include "sim/media/media_config.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {

namespace {

// A run in four steps, each once and in this order.
class Session {
 public:
  Session(const RunConfig& config, const SessionOptions& options)
      : config_(config), options_(options) {
    outcome_.config = config;
    outcome_.command = options.engine.replay;
  }
  void make();
  void run();
  void judge();
  int report();

 private:
  [[nodiscard]] bool done() const { return result_.status == RunStatus::Done; }

  const RunConfig& config_;
  const SessionOptions& options_;
  std::unique_ptr<Machine> machine_;
  RunInput input_;
  std::unique_ptr<Gpu> gpu_;  // this or the next
  std::unique_ptr<TraceInitiator> replay_;
  Backdoor* contents_ = nullptr;  // of a workload
  std::optional<ResultFolder> folder_;
  std::optional<CheckedEngine> checked_;
  RunResult result_;
  RunOutcome outcome_;
};

void Session::make() {
  machine_ = make_machine(config_, options_);
  input_ = make_input(config_, options_.trace);
  outcome_.data_bytes = input_.data_bytes;
  machine_->size(input_);
  if (input_.workload) {
    gpu_ = std::make_unique<Gpu>(machine_->gpu_params(), machine_->map());
    contents_ = &machine_->contents(*gpu_);
    Allocator allocator(machine_->map());
    input_.workload->setup(allocator, *contents_);
    input_.workload->launch(*gpu_);
  } else {
    replay_ = make_replay(config_, std::move(input_));
  }
  folder_.emplace(options_.out);
  checked_.emplace(machine_->start());
  checked_->shadow() = machine_->take_initial();
}

void Session::run() {
  Initiator& initiator = gpu_ ? static_cast<Initiator&>(*gpu_) : *replay_;
  const auto wall = std::chrono::steady_clock::now();
  result_ = run_to_limit(initiator, *checked_, config_);
  outcome_.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  machine_->finish(result_, outcome_);
}

void Session::judge() {
  outcome_.reads_checked = checked_->reads();
  outcome_.writes_sent = checked_->writes();
  outcome_.mismatches = checked_->mismatches();
  add_findings(outcome_, *checked_, options_.engine.replay);
  machine_->add_findings(*checked_, outcome_);
  add_ending(outcome_, result_, *checked_, gpu_.get(), replay_.get(), options_);
  if (!done()) return;  // what is in flight has no contents to be held against
  machine_->judge(checked_->shadow(), outcome_);
  if (!input_.workload) return;
  if (const auto wrong = input_.workload->verify(*contents_)) {
    outcome_.problems.push_back(
        fmt::format("{}: {}; replay: {}", config_.workload.name, *wrong, options_.engine.replay));
  }
}

int Session::report() {
  machine_->report(outcome_);
  if (gpu_) outcome_.gpu = gpu_json(gpu_->stats(), config_.gpu);
  nlohmann::json document = to_json(outcome_, machine_->stats());
  machine_->complete(document);
  const std::optional<std::string> not_written = machine_->close();
  const int status = finish_session(outcome_, document, options_);
  if (!not_written) return status;
  fmt::print(stderr, "{}\n", one_line(*not_written));
  return status == 0 ? 2 : status;
}

}  // namespace

ScenarioNames scenario_names(const std::filesystem::path& config_dir) {
  return {workload_names(), media_names(config_dir / "media"), configuration_names()};
}

std::unique_ptr<Machine> make_machine(const RunConfig& config, const SessionOptions& options) {
  switch (config.memory) {
    case MemoryKind::Cxl:
      check_machine(config);
      return make_cxl_machine(config, options);
    case MemoryKind::GpuDram:
      return make_gpu_dram_machine(config, options);
    default:
      return make_paged_machine(config, options);
  }
}

int run_session(const RunConfig& config, const SessionOptions& options) {
  Session session(config, options);
  session.make();
  session.run();
  session.judge();
  return session.report();
}

}  // namespace cxlgpu
