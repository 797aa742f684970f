// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The SR queue: loads and stores of one root port in order, with a reader that runs ahead.
//
// Purpose: the head leaves to the memory queue; the reader walks the entries once, ahead of the
//          head, so that loads not yet sent can be speculated on. Every stored load is visible to
//          the address window.
// Shapes:  a request is one 64 B line; slots are numbered 0..depth-1 and used in turn.
// Errors:  push() to a full, pop() from an empty queue are programming errors (asserted).
// Source:  docs/blocks/root_port/sr_queue.md.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "common/request.hpp"
#include "common/rtl_sizes.hpp"
#include "refmodel/root_port/address_window.hpp"

namespace cxlgpu {

class SrQueue {
 public:
  static constexpr unsigned kMaxDepth = 64;
  explicit SrQueue(unsigned depth = kDefaultRtl.sr_queue_entries) : depth_(depth) {
    assert(depth >= 1 && depth <= kMaxDepth);
  }

  [[nodiscard]] unsigned count() const { return count_; }
  // No room: those that came since the head did, it and those beside counted, are `depth`.
  [[nodiscard]] bool full() const { return count_ > 0 && came_ - came_before_[head_] >= depth_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }

  void push(const MemRequest& request) {
    assert(!full());
    const unsigned slot = slot_at(count_++);
    came_before_[slot] = came_++;
    request_[slot] = request;
    line_[slot] = request.addr / kLineBytes;
    if (!request.is_write) load_valid_ |= std::uint64_t{1} << slot;
  }
  // A request came that does not enter.
  void beside() { ++came_; }
  [[nodiscard]] const MemRequest& head() const { return request_[head_]; }
  [[nodiscard]] unsigned head_slot() const { return head_; }
  void pop() {
    assert(!empty());
    load_valid_ &= ~(std::uint64_t{1} << head_);
    head_ = slot_at(1);
    --count_;
    if (ahead_ > 0) --ahead_;  // the reader stood on the head: it moves along
  }

  // The reader. It has something to look at while it has not reached the tail.
  [[nodiscard]] bool reader_valid() const { return ahead_ < count_; }
  [[nodiscard]] bool reader_at_head() const { return reader_valid() && ahead_ == 0; }
  [[nodiscard]] unsigned reader_slot() const { return slot_at(ahead_); }
  [[nodiscard]] const MemRequest& reader_request() const { return request_[reader_slot()]; }
  [[nodiscard]] std::uint64_t reader_line() const { return line_[reader_slot()]; }
  void reader_next() {
    if (reader_valid()) ++ahead_;
  }

  // Every stored load, by slot.
  [[nodiscard]] LineTable loads() const { return {line_.data(), load_valid_}; }

  // Cycle-exact.
  struct In {
    bool in_valid = false;
    MemRequest in_req;
    bool beside = false, head_ready = false, rd_next = false;
  };
  struct Out {
    bool in_ready = false, head_valid = false;
    const MemRequest* head = nullptr;           // with head_valid
    bool rd_valid = false, rd_is_load = false;  // rd_is_load and what follows: with rd_valid
    std::uint64_t rd_line = 0;
    unsigned rd_index = 0;
    bool rd_head = false;  // it is the head
    LineTable loads;
    unsigned count = 0;
  };
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);

 private:
  [[nodiscard]] unsigned slot_at(unsigned distance) const {
    const unsigned slot = head_ + distance;
    return slot >= depth_ ? slot - depth_ : slot;
  }

  unsigned depth_;
  unsigned head_ = 0, count_ = 0;
  unsigned ahead_ = 0;  // entries between the head and the reader
  std::array<MemRequest, kMaxDepth> request_{};
  std::array<std::uint64_t, kMaxDepth> line_{};
  std::uint64_t load_valid_ = 0;
  std::uint64_t came_ = 0;  // requests
  std::array<std::uint64_t, kMaxDepth> came_before_{};
};

}  // namespace cxlgpu
