// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Whoever is told of a run's events beside its statistics.
//
// Purpose: each of them hands an event on to the next, so that several cost little more than what
//          they do: TraceFanOut, for any number, walks over them.
#pragma once

#include "common/trace_event.hpp"

namespace cxlgpu {

class TraceTap {
 public:
  virtual ~TraceTap() = default;
  // What an engine is given in the place of `next`, which is told of the same.
  [[nodiscard]] virtual TraceSink& before(TraceSink& next) = 0;
};

class TraceTee final : public TraceSink {
 public:
  TraceTee(TraceSink& first, TraceSink& second) : first_(first), second_(second) {}
  void on_event(const TraceEvent& event) override {
    first_.on_event(event);
    second_.on_event(event);
  }

 private:
  TraceSink& first_;
  TraceSink& second_;
};

}  // namespace cxlgpu
