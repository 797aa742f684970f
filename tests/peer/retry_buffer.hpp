// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The retry buffer of a transmitter (CXL 2.0, 4.2.8.1): WrPtr, RdPtr, NumFreeBuf.
#pragma once

#include <cstdint>
#include <vector>

#include "link_end.hpp"

namespace peer {

class RetryBuffer {
 public:
  explicit RetryBuffer(unsigned entries) : entries_(entries) {}

  void reset() { write_ = read_ = unacknowledged_ = 0; }
  unsigned size() const { return static_cast<unsigned>(entries_.size()); }
  unsigned free() const { return size() - unacknowledged_; }
  unsigned unacknowledged() const { return unacknowledged_; }
  unsigned write_pointer() const { return write_; }
  unsigned read_pointer() const { return read_; }
  bool replaying() const { return read_ != write_; }
  bool next_is_all_data() const { return replaying() && entries_[read_].all_data; }

  void store(const Flit& flit, bool all_data) {
    entries_[write_] = {flit, all_data};
    write_ = next(write_);
    read_ = next(read_);
    ++unacknowledged_;
  }
  const Flit& replay() {
    const Flit& flit = entries_[read_].flit;
    read_ = next(read_);
    return flit;
  }
  void acknowledge(unsigned count) { unacknowledged_ -= count; }
  // True if `sequence` names a flit that is not acknowledged, or the one that is sent next.
  bool holds(unsigned sequence) const {
    if (sequence >= size()) return false;
    const unsigned behind = (write_ + size() - sequence) % size();
    return behind <= unacknowledged_;
  }
  void replay_from(unsigned sequence) { read_ = sequence; }

 private:
  struct Entry {
    Flit flit{};
    bool all_data = false;
  };
  unsigned next(unsigned pointer) const { return pointer + 1 == size() ? 0 : pointer + 1; }

  std::vector<Entry> entries_;
  unsigned write_ = 0;
  unsigned read_ = 0;
  unsigned unacknowledged_ = 0;
};

}  // namespace peer
