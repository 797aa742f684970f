// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Figures made of the GPU model's counts, worked out by hand.
#include "cli/gpu_figures.hpp"

#include <gtest/gtest.h>

namespace cxlgpu {
namespace {

TEST(GpuFigures, RatesSharesAndMeans) {
  GpuParams p;
  p.cores = 2;
  p.warps = 4;
  p.threads = 8;
  GpuStats s;
  s.cycles = 1000;  // of 1 ns: 2000 slots
  s.issue_cycles = 500;
  s.idle_cycles = 400;
  s.stall_memory_cycles = 700;
  s.stall_result_cycles = 250;
  s.stall_barrier_cycles = 100;
  s.stall_lsu_cycles = 50;
  s.loads = 100;
  s.computes = 300;
  s.thread_instructions = 1600;
  s.warp_cycles = 3200;
  s.l1_hits = 60;
  s.l1_misses = 30;
  s.l1_merges = 10;
  s.llc_load_hits = 20;
  s.llc_store_hits = 5;
  s.llc_load_misses = 15;
  s.llc_store_allocations = 7;
  s.llc_merges = 3;
  s.llc_miss_cycles = 6000;
  s.hdm_reads = 10;
  s.local_reads = 5;
  s.hdm_writes_full = 20;
  s.hdm_writes_partial = 2;
  s.local_writes_full = 4;
  const nlohmann::json gpu = gpu_json(s, p);
  const auto is = [&](const char* name, double value, const char* unit) {
    EXPECT_NEAR(gpu.at(name).at("value").get<double>(), value, 1e-9) << name;
    EXPECT_EQ(gpu.at(name).at("unit"), unit) << name;
  };
  is("ipc", 0.25, "warp instructions a cycle a core");
  is("thread_ipc", 0.8, "thread instructions a cycle a core");
  is("lane_efficiency", 50, "%");  // 1600 of 400 x 8
  is("occupancy", 50, "%");        // 3200 of 1600 busy core cycles x 4
  is("l1_hit_rate", 60, "%");
  is("llc_hit_rate", 50, "%");  // 25 of 50
  is("outstanding_misses", 6, "lines");
  is("miss_latency", 400, "ns");       // 15 fetches
  is("hdm_bandwidth", 2.048, "GB/s");  // 32 lines in a microsecond
  is("local_bandwidth", 0.576, "GB/s");
  double slots = 0;
  for (const auto& slot : gpu.at("slots")) slots += slot.at("value").get<double>();
  EXPECT_EQ(slots, 2000);
  const auto rows = gpu_rows(gpu);
  EXPECT_EQ(rows[0].second, "0.250 / 0.800");
  EXPECT_EQ(rows[1].second, "25.0 / 35.0 / 12.5 %");
  EXPECT_EQ(rows[2].second, "2.5 / 5.0 / 20.0 %");
}

TEST(GpuFigures, ARunOfNothingDividesByNothing) {
  const nlohmann::json gpu = gpu_json({}, {});
  for (const auto& [name, entry] : gpu.items()) {
    if (name == "slots") continue;
    EXPECT_EQ(entry.at("value").get<double>(), 0) << name;
    EXPECT_FALSE(entry.at("unit").get<std::string>().empty());
  }
  EXPECT_EQ(gpu_rows(gpu).size(), 6U);
}

}  // namespace
}  // namespace cxlgpu
