// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The files that are made of a run's trace events while it goes.
//
// Purpose: one sink for the machine, whatever of --events, --requests and --timeline is given.
// Shapes:  open() once the input is known to be good, so that a refused run leaves nothing; then
//          events and requests; then close(), without which no file gets its name.
// Errors:  flits::OutputError when a place cannot be written, of open() at once.
#pragma once

#include <optional>
#include <vector>

#include "cli/event_log.hpp"
#include "cli/request_log.hpp"
#include "cli/session.hpp"
#include "cli/timeline.hpp"

namespace cxlgpu {

class RunFiles : public TraceSink, public RequestWatcher {
 public:
  explicit RunFiles(const SessionOptions& options) : options_(options) {}
  // Whether any is of events; else they need not come here.
  [[nodiscard]] bool take_events() const { return !options_.events.empty(); }
  // ... of requests.
  [[nodiscard]] bool take_requests() const {
    return !options_.requests.empty() || !options_.timeline.file.empty();
  }
  // `paged`: of the machine.
  void open(bool paged);
  // After open(); null: there is none.
  [[nodiscard]] Timeline* timeline() { return timeline_ ? &*timeline_ : nullptr; }
  // After open() of a run that take_events(): the one that there is, or this for several.
  [[nodiscard]] TraceSink* sink() { return sinks_.size() == 1 ? sinks_.front() : this; }
  void on_event(const TraceEvent& event) override {
    for (TraceSink* sink : sinks_) sink->on_event(event);
  }
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
  std::optional<RequestLog> requests_;
  std::optional<Timeline> timeline_;
  std::vector<TraceSink*> sinks_;
};

}  // namespace cxlgpu
