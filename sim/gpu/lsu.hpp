// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The load/store unit of a core, with its L1, store buffer and scratchpad.
//
// Purpose: takes memory instructions in order; one line request a cycle, which coalesces an
//          instruction's lanes line by line, lowest lane first; a scratchpad access as a whole.
// Rules:   the head blocks it while the L1's miss registers, their merges or the queue to the LLC
//          are full, and a scratchpad access with conflicts for as many cycles as it takes. All of
//          a core's accesses go through here and leave in order, so its warps need no flush among
//          each other. A prefetch passes in its turn, in one cycle, and is complete.
//          Gathering: with a store buffer, or a write-back L1, a store is complete when what it
//          wrote reached the LLC, one request a cycle: when its line is the oldest and a new one
//          needs room (buffer) or it is evicted (L1); for a load of the line that must go to the
//          LLC; the whole buffer for an atomic, from a write-back L1 the atomic's line; everything
//          for a null in the queue, which a fence, barrier and kernel's end put there. A fill that
//          would have to evict a dirty line while the queue to the LLC is full is not kept.
//          A store to a line that persists is never gathered here: it goes to the LLC at once.
// Errors:  none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/pipe.hpp"
#include "sim/gpu/gpu_shared.hpp"
#include "sim/gpu/l1_cache.hpp"
#include "sim/gpu/llc.hpp"
#include "sim/gpu/scratchpad.hpp"
#include "sim/gpu/store_buffer.hpp"

namespace cxlgpu {

class Lsu {
 public:
  Lsu(GpuShared& shared, Llc& llc, std::uint32_t core);

  // The core's side.
  [[nodiscard]] bool full() const { return queue_.size() >= shared_.params.lsu_queue; }
  [[nodiscard]] bool gathers() const { return buffer_.enabled() || l1_.back(); }
  void push(MemOp* op) { queue_.push() = op; }  // null: write out what is gathered
  [[nodiscard]] bool runnable() const { return !queue_.empty() && !blocked_ && !busy_; }
  void run();  // one cycle; precondition: runnable()
  void invalidate_l1() { l1_.invalidate_all(); }
  void pass_prefetches();  // all that wait, at once: the run is over

  // Answers.
  void l1_fill(std::uint16_t mshr, const Line& data);
  void written(std::uint16_t group);  // the LLC has a gathered line
  void queue_popped();                // the LLC took a request of this core
  void free() { busy_ = false; }
  static void complete(MemOp* op, LaneMask lanes);

 private:
  // Again: something else was done in this cycle that had to come first.
  enum class Step : std::uint8_t { Done, Again, Blocked };
  Step access(MemOp& op, LaneMask lanes, std::uint64_t line);
  Step load(MemOp& op, LaneMask lanes, std::uint64_t line);
  Step miss(MemOp& op, LaneMask lanes, std::uint64_t line);
  Step store(MemOp& op, LaneMask lanes, std::uint64_t line);
  Step store_buffered(MemOp& op, LaneMask lanes, std::uint64_t line);
  Step store_back(MemOp& op, LaneMask lanes, std::uint64_t line);
  Step write_out_line(std::uint64_t line);  // Done: nothing of the line is gathered
  Step write_out_one();                     // Done: nothing is gathered
  void write_out(StoreBuffer::Entry& entry);
  void write_out(std::size_t way);
  void hit(MemOp& op, LaneMask lanes, const Line& data);
  void scratch(MemOp& op);
  void prefetch(MemOp* op);
  void send(MemOp& op, LlcKind kind, LaneMask lanes, std::uint64_t line);
  LlcRequest& send_gathered(std::uint64_t line, std::uint64_t mask,
                            std::vector<LineWaiter>& stores);

  GpuShared& shared_;
  Llc& llc_;
  std::uint32_t core_;
  L1Cache l1_;
  StoreBuffer buffer_;
  Scratchpad scratchpad_;
  Pipe<MemOp*> queue_;
  bool blocked_ = false, busy_ = false;
  std::size_t write_out_at_ = 0;  // way of the L1, while a null is at the queue's head
  std::vector<std::vector<LineWaiter>> groups_;  // stores of gathered lines on their way
  std::vector<std::uint16_t> free_groups_;
};

}  // namespace cxlgpu
