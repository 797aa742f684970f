// Events in time order; events of the same time in the order they were pushed.
//
// Purpose: the agenda of an event-driven part. Cost O(log n) per push and pop, top O(1).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "refmodel/common/time.hpp"

namespace cxlgpu {

template <typename T>
class EventQueue {
 public:
  [[nodiscard]] Time next() const { return heap_.empty() ? Time::never() : heap_.front().key.at; }
  void push(Time at, T what) {
    const Key key{at, sequence_++};
    std::size_t hole = heap_.size();
    heap_.emplace_back();
    while (hole > 0 && heap_[(hole - 1) / 2].key > key) {
      move(hole, (hole - 1) / 2);
      hole = (hole - 1) / 2;
    }
    put(hole, key, what);
  }
  // Precondition: next() is not never.
  T pop() {
    const T first = heap_.front().what;
    const Key key = heap_.back().key;
    const T what = heap_.back().what;
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return first;
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && heap_[child + 1].key < heap_[child].key) ++child;
      if (key < heap_[child].key) break;
      move(hole, child);
      hole = child;
    }
    put(hole, key, what);
    return first;
  }

 private:
  struct Key {
    Time at;
    std::uint64_t sequence = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Item {
    Key key;
    T what{};
  };
  // Member by member: a copy in one wide load right after narrow stores would wait for them.
  void put(std::size_t at, Key key, T what) {
    heap_[at].key.at = key.at;
    heap_[at].key.sequence = key.sequence;
    heap_[at].what = what;
  }
  void move(std::size_t to, std::size_t from) { put(to, heap_[from].key, heap_[from].what); }

  std::vector<Item> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace cxlgpu
