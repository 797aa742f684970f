// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The endpoint's queue of speculative reads, split in granules.
//
// Purpose: twin of rtl/endpoint/spec_queue.sv: holds MemSpecRd messages and offers their 256 B
//          granules one by one.
// Units:   granules (address[51:8]); len is granules - 1, 0..3.
// Errors:  a message offered without room is lost (a MemSpecRd may be dropped).
// Source:  docs/blocks/endpoint/spec_queue.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace cxlgpu {

class SpecQueue {
 public:
  static constexpr std::uint64_t kGranules = std::uint64_t{1} << 44;

  struct Message {
    std::uint64_t first = 0;
    unsigned len = 0;
  };
  struct In {
    bool valid = false;
    Message message;
    bool out_ready = false;
  };
  struct Out {
    bool in_ready = false;
    bool valid = false;
    std::uint64_t granule = 0;  // with valid
  };

  explicit SpecQueue(std::size_t depth = 128) : depth_(depth) {}

  [[nodiscard]] Out eval(const In&) const {
    Out out;
    out.in_ready = messages_.size() < depth_;
    out.valid = !messages_.empty();
    if (out.valid) out.granule = (messages_.front().first + step_) % kGranules;
    return out;
  }
  void clock(const In& in) {
    const Out before = eval(in);
    if (before.valid && in.out_ready) {
      if (step_ == messages_.front().len) {
        messages_.pop_front();
        step_ = 0;
      } else {
        ++step_;
      }
    }
    if (in.valid && before.in_ready) messages_.push_back(in.message);
  }

 private:
  std::size_t depth_;
  std::deque<Message> messages_;
  unsigned step_ = 0;  // granules of the oldest message that have left
};

}  // namespace cxlgpu
