// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What comes with the faults of one block, by how much of the block is there.
//
// Purpose: prefetch as NVIDIA's driver does it (uvm_perf_prefetch.c of nvidia-uvm): a binary tree
//          over a block's pages. A fault counts for its whole leaf, of which it is a page; then the
//          largest region of the tree around it comes in which more than a threshold counts: the
//          page alone, if none has more.
// Shapes:  pages 0 .. pages - 1 of the block; a region is a power of two of pages, aligned, cut
//          where the block ends.
// Rules:   all set() and fault() before region(). A region that was chosen does not count for the
//          next one.
// Errors:  preconditions are asserted.
#pragma once

#include <cstdint>
#include <vector>

namespace cxlgpu {

class DensityTree {
 public:
  struct Region {
    std::uint32_t first = 0, end = 0;
    bool operator==(const Region&) const = default;
  };

  // Precondition: leaf_pages is a power of two.
  DensityTree(std::uint32_t pages, std::uint32_t leaf_pages, unsigned threshold_percent)
      : leaf_pages_(leaf_pages), threshold_percent_(threshold_percent), there_(pages) {}

  // A page that is there.
  void set(std::uint32_t page) { there_[page] = 1; }
  void fault(std::uint32_t page);
  // What comes with a fault on this page. Precondition: fault(page).
  [[nodiscard]] Region region(std::uint32_t page);

 private:
  [[nodiscard]] Region around(std::uint32_t page, std::uint32_t span) const;

  std::uint32_t leaf_pages_;
  unsigned threshold_percent_;
  std::vector<std::uint8_t> there_;
  std::vector<std::uint32_t> before_;  // of each page, how many of those before it are there
};

}  // namespace cxlgpu
