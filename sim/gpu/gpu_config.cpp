// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/gpu_config.hpp"

#include <fmt/format.h>

#include <bit>

#include "common/input_error.hpp"
#include "common/request.hpp"
#include "sim/gpu/index_set.hpp"
#include "sim/gpu/lanes.hpp"

namespace cxlgpu {
namespace {

void in_range(const char* key, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
  if (value < low || value > high) {
    throw InputError(
        fmt::format("gpu.{}: {} is not in {}..{}; choose a value that is", key, value, low, high));
  }
}

void cache_shape(const char* key, std::uint64_t size, std::uint64_t ways) {
  const std::uint64_t sets = size / (kLineBytes * ways);
  if (sets == 0 || sets * ways * kLineBytes != size || !std::has_single_bit(sets)) {
    throw InputError(fmt::format(
        "gpu.{}: {} bytes in {} ways is no power of two of sets of 64 B lines; change size or ways",
        key, size, ways));
  }
}

void replacement_fits(const char* key, Replacement policy, std::uint32_t ways) {
  if (policy == Replacement::Plru && !std::has_single_bit(ways)) {
    throw InputError(
        fmt::format("gpu.{}: plru has no tree over {} ways; make ways a power of two", key, ways));
  }
}

}  // namespace

void validate(const GpuParams& p) {
  in_range("cores", p.cores, 1, IndexSet::kMost);
  in_range("warps", p.warps, 1, IndexSet::kMost);
  in_range("threads", p.threads, 1, kMaxLanes);
  in_range("loads_per_warp", p.loads_per_warp, 1, 64);
  in_range("lsu_queue", p.lsu_queue, 1, 1024);
  in_range("llc_queue", p.llc_queue, 1, 1024);
  in_range("prefetch_queue", p.prefetch_queue, 1, 256);
  in_range("barrier_cycles", p.barrier_cycles, 1, 1u << 30);
  in_range("launch_cycles", p.launch_cycles, 1, 1u << 30);
  in_range("fabric_cycles", p.fabric_cycles, 0, 1u << 20);
  in_range("l1.ways", p.l1.ways, 1, 64);
  in_range("l1.hit_latency_cycles", p.l1.hit_latency_cycles, 1, 1u << 20);
  in_range("l1.mshrs", p.l1.mshrs, 1, 1024);
  in_range("l1.merges", p.l1.merges, 1, 1024);
  cache_shape("l1.size_bytes", p.l1.size_bytes, p.l1.ways);
  replacement_fits("l1.replacement", p.l1.replacement, p.l1.ways);
  replacement_fits("llc.replacement", p.llc.replacement, p.llc.ways);
  in_range("latency.alu", p.units.alu, 1, 1000);
  in_range("latency.mul", p.units.mul, 1, 1000);
  in_range("latency.fpu", p.units.fpu, 1, 1000);
  in_range("latency.sfu", p.units.sfu, 1, 1000);
  in_range("store_buffer", p.store_buffer, 0, 64);
  if (p.store_buffer != 0 && p.l1.write == WritePolicy::Back) {
    throw InputError(fmt::format(
        "gpu.store_buffer: {} lines stand behind a write-back L1, which gathers stores itself; "
        "use 0, or gpu.l1.write through",
        p.store_buffer));
  }
  in_range("persist_gather_cycles", p.persist.gather_cycles, 0, 1u << 20);
  in_range("scratchpad_bytes", p.scratchpad.size_bytes, 0, 1u << 24);
  in_range("scratchpad_banks", p.scratchpad.banks, 1, 64);
  in_range("scratchpad_latency_cycles", p.scratchpad.latency_cycles, 1, 10000);
  in_range("llc.ways", p.llc.ways, 1, 64);
  in_range("llc.banks", p.llc.banks, 1, 64);
  in_range("llc.hit_latency_cycles", p.llc.hit_latency_cycles, 1, 1u << 20);
  in_range("llc.fill_latency_cycles", p.llc.fill_latency_cycles, 1, 1u << 20);
  in_range("llc.mshrs", p.llc.mshrs, 1, 32768);  // with the write buffer: 16-bit bus ids
  in_range("llc.merges", p.llc.merges, 1, 1024);
  in_range("llc.write_buffer", p.llc.write_buffer, 1, 32768);
  cache_shape("llc.size_bytes", p.llc.size_bytes, p.llc.ways);
  in_range("local.latency_ps", p.local.latency_ps, 1, 1ull << 40);
  in_range("local.bytes_per_cycle", p.local.bytes_per_cycle, 1, 1u << 20);
}

void validate(const SystemMapParams& p) {
  if (p.hdm_base % kLineBytes != 0 || p.hdm_size % kLineBytes != 0 ||
      p.local_bytes % kLineBytes != 0) {
    throw InputError("gpu.map: a base or size is not a multiple of 64; align all of them to lines");
  }
  if (p.local_bytes > p.hdm_base) {
    throw InputError(
        fmt::format("gpu.map.local_bytes: {:#x} does not fit below hdm_base {:#x}; raise hdm_base",
                    p.local_bytes, p.hdm_base));
  }
  constexpr std::uint64_t kTop = 1ULL << 52;
  if (p.hdm_base > kTop || p.hdm_size > kTop - p.hdm_base) {
    throw InputError("gpu.map: the HDM range passes 2^52; lower hdm_base or hdm_size");
  }
}

std::uint64_t local_bytes_for(std::uint64_t data_set_bytes, std::uint32_t ratio) {
  constexpr std::uint64_t kPage = 4096;
  return (data_set_bytes / ratio + kPage - 1) / kPage * kPage;
}

}  // namespace cxlgpu
