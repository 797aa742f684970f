// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a run is on: the memory behind the GPU's last-level cache, and the engine that serves it.
//
// Purpose: what differs between the kinds of systems of a session: CXL, pages, all data in GPU
//          memory. session.hpp has the order of the calls, which is that of the functions here.
// Shapes:  size() once, contents() if a workload runs, then start(); judge() only of a run that
//          ended by itself.
// Errors:  InputError of the makers and of size() for settings that the machine cannot have.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/session_parts.hpp"
#include "cli/summary.hpp"
#include "cli/timeline.hpp"
#include "common/engine.hpp"
#include "sim/config/config.hpp"
#include "sim/gpu/gpu.hpp"
#include "sim/host/backdoor.hpp"
#include "sim/host/host_program.hpp"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/persist/journal.hpp"
#include "sim/stats/run_samples.hpp"
#include "sim/stats/run_stats.hpp"

namespace cxlgpu {

struct IoRunParams;

class Machine {
 public:
  virtual ~Machine() = default;

  // Makes what must be there before the input: as large as the data set wants it.
  virtual void size(const RunInput& input) = 0;
  [[nodiscard]] virtual const SystemMapParams& map() const = 0;
  // The GPU of a workload on this machine.
  [[nodiscard]] virtual GpuParams gpu_params() const = 0;
  // Memory as the host sees it: a kernel's input is written to it, its result is read from it.
  [[nodiscard]] virtual Backdoor& contents(Gpu& gpu) = 0;
  // What steps the GPU; after contents(). The machine outlives the run.
  [[nodiscard]] virtual Initiator& initiator(Gpu& gpu) { return gpu; }
  // What runs instead of a kernel or a trace; null: nothing.
  [[nodiscard]] virtual HostProgram* program() { return nullptr; }
  // Before start() it may be told whom to tell what.
  [[nodiscard]] virtual RunStats& stats() = 0;
  // What parts have counted so far.
  [[nodiscard]] virtual RunGauges gauges() const { return {}; }
  // With the input in place. The engine lives as long as the machine.
  [[nodiscard]] virtual Engine& start() = 0;
  // After start(): what dies do goes there.
  virtual void watch_dies(Timeline&) {}
  // What of the input is behind the engine, for the scoreboard.
  [[nodiscard]] virtual FlatMemory take_initial() = 0;

  // After the run: what is still on its way arrives, if the run ended by itself.
  virtual void finish(const RunResult& result, RunOutcome& outcome) = 0;
  // What checkers of its own have found, a line each.
  virtual void add_findings(const CheckedEngine& checked, RunOutcome& outcome) const = 0;
  // The first in time of what they have found. After finish().
  [[nodiscard]] virtual FirstProblem first_problem() const { return {}; }
  // A time of the run as a waveform counts.
  [[nodiscard]] virtual Time since_reset(Time of_run) const { return of_run; }
  // Contents against what was written.
  virtual void judge(const FlatMemory& written, RunOutcome& outcome) const = 0;

  // Figures, and what is kept for a later run.
  virtual void report(RunOutcome& outcome) = 0;
  // Of a run whose losses of power are looked at; null: it kept none.
  [[nodiscard]] virtual const Journal* journal() const { return nullptr; }
  // What a loss of power after so many events should have left and did not. Precondition: a
  // journal.
  [[nodiscard]] virtual std::optional<std::string> broken_promise(
      std::size_t /*events*/, const FlatMemory& /*left*/) const {
    return std::nullopt;
  }
  // Images of the parts with these contents of the persistent range. Precondition: a journal.
  virtual void write_crash_images(const FlatMemory&, const std::string&) const {}
  // What only this kind of machine adds to stats.json.
  virtual void complete(nlohmann::json&) const {}
  // Closes files written on the way; a line if one of them could not be.
  [[nodiscard]] virtual std::optional<std::string> close() { return std::nullopt; }
};

// By config.memory; both arguments outlive the machine.
std::unique_ptr<Machine> make_machine(const RunConfig& config, const SessionOptions& options);
// The kinds.
std::unique_ptr<Machine> make_cxl_machine(const RunConfig& config, const SessionOptions& options);
std::unique_ptr<Machine> make_paged_machine(const RunConfig& config, const SessionOptions& options);
std::unique_ptr<Machine> make_gpu_dram_machine(const RunConfig& config,
                                               const SessionOptions& options);
std::unique_ptr<Machine> make_io_machine(const RunConfig& config, const SessionOptions& options);
std::unique_ptr<Machine> make_copy_machine(const RunConfig& config, const SessionOptions& options);
std::unique_ptr<Machine> make_prefix_machine(const RunConfig& config,
                                             const SessionOptions& options);

// Of a host with drives: all but the work and its plan.
IoRunParams io_run_params(const RunConfig& config, const SessionOptions& options);

// Settings of a CXL system that others would pass over in silence: InputError.
void check_without_cxl(const RunConfig& config, const SessionOptions& options);
// ... and those of the requests of a kernel, of which a program of the host has none.
void check_host_program(const RunConfig& config, const SessionOptions& options);

}  // namespace cxlgpu
