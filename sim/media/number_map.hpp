// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Map from 32-bit numbers to 32-bit numbers that costs 10 to 13 bytes an entry.
//
// Purpose: the sparse tables of the translation layer, where what was never touched costs nothing.
// Shapes:  open addressing, linear probing, 3/5 to 4/5 full; entries are never removed.
// Errors:  none; the key kNone is not allowed (asserted).
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cxlgpu {

class NumberMap {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // kNone if the key is not there.
  [[nodiscard]] std::uint32_t find(std::uint32_t key) const { return table_[slot_of(key)].value; }
  void set(std::uint32_t key, std::uint32_t value) {
    assert(key != kNone && value != kNone);
    std::size_t at = slot_of(key);
    if (table_[at].key == kNone) {
      if ((used_ + 1) * 5 > table_.size() * 4) {
        grow();
        at = slot_of(key);
      }
      table_[at].key = key;
      ++used_;
    }
    table_[at].value = value;
  }
  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] std::size_t bytes() const { return table_.capacity() * sizeof(Entry); }
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Entry& entry : table_) {
      if (entry.key != kNone) visit(entry.key, entry.value);
    }
  }

 private:
  struct Entry {
    std::uint32_t key = kNone, value = kNone;
  };
  [[nodiscard]] std::size_t slot_of(std::uint32_t key) const {
    const std::uint64_t hash = (key * 0x9e3779b97f4a7c15ull) >> 32;
    std::size_t at = (hash * table_.size()) >> 32;
    while (table_[at].key != key && table_[at].key != kNone)
      at = at + 1 == table_.size() ? 0 : at + 1;
    return at;
  }
  void grow() {  // by a third: doubling would leave it 2/5 full
    std::vector<Entry> old(table_.size() + table_.size() / 3);
    old.swap(table_);
    for (const Entry& entry : old) {
      if (entry.key != kNone) table_[slot_of(entry.key)] = entry;
    }
  }

  std::vector<Entry> table_ = std::vector<Entry>(64);
  std::size_t used_ = 0;
};

}  // namespace cxlgpu
