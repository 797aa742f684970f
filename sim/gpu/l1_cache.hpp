// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The L1 of a core: tags, data and miss registers.
//
// Purpose: not coherent with the other L1s; invalidated as a whole at barriers. The load/store unit
//          decides what happens when; this class only keeps state.
// Shapes:  lines of 64 B; the set index is hashed so that streams a power of two apart do not share
//          a set. Written through (no write allocate), every byte of a line is valid and none
//          dirty. Written back, a line that a store allocated has the stored bytes alone.
// Rules:   a store or atomic to a line that is being filled makes that fill stale: it still answers
//          the loads that were before the store, but is not kept, and later loads ask again. At
//          most one fill of a line is not stale, and a line that is present is not being filled but
//          by a stale one.
// Errors:  none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/line_filter.hpp"
#include "common/request.hpp"
#include "sim/gpu/gpu_config.hpp"
#include "sim/gpu/mem_op.hpp"
#include "sim/gpu/replacement.hpp"

namespace cxlgpu {

class L1Cache {
 public:
  struct Mshr {
    std::uint64_t line = 0;
    bool stale = false;
    std::vector<LineWaiter> waiters;
  };
  // What a write-back L1 knows of a way beside its data.
  struct Written {
    std::uint64_t valid = kAllBytes, dirty = 0;  // bytes
    std::vector<LineWaiter> stores;              // those that made it dirty
  };

  L1Cache(const L1Params& params, std::uint64_t seed);

  [[nodiscard]] bool back() const { return !written_.empty(); }
  // The line's data, or null; counts as a use.
  [[nodiscard]] Line* find(std::uint64_t line);
  [[nodiscard]] std::optional<std::size_t> way_of(std::uint64_t line) const;
  // Where the line, which is not there, would go.
  [[nodiscard]] std::size_t room_for(std::uint64_t line);
  // Puts it there, whatever that held; in a write-back L1 that must not be dirty any more.
  void fill(std::size_t way, std::uint64_t line, const Line& data);
  void invalidate(std::uint64_t line);
  void invalidate_all() { std::fill(tags_.begin(), tags_.end(), kNoLine); }

  // Write-back alone.
  [[nodiscard]] Written& written(std::size_t way) { return written_[way]; }
  [[nodiscard]] bool dirty(std::size_t way) const {
    return back() && tags_[way] != kNoLine && written_[way].dirty != 0;
  }
  [[nodiscard]] std::size_t ways() const { return tags_.size(); }  // of all sets
  [[nodiscard]] std::uint64_t line_in(std::size_t way) const { return tags_[way]; }
  [[nodiscard]] Line& data(std::size_t way) { return data_[way]; }
  void claim(std::size_t way, std::uint64_t line);  // as fill, without a valid byte
  void drop(std::size_t way) { tags_[way] = kNoLine; }
  void use(std::size_t way) { order_.use(way); }

  // A fill of the line that is in flight and not stale.
  [[nodiscard]] std::optional<std::uint16_t> find_mshr(std::uint64_t line) const;
  [[nodiscard]] bool mshr_free() const { return !free_.empty(); }
  [[nodiscard]] std::uint16_t allocate_mshr(std::uint64_t line);  // precondition: mshr_free()
  void release_mshr(std::uint16_t index);
  [[nodiscard]] Mshr& mshr(std::uint16_t index) { return mshrs_[index]; }
  void make_stale(std::uint64_t line);

 private:
  static constexpr std::uint64_t kNoLine = ~std::uint64_t{0};  // no line's address
  [[nodiscard]] std::size_t set_of(std::uint64_t line) const;

  std::size_t ways_;
  unsigned set_bits_;
  std::vector<std::uint64_t> tags_;
  std::vector<Line> data_;
  std::vector<Written> written_;  // empty: written through
  ReplacementOrder order_;
  std::vector<Mshr> mshrs_;
  std::vector<std::uint16_t> free_, busy_;
  LineFilter filling_;  // lines of the busy ones
};

// Set index of a line: the low bits, with higher bits folded in. sets = 2^bits.
constexpr std::size_t hashed_set(std::uint64_t line, unsigned bits) {
  const std::uint64_t n = line / kLineBytes;
  if (bits == 0) return 0;
  return static_cast<std::size_t>((n ^ (n >> bits) ^ (n >> (2 * bits)) ^ (n >> (3 * bits))) &
                                  ((std::uint64_t{1} << bits) - 1));
}

}  // namespace cxlgpu
