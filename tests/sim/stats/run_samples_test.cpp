// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the report page is drawn from, from requests made by hand; and that it stays of one size.
#include "sim/stats/run_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "sim/stats/run_stats.hpp"

namespace cxlgpu {
namespace {

constexpr Time ns(std::uint64_t n) {
  return Time{n * 1000};
}

double sum(const GrowingBins& bins, std::size_t curve) {
  double all = 0;
  for (std::size_t bin = 0; bin < bins.count(); ++bin) all += bins.at(curve, bin);
  return all;
}

// Of a load that hits and spends `media` in the media stage.
RequestRecord load(Time at, Time media, std::uint32_t id = 1) {
  RequestRecord r;
  r.begin({at, Stage::SysAccept, 0, id, 0x1000 + id * 64, 0});
  const auto pass = [&r](Stage stage, Time when) { r.at[static_cast<std::size_t>(stage)] = when; };
  pass(Stage::SysAccept, at);
  pass(Stage::PortEnqueue, at + ns(2));
  pass(Stage::MemqAlloc, at + ns(12));  // 10 ns in the SR queue
  pass(Stage::WireM2S, at + ns(40));
  pass(Stage::EpAccept, at + ns(44));  // 4 ns in the receive queue
  pass(Stage::MediaIssue, at + ns(50));
  pass(Stage::MediaDone, at + ns(50) + media);
  pass(Stage::PortRespond, at + ns(80) + media);
  pass(Stage::SysRespond, at + ns(82) + media);
  return r;
}

void tell(RunSamples& samples, const RequestRecord& record, RequestKind kind) {
  LatencyBook book;
  samples.on_request(record, kind, book.add_timed(record));
}

TEST(LatencyBins, AreAnEighthWideAndWithoutGaps) {
  for (std::size_t bin = 1; bin + 1 < LatencyBins::kCount; ++bin) {
    const std::uint64_t least = LatencyBins::least(bin), next = LatencyBins::least(bin + 1);
    EXPECT_LT(least, next);
    EXPECT_EQ(LatencyBins::of(least), bin);
    EXPECT_EQ(LatencyBins::of(next - 1), bin);
    EXPECT_LE(8 * (next - least), std::max<std::uint64_t>(least, 8));
  }
  EXPECT_LT(LatencyBins::of(~std::uint64_t{0}), LatencyBins::kCount);
}

TEST(GrowingBins, KeepSumsAndPeaksWhateverTheLength) {
  GrowingBins bins({GrowingBins::Kind::Sum, GrowingBins::Kind::Peak, GrowingBins::Kind::Sum});
  std::mt19937_64 random(5);
  double all = 0, most = 0, spans = 0;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const Time at{i * i * 40000};
    const double value = static_cast<double>(random() % 1000);
    bins.add(0, at, value);
    bins.add(1, at, value);
    all += value;
    most = std::max(most, value);
    const Time to = at + Time{random() % 3000000};
    bins.span(2, at, to);
    spans += static_cast<double>((to - at).ps);
  }
  EXPECT_LE(bins.count(), GrowingBins::kBins);
  EXPECT_GT(bins.count(), GrowingBins::kBins / 4);
  EXPECT_DOUBLE_EQ(sum(bins, 0), all);
  EXPECT_NEAR(sum(bins, 2), spans, 1);
  double peak = 0;
  for (std::size_t bin = 0; bin < bins.count(); ++bin) peak = std::max(peak, bins.at(1, bin));
  EXPECT_EQ(peak, most);
}

TEST(GrowingBins, ASpanIsInTheBinsItCrosses) {
  GrowingBins bins({GrowingBins::Kind::Sum});
  const std::uint64_t width = bins.width().ps;
  bins.span(0, Time{width / 2}, Time{2 * width + width / 4}, 3);
  EXPECT_DOUBLE_EQ(bins.at(0, 0), 1.5 * static_cast<double>(width));
  EXPECT_DOUBLE_EQ(bins.at(0, 1), 3.0 * static_cast<double>(width));
  EXPECT_DOUBLE_EQ(bins.at(0, 2), 0.75 * static_cast<double>(width));
  bins.span(0, Time{width}, Time{width});
  EXPECT_DOUBLE_EQ(sum(bins, 0), 5.25 * static_cast<double>(width));
}

TEST(SpreadSample, IsSpreadOverAllOfIt) {
  SpreadSample<int, 100> sample;
  for (int i = 0; i < 100000; ++i) sample.offer(i);
  const std::vector<int>& kept = sample.kept();
  EXPECT_EQ(sample.seen(), 100000u);
  EXPECT_LE(kept.size(), 100u);
  EXPECT_GE(kept.size(), 50u);
  const int step = kept[1] - kept[0];
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i], static_cast<int>(i) * step);
  EXPECT_GT(kept.back(), 100000 - 2 * step);
}

TEST(RunSamples, QueuesHoldWhatWaitsInThem) {
  RunSamples samples;
  for (unsigned i = 0; i < 10; ++i)
    tell(samples, load(ns(100 * i), ns(30), i), RequestKind::LoadHit);
  const GrowingBins& bins = samples.bins();
  EXPECT_DOUBLE_EQ(sum(bins, RunSamples::LoadBytes), 640);
  EXPECT_DOUBLE_EQ(sum(bins, RunSamples::StoreBytes), 0);
  EXPECT_DOUBLE_EQ(sum(bins, RunSamples::PortQueue), 100e3);
  EXPECT_DOUBLE_EQ(sum(bins, RunSamples::MemoryQueue), 980e3);
  EXPECT_DOUBLE_EQ(sum(bins, RunSamples::EndpointQueue), 40e3);
  EXPECT_DOUBLE_EQ(sum(bins, RunSamples::MediaBusy), 300e3);
}

TEST(RunSamples, TheLongestInEachStageAreKept) {
  RunSamples samples;
  std::vector<std::uint64_t> times(500);
  std::iota(times.begin(), times.end(), 1);
  std::shuffle(times.begin(), times.end(), std::mt19937(3));
  for (unsigned i = 0; i < times.size(); ++i) {
    tell(samples, load(ns(i), ns(times[i]), i), RequestKind::LoadMiss);
  }
  const auto stage = static_cast<std::size_t>(Stage::MediaDone);
  const auto& longest = samples.kind(RequestKind::LoadMiss).longest[stage];
  ASSERT_EQ(longest.size(), RunSamples::kExamples);
  for (std::size_t i = 0; i < longest.size(); ++i) {
    EXPECT_EQ(time_in_stage(longest[i], stage), ns(500 - i));
  }
  EXPECT_TRUE(samples.kind(RequestKind::LoadHit).by_latency.empty());
  // A few of every latency, whatever it is.
  std::map<std::size_t, unsigned> held;
  for (const RequestRecord& r : samples.kind(RequestKind::LoadMiss).by_latency) {
    ++held[LatencyBins::of(r.latency().ps)];
  }
  std::set<std::size_t> there;
  for (const std::uint64_t t : times) there.insert(LatencyBins::of(ns(t + 82).ps));
  EXPECT_EQ(held.size(), there.size());
  for (const auto& [bin, n] : held) EXPECT_LE(n, RunSamples::kPerBin);
}

TEST(RunSamples, GranularityIsWeighedByTime) {
  RunSamples samples;
  samples.on_other({Time{1 << 20}, Stage::LoadControl, 1, 0, 0, 4});  // 1024 B from here on
  samples.on_other({Time{2 << 20}, Stage::LoadControl, 1, 0, 0, 5});  // halted
  samples.end(Time{4 << 20});
  EXPECT_EQ(samples.control_ports(), 2u);
  EXPECT_DOUBLE_EQ(sum(samples.bins(), RunSamples::FirstGranularity + 1),
                   (256.0 + 1024.0) * (1 << 20));
  EXPECT_DOUBLE_EQ(sum(samples.bins(), RunSamples::FirstGranularity), 256.0 * (4 << 20));
}

TEST(RunSamples, GaugesAreCountedOnce) {
  RunSamples samples;
  RunGauges gauges;
  gauges.flits_m2s = 10;
  gauges.collections = 1;
  samples.on_gauges(ns(10), gauges);
  samples.on_gauges(ns(20), gauges);
  gauges.flits_m2s = 25;
  samples.on_gauges(ns(900), gauges);
  EXPECT_EQ(sum(samples.bins(), RunSamples::FlitsM2S), 25);
  EXPECT_EQ(sum(samples.bins(), RunSamples::Collections), 1);
}

// A million requests take no more than ten thousand.
TEST(RunSamples, AreOfOneSize) {
  RunSamples samples;
  const auto held = [&] {
    std::size_t n = samples.loads().kept().size();
    for (std::size_t k = 0; k < kRequestKindNames.size(); ++k) {
      const auto& kind = samples.kind(static_cast<RequestKind>(k));
      n += kind.by_latency.size();
      for (const auto& longest : kind.longest) n += longest.size();
    }
    return n;
  };
  std::mt19937 random(1);
  std::size_t early = 0;
  for (std::uint64_t i = 0; i < 1000000; ++i) {
    tell(samples, load(ns(20 * i), ns(random() % 2000), 1), RequestKind::LoadHit);
    if (i == 10000) early = held();
  }
  EXPECT_LE(held(), early + 1500);
  EXPECT_LE(samples.bins().count(), GrowingBins::kBins);
}

// The way through RunStats: what it is told, the samples are told.
TEST(RunSamples, HearOfAllThatStatsHearOf) {
  RunStats stats;
  RunSamples samples;
  stats.collect(samples);
  stats.on_event({ns(1), Stage::SysAccept, 0, 3, 0x40, 0});
  stats.on_event(
      {ns(2), Stage::EpLookup, 0, 3, 0x40, static_cast<std::uint32_t>(LookupResult::Hit)});
  stats.on_event({ns(9), Stage::SysRespond, 0, 3, 0x40, 0});
  stats.on_event({ns(5), Stage::SpecIssue, 0, 0, 0x100, 4});
  stats.on_event({ns(6), Stage::SpecFill, 0, 0, 0x100, 0});
  stats.on_event({ns(7), Stage::DsEvent, 0, 0, 0, 17u << 16});
  EXPECT_EQ(samples.kind(RequestKind::LoadHit).by_latency.size(), 1u);
  EXPECT_EQ(samples.loads().kept().size(), 1u);
  EXPECT_EQ(samples.loads().kept()[0].info, 8u);
  EXPECT_EQ(samples.speculation().kept()[0].info, 4u);
  EXPECT_EQ(samples.fills().seen(), 1u);
  EXPECT_EQ(samples.bins().at(RunSamples::Deferred, 0), 17);
  EXPECT_EQ(stats.kind(RequestKind::LoadHit).histogram()[LatencyBins::of(8000)], 1u);
}

}  // namespace
}  // namespace cxlgpu
