// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Puts trace events together again into one record a request.
//
// Purpose: everything that reports or compares requests works on these records; nothing else than
//          trace events goes in.
// Units:   picoseconds. A stage a request did not pass has time never().
// Shapes:  one open record a system id; a record is handed on when its SysRespond comes. Writes of
//          the root ports' own are no requests.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "common/request.hpp"
#include "common/trace_event.hpp"

namespace cxlgpu {

inline constexpr std::size_t kPathStages = static_cast<std::size_t>(Stage::SpecIssue);

struct RequestRecord {
  std::uint64_t number = 0;  // 1: the first that was accepted
  std::uint32_t id = 0;
  std::uint8_t port = 0;
  bool is_write = false;
  bool error = false;
  bool routed = false;  // reached a root port
  std::uint8_t tag = 0;
  std::uint8_t opcode = 0;  // as seen by the endpoint
  std::uint64_t addr = 0;   // HPA
  std::uint64_t dpa = 0;
  LookupResult lookup = LookupResult::Bypass;
  std::array<Time, kPathStages> at;

  // Every field is reset: the record is that of the request which had the id before.
  void begin(const TraceEvent& accepted) {
    at.fill(Time::never());
    id = accepted.id;
    addr = accepted.addr;
    dpa = 0;
    port = tag = opcode = 0;
    is_write = accepted.info & 1;
    error = routed = false;
    lookup = LookupResult::Bypass;
  }
  [[nodiscard]] Time time(Stage stage) const { return at[static_cast<std::size_t>(stage)]; }
  // Answered from GPU local memory, or done in it.
  [[nodiscard]] bool local() const { return routed && time(Stage::MemqAlloc) == Time::never(); }
  [[nodiscard]] Time latency() const { return time(Stage::SysRespond) - time(Stage::SysAccept); }
};

// Time in a stage: from the one passed before it. 0: not passed.
[[nodiscard]] inline Time time_in_stage(const RequestRecord& record, std::size_t stage) {
  if (stage == 0 || record.at[stage] == Time::never()) return Time{0};
  std::size_t before = stage - 1;
  while (before > 0 && record.at[before] == Time::never()) --before;
  return record.at[stage] - record.at[before];
}

// Of a PortRespond: above the tag.
[[nodiscard]] inline unsigned dev_load_of(const TraceEvent& event) {
  return event.info >> 6 & 3;
}

class RequestTracker final : public TraceSink {
 public:
  using OnRecord = std::function<void(const RequestRecord&)>;
  explicit RequestTracker(OnRecord on_record) : on_record_(std::move(on_record)) {}

  void on_event(const TraceEvent& event) override;
  // One of a request's path.
  void note(const TraceEvent& event);
  // The request that has the id, as far as it has come; null: none ever had it.
  [[nodiscard]] const RequestRecord* find(std::uint32_t id) const {
    return id < open_.size() ? &open_[id] : nullptr;
  }

 private:
  OnRecord on_record_;
  std::vector<RequestRecord> open_;  // by id
  std::uint64_t accepted_ = 0;
};

inline void RequestTracker::on_event(const TraceEvent& event) {
  if (event.stage < Stage::SpecIssue) note(event);
}

// On the path of every request: inline, since it is less than its call.
[[gnu::always_inline]] inline void RequestTracker::note(const TraceEvent& event) {
  if (event.id >= open_.size()) {
    if (event.id >= kRootPortIds) return;
    open_.resize(event.id + 1);
  }
  RequestRecord& record = open_[event.id];
  if (event.stage == Stage::SysAccept) {
    record.begin(event);
    record.number = ++accepted_;
  }
  record.at[static_cast<std::size_t>(event.stage)] = event.at;
  switch (event.stage) {
    case Stage::PortEnqueue:
      record.port = event.port;
      record.routed = true;
      break;
    case Stage::MemqAlloc:
      record.tag = static_cast<std::uint8_t>(event.info);
      break;
    case Stage::EpAccept:
      record.opcode = static_cast<std::uint8_t>(event.info);
      break;
    case Stage::EpLookup:
      record.lookup = static_cast<LookupResult>(event.info & 3);
      record.dpa = event.addr;
      break;
    case Stage::SysRespond:
      record.error = event.info & 1;
      on_record_(record);
      break;
    default:
      break;
  }
}

// Told of each request when it is answered, and of events that are not of a request's path: who
// keeps the record of a request already asks its watcher, so that no event is looked at twice.
class RequestWatcher {
 public:
  virtual ~RequestWatcher() = default;
  virtual void on_request(const RequestRecord& record) = 0;
  virtual void on_other(const TraceEvent& event) = 0;
};

// Hands every event to several sinks.
class TraceFanOut : public TraceSink {
 public:
  explicit TraceFanOut(std::vector<TraceSink*> sinks) : sinks_(std::move(sinks)) {}
  void on_event(const TraceEvent& event) override {
    for (TraceSink* sink : sinks_) sink->on_event(event);
  }

 private:
  std::vector<TraceSink*> sinks_;
};

}  // namespace cxlgpu
