// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Events in time order; events of the same time in the order they were pushed.
//
// Purpose: the agenda of an event-driven part. Cost O(log n) per push and pop, top O(1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/time.hpp"

namespace cxlgpu {

template <typename T>
class EventQueue {
 public:
  [[nodiscard]] Time next() const { return heap_.empty() ? Time::never() : heap_.front().at; }
  void push(Time at, T what) {
    heap_.push_back({at, sequence_++, what});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  // Precondition: next() is not never.
  T pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    T what = heap_.back().what;
    heap_.pop_back();
    return what;
  }

 private:
  struct Item {
    Time at;
    std::uint64_t sequence;
    T what;
  };
  static bool later(const Item& a, const Item& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
  std::vector<Item> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace cxlgpu
