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
#include <functional>
#include <vector>

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
  [[nodiscard]] std::uint32_t pick();  // precondition: can_issue()
  void issue_head(Warp& warp);
  void count_arithmetic(const Warp::Instruction& instruction) {
    GpuStats& stats = shared_.stats;
    ++stats.computes;
    ++stats.unit_computes[static_cast<std::size_t>(instruction.unit)];
    stats.thread_instructions += instruction.lanes;
  }
  [[nodiscard]] bool one_cycle(Unit unit) const {
    return ((one_cycle_ >> static_cast<unsigned>(unit)) & 1) != 0;
  }
  void issue_arithmetic(Warp& warp, const Warp::Instruction& instruction);
  void issue_memory(Warp& warp, MemOp& op);
  [[nodiscard]] bool can_issue() const {
    return !ready_.empty() || (!ready_memory_.empty() && !lsu_.full());
  }
  void tell() const;                                     // who watches, of the slots now counted
  [[nodiscard]] std::uint64_t GpuStats::*cause() const;  // of a slot in which nothing issues

  GpuShared& shared_;
  std::uint32_t index_;
  Lsu lsu_;
  std::vector<Warp> warps_;      // never moved: handles point at them
  IndexSet ready_;               // warps whose first instruction may issue
  IndexSet ready_memory_;        // those whose first instruction needs the load/store unit
  unsigned one_cycle_ = 0;       // units without latency beyond it, one bit each
  IndexSet results_;             // warps whose first instruction waits for arithmetic
  std::uint32_t next_warp_ = 0;  // scheduler: where to look first
  std::uint32_t arrived_ = 0, core_arrived_ = 0, finished_;
  std::uint64_t GpuStats::*cause_ = &GpuStats::idle_cycles;
  std::uint64_t accounted_ = 0;  // cycles before this one are counted
};

}  // namespace cxlgpu
