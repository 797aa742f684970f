// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/ds_index.hpp"

#include <cassert>

namespace cxlgpu {

DsIndex::Place DsIndex::search(std::uint64_t key) const {
  Place place{.at = root_};
  while (place.at != kNone) {
    const Node& node = nodes_[place.at];
    ++place.compared;
    if (key == node.key) break;
    place.parent = place.at;
    place.at = child(place.at, key < node.key ? Side::Left : Side::Right);
  }
  return place;
}

DsIndex::Answer DsIndex::find(std::uint64_t key) const {
  const Place place = search(key);
  const bool found = place.at != kNone;
  return {found, found ? place.at : 0, 1 + place.compared};
}

void DsIndex::clear() {
  *this = DsIndex(depth());
}

// Below may be none.
void DsIndex::hang(Link at, Link below, Side side) {
  nodes_[at].below[static_cast<unsigned>(side)] = below;
  if (below != kNone) nodes_[below].parent = at;
}

// What hangs above at holds by instead, which may be none.
void DsIndex::replace(Link at, Link by) {
  const Link above = parent(at);
  if (above != kNone) {
    hang(above, by, side(at));
  } else {
    root_ = by;
    if (by != kNone) nodes_[by].parent = kNone;
  }
}

// The child on that side rises to the node's place; the node hangs on its other side.
DsIndex::Link DsIndex::rotate(Link at, Side side) {
  const Link top = child(at, side);
  replace(at, top);
  hang(at, child(top, other(side)), side);
  hang(top, at, other(side));
  return top;
}

DsIndex::Answer DsIndex::insert(std::uint64_t key, unsigned slot) {
  const Place place = search(key);
  cycles_ = 1 + place.compared;
  if (place.at != kNone) return {true, place.at, cycles_};
  assert(!nodes_[slot].used);
  nodes_[slot] = {.key = key, .used = true, .red = place.parent != kNone};
  ++size_;
  if (place.parent == kNone) {
    root_ = slot;
    spend(1);
  } else {
    hang(place.parent, slot, key < nodes_[place.parent].key ? Side::Left : Side::Right);
    if (red(place.parent)) {
      repair(slot);
    } else {
      spend(1);
    }
  }
  return {false, slot, cycles_};
}

// low and its parent are both red.
void DsIndex::repair(Link low) {
  bool written = false;
  while (true) {
    const Link mid = parent(low), up = parent(mid);
    const Link uncle = child(up, other(side(mid)));
    if (uncle != kNone) spend(1);
    if (!red(uncle)) return turn_up(low, written);
    nodes_[uncle].red = nodes_[mid].red = false;
    nodes_[up].red = up != root_;
    spend(!written + 1 + (up != root_));
    if (up == root_ || !red(parent(up))) return;
    spend(3);
    low = up;
    written = true;
  }
}

// One of low and its parent takes the grandparent's place.
void DsIndex::turn_up(Link low, bool written) {
  const Link mid = parent(low), up = parent(mid);
  const Side outer = side(mid);
  const bool inner = side(low) != outer;
  if (inner) rotate(mid, other(outer));
  const Link top = rotate(up, outer);
  nodes_[top].red = false;
  nodes_[up].red = true;
  spend(1);
  spend((!written || inner) + 2);
  spend_child(child(up, outer));
  if (inner) spend_child(child(mid, other(outer)));
}

DsIndex::Answer DsIndex::erase(std::uint64_t key) {
  const Place place = search(key);
  cycles_ = 1 + place.compared;
  if (place.at == kNone) return {false, 0, cycles_};
  if (child(place.at, Side::Left) != kNone && child(place.at, Side::Right) != kNone) {
    erase_inner(place.at);
  } else {
    erase_outer(place.at);
  }
  nodes_[place.at].used = false;
  --size_;
  return {true, place.at, cycles_};
}

// A node with one child, which is red, or none.
void DsIndex::erase_outer(Link at) {
  const Link above = parent(at);
  const Link left = child(at, Side::Left);
  const Link below = left != kNone ? left : child(at, Side::Right);
  const Side short_side = above != kNone ? side(at) : Side::Left;
  replace(at, below);
  if (below != kNone) {
    nodes_[below].red = false;
    spend(1 + (above != kNone));
  } else if (above != kNone && !red(at)) {
    fill(above, short_side, false);
  }
}

// A node with two children: the successor takes its place and colour.
void DsIndex::erase_inner(Link at) {
  Link successor = child(at, Side::Right);
  spend(1);
  for (; child(successor, Side::Left) != kNone; successor = child(successor, Side::Left)) spend(1);
  const Link above = parent(at), left = child(at, Side::Left), right = child(at, Side::Right);
  const Link old_parent = parent(successor), orphan = child(successor, Side::Right);
  const bool was_child = old_parent == at;
  const bool runs_short = !red(successor) && orphan == kNone;

  if (!was_child) {
    hang(old_parent, orphan, Side::Left);
    hang(successor, right, Side::Right);
  }
  hang(successor, left, Side::Left);
  replace(at, successor);
  nodes_[successor].red = nodes_[at].red;
  if (orphan != kNone) nodes_[orphan].red = false;

  spend((!was_child && !runs_short) + (above != kNone));
  spend_child(orphan);
  spend_child(left);
  if (!was_child && old_parent != right) spend_child(right);
  if (!runs_short) return;
  spend(1);
  if (was_child) {
    fill(successor, Side::Right, true);
  } else {
    fill(old_parent, Side::Left, false);
  }
}

// That side of up is one black node short; written: the word of up is as the tree is.
void DsIndex::fill(Link up, Side side, bool written) {
  while (true) {
    Link sibling = child(up, other(side));
    spend(1);
    if (red(sibling)) {
      rotate(up, other(side));
      nodes_[sibling].red = false;
      nodes_[up].red = true;
      spend(1 + 1 + 1);  // and up, red now, is written whatever comes
      continue;
    }
    const Link far = child(sibling, other(side)), near = child(sibling, side);
    if (far != kNone) spend(1);
    if (red(far)) return fill_from_far(up, side);
    if (near != kNone) spend(1);
    if (red(near)) return fill_from_near(up, side);
    const bool was_red = red(up);
    nodes_[sibling].red = true;
    nodes_[up].red = false;
    spend(was_red || !written);
    if (was_red || up == root_) return;
    spend(2);
    side = this->side(up);
    up = parent(up);
    written = true;
  }
}

void DsIndex::fill_from_far(Link up, Side side) {
  const bool colour = red(up);
  const Link top = rotate(up, other(side));
  nodes_[top].red = colour;
  nodes_[up].red = nodes_[child(top, other(side))].red = false;
  spend(2);
  spend(2);
  spend_child(child(up, other(side)));
}

void DsIndex::fill_from_near(Link up, Side side) {
  const bool colour = red(up);
  const Link sibling = child(up, other(side));
  rotate(sibling, side);
  const Link top = rotate(up, other(side));
  nodes_[top].red = colour;
  nodes_[up].red = false;
  spend(1);
  spend(3);
  spend_child(child(up, other(side)));
  spend_child(child(sibling, side));
}

DsIndexBlock::Out DsIndexBlock::eval() const {
  Out out{.count = index_.size(), .root = index_.root()};
  out.rsp_valid = answer_ && cycles_left_ == 0;
  out.req_ready = !answer_ || out.rsp_valid;
  if (out.rsp_valid) {
    out.found = answer_->found;
    out.slot = answer_->slot;
  }
  return out;
}

void DsIndexBlock::clock(const In& in) {
  if (answer_ && cycles_left_ > 0) {
    assert(!in.clear);
    --cycles_left_;
    return;
  }
  answer_.reset();
  if (in.clear) {
    assert(!in.req_valid);
    index_.clear();
  } else if (in.req_valid) {
    answer_ = in.op == 1   ? index_.insert(in.key, in.slot)
              : in.op == 2 ? index_.erase(in.key)
                           : index_.find(in.key);
    cycles_left_ = answer_->cycles - 1;
  }
}

}  // namespace cxlgpu
