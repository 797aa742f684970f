// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A FIFO of at most Capacity elements without heap allocation.
//
// Purpose: queues on the hot path of the model. Capacity must be a power of two.
// Rule:    one that runs empty begins again at its first place: a large queue that is short most of
//          the time stays within a few lines of the host's cache.
// Errors:  push to a full or pop from an empty queue is a programming error (asserted).
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <utility>

namespace cxlgpu {

template <typename T, std::size_t Capacity>
class RingQueue {
  static_assert((Capacity & (Capacity - 1)) == 0, "Capacity must be a power of two");

 public:
  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] std::size_t size() const { return tail_ - head_; }
  [[nodiscard]] bool full() const { return size() == Capacity; }
  void push(T value) {
    assert(!full());
    items_[tail_++ & (Capacity - 1)] = std::move(value);
  }
  // A new last element to be filled in; holds whatever its place held before.
  T& push() {
    assert(!full());
    return items_[tail_++ & (Capacity - 1)];
  }
  void pop() {
    assert(!empty());
    if (++head_ == tail_) head_ = tail_ = 0;
  }
  // The newest is no longer in it.
  void pop_back() {
    assert(!empty());
    --tail_;
  }
  void clear() { head_ = tail_ = 0; }
  [[nodiscard]] T& front() { return items_[head_ & (Capacity - 1)]; }
  [[nodiscard]] const T& front() const { return items_[head_ & (Capacity - 1)]; }
  [[nodiscard]] T& at(std::size_t i) { return items_[(head_ + i) & (Capacity - 1)]; }
  [[nodiscard]] const T& at(std::size_t i) const { return items_[(head_ + i) & (Capacity - 1)]; }

 private:
  std::array<T, Capacity> items_{};
  std::size_t head_ = 0, tail_ = 0;
};

}  // namespace cxlgpu
