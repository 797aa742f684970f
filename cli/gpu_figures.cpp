// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/gpu_figures.hpp"

#include <fmt/format.h>

#include "cli/figure.hpp"
#include "common/request.hpp"
#include "common/time.hpp"

namespace cxlgpu {

namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}
nlohmann::json percent(std::uint64_t part, std::uint64_t whole) {
  return figure(100.0 * ratio(part, whole), "%");
}

nlohmann::json slots(const GpuStats& g) {
  const auto count = [](std::uint64_t n) { return figure(n, "core cycles"); };
  return {{"issued", count(g.issue_cycles)},          {"no_warp", count(g.idle_cycles)},
          {"lsu_full", count(g.stall_lsu_cycles)},    {"result", count(g.stall_result_cycles)},
          {"barrier", count(g.stall_barrier_cycles)}, {"memory", count(g.stall_memory_cycles)}};
}

nlohmann::json persists(const GpuStats& g) {
  const auto ns = [](double cycles) {
    return figure(cycles * static_cast<double>(kCycle.ps) / 1000, "ns");
  };
  return {{"count", figure(g.persists, "persists")},
          {"refused", figure(g.persists_refused, "persists")},
          {"latency", ns(ratio(g.persist_cycles, g.persists))},
          {"longest", ns(static_cast<double>(g.persist_longest))},
          {"lines", figure(g.persist_lines, "lines")},
          {"bytes", figure(g.persist_bytes, "bytes")},
          {"gathered", figure(g.persist_gathered, "accesses")}};
}

}  // namespace

nlohmann::json gpu_json(const GpuStats& g, const GpuParams& p) {
  const auto instructions = [](std::uint64_t n) { return figure(n, "warp instructions"); };
  const auto accesses = [](std::uint64_t n) { return figure(n, "accesses"); };
  const auto lines = [](std::uint64_t n) { return figure(n, "lines"); };
  const std::uint64_t core_cycles = p.cores * g.cycles;
  const std::uint64_t local = g.local_reads + g.local_writes_full + g.local_writes_partial;
  const std::uint64_t llc_hits = g.llc_load_hits + g.llc_store_hits;
  const std::uint64_t fetches = g.hdm_reads + g.local_reads;
  const auto bandwidth = [&](std::uint64_t n) {  // bytes a nanosecond
    return figure(ratio(n * kLineBytes * 1000, g.cycles * kCycle.ps), "GB/s");
  };
  nlohmann::json json = {
      {"loads", instructions(g.loads)},
      {"stores", instructions(g.stores)},
      {"atomics", instructions(g.atomics)},
      {"compute", instructions(g.computes)},
      {"prefetches", instructions(g.prefetches)},
      {"hints", figure(g.hints, "hints")},
      {"hints_dropped", figure(g.hints_dropped, "hints")},
      {"compute_ratio", figure(100 * g.compute_ratio(), "%")},
      {"load_ratio", figure(100 * g.load_ratio(), "%")},
      {"compute_mul", instructions(g.unit_computes[static_cast<std::size_t>(Unit::Mul)])},
      {"compute_fpu", instructions(g.unit_computes[static_cast<std::size_t>(Unit::Fpu)])},
      {"compute_sfu", instructions(g.unit_computes[static_cast<std::size_t>(Unit::Sfu)])},
      {"syncs", instructions(g.syncs)},
      {"thread_instructions", figure(g.thread_instructions, "thread instructions")},
      {"ipc", figure(ratio(g.issue_cycles, core_cycles), "warp instructions a cycle a core")},
      {"thread_ipc",
       figure(ratio(g.thread_instructions, core_cycles), "thread instructions a cycle a core")},
      {"lane_efficiency", percent(g.thread_instructions, g.instructions() * p.threads)},
      {"occupancy", percent(g.warp_cycles, (core_cycles - g.idle_cycles) * p.warps)},
      {"slots", slots(g)},
      {"l1_hits", accesses(g.l1_hits)},
      {"l1_misses", accesses(g.l1_misses)},
      {"l1_merges", accesses(g.l1_merges)},
      {"l1_hit_rate", percent(g.l1_hits, g.l1_hits + g.l1_misses + g.l1_merges)},
      {"l1_stores", accesses(g.l1_stores)},
      {"stores_gathered", accesses(g.stores_gathered)},
      {"scratchpad_accesses", instructions(g.scratch_accesses)},
      {"scratchpad_conflicts", figure(g.scratch_conflict_cycles, "core cycles")},
      {"llc_load_hits", accesses(g.llc_load_hits)},
      {"llc_load_misses", accesses(g.llc_load_misses)},
      {"llc_hit_rate", percent(llc_hits, llc_hits + g.llc_load_misses + g.llc_merges +
                                             g.llc_store_allocations + g.llc_store_passed)},
      {"outstanding_misses", figure(ratio(g.llc_miss_cycles, g.cycles), "lines")},
      {"miss_latency", figure(ratio(g.llc_miss_cycles * kCycle.ps, fetches * 1000), "ns")},
      {"hdm_reads", lines(g.hdm_reads)},
      {"hdm_writes_full", lines(g.hdm_writes_full)},
      {"hdm_writes_partial", lines(g.hdm_writes_partial)},
      {"local_reads", lines(g.local_reads)},
      {"local_writes", lines(g.local_writes_full + g.local_writes_partial)},
      {"hdm_bandwidth", bandwidth(g.engine_requests())},
      {"local_bandwidth", bandwidth(local)},
      {"memory_stall", figure(g.stall_memory_cycles, "core cycles")},
      {"barriers", figure(g.barriers, "barriers")},
      {"core_barriers", figure(g.core_barriers, "barriers")},
      {"flush_cycles", figure(g.flush_cycles, "cycles")},
      {"cycles", figure(g.cycles, "cycles")}};
  if (g.persists != 0) json["persist"] = persists(g);
  if (g.recovery_cycles != 0) {
    json["recovery"] = figure(static_cast<double>(g.recovery_cycles * kCycle.ps) / 1000, "ns");
  }
  return json;
}

std::vector<std::pair<std::string, std::string>> gpu_rows(const nlohmann::json& gpu) {
  const auto of = [&](const char* name) { return gpu.at(name).at("value").get<double>(); };
  double all = 0;
  for (const auto& slot : gpu.at("slots")) all += slot.at("value").get<double>();
  const auto share = [&](const char* name) {
    return all == 0 ? 0.0 : 100.0 * gpu.at("slots").at(name).at("value").get<double>() / all;
  };
  std::vector<std::pair<std::string, std::string>> rows = {
      {"GPU: IPC a core, warp / thread",
       fmt::format("{:.3f} / {:.3f}", of("ipc"), of("thread_ipc"))},
      {"  slots: issued / memory / result",
       fmt::format("{:.1f} / {:.1f} / {:.1f} %", share("issued"), share("memory"),
                   share("result"))},
      {"  LSU full / barrier / no warp",
       fmt::format("{:.1f} / {:.1f} / {:.1f} %", share("lsu_full"), share("barrier"),
                   share("no_warp"))},
      {"  occupancy / lanes / L1 / LLC hits",
       fmt::format("{:.1f} / {:.1f} / {:.1f} / {:.1f} %", of("occupancy"), of("lane_efficiency"),
                   of("l1_hit_rate"), of("llc_hit_rate"))},
      {"  outstanding misses, latency",
       fmt::format("{:.1f}, {:.0f} ns", of("outstanding_misses"), of("miss_latency"))},
      {"  bandwidth local / HDM",
       fmt::format("{:.2f} / {:.2f} GB/s", of("local_bandwidth"), of("hdm_bandwidth"))},
  };
  if (gpu.contains("recovery")) {
    rows.emplace_back("recovery after a loss of power",
                      fmt::format("{:.1f} us", of("recovery") / 1000));
  }
  if (gpu.contains("persist")) {
    const auto persist = [&](const char* name) {
      return gpu.at("persist").at(name).at("value").get<double>();
    };
    rows.emplace_back("persists, latency mean / longest",
                      fmt::format("{:.0f}, {:.0f} / {:.0f} ns", persist("count"),
                                  persist("latency"), persist("longest")));
    rows.emplace_back(
        "  lines, bytes of each",
        fmt::format("{:.0f}, {:.1f}", persist("lines"),
                    persist("lines") == 0 ? 0.0 : persist("bytes") / persist("lines")));
  }
  return rows;
}

}  // namespace cxlgpu
