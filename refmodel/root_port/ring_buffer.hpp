// The ring buffer: which granules were lately asked for by MemSpecRd.
//
// Purpose: suppresses a second MemSpecRd for what one already covers. Four banks (granule mod 4) of
//          sets x ways, first in first out in each set; sets are picked by an XOR hash.
// Units:   granules (address[51:8]).
// Shapes:  sets: a power of two up to 64; ways: at least 1.
// Errors:  none.
// Source:  docs/blocks.md, "ring_buffer".
#pragma once

#include <cstdint>
#include <vector>

#include "refmodel/root_port/policy.hpp"

namespace cxlgpu {

class RingBuffer {
 public:
  explicit RingBuffer(unsigned sets = 64, unsigned ways = 4)
      : sets_(sets), ways_(ways), held_(kBanks * sets * ways, kEmpty), next_(kBanks * sets) {}

  [[nodiscard]] bool contains(std::uint64_t granule) const {
    const std::uint64_t* way = &held_[set_of(granule) * ways_];
    for (unsigned i = 0; i < ways_; ++i) {
      if (way[i] == granule) return true;
    }
    return false;
  }
  // Every granule of the run, unless it is there already.
  void record(std::uint64_t first, unsigned len) {
    for (unsigned i = 0; i <= len; ++i) insert((first + i) & kGranuleMask);
  }
  void record(GranuleRun run) { record(run.first, run.len); }
  void flush() { *this = RingBuffer(sets_, ways_); }

  // Cycle-exact.
  struct In {
    std::uint64_t granule = 0;
    bool record = false;
    std::uint64_t first = 0;
    unsigned len = 0;
    bool flush = false;
  };
  struct Out {
    bool hit = false;
  };
  [[nodiscard]] Out eval(const In& in) const { return {contains(in.granule)}; }
  void clock(const In& in) {
    if (in.flush) {
      flush();
    } else if (in.record) {
      record(in.first, in.len);
    }
  }

 private:
  static constexpr std::size_t kBanks = 4;
  static constexpr std::uint64_t kGranuleMask = (std::uint64_t{1} << 44) - 1;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  [[nodiscard]] std::size_t set_of(std::uint64_t granule) const {
    const std::uint64_t hash = (granule >> 2) ^ (granule >> 8) ^ (granule >> 14);
    return (granule % kBanks) * sets_ + (hash & (sets_ - 1));
  }
  void insert(std::uint64_t granule) {
    if (contains(granule)) return;
    const std::size_t set = set_of(granule);
    held_[set * ways_ + next_[set]] = granule;
    next_[set] = (next_[set] + 1) % ways_;
  }

  std::size_t sets_, ways_;
  std::vector<std::uint64_t> held_;  // [bank][set][way]
  std::vector<std::size_t> next_;    // way that is written next, [bank][set]
};

}  // namespace cxlgpu
