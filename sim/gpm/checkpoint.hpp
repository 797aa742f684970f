// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Checkpoints of arrays in persistent memory, a group of them at a time.
//
// Purpose: what a kernel computed up to a point can be had again. Two copies a group: one is
//          written while the other counts.
// Layout:  header line {groups, bytes of a copy}; a line a group {sequence 8, which 4, CRC-32 of
//          both}; then the copies, each from a multiple of 256, a group's two one after the other.
//          A group's line is its own: with a byte a group, 64 groups would share one.
// Order:   elements into the copy that does not count, persist, the group's line, persist.
// Errors:  restored() false: there is no checkpoint of the group.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/gpm/region.hpp"

namespace cxlgpu::gpm {

struct CheckpointShape {
  std::uint32_t groups = 0, copy_bytes = 0;
  std::uint32_t copies = 2;  // a group; 1 where what is written is not durable at once
  [[nodiscard]] std::uint64_t index_at() const { return kLineBytes; }
  [[nodiscard]] std::uint64_t copies_at() const {
    return up_to(index_at() + groups * kLineBytes, 256);
  }
  [[nodiscard]] std::uint64_t step() const { return up_to(copy_bytes, 256); }
  [[nodiscard]] std::uint64_t bytes() const { return copies_at() + copies * groups * step(); }
};

// A group's line.
struct GroupLine {
  std::uint64_t sequence = 0;  // 0: no checkpoint yet
  std::uint32_t which = 0, crc = 0;
  std::array<std::uint32_t, 12> zero{};
  [[nodiscard]] std::uint32_t own_crc() const { return crc_of(this, offsetof(GroupLine, crc)); }
  [[nodiscard]] bool valid() const { return sequence != 0 && which < 2 && crc == own_crc(); }
};
static_assert(sizeof(GroupLine) == kLineBytes);

class Checkpoint {
 public:
  Checkpoint() = default;
  Checkpoint(std::uint64_t base, const CheckpointShape& shape, Fault fault = Fault::None)
      : base_(base), shape_(shape), elements_(shape.groups), fault_(fault) {}

  WarpTask gpmcp_create(Warp& w) const;
  WarpTask gpmcp_open(Warp& w, bool& ok) const;
  // Words that are part of a group from now on, behind those before; on the host, before kernels.
  void gpmcp_register(std::uint32_t group, DeviceArray<std::uint32_t> words);
  // Of one warp a group at a time.
  WarpTask gpmcp_checkpoint(Warp& w, std::uint32_t group, bool& ok) const;
  WarpTask gpmcp_restore(Warp& w, std::uint32_t group, bool& ok) const;
  // The same by all warps of a kernel, each a share of the group; with barriers, so all must call.
  // `refused`: a word that is 0, in which warps tell each other of a persist that was refused.
  WarpTask gpmcp_checkpoint_all(Warp& w, std::uint32_t group, DeviceArray<std::uint32_t> refused,
                                bool& ok) const;
  WarpTask gpmcp_restore_all(Warp& w, std::uint32_t group, bool& ok) const;

  [[nodiscard]] std::uint64_t line_address(std::uint32_t group) const {
    return base_ + shape_.index_at() + group * kLineBytes;
  }
  [[nodiscard]] std::uint64_t copy_address(std::uint32_t group, std::uint32_t which) const {
    return base_ + shape_.copies_at() +
           (std::uint64_t{shape_.copies} * group + which) * shape_.step();
  }

 private:
  // Share `part` of `parts`, in vectors that take turns.
  WarpTask copy(Warp& w, std::uint32_t group, std::uint32_t which, bool out, std::uint32_t part = 0,
                std::uint32_t parts = 1) const;
  WarpTask next_index(Warp& w, std::uint32_t group, GroupLine& next) const;
  WarpTask read_index(Warp& w, std::uint32_t group, GroupLine& line) const;
  WarpTask write_index(Warp& w, std::uint32_t group, GroupLine line) const;

  std::uint64_t base_ = 0;
  CheckpointShape shape_;
  std::vector<std::vector<DeviceArray<std::uint32_t>>> elements_;  // by group
  Fault fault_ = Fault::None;
};

}  // namespace cxlgpu::gpm
