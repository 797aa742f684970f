// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The loop that drives one initiator on one engine.
//
// Purpose: step the initiator, then let time pass to whichever of the two has something to do
//          next. The only place where a run's time advances.
// Units:   `limit` is simulated time in picoseconds, absolute.
// Errors:  none thrown here; the status says how the run ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "common/engine.hpp"

namespace cxlgpu {

enum class RunStatus : std::uint8_t {
  Done,       // the initiator is done
  TimeLimit,  // the next event lies after the limit
  Deadlock,   // nobody has an event left and the initiator is not done
  Stopped     // from outside
};

struct RunResult {
  RunStatus status = RunStatus::Done;
  Time end;                 // engine time at the end
  std::uint64_t steps = 0;  // times the initiator was stepped
};

std::string_view to_string(RunStatus status);

// Looks on while a run goes.
class RunWatch {
 public:
  virtual ~RunWatch() = default;
  // After a step of the initiator; after how many more it is to be asked again, at least 1.
  virtual std::uint64_t on_steps(Time now) = 0;
};

// `stop`: not 0 once the run is to end before its time; null: never.
// `watch`: null: nobody looks on.
RunResult run(Initiator& initiator, Engine& engine, Time limit = Time::never(),
              const std::atomic<int>* stop = nullptr, RunWatch* watch = nullptr);

}  // namespace cxlgpu
