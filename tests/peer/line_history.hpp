// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a read may return of a line whose requests overlap.
//
// The standard orders no two requests of a host (3.3): those that are open at once have their
// effect in any order, each once and between its request and its answer. So a byte has the value of
// a write that no other write lies behind for certain. A read that has returned a value counts as a
// write of it. Poison is one byte more: a poisoned write sets it, a whole good one clears it
// (12.2.3).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "messages.hpp"

namespace peer {

class LineHistory {
 public:
  enum class Mark : uint8_t { None, Clean, Poisoned };

  // Times are numbers of events, no two the same.
  void begin_write(uint64_t at, uint64_t bytes, const Line& data, Mark mark) {
    writes_.push_back({at, kOpen, bytes, mark, data});
  }
  void end_write(uint64_t begun, uint64_t at) {
    const auto write = std::ranges::find(writes_, begun, &Write::begin);
    if (write != writes_.end()) write->end = at;
    prune(at);
  }
  void begin_read(uint64_t at) { reads_.push_back(at); }

  // Data of a read that began at `begun`, without poison: the first byte that no order explains; 64
  // if there is none.
  unsigned wrong_byte(uint64_t begun, const Line& data, unsigned first, unsigned bytes) const {
    for (unsigned at = first; at < first + bytes; ++at) {
      const auto covers = [&](const Write& w) { return (w.bytes >> at & 1) != 0; };
      const auto same = [&](const Write& w) { return w.data[at] == data[at]; };
      if (!explained(begun, covers, same)) return at;
    }
    return 64;
  }
  bool mark_right(uint64_t begun, bool poison) const {
    const Mark mark = poison ? Mark::Poisoned : Mark::Clean;
    return explained(
        begun, [](const Write& w) { return w.mark != Mark::None; },
        [&](const Write& w) { return w.mark == mark; });
  }
  // The read has ended; `bytes` of it are good.
  void end_read(uint64_t begun, uint64_t at, uint64_t bytes, const Line& data, Mark mark) {
    std::erase(reads_, begun);
    writes_.push_back({begun, at, bytes, mark, data});
    prune(at);
  }
  void clear() {
    writes_.clear();
    reads_.clear();
  }

 private:
  static constexpr uint64_t kOpen = std::numeric_limits<uint64_t>::max();
  struct Write {
    uint64_t begin = 0, end = kOpen;
    uint64_t bytes = 0;
    Mark mark = Mark::None;
    Line data{};
  };

  // Whether a read that began at `begun` may see a write that `matches`, of those that `covers`.
  template <typename Covers, typename Matches>
  bool explained(uint64_t begun, Covers covers, Matches matches) const {
    uint64_t last_begin = 0;  // of the writes that had ended before the read
    for (const Write& w : writes_) {
      if (w.end < begun && covers(w)) last_begin = std::max(last_begin, w.begin);
    }
    if (last_begin == 0) return true;  // it may see what the line held at first
    return std::ranges::any_of(
        writes_, [&](const Write& w) { return covers(w) && w.end >= last_begin && matches(w); });
  }
  // Forgets the writes that no open and no later read can see.
  void prune(uint64_t now) {
    const uint64_t since = reads_.empty() ? now : *std::ranges::min_element(reads_);
    std::vector<Write> kept;
    for (const Write& old : writes_) {
      uint64_t bytes = old.bytes;
      bool marked = old.mark != Mark::None;
      for (const Write& w : writes_) {
        if (w.begin <= old.end || w.end >= since) continue;
        bytes &= ~w.bytes;
        marked = marked && w.mark == Mark::None;
      }
      if (bytes != 0 || marked) kept.push_back(old);
    }
    writes_ = std::move(kept);
  }

  std::vector<Write> writes_;
  std::vector<uint64_t> reads_;  // open, by their beginning
};

}  // namespace peer
