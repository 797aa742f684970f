// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Hints in a root port of the event-driven model: granules that become MemSpecRd.
//
// Purpose: docs/blocks/root_port/hint_queue.md, without a cycle of its own: every question is asked
//          for a cycle, so that one in which nothing comes and nothing leaves costs nothing.
// Order:   in a cycle first what comes: come() or blocked(); then offered() and taken().
// Units:   granules (address[51:8]); times are clock edges; counters as HintCounters, they wrap.
// Errors:  come() only if can_take(), taken() only if offered().
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/counters.hpp"
#include "common/policy.hpp"
#include "common/time.hpp"

namespace cxlgpu {

class HintQueueModel {
 public:
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

  // `pace`: log2 of the pause after one granule, of the cycle before.
  [[nodiscard]] bool offered(unsigned pace, Time now) {
    if (!offered_ && held()) offered_ = offer_from(pace) <= now;
    return held() && offered_;
  }
  void taken(Time now) {
    ++counters_.issued;
    taken_at_ = now;
    taken_granules_ = granules_;
    granules_ = 0;
  }
  // The pace was `before` in all cycles before `from`, and has its say in the offers up to there.
  void pace_changes(unsigned before, Time from) {
    if (!offered_ && held()) offered_ = offer_from(before) <= from;
    paced_from_ = from + kCycle;
  }
  // When a run held is offered if nothing comes and the pace stays.
  [[nodiscard]] Time offer_from(unsigned pace) const {
    if (offered_) return closed_from_;
    const std::uint64_t pause = std::uint64_t{taken_granules_} << pace;
    return std::max({closed_from_, taken_at_ + kCycle * pause, paced_from_});
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
  Time paced_from_{0};  // the first offer that the pace of now decides
  bool offered_ = false;
  Time taken_at_{0};  // of the last MemSpecRd
  unsigned taken_granules_ = 0;
  HintCounters counters_;
};

}  // namespace cxlgpu
