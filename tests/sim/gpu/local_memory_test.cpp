// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Timing of the GPU's own memory, with a DRAM part and without one.
#include "sim/gpu/local_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace cxlgpu {
namespace {

constexpr SystemMapParams kMap{1ULL << 32, 1ULL << 28, 1ULL << 20};
constexpr std::uint64_t kBase = kMap.hdm_base - kMap.local_bytes;
constexpr std::uint64_t kLatency = 266;  // cycles

DramConfig part(std::uint32_t sub_channels) {
  DramConfig dram =
      std::get<DramConfig>(load_media_config(CXLGPU_SOURCE_DIR "/configs/media/hbm3.yaml").params);
  dram.sub_channels = sub_channels;
  return dram;
}

LocalMemory memory(std::uint32_t sub_channels) {
  return LocalMemory({.latency_ps = 1000 * kLatency, .part = part(sub_channels)}, kMap);
}

// The cycle in which the next answer comes, polled in every cycle.
std::uint64_t answer_cycle(LocalMemory& local, std::uint64_t cycle) {
  while (!local.take(cycle)) ++cycle;
  return cycle;
}

// Both stay before the first refresh, 243.75 ns after the start.
TEST(LocalMemory, IdleReadTakesTheMeasuredLatency) {
  LocalMemory local = memory(8);
  local.submit(10, kBase, DramAccess::Read, 7);
  EXPECT_EQ(local.take(10 + kLatency - 1), std::nullopt);
  EXPECT_EQ(local.take(10 + kLatency), 7u);
  EXPECT_EQ(local.next_cycle(), ~std::uint64_t{0});
}

TEST(LocalMemory, RowThatIsOpenSavesItsActivation) {
  LocalMemory local = memory(8);
  local.submit(10, kBase, DramAccess::Read, 0);
  local.submit(100, kBase, DramAccess::Read, 1);
  EXPECT_EQ(answer_cycle(local, 100), 10 + kLatency);
  // tRCD less; the part's own share is rounded up to cycles.
  const std::uint64_t closed = part(8).idle_read().ps, open = closed - part(8).tRCD.ps;
  EXPECT_EQ(answer_cycle(local, 200), 100 + kLatency - (closed + 999) / 1000 + (open + 999) / 1000);
}

// Lines moved in a window of time, the queue of the LLC kept full.
double bytes_per_ns(LocalMemory local) {
  std::uint64_t sent = 0, taken = 0;
  constexpr std::uint64_t kCycles = 20000;
  for (std::uint64_t cycle = 0; cycle < kCycles; ++cycle) {
    while (local.take(cycle)) ++taken;
    for (; sent - taken < 192; ++sent) {
      local.submit(cycle, kBase + sent * kLineBytes % kMap.local_bytes, DramAccess::Read, 0);
    }
  }
  return static_cast<double>(taken) * kLineBytes / kCycles;
}

TEST(LocalMemory, BandwidthIsThatOfItsSubChannels) {
  // 6.4 Gb/s on 32 pins each: 25.6 bytes a nanosecond. 192 requests of 266 ns make 46 at most.
  const double one = bytes_per_ns(memory(1));
  EXPECT_LT(one, 25.6);
  EXPECT_GT(one, 0.9 * 25.6);
  EXPECT_GT(bytes_per_ns(memory(8)), 40.0);
}

TEST(LocalMemory, PollingDoesNotMoveAnswers) {
  LocalMemory often = memory(2), seldom = memory(2);
  std::mt19937 rng(3);
  std::map<std::uint32_t, std::uint64_t> a, b;
  std::uint64_t next = 0;
  std::uint32_t token = 0;
  for (std::uint64_t cycle = 0; cycle < 20000; ++cycle) {
    while (const auto t = often.take(cycle)) a[*t] = cycle;
    if (cycle >= next) {
      while (const auto t = seldom.take(cycle)) b[*t] = cycle;
    }
    if (rng() % 8 == 0 && cycle < 15000) {
      const std::uint64_t addr = kBase + rng() % (kMap.local_bytes / kLineBytes) * kLineBytes;
      const auto access = static_cast<DramAccess>(rng() % 3);
      often.submit(cycle, addr, access, token);
      seldom.submit(cycle, addr, access, token++);
    }
    next = seldom.next_cycle();
  }
  EXPECT_EQ(a.size(), token);
  EXPECT_EQ(a, b);
}

TEST(LocalMemory, WithoutAPartLatencyAndBandwidthAreFixed) {
  LocalMemory local({.latency_ps = 100'000, .bytes_per_cycle = 32}, kMap);
  for (std::uint32_t i = 0; i < 3; ++i) local.submit(10, kBase, DramAccess::Read, i);
  for (std::uint32_t i = 0; i < 3; ++i) {  // two cycles a line
    EXPECT_EQ(local.next_cycle(), 112 + 2 * i);
    EXPECT_EQ(local.take(111 + 2 * i), std::nullopt);
    EXPECT_EQ(local.take(112 + 2 * i), i);
  }
}

}  // namespace
}  // namespace cxlgpu
