// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/paging/drive.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "sim/media/closed_loop.hpp"
#include "sim/media/make_media.hpp"
#include "sim/paging/paging_config.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kNoLine = ~std::uint64_t{0};

// In either half twice as many as commands can be in flight, so that none is taken too early.
std::uint32_t slots_for(const MediaConfig& part) {
  const auto* flash = std::get_if<FlashConfig>(&part.params);
  if (flash == nullptr) return 0;
  return std::bit_ceil(4 * std::max(flash->read_queue_depth, flash->write_queue_depth));
}

}  // namespace

Drive::Drive(const MediaConfig& part, std::uint64_t capacity, const HostInterface& host,
             unsigned depth)
    : host_(host),
      depth_(depth),
      piece_(ClosedLoop::piece_bytes(part, static_cast<std::uint32_t>(kPageBytes))),
      slots_(slots_for(part)),
      part_(make_media(part, {capacity, slots_, slots_ == 0 ? 256 : piece_, {}})),
      line_in_(slots_ / 2, kNoLine) {}

void Drive::submit(const DriveIo& io, Time now) {
  assert(io.bytes > 0 && io.bytes % kPageBytes == 0 && io.address % kPageBytes == 0);
  if (under_.size() - free_.size() < depth_) {
    start(io, now);
  } else {
    waiting_.push_back({io, now});
  }
}

void Drive::start(const DriveIo& io, Time now) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(under_.size()));
    under_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  under_[index] = Under{};
  under_[index].io = io;
  Time at = now + (io.is_write ? host_.before_write : host_.before_read);
  if (io.is_write) at = to_drive_free_ = std::max(at, to_drive_free_) + host_.transfer(io.bytes);
  events_.push(at, {Step::AtMedia, index});
}

Time Drive::next_event() const {
  const Time media = commands_ == 0 ? Time::never() : part_->next_event();
  return std::min(events_.next(), media);
}

void Drive::advance(Time now) {
  for (bool moved = true; moved;) {
    moved = false;
    for (; events_.next() <= now; moved = true) step(events_.pop(), now);
    while (send_piece(now)) moved = true;
    while (const auto answer = part_->take(now)) {
      answered(*answer, now);
      moved = true;
    }
  }
}

std::optional<std::uint32_t> Drive::take() {
  if (finished_.empty()) return std::nullopt;
  const std::uint32_t token = finished_.front();
  finished_.pop_front();
  return token;
}

void Drive::step(const Due& due, Time now) {
  if (due.step == Step::AtMedia) {
    Under& under = under_[due.index];
    under.order = order_++;
    (under.io.is_write ? writing_ : reading_).push_back(due.index);
    return;
  }
  finished_.push_back(under_[due.index].io.token);
  free_.push_back(due.index);
  if (waiting_.empty()) return;
  const Waiting next = waiting_.front();
  waiting_.pop_front();
  queued_ += now - next.since;
  start(next.io, now);
}

std::uint32_t Drive::slot_for(std::uint64_t line, bool is_write) {
  const std::uint32_t half = slots_ / 2;
  if (const auto found = slot_of_.find(line); found != slot_of_.end()) return found->second;
  if (is_write) return half + next_write_ % half;
  const std::uint32_t slot = next_read_ % half;
  slot_of_.erase(line_in_[slot]);
  line_in_[slot] = line;
  slot_of_[line] = slot;
  return slot;
}

bool Drive::put(MediaCommand& command, std::uint32_t index, Time now) {
  if (!part_->can_accept(now, command.op)) return false;
  if (free_ids_.empty()) {
    free_ids_.push_back(static_cast<std::uint16_t>(by_id_.size()));
    by_id_.push_back(0);
  }
  command.id = free_ids_.back();
  free_ids_.pop_back();
  by_id_[command.id] = index;
  part_->submit(command, now);
  ++commands_;
  return true;
}

// The next command of the oldest I/O that has arrived and for which there is room.
bool Drive::send_piece(Time now) {
  const bool write_first =
      !writing_.empty() &&
      (reading_.empty() || under_[writing_.front()].order < under_[reading_.front()].order);
  Sending& first = write_first ? writing_ : reading_;
  Sending& second = write_first ? reading_ : writing_;
  return send_piece(first, second, now) || send_piece(second, first, now);
}

// Of the oldest of one direction, unless an older one of the other asks for the same bytes.
bool Drive::send_piece(Sending& from, const Sending& others, Time now) {
  if (from.empty()) return false;
  const std::uint32_t index = from.front();
  Under& under = under_[index];
  const DriveIo& io = under.io;
  for (const std::uint32_t other : others) {
    const Under& older = under_[other];
    if (older.order > under.order) break;
    if (older.io.address < io.address + io.bytes &&
        io.address < older.io.address + older.io.bytes) {
      return false;
    }
  }
  MediaCommand command;
  command.dpa = io.address + under.sent;
  const std::uint8_t* data = io.is_write ? io.data + under.sent : nullptr;
  if (slots_ == 0) {
    command.op = io.is_write ? MediaOp::Write : MediaOp::Read;
    if (io.is_write) std::memcpy(command.data.data(), data, kLineBytes);
  } else {
    command.op = io.is_write ? MediaOp::WriteBack : MediaOp::Fill;
    const bool fill_slot = io.is_write && under.array_lines * kLineBytes < piece_;
    if (fill_slot) {
      command.op = MediaOp::ArrayWrite;
      command.offset = static_cast<std::uint32_t>(under.array_lines * kLineBytes);
      std::memcpy(command.data.data(), data + command.offset, kLineBytes);
    }
    if (!part_->can_accept(now, command.op)) return false;
    command.slot = slot_for(command.dpa / piece_, io.is_write);
    if (fill_slot) {
      ++under.array_lines;
      return put(command, index, now);
    }
  }
  if (!put(command, index, now)) return false;
  ++(io.is_write ? next_write_ : next_read_);
  under.array_lines = 0;
  under.sent += piece_;
  if (under.sent == io.bytes) from.pop_front();
  return true;
}

void Drive::answered(const MediaResponse& answer, Time now) {
  assert(!answer.error);
  const std::uint32_t index = by_id_[answer.id];
  free_ids_.push_back(answer.id);
  --commands_;
  if (answer.op == MediaOp::ArrayWrite) return;
  Under& under = under_[index];
  under.done += piece_;
  if (under.done < under.io.bytes) return;
  Time at = now;
  if (!under.io.is_write) {
    at = from_drive_free_ = std::max(at, from_drive_free_) + host_.transfer(under.io.bytes);
  }
  events_.push(at + host_.after, {Step::Done, index});
}

void Drive::poke(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  part_->poke(address, bytes);
}

void Drive::peek(std::uint64_t address, std::span<std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const std::size_t skip = address % kLineBytes;
    const std::size_t n = std::min<std::size_t>(bytes.size(), kLineBytes - skip);
    const Line line = part_->peek(line_of(address));
    std::memcpy(bytes.data(), line.data() + skip, n);
    address += n;
    bytes = bytes.subspan(n);
  }
}

}  // namespace cxlgpu
