// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What is kept of very many requests says the same as what is kept of each.
#include "sim/stats/latency_book.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sim/stats/dev_load_curve.hpp"
#include "sim/stats/occupancy.hpp"
#include "sim/stats/run_samples.hpp"
#include "sim/stats/run_stats.hpp"

namespace cxlgpu {
namespace {

RequestRecord record(std::uint64_t at, std::uint64_t latency) {
  RequestRecord r;
  r.at.fill(Time::never());
  r.at[static_cast<std::size_t>(Stage::SysAccept)] = Time{at};
  r.at[static_cast<std::size_t>(Stage::PortEnqueue)] = Time{at + latency / 3};
  r.at[static_cast<std::size_t>(Stage::SysRespond)] = Time{at + latency};
  return r;
}

// From 20 ns to some milliseconds, as runs have them.
class Latencies {
 public:
  std::uint64_t next() { return 20000 + static_cast<std::uint64_t>(std::exp(shape_(random_))); }

 private:
  std::mt19937 random_{7};
  std::normal_distribution<double> shape_{13, 2.5};
};

void expect_near(Time folded, Time exact) {
  const auto wanted = static_cast<double>(exact.ps);
  EXPECT_NEAR(static_cast<double>(folded.ps), wanted, wanted / 128 + 1);
}

void expect_same(const Percentiles& folded, const Percentiles& exact) {
  EXPECT_EQ(folded.count, exact.count);
  EXPECT_EQ(folded.mean, exact.mean);
  EXPECT_EQ(folded.max, exact.max);
  expect_near(folded.p50, exact.p50);
  expect_near(folded.p90, exact.p90);
  expect_near(folded.p99, exact.p99);
  expect_near(folded.p999, exact.p999);
}

TEST(LatencyBins, HoldWhatTheyAreOfAndNest) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t ps = random() >> (1 + random() % 62);
    const std::size_t bin = FineLatencyBins::of(ps);
    ASSERT_LT(bin, FineLatencyBins::kCount);
    EXPECT_LE(FineLatencyBins::least(bin), ps);
    EXPECT_GT(FineLatencyBins::least(bin + 1), ps);
    EXPECT_EQ(LatencyBins::of(FineLatencyBins::least(bin)), LatencyBins::of(ps)) << ps;
  }
  EXPECT_EQ(FineLatencyBins::of(~std::uint64_t{0}), FineLatencyBins::kCount - 1);
  EXPECT_EQ(LatencyBins::of(~std::uint64_t{0}), LatencyBins::kCount - 1);
}

TEST(LatencyBook, CountsSayWhatEachSays) {
  LatencyBook exact, folded;
  Latencies latencies;
  for (std::uint64_t i = 0; i < 50000; ++i) {
    if (i == 1000) folded.fold();
    const RequestRecord r = record(i * 7001, latencies.next());
    exact.add(r);
    folded.add(r);
  }
  expect_same(folded.percentiles(), exact.percentiles());
  EXPECT_EQ(folded.histogram(), exact.histogram());
  EXPECT_EQ(folded.stage_means_ps(), exact.stage_means_ps());
  EXPECT_EQ(folded.count(), exact.count());
  // Bins that end where parts of the run do (2^21 ps) hold the same requests.
  const TimeBins bins{Time{1u << 23}, 42};
  const std::vector<Percentiles> parts = folded.series(bins), each = exact.series(bins);
  ASSERT_EQ(parts.size(), each.size());
  for (std::size_t bin = 0; bin < each.size(); ++bin) expect_same(parts[bin], each[bin]);
  // Others lend each other a part's at most.
  std::uint64_t sum = 0;
  const std::vector<Percentiles> round = folded.series({Time{5000000}, 71});
  for (std::size_t bin = 0; bin < round.size(); ++bin) {
    if (bin < 70) {
      EXPECT_NEAR(static_cast<double>(round[bin].count), 5e6 / 7001, 2.1e6 / 7001);
    }
    sum += round[bin].count;
  }
  EXPECT_EQ(sum, 50000u);
}

// Books of one run end at other times, and some of them are folded.
TEST(LatencyBook, BooksAddUp) {
  for (unsigned folded = 0; folded < 16; ++folded) {
    LatencyBook parts[3], all, whole;
    Latencies latencies;
    if ((folded & 8) != 0) all.fold();
    for (std::uint64_t i = 0; i < 6000; ++i) {
      const RequestRecord r = record(i * 7001, latencies.next());
      const unsigned part = i < 100 ? 0 : i < 2000 ? 1 : 2;
      if ((folded >> part & 1) != 0) parts[part].fold();
      parts[part].add(r);
      whole.add(r);
    }
    for (const LatencyBook& part : {parts[2], parts[0], parts[1]}) all.add(part);
    expect_same(all.percentiles(), whole.percentiles());
    EXPECT_EQ(all.histogram(), whole.histogram());
    EXPECT_EQ(all.stage_means_ps(), whole.stage_means_ps());
    const TimeBins bins{Time{1u << 22}, 11};
    const std::vector<Percentiles> some = all.series(bins), each = whole.series(bins);
    for (std::size_t bin = 0; bin < each.size(); ++bin) expect_same(some[bin], each[bin]);
    EXPECT_EQ(all.percentiles().p999 == whole.percentiles().p999, folded == 0);
  }
}

TEST(Occupancy, CountsSayWhatEachSays) {
  Occupancy exact(1u << 20), folded(1000);
  std::mt19937 random(2);
  const auto wave = [](std::uint64_t at) { return 1.0 + std::sin(static_cast<double>(at) / 4e7); };
  for (std::uint64_t i = 0; i < 60000; ++i) {
    const std::uint64_t at = i * 5003;
    const auto stay = static_cast<std::uint64_t>(wave(at) * (random() % 100000));
    for (Occupancy* one : {&exact, &folded}) {
      one->enter(Time{at});
      one->leave(Time{at + stay});
    }
  }
  for (const TimeBins& bins : {TimeBins::over(Time{60000 * 5003}), TimeBins{Time{1u << 24}, 25}}) {
    const std::vector<double> parts = folded.series(bins), each = exact.series(bins);
    ASSERT_EQ(parts.size(), each.size());
    for (std::size_t bin = 0; bin < each.size(); ++bin) {
      EXPECT_NEAR(parts[bin], each[bin], .05 * each[bin] + .3) << bin;
    }
  }
  // What never leaves is there to the end.
  Occupancy stuck(0);
  stuck.enter(Time{100});
  stuck.enter(Time{1500});
  const std::vector<double> mean = stuck.series({Time{1u << 16}, 8});
  EXPECT_NEAR(mean[0], 2 - 1600.0 / (1u << 16), 1e-9);
  EXPECT_DOUBLE_EQ(mean[1], 2);
  EXPECT_DOUBLE_EQ(mean[7], 2);
}

TEST(DevLoadCurve, CountsSayWhatEachSays) {
  DevLoadCurve exact(1u << 20), folded(1000);
  std::mt19937 random(3);
  for (std::uint64_t i = 0; i < 40000; ++i) {
    const unsigned level = random() % (1 + i / 10000);
    exact.add(Time{i * 9001}, level);
    folded.add(Time{i * 9001}, level);
  }
  const TimeBins bins{Time{1u << 24}, 22};  // whole parts
  EXPECT_EQ(folded.series(bins), exact.series(bins));
  DevLoadCounts sums{};
  for (const DevLoadCounts& c : folded.series(TimeBins::over(Time{40000 * 9001}))) {
    for (std::size_t level = 0; level < c.size(); ++level) sums[level] += c[level];
  }
  EXPECT_EQ(sums, exact.series({Time{1u << 30}, 1})[0]);
}

// Exact up to a million requests; three million take the memory of one and a half.
TEST(RunStats, AreOfOneSizeAboveAMillionRequests) {
  RunStats stats;
  RunSamples samples;
  stats.collect(samples);
  Latencies latencies;
  std::vector<std::uint64_t> loads;
  const auto requests = [&](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) {
      const Time at{i * 5000}, end{at.ps + latencies.next()};
      const auto id = static_cast<std::uint32_t>(i % 64);
      const auto port = static_cast<std::uint8_t>(i % 2);
      const bool write = i % 5 == 0;
      if (!write && from == 0) loads.push_back((end - at).ps);
      stats.on_event({at, Stage::SysAccept, port, id, i * 64, write ? 1u : 0u});
      stats.on_event({at, Stage::WireM2S, port, id, i * 64, 0});
      stats.on_event({at + Time{900}, Stage::EpAccept, port, id, i * 64, 0});
      stats.on_event({end, Stage::LoadControl, port, 0, 0, static_cast<std::uint32_t>(i % 5)});
      stats.on_event({end, Stage::PortRespond, port, id, i * 64, 0});
      stats.on_event({end, Stage::SysRespond, port, id, i * 64, 0});
    }
    return mallinfo2().uordblks;
  };
  requests(0, RunStats::kExact);
  const Percentiles exact = stats.loads().percentiles();
  std::sort(loads.begin(), loads.end());
  EXPECT_EQ(exact.p50.ps, loads[loads.size() / 2]);
  EXPECT_EQ(exact.p90.ps, loads[loads.size() * 9 / 10]);
  loads = std::vector<std::uint64_t>();
  const std::size_t early = requests(RunStats::kExact, 1500000), late = requests(1500000, 3000000);
  EXPECT_LE(late, early + (1u << 20));
  EXPECT_LE(late, 30u << 20);
  EXPECT_EQ(stats.loads().percentiles().count, 2400000u);
  expect_near(stats.loads().percentiles().p90, exact.p90);
}

}  // namespace
}  // namespace cxlgpu
