// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/flex_bus/lane_deskew.hpp"

namespace cxlgpu {

// What happens to the heads, from the state alone.
LaneDeskew::Move LaneDeskew::move() const {
  // True if every lane has a head, and each is as asked.
  const auto all = [&](auto asked) {
    return std::all_of(queue_.begin(), queue_.end(),
                       [&](const Queue& q) { return !q.empty() && asked(q.front()); });
  };
  // True if some lane has a head that is as asked.
  const auto any = [&](auto asked) {
    return std::any_of(queue_.begin(), queue_.end(),
                       [&](const Queue& q) { return !q.empty() && asked(q.front()); });
  };
  if (!aligned_) {
    return all([](const LaneWord& w) { return w.starts_set(kSdsFirstWord); }) ? Move::kWord
                                                                              : Move::kDrop;
  }
  if (in_skp_) {
    if (any([](const LaneWord& w) {
          return w.start || (w.data != kSkpWord && !is_skp_end(w.data));
        })) {
      return Move::kLost;
    }
    return all([](const LaneWord& w) { return is_skp_end(w.data); }) ? Move::kWord : Move::kDrop;
  }
  if (!all([](const LaneWord&) { return true; })) return Move::kNone;
  const LaneWord& first = queue_[0].front();
  return all([&](const LaneWord& w) { return w.start == first.start && w.sync == first.sync; })
             ? Move::kWord
             : Move::kLost;
}

bool LaneDeskew::droppable(const LaneWord& head) const {
  return aligned_ ? head.data == kSkpWord : !head.starts_set(kSdsFirstWord);
}

LaneDeskew::Out LaneDeskew::eval(const In&) const {
  Out out{.word = {}, .aligned = aligned_, .lost = lost_};
  out.word.valid = move() == Move::kWord;
  if (!out.word.valid) return out;
  out.word.start = queue_[0].front().start;
  out.word.sync = queue_[0].front().sync;
  for (std::size_t l = 0; l < queue_.size(); ++l) out.word.lane[l] = queue_[l].front().data;
  return out;
}

void LaneDeskew::clock(const In& in) {
  if (in.clear) {
    *this = LaneDeskew(static_cast<unsigned>(queue_.size()), depth_);
    return;
  }
  const Move what = move();
  const Word word = eval(in).word;
  bool full = false;
  for (std::size_t l = 0; l < queue_.size(); ++l) {
    Queue& q = queue_[l];
    const bool room = q.size() < depth_;
    if (what == Move::kWord || (what == Move::kDrop && !q.empty() && droppable(q.front()))) {
      q.pop_front();
    }
    if (in.lane[l] && room) q.push_back(*in.lane[l]);
    full |= in.lane[l] && !room;
  }
  if (!aligned_) {
    aligned_ = what == Move::kWord;
    in_skp_ = lost_ = false;
    return;
  }
  if (what == Move::kWord) {
    const bool set = word.start && word.sync == kSyncOrderedSet &&
                     word.all(static_cast<unsigned>(queue_.size()), kSkpWord);
    in_skp_ = !in_skp_ && !in.bypass && set;
  }
  lost_ = what == Move::kLost || full;
  aligned_ = !lost_;
}

}  // namespace cxlgpu
