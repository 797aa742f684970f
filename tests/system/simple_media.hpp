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

namespace cxlgpu {

class SimpleMedia : public Media {
 public:
  SimpleMedia(std::uint64_t seed, Time low, Time high, std::uint64_t line_bytes = 256)
      : rng_(seed), low_(low), high_(high), line_bytes_(line_bytes) {}

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
        merge_bytes(array_[key(c)], c.data, c.byte_enable);
        mark(bad_array_, key(c), c);
        break;
      case MediaOp::Fill:
        for (std::uint64_t i = 0; i < line_bytes_; i += kLineBytes) {
          array_[c.slot * line_bytes_ + i] = media_[c.dpa + i];
          set(bad_array_, c.slot * line_bytes_ + i, bad_media_.contains(c.dpa + i));
        }
        if (const auto old = filled_.find(c.slot); old != filled_.end()) {
          const auto at = slot_of_.find(old->second);
          if (at != slot_of_.end() && at->second == c.slot) slot_of_.erase(at);
        }
        filled_[c.slot] = c.dpa;
        slot_of_[c.dpa] = c.slot;
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
    return it == contents.end() ? Line{} : it->second;
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
  MediaCounters counters_;
};

}  // namespace cxlgpu
