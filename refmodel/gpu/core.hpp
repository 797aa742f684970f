// A core of the GPU model: issues its warps' instructions and runs their accesses through its L1.
//
// Purpose: one instruction a cycle, round robin over ready warps; one line request a cycle through
//          the load/store unit, which coalesces an instruction's lanes line by line, lowest lane
//          first.
// Rules:   the head of the load/store unit blocks it while the L1's miss registers, their merges or
//          the queue to the LLC are full. A core without anything to do is not ticked.
// Errors:  none.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "refmodel/common/pipe.hpp"
#include "refmodel/gpu/gpu_config.hpp"
#include "refmodel/gpu/gpu_stats.hpp"
#include "refmodel/gpu/l1_cache.hpp"
#include "refmodel/gpu/llc.hpp"
#include "refmodel/gpu/mem_op.hpp"
#include "refmodel/gpu/warp.hpp"

namespace cxlgpu {

// What the cores have in common; owned by the Gpu.
struct GpuShared {
  struct L1Hit {
    std::uint64_t due = 0;
    MemOp* op = nullptr;
    LaneMask lanes = 0;
  };
  GpuParams params;
  GpuStats stats;
  MemOpPool pool;
  Pipe<L1Hit> l1_hits{256};        // data on its way from the L1s
  std::uint64_t active_cores = 0;  // cores to be ticked, one bit each
  std::uint64_t now = 0;           // cycle
  std::uint32_t arrived = 0;       // warps at the barrier
  std::uint32_t finished = 0;      // warps at the kernel's end
};

using Kernel = std::function<WarpTask(Warp&)>;

class Core {
 public:
  Core(GpuShared& shared, Llc& llc, std::uint32_t index);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  [[nodiscard]] GpuShared& shared() { return shared_; }

  // For the Gpu.
  void launch(const Kernel& kernel);  // every warp runs up to its first wait
  void release_barrier();             // invalidates the L1, warps go on
  void tick();                        // one cycle
  void l1_fill(std::uint16_t mshr, const Line& data);
  static void complete(MemOp* op, LaneMask lanes);
  void queue_popped();  // the LLC took a request of this core
  void account();       // brings the stall counters up to now

  // For the warps.
  void refresh(Warp& warp);  // its first instruction or its limits changed
  void warp_arrived();
  void warp_finished();

 private:
  enum class Stall : std::uint8_t { None, Memory, Lsu, Barrier };

  void wake() { shared_.active_cores |= std::uint64_t{1} << index_; }
  void run_lsu();
  bool access(MemOp& op, LaneMask lanes, std::uint64_t line);  // false: blocked
  bool access_load(MemOp& op, LaneMask lanes, std::uint64_t line);
  void send(MemOp& op, LlcKind kind, LaneMask lanes, std::uint64_t line);
  bool issue();
  void issue_head(Warp& warp);
  [[nodiscard]] bool can_issue() const;
  [[nodiscard]] Stall stall_reason() const;

  GpuShared& shared_;
  Llc& llc_;
  std::uint32_t index_;
  L1Cache l1_;
  std::deque<Warp> warps_;
  std::uint64_t ready_ = 0;   // warps whose first instruction may issue
  std::uint64_t memory_ = 0;  // warps whose first instruction needs the load/store unit
  std::uint32_t next_warp_ = 0;
  Pipe<MemOp*> lsu_;
  bool lsu_blocked_ = false;
  std::uint32_t arrived_ = 0, finished_;
  Stall stall_ = Stall::None;
  std::uint64_t accounted_ = 0;  // cycles before this one are counted
};

}  // namespace cxlgpu
