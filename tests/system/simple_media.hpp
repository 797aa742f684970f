// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A media part for system tests: flat contents, one random latency per command, bounded queue; an
// internal DRAM of as many slots as are named, of `line_bytes` each. Poison as every Media keeps
// it.
#pragma once

#include <functional>
#include <map>
#include <queue>
#include <random>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/media_port.hpp"
#include "sim/media/held_bytes.hpp"

namespace cxlgpu {

class SimpleMedia : public Media {
 public:
  SimpleMedia(std::uint64_t seed, Time low, Time high, std::uint64_t line_bytes = 256)
      : rng_(seed),
        low_(low),
        high_(high),
        line_bytes_(line_bytes),
        held_(line_bytes / kLineBytes) {}

  [[nodiscard]] bool can_accept(Time, MediaOp) const override { return due_.size() < 64; }
  void submit(const MediaCommand& c, Time now) override {
    MediaResponse r;
    r.op = c.op;
    r.id = c.id;
    switch (c.op) {
      case MediaOp::Read:
        r.data = media_[c.dpa];
        r.poison = bad_media_.contains(c.dpa);
        break;
      case MediaOp::Write:
        merge_bytes(media_[c.dpa], c.data, c.byte_enable);
        mark(bad_media_, c.dpa, c);
        break;
      case MediaOp::ArrayRead:
        r.data = array_[key(c)];
        r.poison = bad_array_.contains(key(c));
        break;
      case MediaOp::ArrayWrite:
        if (c.partial) open(c);
        held_.written(c.slot, c.offset / kLineBytes, c.byte_enable);
        merge_bytes(array_[key(c)], c.data, c.byte_enable);
        mark(bad_array_, key(c), c);
        break;
      case MediaOp::Fill:
        for (std::uint64_t i = 0; i < line_bytes_; i += kLineBytes) {
          const std::uint64_t at = c.slot * line_bytes_ + i;
          const std::uint64_t stays = c.partial ? held_.mask(c.slot, i / kLineBytes) : 0;
          merge_bytes(array_[at], media_[c.dpa + i], ~stays);
          const bool own = c.partial && bad_array_.contains(at);
          set(bad_array_, at, own || (stays != kAllBytes && bad_media_.contains(c.dpa + i)));
        }
        held_.filled(c.slot);
        take_slot(c.slot, c.dpa);
        break;
      case MediaOp::WriteBack:
        for (std::uint64_t i = 0; i < line_bytes_; i += kLineBytes) {
          media_[c.dpa + i] = array_[c.slot * line_bytes_ + i];
          set(bad_media_, c.dpa + i, bad_array_.contains(c.slot * line_bytes_ + i));
        }
        break;
    }
    const bool array = c.op == MediaOp::ArrayRead || c.op == MediaOp::ArrayWrite;
    const std::uint64_t span = high_.ps - low_.ps + 1;
    const Time at = now + Time{array ? 20000 : low_.ps + rng_() % span};
    due_.push({at, order_++, r});
    if (!array) waiting_.push(now + Time{(at - now).ps / 2});
  }
  std::optional<MediaResponse> take(Time now) override {
    if (due_.empty() || due_.top().at > now) return std::nullopt;
    const MediaResponse r = due_.top().response;
    due_.pop();
    return r;
  }
  [[nodiscard]] Time next_event() const override {
    return due_.empty() ? Time::never() : due_.top().at;
  }
  // As if of eight dies that begin half way to their answer, one more of them busy each
  // microsecond.
  MediaStatus status(Time now) override {
    while (!waiting_.empty() && waiting_.top() <= now) waiting_.pop();
    return MediaStatus::of(waiting_.size(), now.ps / 1000000 % 9, 8);
  }
  [[nodiscard]] const MediaCounters& counters() const override { return counters_; }
  [[nodiscard]] Line peek(std::uint64_t dpa) const override {
    const auto slot = slot_of_.find(dpa / line_bytes_ * line_bytes_);
    const bool inside = slot != slot_of_.end();
    const auto& contents = inside ? array_ : media_;
    const auto it = contents.find(inside ? slot->second * line_bytes_ + dpa % line_bytes_ : dpa);
    const Line found = it == contents.end() ? Line{} : it->second;
    const std::uint64_t mask = inside ? held_.mask(static_cast<std::uint32_t>(slot->second),
                                                   dpa % line_bytes_ / kLineBytes)
                                      : kAllBytes;
    if (mask == kAllBytes) return found;
    const auto below = media_.find(dpa);
    Line line = below == media_.end() ? Line{} : below->second;
    merge_bytes(line, found, mask);
    return line;
  }
  void poke(std::uint64_t, std::span<const std::uint8_t>) override {}
  // Initial contents: the line is marked as bad.
  void poison(std::uint64_t dpa) { bad_media_.insert(dpa); }

 private:
  struct Due {
    Time at;
    std::uint64_t order;
    MediaResponse response;
    bool operator<(const Due& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  void take_slot(std::uint32_t slot, std::uint64_t dpa) {
    if (const auto old = filled_.find(slot); old != filled_.end()) {
      const auto at = slot_of_.find(old->second);
      if (at != slot_of_.end() && at->second == slot) slot_of_.erase(at);
    }
    filled_[slot] = dpa;
    slot_of_[dpa] = slot;
  }
  void open(const MediaCommand& c) {
    for (std::uint64_t i = 0; i < line_bytes_; i += kLineBytes) {
      bad_array_.erase(c.slot * line_bytes_ + i);
    }
    held_.open(c.slot);
    take_slot(c.slot, c.dpa / line_bytes_ * line_bytes_);
  }
  [[nodiscard]] std::uint64_t key(const MediaCommand& c) const {
    return c.slot * line_bytes_ + c.offset;
  }
  using Lines = std::unordered_set<std::uint64_t>;
  static void set(Lines& lines, std::uint64_t at, bool bad) {
    if (bad) {
      lines.insert(at);
    } else {
      lines.erase(at);
    }
  }
  static void mark(Lines& lines, std::uint64_t at, const MediaCommand& c) {
    if (c.poison || c.byte_enable == kAllBytes) set(lines, at, c.poison);
  }
  std::unordered_map<std::uint64_t, Line> media_, array_;
  Lines bad_media_, bad_array_;
  std::unordered_map<std::uint32_t, std::uint64_t> filled_;   // by slot: DPA of its last Fill
  std::unordered_map<std::uint64_t, std::uint32_t> slot_of_;  // by DPA: youngest such slot
  std::priority_queue<Due> due_;
  std::priority_queue<Time, std::vector<Time>, std::greater<>> waiting_;
  std::uint64_t order_ = 0;
  std::mt19937_64 rng_;
  Time low_, high_;
  std::uint64_t line_bytes_;
  HeldBytes held_;
  MediaCounters counters_;
};

}  // namespace cxlgpu
