// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the GPU model counts during a run.
//
// Units:   instructions are warp instructions; accesses are of one line; cycles of kCycle. Issue
//          slots are core cycles: one a core a cycle, each counted once, by the first that holds of
//          the causes in their order below. Once a run is done they add up to cores x cycles.
// Errors:  none.
#pragma once

#include <array>
#include <cstdint>

#include "sim/gpu/gpu_config.hpp"

namespace cxlgpu {

struct GpuStats {
  // Instructions.
  std::uint64_t loads = 0, stores = 0, atomics = 0, computes = 0, syncs = 0;
  std::array<std::uint64_t, kUnits> unit_computes{};  // computes by unit
  std::uint64_t thread_instructions = 0;              // active lanes, without syncs
  // Prefetches, the hints that they make, and those dropped: by a full queue, or still this side of
  // the bus at the run's end.
  std::uint64_t prefetches = 0, hints = 0, hints_dropped = 0;
  // L1: accesses that ordinary loads made. A merge waits for a fill already asked for.
  std::uint64_t l1_hits = 0, l1_misses = 0, l1_merges = 0, l1_stores = 0;
  std::uint64_t stores_gathered = 0;  // of l1_stores, joined a line waiting to be written out
  // Scratchpad.
  std::uint64_t scratch_accesses = 0;         // instructions
  std::uint64_t scratch_conflict_cycles = 0;  // beyond one each
  // LLC: accesses that came from the L1s, write-through stores and atomics.
  std::uint64_t llc_load_hits = 0, llc_load_misses = 0, llc_merges = 0;
  std::uint64_t llc_store_hits = 0, llc_store_allocations = 0;
  std::uint64_t llc_store_passed = 0;     // of a write-through LLC: to a line that is not there
  std::uint64_t llc_partial_fetches = 0;  // misses to a line of which some bytes were there
  std::uint64_t llc_miss_cycles = 0;      // from fetch to fill, summed over fetches
  // Behind the LLC: requests to the engine (CXL) and to local memory.
  std::uint64_t hdm_reads = 0, hdm_writes_full = 0, hdm_writes_partial = 0;
  std::uint64_t local_reads = 0, local_writes_full = 0, local_writes_partial = 0;
  // Loads and stores of addresses that no cache keeps, lines.
  std::uint64_t uncached_reads = 0, uncached_writes = 0;
  // Persists; writes to persistent ranges, a line each, with the bytes that they enable, and the
  // stores and atomics that joined one of them.
  std::uint64_t persists = 0, persists_refused = 0;
  std::uint64_t persist_cycles = 0, persist_longest = 0;  // from persist() to its end
  std::uint64_t persist_lines = 0, persist_bytes = 0, persist_gathered = 0;
  std::uint64_t recovery_cycles = 0;  // of kernels that restore after a loss of power
  std::uint64_t response_errors = 0;  // responses flagged as errors
  std::uint64_t bus_refusals = 0;     // offers that the system bus did not take
  // Stalls of the LLC's head requests, by what was missing.
  std::uint64_t llc_stall_mshr = 0, llc_stall_merges = 0, llc_stall_write_buffer = 0,
                llc_stall_ways = 0;
  // Issue slots.
  std::uint64_t issue_cycles = 0;
  std::uint64_t idle_cycles = 0;       // no warp has work: before, between, after kernels, or done
  std::uint64_t stall_lsu_cycles = 0;  // a warp is ready but the load/store unit is full
  std::uint64_t stall_result_cycles = 0;   // a warp waits for arithmetic
  std::uint64_t stall_barrier_cycles = 0;  // every warp left is at a barrier
  std::uint64_t stall_memory_cycles = 0;   // every warp waits for loads, stores or fences
  // Time.
  std::uint64_t cycles = 0;        // start of the first kernel to last acknowledgement
  std::uint64_t flush_cycles = 0;  // of these, flushing the LLC at the end
  std::uint64_t barriers = 0, core_barriers = 0;
  std::uint64_t warp_cycles = 0;  // start of its kernel to its end, summed over warps

  [[nodiscard]] std::uint64_t instructions() const {
    return loads + stores + atomics + prefetches + computes;
  }
  [[nodiscard]] std::uint64_t slots() const {
    return issue_cycles + idle_cycles + stall_lsu_cycles + stall_result_cycles +
           stall_barrier_cycles + stall_memory_cycles;
  }
  [[nodiscard]] std::uint64_t engine_requests() const {
    return hdm_reads + hdm_writes_full + hdm_writes_partial;
  }
  [[nodiscard]] double compute_ratio() const {
    return instructions() == 0
               ? 0.0
               : static_cast<double>(computes) / static_cast<double>(instructions());
  }
  [[nodiscard]] double load_ratio() const {
    const std::uint64_t memory = loads + stores + atomics;
    return memory == 0 ? 0.0 : static_cast<double>(loads) / static_cast<double>(memory);
  }
  bool operator==(const GpuStats&) const = default;
};

}  // namespace cxlgpu
