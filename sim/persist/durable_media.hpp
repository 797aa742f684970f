// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Durable completion, the media's part: a write that the endpoint marks so is answered when its
// bytes survive a loss of power.
//
// Purpose: the controller in front of a part, which has its slots and its medium. The endpoint, RTL
//          or model, says by MediaCommand::durable which writes wait, and for what; this class is
//          not told what persists but to say what has entered the domain.
// Rules:   an ArrayWrite that is durable goes to the internal DRAM and, as a Write of its own, to
//          the media; it is answered when both are done and the bytes are where its level wants
//          them. The line stays dirty in the internal DRAM and is written back once more when it
//          makes room. A Write (no internal DRAM) is the one command that it was.
// Domains: bytes of a line that persists enter
//          media    when the page that has the line is programmed
//          buffer   when the part's write buffer has the line
//          device   when the command is submitted
//          host     likewise
//          whatever the endpoint waits for: one that waits for too little is found out.
// Shapes:  DPA from `from` on persists. Domains media and buffer need a flash part; with others
//          marks are not looked at.
// Errors:  none of its own; one of either command is the answer's.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/media_port.hpp"
#include "common/pipe.hpp"
#include "sim/config/config.hpp"
#include "sim/media/flash_media.hpp"

namespace cxlgpu {

// Sees bytes enter the domain of an endpoint.
class EntryWatcher {
 public:
  virtual ~EntryWatcher() = default;
  virtual void entered(unsigned port, std::uint64_t dpa, const Line& data, std::uint64_t bytes,
                       Time at) = 0;
};

class DurableMedia final : public Media, private BufferWatcher {
 public:
  // `flash`: the inner part itself, if it is one; media and buffer need that.
  DurableMedia(Media& inner, FlashMedia* flash, unsigned port, std::uint64_t from,
               PersistDomain domain);
  void watch(EntryWatcher* watcher) { watcher_ = watcher; }

  [[nodiscard]] bool can_accept(Time now, MediaOp op) const override;
  void submit(const MediaCommand& command, Time now) override;
  std::optional<MediaResponse> take(Time now) override;
  [[nodiscard]] Time next_event() const override;
  [[nodiscard]] const MediaCounters& counters() const override { return inner_.counters(); }
  MediaStatus status(Time now) override { return inner_.status(now); }
  [[nodiscard]] Time status_until() const override { return inner_.status_until(); }
  [[nodiscard]] std::uint32_t commands_of_backlog(std::uint8_t backlog) const override {
    return both_ ? 0 : inner_.commands_of_backlog(backlog);
  }
  [[nodiscard]] Line peek(std::uint64_t dpa) const override { return inner_.peek(dpa); }
  void poke(std::uint64_t dpa, std::span<const std::uint8_t> bytes) override {
    inner_.poke(dpa, bytes);
  }

 private:
  static constexpr std::uint16_t kOwn = 0x8000;  // ids of Writes made here
  // A durable write that is not answered yet, or not in the domain.
  struct Pending {
    MediaResponse answer;
    std::uint64_t dpa = 0, bytes = 0;
    Line data{};
    unsigned left = 0;        // commands of it that are not answered
    bool programmed = false;  // is to be, before it is answered
    bool safe = false;        // where it is to be
    bool answered = false;
    bool watched = false;  // until its page is programmed, and not free before
    bool entered = false;  // the domain
  };

  void buffered(std::uint16_t id, Time at) override;
  void program_begins(std::uint64_t dpa, Time at) override;
  void program_ends(std::uint64_t dpa, Time at) override;
  enum class Where { Buffer, Medium };
  void is_in(std::uint16_t index, Where where, Time at);
  void settle(std::uint16_t index);
  [[nodiscard]] std::uint16_t new_pending();
  [[nodiscard]] std::optional<std::uint16_t> pending_of(const MediaResponse& answer) const;

  Media& inner_;
  FlashMedia* flash_;
  unsigned port_;
  std::uint64_t from_;
  bool both_;        // media or buffer: a durable ArrayWrite is a Write as well
  bool programmed_;  // media
  EntryWatcher* watcher_ = nullptr;
  std::vector<Pending> pending_;
  std::vector<std::uint16_t> free_;
  std::unordered_map<std::uint32_t, std::uint16_t> held_;  // by op and id of the endpoint's command
  // By page, what its buffer has, and what a program in progress has of it.
  std::unordered_map<std::uint64_t, std::vector<std::uint16_t>> in_buffer_, in_program_;
  std::size_t waiting_ = 0;  // for programs
  Pipe<MediaResponse> ready_;
};

}  // namespace cxlgpu
