// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/stats/run_stats.hpp"

#include <algorithm>

#include "sim/stats/run_samples.hpp"

namespace cxlgpu {

namespace {

constexpr std::size_t kSlowest = 16;
constexpr std::uint64_t kGranuleBytes = 256;

RequestKind kind_of(const RequestRecord& record) {
  if (record.is_write) return RequestKind::Store;
  if (record.local()) return RequestKind::LoadLocal;
  switch (record.lookup) {
    case LookupResult::Hit:
      return RequestKind::LoadHit;
    case LookupResult::Miss:
      return RequestKind::LoadMiss;
    case LookupResult::Merge:
      return RequestKind::LoadMerge;
    case LookupResult::Bypass:
      break;
  }
  return RequestKind::LoadDirect;
}

}  // namespace

RunStats::RunStats(std::uint32_t line_bytes)
    : tracker_([this](const RequestRecord& record) { on_record(record); }),
      line_bytes_(line_bytes) {}

void RunStats::on_event(const TraceEvent& event) {
  switch (event.stage) {
    case Stage::WireM2S:
      ingress_.enter(event.at);
      break;
    case Stage::EpAccept:
      ingress_.leave(event.at);
      break;
    case Stage::EpLookup:
      on_lookup(event);
      break;
    case Stage::PortRespond:
      dev_loads_.add(event.at, dev_load_of(event));
      break;
    case Stage::SpecIssue:
    case Stage::SpecFill:
    case Stage::SpecDrop:
    case Stage::LoadControl:
    case Stage::DsEvent:
      return on_other(event);
    default:
      break;
  }
  tracker_.note(event);
}

// What is not of a request's path.
void RunStats::on_other(const TraceEvent& event) {
  if (samples_ != nullptr) samples_->on_other(event);
  if (watcher_ != nullptr) watcher_->on_other(event);
  switch (event.stage) {
    case Stage::SpecIssue:
      ++spec_.sent;
      spec_.requested += event.info;
      if (event.id == kHintSpecId) on_hint(event);
      break;
    case Stage::SpecFill:
      ++spec_.filled;
      prefetched_[line_key(event)] = true;
      break;
    case Stage::SpecDrop:
      ++spec_.dropped;
      break;
    case Stage::LoadControl:
      if (load_control_.size() < kMostControl) {
        load_control_.push_back({event.at, event.port, static_cast<std::uint8_t>(event.info)});
      }
      break;
    case Stage::DsEvent:
      on_ds(event);
      break;
    default:
      break;
  }
}

void RunStats::on_ds(const TraceEvent& event) {
  if (ds_.size() <= event.port) ds_.resize(event.port + std::size_t{1});
  DsStats& port = ds_[event.port];
  for (std::size_t i = 0; i < port.count.size(); ++i) port.count[i] += event.info >> i & 1;
  port.peak_deferred = std::max<std::uint64_t>(port.peak_deferred, event.info >> 16);
}

void RunStats::on_hint(const TraceEvent& event) {
  for (std::uint32_t i = 0; i < event.info; ++i) {
    ++hint_stats_.granules;
    const auto [named, is_new] = hinted_.try_emplace(event.addr / kGranuleBytes + i, event.at);
    if (is_new) continue;
    ++hint_stats_.wasted;
    named->second = event.at;
  }
}

// The endpoint knows the load by its DPA, the hint by its HPA.
void RunStats::on_first_load(const TraceEvent& event, LookupResult result) {
  const RequestRecord* load = tracker_.find(event.id);
  if (load == nullptr || load->is_write) return;
  const auto named = hinted_.extract(load->addr / kGranuleBytes);
  if (!named) return;
  if (load->time(Stage::CtrlAccept) < named.mapped() || result == LookupResult::Merge) {
    ++hint_stats_.late;
  } else if (result == LookupResult::Hit) {
    ++hint_stats_.useful;
  } else {
    ++hint_stats_.lost;
  }
}

HintStats RunStats::hints() const {
  HintStats all = hint_stats_;
  all.wasted += hinted_.size();
  return all;
}

void RunStats::on_lookup(const TraceEvent& event) {
  const auto result = static_cast<LookupResult>(event.info & 3);
  ++lookups_[static_cast<std::size_t>(result)];
  if (!hinted_.empty()) on_first_load(event, result);
  if (prefetched_.empty()) return;
  const auto found = prefetched_.find(line_key(event));
  if (found == prefetched_.end()) return;
  prefetched_.erase(found);
  if (result == LookupResult::Hit) {
    ++spec_.useful_lines;
  } else if (result == LookupResult::Merge) {
    ++spec_.late_lines;
  } else {
    ++spec_.evicted_unused;
  }
}

void RunStats::on_record(const RequestRecord& record) {
  if (records_++ == kExact) {
    for (LatencyBook& book : books_) book.fold();
  }
  const RequestKind kind = kind_of(record);
  LatencyBook& book = books_[static_cast<std::size_t>(kind)];
  if (samples_ == nullptr) {
    book.add(record);
  } else {
    samples_->on_request(record, kind, book.add_timed(record));
  }
  if (watcher_ != nullptr) watcher_->on_request(record);
  if (record.is_write) return;
  const auto slower = [](const RequestRecord& a, const RequestRecord& b) {
    return a.latency() > b.latency();
  };
  if (slowest_.size() < kSlowest || slower(record, slowest_.back())) {
    slowest_.insert(std::upper_bound(slowest_.begin(), slowest_.end(), record, slower), record);
    if (slowest_.size() > kSlowest) slowest_.pop_back();
  }
}

LatencyBook RunStats::loads() const {
  LatencyBook all;
  for (const RequestKind load :
       {RequestKind::LoadHit, RequestKind::LoadMiss, RequestKind::LoadMerge,
        RequestKind::LoadDirect, RequestKind::LoadLocal}) {
    all.add(kind(load));
  }
  return all;
}

double RunStats::hit_rate() const {
  const std::uint64_t all =
      lookups(LookupResult::Hit) + lookups(LookupResult::Miss) + lookups(LookupResult::Merge);
  return all == 0 ? 0.0
                  : static_cast<double>(lookups(LookupResult::Hit)) / static_cast<double>(all);
}

}  // namespace cxlgpu
