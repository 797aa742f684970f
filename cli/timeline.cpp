// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/timeline.hpp"

#include <fmt/format.h>

namespace cxlgpu {

namespace {

constexpr std::size_t index(Stage stage) {
  return static_cast<std::size_t>(stage);
}

// Behind the queues of a port.
constexpr std::uint64_t kSpeculationRank = kPathStages, kDiesRank = kPathStages + 1;

// As the report page calls them.
constexpr std::array<std::string_view, kPathStages> kQueueNames = {"",
                                                                   "host bridge",
                                                                   "SR queue",
                                                                   "memory queue",
                                                                   "request on the link",
                                                                   "endpoint's receive queue",
                                                                   "internal DRAM lookup",
                                                                   "wait for the medium",
                                                                   "medium",
                                                                   "endpoint's response queue",
                                                                   "response on the link",
                                                                   "root port takes the response",
                                                                   "response on the system bus"};

std::string_view paged_name(std::size_t stage) {
  if (stage == index(Stage::EpLookup)) return "look up the page";
  if (stage == index(Stage::MediaDone)) return "GPU memory, or the page's migration";
  if (stage == index(Stage::SysRespond)) return "answer";
  return kQueueNames[stage];
}

std::string_view kind_of(const RequestRecord& record) {
  if (record.is_write) return "store";
  if (record.time(Stage::EpLookup) == Time::never()) return "load";
  switch (record.lookup) {
    case LookupResult::Hit:
      return "load, hit";
    case LookupResult::Miss:
      return "load, miss";
    case LookupResult::Merge:
      return "load, merged";
    case LookupResult::Bypass:
      break;
  }
  return "load";
}

bool of_the_bridge(std::size_t stage) {
  return stage == index(Stage::PortEnqueue) || stage == index(Stage::SysRespond);
}

}  // namespace

class Timeline::Dies : public DieWatcher {
 public:
  Dies(Timeline& timeline, unsigned port) : timeline_(timeline), port_(port) {}
  void on_die(std::uint32_t die, std::string_view what, Time from, Time to) override {
    if (!timeline_.in_window(from)) return;
    Port& port = timeline_.port(port_);
    PerfettoWriter& file = timeline_.file_;
    if (port.dies == 0) port.dies = file.track("dies", port.track, kDiesRank);
    Track& track = port.die_tracks[die];
    if (track == 0) track = file.track(fmt::format("die {}", die), port.dies, die);
    file.slice({.track = track, .name = what, .from = from, .to = to});
  }

 private:
  Timeline& timeline_;
  unsigned port_;
};

Timeline::Timeline(const TimelineOptions& options, bool paged)
    : options_(options), paged_(paged), file_(options.file) {
  cores_track_ = file_.track("cores", PerfettoWriter::kRoot, 0);
  bridge_track_ = file_.track(paged ? "paged memory" : "host bridge", PerfettoWriter::kRoot, 1);
  for (std::size_t stage = 1; stage < kPathStages; ++stage) {
    if (!paged && !of_the_bridge(stage)) continue;
    bridge_[stage] = {bridge_track_, paged ? paged_name(stage) : kQueueNames[stage], stage, {}};
  }
}

Timeline::~Timeline() = default;

DieWatcher& Timeline::dies(unsigned port) {
  return *dies_.emplace_back(std::make_unique<Dies>(*this, port));
}

Timeline::Port& Timeline::port(unsigned number) {
  if (ports_.size() <= number) ports_.resize(number + 1);
  std::unique_ptr<Port>& made = ports_[number];
  if (made) return *made;
  made = std::make_unique<Port>();
  made->track = file_.track(fmt::format("port {}", number), PerfettoWriter::kRoot, 2 + number);
  for (std::size_t stage = 1; stage < kPathStages; ++stage) {
    made->queues[stage] = {made->track, kQueueNames[stage], stage, {}};
  }
  return *made;
}

Timeline::Queue& Timeline::queue(const RequestRecord& record, std::size_t stage) {
  if (paged_ || of_the_bridge(stage)) return bridge_[stage];
  return port(record.port).queues[stage];
}

void Timeline::on_event(const TraceEvent& event) {
  if (event.stage >= Stage::SpecIssue) return on_speculation(event);
  if (event.id >= drawn_.size()) {
    if (event.id >= kRootPortIds) return;
    drawn_.resize(event.id + 1);
  }
  std::uint64_t& drawn = drawn_[event.id];
  if (event.stage == Stage::SysAccept) {
    drawn = 0;
    if (in_window(event.at) && requests_++ % options_.every == 0) drawn = requests_;
  }
  if (drawn != 0) tracker_.note(event);
}

void Timeline::draw(const RequestRecord& record) {
  const std::uint64_t flow = drawn_[record.id];
  drawn_[record.id] = 0;
  const auto nanosecond = [](Time at) { return at.ps / 1000; };
  std::size_t last = 0;
  Time before = record.time(Stage::SysAccept);
  for (std::size_t stage = 1; stage < kPathStages; ++stage) {
    if (record.at[stage] == Time::never()) continue;
    if (nanosecond(record.at[stage]) != nanosecond(before)) last = stage;
    before = record.at[stage];
  }
  before = record.time(Stage::SysAccept);
  bool first = true;
  for (std::size_t stage = 1; stage < kPathStages; ++stage) {
    const Time at = record.at[stage];
    if (at == Time::never()) continue;
    if (nanosecond(at) != nanosecond(before)) {
      Queue& queue = this->queue(record, stage);
      Lane* lane = nullptr;
      for (Lane& one : queue.lanes) {
        if (one.end <= before) {
          lane = &one;
          break;
        }
      }
      if (lane == nullptr) {
        lane = &queue.lanes.emplace_back(
            Lane{file_.track(queue.name, queue.parent, queue.rank), Time{0}});
      }
      lane->end = at;
      std::vector<PerfettoWriter::Note> notes;
      if (first) {
        notes = {{"request", flow},
                 {"address", record.addr, true},
                 {"latency_ns", record.latency().ps / 1000}};
      }
      file_.slice({.track = lane->track,
                   .name = kind_of(record),
                   .from = before,
                   .to = at,
                   .flow = flow,
                   .ends_flow = stage == last},
                  notes);
      first = false;
    }
    before = at;
  }
}

void Timeline::on_speculation(const TraceEvent& event) {
  std::string_view name;
  if (event.stage == Stage::SpecIssue) name = "MemSpecRd";
  if (event.stage == Stage::SpecFill) name = "fill";
  if (event.stage == Stage::SpecDrop) name = "dropped";
  if (name.empty() || !in_window(event.at) || speculation_++ % options_.every != 0) return;
  Port& port = this->port(event.port);
  if (port.speculation == 0)
    port.speculation = file_.track("speculation", port.track, kSpeculationRank);
  std::vector<PerfettoWriter::Note> notes = {{"address", event.addr, true}};
  if (event.stage == Stage::SpecIssue) notes.push_back({"granules", event.info});
  file_.instant(port.speculation, name, event.at, notes);
}

void Timeline::end_stall(Stall& stall) {
  if (stall.to == stall.from) return;
  file_.slice({.track = stall.track, .name = stall.why, .from = stall.from, .to = stall.to});
  stall.from = stall.to;
}

void Timeline::on_stall(std::uint32_t core, std::string_view why, Time from, Time to) {
  if (!in_window(from)) return;
  while (stalls_.size() <= core) {
    stalls_.push_back(
        {file_.track(fmt::format("core {}", stalls_.size()), cores_track_, stalls_.size()),
         {},
         {},
         {}});
  }
  Stall& stall = stalls_[core];
  if (stall.to == from && stall.why == why) {
    stall.to = to;
    return;
  }
  end_stall(stall);
  stall.why = why;
  stall.from = from;
  stall.to = to;
}

void Timeline::close() {
  for (Stall& stall : stalls_) end_stall(stall);
  file_.close();
}

}  // namespace cxlgpu
