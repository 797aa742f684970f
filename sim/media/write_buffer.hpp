// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Page-granular write buffer of a flash part: what is buffered, and what to program when.
//
// Purpose: merges lines into pages and decides on programs; contents and times are the caller's.
// States:  a page is dirty (waiting) or being programmed. It keeps its place until its program is
//          done and meanwhile serves reads; lines written during the program make it dirty again.
// Policy:  above `high` dirty pages, the page longest without a write is programmed, down to `low`;
//          a page without a write for `cold` is programmed at any fill level.
// Shapes:  lines are 64 B; pages up to 16 KiB (256 lines). All operations O(1).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/time.hpp"
#include "sim/media/media_config.hpp"

namespace cxlgpu {

class WriteBuffer {
 public:
  struct Program {
    std::uint64_t page;
    std::uint32_t entry;
    bool merge;  // not every line of the page is buffered: the old page must be read first
  };

  explicit WriteBuffer(const FlashConfig& config);

  // True if lines [first, first + count) of the page are all buffered.
  [[nodiscard]] bool covers(std::uint64_t page, std::uint32_t first, std::uint32_t count) const;
  // True if the page has its place already, so that put() takes more of it at any fill level.
  [[nodiscard]] bool has(std::uint64_t page) const { return by_page_.contains(page); }
  // Takes lines of a page; `whole` is false if some bytes of them are not written. False: full.
  bool put(std::uint64_t page, std::uint32_t first, std::uint32_t count, bool whole, Time now);
  // The next page to program now, which then counts as being programmed.
  std::optional<Program> next_program(Time now);
  void programmed(std::uint32_t entry, Time now);
  [[nodiscard]] std::uint64_t page_of(std::uint32_t entry) const { return entries_[entry].page; }
  // While on, every dirty page is due at once.
  void flush(bool on) { flushing_ = on; }
  // When the coldest dirty page becomes due; never() if none is dirty.
  [[nodiscard]] Time next_cold() const;
  [[nodiscard]] std::uint32_t used() const {
    return capacity_ - static_cast<std::uint32_t>(free_.size());
  }
  [[nodiscard]] std::uint32_t dirty() const { return dirty_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Entry {
    std::uint64_t page = 0;
    std::array<std::uint64_t, 4> lines{};
    Time touched;
    std::uint32_t older = kNone, newer = kNone;
    bool programming = false, again = false;
  };

  void link_newest(std::uint32_t entry);
  void unlink(std::uint32_t entry);

  std::uint32_t capacity_, high_, low_, lines_per_page_;
  Time cold_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_page_;
  std::uint32_t oldest_ = kNone, newest_ = kNone;  // dirty pages by last write
  std::uint32_t dirty_ = 0;
  bool draining_ = false, flushing_ = false;
};

}  // namespace cxlgpu
