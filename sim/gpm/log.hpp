// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Logs in persistent memory, written by kernels.
//
// Purpose: two kinds, as GPM has them. The coalesced one (HCL: hierarchical coalesced logging) has
//          a log for each thread, laid out so that a warp's entries are neighbours and need neither
//          lock nor order among threads; the conventional one has partitions with a lock, entry
//          after entry.
// Layout:  both from a multiple of 256.
//          HCL: header line {entry bytes, warps, lanes, capacity in entries}; tails
//          u32[warp][lane], those of a warp in lines of their own; then a region a warp, each a
//          multiple of 256. With C = ceil(entry bytes / 4) and L lanes, 4-byte chunk k of entry e
//          of lane l lies at region + ((e C + k) L + l) 4. Conventional: header line {entry bytes,
//          partitions, capacity}; a line a partition {head in entries}; then the partitions' data,
//          each from a multiple of 256. The locks are not persistent: they lie in an array of the
//          caller's, zero after a loss of power.
// Order:   an entry, persist, its tail or head, persist: a tail never stands for what is not there.
// Errors:  `ok` false: a lane had no room in the log, and the entries of the others are in; or a
//          persist was refused.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/gpm/region.hpp"

namespace cxlgpu::gpm {

using Chunks = std::vector<Lanes<std::uint32_t>>;  // of an entry, lane by lane

struct HclShape {
  std::uint32_t entry_bytes = 0, warps = 0, lanes = 0, capacity = 0;
  [[nodiscard]] std::uint64_t chunks() const { return (entry_bytes + 3) / 4; }
  [[nodiscard]] std::uint64_t tail_bytes() const { return up_to(std::uint64_t{lanes} * 4, 64); }
  [[nodiscard]] std::uint64_t region_bytes() const {
    return up_to(chunks() * capacity * lanes * 4, 256);
  }
  [[nodiscard]] std::uint64_t tails_at() const { return kLineBytes; }
  [[nodiscard]] std::uint64_t data_at() const {
    return up_to(tails_at() + warps * tail_bytes(), 256);
  }
  [[nodiscard]] std::uint64_t bytes() const { return data_at() + warps * region_bytes(); }
  bool operator==(const HclShape&) const = default;
};

class HclLog {
 public:
  HclLog() = default;
  HclLog(std::uint64_t base, const HclShape& shape, Fault fault = Fault::None)
      : base_(base), shape_(shape), fault_(fault) {}

  // Of one warp, before any other uses it. Tails of new memory are 0.
  WarpTask gpmlog_create_hcl(Warp& w) const;
  // False: there is none of this shape.
  WarpTask gpmlog_open(Warp& w, bool& ok) const;
  // An entry a lane, in the logs of this warp.
  WarpTask gpmlog_insert(Warp& w, Chunks entry, LaneMask mask, bool& ok) const;
  // The entry of that number from each lane's oldest on; lanes that have none are not in `there`.
  WarpTask gpmlog_read(Warp& w, std::uint32_t number, Chunks& entry, LaneMask& there) const;
  WarpTask gpmlog_tails(Warp& w, Lanes<std::uint32_t>& tails) const;
  // Drops the newest of each lane in the mask.
  WarpTask gpmlog_remove(Warp& w, LaneMask mask) const;
  // Drops all of this warp's.
  WarpTask gpmlog_clear(Warp& w) const;

  [[nodiscard]] const HclShape& shape() const { return shape_; }
  [[nodiscard]] std::uint64_t tail_address(std::uint32_t warp, unsigned lane) const {
    return base_ + shape_.tails_at() + warp * shape_.tail_bytes() + lane * 4ULL;
  }
  [[nodiscard]] std::uint64_t chunk_address(std::uint32_t warp, std::uint64_t entry,
                                            std::uint64_t chunk, unsigned lane) const {
    return base_ + shape_.data_at() + warp * shape_.region_bytes() +
           ((entry * shape_.chunks() + chunk) * shape_.lanes + lane) * 4;
  }

 private:
  [[nodiscard]] DeviceArray<std::uint32_t> tails(const Warp& w) const {
    return {tail_address(w.id(), 0), shape_.lanes};
  }
  [[nodiscard]] DeviceArray<std::uint32_t> data(const Warp& w) const {
    return {chunk_address(w.id(), 0, 0, 0), shape_.region_bytes() / 4};
  }
  WarpTask set_tails(Warp& w, Lanes<std::uint32_t> tails, LaneMask mask, bool& safe) const;

  std::uint64_t base_ = 0;
  HclShape shape_;
  Fault fault_ = Fault::None;
};

struct ConvShape {
  std::uint32_t entry_bytes = 0, partitions = 0, capacity = 0;
  [[nodiscard]] std::uint64_t words() const { return (entry_bytes + 3) / 4; }
  [[nodiscard]] std::uint64_t heads_at() const { return kLineBytes; }
  [[nodiscard]] std::uint64_t data_at() const {
    return up_to(heads_at() + partitions * kLineBytes, 256);
  }
  [[nodiscard]] std::uint64_t partition_bytes() const { return up_to(words() * 4 * capacity, 256); }
  [[nodiscard]] std::uint64_t bytes() const { return data_at() + partitions * partition_bytes(); }
};

class ConvLog {
 public:
  ConvLog() = default;
  // `locks`: one a partition.
  ConvLog(std::uint64_t base, const ConvShape& shape, DeviceArray<std::uint32_t> locks,
          Fault fault = Fault::None)
      : base_(base), shape_(shape), locks_(locks), fault_(fault) {}

  WarpTask gpmlog_create_conv(Warp& w) const;
  WarpTask gpmlog_open(Warp& w, bool& ok) const;
  // An entry a lane, one after the other; partition -1: by the warp's number.
  WarpTask gpmlog_insert(Warp& w, Chunks entry, LaneMask mask, int partition, bool& ok) const;
  // A lane an entry, from that number on; lanes beyond the newest are not in `there`.
  WarpTask gpmlog_read(Warp& w, int partition, std::uint32_t first, Chunks& entries,
                       LaneMask& there) const;
  WarpTask gpmlog_head(Warp& w, int partition, std::uint32_t& head) const;
  WarpTask gpmlog_clear(Warp& w, int partition) const;

  [[nodiscard]] const ConvShape& shape() const { return shape_; }

  [[nodiscard]] std::uint64_t head_address(std::uint32_t partition) const {
    return base_ + shape_.heads_at() + partition * kLineBytes;
  }
  [[nodiscard]] std::uint64_t word_address(std::uint32_t partition, std::uint64_t entry,
                                           std::uint64_t word) const {
    return base_ + shape_.data_at() + partition * shape_.partition_bytes() +
           (entry * shape_.words() + word) * 4;
  }

 private:
  [[nodiscard]] std::uint32_t partition_of(const Warp& w, int partition) const {
    return partition < 0 ? w.id() % shape_.partitions : static_cast<std::uint32_t>(partition);
  }
  WarpTask insert_one(Warp& w, std::uint32_t partition, const Chunks& entry, unsigned lane,
                      bool& ok) const;

  std::uint64_t base_ = 0;
  ConvShape shape_;
  DeviceArray<std::uint32_t> locks_;
  Fault fault_ = Fault::None;
};

}  // namespace cxlgpu::gpm
