// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which lines may be deferred: a counting filter before the index of those that are.
//
// Purpose: spares nearly every access the search of ds_index. A "no" is certain, a "maybe" is not.
// Units:   keys are line addresses.
// Shapes:  a two-bit counter a bucket; one that once was 3 stays there until the filter is cleared.
// Errors:  inc and dec in one cycle is a programming error (asserted).
// Source:  docs/blocks/root_port/ds_filter.md.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace cxlgpu {

class DsFilter {
 public:
  explicit DsFilter(unsigned buckets = 1024) : count_(buckets) {
    assert(std::has_single_bit(buckets));
  }

  // The key's pieces, as long as a bucket's number, each turned by three bits more than the last.
  [[nodiscard]] unsigned bucket(std::uint64_t key) const {
    const int piece = std::countr_zero(count_.size());
    const std::uint64_t mask = count_.size() - 1;
    std::uint64_t folded = 0;
    for (int turn = 0; key != 0; key >>= piece, turn = (turn + 3) % piece) {
      const std::uint64_t bits = key & mask;
      folded ^= bits << turn | bits >> (piece - turn);
    }
    return static_cast<unsigned>(folded & mask);
  }
  [[nodiscard]] bool maybe(std::uint64_t key) const { return maybe_in(bucket(key)); }
  void inc(std::uint64_t key) { inc_in(bucket(key)); }
  void dec(std::uint64_t key) { dec_in(bucket(key)); }
  // The same of a key whose bucket is known.
  [[nodiscard]] bool maybe_in(unsigned bucket) const { return count_[bucket] != 0; }
  void inc_in(unsigned bucket) {
    std::uint8_t& count = count_[bucket];
    if (count < kUnknown) ++count;
  }
  void dec_in(unsigned bucket) {
    std::uint8_t& count = count_[bucket];
    if (count != 0 && count != kUnknown) --count;
  }
  void clear() { count_.assign(count_.size(), 0); }

  // Cycle-exact.
  struct In {
    std::uint64_t key = 0;
    bool inc = false, dec = false;
    std::uint64_t upd_key = 0;
    bool clear = false;  // wins
  };
  struct Out {
    bool maybe = false;      // of key
    bool upd_maybe = false;  // of upd_key
  };
  [[nodiscard]] Out eval(const In& in) const { return {maybe(in.key), maybe(in.upd_key)}; }
  void clock(const In& in) {
    assert(!(in.inc && in.dec));
    if (in.clear) {
      clear();
    } else if (in.inc) {
      inc(in.upd_key);
    } else if (in.dec) {
      dec(in.upd_key);
    }
  }

 private:
  static constexpr std::uint8_t kUnknown = 3;
  std::vector<std::uint8_t> count_;
};

}  // namespace cxlgpu
