// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A run on a time axis, for Perfetto: what queues, links, dies and cores do, and how requests go
// from one to the next.
//
// Purpose: the trace events of a run, which the report adds up, one by one. Beside them: what dies
//          of flash parts do, and why cores' warps cannot issue.
// Shapes:  a request is a slice in each stage that takes a nanosecond or more, joined by arrows;
//          the slices add up to its latency. The queue of a stage has as many lanes as it needs: a
//          slice takes the first lane that has ended by then. Every n-th request is drawn, counted
//          from the first, and every n-th MemSpecRd; of cores and dies all of it. Only requests
//          that were accepted in the window and answered are drawn, else what began in it.
//          Whatever happens next to each other without a gap on a core for the same reason is one
//          slice.
// Errors:  as of PerfettoWriter.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/perfetto_writer.hpp"
#include "common/media_port.hpp"
#include "sim/gpu/gpu_shared.hpp"
#include "sim/stats/request_tracker.hpp"

namespace cxlgpu {

struct TimelineOptions {
  std::string file;         // empty: none
  std::uint64_t every = 1;  // of the requests, one in so many
  Time from{0}, to = Time::never();
};

class Timeline : public TraceSink, public CoreWatcher {
 public:
  // `paged`: GPU memory is a pool of pages, whose stages mean other things.
  Timeline(const TimelineOptions& options, bool paged);
  ~Timeline() override;

  void on_event(const TraceEvent& event) override;
  void on_stall(std::uint32_t core, std::string_view why, Time from, Time to) override;
  // Of the dies of a port. Lives as long as this.
  [[nodiscard]] DieWatcher& dies(unsigned port);
  void close();

 private:
  using Track = PerfettoWriter::Track;
  struct Lane {
    Track track;
    Time end;
  };
  struct Queue {
    Track parent = 0;
    std::string_view name;
    std::uint64_t rank = 0;
    std::vector<Lane> lanes;
  };
  struct Port {
    Track track = 0;
    std::array<Queue, kPathStages> queues;
    Track speculation = 0;
    Track dies = 0;
    std::map<std::uint32_t, Track> die_tracks;
  };
  struct Stall {
    Track track = 0;
    std::string_view why;
    Time from, to;
  };
  class Dies;

  [[nodiscard]] bool in_window(Time at) const { return at >= options_.from && at <= options_.to; }
  Port& port(unsigned number);
  Queue& queue(const RequestRecord& record, std::size_t stage);
  void draw(const RequestRecord& record);
  void on_speculation(const TraceEvent& event);
  void end_stall(Stall& stall);

  TimelineOptions options_;
  bool paged_;
  PerfettoWriter file_;
  Track cores_track_ = 0, bridge_track_ = 0;
  std::array<Queue, kPathStages> bridge_;  // stages that are of no port
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<Stall> stalls_;  // by core
  std::vector<std::unique_ptr<Dies>> dies_;
  RequestTracker tracker_{[this](const RequestRecord& record) { draw(record); }};
  std::vector<std::uint64_t> drawn_;  // by id: the number of the request, 0: it is not drawn
  std::uint64_t requests_ = 0, speculation_ = 0;
};

}  // namespace cxlgpu
