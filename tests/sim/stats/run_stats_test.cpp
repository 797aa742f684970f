// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Latency and DevLoad over time, from trace events made by hand.
#include "sim/stats/run_stats.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace cxlgpu {
namespace {

constexpr Time ns(std::uint64_t n) {
  return Time{n * 1000};
}

class RunStatsTest : public ::testing::Test {
 protected:
  RunStats stats;

  void request(Time from, Time to, bool write, LookupResult lookup = LookupResult::Hit,
               unsigned dev_load = 0, std::uint32_t id = 7) {
    stats.on_event({from, Stage::SysAccept, 0, id, 0x1000, write ? 1u : 0u});
    stats.on_event({from, Stage::EpLookup, 0, id, 0x1000, static_cast<std::uint32_t>(lookup)});
    stats.on_event({to, Stage::PortRespond, 0, id, 0x1000, dev_load << 6 | 63});
    stats.on_event({to, Stage::SysRespond, 0, id, 0x1000, 0});
  }
};

TEST_F(RunStatsTest, BinsAreRoundAndNotTooMany) {
  const std::pair<std::uint64_t, std::uint64_t> cases[] = {
      {0, 1},         {1, 1},           {119, 1},    {120, 2},   {239, 2},
      {240, 5},       {600, 10},        {1200, 20},  {2400, 50}, {186400, 2000},
      {307400, 5000}, {1039800, 10000}, {6000, 100}, {5999, 50}, {60000000, 1000000}};
  for (const auto& [end, width] : cases) {
    const TimeBins bins = TimeBins::over(ns(end));
    EXPECT_EQ(bins.width, ns(width)) << end;
    EXPECT_EQ(bins.count, end / width + 1) << end;
    EXPECT_LE(bins.count, 120u);
  }
}

TEST_F(RunStatsTest, RequestStandsWhereItWasAccepted) {
  request(ns(0), ns(500), false);
  request(ns(99), ns(110), false);
  request(ns(100), ns(130), false);
  request(ns(250), ns(260), true);
  request(ns(900), ns(950), false);  // past the last bin
  const TimeBins bins{ns(100), 4};
  const std::vector<Percentiles> loads = stats.loads().series(bins);
  ASSERT_EQ(loads.size(), 4u);
  EXPECT_EQ(loads[0].count, 2u);
  EXPECT_EQ(loads[0].max, ns(500));
  EXPECT_EQ(loads[1].count, 1u);
  EXPECT_EQ(loads[1].p50, ns(30));
  EXPECT_EQ(loads[2].count, 0u);
  EXPECT_EQ(loads[3].max, ns(50));
  EXPECT_EQ(stats.stores().series(bins)[2].p99, ns(10));
}

TEST_F(RunStatsTest, PercentilesOfABin) {
  for (unsigned i = 0; i < 1000; ++i) request(ns(10), ns(10 + 1000 - i), false);
  request(ns(1010), ns(1011), false);
  const Percentiles p = stats.loads().series({ns(1000), 2})[0];
  EXPECT_EQ(p.count, 1000u);
  EXPECT_EQ(p.p50, ns(501));
  EXPECT_EQ(p.p99, ns(991));
  EXPECT_EQ(p.p999, ns(1000));
  EXPECT_EQ(p.max, ns(1000));
}

TEST_F(RunStatsTest, ResponseStandsWhereThePortTookIt) {
  request(ns(0), ns(110), false, LookupResult::Hit, 3);
  request(ns(50), ns(120), true, LookupResult::Hit, 2);
  request(ns(60), ns(70), false, LookupResult::Hit, 0);
  request(ns(61), ns(72), false, LookupResult::Hit, 1);
  request(ns(62), ns(99), false, LookupResult::Hit, 1);
  request(ns(62), ns(500), false, LookupResult::Hit, 3);
  const std::vector<DevLoadCounts> counts = stats.dev_loads({ns(100), 2});
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts[0], (DevLoadCounts{1, 2, 0, 0}));
  EXPECT_EQ(counts[1], (DevLoadCounts{0, 0, 1, 2}));
}

TEST_F(RunStatsTest, ReceiveQueuesOverTime) {
  const auto wait = [&](Time from, Time to, std::uint32_t id) {
    stats.on_event({from, Stage::WireM2S, 0, id, 0x1000, 0});
    stats.on_event({to, Stage::EpAccept, 0, id, 0x1000, 0});
  };
  wait(ns(10), ns(30), 1);    // a fifth of bin 0
  wait(ns(50), ns(250), 2);   // half of it, all of bin 1, half of bin 2
  wait(ns(150), ns(160), 3);  // a tenth of bin 1
  wait(ns(450), ns(500), 4);  // past the last
  const std::vector<double> mean = stats.ingress().series({ns(100), 4});
  ASSERT_EQ(mean.size(), 4u);
  EXPECT_DOUBLE_EQ(mean[0], 0.7);
  EXPECT_DOUBLE_EQ(mean[1], 1.1);
  EXPECT_DOUBLE_EQ(mean[2], 0.5);
  EXPECT_DOUBLE_EQ(mean[3], 0.0);
}

// What the bins hold is what the whole run holds, however they are cut.
TEST_F(RunStatsTest, BinsAddUpToTheWhole) {
  std::mt19937 random(3);
  Time end{0};
  for (unsigned i = 0; i < 20000; ++i) {
    const Time from{random() % 40000000}, to = from + Time{1 + random() % 5000000};
    request(from, to, random() % 3 == 0, static_cast<LookupResult>(random() % 4), random() % 4, i);
    end = std::max(end, to);
  }
  for (const TimeBins& bins : {TimeBins::over(end), TimeBins{ns(7), 13}, TimeBins{end, 2}}) {
    std::uint64_t all = 0;
    for (std::size_t k = 0; k < kRequestKindNames.size(); ++k) {
      const LatencyBook& book = stats.kind(static_cast<RequestKind>(k));
      std::uint64_t count = 0;
      Time max{0}, sum{0};
      for (const Percentiles& p : book.series(bins)) {
        count += p.count;
        max = std::max(max, p.max);
        sum += p.mean * p.count;
      }
      const Percentiles whole = book.percentiles();
      EXPECT_EQ(count, whole.count);
      EXPECT_EQ(max, whole.max);
      // Each mean is rounded down to a whole picosecond.
      EXPECT_LE(sum, (whole.mean + Time{1}) * whole.count);
      EXPECT_GE(sum + Time{1} * (2 * whole.count), whole.mean * whole.count);
      all += count;
    }
    EXPECT_EQ(all, 20000u);
    DevLoadCounts sums{};
    for (const DevLoadCounts& c : stats.dev_loads(bins)) {
      for (std::size_t level = 0; level < c.size(); ++level) sums[level] += c[level];
    }
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}), 20000u);
    for (const std::uint64_t n : sums) EXPECT_GT(n, 4000u);
  }
}

TEST_F(RunStatsTest, DeterministicStoreIsCountedByPort) {
  const auto ds = [&](std::uint64_t at, std::uint8_t port, std::uint32_t bits,
                      std::uint32_t pending) {
    stats.on_event({ns(at), Stage::DsEvent, port, 0, 0, bits | pending << 16});
  };
  EXPECT_TRUE(stats.deterministic_store().empty());
  ds(1, 1, 0b000000010, 7);    // deferred
  ds(2, 1, 0b001000001, 200);  // direct, and a wasted search
  ds(3, 1, 0b100001000, 199);  // flushed, and an error
  ds(4, 0, 0b000000001, 0);
  ASSERT_EQ(stats.deterministic_store().size(), 2u);
  const DsStats &first = stats.deterministic_store()[0], &second = stats.deterministic_store()[1];
  EXPECT_EQ(first.count, (std::array<std::uint64_t, 10>{1}));
  EXPECT_EQ(first.peak_deferred, 0u);
  EXPECT_EQ(second.count, (std::array<std::uint64_t, 10>{1, 1, 0, 1, 0, 0, 1, 0, 1}));
  EXPECT_EQ(second.peak_deferred, 200u);
}

// A load that never was in the memory queue was answered from local memory; a port's own writes are
// nobody's requests.
TEST_F(RunStatsTest, LoadsFromLocalMemoryAreTheirOwnKind) {
  const auto load = [&](bool routed, bool queued) {
    stats.on_event({ns(1), Stage::SysAccept, 0, 3, 0x40, 0});
    if (routed) stats.on_event({ns(2), Stage::PortEnqueue, 0, 3, 0x40, 0});
    if (queued) stats.on_event({ns(3), Stage::MemqAlloc, 0, 3, 0x40, 9});
    stats.on_event({ns(9), Stage::SysRespond, 0, 3, 0x40, 0});
  };
  load(true, false);
  load(true, true);
  load(false, false);  // no port has the address
  EXPECT_EQ(stats.kind(RequestKind::LoadLocal).count(), 1u);
  EXPECT_EQ(stats.kind(RequestKind::LoadDirect).count(), 2u);
  EXPECT_EQ(stats.loads().count(), 3u);
  for (const Stage stage : {Stage::SysAccept, Stage::PortEnqueue, Stage::SysRespond}) {
    stats.on_event({ns(10), stage, 0, kRootPortIds, 0x40, 1});
  }
  EXPECT_EQ(stats.loads().count() + stats.stores().count(), 3u);
}

// A fill for MemSpecRd is of a whole line of the internal DRAM: the first access to any part of it
// says what it was good for.
TEST(RunStats, FillsAreOfLines) {
  for (const std::uint32_t line : {256u, 4096u}) {
    RunStats stats(line);
    const auto look_up = [&](std::uint64_t addr, LookupResult result) {
      stats.on_event({ns(1), Stage::EpLookup, 0, 7, addr, static_cast<std::uint32_t>(result)});
    };
    stats.on_event({ns(0), Stage::SpecFill, 0, 0, 0x10000, 0});
    stats.on_event({ns(0), Stage::SpecFill, 0, 0, 0x20000, 0});
    stats.on_event({ns(0), Stage::SpecFill, 0, 0, 0x30000, 0});
    look_up(0x10000 + line - 64, LookupResult::Hit);
    look_up(0x10000, LookupResult::Hit);
    look_up(0x20000 + line - 64, LookupResult::Merge);
    look_up(0x30000 + line, LookupResult::Hit);  // the next one
    EXPECT_EQ(stats.spec().filled, 3u);
    EXPECT_EQ(stats.spec().useful_lines, 1u);
    EXPECT_EQ(stats.spec().late_lines, 1u);
    look_up(0x30000 + line - 64, LookupResult::Miss);
    EXPECT_EQ(stats.spec().evicted_unused, 1u);
  }
}

// Granules by the first load after the MemSpecRd; HPA and DPA are not the same.
class HintStatsTest : public RunStatsTest {
 protected:
  void named(Time at, std::uint64_t granule, unsigned granules, std::uint32_t id = kHintSpecId) {
    stats.on_event({at, Stage::SpecIssue, 1, id, granule * 256, granules});
  }
  void access(Time handed, Time looked, std::uint64_t granule, LookupResult result,
              bool write = false, std::uint32_t id = 3) {
    stats.on_event({handed, Stage::SysAccept, 0, id, granule * 256 + 64, write ? 1u : 0u});
    stats.on_event({handed, Stage::CtrlAccept, 1, id, granule * 256 + 64, 0});
    stats.on_event({looked, Stage::EpLookup, 1, id, 0x40, static_cast<std::uint32_t>(result)});
    stats.on_event({looked, Stage::SysRespond, 0, id, 0, 0});
  }
  void expect(const HintStats& wanted) {
    const HintStats seen = stats.hints();
    EXPECT_EQ(seen.granules, wanted.granules);
    EXPECT_EQ(seen.useful, wanted.useful);
    EXPECT_EQ(seen.late, wanted.late);
    EXPECT_EQ(seen.lost, wanted.lost);
    EXPECT_EQ(seen.wasted, wanted.wasted);
  }
};

TEST_F(HintStatsTest, TheFirstLoadDecides) {
  named(ns(10), 100, 4);
  expect({.granules = 4, .wasted = 4});
  access(ns(20), ns(40), 100, LookupResult::Hit);
  access(ns(21), ns(41), 101, LookupResult::Merge);
  access(ns(22), ns(42), 102, LookupResult::Miss);
  expect({.granules = 4, .useful = 1, .late = 1, .lost = 1, .wasted = 1});
  // Neither those after it nor loads of what no hint named.
  access(ns(50), ns(60), 100, LookupResult::Miss);
  access(ns(50), ns(60), 102, LookupResult::Hit);
  access(ns(50), ns(60), 104, LookupResult::Hit);
  expect({.granules = 4, .useful = 1, .late = 1, .lost = 1, .wasted = 1});
  access(ns(70), ns(80), 103, LookupResult::Bypass);
  expect({.granules = 4, .useful = 1, .late = 1, .lost = 2});
}

TEST_F(HintStatsTest, AStoreDecidesNothing) {
  named(ns(10), 7, 1);
  access(ns(20), ns(30), 7, LookupResult::Hit, true);
  expect({.granules = 1, .wasted = 1});
  access(ns(40), ns(50), 7, LookupResult::Hit);
  expect({.granules = 1, .useful = 1});
}

TEST_F(HintStatsTest, ALoadThatHadLeftBeforeMakesItLate) {
  stats.on_event({ns(5), Stage::SysAccept, 0, 9, 7 * 256, 0});
  stats.on_event({ns(6), Stage::CtrlAccept, 1, 9, 7 * 256, 0});
  named(ns(10), 7, 1);
  stats.on_event({ns(30), Stage::EpLookup, 1, 9, 0, static_cast<unsigned>(LookupResult::Hit)});
  expect({.granules = 1, .late = 1});
}

TEST_F(HintStatsTest, NamedAgainBeforeALoadItIsWasted) {
  named(ns(10), 7, 2);
  named(ns(20), 8, 2);
  expect({.granules = 4, .wasted = 4});
  access(ns(30), ns(40), 8, LookupResult::Hit);
  expect({.granules = 4, .useful = 1, .wasted = 3});
  // After a load it is a new one.
  named(ns(50), 8, 1);
  access(ns(60), ns(70), 8, LookupResult::Merge);
  expect({.granules = 5, .useful = 1, .late = 1, .wasted = 3});
}

TEST_F(HintStatsTest, WhatTheReaderRequestsIsNone) {
  named(ns(10), 7, 4, 0);
  access(ns(20), ns(40), 7, LookupResult::Hit);
  expect({});
  EXPECT_EQ(stats.spec().requested, 4u);
}

}  // namespace
}  // namespace cxlgpu
