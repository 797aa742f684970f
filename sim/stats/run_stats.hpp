// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a run's trace events say, added up: latencies by kind, at the end and over time, time by
// stage, speculation, hints, DevLoad and load control over time.
//
// Purpose: the one source of the table, stats.json and the report page.
// Units:   picoseconds in, picoseconds out; counts are requests, granules (256 B) or MemSpecRd.
// Rules:   the stages of a request add up to its end-to-end time: a stage's share is the time from
//          the stage passed before it; a stage not passed gets nothing.
//          Over time, a request stands in the bin in which it was accepted, a response in the one
//          in which the root port took it; what comes past the last bin stands in the last.
// Shapes:  latencies are exact up to kExact requests of all kinds; from there on they, and curves,
//          are of histograms and bins, in memory of one size (LatencyBook, Occupancy,
//          DevLoadCurve).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/stats/dev_load_curve.hpp"
#include "sim/stats/latency_book.hpp"
#include "sim/stats/occupancy.hpp"
#include "sim/stats/request_kind.hpp"
#include "sim/stats/request_tracker.hpp"
#include "sim/stats/time_bins.hpp"

namespace cxlgpu {

class RunSamples;

// Named as stats.json names them.
struct SpecStats {
  std::uint64_t sent = 0;       // MemSpecRd handed to the controllers
  std::uint64_t requested = 0;  // granules
  // From here on lines of the internal DRAM, which in the RTL are granules.
  std::uint64_t filled = 0;          // for a MemSpecRd
  std::uint64_t dropped = 0;         // by the endpoint
  std::uint64_t useful_lines = 0;    // filled, the first demand access hit
  std::uint64_t late_lines = 0;      // filled, the first demand access met the fill in flight
  std::uint64_t evicted_unused = 0;  // filled, gone before a demand access
};

// Granules of 256 B that MemSpecRd of hints named, by the first load that reached the endpoint
// after; together they are `granules`. Each named again before a load counts again.
struct HintStats {
  std::uint64_t granules = 0;
  std::uint64_t useful = 0;  // it hit the internal DRAM
  std::uint64_t late = 0;    // it met the fill in flight, or had left its port before the MemSpecRd
  std::uint64_t lost = 0;    // it missed: dropped, evicted, or no internal DRAM
  std::uint64_t wasted = 0;  // none came
};

// Deterministic store of one port: how often it did what, as ds_event_t counts it.
inline constexpr std::array<std::string_view, 10> kDsEventNames = {
    "direct",      "deferred",     "in_place", "flushed",      "load_hit",
    "load_merged", "filter_false", "no_slot",  "write_errors", "refused"};
struct DsStats {
  std::array<std::uint64_t, kDsEventNames.size()> count{};
  std::uint64_t peak_deferred = 0;  // lines
};

struct LoadControlPoint {
  Time at;
  std::uint8_t port = 0;
  std::uint8_t state = 0;
};

class RunStats : public TraceSink {
 public:
  static constexpr std::uint64_t kExact = 1u << 20;
  // `line_bytes`: of the endpoints' internal DRAM, which is filled by lines.
  explicit RunStats(std::uint32_t line_bytes = 256);
  void on_event(const TraceEvent& event) override;
  // From here on `samples` is told what it shows; it outlives the run.
  void collect(RunSamples& samples) { samples_ = &samples; }
  // Likewise.
  void watch(RequestWatcher& watcher) { watcher_ = &watcher; }

  [[nodiscard]] const LatencyBook& kind(RequestKind kind) const {
    return books_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] LatencyBook loads() const;  // of every kind
  [[nodiscard]] const LatencyBook& stores() const { return kind(RequestKind::Store); }
  [[nodiscard]] const SpecStats& spec() const { return spec_; }
  [[nodiscard]] HintStats hints() const;  // of the events so far
  [[nodiscard]] const std::vector<DsStats>& deterministic_store() const { return ds_; }  // by port
  // The first kMostControl changes: enough for a picture.
  static constexpr std::size_t kMostControl = 5000;
  [[nodiscard]] const std::vector<LoadControlPoint>& load_control() const { return load_control_; }
  [[nodiscard]] std::vector<DevLoadCounts> dev_loads(const TimeBins& bins) const {
    return dev_loads_.series(bins);
  }
  // Loads and stores that wait in the endpoints' receive queues, all endpoints together, those that
  // deterministic store sends among them; MemSpecRd are left out.
  [[nodiscard]] const Occupancy& ingress() const { return ingress_; }
  [[nodiscard]] std::uint64_t lookups(LookupResult result) const {
    return lookups_[static_cast<std::size_t>(result)];
  }
  // Hits over all lookups of a cached endpoint; a fill in flight is no hit.
  [[nodiscard]] double hit_rate() const;
  // The slowest loads, slowest first.
  [[nodiscard]] const std::vector<RequestRecord>& slowest() const { return slowest_; }

 private:
  void on_record(const RequestRecord& record);
  void on_other(const TraceEvent& event);
  void on_lookup(const TraceEvent& event);
  void on_hint(const TraceEvent& event);
  void on_first_load(const TraceEvent& event, LookupResult result);
  void on_ds(const TraceEvent& event);

  // Port and line of the internal DRAM.
  [[nodiscard]] std::uint64_t line_key(const TraceEvent& event) const {
    return std::uint64_t{event.port} << 56 | event.addr / line_bytes_;
  }

  RequestTracker tracker_;
  RunSamples* samples_ = nullptr;
  RequestWatcher* watcher_ = nullptr;
  std::uint64_t line_bytes_, records_ = 0;
  std::array<LatencyBook, static_cast<std::size_t>(RequestKind::Count)> books_;
  SpecStats spec_;
  std::array<std::uint64_t, 4> lookups_{};
  std::unordered_map<std::uint64_t, bool> prefetched_;  // (port, line) filled, not yet asked for
  HintStats hint_stats_;
  std::unordered_map<std::uint64_t, Time> hinted_;  // granules named, no load since: when
  std::vector<DsStats> ds_;                         // of ports up to the last with an event
  std::vector<LoadControlPoint> load_control_;
  DevLoadCurve dev_loads_;
  Occupancy ingress_;
  std::vector<RequestRecord> slowest_;
};

}  // namespace cxlgpu
