// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Hints in the host bridge of the event-driven model: ranges on their way to the root ports.
//
// Purpose: docs/blocks/host_bridge/hint_walker.md. The owner calls add() with the hint of a cycle,
//          then step() for the cycle, which gives a waiting granule to its port and asks about the
//          next.
// Units:   granules (address[51:8]); counters as BridgeHintCounters, they wrap.
// Errors:  none: what has no room is lost and counted.
#pragma once

#include <cstdint>
#include <optional>

#include "common/counters.hpp"
#include "common/request.hpp"
#include "common/ring_queue.hpp"

namespace cxlgpu {

class HintWalkerModel {
 public:
  static constexpr std::size_t kDepth = 16;  // hints held
  static constexpr std::uint64_t kGranuleBytes = 256;

  struct Waiting {
    std::uint64_t granule;
    unsigned port;
  };

  // The hint of this cycle; asked about from the next one on.
  void add(const Hint& hint) {
    ++counters_.hints;
    new_ = hint;
  }
  // The granule that waits for its port; the owner gives it and says so.
  [[nodiscard]] const std::optional<Waiting>& waiting() const { return waiting_; }
  void taken() { waiting_.reset(); }
  // The rest of the cycle. `free`: nothing else is decoded; `port_of(granule)`: the root port that
  // serves it, if any.
  template <typename PortOf>
  void step(bool free, const PortOf& port_of) {
    const bool had_room = hints_.size() < kDepth;
    if (free && !hints_.empty() && !waiting_) {
      Range& range = hints_.front();
      if (const std::optional<unsigned> port = port_of(range.first)) {
        waiting_ = {range.first, *port};
      } else {
        ++counters_.misses;
      }
      range.first = (range.first + 1) & kGranuleMask;
      if (--range.left == 0) hints_.pop();
    }
    if (!new_) return;
    if (had_room) {
      hints_.push({new_->addr / kGranuleBytes & kGranuleMask, new_->granules});
    } else {
      ++counters_.lost;
    }
    new_.reset();
  }
  // Could ask in a free cycle.
  [[nodiscard]] bool wants_decoder() const { return !hints_.empty() && !waiting_; }
  [[nodiscard]] bool active() const { return !hints_.empty() || waiting_ || new_; }
  [[nodiscard]] const BridgeHintCounters& counters() const { return counters_; }

 private:
  static constexpr std::uint64_t kGranuleMask = (std::uint64_t{1} << 44) - 1;
  struct Range {
    std::uint64_t first = 0;
    unsigned left = 0;
  };

  RingQueue<Range, kDepth> hints_;
  std::optional<Hint> new_;
  std::optional<Waiting> waiting_;
  BridgeHintCounters counters_;
};

}  // namespace cxlgpu
