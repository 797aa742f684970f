// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the cores have in common; owned by the Gpu.
//
// Purpose: parameters, statistics, the pool of operations, what is due at a later cycle.
// Units:   cycles of kCycle.
// Rules:   `timed` holds what neither the L1s' fixed latency nor the LLC delivers: events of one
//          cycle in the order they were made. Nothing in it costs time before it is due.
// Errors:  none.
#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <string_view>
#include <vector>

#include "common/pipe.hpp"
#include "common/time.hpp"
#include "sim/gpu/gpu_config.hpp"
#include "sim/gpu/gpu_stats.hpp"
#include "sim/gpu/index_set.hpp"
#include "sim/gpu/mem_op.hpp"
#include "sim/gpu/prefetch_queue.hpp"

namespace cxlgpu {

// Why none of a core's warps issues.
enum class Stall : std::uint8_t { Idle, Memory, LsuFull, Result, Barrier, Count };
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Stall::Count)> kStallNames =
    {"no warp has work", "waits for memory", "load/store unit full", "waits for arithmetic",
     "at a barrier"};

// Told how long a core's warps could issue nothing, and why; cycles [from, to).
class CoreWatcher {
 public:
  virtual ~CoreWatcher() = default;
  virtual void on_stall(std::uint32_t core, Stall why, Time from, Time to) = 0;
};

struct GpuShared {
  struct L1Hit {
    std::uint64_t due = 0;
    MemOp* op = nullptr;
    LaneMask lanes = 0;
  };
  struct Timed {
    enum class Kind : std::uint8_t {
      Result,   // arithmetic of warp `index` of the core
      LsuFree,  // the core's load/store unit, after a conflict
      Data      // `lanes` of `op`
    };
    std::uint64_t due = 0, order = 0;
    Kind kind = Kind::Result;
    std::uint32_t core = 0, index = 0;
    MemOp* op = nullptr;
    LaneMask lanes = 0;
    bool operator>(const Timed& other) const {
      return due != other.due ? due > other.due : order > other.order;
    }
  };

  // Of a warp's writes to persistent ranges. Not among the warp's own, which every cycle touches.
  struct Persisting {
    std::uint32_t writes = 0;  // not done
    bool refused = false;      // one of them, since the last persist
    std::uint64_t since = 0;   // cycle of the last persist
  };

  void at(Timed event) {
    event.order = ++timed_count;
    timed.push(event);
  }
  void wake(std::uint32_t core) { active_cores.insert(core); }

  CoreWatcher* core_watcher = nullptr;  // null: nobody
  GpuParams params;
  GpuStats stats;
  MemOpPool pool;
  PrefetchQueue prefetches;
  std::vector<Persisting> persisting;  // by warp
  Pipe<L1Hit> l1_hits{256};            // data on its way from the L1s
  IndexSet active_cores;               // cores to be ticked
  std::uint64_t now = 0;               // cycle
  std::uint64_t launched = 0;          // cycle of the kernel's start
  std::uint32_t arrived = 0;           // warps at the barrier
  bool split = false;                  // it is one at which the host may act
  std::uint32_t finished = 0;          // warps at the kernel's end
  std::uint64_t timed_count = 0;
  std::priority_queue<Timed, std::vector<Timed>, std::greater<>> timed;
};

}  // namespace cxlgpu
