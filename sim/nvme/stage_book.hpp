// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Where the time of each command went, from both of its ends.
//
// Purpose: the GPU's library says when it began a batch, rang, and saw a completion; the controller
//          when it had what. Watching costs no simulated time.
// Shapes:  a command is known by queue and identifier while it is in flight. Stages follow each
//          other, so that their means add up to the mean latency.
// Errors:  what does not fit together (a completion that nobody waits for) is left out and counted.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "common/time.hpp"
#include "sim/nvme/controller.hpp"

namespace cxlgpu::nvme {

enum class KvStage : std::uint8_t {
  Submit,    // batch begun until the doorbell is rung
  Doorbell,  // until the controller has it
  Fetch,     // until the SQE is in the controller; it may wait for others
  Decode,    // until it is a request
  DataIn,    // PRP lists, and data that a command brings
  Medium,    // until the store has answered
  Post,      // until data and completion have left the controller
  Seen,      // until the GPU has read the completion
  Count
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(KvStage::Count)>
    kKvStageNames = {"submit", "doorbell", "fetch", "decode", "data_in", "medium", "post", "seen"};

class StageBook final : public CommandWatcher {
 public:
  // By the GPU's library. A batch of commands that begins; then, for each, its ring.
  void begun(std::uint16_t sq, std::uint16_t cid, Time now) {
    open_[{sq, cid}] = {.begun = now, .rung = now, .there = {}};
  }
  void rung(std::uint16_t sq, std::uint16_t cid, Time now) {
    if (const auto at = open_.find({sq, cid}); at != open_.end()) at->second.rung = now;
  }
  void seen(std::uint16_t sq, std::uint16_t cid, Time now) {
    const auto at = open_.find({sq, cid});
    if (at == open_.end() || at->second.there.posted == Time{0}) {
      ++unknown_;
      return;
    }
    add(at->second, now);
    open_.erase(at);
  }
  void ended(std::uint16_t sq, std::uint16_t cid, const CommandTimes& times) override {
    if (const auto at = open_.find({sq, cid}); at != open_.end()) at->second.there = times;
  }

  [[nodiscard]] std::uint64_t count() const { return latencies_.size(); }
  [[nodiscard]] std::uint64_t unknown() const { return unknown_; }
  [[nodiscard]] Time sum(KvStage stage) const { return sums_[static_cast<std::size_t>(stage)]; }
  // Of each command, from the begin of its batch until it is seen.
  [[nodiscard]] const std::vector<Time>& latencies() const { return latencies_; }
  // From the first begin to the last that was seen.
  [[nodiscard]] Time span() const { return count() == 0 ? Time{0} : last_ - first_; }

 private:
  struct Open {
    Time begun, rung;
    CommandTimes there;
  };
  void add(const Open& open, Time now) {
    const CommandTimes& t = open.there;
    const Time brought = t.data_in == Time{0} ? t.decoded : t.data_in;
    const Time stored = t.stored == Time{0} ? brought : t.stored;
    // A doorbell may have been rung for others in the meantime.
    const Time at_device = std::max(open.rung, std::min(t.rung, t.fetched));
    Time before = open.begun;
    const std::array<Time, static_cast<std::size_t>(KvStage::Count)> ends = {
        open.rung, at_device, t.fetched, t.decoded, brought, stored, t.posted, now};
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const Time end = std::max(before, ends[i]);
      sums_[i] += end - before;
      before = end;
    }
    if (latencies_.empty()) first_ = open.begun;
    first_ = std::min(first_, open.begun);
    last_ = now;
    latencies_.push_back(now - open.begun);
  }

  std::map<std::pair<std::uint16_t, std::uint16_t>, Open> open_;
  std::array<Time, static_cast<std::size_t>(KvStage::Count)> sums_{};
  std::vector<Time> latencies_;
  Time first_, last_;
  std::uint64_t unknown_ = 0;
};

}  // namespace cxlgpu::nvme
