// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the report page shows of a run beside the figures of RunStats: curves, places in address
// and time, and single requests.
//
// Purpose: who looks at a bar sees the requests in it; what happened when stands side by side.
// Units:   picoseconds, bytes.
// Shapes:  memory of one size, however long the run: bins that grow, samples that thin out.
//          Of each kind of request kExamples with the longest time in each stage, and the first
//          kPerBin of each bin of the latency histogram.
// Rules:   nothing is drawn at random: a run repeated gives the same.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/stats/growing_bins.hpp"
#include "sim/stats/latency_book.hpp"
#include "sim/stats/request_kind.hpp"
#include "sim/stats/request_tracker.hpp"

namespace cxlgpu {

// What parts count, from the run's beginning on, summed over ports.
struct RunGauges {
  std::uint64_t flits_m2s = 0, flits_s2m = 0;
  std::uint64_t damaged = 0, retried = 0;  // flits, both directions
  std::uint64_t collections = 0;  // dies by script and blocks erased by a translation layer
  std::uint64_t programs = 0;     // pages
  std::uint64_t suspends = 0;
  std::uint64_t page_faults = 0, pages_in = 0, pages_out = 0;  // of memory that is paged
};

class RunSamples {
 public:
  enum Curve : std::size_t {
    LoadBytes,   // answered
    StoreBytes,  // answered
    PortQueue,   // time in the SR queue of a root port, and so on: divided by the bin, how many
    MemoryQueue,
    EndpointQueue,
    MediaBusy,
    SpecSent,
    SpecFilled,
    SpecDropped,
    Deferred,  // most lines of a port that deterministic store has deferred
    FlitsM2S,
    FlitsS2M,
    Damaged,
    Retried,
    Collections,
    Programs,
    Suspends,
    PageFaults,
    PagesIn,
    PagesOut,
    FirstGranularity  // bytes times time of port 0, then of the others
  };
  static constexpr std::size_t kExamples = 6, kPerBin = 3;
  static constexpr std::size_t kPorts = 16;

  struct Access {
    Time at;
    std::uint64_t addr = 0;  // HPA; of a fill DPA
    std::uint32_t info = 0;  // latency in ns of a load, granules of a MemSpecRd, else 0
    std::uint8_t port = 0;
  };
  struct KindSamples {
    // By stage, longest time in it first; and these times in ps, 0 where there is none yet.
    std::array<std::vector<RequestRecord>, kPathStages> longest;
    std::array<std::array<std::uint64_t, kExamples>, kPathStages> times{};
    std::array<std::uint8_t, LatencyBins::kCount> held{};  // of a bin, in `by_latency`
    std::vector<RequestRecord> by_latency;
  };
  using Accesses = SpreadSample<Access, 3000>;

  RunSamples();

  void on_request(const RequestRecord& record, RequestKind kind, const StageTimes& times);
  // Of those that are not of a request's path.
  void on_other(const TraceEvent& event);
  // To be called now and then: what has been counted since the last time happened now.
  void on_gauges(Time now, const RunGauges& gauges);
  // How long what stays as it is has been so.
  void end(Time now);

  [[nodiscard]] const GrowingBins& bins() const { return bins_; }
  [[nodiscard]] const KindSamples& kind(RequestKind kind) const {
    return kinds_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] const Accesses& loads() const { return loads_; }
  [[nodiscard]] const Accesses& speculation() const { return speculation_; }
  [[nodiscard]] const Accesses& fills() const { return fills_; }
  // Ports whose load-control state has changed; the others stayed at 256 B.
  [[nodiscard]] std::size_t control_ports() const { return control_.size(); }

 private:
  struct Control {
    Time since;
    double bytes = 256;
  };

  static void hold(KindSamples& samples, const RequestRecord& record, const StageTimes& times);
  static void hold_longest(KindSamples& samples, const RequestRecord& record, std::size_t stage,
                           std::uint64_t time);

  GrowingBins bins_;
  std::array<KindSamples, static_cast<std::size_t>(RequestKind::Count)> kinds_;
  Accesses loads_, speculation_, fills_;
  std::vector<Control> control_;  // by port
  RunGauges before_;
};

}  // namespace cxlgpu
