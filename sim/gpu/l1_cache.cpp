// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/l1_cache.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace cxlgpu {

L1Cache::L1Cache(const L1Params& params, std::uint64_t seed)
    : ways_(params.ways),
      set_bits_(
          static_cast<unsigned>(std::countr_zero(params.size_bytes / kLineBytes / params.ways))),
      tags_(params.size_bytes / kLineBytes, kNoLine),
      data_(params.size_bytes / kLineBytes),
      written_(params.write == WritePolicy::Back ? tags_.size() : 0),
      order_(params.replacement, tags_.size() / ways_, ways_, seed),
      mshrs_(params.mshrs) {
  for (std::uint32_t i = params.mshrs; i > 0; --i) {
    free_.push_back(static_cast<std::uint16_t>(i - 1));
    mshrs_[i - 1].waiters.reserve(params.merges);
  }
  busy_.reserve(params.mshrs);
}

std::size_t L1Cache::set_of(std::uint64_t line) const {
  return hashed_set(line, set_bits_);
}

std::optional<std::size_t> L1Cache::way_of(std::uint64_t line) const {
  const std::size_t base = set_of(line) * ways_;
  for (std::size_t w = base; w < base + ways_; ++w) {
    if (tags_[w] == line) return w;
  }
  return std::nullopt;
}

Line* L1Cache::find(std::uint64_t line) {
  const auto way = way_of(line);
  if (!way) return nullptr;
  order_.use(*way);
  return &data_[*way];
}

std::size_t L1Cache::room_for(std::uint64_t line) {
  const std::size_t set = set_of(line);
  for (std::size_t w = set * ways_; w < (set + 1) * ways_; ++w) {
    if (tags_[w] == kNoLine) return w;
    assert(tags_[w] != line);
  }
  const std::uint64_t all = ways_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ways_) - 1;
  return set * ways_ + order_.victim(set, all);
}

void L1Cache::fill(std::size_t way, std::uint64_t line, const Line& data) {
  claim(way, line);
  data_[way] = data;
  if (back()) written_[way].valid = kAllBytes;
}

void L1Cache::claim(std::size_t way, std::uint64_t line) {
  assert(!dirty(way));
  tags_[way] = line;
  order_.fill(way);
  if (back()) written_[way].valid = written_[way].dirty = 0;
}

void L1Cache::invalidate(std::uint64_t line) {
  if (const auto way = way_of(line)) tags_[*way] = kNoLine;
}

std::optional<std::uint16_t> L1Cache::find_mshr(std::uint64_t line) const {
  if (!filling_.may_hold(line / kLineBytes)) return std::nullopt;
  // The newest first: neighbours of a line's loads come soon after the first.
  for (std::size_t i = busy_.size(); i > 0; --i) {
    const std::uint16_t index = busy_[i - 1];
    if (mshrs_[index].line == line && !mshrs_[index].stale) return index;
  }
  return std::nullopt;
}

std::uint16_t L1Cache::allocate_mshr(std::uint64_t line) {
  const std::uint16_t index = free_.back();
  free_.pop_back();
  busy_.push_back(index);
  filling_.add(line / kLineBytes);
  mshrs_[index].line = line;
  mshrs_[index].stale = false;
  mshrs_[index].waiters.clear();
  return index;
}

void L1Cache::release_mshr(std::uint16_t index) {
  const auto at = std::find(busy_.begin(), busy_.end(), index);
  filling_.remove(mshrs_[index].line / kLineBytes);
  *at = busy_.back();
  busy_.pop_back();
  free_.push_back(index);
}

void L1Cache::make_stale(std::uint64_t line) {
  if (const auto index = find_mshr(line)) mshrs_[*index].stale = true;
}

}  // namespace cxlgpu
