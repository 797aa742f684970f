// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpm/log.hpp"

#include <algorithm>

namespace cxlgpu::gpm {

namespace {

Lanes<std::uint32_t> same(const Warp& w, std::uint32_t value) {
  return w.map([value](unsigned) { return value; });
}

// Persisted, too: new memory holds what it likes.
WarpTask clear_lines(Warp& w, std::uint64_t address, std::uint64_t bytes) {
  const DeviceArray<std::uint32_t> words{address, bytes / 4};
  for (std::uint64_t i = 0; i < words.size; i += w.width()) {
    w.store(words, w.consecutive(i), same(w, 0), w.active({0, words.size, 1}, i));
  }
  co_await w.persist();
}

}  // namespace

WarpTask HclLog::gpmlog_create_hcl(Warp& w) const {
  const std::array<std::uint32_t, 8> sizes = {shape_.entry_bytes, shape_.warps, shape_.lanes,
                                              shape_.capacity};
  if (fault_ == Fault::StateWithEntry) co_await write_header(w, base_, Kind::HclLog, sizes);
  co_await clear_lines(w, tail_address(0, 0), shape_.warps * shape_.tail_bytes());
  if (fault_ != Fault::StateWithEntry) co_await write_header(w, base_, Kind::HclLog, sizes);
}

WarpTask HclLog::gpmlog_open(Warp& w, bool& ok) const {
  Header header;
  co_await read_header(w, base_, Kind::HclLog, header, ok, fault_);
  const std::array<std::uint32_t, 8> wanted = {shape_.entry_bytes, shape_.warps, shape_.lanes,
                                               shape_.capacity};
  ok = ok && (header.of_kind == wanted || fault_ == Fault::NoCrcCheck);
}

WarpTask HclLog::gpmlog_tails(Warp& w, Lanes<std::uint32_t>& out) const {
  out = co_await w.load_l2(tails(w), w.consecutive(0), w.full_mask());
}

WarpTask HclLog::set_tails(Warp& w, Lanes<std::uint32_t> values, LaneMask mask, bool& safe) const {
  w.store(tails(w), w.consecutive(0), values, mask);
  if (fault_ == Fault::NoPersistAfterTail) co_return;
  safe = co_await w.persist();
}

WarpTask HclLog::gpmlog_insert(Warp& w, Chunks entry, LaneMask mask, bool& ok) const {
  Lanes<std::uint32_t> tail;
  co_await gpmlog_tails(w, tail);
  w.compute(4);  // bound, and the address
  const LaneMask asked = mask;
  for (LaneMask m = mask; m != 0; m &= m - 1) {
    if (tail[first_lane(m)] >= shape_.capacity) mask &= ~lane_bit(first_lane(m));
  }
  ok = mask != 0;
  if (!ok) co_return;
  Lanes<std::uint32_t> next = tail;
  for (LaneMask m = mask; m != 0; m &= m - 1) ++next[first_lane(m)];
  bool safe = true, tail_safe = true;
  if (fault_ == Fault::TailBeforeData) co_await set_tails(w, next, mask, tail_safe);
  for (std::uint64_t k = 0; k < shape_.chunks(); ++k) {
    w.store(data(w), w.map([&](unsigned lane) {
      return (std::uint64_t{tail[lane]} * shape_.chunks() + k) * shape_.lanes + lane;
    }),
            entry[k], mask);
    w.compute(1);
  }
  if (fault_ != Fault::NoPersistBeforeTail) safe = co_await w.persist();
  if (fault_ != Fault::TailBeforeData) co_await set_tails(w, next, mask, tail_safe);
  ok = mask == asked && safe && tail_safe;
}

WarpTask HclLog::gpmlog_read(Warp& w, std::uint32_t number, Chunks& entry, LaneMask& there) const {
  Lanes<std::uint32_t> tail;
  co_await gpmlog_tails(w, tail);
  there = 0;
  for (unsigned lane = 0; lane < w.width(); ++lane) {
    if (number < tail[lane] && number < shape_.capacity) there |= lane_bit(lane);
  }
  entry.assign(shape_.chunks(), {});
  for (std::uint64_t k = 0; k < shape_.chunks() && there != 0; ++k) {
    entry[k] = co_await w.load_l2(
        data(w), w.consecutive((number * shape_.chunks() + k) * shape_.lanes), there);
  }
}

WarpTask HclLog::gpmlog_remove(Warp& w, LaneMask mask) const {
  Lanes<std::uint32_t> tail;
  co_await gpmlog_tails(w, tail);
  for (LaneMask m = mask; m != 0; m &= m - 1) {
    const unsigned lane = first_lane(m);
    if (tail[lane] == 0)
      mask &= ~lane_bit(lane);
    else
      --tail[lane];
  }
  bool safe = false;
  if (mask != 0) co_await set_tails(w, tail, mask, safe);
}

WarpTask HclLog::gpmlog_clear(Warp& w) const {
  bool safe = false;
  co_await set_tails(w, same(w, 0), w.full_mask(), safe);
}

WarpTask ConvLog::gpmlog_create_conv(Warp& w) const {
  const std::array<std::uint32_t, 8> sizes = {shape_.entry_bytes, shape_.partitions,
                                              shape_.capacity};
  if (fault_ == Fault::StateWithEntry) co_await write_header(w, base_, Kind::ConvLog, sizes);
  co_await clear_lines(w, head_address(0), shape_.partitions * kLineBytes);
  if (fault_ != Fault::StateWithEntry) co_await write_header(w, base_, Kind::ConvLog, sizes);
}

WarpTask ConvLog::gpmlog_open(Warp& w, bool& ok) const {
  Header header;
  co_await read_header(w, base_, Kind::ConvLog, header, ok, fault_);
  const std::array<std::uint32_t, 8> wanted = {shape_.entry_bytes, shape_.partitions,
                                               shape_.capacity};
  ok = ok && (header.of_kind == wanted || fault_ == Fault::NoCrcCheck);
}

WarpTask ConvLog::insert_one(Warp& w, std::uint32_t partition, const Chunks& entry, unsigned lane,
                             bool& ok) const {
  const DeviceArray<std::uint32_t> head{head_address(partition), 1};
  const std::uint32_t at = (co_await w.load_l2(head, w.uniform(0), lane_bit(0)))[0];
  w.compute(4);
  ok = at < shape_.capacity;
  if (!ok) co_return;
  const DeviceArray<std::uint32_t> to{word_address(partition, at, 0), shape_.words()};
  bool safe = true;
  const auto set_head = [&] { w.store(head, w.uniform(0), same(w, at + 1), lane_bit(0)); };
  if (fault_ == Fault::TailBeforeData) {
    set_head();
    safe = co_await w.persist();
  }
  for (std::uint64_t first = 0; first < shape_.words(); first += w.width()) {
    w.store(to, w.consecutive(first), w.map([&](unsigned i) {
      return first + i < shape_.words() ? entry[first + i][lane] : 0U;
    }),
            w.active({0, shape_.words(), 1}, first));
  }
  if (fault_ != Fault::NoPersistBeforeTail) safe = co_await w.persist() && safe;
  if (fault_ != Fault::TailBeforeData) set_head();
  if (fault_ != Fault::NoPersistAfterTail) safe = co_await w.persist() && safe;
  ok = safe;
}

WarpTask ConvLog::gpmlog_insert(Warp& w, Chunks entry, LaneMask mask, int partition,
                                bool& ok) const {
  const std::uint32_t p = partition_of(w, partition);
  ok = true;
  for (LaneMask m = mask; m != 0; m &= m - 1) {
    for (;;) {  // the lock
      const auto old =
          co_await w.atomic_cas(locks_, w.uniform(p), same(w, 0), same(w, 1), lane_bit(0));
      if (old[0] == 0) break;
      w.compute(8);
    }
    bool one = false;
    co_await insert_one(w, p, entry, first_lane(m), one);
    ok = ok && one;
    co_await w.fence();
    (void)w.atomic_cas(locks_, w.uniform(p), same(w, 1), same(w, 0), lane_bit(0));
  }
  co_await w.loads();
}

WarpTask ConvLog::gpmlog_head(Warp& w, int partition, std::uint32_t& out) const {
  const DeviceArray<std::uint32_t> head{head_address(partition_of(w, partition)), 1};
  out = (co_await w.load_l2(head, w.uniform(0), lane_bit(0)))[0];
}

WarpTask ConvLog::gpmlog_read(Warp& w, int partition, std::uint32_t first, Chunks& entries,
                              LaneMask& there) const {
  std::uint32_t head = 0;
  co_await gpmlog_head(w, partition, head);
  head = std::min(head, shape_.capacity);
  w.compute(4);
  there = first < head ? w.active({0, head, 1}, first) : LaneMask{0};
  entries.assign(shape_.words(), {});
  const DeviceArray<std::uint32_t> data{word_address(partition_of(w, partition), 0, 0),
                                        shape_.partition_bytes() / 4};
  for (std::uint64_t k = 0; k < shape_.words() && there != 0; ++k) {
    entries[k] = co_await w.load_l2(data, w.map([&](unsigned lane) {
      return (std::uint64_t{first} + lane) * shape_.words() + k;
    }),
                                    there);
  }
}

WarpTask ConvLog::gpmlog_clear(Warp& w, int partition) const {
  const DeviceArray<std::uint32_t> head{head_address(partition_of(w, partition)), 1};
  w.store(head, w.uniform(0), same(w, 0), lane_bit(0));
  co_await w.persist();
}

}  // namespace cxlgpu::gpm
