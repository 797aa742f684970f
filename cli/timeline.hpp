// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A run on a time axis, for Perfetto: what queues, links, dies and cores do, and how requests go
// from one to the next.
//
// Purpose: the requests of a run, which the report adds up, one by one. Beside them: what dies
//          of flash parts do, and why cores' warps cannot issue.
// Shapes:  a request is a slice in each stage that takes a nanosecond or more, joined by arrows;
//          the slices add up to its latency. The queue of a stage has as many lanes as it needs: a
//          slice takes the first lane that has ended by then. Of requests and of points of
//          speculation those are drawn that Sampling says; of cores and dies all of it. Only
//          requests that were accepted in the window and answered are drawn, else what began in
//          it.
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
  std::uint64_t every = 0;  // of the requests, one in so many; 0: as Sampling does by itself
  Time from{0}, to = Time::never();
};

// Which of many are drawn: one in `every`, from the first on. By itself the first kWhole, so that a
// short run is whole, and one in kThenEvery of what comes then, so that a file can be opened and
// costs little however long the run is.
class Sampling {
 public:
  static constexpr std::uint64_t kWhole = 10'000, kThenEvery = 100;
  explicit Sampling(std::uint64_t every)
      : whole_left_(every == 0 ? kWhole : 0), every_(every == 0 ? kThenEvery : every) {}
  // `number` counts from 1.
  [[nodiscard]] bool takes(std::uint64_t number) {
    if (whole_left_ != 0) {
      --whole_left_;
      return true;
    }
    return (number - 1) % every_ == 0;
  }

 private:
  std::uint64_t whole_left_, every_;
};

class Timeline : public RequestWatcher, public CoreWatcher {
 public:
  // `paged`: GPU memory is a pool of pages, whose stages mean other things.
  Timeline(const TimelineOptions& options, bool paged);
  ~Timeline() override;

  void on_request(const RequestRecord& record) override;
  void on_other(const TraceEvent& event) override;
  void on_stall(std::uint32_t core, Stall why, Time from, Time to) override;
  // Of the dies of a port. Lives as long as this.
  [[nodiscard]] DieWatcher& dies(unsigned port);
  void close();

 private:
  using Track = PerfettoWriter::Track;
  using Name = PerfettoWriter::Name;
  using Flow = PerfettoWriter::Flow;
  struct Lane {
    Time until;  // its last slice
    Track track;
    PerfettoWriter::Pattern pattern;
  };
  struct Queue {
    Track parent = 0;
    std::string_view name;
    std::uint64_t rank = 0;
    std::vector<Lane> lanes;

    // The first that is free by then; null: none is.
    const Lane* take(Time from, Time to);
  };
  using Queues = std::array<Queue, kPathStages>;
  using Path = std::array<Queue*, kPathStages>;
  struct Port {
    Track track = 0;
    Queues queues;
    Path path;  // of a request: its queues, and those of no port
    Track speculation = 0;
    Track dies = 0;
    std::map<std::uint32_t, Track> die_tracks;
  };
  struct Core {
    Track track = 0;
    Stall why = Stall::Idle;
    Time from{0}, to{0};
  };
  struct Names {  // of slices
    explicit Names(PerfettoWriter& file);
    std::array<Name, static_cast<std::size_t>(Stall::Count)> stalls{};
    std::array<Name, 4> loads{};  // by LookupResult
    Name store, spec_issue, spec_fill, spec_drop;
    std::map<std::string, Name, std::less<>> dies;
  };
  class Dies;

  [[nodiscard]] bool in_window(Time at) const { return at >= options_.from && at <= options_.to; }
  Port& port(unsigned number) {
    if (number < ports_.size() && ports_[number]) return *ports_[number];
    return new_port(number);
  }
  Port& new_port(unsigned number);
  const Lane& new_lane(Queue& queue, Time to);
  [[nodiscard]] Name name_of(const RequestRecord& record) const;
  void draw(const RequestRecord& record);
  void draw_large(const RequestRecord& record, const Path& path);
  void end_stall(Core& core);

  TimelineOptions options_;
  bool paged_;
  PerfettoWriter file_;
  Names names_;
  Track cores_track_ = 0, bridge_track_ = 0;
  Queues bridge_;  // stages that are of no port
  Path bridge_path_{};
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<Core> cores_;
  std::vector<std::unique_ptr<Dies>> dies_;
  Sampling of_requests_, of_speculation_;
  std::uint64_t speculation_ = 0;
};

}  // namespace cxlgpu
