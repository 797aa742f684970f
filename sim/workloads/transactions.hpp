// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Batches of changes in place, each of which happens as a whole or not at all, by undo logging.
//
// Purpose: what gpkvs and gpdb do around their changes: old values are logged first, a batch that
//          has begun is said to have, and a recovery puts back what it changed.
// Shapes:  persistent: a word {batches done << 1 | one has begun} in a line of its own, and a log
//          of one of both kinds (gpm/log.hpp), of entries of whole words.
// Order:   begin(): each warp drops its old entries, persist, all meet, the word says that one has
//          begun, persist, all meet. log() before each change in place, which the caller persists.
//          commit(): persist, all meet, the word says one more is done, persist, all meet. undo():
//          if one has begun: put back what was logged, persist, all meet, the word says that
//          none is. Entries are dropped at the next begin(), so a recovery may be cut short too.
// Rules:   all but log() are of all warps. A place is logged once a batch: entries of different
//          threads have no order.
// Errors:  log(): `ok` false if a lane had no room or a persist was refused.
#pragma once

#include <functional>

#include "sim/gpm/log.hpp"
#include "sim/workloads/persistent.hpp"

namespace cxlgpu {

class Transactions {
 public:
  struct Shape {
    LogKind kind = LogKind::Hcl;
    U32 words = 0;             // of an entry
    U32 warps = 0, lanes = 0;  // of the GPU
    U32 capacity = 0;          // entries a lane; of the conventional log a warp's lanes together
    U32 partitions = 1;        // of the conventional log
    bool logs = true;          // false: the host persists a batch as a whole
  };
  struct State {
    U64 done = 0;
    bool under_way = false;
  };
  // Puts back what entries say, one a lane.
  using PutBack = std::function<WarpTask(Warp& w, const gpm::Chunks& entries, LaneMask there)>;

  void place_volatile(Allocator& allocator, const Shape& shape);
  void place_persistent(Allocator& allocator, gpm::Fault fault);
  void fill_volatile(Backdoor& memory) const;

  WarpTask create(Warp& w) const;
  WarpTask open(Warp& w, bool& ok) const;
  WarpTask state(Warp& w, State& state) const;
  WarpTask begin(Warp& w, U64 batch) const;
  WarpTask log(Warp& w, gpm::Chunks entry, LaneMask mask, bool& ok) const;
  WarpTask commit(Warp& w, U64 batch) const;
  WarpTask undo(Warp& w, PutBack put_back) const;

  // As memory has it. Entries: those that an undo would put back.
  [[nodiscard]] State state(const Backdoor& memory) const;
  [[nodiscard]] std::optional<std::string> entries(const Backdoor& memory,
                                                   std::vector<std::vector<U32>>& out) const;

 private:
  [[nodiscard]] bool hcl() const { return shape_.kind == LogKind::Hcl; }
  WarpTask set_state(Warp& w, U64 word) const;
  WarpTask drop(Warp& w) const;
  WarpTask undo_partition(Warp& w, int partition, const PutBack& put_back) const;

  Shape shape_;
  gpm::Fault fault_ = gpm::Fault::None;
  DeviceArray<U32> locks_;
  DeviceArray<U64> state_;
  DeviceArray<U32> room_;
  gpm::HclLog hcl_;
  gpm::ConvLog conv_;
};

}  // namespace cxlgpu
