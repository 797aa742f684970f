// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The endpoint's table of accesses that wait for the media.
//
// Purpose: twin of rtl/endpoint/transaction_table.sv: gives an access an entry, keeps it while it
//          waits for a fill, offers it again once the fill is done, knows tag and line of each.
// Units:   line is address[51:6].
// Errors:  alloc without a free entry, or release of one that may not be, is the caller's fault.
// Source:  docs/blocks/endpoint/transaction_table.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/request.hpp"

namespace cxlgpu {

class TransactionTable {
 public:
  struct Access {
    std::uint64_t line = 0;
    bool write = false;
    std::uint16_t slot = 0;
    std::uint8_t mshr = 0;
    std::uint64_t byte_enable = 0;  // writes only
    Line data{};                    // writes only
    bool poison = false;            // writes only
  };
  struct In {
    bool alloc = false, alloc_waits = false;
    std::uint16_t alloc_tag = 0;
    Access alloc_access;
    bool fill_done = false;
    std::uint8_t fill_mshr = 0;
    bool wake_ready = false;
    unsigned issue_index = 0, answer_index = 0;
    bool release = false;  // of answer_index
  };
  struct Out {
    bool free = false;
    bool busy = false;  // some entry is used
    unsigned free_index = 0;
    bool wake_valid = false;
    unsigned wake_index = 0;
    Access wake;  // all 0 without wake_valid
    // Nothing for an entry that is not used.
    std::optional<std::uint16_t> issue_tag, answer_tag;
    std::optional<std::uint64_t> answer_line;
  };

  explicit TransactionTable(std::size_t depth = 32) : entries_(depth) {}

  [[nodiscard]] bool may_release(unsigned index) const {
    return entries_[index].used && !entries_[index].waits;
  }

  [[nodiscard]] Out eval(const In& in) const {
    Out out;
    // From the last entry to the first: the lowest remains.
    for (unsigned i = static_cast<unsigned>(entries_.size()); i-- > 0;) {
      if (!entries_[i].used) {
        out.free = true;
        out.free_index = i;
      } else {
        out.busy = true;
      }
      if (entries_[i].ready) {
        out.wake_valid = true;
        out.wake_index = i;
      }
    }
    if (out.wake_valid) {
      out.wake = entries_[out.wake_index].access;
      if (!out.wake.write) {
        out.wake.byte_enable = 0;
        out.wake.data = {};
        out.wake.poison = false;
      }
    }
    const Entry& issue = entries_[in.issue_index];
    if (issue.used) out.issue_tag = issue.tag;
    const Entry& answer = entries_[in.answer_index];
    if (answer.used) {
      out.answer_tag = answer.tag;
      out.answer_line = answer.access.line;
    }
    return out;
  }

  void clock(const In& in) {
    const Out before = eval(in);
    if (in.alloc) {
      entries_[before.free_index] = {true, in.alloc_waits, false, in.alloc_tag, in.alloc_access};
    }
    // After the allocation, before the wake: a fill reaches the new entry, not the one that leaves.
    for (Entry& e : entries_) {
      if (in.fill_done && e.waits && e.access.mshr == in.fill_mshr) e.ready = true;
    }
    if (before.wake_valid && in.wake_ready) {
      entries_[before.wake_index].waits = false;
      entries_[before.wake_index].ready = false;
    }
    if (in.release) entries_[in.answer_index].used = false;
  }

 private:
  struct Entry {
    bool used = false, waits = false, ready = false;
    std::uint16_t tag = 0;
    Access access;
  };
  std::vector<Entry> entries_;
};

}  // namespace cxlgpu
