// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which pages are in GPU memory, where, and which go next.
//
// Purpose: page table and replacement of a pool of frames. No time, no contents.
// Shapes:  pages 0 .. pages - 1, frames 0 .. frames - 1. Memory is given out and taken back in
//          chunks, aligned runs of chunk_pages pages: the first page of a run that comes takes a
//          chunk for all of them.
// Rules:   the order of replacement begins with the chunk whose last page was mapped, or that was
//          touched, longest ago.
// Errors:  preconditions are asserted.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace cxlgpu {

struct ResidentPage {
  std::uint64_t page = 0;
  std::uint32_t frame = 0;
  bool dirty = false;
  bool used = false;  // accessed since it was mapped
  bool prefetched = false;
};

class PageTable {
 public:
  // Precondition: `frames` is a multiple of chunk_pages.
  PageTable(std::uint64_t pages, std::uint32_t frames, std::uint32_t chunk_pages = 1);

  [[nodiscard]] std::uint64_t pages() const { return frame_of_.size(); }
  [[nodiscard]] std::uint32_t frames() const { return static_cast<std::uint32_t>(frames_.size()); }
  [[nodiscard]] std::uint32_t chunks() const { return static_cast<std::uint32_t>(chunks_.size()); }
  [[nodiscard]] std::uint32_t free_chunks() const {
    return static_cast<std::uint32_t>(free_.size());
  }
  [[nodiscard]] std::optional<std::uint32_t> frame_of(std::uint64_t page) const {
    const std::uint32_t frame = frame_of_[page];
    return frame == kNone ? std::nullopt : std::optional(frame);
  }
  // The run of pages that share a chunk.
  [[nodiscard]] std::uint64_t run_of(std::uint64_t page) const { return page / chunk_pages_; }
  [[nodiscard]] bool has_chunk(std::uint64_t run) const { return chunk_of_[run] != kNone; }
  // Of a page that is not resident; its chunk is the newest. Precondition: a chunk, or a free one.
  std::uint32_t map(std::uint64_t page, bool prefetched);
  // An access to a frame that is mapped.
  void access(std::uint32_t frame, bool is_write);
  // Makes its chunk the newest.
  void touch(std::uint32_t frame) { make_newest(frame / chunk_pages_); }
  // Precondition: has_chunk(run).
  void touch_run(std::uint64_t run) { make_newest(chunk_of_[run]); }
  // Unmaps the pages of the oldest chunk, by page. Precondition: a page is resident.
  std::vector<ResidentPage> evict();
  void clean(std::uint32_t frame) { frames_[frame].dirty = false; }
  // All that are resident, by page.
  [[nodiscard]] std::vector<ResidentPage> resident() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Chunk {
    std::uint64_t run = 0;
    std::uint32_t older = kNone, newer = kNone;
  };
  void make_newest(std::uint32_t chunk);
  void unlink(std::uint32_t chunk);
  void link_newest(std::uint32_t chunk);
  void add_resident(std::uint32_t chunk, std::vector<ResidentPage>& to) const;

  std::uint32_t chunk_pages_;
  std::vector<std::uint32_t> frame_of_, chunk_of_;  // by page; by run
  std::vector<ResidentPage> frames_;
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> free_;
  std::uint32_t oldest_ = kNone, newest_ = kNone;
};

}  // namespace cxlgpu
