// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A core of the GPU model: issues its warps' instructions and runs their accesses through its L1.
//
// Purpose: one instruction a cycle, of the ready warp that the scheduler picks; arithmetic is done
//          `gpu.latency` of its unit later, memory instructions go to the load/store unit
//          (lsu.hpp).
// Rules:   within a cycle: a full core barrier opens, the load/store unit works, one instruction
//          issues. A core without anything to do is not ticked: data, a result or a place in a
//          queue wake it.
// Errors:  none.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "sim/gpu/gpu_shared.hpp"
#include "sim/gpu/lsu.hpp"
#include "sim/gpu/warp.hpp"

namespace cxlgpu {

using Kernel = std::function<WarpTask(Warp&)>;

class Core {
 public:
  Core(GpuShared& shared, Llc& llc, std::uint32_t index);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  [[nodiscard]] GpuShared& shared() { return shared_; }
  [[nodiscard]] bool gathers_stores() const { return lsu_.gathers(); }

  // For the Gpu.
  [[nodiscard]] Lsu& lsu() { return lsu_; }
  void start() { accounted_ = shared_.now; }  // of a run
  void launch(const Kernel& kernel);          // every warp runs up to its first wait
  void release_barrier();                     // invalidates the L1, warps go on
  void tick();                                // one cycle
  void result_there(std::uint32_t slot) { refresh(warps_[slot]); }
  void lsu_free();
  void account();  // brings the slot counters up to now

  // For the warps.
  void refresh(Warp& warp);  // its first instruction or its limits changed
  void warp_arrived();
  void warp_at_core_barrier();
  void warp_finished();

 private:
  [[nodiscard]] std::uint32_t warps() const { return shared_.params.warps; }
  [[nodiscard]] bool core_barrier_full() const {
    return core_arrived_ != 0 && core_arrived_ + finished_ == warps();
  }
  void release_core_barrier();
  bool issue();
  [[nodiscard]] std::uint32_t pick(std::uint64_t candidates);
  void issue_head(Warp& warp);
  void issue_arithmetic(Warp& warp, const Warp::Instruction& instruction);
  void issue_memory(Warp& warp, MemOp& op);
  [[nodiscard]] bool can_issue() const { return (lsu_.full() ? ready_ & ~memory_ : ready_) != 0; }
  [[nodiscard]] std::uint64_t GpuStats::*cause() const;  // of a slot in which nothing issues

  GpuShared& shared_;
  std::uint32_t index_;
  Lsu lsu_;
  std::deque<Warp> warps_;
  std::uint64_t ready_ = 0;      // warps whose first instruction may issue
  std::uint64_t memory_ = 0;     // warps whose first instruction needs the load/store unit
  std::uint64_t results_ = 0;    // warps whose first instruction waits for arithmetic
  std::uint32_t next_warp_ = 0;  // scheduler: where to look first
  std::uint32_t arrived_ = 0, core_arrived_ = 0, finished_;
  std::uint64_t GpuStats::*cause_ = &GpuStats::idle_cycles;
  std::uint64_t accounted_ = 0;  // cycles before this one are counted
};

}  // namespace cxlgpu
