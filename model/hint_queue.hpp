// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Hints in a root port of the event-driven model: granules that become MemSpecRd.
//
// Purpose: docs/blocks/root_port/hint_queue.md, without a cycle of its own: every question is asked
//          for a cycle, so that one in which nothing comes and nothing leaves costs nothing.
// Order:   in a cycle first offered() and taken(), then what came: come() or blocked().
// Units:   granules (address[51:8]); times are clock edges; counters as HintCounters, they wrap.
// Errors:  come() only if can_take(), taken() only if offered().
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/counters.hpp"
#include "common/opcodes.hpp"
#include "common/time.hpp"
#include "refmodel/root_port/address_window.hpp"

namespace cxlgpu {

class HintQueueModel {
 public:
  using Intervals = std::array<std::uint8_t, 4>;  // by DevLoad, log2 of cycles

  [[nodiscard]] bool held() const { return granules_ != 0; }
  [[nodiscard]] GranuleRun run() const { return {first_, granules_ - 1}; }

  [[nodiscard]] bool can_take(std::uint64_t granule, bool with_length, Time now) const {
    return !held() || joins(granule, with_length, now);
  }
  void come(std::uint64_t granule, bool with_length, Time now) {
    ++counters_.granules;
    if (!held()) {
      first_ = granule;
      offered_ = false;
    }
    ++granules_;
    const bool full = !with_length || (granule & 3) == 3;
    closed_from_ = full ? now + kCycle : now + kCycle * (kPatience + 1);
  }
  [[nodiscard]] bool open(Time now) const { return held() && now < closed_from_; }
  // A granule waits: true if that closes the run.
  bool blocked(Time now) {
    if (!open(now)) return false;
    closed_from_ = now + kCycle;
    return true;
  }
  // One that comes while hints are not used.
  void drop_new() {
    ++counters_.granules;
    ++counters_.dropped;
  }
  void drop_held() {
    counters_.dropped += granules_;
    granules_ = 0;
  }

  // Of the cycle `now`, with the level of that cycle.
  [[nodiscard]] bool offered(const Intervals& intervals, DevLoad level, Time now) {
    if (!offered_ && held()) offered_ = offer_from(intervals, level) <= now;
    return held() && offered_;
  }
  void taken(Time now) {
    ++counters_.issued;
    taken_at_ = now;
    taken_granules_ = granules_;
    granules_ = 0;
  }
  // When a run held is offered if nothing comes and the level stays.
  [[nodiscard]] Time offer_from(const Intervals& intervals, DevLoad level) const {
    const std::uint64_t pause = std::uint64_t{taken_granules_}
                                << intervals[static_cast<std::size_t>(level)];
    return std::max(closed_from_, taken_at_ + kCycle * pause);
  }

  [[nodiscard]] const HintCounters& counters() const { return counters_; }

 private:
  static constexpr std::uint64_t kPatience = 16;  // cycles in which none comes

  [[nodiscard]] bool joins(std::uint64_t granule, bool with_length, Time now) const {
    return with_length && open(now) && granule == first_ + granules_;
  }

  std::uint64_t first_ = 0;
  unsigned granules_ = 0;  // of the run held, 0 none
  Time closed_from_{0};
  bool offered_ = false;
  Time taken_at_{0};  // of the last MemSpecRd
  unsigned taken_granules_ = 0;
  HintCounters counters_;
};

}  // namespace cxlgpu
