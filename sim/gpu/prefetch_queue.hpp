// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What kernels said that they will load soon, on its way to the system bus.
//
// Purpose: beside the LLC's queue of requests; no tag of any cache knows of it.
// Shapes:  a prefetch, bytes of any number, is one entry until the last hint of it has left. A hint
//          is of 1 to kMostGranules granules, each with a byte of the prefetch; bytes below
//          `hdm_base` are GPU memory's and make none.
// Rules:   hints leave in the order of their prefetches, upwards. A prefetch that comes to a full
//          queue is dropped. Nothing waits for any of them.
// Errors:  none.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "common/pipe.hpp"
#include "common/request.hpp"

namespace cxlgpu {

class PrefetchQueue {
 public:
  static constexpr std::uint64_t kGranuleBytes = 256;
  static constexpr std::uint64_t kMostGranules = 4096;  // of one hint

  PrefetchQueue() = default;
  PrefetchQueue(std::size_t depth, std::uint64_t hdm_base) : depth_(depth), hdm_base_(hdm_base) {}

  struct Pushed {
    std::uint64_t hints = 0;  // that the bytes make
    bool dropped = false;     // all of them
  };
  Pushed push(std::uint64_t addr, std::uint64_t bytes) {
    const std::uint64_t first = std::max(addr, hdm_base_), end = addr + bytes;
    if (first >= end) return {};
    const Range range{first / kGranuleBytes, (end + kGranuleBytes - 1) / kGranuleBytes};
    if (ranges_.size() >= depth_) return {range.hints(), true};
    ranges_.push() = range;
    return {range.hints(), false};
  }
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  Hint pop() {
    assert(!empty());
    Range& range = ranges_.front();
    const std::uint64_t count = std::min(range.end - range.first, kMostGranules);
    const Hint hint{range.first * kGranuleBytes, static_cast<unsigned>(count)};
    range.first += count;
    if (range.first == range.end) ranges_.pop();
    return hint;
  }

 private:
  struct Range {  // of granules
    std::uint64_t first = 0, end = 0;
    [[nodiscard]] std::uint64_t hints() const {
      return (end - first + kMostGranules - 1) / kMostGranules;
    }
  };
  std::size_t depth_ = 0;
  std::uint64_t hdm_base_ = 0;
  Pipe<Range> ranges_;
};

}  // namespace cxlgpu
