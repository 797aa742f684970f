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
#include <bitset>
#include <cstdint>

#include "common/media_port.hpp"
#include "common/opcodes.hpp"

namespace cxlgpu {

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
  return (value >= th[0]) + (value >= th[1]) + (value >= th[2]);
}

// The level after a cycle in which the measure stood at `value`.
[[nodiscard]] constexpr unsigned next_level(unsigned level, unsigned value, const LoadMeasure& m) {
  constexpr unsigned kLargest = 127;
  value = std::min(value, kLargest);
  const unsigned up = thresholds_reached(value, m.thresholds);
  const unsigned down = thresholds_reached(value + m.margin, m.thresholds);
  return std::max(up, std::min(level, down));
}

// How much of the time a response has to wait for the controller.
class EgressSampler {
 public:
  // One cycle.
  void clock(bool stalled, const LoadSettings& control) {
    if (!sampling(control)) return;
    if (timer_ != 0) {
      --timer_;
    } else if (stalled || count_ != 0) {
      sample(stalled);
      timer_ = control.interval - 1u;
    }
  }
  // `cycles` cycles in which nothing waits.
  void pass(std::uint64_t cycles, const LoadSettings& control) {
    if (!sampling(control)) return;
    while (cycles > 0) {
      if (timer_ != 0) {
        const std::uint64_t waited = std::min<std::uint64_t>(cycles, timer_);
        timer_ -= static_cast<unsigned>(waited);
        cycles -= waited;
      } else if (count_ != 0) {  // at most as often as the history is long
        sample(false);
        timer_ = control.interval - 1u;
        --cycles;
      } else {
        return;
      }
    }
  }
  [[nodiscard]] unsigned backpressure() const { return count_; }  // per cent
  [[nodiscard]] unsigned level(const LoadSettings& control) const {
    if (count_ == 0) return 0;
    if (count_ >= control.egress_severe) return 3;
    return count_ >= control.egress_moderate ? 2 : 0;
  }

 private:
  static constexpr std::size_t kSamples = 100;

  bool sampling(const LoadSettings& control) {
    const bool on = control.egress_enable && control.interval != 0;
    if (!on && (count_ != 0 || timer_ != 0)) *this = {};
    return on;
  }
  void sample(bool stalled) {
    count_ += stalled;
    count_ -= history_[kSamples - 1];
    history_ <<= 1;
    history_[0] = stalled;
  }

  std::bitset<kSamples> history_;  // bit 0 is the youngest
  unsigned count_ = 0;             // ones in it
  unsigned timer_ = 0;             // cycles without a sample
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
    const auto m = static_cast<std::size_t>(source);
    const bool counts = source != LoadSource::Tasks || control.throughput_reduction;
    level_[m] = counts ? static_cast<std::uint8_t>(next_level(level_[m], value, control.measure[m]))
                       : std::uint8_t{0};
  }
  // Of all measures.
  [[nodiscard]] bool all_light() const { return std::bit_cast<std::uint32_t>(level_) == 0; }
  [[nodiscard]] EgressSampler& egress() { return egress_; }

  [[nodiscard]] LoadStatus status(const LoadSettings& control) const {
    LoadStatus now;
    now.level = level_;
    now.egress = static_cast<std::uint8_t>(egress_.level(control));
    now.backpressure = static_cast<std::uint8_t>(egress_.backpressure());
    now.dev_load = std::max(now.egress, *std::ranges::max_element(level_));
    return now;
  }

 private:
  std::array<std::uint8_t, kLoadSources> level_{};
  EgressSampler egress_;
};

}  // namespace cxlgpu
