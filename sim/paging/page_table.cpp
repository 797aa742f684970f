// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/paging/page_table.hpp"

#include <algorithm>
#include <cassert>

namespace cxlgpu {

PageTable::PageTable(std::uint64_t pages, std::uint32_t frames, std::uint32_t chunk_pages)
    : chunk_pages_(chunk_pages),
      frame_of_(pages, kNone),
      chunk_of_((pages + chunk_pages - 1) / chunk_pages, kNone),
      frames_(frames),
      chunks_(frames / chunk_pages) {
  assert(frames % chunk_pages == 0);
  for (std::uint32_t chunk = chunks(); chunk > 0; --chunk) free_.push_back(chunk - 1);
}

std::uint32_t PageTable::map(std::uint64_t page, bool prefetched) {
  assert(frame_of_[page] == kNone);
  std::uint32_t& chunk = chunk_of_[run_of(page)];
  if (chunk == kNone) {
    assert(!free_.empty());
    chunk = free_.back();
    free_.pop_back();
    chunks_[chunk].run = run_of(page);
    link_newest(chunk);
  } else {
    make_newest(chunk);
  }
  const auto frame = static_cast<std::uint32_t>(chunk * chunk_pages_ + page % chunk_pages_);
  frame_of_[page] = frame;
  frames_[frame] = {page, frame, false, false, prefetched};
  return frame;
}

void PageTable::access(std::uint32_t frame, bool is_write) {
  frames_[frame].used = true;
  frames_[frame].dirty |= is_write;
}

std::vector<ResidentPage> PageTable::evict() {
  assert(oldest_ != kNone);
  const std::uint32_t chunk = oldest_;
  std::vector<ResidentPage> gone;
  add_resident(chunk, gone);
  for (const ResidentPage& page : gone) frame_of_[page.page] = kNone;
  chunk_of_[chunks_[chunk].run] = kNone;
  unlink(chunk);
  free_.push_back(chunk);
  return gone;
}

std::vector<ResidentPage> PageTable::resident() const {
  std::vector<ResidentPage> all;
  for (std::uint32_t c = oldest_; c != kNone; c = chunks_[c].newer) add_resident(c, all);
  std::sort(all.begin(), all.end(),
            [](const ResidentPage& a, const ResidentPage& b) { return a.page < b.page; });
  return all;
}

void PageTable::add_resident(std::uint32_t chunk, std::vector<ResidentPage>& to) const {
  const std::uint64_t first = chunks_[chunk].run * chunk_pages_;
  const std::uint64_t end = std::min(first + chunk_pages_, pages());
  for (std::uint64_t page = first; page < end; ++page) {
    if (frame_of_[page] != kNone) to.push_back(frames_[frame_of_[page]]);
  }
}

void PageTable::make_newest(std::uint32_t chunk) {
  if (chunk == newest_) return;
  unlink(chunk);
  link_newest(chunk);
}

void PageTable::unlink(std::uint32_t chunk) {
  const Chunk& c = chunks_[chunk];
  (c.older == kNone ? oldest_ : chunks_[c.older].newer) = c.newer;
  (c.newer == kNone ? newest_ : chunks_[c.newer].older) = c.older;
}

void PageTable::link_newest(std::uint32_t chunk) {
  Chunk& c = chunks_[chunk];
  c.older = newest_;
  c.newer = kNone;
  (newest_ == kNone ? oldest_ : chunks_[newest_].newer) = chunk;
  newest_ = chunk;
}

}  // namespace cxlgpu
