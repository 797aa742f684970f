// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// How far a run is, on standard error while it runs.
//
// Purpose: on a terminal one line that is drawn again and wiped at the end; elsewhere (a log, a
//          pipe) a whole line every `seconds`, which begins with "progress: ".
// Rules:   a share is said only if it is known: requests issued of a trace, kernels done of
//          several. Time left follows from it. Of one kernel nobody knows how long it is: its line
//          says how often as many bytes as the data set has were moved.
// Errors:  none: what cannot be written is lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sim/host/run.hpp"

namespace cxlgpu {

// Of the run so far.
struct ProgressSample {
  std::uint64_t requests = 0;   // answered or in flight, loads and stores
  std::optional<double> share;  // 0..1
  std::string place;            // "kernel 2 of 5", empty: nothing to say
};

class Progress : public RunWatch {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Where : std::uint8_t { Nowhere, Terminal, Log };
  // Where standard error goes.
  [[nodiscard]] static Where standard_error();

  Progress(Where where, std::uint64_t seconds, std::function<ProgressSample()> sample);
  ~Progress() override { wipe(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  std::uint64_t on_steps(Time now) override;
  // No trace of the line is left on the terminal.
  void wipe();

 private:
  void say(Time now, Clock::time_point at);

  Where where_;
  Clock::duration every_;
  std::function<ProgressSample()> sample_;
  Clock::time_point start_, asked_, said_;
  std::uint64_t gap_ = 1;            // steps from one question to the next
  std::uint64_t said_requests_ = 0;  // when last said
  bool drawn_ = false;
};

// "progress: " is not in it. `rate`: requests a second.
[[nodiscard]] std::string progress_text(const ProgressSample& sample, Time now, double elapsed_s,
                                        double rate);

}  // namespace cxlgpu
