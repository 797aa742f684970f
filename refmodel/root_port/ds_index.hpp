// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which lines the DS stack holds, and in which slot.
//
// Purpose: twin of ds_index: a red-black tree of lines whose node number is the slot, and how many
//          cycles the block takes for each operation on it.
// Units:   keys are line addresses, slots count from 0, cycles from acceptance to the answer.
// Shapes:  nodes keep their slots: where a node with two children goes, its successor is relinked
//          into its place.
// Errors:  inserting at a slot in use, clear and requests while the block is busy are programming
//          errors (asserted).
// Source:  docs/blocks/root_port/ds_index.md; Cormen, Leiserson, Rivest, Stein, Introduction to
//          Algorithms, chapter 13.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace cxlgpu {

class DsIndex {
 public:
  explicit DsIndex(unsigned depth) : nodes_(depth) {}

  struct Answer {
    bool found = false;
    unsigned slot = 0;
    unsigned cycles = 0;
  };
  [[nodiscard]] Answer find(std::uint64_t key) const;
  Answer insert(std::uint64_t key, unsigned slot);  // found: it was there already, in that slot
  Answer erase(std::uint64_t key);                  // found: the slot is free now
  void clear();

  [[nodiscard]] unsigned size() const { return size_; }
  [[nodiscard]] unsigned depth() const { return static_cast<unsigned>(nodes_.size()); }
  [[nodiscard]] std::optional<unsigned> root() const {
    return root_ == kNone ? std::nullopt : std::optional<unsigned>(root_);
  }

 private:
  using Link = std::uint32_t;
  static constexpr Link kNone = ~Link{0};
  enum class Side : std::uint8_t { Left, Right };
  struct Node {
    std::uint64_t key = 0;
    bool used = false, red = false;
    Link parent = kNone, below[2] = {kNone, kNone};
  };
  struct Place {  // where a key is, or would hang
    Link at = kNone, parent = kNone;
    unsigned compared = 0;
  };

  [[nodiscard]] static Side other(Side side) {
    return side == Side::Left ? Side::Right : Side::Left;
  }
  [[nodiscard]] bool red(Link at) const { return at != kNone && nodes_[at].red; }
  [[nodiscard]] Link parent(Link at) const { return nodes_[at].parent; }
  [[nodiscard]] Link child(Link at, Side side) const {
    return nodes_[at].below[static_cast<unsigned>(side)];
  }
  // The side of its parent on which it hangs.
  [[nodiscard]] Side side(Link at) const {
    return child(parent(at), Side::Left) == at ? Side::Left : Side::Right;
  }
  [[nodiscard]] Place search(std::uint64_t key) const;

  void hang(Link at, Link below, Side side);
  void replace(Link at, Link by);
  Link rotate(Link at, Side side);

  void repair(Link low);
  void turn_up(Link low, bool written);
  void erase_outer(Link at);
  void erase_inner(Link at);
  void fill(Link up, Side side, bool written);
  void fill_from_far(Link up, Side side);
  void fill_from_near(Link up, Side side);

  // The cycles of an operation, by the page: words that are written, and parent links of children.
  void spend(unsigned cycles) { cycles_ += cycles; }
  void spend_child(Link at) { cycles_ += at != kNone ? 2 : 0; }

  std::vector<Node> nodes_;
  Link root_ = kNone;
  unsigned size_ = 0;
  unsigned cycles_ = 0;  // of the operation in hand
};

// Cycle-exact.
class DsIndexBlock {
 public:
  explicit DsIndexBlock(unsigned depth) : index_(depth) {}

  struct In {
    bool clear = false;  // only with req_ready, and without req_valid
    bool req_valid = false;
    unsigned op = 0;  // 0, 3 find, 1 insert, 2 delete
    std::uint64_t key = 0;
    unsigned slot = 0;  // insert only
  };
  struct Out {
    bool req_ready = false;
    bool rsp_valid = false, found = false;
    unsigned slot = 0;
    // As they will be after the current operation.
    unsigned count = 0;
    std::optional<unsigned> root;
  };
  [[nodiscard]] Out eval() const;
  void clock(const In& in);

  [[nodiscard]] const DsIndex& index() const { return index_; }

 private:
  DsIndex index_;
  // Of the current operation; answered in the cycle in which none are left.
  std::optional<DsIndex::Answer> answer_;
  unsigned cycles_left_ = 0;
};

}  // namespace cxlgpu
