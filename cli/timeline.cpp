// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

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
    const auto known = timeline_.names_.dies.find(what);
    const Name name = known != timeline_.names_.dies.end()
                          ? known->second
                          : timeline_.names_.dies.emplace(what, file.name(what)).first->second;
    file.slice({.track = track, .name = name, .from = from, .to = to});
  }

 private:
  Timeline& timeline_;
  unsigned port_;
};

Timeline::Names::Names(PerfettoWriter& file)
    : loads({file.name("load"), file.name("load, hit"), file.name("load, miss"),
             file.name("load, merged")}),
      store(file.name("store")),
      spec_issue(file.name("MemSpecRd")),
      spec_fill(file.name("fill")),
      spec_drop(file.name("dropped")) {
  for (std::size_t i = 0; i < stalls.size(); ++i) stalls[i] = file.name(kStallNames[i]);
}

Timeline::Timeline(const TimelineOptions& options, bool paged)
    : options_(options),
      paged_(paged),
      file_(options.file),
      names_(file_),
      of_requests_(options.every),
      of_speculation_(options.every) {
  cores_track_ = file_.track("cores", PerfettoWriter::kRoot, 0);
  bridge_track_ = file_.track(paged ? "paged memory" : "host bridge", PerfettoWriter::kRoot, 1);
  for (std::size_t stage = 1; stage < kPathStages; ++stage) {
    bridge_path_[stage] = &bridge_[stage];
    if (!paged && !of_the_bridge(stage)) continue;
    bridge_[stage] = {bridge_track_, paged ? paged_name(stage) : kQueueNames[stage], stage, {}};
  }
}

Timeline::~Timeline() = default;

DieWatcher& Timeline::dies(unsigned port) {
  return *dies_.emplace_back(std::make_unique<Dies>(*this, port));
}

Timeline::Port& Timeline::new_port(unsigned number) {
  if (ports_.size() <= number) ports_.resize(number + 1);
  Port& made = *(ports_[number] = std::make_unique<Port>());
  made.track = file_.track(fmt::format("port {}", number), PerfettoWriter::kRoot, 2 + number);
  for (std::size_t stage = 1; stage < kPathStages; ++stage) {
    made.queues[stage] = {made.track, kQueueNames[stage], stage, {}};
    made.path[stage] = &(of_the_bridge(stage) ? bridge_ : made.queues)[stage];
  }
  return made;
}

[[gnu::always_inline]] inline const Timeline::Lane* Timeline::Queue::take(Time from, Time to) {
  for (Lane& lane : lanes) {
    if (lane.until > from) continue;
    lane.until = to;
    return &lane;
  }
  return nullptr;
}

const Timeline::Lane& Timeline::new_lane(Queue& queue, Time to) {
  const Track track = file_.track(queue.name, queue.parent, queue.rank);
  return queue.lanes.emplace_back(Lane{to, track, PerfettoWriter::pattern(track)});
}

Timeline::Name Timeline::name_of(const RequestRecord& record) const {
  if (record.is_write) return names_.store;
  const bool looked_up = record.time(Stage::EpLookup) != Time::never();
  return names_.loads[static_cast<std::size_t>(looked_up ? record.lookup : LookupResult::Bypass)];
}

void Timeline::on_request(const RequestRecord& record) {
  if (in_window(record.time(Stage::SysAccept)) && of_requests_.takes(record.number)) draw(record);
}

namespace {

// Told of each stage that takes a nanosecond or more: from when, until when, and that in whole
// nanoseconds.
template <typename Part>
[[gnu::always_inline]] inline void for_each_part(const RequestRecord& record, Part part) {
  Time before = record.time(Stage::SysAccept);
  std::uint64_t before_ns = before.ps / 1000;
  for (std::size_t stage = 1; stage < kPathStages; ++stage) {
    const Time at = record.at[stage];
    if (at == Time::never()) continue;
    const std::uint64_t ns = at.ps / 1000;
    if (ns != before_ns) part(stage, before, at, ns);
    before = at;
    before_ns = ns;
  }
}

}  // namespace

void Timeline::draw(const RequestRecord& record) {
  const Path& path = paged_ || !record.routed ? bridge_path_ : port(record.port).path;
  const std::uint64_t last_ns = record.time(Stage::SysRespond).ps / 1000;
  if (std::max(last_ns, record.number) > PerfettoWriter::kLatest ||
      record.addr > PerfettoWriter::kLastAddress) {
    return draw_large(record, path);
  }
  Flow flow = file_.flow(record.number, name_of(record));
  PerfettoWriter::Stamp from = file_.stamp(record.time(Stage::SysAccept).ps / 1000);
  bool first = true;
  for_each_part(record, [&](std::size_t stage, Time begin, Time end, std::uint64_t end_ns) {
    Queue& queue = *path[stage];
    const Lane* lane = queue.take(begin, end);
    if (lane == nullptr) [[unlikely]] {
      file_.pause(flow);
      lane = &new_lane(queue, end);
      file_.go_on(flow);
    }
    const PerfettoWriter::Stamp to = file_.stamp(end_ns);
    if (first) {
      flow.slice(lane->pattern, from, to, {record.number, record.addr, record.latency().ps / 1000});
      first = false;
    } else {
      flow.slice(lane->pattern, from, to);
    }
    from = to;
  });
  file_.end(flow);
}

// Of numbers that have no room in a pattern.
void Timeline::draw_large(const RequestRecord& record, const Path& path) {
  std::vector<PerfettoWriter::Slice> slices;
  for_each_part(record, [&](std::size_t stage, Time begin, Time end, std::uint64_t) {
    const Lane* lane = path[stage]->take(begin, end);
    if (lane == nullptr) lane = &new_lane(*path[stage], end);
    slices.push_back({.track = lane->track,
                      .name = name_of(record),
                      .from = begin,
                      .to = end,
                      .flow = record.number});
  });
  if (slices.empty()) return;
  slices.back().ends_flow = true;
  file_.slice(slices.front(), {{"request", record.number},
                               {"address", record.addr, true},
                               {"latency_ns", record.latency().ps / 1000}});
  for (std::size_t i = 1; i < slices.size(); ++i) file_.slice(slices[i]);
}

void Timeline::on_other(const TraceEvent& event) {
  Name name = 0;
  if (event.stage == Stage::SpecIssue) name = names_.spec_issue;
  if (event.stage == Stage::SpecFill) name = names_.spec_fill;
  if (event.stage == Stage::SpecDrop) name = names_.spec_drop;
  if (name == 0 || !in_window(event.at) || !of_speculation_.takes(++speculation_)) return;
  Port& port = this->port(event.port);
  if (port.speculation == 0)
    port.speculation = file_.track("speculation", port.track, kSpeculationRank);
  if (event.stage == Stage::SpecIssue) {
    file_.instant(port.speculation, name, event.at,
                  {{"address", event.addr, true}, {"granules", event.info}});
  } else {
    file_.instant(port.speculation, name, event.at, {{"address", event.addr, true}});
  }
}

void Timeline::end_stall(Core& core) {
  if (core.to == core.from) return;
  file_.slice({.track = core.track,
               .name = names_.stalls[static_cast<std::size_t>(core.why)],
               .from = core.from,
               .to = core.to});
  core.from = core.to;
}

void Timeline::on_stall(std::uint32_t core, Stall why, Time from, Time to) {
  if (!in_window(from)) return;
  while (cores_.size() <= core) {
    const std::size_t number = cores_.size();
    cores_.push_back({.track = file_.track(fmt::format("core {}", number), cores_track_, number)});
  }
  Core& drawn = cores_[core];
  if (drawn.to == from && drawn.why == why) {
    drawn.to = to;
    return;
  }
  end_stall(drawn);
  drawn.why = why;
  drawn.from = from;
  drawn.to = to;
}

void Timeline::close() {
  for (Core& core : cores_) end_stall(core);
  file_.close();
}

}  // namespace cxlgpu
