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

  [[nodiscard]] unsigned count() const { return held_; }
  // Of those that came since the head came, it and those beside counted, there are `depth`.
  [[nodiscard]] bool full() const { return held_ > 0 && came_ - oldest().number >= depth_; }
  [[nodiscard]] bool empty() const { return held_ == 0; }

  void push(const MemRequest& request) {
    assert(!full());
    const unsigned slot = after_head(held_++);
    entry_[slot] = {request, came_++};
    line_[slot] = request.addr / kLineBytes;
    loads_ |= std::uint64_t{!request.is_write} << slot;
  }
  // A request came that does not enter.
  void beside() { ++came_; }
  [[nodiscard]] const MemRequest& head() const { return oldest().request; }
  [[nodiscard]] unsigned head_slot() const { return head_slot_; }
  void pop() {
    assert(!empty());
    loads_ &= ~(std::uint64_t{1} << head_slot_);
    head_slot_ = after_head(1);
    --held_;
    visited_ -= visited_ > 0;  // the reader is not behind the head
  }

  // The reader. It has something to look at while it has not reached the tail.
  [[nodiscard]] bool reader_valid() const { return visited_ < held_; }
  [[nodiscard]] bool reader_at_head() const { return visited_ == 0 && held_ > 0; }
  [[nodiscard]] unsigned reader_slot() const { return after_head(visited_); }
  [[nodiscard]] const MemRequest& reader_request() const { return entry_[reader_slot()].request; }
  [[nodiscard]] std::uint64_t reader_line() const { return line_[reader_slot()]; }
  void reader_next() { visited_ += reader_valid(); }

  // Every stored load, by slot.
  [[nodiscard]] LineTable loads() const { return {line_.data(), loads_}; }

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
  struct Entry {
    MemRequest request;
    std::uint64_t number = 0;  // of all that came, in the queue or beside it
  };
  [[nodiscard]] unsigned after_head(unsigned entries) const {
    const unsigned slot = head_slot_ + entries;
    return slot < depth_ ? slot : slot - depth_;
  }
  [[nodiscard]] const Entry& oldest() const { return entry_[head_slot_]; }

  unsigned depth_;
  std::array<Entry, kMaxDepth> entry_;  // by slot, and so are lines and loads
  std::array<std::uint64_t, kMaxDepth> line_{};
  std::uint64_t loads_ = 0;
  unsigned head_slot_ = 0, held_ = 0;
  unsigned visited_ = 0;  // of those held, by the reader
  std::uint64_t came_ = 0;
};

}  // namespace cxlgpu
