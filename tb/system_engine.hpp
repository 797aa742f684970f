// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What every whole-system engine offers besides the Engine socket.
//
// Purpose: lets a run be made and reported without knowing which engine it is on.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/counters.hpp"
#include "common/engine.hpp"
#include "common/link_outage.hpp"
#include "common/media_port.hpp"
#include "common/trace_event.hpp"
#include "sim/firmware/bring_up.hpp"
#include "sim/firmware/drain.hpp"
#include "sim/firmware/internal_dram.hpp"
#include "sim/firmware/speculation.hpp"
#include "sim/stats/request_tracker.hpp"
#include "tb/link/link.hpp"

namespace cxlgpu {

// The first event on a link whose length RTL and model do not share: a damaged flit (retry), a
// Recovery, an outage (firmware). In cosim their times agree up to it.
struct Disturbance {
  Time at = Time::never();
  const char* by = "";
  void note(Time when, const char* what) {
    if (when < at) *this = {when, what};
  }
};

// Where a run first went wrong, of all that has a time.
struct FirstProblem {
  Time at = Time::never();  // of the run; never: nowhere
  std::string what;
  void note(Time when, std::string_view which) {
    if (when >= at) return;
    at = when;
    what = which;
  }
};

// How the model's requests compared with the RTL's (cosim only).
struct CosimReport {
  std::uint64_t compared = 0;
  std::uint64_t data_mismatches = 0;
  std::uint64_t path_mismatches = 0;  // port, opcode or DPA differ
  // Some stage at another time after sys_accept, or another lookup: all of them, and those that had
  // passed the first such stage on both sides before any disturbance.
  std::uint64_t time_differences = 0, time_mismatches = 0;
  std::string first_time_difference;  // both paths of the first mismatch, else of the first of all
  Disturbance disturbance;            // of either side
  // Hit in one, miss in the other, or from GPU local memory in one alone: a matter of time.
  std::uint64_t lookup_differences = 0;
  // Time from sys_accept to each stage, model less RTL: sum, and requests that passed it in both.
  std::array<double, kPathStages> stage_difference_ns{};
  std::array<std::uint64_t, kPathStages> stage_count{};
  // Ports whose counters of speculation differ at the end: an error if no request's times do.
  std::uint64_t speculation_differences = 0;
  std::uint64_t hint_differences = 0;           // of those of hints, ports and the host bridge
  std::uint64_t internal_dram_differences = 0;  // of the endpoints' counters, likewise
  double rtl_latency_sum_ns = 0, model_latency_sum_ns = 0;
  Time rtl_end, model_end;  // last response
  [[nodiscard]] double latency_difference_percent() const {
    return rtl_latency_sum_ns == 0 ? 0.0
                                   : 100.0 * (model_latency_sum_ns / rtl_latency_sum_ns - 1.0);
  }
};

class SystemEngine : public Engine {
 public:
  // Deterministic store: brings every store to its endpoint, which takes time; hints are dropped
  // from here on. Call after the
  // initiator is done, before contents are looked at and before finish(). A line if that fails.
  [[nodiscard]] virtual std::optional<std::string> drain() = 0;
  // Ends the run: finishes what still runs inside (the model of a cosim), closes files, makes the
  // final checks. Call once, after the initiator is done.
  void finish() { end(true); }
  // The same of a run that ends with requests in flight: without the checks that need an answer to
  // each.
  void abandon() { end(false); }
  // What the SR reader of a port has counted, by its registers. Call after finish().
  [[nodiscard]] virtual SrCounters speculation(unsigned port) const = 0;
  // What a port and the host bridge have counted of hints. Likewise.
  [[nodiscard]] virtual HintCounters hints(unsigned port) const = 0;
  [[nodiscard]] virtual BridgeHintCounters bridge_hints() const = 0;
  // What an endpoint's internal DRAM has counted; none if the endpoint does not answer. Likewise.
  [[nodiscard]] virtual std::optional<InternalDramCounters> internal_dram(unsigned port) const = 0;
  [[nodiscard]] virtual LinkTotals link(unsigned port) const = 0;
  // Clock cycles simulated by the RTL; 0 without RTL.
  [[nodiscard]] virtual std::uint64_t cycles() const = 0;
  // What the engine's own checkers found, one line each.
  [[nodiscard]] virtual std::vector<std::string> problems() const = 0;
  // The first in time that they found. Call after finish() or abandon().
  [[nodiscard]] virtual FirstProblem first_problem() const { return {}; }
  // A time of the run as FST and flit log count, from reset on.
  [[nodiscard]] virtual Time since_reset(Time of_run) const { return of_run; }
  [[nodiscard]] virtual const CosimReport* cosim() const { return nullptr; }
  // What became of a link that goes down and comes back; null without one (link.down_at_us).
  [[nodiscard]] virtual const LinkOutage* outage() const { return nullptr; }
  // On its links so far, in time of the run: 0 for one of bring-up.
  [[nodiscard]] virtual Disturbance disturbance() const { return {}; }
  // When the RTL took its first request, from reset on as the FST has it; none: no RTL, no request.
  [[nodiscard]] virtual std::optional<Time> first_request() const { return std::nullopt; }

  // Why there is no FST, one line. Call after finish().
  [[nodiscard]] virtual std::optional<std::string> waves_problem() const { return std::nullopt; }

 protected:
  virtual void end(bool whole) = 0;
};

// The window of a waveform by cycles of its clock, which falls as one begins and rises in its
// middle.
constexpr Time first_of_cycle(std::uint64_t cycle) {
  return kCycle * cycle;
}
constexpr Time last_of_cycle(std::uint64_t cycle) {
  return kCycle * cycle + Time{kCycle.ps / 2};
}

struct EngineOptions {
  static constexpr std::uint64_t kToTheEnd = 1'000'000'000;  // us; no run is longer
  std::string waves;                                         // FST file, empty: none
  Time waves_from{0}, waves_to = Time::never();              // since reset, both included
  bool waves_later = false;          // the file is of a run to come: its place is checked alone
  std::optional<Time> waves_marker;  // since reset; none: at the first request
  std::string flit_log;              // flit log file, empty: none
  std::string replay;                // command that runs this again, for mismatch messages
  [[nodiscard]] bool dumps() const { return !waves.empty() && !waves_later; }
  LinkFaults faults;
  const std::atomic<int>* stop = nullptr;  // not 0: leave advance_to() early; null: never
};

// `media`: the parts behind the ports, driven by the engine (by the RTL in a cosim). `model_media`:
// parts with the same contents for the model of a cosim, else empty. All outlive the engine.
struct EngineParts {
  EndpointParts endpoint;
  std::vector<Media*> media, model_media;
  TraceSink* sink = nullptr;
};

// Makes the engine of a verilated top.
using MakeRtlEngine = std::function<std::unique_ptr<SystemEngine>(
    const RunConfig&, const EngineParts&, const EngineOptions&)>;

// False with -DCXLGPU_RTL=OFF; then make_rtl_engine() is an InputError.
[[nodiscard]] bool rtl_is_built();

// The RTL of this build, two ports: the fast top where it will do.
std::unique_ptr<SystemEngine> make_rtl_engine(const RunConfig& config, const EngineParts& parts,
                                              const EngineOptions& options);

// config.engine is rtl, model or cosim. `make_rtl`: for a program that has a top of its own.
// Errors: InputError for options the engine cannot honour.
std::unique_ptr<SystemEngine> make_engine(const RunConfig& config, const EngineParts& parts,
                                          const EngineOptions& options,
                                          const MakeRtlEngine& make_rtl = make_rtl_engine);

}  // namespace cxlgpu
