// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A small fully associative table, the least recently used entry replaced.
//
// Purpose: what several published prefetchers keep their entries in.
// Shapes:  Size entries; keys below 2^63.
// Errors:  none.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace cxlgpu {

// Bits of a table: valid, key, what is kept and the place in the order of use, of each entry.
[[nodiscard]] constexpr unsigned lru_bits(unsigned size, unsigned key, unsigned value) {
  return size * (1 + key + value + static_cast<unsigned>(std::bit_width(size - 1)));
}

template <typename Value, std::size_t Size>
class LruTable {
 public:
  struct Entry {
    std::uint64_t key = kNone;
    Value value{};
    std::uint64_t used = 0;
  };

  [[nodiscard]] const Value* find(std::uint64_t key) const {
    const auto at = std::find_if(entries_.begin(), entries_.end(),
                                 [key](const Entry& e) { return e.key == key; });
    return at == entries_.end() ? nullptr : &at->value;
  }
  [[nodiscard]] Value* find(std::uint64_t key) {
    return const_cast<Value*>(std::as_const(*this).find(key));
  }
  // Finds and makes it the most recent.
  Value* use(std::uint64_t key) {
    for (Entry& e : entries_) {
      if (e.key != key) continue;
      e.used = ++clock_;
      return &e.value;
    }
    return nullptr;
  }
  // use(), or a new one in the place of the least recent, which is told to `evicted`.
  template <typename Evicted>
  Value& make(std::uint64_t key, Evicted evicted) {
    if (Value* there = use(key)) return *there;
    Entry& e = *std::min_element(entries_.begin(), entries_.end(),
                                 [](const Entry& a, const Entry& b) { return a.used < b.used; });
    if (e.key != kNone) evicted(e.value);
    e = {.key = key, .used = ++clock_};
    return e.value;
  }
  Value& make(std::uint64_t key) {
    return make(key, [](const Value&) {});
  }
  void drop(std::uint64_t key) {
    for (Entry& e : entries_) {
      if (e.key == key) e = {};
    }
  }
  void flush() { entries_ = {}; }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  std::array<Entry, Size> entries_{};
  std::uint64_t clock_ = 0;  // of uses; an order alone would do in hardware
};

}  // namespace cxlgpu
