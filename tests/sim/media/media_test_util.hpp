// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Shared by the media tests: parts by name, and a driver that waits for answers.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "common/media_port.hpp"
#include "sim/media/make_media.hpp"
#include "sim/media/media_config.hpp"

namespace cxlgpu {
inline void PrintTo(const Time& time, std::ostream* os) {
  *os << time.ps << " ps";
}
}  // namespace cxlgpu

namespace cxlgpu::media_test {

inline MediaConfig part(const std::string& name) {
  return load_media_config(std::filesystem::path(CXLGPU_SOURCE_DIR) / "configs/media" /
                           (name + ".yaml"));
}
inline DramConfig dram_config() {
  return std::get<DramConfig>(part("dram").params);
}
// Z-NAND without its translation layer and with linear striping: page p lies on die p % dies, by
// which the tests choose the die of an address.
inline FlashConfig flash_config() {
  FlashConfig c = std::get<FlashConfig>(part("znand").params);
  c.translation.reset();
  c.striping = Striping::Linear;
  c.capacity = std::uint64_t{c.channels} * c.dies_per_channel * c.pages_per_die * c.page_bytes;
  return c;
}

// Follows next_event() until an answer comes; checks that time moves on. Returns answer and time.
inline std::pair<MediaResponse, Time> next_answer(Media& media, Time now = Time{0}) {
  while (true) {
    if (const auto response = media.take(now)) return {*response, now};
    const Time next = media.next_event();
    if (next == Time::never() || next <= now) {
      ADD_FAILURE() << "no answer comes (now " << now.ps << ", next " << next.ps << ")";
      return {{}, now};
    }
    now = next;
  }
}

inline MediaCommand read_of(std::uint64_t dpa, std::uint8_t id = 0) {
  MediaCommand c;
  c.op = MediaOp::Read;
  c.dpa = dpa;
  c.id = id;
  return c;
}
inline MediaCommand write_of(std::uint64_t dpa, std::uint8_t id = 0) {
  MediaCommand c = read_of(dpa, id);
  c.op = MediaOp::Write;
  return c;
}
inline MediaCommand fill_of(std::uint64_t dpa, std::uint32_t slot, std::uint8_t id = 0) {
  MediaCommand c = read_of(dpa, id);
  c.op = MediaOp::Fill;
  c.slot = slot;
  return c;
}
inline MediaCommand write_back_of(std::uint64_t dpa, std::uint32_t slot, std::uint8_t id = 0) {
  MediaCommand c = fill_of(dpa, slot, id);
  c.op = MediaOp::WriteBack;
  return c;
}

// Submits one command at `now` and returns when it is answered.
inline Time answered(Media& media, const MediaCommand& command, Time now) {
  EXPECT_TRUE(media.can_accept(now, command.op));
  media.submit(command, now);
  const auto [response, at] = next_answer(media, now);
  EXPECT_EQ(response.id, command.id);
  EXPECT_EQ(response.op, command.op);
  EXPECT_FALSE(response.error);
  return at;
}

// Keeps the part's queues full with what `next` makes; returns when `count` answers had come.
template <typename Next>
Time saturate(Media& media, std::uint64_t count, Next next, Time now = Time{0}) {
  std::uint64_t sent = 0, got = 0;
  MediaCommand command = next(sent);
  while (got < count) {
    while (sent < count && media.can_accept(now, command.op)) {
      media.submit(command, now);
      if (++sent < count) command = next(sent);
    }
    bool any = false;
    while (media.take(now)) {
      ++got;
      any = true;
    }
    if (any || got == count) continue;
    const Time event = media.next_event();
    if (event == Time::never() || event <= now) {
      ADD_FAILURE() << "stuck at " << now.ps << " after " << got << " answers";
      return now;
    }
    now = event;
  }
  return now;
}

}  // namespace cxlgpu::media_test
