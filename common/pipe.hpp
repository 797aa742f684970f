// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A FIFO that grows and never shrinks: queues of no certain length and fixed-latency pipelines.
//
// Purpose: no allocation once warm, elements stay in place while queued. One that runs empty begins
//          again at its first place, which the host's cache still holds.
// Errors:  pop or front of an empty pipe is a programming error (asserted).
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace cxlgpu {

template <typename T>
class Pipe {
 public:
  explicit Pipe(std::size_t capacity = 16) : items_(capacity), mask_(capacity - 1) {
    assert((capacity & (capacity - 1)) == 0);
  }
  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] std::size_t size() const { return tail_ - head_; }
  [[nodiscard]] T& front() {
    assert(!empty());
    return items_[head_ & mask_];
  }
  [[nodiscard]] const T& front() const {
    assert(!empty());
    return items_[head_ & mask_];
  }
  [[nodiscard]] T& back() { return items_[(tail_ - 1) & mask_]; }
  void pop() {
    assert(!empty());
    if (++head_ == tail_) head_ = tail_ = 0;
  }
  // A new last element to be filled in; holds whatever its place held before.
  T& push() {
    if (size() > mask_) grow();
    return items_[tail_++ & mask_];
  }
  void push(T value) { push() = std::move(value); }

 private:
  void grow() {
    std::vector<T> bigger(items_.size() * 2);
    for (std::size_t i = head_; i != tail_; ++i) {
      bigger[i - head_] = std::move(items_[i & mask_]);
    }
    tail_ -= head_;
    head_ = 0;
    items_ = std::move(bigger);
    mask_ = items_.size() - 1;
  }

  std::vector<T> items_;
  std::size_t mask_;  // kept: the size of a vector is a division
  std::size_t head_ = 0, tail_ = 0;
};

}  // namespace cxlgpu
