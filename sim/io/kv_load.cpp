// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/kv_load.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace cxlgpu {

KvLoadPlan::KvLoadPlan(const KvLoadWork& work, std::vector<std::vector<std::uint64_t>> requests,
                       std::uint64_t blocks)
    : work_(work),
      requests_(std::move(requests)),
      blocks_(blocks),
      unit_(work.part_bytes() * (work.layout == KvLayout::Whole ? work.layers : 1)),
      rounds_(work.layout == KvLayout::Whole ? 1 : work.layers) {
  std::vector<IoSpan> group;
  for (next(0, group); !group.empty(); next(0, group)) {
    buffers_.resize(std::max(buffers_.size(), group.size()));
    for (std::size_t i = 0; i < group.size(); ++i) {
      buffers_[i] = std::max(buffers_[i], group[i].bytes);
      bytes_ += group[i].bytes;
    }
    ios_ += group.size();
  }
  assert(ios_ > 0);
  request_ = at_ = 0;
  round_ = 0;
}

std::uint64_t KvLoadPlan::file_bytes() const {
  return blocks_ * work_.layers * work_.part_bytes();
}

std::uint64_t KvLoadPlan::offset_of(std::uint64_t block) const {
  switch (work_.layout) {
    case KvLayout::Layer:
      return (round_ * blocks_ + block) * unit_;
    case KvLayout::Block:
      return (block * work_.layers + round_) * unit_;
    default:
      return block * unit_;
  }
}

void KvLoadPlan::next(unsigned, std::vector<IoSpan>& group) {
  group.clear();
  for (; request_ < requests_.size(); ++request_, round_ = 0) {
    const std::vector<std::uint64_t>& blocks = requests_[request_];
    for (; round_ < rounds_; ++round_, at_ = 0) {
      for (; at_ < blocks.size(); ++at_) {
        const std::uint64_t offset = offset_of(blocks[at_]);
        if (!group.empty() && group.back().offset + group.back().bytes == offset &&
            group.back().bytes + unit_ <= work_.merge_bytes) {
          group.back().bytes += unit_;
          continue;
        }
        if (group.size() == work_.batch) return;  // and here the next one begins
        group.push_back({offset, unit_, group.size()});
      }
      if (group.empty()) continue;
      at_ = 0;
      ++round_;
      return;
    }
  }
}

}  // namespace cxlgpu
