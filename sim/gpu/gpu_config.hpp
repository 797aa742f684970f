// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Parameters of the GPU model.
//
// Purpose: plain structs that configuration readers fill in; every field has its unit.
// Units:   cycles are cycles of kCycle (1 GHz); bytes; picoseconds where the name says so.
// Source:  8 cores x 8 warps x 8 threads and 128 outstanding reads are the machine of the reference
//          traces. Latencies default to a load of 146 ns that hits the last-level cache and one of
//          340 ns that goes to device memory, and 256 bytes a cycle to eight SMs' share of 4.36
//          TB/s: all measured on an H200 of 132 SMs. Cache sizes are scaled down as the data is.
//          L1 latency and the queue sizes are assumed. Latencies of the units are Vortex's:
//          vortexgpgpu/vortex at 1e4583ac, hw/rtl/VX_config.vh (LATENCY_IMUL, LATENCY_FMA,
//          LATENCY_FDIV); so are round robin issue (VX_scoreboard.sv) and the scratchpad's size
//          and banks (LMEM_LOG_SIZE, LMEM_NUM_BANKS: one a lane).
// Errors:  validate() throws InputError "gpu.<key>: what; what to do".
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/media/media_config.hpp"

namespace cxlgpu {

// How a kernel's work is dealt to warps.
enum class Distribution : std::uint8_t {
  Chunked,     // each warp one contiguous chunk: every warp is a stream of its own
  Interleaved  // neighbouring warps take neighbouring work
};

// Which ready warp issues.
enum class Scheduler : std::uint8_t {
  Lrr,  // loose round robin: the next ready one after the last that issued
  Gto   // greedy, then oldest: the last one for as long as it can, then the lowest numbered
};

// Which way of a set makes room. An empty one always goes first.
enum class Replacement : std::uint8_t { Lru, Plru, Fifo, Random };

enum class WritePolicy : std::uint8_t {
  Through,  // every store goes on at once, no allocation
  Back      // stores stay until eviction; in an L1 until a fence, barrier or the kernel's end, too
};

// What executes an arithmetic instruction: how long its result takes.
enum class Unit : std::uint8_t { Alu, Mul, Fpu, Sfu };
inline constexpr unsigned kUnits = 4;

struct UnitParams {
  std::uint32_t alu = 1;   // integer, logic, branches
  std::uint32_t mul = 4;   // integer multiplication
  std::uint32_t fpu = 4;   // floating point add, multiply, multiply-add
  std::uint32_t sfu = 15;  // division, square root
  [[nodiscard]] std::uint32_t latency(Unit unit) const {
    if (unit == Unit::Alu) return alu;  // as most are
    switch (unit) {
      case Unit::Alu:
        break;
      case Unit::Mul:
        return mul;
      case Unit::Fpu:
        return fpu;
      case Unit::Sfu:
        return sfu;
    }
    return alu;
  }
};

struct L1Params {
  std::uint32_t size_bytes = 16 * 1024;
  std::uint32_t ways = 4;
  Replacement replacement = Replacement::Lru;
  WritePolicy write = WritePolicy::Through;
  std::uint32_t hit_latency_cycles = 20;
  std::uint32_t mshrs = 32;
  std::uint32_t merges = 8;  // waiting accesses per MSHR
};

struct LlcParams {
  std::uint32_t size_bytes = 64 * 1024;
  std::uint32_t ways = 8;
  Replacement replacement = Replacement::Lru;
  WritePolicy write = WritePolicy::Back;
  std::uint32_t banks = 4;                 // accesses a cycle, if they fall on different banks
  std::uint32_t hit_latency_cycles = 144;  // access to data at the core
  std::uint32_t fill_latency_cycles = 72;  // data from memory to data at the core
  std::uint32_t mshrs = 128;
  std::uint32_t merges = 16;        // waiting accesses per MSHR
  std::uint32_t write_buffer = 64;  // writes to memory not yet acknowledged
};

struct LocalMemoryParams {
  std::uint64_t latency_ps = 266'000;   // idle: from the last-level cache and back to it
  std::uint32_t bytes_per_cycle = 256;  // without a part, and for deterministic store
  std::optional<DramConfig> part{};     // times what the GPU itself does there
};

// A core's own memory, addressed by the kernel; words of 4 B, neighbours in neighbouring banks.
struct ScratchpadParams {
  static constexpr std::uint32_t kWordBytes = 4;
  std::uint32_t size_bytes = 16 * 1024;
  std::uint32_t banks = 8;            // words a cycle, if they fall on different banks
  std::uint32_t latency_cycles = 20;  // access to data, without conflicts
};

// Memory that persists: what is stored there is written through by every cache.
struct PersistParams {
  std::uint64_t base = 0, bytes = 0;  // host physical; 0 bytes: there is none
  std::uint32_t gather_cycles = 16;   // that a written line waits at the LLC for more of it
  bool through = true;  // false: caches survive a loss of power, so that nothing need leave them
  bool awaited = true;  // false: a persist is a fence, since the host makes bytes durable
  [[nodiscard]] bool contains(std::uint64_t addr) const { return addr - base < bytes; }
};

// Addresses that no cache keeps: registers of devices, memory that devices write behind the bus.
struct UncachedParams {
  std::uint64_t base = 0, bytes = 0;  // 0 bytes: there is none
};

struct GpuParams {
  std::uint32_t cores = 8;
  std::uint32_t warps = 8;             // per core
  std::uint32_t threads = 8;           // per warp
  std::uint32_t loads_per_warp = 8;    // load and atomic instructions in flight
  std::uint32_t lsu_queue = 4;         // memory instructions waiting at a core's L1
  std::uint32_t llc_queue = 16;        // line requests waiting between a core and the LLC
  std::uint32_t prefetch_queue = 16;   // prefetches whose hints wait for the fabric
  std::uint32_t barrier_cycles = 200;  // last arrival to release
  std::uint32_t start_cycles = 0;      // before the first kernel of a run
  std::uint32_t launch_cycles = 2900;  // between kernels of one run
  std::uint32_t fabric_cycles = 0;     // from the LLC to the system bus and back
  Scheduler scheduler = Scheduler::Lrr;
  UnitParams units;
  std::uint32_t store_buffer = 0;  // lines a core's stores are gathered in before the LLC
  ScratchpadParams scratchpad;
  L1Params l1;
  LlcParams llc;
  LocalMemoryParams local;
  PersistParams persist;
  std::array<UncachedParams, 2> uncached{};
  std::uint64_t seed = 1;  // of random replacement
};

// [hdm_base - local_bytes, hdm_base) is GPU memory, [hdm_base, hdm_base + hdm_size) is CXL; its end
// from persistent_base on persists. With staged bytes kernels have what persists at the bottom of
// GPU memory instead, and the host persists it for them.
struct SystemMapParams {
  std::uint64_t hdm_base = 1ULL << 32;
  std::uint64_t hdm_size = 1ULL << 28;
  std::uint64_t local_bytes = 1ULL << 20;
  std::uint64_t persistent_base = ~std::uint64_t{0};  // at or beyond the end: nothing does
  std::uint64_t staged_bytes = 0;
  [[nodiscard]] std::uint64_t staged_base() const { return hdm_base - local_bytes; }
  // Of GPU memory, whole pages.
  [[nodiscard]] std::uint64_t staged_room() const { return (staged_bytes + 4095) / 4096 * 4096; }
};

void validate(const GpuParams& params);
void validate(const SystemMapParams& params);

// Local memory for a data set: a tenth of it, in whole pages of 4 KiB.
std::uint64_t local_bytes_for(std::uint64_t data_set_bytes, std::uint32_t ratio = 10);

}  // namespace cxlgpu
