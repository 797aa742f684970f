// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// DevLoad of an endpoint: how loaded it says it is.
//
// Purpose: keeps a level for each measure of load (receive FIFOs, MSHRs, the media's backlog, dies
//          with work of their own) and samples how often a response has to wait; the worst of
//          them is the DevLoad code of the responses formed now. A level rises at once and falls
//          only when the measure is more than a margin below its threshold.
// Units:   entries; backlog in sixteenths of a command per die or bank, tasks in sixty-fourths of
//          all dies; backpressure in per cent of the last 100 samples; interval in cycles.
// Errors:  none; thresholds need not rise.
// Source:  CXL 2.0, 3.3.2 to 3.3.4 (QoS telemetry); docs/blocks/endpoint/dev_load.md.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "common/media_port.hpp"
#include "common/opcodes.hpp"
#include "common/ring_queue.hpp"

namespace cxlgpu {

// At most 127, so that a measure above 127 counts as 127.
using LoadThresholds = std::array<std::uint8_t, 3>;

struct LoadMeasure {
  LoadThresholds thresholds{};
  std::uint8_t margin = 0;
  bool operator==(const LoadMeasure&) const = default;
};

// Indices of measures and their levels.
enum class LoadSource : std::uint8_t { Ingress = 0, Mshr = 1, Backlog = 2, Tasks = 3 };
inline constexpr std::size_t kLoadSources = 4;

struct LoadSettings {
  std::array<LoadMeasure, kLoadSources> measure;
  bool throughput_reduction = false;  // count the tasks
  bool egress_enable = false;
  std::uint8_t egress_moderate = 0, egress_severe = 0;
  std::uint8_t interval = 0;  // 0: no samples
  bool operator==(const LoadSettings&) const = default;
};

struct LoadStatus {
  std::uint8_t dev_load = 0;
  std::uint8_t egress = 0;
  std::array<std::uint8_t, kLoadSources> level{};
  std::uint8_t backpressure = 0;
  bool operator==(const LoadStatus&) const = default;
};

[[nodiscard]] constexpr unsigned thresholds_reached(unsigned value, const LoadThresholds& th) {
  return unsigned(th[0] <= value) + unsigned(th[1] <= value) + unsigned(th[2] <= value);
}

// Backpressure: how many of the last hundred samples found a response that had to wait.
class EgressSampler {
 public:
  // One cycle.
  void clock(bool stalled, const LoadSettings& control) {
    if (!counts(control)) return;
    if ((stalled || !stalls_.empty()) && cycle_ >= next_) {
      sample(1, control);
      if (stalled) stalls_.push(samples_);
    }
    ++cycle_;
  }
  // `cycles` cycles in which nothing waits.
  void pass(std::uint64_t cycles, const LoadSettings& control) {
    if (cycles == 0 || !counts(control)) return;
    const std::uint64_t end = cycle_ + cycles;
    cycle_ = std::max(cycle_, next_);
    if (cycle_ < end && !stalls_.empty()) {
      const std::uint64_t until_none = stalls_.at(stalls_.size() - 1) + kLast - samples_;
      sample(std::min((end - 1 - cycle_) / control.interval + 1, until_none), control);
    }
    cycle_ = end;
  }
  [[nodiscard]] unsigned backpressure() const { return static_cast<unsigned>(stalls_.size()); }
  [[nodiscard]] unsigned level(const LoadSettings& control) const {
    if (stalls_.empty()) return 0;
    if (backpressure() >= control.egress_severe) return 3;
    return backpressure() >= control.egress_moderate ? 2 : 0;
  }

 private:
  static constexpr std::uint64_t kLast = 100;

  bool counts(const LoadSettings& control) {
    if (control.egress_enable && control.interval != 0) return true;
    stalls_.clear();
    next_ = 0;
    return false;
  }
  // The next `number` samples, an interval apart, the first of them in this cycle.
  void sample(std::uint64_t number, const LoadSettings& control) {
    samples_ += number;
    next_ = cycle_ + number * control.interval;
    while (!stalls_.empty() && stalls_.front() + kLast <= samples_) stalls_.pop();
  }

  RingQueue<std::uint64_t, 128> stalls_;  // which samples found one, among the last hundred
  std::uint64_t samples_ = 0;             // taken so far
  std::uint64_t cycle_ = 0, next_ = 0;    // the next sample comes at the earliest in cycle `next_`
};

class DevLoadMeter {
 public:
  struct In {
    unsigned ingress = 0, mshrs = 0;
    MediaStatus media;
    bool stalled = false;  // a response is offered and not taken
    LoadSettings control;
  };
  struct Out {
    DevLoad dev_load = DevLoad::Light;
    LoadStatus status;
  };

  // Cycle-exact.
  [[nodiscard]] Out eval(const In& in) const {
    const LoadStatus now = status(in.control);
    return {static_cast<DevLoad>(now.dev_load), now};
  }
  void clock(const In& in) {
    clock_levels(in.ingress, in.mshrs, in.media, in.control);
    egress_.clock(in.stalled, in.control);
  }

  // The same in parts, for callers that skip cycles. Between two cycles in each of which
  // clock_levels() was called, it need not be called while every measure but the tasks only rises,
  // only falls or stays.
  void clock_levels(unsigned ingress, unsigned mshrs, const MediaStatus& media,
                    const LoadSettings& control) {
    clock_level(LoadSource::Ingress, ingress, control);
    clock_level(LoadSource::Mshr, mshrs, control);
    clock_level(LoadSource::Backlog, media.backlog, control);
    clock_level(LoadSource::Tasks, media.tasks, control);
  }
  // One of them; a second cycle with the same value changes nothing.
  void clock_level(LoadSource source, unsigned value, const LoadSettings& control) {
    std::uint8_t& level = loads_.level[static_cast<std::size_t>(source)];
    const LoadMeasure& rule = control.measure[static_cast<std::size_t>(source)];
    const auto reached = [&](unsigned x) {
      return static_cast<std::uint8_t>(thresholds_reached(x, rule.thresholds));
    };
    const bool counts = source != LoadSource::Tasks || control.throughput_reduction;
    level = counts ? std::max(reached(value), std::min(level, reached(value + rule.margin))) : 0;
  }
  // Of all measures.
  [[nodiscard]] bool all_light() const { return std::bit_cast<std::uint32_t>(loads_.level) == 0; }
  [[nodiscard]] EgressSampler& egress() { return egress_; }

  [[nodiscard]] LoadStatus status(const LoadSettings& control) const {
    LoadStatus now = loads_;
    now.egress = static_cast<std::uint8_t>(egress_.level(control));
    now.backpressure = static_cast<std::uint8_t>(egress_.backpressure());
    now.dev_load = std::max({now.egress, now.level[0], now.level[1], now.level[2], now.level[3]});
    return now;
  }

 private:
  LoadStatus loads_;  // the four levels
  EgressSampler egress_;
};

}  // namespace cxlgpu
