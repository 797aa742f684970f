#include "refmodel/gpu/l1_cache.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace cxlgpu {

L1Cache::L1Cache(const L1Params& params)
    : ways_(params.ways),
      set_mask_(params.size_bytes / kLineBytes / params.ways - 1),
      set_bits_(static_cast<unsigned>(std::popcount(set_mask_))),
      tags_(params.size_bytes / kLineBytes),
      data_(params.size_bytes / kLineBytes),
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
    if (tags_[w].epoch == epoch_ && tags_[w].line == line) return w;
  }
  return std::nullopt;
}

Line* L1Cache::find(std::uint64_t line) {
  const auto way = way_of(line);
  if (!way) return nullptr;
  tags_[*way].used = ++clock_;
  return &data_[*way];
}

void L1Cache::fill(std::uint64_t line, const Line& data) {
  const std::size_t base = set_of(line) * ways_;
  std::size_t victim = base;
  for (std::size_t w = base; w < base + ways_; ++w) {
    if (tags_[w].epoch != epoch_) {
      victim = w;
      break;
    }
    assert(tags_[w].line != line);
    if (tags_[w].used < tags_[victim].used) victim = w;
  }
  tags_[victim] = {line, epoch_, ++clock_};
  data_[victim] = data;
}

void L1Cache::invalidate(std::uint64_t line) {
  if (const auto way = way_of(line)) tags_[*way].epoch = 0;
}

std::optional<std::uint16_t> L1Cache::find_mshr(std::uint64_t line) const {
  if (!filling_.may_hold(line / kLineBytes)) return std::nullopt;
  for (const std::uint16_t index : busy_) {
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
