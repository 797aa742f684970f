// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/ds_index.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace cxlgpu {

namespace {

constexpr unsigned kCyclesPerKey = 3;
constexpr unsigned kDigitValues = 16, kDigits = 16;

// Of each digit, value and side.
constexpr auto kNumbers = [] {
  std::array<std::uint32_t, 2 * kDigitValues * kDigits> numbers{};
  std::uint32_t x = 3;
  for (std::uint32_t& number : numbers) number = x = 1664525 * x + 1013904223;
  return numbers;
}();

template <typename Bucket>
auto* free_place(Bucket& bucket) {
  const auto at = std::ranges::find_if(bucket, [](const auto& place) { return !place; });
  return at == bucket.end() ? nullptr : &*at;
}

template <typename Bucket>
std::size_t free_places(const Bucket& bucket) {
  return static_cast<std::size_t>(
      std::ranges::count_if(bucket, [](const auto& place) { return !place; }));
}

}  // namespace

DsIndex::DsIndex(unsigned depth)
    : depth_(depth), bucket_bits_(static_cast<unsigned>(std::bit_width(depth / kPlaces)) - 1) {
  assert(std::has_single_bit(depth) && depth >= kPlaces);
  for (auto& side : sides_) side.resize(depth / kPlaces);
}

unsigned DsIndex::bucket(std::uint64_t key, unsigned side) const {
  if (bucket_bits_ == 0) return 0;
  std::uint32_t hash = 0;
  for (unsigned p = 0; key != 0; ++p, key /= kDigitValues) {
    const unsigned value = key % kDigitValues;
    if (value != 0) hash ^= kNumbers[2 * (kDigitValues * p + value) + side];
  }
  return hash >> (32 - bucket_bits_);
}

template <typename Self>
auto* DsIndex::where(Self& self, std::uint64_t key) {
  const auto holds = [key](const Place& place) { return place && place->key == key; };
  for (unsigned side = 0; side < 2; ++side) {
    auto& bucket = self.sides_[side][self.bucket(key, side)];
    const auto at = std::ranges::find_if(bucket, holds);
    if (at != bucket.end()) return &*at;
  }
  return holds(self.aside_) ? &self.aside_ : nullptr;
}

DsIndex::Answer DsIndex::find(std::uint64_t key) const {
  const Place* place = where(*this, key);
  return {place != nullptr, place ? (*place)->slot : 0, kCyclesPerKey};
}

DsIndex::Answer DsIndex::erase(std::uint64_t key) {
  Place* place = where(*this, key);
  if (!place) return {false, 0, kCyclesPerKey};
  --size_;
  return {true, std::exchange(*place, std::nullopt)->slot, kCyclesPerKey};
}

DsIndex::Answer DsIndex::insert(std::uint64_t key, unsigned slot) {
  unsigned keys = 0;  // looked at
  if (aside_) keys += put(*std::exchange(aside_, std::nullopt));
  if (aside_) return {true, slot, kCyclesPerKey * keys};
  if (const Place* place = where(*this, key)) {
    return {true, (*place)->slot, kCyclesPerKey * (keys + 1)};
  }
  assert(size_ < depth_);
  ++size_;
  keys += put({key, slot});
  return {false, slot, kCyclesPerKey * keys};
}

// A key that is nowhere. Keys looked at: it, and those it moves.
unsigned DsIndex::put(const Entry& entry) {
  Bucket& low = bucket_of(entry.key, 0);
  Bucket& high = bucket_of(entry.key, 1);
  Place* place = free_place(free_places(high) > free_places(low) ? high : low);
  if (!place) return 1 + move_on(entry);
  *place = entry;
  return 1;
}

// Both buckets of the entry are full. Keys moved.
unsigned DsIndex::move_on(Entry entry) {
  unsigned side = 0;
  for (unsigned moved = 1;; ++moved) {
    std::swap(entry, *bucket_of(entry.key, side)[turn_]);
    turn_ = (turn_ + 1) % kPlaces;
    ++moves_;
    side = 1 - side;
    if (Place* place = free_place(bucket_of(entry.key, side))) {
      *place = entry;
      return moved;
    }
    if (moved == kMostMoves) {
      aside_ = entry;
      return moved;
    }
  }
}

DsIndexBlock::Out DsIndexBlock::eval() const {
  Out out;
  out.rsp_valid = answer_ && cycles_left_ == 0;
  out.req_ready = sweep_left_ == 0 && (!answer_ || out.rsp_valid);
  out.count = answer_ && !out.rsp_valid ? count_before_ : index_.size();
  if (out.rsp_valid) {
    out.found = answer_->found;
    out.slot = answer_->slot;
  }
  return out;
}

void DsIndexBlock::clock(const In& in) {
  if (sweep_left_ > 0) {
    --sweep_left_;
    return;
  }
  if (answer_ && cycles_left_ > 0) {
    --cycles_left_;
    return;
  }
  answer_.reset();
  if (!in.req_valid) return;
  count_before_ = index_.size();
  answer_ = in.op == 1   ? index_.insert(in.key, in.slot)
            : in.op == 2 ? index_.erase(in.key)
                         : index_.find(in.key);
  cycles_left_ = answer_->cycles - 1;
}

void DsIndexBlock::skip(std::uint64_t cycles) {
  assert(cycles == 0 || !answer_ || cycles_left_ == 0);
  if (cycles > 0) answer_.reset();
  sweep_left_ -= static_cast<unsigned>(std::min<std::uint64_t>(sweep_left_, cycles));
}

}  // namespace cxlgpu
