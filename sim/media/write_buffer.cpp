// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/write_buffer.hpp"

#include "common/request.hpp"

namespace cxlgpu {

WriteBuffer::WriteBuffer(const FlashConfig& config)
    : capacity_(config.buffer_pages),
      high_(config.buffer_high),
      low_(config.buffer_low),
      lines_per_page_(config.page_bytes / static_cast<std::uint32_t>(kLineBytes)),
      cold_(config.buffer_cold),
      entries_(config.buffer_pages) {
  for (std::uint32_t i = capacity_; i > 0; --i) free_.push_back(i - 1);
  by_page_.reserve(capacity_);
}

bool WriteBuffer::covers(std::uint64_t page, std::uint32_t first, std::uint32_t count) const {
  const auto found = by_page_.find(page);
  if (found == by_page_.end()) return false;
  const Entry& entry = entries_[found->second];
  for (std::uint32_t line = first; line < first + count; ++line) {
    if (((entry.lines[line / 64] >> (line % 64)) & 1) == 0) return false;
  }
  return true;
}

bool WriteBuffer::put(std::uint64_t page, std::uint32_t first, std::uint32_t count, bool whole,
                      Time now) {
  const auto found = by_page_.find(page);
  std::uint32_t index = kNone;
  if (found != by_page_.end()) {
    index = found->second;
    if (entries_[index].programming) {
      entries_[index].again = true;
    } else {
      unlink(index);
      link_newest(index);
    }
  } else {
    if (free_.empty()) return false;
    index = free_.back();
    free_.pop_back();
    by_page_.emplace(page, index);
    entries_[index] = Entry{};
    entries_[index].page = page;
    link_newest(index);
    ++dirty_;
  }
  Entry& entry = entries_[index];
  entry.touched = now;
  if (whole) {
    for (std::uint32_t line = first; line < first + count; ++line) {
      entry.lines[line / 64] |= std::uint64_t{1} << (line % 64);
    }
  }
  return true;
}

std::optional<WriteBuffer::Program> WriteBuffer::next_program(Time now) {
  if (dirty_ > high_) draining_ = true;
  if (dirty_ <= low_) draining_ = false;
  if (oldest_ == kNone || (!draining_ && !flushing_ && next_cold() > now)) return std::nullopt;
  const std::uint32_t index = oldest_;
  Entry& entry = entries_[index];
  unlink(index);
  --dirty_;
  entry.programming = true;
  return Program{entry.page, index, !covers(entry.page, 0, lines_per_page_)};
}

void WriteBuffer::programmed(std::uint32_t index, Time now) {
  Entry& entry = entries_[index];
  entry.programming = false;
  if (entry.again) {
    entry.again = false;
    entry.touched = now;  // keeps the list in order of time
    link_newest(index);
    ++dirty_;
    return;
  }
  by_page_.erase(entry.page);
  free_.push_back(index);
}

Time WriteBuffer::next_cold() const {
  return oldest_ == kNone ? Time::never() : entries_[oldest_].touched + cold_;
}

void WriteBuffer::link_newest(std::uint32_t index) {
  entries_[index].older = newest_;
  entries_[index].newer = kNone;
  (newest_ == kNone ? oldest_ : entries_[newest_].newer) = index;
  newest_ = index;
}

void WriteBuffer::unlink(std::uint32_t index) {
  const Entry& entry = entries_[index];
  (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
  (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
}

}  // namespace cxlgpu
