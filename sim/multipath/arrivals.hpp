// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which bytes of a buffer have been written, and how many of them twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace cxlgpu {

class Arrivals {
 public:
  // Those of [offset, offset + bytes) that had been written before are counted as written twice.
  void add(std::uint64_t offset, std::uint64_t bytes) {
    std::uint64_t begin = offset, end = offset + bytes;
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second >= begin) --at;
    while (at != ranges_.end() && at->first <= end) {
      const std::uint64_t from = std::max(at->first, offset),
                          to = std::min(at->second, offset + bytes);
      if (from < to) twice_ += to - from;
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = ranges_.erase(at);
    }
    ranges_[begin] = end;
  }
  void clear() { ranges_.clear(); }
  [[nodiscard]] std::uint64_t twice() const { return twice_; }  // since it was made
  // That have been written since clear().
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t all = 0;
    for (const auto& [begin, end] : ranges_) all += end - begin;
    return all;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // begin, end; apart
  std::uint64_t twice_ = 0;
};

}  // namespace cxlgpu
