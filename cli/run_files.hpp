// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The files that are made of a run's trace events while it goes.
//
// Purpose: one tap for the machine, whatever of --events, --requests and --timeline is given.
// Shapes:  open() once the input is known to be good, so that a refused run leaves nothing; then
//          events and requests; then close(), without which no file gets its name.
// Errors:  flits::OutputError when a place cannot be written, of open() at once.
#pragma once

#include <optional>

#include "cli/event_log.hpp"
#include "cli/request_log.hpp"
#include "cli/session.hpp"
#include "cli/timeline.hpp"
#include "sim/stats/trace_tap.hpp"

namespace cxlgpu {

class RunFiles : public TraceTap, public RequestWatcher {
 public:
  explicit RunFiles(const SessionOptions& options);
  // Whether events have to come here on their way to the statistics.
  [[nodiscard]] bool take_events() const { return events_ || options_.sink != nullptr; }
  // ... requests.
  [[nodiscard]] bool take_requests() const {
    return !options_.requests.empty() || !options_.timeline.file.empty();
  }
  [[nodiscard]] TraceSink& before(TraceSink& next) override;
  // `paged`: of the machine.
  void open(bool paged);
  // After open(); null: there is none.
  [[nodiscard]] Timeline* timeline() { return timeline_ ? &*timeline_ : nullptr; }
  void on_request(const RequestRecord& record) override {
    if (requests_) requests_->add(record);
    if (timeline_) timeline_->on_request(record);
  }
  void on_other(const TraceEvent& event) override {
    if (timeline_) timeline_->on_other(event);
  }
  void close();

 private:
  const SessionOptions& options_;
  std::optional<EventLog> events_;
  std::optional<TraceTee> with_sink_;
  std::optional<RequestLog> requests_;
  std::optional<Timeline> timeline_;
};

}  // namespace cxlgpu
