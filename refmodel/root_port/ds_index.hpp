// Which lines the DS stack holds, and in which slot.
//
// Purpose: twin of ds_index: a red-black tree of lines whose node number is the slot. It leans to
//          the left (a red child is a left child), which is shorter to write than the general kind;
//          the two agree in what they find, not in their shape.
// Units:   keys are line addresses, slots count from 0.
// Errors:  inserting at a slot in use is a programming error (asserted).
// Source:  docs/blocks.md, "ds_index"; R. Sedgewick, Left-leaning red-black trees, 2008.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace cxlgpu {

class DsIndex {
 public:
  explicit DsIndex(unsigned depth) : nodes_(depth) {}

  [[nodiscard]] unsigned size() const { return size_; }
  void clear() { *this = DsIndex(static_cast<unsigned>(nodes_.size())); }

  [[nodiscard]] std::optional<unsigned> find(std::uint64_t key) const {
    Link at = root_;
    while (at != kNone && nodes_[at].key != key) at = child(at, key > nodes_[at].key);
    return at == kNone ? std::nullopt : std::optional<unsigned>(at);
  }
  // The slot of the key: this one, or where it was already.
  unsigned insert(std::uint64_t key, unsigned slot) {
    if (const auto there = find(key)) return *there;
    assert(!nodes_[slot].used);
    nodes_[slot] = {.key = key, .used = true, .red = true};
    root_ = insert_below(root_, slot);
    nodes_[root_].red = false;
    ++size_;
    return slot;
  }
  // The slot that is free now.
  std::optional<unsigned> erase(std::uint64_t key) {
    const auto slot = find(key);
    if (!slot) return std::nullopt;
    // Going down, the node in hand or its child is always red, so that what is cut off is red.
    if (!red(child(root_, false)) && !red(child(root_, true))) nodes_[root_].red = true;
    root_ = erase_below(root_, key);
    if (root_ != kNone) nodes_[root_].red = false;
    nodes_[*slot].used = false;
    --size_;
    return slot;
  }

 private:
  using Link = std::uint32_t;
  static constexpr Link kNone = ~Link{0};
  struct Node {
    std::uint64_t key = 0;
    bool used = false, red = false;
    Link below[2] = {kNone, kNone};  // left, right
  };

  [[nodiscard]] bool red(Link at) const { return at != kNone && nodes_[at].red; }
  [[nodiscard]] Link child(Link at, bool right) const { return nodes_[at].below[right]; }
  Link& child(Link at, bool right) { return nodes_[at].below[right]; }

  // The child on that side takes the node's place and colour; the node hangs below it, red.
  Link rotate(Link at, bool right) {
    const Link top = child(at, right);
    child(at, right) = child(top, !right);
    child(top, !right) = at;
    nodes_[top].red = nodes_[at].red;
    nodes_[at].red = true;
    return top;
  }
  void flip(Link at) {
    for (const Link n : {at, child(at, false), child(at, true)}) nodes_[n].red = !nodes_[n].red;
  }
  Link lean(Link at) {
    if (red(child(at, true)) && !red(child(at, false))) at = rotate(at, true);
    if (red(child(at, false)) && red(child(child(at, false), false))) at = rotate(at, false);
    if (red(child(at, false)) && red(child(at, true))) flip(at);
    return at;
  }
  // A child on that side is made red, or has a red one, before the way goes on there.
  Link redden(Link at, bool right) {
    const Link way = child(at, right);
    if (red(way) || (way != kNone && red(child(way, false)))) return at;
    flip(at);
    if (!right && red(child(child(at, true), false))) {
      child(at, true) = rotate(child(at, true), false);
      at = rotate(at, true);
      flip(at);
    } else if (right && red(child(child(at, false), false))) {
      at = rotate(at, false);
      flip(at);
    }
    return at;
  }

  Link insert_below(Link at, Link slot) {
    if (at == kNone) return slot;
    Link& way = child(at, nodes_[slot].key > nodes_[at].key);
    way = insert_below(way, slot);
    return lean(at);
  }
  // What is left of the tree, and its least node.
  std::pair<Link, Link> cut_least(Link at) {
    if (child(at, false) == kNone) return {kNone, at};
    at = redden(at, false);
    const auto [rest, least] = cut_least(child(at, false));
    child(at, false) = rest;
    return {lean(at), least};
  }
  Link erase_below(Link at, std::uint64_t key) {
    if (key < nodes_[at].key) {
      at = redden(at, false);
      child(at, false) = erase_below(child(at, false), key);
      return lean(at);
    }
    if (red(child(at, false))) at = rotate(at, false);
    if (key == nodes_[at].key && child(at, true) == kNone) return kNone;
    at = redden(at, true);
    if (key == nodes_[at].key) {
      const auto [rest, least] = cut_least(child(at, true));
      nodes_[least].below[0] = child(at, false);
      nodes_[least].below[1] = rest;
      nodes_[least].red = nodes_[at].red;
      return lean(least);
    }
    child(at, true) = erase_below(child(at, true), key);
    return lean(at);
  }

  std::vector<Node> nodes_;
  Link root_ = kNone;
  unsigned size_ = 0;
};

// Stands in for the cycle-exact one: right answers after about the right time.
class DsIndexBlock {
 public:
  explicit DsIndexBlock(unsigned depth) : index_(depth) {}
  struct In {
    bool clear = false, req_valid = false;
    unsigned op = 0;  // 0 find, 1 insert, 2 delete
    std::uint64_t key = 0;
    unsigned slot = 0;
  };
  struct Out {
    bool req_ready = false, rsp_valid = false, found = false;
    unsigned slot = 0;
    unsigned count = 0;
    std::optional<unsigned> root;
  };
  [[nodiscard]] Out eval() const {
    Out out;
    out.req_ready = left_ <= 1;
    out.rsp_valid = left_ == 1;
    if (out.rsp_valid) {
      out.found = answer_.has_value();
      out.slot = answer_.value_or(inserted_);
    }
    out.count = index_.size();
    return out;
  }
  void clock(const In& in) {
    const bool ready = left_ <= 1;
    if (left_ > 0) --left_;
    if (in.clear) index_.clear();
    if (!in.req_valid || !ready) return;
    answer_ = index_.find(in.key);
    inserted_ = 0;
    left_ = 1;
    for (unsigned n = index_.size(); n != 0; n /= 2) ++left_;
    if (in.op == 1 && !answer_) {
      index_.insert(in.key, in.slot);
      inserted_ = in.slot;
    }
    if (in.op == 2) index_.erase(in.key);
  }

 private:
  DsIndex index_;
  unsigned left_ = 0;  // cycles until the answer
  std::optional<unsigned> answer_;
  unsigned inserted_ = 0;
};

}  // namespace cxlgpu
