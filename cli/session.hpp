// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One run from configuration to results.
//
// Purpose: builds media, engine and initiator from a RunConfig, runs them, checks what has to be
//          checked at the end, writes the output directory.
// Errors:  InputError for what the user got wrong; a failed check is a status, not an exception.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/log.hpp"
#include "cli/timeline.hpp"
#include "common/trace_event.hpp"
#include "sim/config/config.hpp"
#include "sim/persist/crash_walk.hpp"
#include "sim/stats/trace_tap.hpp"
#include "tb/system_engine.hpp"

namespace cxlgpu {

// Losses of power, of a workload that persists.
struct CrashOptions {
  std::optional<std::size_t> at;    // after so many events: its memory goes to endpoint.image_out
  std::size_t state = 0;            // which of that point's
  bool recover = false;             // the workload goes on from endpoint.image_in
  std::optional<WalkOptions> walk;  // all of them, each recovered
  bool invariant_only = false;      // ... or only looked at
  [[nodiscard]] bool journalled() const { return at || walk; }
};

struct SessionOptions {
  std::filesystem::path config_dir;
  std::string trace;     // trace file, "-": standard input, empty: the workload
  std::string out;       // output directory, empty: none
  bool page = true;      // ... with report.html, which costs some time
  std::string events;    // event log, empty: none
  std::string requests;  // request log, empty: none
  TimelineOptions timeline;
  TraceSink* sink = nullptr;  // told of every trace event as well; null: nobody
  TraceTap* tap = nullptr;    // the session's own: through it `sink` and files are told
  EngineOptions engine;
  Log log;
  bool quiet = false;             // nothing on a screen but what went wrong
  std::uint64_t progress_s = 30;  // between two lines of progress in a log
  CrashOptions crash;
  // Waves of so many cycles before the first mismatch, and some after it. The run is made without
  // them, and again with them if there was one, by the same seed.
  std::optional<std::uint64_t> waves_around;
  std::string waves_replay;    // the command without the option, for what is said of it
  Time until = Time::never();  // of the run: it ends there at the latest
  MakeRtlEngine make_rtl = make_rtl_engine;  // for a program that has a top of its own
};

// Exit status: 0 clean, 1 mismatch or wrong data, 3 run.limit_us reached, 128 + signal after one
// that asked to stop. What was measured is printed and written in each of these cases.
int run_session(const RunConfig& config, const SessionOptions& options);

// The same for a program: nothing is printed, and written only what `options` name.
struct SessionResult {
  int status = 0;                     // as run_session() has it
  std::string stats;                  // the text of stats.json
  std::vector<std::string> problems;  // what run_session() says on standard error, a line each
};
// Precondition: no losses of power (CrashOptions).
SessionResult session_result(const RunConfig& config, const SessionOptions& options);

// Names that scenarios are made of.
ScenarioNames scenario_names(const std::filesystem::path& config_dir);

}  // namespace cxlgpu
