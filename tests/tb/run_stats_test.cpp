// Latency and DevLoad over time, from trace events made by hand.
#include "tb/run_stats.hpp"

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

}  // namespace
}  // namespace cxlgpu
