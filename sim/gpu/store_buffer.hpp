// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Gathers a core's stores line by line before they go to the last-level cache.
//
// Purpose: stores of several instructions to one line become one request. Which of its lines leaves
//          when is the load/store unit's business.
// Shapes:  up to `lines` lines, oldest first; none with 0.
// Errors:  add() to a full buffer and oldest() of an empty one are programming errors (asserted).
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "common/request.hpp"
#include "sim/gpu/mem_op.hpp"

namespace cxlgpu {

class StoreBuffer {
 public:
  struct Entry {
    std::uint64_t line = 0;
    std::uint64_t mask = 0;  // bytes stored
    Line data{};
    std::vector<LineWaiter> stores;
  };
  explicit StoreBuffer(std::size_t lines) : limit_(lines) { entries_.reserve(lines); }

  [[nodiscard]] bool enabled() const { return limit_ != 0; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] bool full() const { return entries_.size() >= limit_; }
  [[nodiscard]] Entry* find(std::uint64_t line) {
    for (Entry& entry : entries_) {
      if (entry.line == line) return &entry;
    }
    return nullptr;
  }
  [[nodiscard]] Entry& oldest() {
    assert(!empty());
    return entries_.front();
  }
  Entry& add(std::uint64_t line) {
    assert(!full());
    entries_.push_back({line, 0, {}, {}});
    return entries_.back();
  }
  void remove(const Entry& entry) { entries_.erase(entries_.begin() + (&entry - entries_.data())); }

 private:
  std::size_t limit_;
  std::vector<Entry> entries_;  // in the order they came
};

}  // namespace cxlgpu
