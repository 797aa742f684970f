// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/stats/run_samples.hpp"

#include <algorithm>

namespace cxlgpu {

namespace {

// Of LoadControl's info (gran_e): the last one is halted.
constexpr std::array<double, 6> kGranularity = {64, 256, 512, 768, 1024, 0};

std::vector<GrowingBins::Kind> curves() {
  std::vector<GrowingBins::Kind> all(RunSamples::FirstGranularity + RunSamples::kPorts,
                                     GrowingBins::Kind::Sum);
  all[RunSamples::Deferred] = GrowingBins::Kind::Peak;
  return all;
}

}  // namespace

RunSamples::RunSamples() : bins_(curves()) {}

void RunSamples::on_request(const RequestRecord& record, RequestKind kind,
                            const StageTimes& times) {
  const Time end = record.time(Stage::SysRespond);
  bins_.add(record.is_write ? StoreBytes : LoadBytes, end, kLineBytes);
  const auto between = [&](Curve curve, Stage from, Stage to) {
    if (record.time(from) != Time::never() && record.time(to) != Time::never()) {
      bins_.span(curve, record.time(from), record.time(to));
    }
  };
  between(PortQueue, Stage::PortEnqueue, Stage::MemqAlloc);
  between(MemoryQueue, Stage::MemqAlloc, Stage::PortRespond);
  between(EndpointQueue, Stage::WireM2S, Stage::EpAccept);
  between(MediaBusy, Stage::MediaIssue, Stage::MediaDone);
  if (!record.is_write) {
    loads_.offer({record.time(Stage::SysAccept), record.addr,
                  static_cast<std::uint32_t>(record.latency().ps / 1000), record.port});
  }
  hold(kinds_[static_cast<std::size_t>(kind)], record, times);
}

void RunSamples::hold(KindSamples& samples, const RequestRecord& record, const StageTimes& times) {
  for (std::size_t stage = 1; stage < kPathStages; ++stage) {
    if (times[stage] > samples.times[stage].back()) {
      hold_longest(samples, record, stage, times[stage]);
    }
  }
  const std::size_t bin = LatencyBins::of(record.latency().ps);
  if (samples.held[bin] == kPerBin) return;
  ++samples.held[bin];
  samples.by_latency.push_back(record);
}

void RunSamples::hold_longest(KindSamples& samples, const RequestRecord& record, std::size_t stage,
                              std::uint64_t time) {
  auto& known = samples.times[stage];
  auto& longest = samples.longest[stage];
  std::size_t place = kExamples - 1;
  for (; place > 0 && known[place - 1] < time; --place) known[place] = known[place - 1];
  known[place] = time;
  if (longest.size() == kExamples) longest.pop_back();
  longest.insert(longest.begin() + static_cast<std::ptrdiff_t>(place), record);
}

void RunSamples::on_other(const TraceEvent& event) {
  switch (event.stage) {
    case Stage::SpecIssue:
      bins_.add(SpecSent, event.at, 1);
      speculation_.offer({event.at, event.addr, event.info, event.port});
      break;
    case Stage::SpecFill:
      bins_.add(SpecFilled, event.at, 1);
      fills_.offer({event.at, event.addr, 0, event.port});
      break;
    case Stage::SpecDrop:
      bins_.add(SpecDropped, event.at, 1);
      break;
    case Stage::DsEvent:
      bins_.add(Deferred, event.at, event.info >> 16);
      break;
    case Stage::LoadControl: {
      if (event.port >= kPorts) break;
      if (control_.size() <= event.port) control_.resize(event.port + std::size_t{1});
      Control& control = control_[event.port];
      bins_.span(FirstGranularity + event.port, control.since, event.at, control.bytes);
      control = {event.at, kGranularity.at(std::min<std::size_t>(event.info, 5))};
      break;
    }
    default:
      break;
  }
}

void RunSamples::on_gauges(Time now, const RunGauges& gauges) {
  const auto add = [&](Curve curve, std::uint64_t RunGauges::*which) {
    if (gauges.*which != before_.*which) {
      bins_.add(curve, now, static_cast<double>(gauges.*which - before_.*which));
    }
  };
  add(FlitsM2S, &RunGauges::flits_m2s);
  add(FlitsS2M, &RunGauges::flits_s2m);
  add(Damaged, &RunGauges::damaged);
  add(Retried, &RunGauges::retried);
  add(Collections, &RunGauges::collections);
  add(Programs, &RunGauges::programs);
  add(Suspends, &RunGauges::suspends);
  add(PageFaults, &RunGauges::page_faults);
  add(PagesIn, &RunGauges::pages_in);
  add(PagesOut, &RunGauges::pages_out);
  before_ = gauges;
}

void RunSamples::end(Time now) {
  for (std::size_t port = 0; port < control_.size(); ++port) {
    bins_.span(FirstGranularity + port, control_[port].since, now, control_[port].bytes);
    control_[port].since = now;
  }
}

}  // namespace cxlgpu
