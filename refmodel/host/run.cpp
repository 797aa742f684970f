#include "refmodel/host/run.hpp"

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
  }
  return "unknown";
}

RunResult run(Initiator& initiator, Engine& engine, Time limit) {
  RunResult result;
  for (;;) {
    initiator.step(engine);
    ++result.steps;
    const Time now = engine.now();
    result.end = now;
    if (initiator.done()) return result;
    Time next = std::min(engine.next_event(), initiator.next_event());
    if (next == Time::never()) {
      result.status = RunStatus::Deadlock;
      return result;
    }
    next = ceil_to_cycle(next);
    if (next <= now) next = ceil_to_cycle(now + Time{1});
    if (next > limit) {
      result.status = RunStatus::TimeLimit;
      return result;
    }
    engine.advance_to(next);
  }
}

}  // namespace cxlgpu
