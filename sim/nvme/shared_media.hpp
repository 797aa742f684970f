// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One part behind two: the endpoint, which serves CXL.mem, and the NVMe controller.
//
// Purpose: both go through the same queues, dies and translation. The endpoint has the part as
//          Media; the controller's side submits commands of its own: writes of 64 B, reads of up to
//          a page, whose bytes are there for peek() when they are answered.
// Shapes:  ids of the endpoint are below kOwn. The controller has at most `depth` commands in the
//          part, so that it leaves the endpoint some of the part's queues.
// Rules:   an answer waits here for whom it belongs to; neither side sees the other's.
// Errors:  none of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/media_port.hpp"
#include "common/pipe.hpp"

namespace cxlgpu::nvme {

class SharedMedia final : public Media {
 public:
  // `piece`: bytes that a read of the part's may have, within a multiple of them.
  SharedMedia(Media& inner, unsigned depth, std::uint64_t piece) : inner_(inner), piece_(piece) {
    for (unsigned i = depth; i > 0; --i) free_.push_back(static_cast<std::uint16_t>(i - 1));
    tokens_.resize(depth);
  }

  // The endpoint's.
  [[nodiscard]] bool can_accept(Time now, MediaOp op) const override {
    return inner_.can_accept(now, op);
  }
  void submit(const MediaCommand& command, Time now) override { inner_.submit(command, now); }
  std::optional<MediaResponse> take(Time now) override {
    sort(now);
    return pop(to_endpoint_);
  }
  [[nodiscard]] Time next_event() const override {
    return to_endpoint_.empty() ? inner_.next_event() : since_;
  }
  [[nodiscard]] const MediaCounters& counters() const override { return inner_.counters(); }
  MediaStatus status(Time now) override { return inner_.status(now); }
  [[nodiscard]] Time status_until() const override { return inner_.status_until(); }
  // Not known: it cannot count the controller's.
  [[nodiscard]] std::uint32_t commands_of_backlog(std::uint8_t) const override { return 0; }
  [[nodiscard]] Line peek(std::uint64_t dpa) const override { return inner_.peek(dpa); }
  void poke(std::uint64_t dpa, std::span<const std::uint8_t> bytes) override {
    inner_.poke(dpa, bytes);
  }
  void watch_dies(DieWatcher* watcher) override { inner_.watch_dies(watcher); }

  // The controller's.
  struct Answer {
    std::uint32_t token = 0;
    MediaResponse response;
  };
  // False: neither the part nor the depth has room.
  bool submit_own(MediaCommand command, std::uint32_t token, Time now) {
    if (free_.empty() || !inner_.can_accept(now, command.op)) return false;
    command.id = static_cast<std::uint16_t>(kOwn | free_.back());
    tokens_[free_.back()] = token;
    free_.pop_back();
    inner_.submit(command, now);
    return true;
  }
  std::optional<Answer> take_own(Time now) {
    sort(now);
    const auto response = pop(to_controller_);
    if (!response) return std::nullopt;
    const auto id = static_cast<std::uint16_t>(response->id & ~kOwn);
    free_.push_back(id);
    return Answer{tokens_[id], *response};
  }
  [[nodiscard]] std::uint64_t piece() const { return piece_; }
  [[nodiscard]] bool own_in_flight() const { return free_.size() != tokens_.size(); }
  // When take_own() gives something or submit_own() may take something, at the earliest.
  [[nodiscard]] Time next_own() const {
    return to_controller_.empty() ? inner_.next_event() : Time{0};
  }

 private:
  static constexpr std::uint16_t kOwn = 0x4000;

  void sort(Time now) {
    while (const auto response = inner_.take(now)) {
      const bool own = (response->id & kOwn) != 0;
      if (!own && to_endpoint_.empty()) since_ = now;
      (own ? to_controller_ : to_endpoint_).push(*response);
    }
  }
  static std::optional<MediaResponse> pop(Pipe<MediaResponse>& from) {
    if (from.empty()) return std::nullopt;
    const MediaResponse response = from.front();
    from.pop();
    return response;
  }

  Media& inner_;
  std::uint64_t piece_;
  std::vector<std::uint16_t> free_;
  std::vector<std::uint32_t> tokens_;  // by id
  Pipe<MediaResponse> to_endpoint_, to_controller_;
  Time since_;  // when the oldest of the endpoint's came
};

}  // namespace cxlgpu::nvme
