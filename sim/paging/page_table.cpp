// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/paging/page_table.hpp"

#include <algorithm>
#include <cassert>

namespace cxlgpu {

PageTable::PageTable(std::uint64_t pages, std::uint32_t frames)
    : frame_of_(pages, kNone), frames_(frames) {
  for (std::uint32_t frame = frames; frame > 0; --frame) free_.push_back(frame - 1);
}

std::uint32_t PageTable::map(std::uint64_t page, bool prefetched) {
  assert(!free_.empty() && frame_of_[page] == kNone);
  const std::uint32_t frame = free_.back();
  free_.pop_back();
  frame_of_[page] = frame;
  frames_[frame].what = {page, frame, false, false, prefetched};
  link_newest(frame);
  return frame;
}

void PageTable::access(std::uint32_t frame, bool is_write) {
  frames_[frame].what.used = true;
  frames_[frame].what.dirty |= is_write;
}

void PageTable::touch(std::uint32_t frame) {
  if (frame == newest_) return;
  unlink(frame);
  link_newest(frame);
}

ResidentPage PageTable::evict() {
  assert(oldest_ != kNone);
  const ResidentPage gone = frames_[oldest_].what;
  unlink(gone.frame);
  frame_of_[gone.page] = kNone;
  free_.push_back(gone.frame);
  return gone;
}

std::vector<ResidentPage> PageTable::resident() const {
  std::vector<ResidentPage> all;
  for (std::uint32_t f = oldest_; f != kNone; f = frames_[f].newer) all.push_back(frames_[f].what);
  std::sort(all.begin(), all.end(),
            [](const ResidentPage& a, const ResidentPage& b) { return a.page < b.page; });
  return all;
}

void PageTable::unlink(std::uint32_t frame) {
  Frame& f = frames_[frame];
  (f.older == kNone ? oldest_ : frames_[f.older].newer) = f.newer;
  (f.newer == kNone ? newest_ : frames_[f.newer].older) = f.older;
}

void PageTable::link_newest(std::uint32_t frame) {
  Frame& f = frames_[frame];
  f.older = newest_;
  f.newer = kNone;
  (newest_ == kNone ? oldest_ : frames_[newest_].newer) = frame;
  newest_ = frame;
}

}  // namespace cxlgpu
