// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which pages are in GPU memory, where, and which goes next.
//
// Purpose: page table and replacement of a pool of frames. No time, no contents.
// Shapes:  pages 0 .. pages - 1, frames 0 .. frames - 1.
// Rules:   the order of replacement begins with the page mapped or touched longest ago.
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
  PageTable(std::uint64_t pages, std::uint32_t frames);

  [[nodiscard]] std::uint64_t pages() const { return frame_of_.size(); }
  [[nodiscard]] std::uint32_t frames() const { return static_cast<std::uint32_t>(frames_.size()); }
  [[nodiscard]] std::uint32_t free_frames() const {
    return static_cast<std::uint32_t>(free_.size());
  }
  [[nodiscard]] std::optional<std::uint32_t> frame_of(std::uint64_t page) const {
    const std::uint32_t frame = frame_of_[page];
    return frame == kNone ? std::nullopt : std::optional(frame);
  }
  // Of a page that is not resident, as the newest. Precondition: a free frame.
  std::uint32_t map(std::uint64_t page, bool prefetched);
  // An access to a frame that is mapped.
  void access(std::uint32_t frame, bool is_write);
  // Makes it the newest.
  void touch(std::uint32_t frame);
  // Unmaps the oldest. Precondition: a page is resident.
  ResidentPage evict();
  void clean(std::uint32_t frame) { frames_[frame].what.dirty = false; }
  // All that are resident, by page.
  [[nodiscard]] std::vector<ResidentPage> resident() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Frame {
    ResidentPage what;
    std::uint32_t older = kNone, newer = kNone;
  };
  void unlink(std::uint32_t frame);
  void link_newest(std::uint32_t frame);

  std::vector<std::uint32_t> frame_of_;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> free_;
  std::uint32_t oldest_ = kNone, newest_ = kNone;
};

}  // namespace cxlgpu
