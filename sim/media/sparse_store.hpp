// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Byte contents of a part, kept by touched page.
//
// Purpose: a terabyte device costs what is written of it. Used for media contents and for the
//          internal DRAM array alike.
// Shapes:  4 KiB pages in chunks of 64; an open-addressed table of 16 B entries, between 3/8 and
//          3/4 full, maps page number -> page: under 50 bytes of overhead per touched page.
// Rules:   bytes never written read as zero; reading allocates nothing. Line accesses are 64 B
//          aligned; block accesses may have any address and length.
// Poison:  a mark per line, kept for marked lines only. A poisoned write_line() sets it; a clean
//          write of the whole line clears it, write() too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include "common/request.hpp"

namespace cxlgpu {

class SparseStore {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;

  SparseStore();
  [[nodiscard]] Line read_line(std::uint64_t addr) const;
  void write_line(std::uint64_t addr, const Line& data, std::uint64_t byte_enable = kAllBytes,
                  bool poison = false);
  void read(std::uint64_t addr, std::span<std::uint8_t> to) const;
  void write(std::uint64_t addr, std::span<const std::uint8_t> from);

  [[nodiscard]] bool poisoned(std::uint64_t addr) const {
    return !marked_.empty() && marked_.contains(addr / kLineBytes);
  }
  void mark(std::uint64_t addr, bool poison);
  // The marks of `bytes` from `from` on, of another store, to `to`; both are 64 B aligned.
  void copy_marks(const SparseStore& other, std::uint64_t from, std::uint64_t to,
                  std::uint64_t bytes);
  [[nodiscard]] bool same_marks(const SparseStore& other, std::uint64_t from, std::uint64_t to,
                                std::uint64_t bytes) const;
  [[nodiscard]] std::vector<std::uint64_t> marks() const;  // addresses of marked lines, ascending

  [[nodiscard]] std::vector<std::uint64_t> pages() const;  // numbers of the touched ones, ascending
  [[nodiscard]] std::size_t touched_pages() const { return used_; }
  // Bytes held beside the page contents themselves.
  [[nodiscard]] std::size_t overhead_bytes() const;

 private:
  using Page = std::array<std::uint8_t, kPageBytes>;
  static constexpr std::size_t kChunkPages = 64;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t page = kEmpty;
    Page* bytes = nullptr;  // into chunks_
  };

  [[nodiscard]] std::size_t find(std::uint64_t page) const;
  [[nodiscard]] const Page* lookup(std::uint64_t page) const;
  Page& touch(std::uint64_t page);
  void grow();

  std::vector<Slot> table_;  // power of two
  unsigned shift_;           // 64 - log2(table_.size())
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Page[]>> chunks_;
  std::unordered_set<std::uint64_t> marked_;  // numbers of poisoned lines
};

}  // namespace cxlgpu
