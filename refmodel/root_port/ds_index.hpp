// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which lines are deferred, and in which slot.
//
// Purpose: twin of ds_index: a table of two buckets a key, and how many cycles the block takes for
//          each operation on it.
// Units:   keys are line addresses, slots count from 0, cycles from acceptance to the answer.
// Shapes:  a key is in its bucket on one of the sides, or aside; a key that finds both of its
//          buckets full moves another on.
// Errors:  a key held beyond the number of slots and requests while the block is busy are
//          programming errors (the first is asserted).
// Source:  docs/blocks/root_port/ds_index.md; Pagh, Rodler: Cuckoo hashing; Patrascu, Thorup: The
//          power of simple tabulation hashing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace cxlgpu {

class DsIndex {
 public:
  static constexpr unsigned kPlaces = 4;      // of a bucket
  static constexpr unsigned kMostMoves = 16;  // for one key

  explicit DsIndex(unsigned depth);

  struct Answer {
    bool found = false;
    unsigned slot = 0;
    unsigned cycles = 0;
  };
  [[nodiscard]] Answer find(std::uint64_t key) const;
  // found: it was there already, in that slot; or there was no place, then slot is the one given.
  Answer insert(std::uint64_t key, unsigned slot);
  Answer erase(std::uint64_t key);  // found: the slot is free now

  [[nodiscard]] unsigned size() const { return size_; }
  [[nodiscard]] unsigned depth() const { return depth_; }

  // For measurements and tests: keys moved so far, the key aside.
  [[nodiscard]] std::uint64_t moves() const { return moves_; }
  [[nodiscard]] std::optional<std::uint64_t> aside() const {
    return aside_ ? std::optional(aside_->key) : std::nullopt;
  }
  [[nodiscard]] unsigned bucket(std::uint64_t key, unsigned side) const;

 private:
  struct Entry {
    std::uint64_t key = 0;
    unsigned slot = 0;
  };
  using Place = std::optional<Entry>;
  using Bucket = std::array<Place, kPlaces>;

  [[nodiscard]] Bucket& bucket_of(std::uint64_t key, unsigned side) {
    return sides_[side][bucket(key, side)];
  }
  // None if the key is not there.
  template <typename Self>
  [[nodiscard]] static auto* where(Self& self, std::uint64_t key);
  unsigned put(const Entry& entry);
  unsigned move_on(Entry entry);

  unsigned depth_;
  unsigned bucket_bits_;
  std::array<std::vector<Bucket>, 2> sides_;
  Place aside_;
  unsigned turn_ = 0;
  unsigned size_ = 0;
  std::uint64_t moves_ = 0;
};

// Cycle-exact.
class DsIndexBlock {
 public:
  explicit DsIndexBlock(unsigned depth) : index_(depth), sweep_left_(depth / 4) {}

  struct In {
    bool req_valid = false;
    unsigned op = 0;  // 0, 3 find, 1 insert, 2 delete
    std::uint64_t key = 0;
    unsigned slot = 0;  // insert only
  };
  struct Out {
    bool req_ready = false;
    bool rsp_valid = false, found = false;
    unsigned slot = 0;
    unsigned count = 0;  // changes with the answer
  };
  [[nodiscard]] Out eval() const;
  void clock(const In& in);
  // That many cycles without a request, none being in hand.
  void skip(std::uint64_t cycles);

  [[nodiscard]] const DsIndex& index() const { return index_; }

 private:
  DsIndex index_;
  unsigned sweep_left_;  // cycles until the table is empty after reset
  // Of the current operation; answered in the cycle in which none are left.
  std::optional<DsIndex::Answer> answer_;
  unsigned cycles_left_ = 0;
  unsigned count_before_ = 0;
};

}  // namespace cxlgpu
