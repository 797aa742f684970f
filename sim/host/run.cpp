// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/host/run.hpp"

#include <algorithm>

namespace cxlgpu {

std::string_view to_string(RunStatus status) {
  switch (status) {
    case RunStatus::Done:
      return "done";
    case RunStatus::TimeLimit:
      return "time limit reached";
    case RunStatus::Deadlock:
      return "deadlock";
    case RunStatus::Stopped:
      return "stopped";
  }
  return "unknown";
}

RunResult run(Initiator& initiator, Engine& engine, Time limit, const std::atomic<int>* stop,
              RunWatch* watch) {
  RunResult result;
  std::uint64_t ask = watch == nullptr ? 0 : 1;  // in which step the watch is asked
  Time now = engine.now();                       // a step takes no time
  for (;;) {
    initiator.step(engine);
    ++result.steps;
    result.end = now;
    if (initiator.done()) return result;
    if (stop != nullptr && stop->load(std::memory_order_relaxed) != 0) {
      result.status = RunStatus::Stopped;
      return result;
    }
    if (result.steps == ask) ask += watch->on_steps(now);
    if (now >= limit) {
      result.status = RunStatus::TimeLimit;
      return result;
    }
    Time next = initiator.next_event();
    if (next != Time::never()) next = std::max(ceil_to_cycle(next), ceil_to_cycle(now + Time{1}));
    engine.advance_to(std::min(next, limit));
    const Time before = now;
    now = engine.now();
    if (now == before) {
      result.status = RunStatus::Deadlock;
      return result;
    }
  }
}

}  // namespace cxlgpu
