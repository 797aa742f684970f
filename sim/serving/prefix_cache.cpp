// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/serving/prefix_cache.hpp"

#include <algorithm>

namespace cxlgpu {

void PrefixCache::use(std::span<const std::uint64_t> blocks) {
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    const auto at = where_.find(*block);
    if (at != where_.end()) order_.splice(order_.begin(), order_, at->second);
  }
}

std::vector<std::uint64_t> PrefixCache::find(std::span<const std::uint64_t> blocks) {
  std::vector<std::uint64_t> found;
  for (const std::uint64_t block : blocks) {
    const auto at = where_.find(block);
    if (at == where_.end()) break;
    found.push_back(at->second->slot);
  }
  use(blocks.first(found.size()));
  return found;
}

std::vector<PrefixCache::Placed> PrefixCache::insert(std::span<const std::uint64_t> blocks) {
  use(blocks);
  std::vector<Placed> placed;
  // What is behind these in the order may go.
  std::uint64_t own = 0;
  for (const auto& entry : order_) {
    if (std::find(blocks.begin(), blocks.end(), entry.block) == blocks.end()) break;
    ++own;
  }
  for (const std::uint64_t block : blocks) {
    if (where_.contains(block)) continue;
    std::uint64_t slot = where_.size();
    if (slot == slots_) {
      if (own == slots_) break;
      slot = order_.back().slot;
      where_.erase(order_.back().block);
      order_.pop_back();
      ++evicted_;
    }
    order_.push_front({block, slot});
    where_[block] = order_.begin();
    placed.push_back(order_.front());
    ++own;
  }
  use(blocks);
  return placed;
}

}  // namespace cxlgpu
