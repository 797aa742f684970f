// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/paging/density_tree.hpp"

#include <algorithm>
#include <cassert>

namespace cxlgpu {

DensityTree::Region DensityTree::around(std::uint32_t page, std::uint32_t span) const {
  const std::uint32_t first = page / span * span;
  return {first, std::min(first + span, static_cast<std::uint32_t>(there_.size()))};
}

void DensityTree::fault(std::uint32_t page) {
  assert(before_.empty());
  const Region leaf = around(page, leaf_pages_);
  std::fill(there_.begin() + leaf.first, there_.begin() + leaf.end, 1);
}

DensityTree::Region DensityTree::region(std::uint32_t page) {
  assert(there_[page] != 0);
  if (before_.empty()) {
    before_.push_back(0);
    for (const std::uint8_t there : there_) before_.push_back(before_.back() + there);
  }
  Region largest{page, page + 1};
  for (std::uint32_t span = 2; span / 2 < there_.size(); span *= 2) {
    const Region all = around(page, span);
    const std::uint32_t there = before_[all.end] - before_[all.first];
    if (there * 100 > (all.end - all.first) * threshold_percent_) largest = all;
  }
  return largest;
}

}  // namespace cxlgpu
