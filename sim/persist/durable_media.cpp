// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/persist/durable_media.hpp"

#include <algorithm>

namespace cxlgpu {

namespace {

std::uint32_t key_of(MediaOp op, std::uint16_t id) {
  return static_cast<std::uint32_t>(op) << 16 | id;
}

}  // namespace

DurableMedia::DurableMedia(Media& inner, FlashMedia* flash, unsigned port, std::uint64_t from,
                           PersistDomain domain)
    : inner_(inner),
      flash_(flash),
      port_(port),
      from_(from),
      both_(domain == PersistDomain::Media || domain == PersistDomain::Buffer),
      programmed_(domain == PersistDomain::Media) {
  if (both_) flash_->watch(this);
}

bool DurableMedia::can_accept(Time now, MediaOp op) const {
  if (!inner_.can_accept(now, op)) return false;
  return op != MediaOp::ArrayWrite || !both_ || inner_.can_accept(now, MediaOp::Write);
}

void DurableMedia::submit(const MediaCommand& command, Time now) {
  const bool writes = command.op == MediaOp::Write || command.op == MediaOp::ArrayWrite;
  if (!writes || !both_ || command.durable == Durable::Off) {
    inner_.submit(command, now);
    if (writes && !both_ && command.dpa >= from_ && watcher_ != nullptr) {
      watcher_->entered(port_, command.dpa, command.data, command.byte_enable, now);
    }
    return;
  }
  const std::uint16_t index = new_pending();
  Pending& write = pending_[index];
  write = Pending{};
  write.dpa = command.dpa;
  write.bytes = command.byte_enable;
  write.data = command.data;
  write.left = 1;
  write.programmed = command.durable == Durable::Programmed;
  held_[key_of(command.op, command.id)] = index;
  MediaCommand to_media = command;
  if (command.op == MediaOp::ArrayWrite) {
    ++write.left;
    inner_.submit(command, now);
    to_media.op = MediaOp::Write;
    to_media.partial = false;
  }
  to_media.id = static_cast<std::uint16_t>(kOwn | index);
  write.answer.op = command.op;
  write.answer.id = command.id;
  inner_.submit(to_media, now);
}

std::uint16_t DurableMedia::new_pending() {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint16_t>(pending_.size()));
    pending_.emplace_back();
  }
  const std::uint16_t index = free_.back();
  free_.pop_back();
  return index;
}

std::optional<std::uint16_t> DurableMedia::pending_of(const MediaResponse& answer) const {
  if (answer.op == MediaOp::Write && (answer.id & kOwn) != 0) {
    return static_cast<std::uint16_t>(answer.id & ~kOwn);
  }
  if (answer.op != MediaOp::ArrayWrite) return std::nullopt;
  const auto held = held_.find(key_of(answer.op, answer.id));
  return held == held_.end() ? std::nullopt : std::optional(held->second);
}

std::optional<MediaResponse> DurableMedia::take(Time now) {
  while (ready_.empty()) {
    const auto answer = inner_.take(now);
    if (!answer) break;
    const auto index = pending_of(*answer);
    if (!index) return answer;
    Pending& write = pending_[*index];
    write.answer.error = write.answer.error || answer->error;
    --write.left;
    if (answer->error && answer->op == MediaOp::Write) {
      write.safe = true;  // it never will be
      write.entered = write.entered || !write.watched;
    }
    settle(*index);
  }
  if (ready_.empty()) return std::nullopt;
  const MediaResponse answer = ready_.front();
  ready_.pop();
  return answer;
}

Time DurableMedia::next_event() const {
  if (!ready_.empty()) return Time{0};
  const Time next = inner_.next_event();
  return waiting_ == 0 ? next : std::min(next, flash_->next_of_all());
}

void DurableMedia::buffered(std::uint16_t id, Time at) {
  if ((id & kOwn) == 0) return;
  const auto index = static_cast<std::uint16_t>(id & ~kOwn);
  is_in(index, Where::Buffer, at);
  if (!programmed_ && !pending_[index].programmed) return;
  ++waiting_;
  pending_[index].watched = true;
  in_buffer_[flash_->page_start(pending_[index].dpa)].push_back(index);
}

void DurableMedia::program_begins(std::uint64_t dpa, Time) {
  const auto found = in_buffer_.find(dpa);
  if (found == in_buffer_.end()) return;
  in_program_[dpa] = std::move(found->second);
  in_buffer_.erase(found);
}

void DurableMedia::program_ends(std::uint64_t dpa, Time at) {
  const auto found = in_program_.find(dpa);
  if (found == in_program_.end()) return;
  for (const std::uint16_t index : found->second) {
    --waiting_;
    is_in(index, Where::Medium, at);
    settle(index);
  }
  in_program_.erase(found);
}

void DurableMedia::is_in(std::uint16_t index, Where where, Time at) {
  Pending& write = pending_[index];
  if (write.programmed == (where == Where::Medium)) write.safe = true;
  if (write.entered || programmed_ != (where == Where::Medium)) return;
  write.entered = true;
  if (watcher_ != nullptr) watcher_->entered(port_, write.dpa, write.data, write.bytes, at);
}

// Both commands are answered and the bytes are where the endpoint wants them: so it is told.
void DurableMedia::settle(std::uint16_t index) {
  Pending& write = pending_[index];
  if (write.left == 0 && write.safe && !write.answered) {
    write.answered = true;
    ready_.push(write.answer);
    held_.erase(key_of(write.answer.op, write.answer.id));
  }
  if (write.answered && write.entered) free_.push_back(index);
}

}  // namespace cxlgpu
