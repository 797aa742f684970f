// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a part's profile says, against the closed forms of the part.
#include "sim/media/media_profile.hpp"

#include <gtest/gtest.h>

#include "sim/media/bus_time.hpp"
#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

void expect_curve(const LoadCurve& curve, Time idle, const std::string& what) {
  SCOPED_TRACE(what);
  ASSERT_GE(curve.points.size(), 10u);
  EXPECT_NEAR(curve.points.back().offered_gb_s, curve.most_gb_s, 1e-9);
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const LoadPoint& p = curve.points[i];
    const double before = i == 0 ? 0 : curve.points[i - 1].offered_gb_s;
    EXPECT_GT(p.offered_gb_s, before);
    EXPECT_GE(p.p99, p.mean);
    EXPECT_LE(p.reached_gb_s, curve.most_gb_s * 1.02);
    if (p.offered_gb_s <= 0.8 * curve.most_gb_s) {
      EXPECT_NEAR(p.reached_gb_s / p.offered_gb_s, 1, 0.03) << p.offered_gb_s;
    }
  }
  EXPECT_GT(curve.points.back().mean, idle);
  EXPECT_GT(curve.points.back().mean, curve.points.front().mean);
}

TEST(MediaProfile, DramAgainstItsTimings) {
  const MediaConfig part = media_test::part("dram");
  const DramConfig& c = std::get<DramConfig>(part.params);
  const std::vector<MediaProfile> profiles = profile_media(part, 1);
  ASSERT_EQ(profiles.size(), 1u);
  const MediaProfile& p = profiles[0];
  EXPECT_EQ(p.bytes, 64u);
  EXPECT_NEAR(pin_gb_s(c), 44.8, 1e-9);
  EXPECT_NEAR(refreshed_gb_s(c), 44.8 * (1 - 295.0 / 3900), 1e-9);
  // Between a closed row and another row open; a refresh in the way costs at most half of tRFC in
  // its share of time.
  const Time closed = c.front + c.tRCD + c.tCL + bus_time(64, 32, 5600) + c.back;
  EXPECT_GE(p.idle, closed);
  EXPECT_LE(p.idle.ns(), (closed + c.tRP).ns() + c.tRFC.ns() * c.tRFC.ns() / c.tREFI.ns());
  EXPECT_LE(p.stream.most_gb_s, pin_gb_s(c));
  EXPECT_GE(p.stream.most_gb_s, 0.97 * refreshed_gb_s(c));
  EXPECT_LE(p.random.most_gb_s, pin_gb_s(c));
  EXPECT_GE(p.random.most_gb_s, 0.7 * pin_gb_s(c));
  expect_curve(p.random, p.idle, "random");
  expect_curve(p.stream, Time{0}, "stream");
  // As much as the part can do, offered in an open loop: reads wait for the full queue besides,
  // which by itself makes depth * size / bandwidth.
  const double queue_ns = c.queue_depth * 64 / p.stream.most_gb_s;
  EXPECT_GT(p.stream.points.back().mean.ns(), 2 * queue_ns);
  EXPECT_DOUBLE_EQ(p.random.points[0].offered_gb_s, 1);
  // Arrivals that do not wait for answers meet a refresh with its share of time, and wait half of
  // it.
  const double met = c.tRFC.ns() / c.tREFI.ns() * c.tRFC.ns() / 2;
  EXPECT_GT(p.random.points[0].mean, p.idle);
  EXPECT_LT(p.random.points[0].mean.ns(), (closed + c.tRP).ns() + met + 3);
  EXPECT_LT(p.stream.points[5].mean, p.random.points[5].mean);  // row hits
}

TEST(MediaProfile, SeedDecides) {
  const MediaConfig part = media_test::part("dram-46");
  const auto a = profile_media(part, 1)[0], b = profile_media(part, 1)[0],
             other = profile_media(part, 2)[0];
  EXPECT_EQ(a.idle, b.idle);
  EXPECT_EQ(a.random.points[6].p99, b.random.points[6].p99);
  EXPECT_DOUBLE_EQ(a.random.most_gb_s, b.random.most_gb_s);
  EXPECT_NE(a.idle, other.idle);
  EXPECT_NEAR(a.idle.ns(), other.idle.ns(), 1);
}

TEST(MediaProfile, FlashHasLinesAndPages) {
  const MediaConfig part = media_test::part("znand");
  const FlashConfig& c = std::get<FlashConfig>(part.params);
  const std::vector<MediaProfile> profiles = profile_media(part, 1);
  ASSERT_EQ(profiles.size(), 2u);
  EXPECT_EQ(profiles[0].bytes, 64u);
  EXPECT_EQ(profiles[1].bytes, 4096u);
  const Time line =
      c.lookup + c.command + c.tR + bus_time(64, c.channel_bits, c.channel_mtps) + c.ecc;
  EXPECT_NEAR(profiles[0].idle.ns(), line.ns(), 1);
  const Time page = line + bus_time(4096 - 64, c.channel_bits, c.channel_mtps);
  EXPECT_GT(profiles[1].idle, page);  // and 64 lines into the internal DRAM
  EXPECT_LT(profiles[1].idle, page + Time{500000});
  // Every die busy with tR, or every channel with its bytes.
  const double dies = c.channels * c.dies_per_channel, channels = static_cast<double>(c.channels);
  EXPECT_LE(profiles[0].random.most_gb_s, dies * 64 / c.tR.ns());
  EXPECT_LE(profiles[1].stream.most_gb_s, channels * c.channel_bits / 8 * 1.0001);
  for (const MediaProfile& p : profiles) {
    EXPECT_GE(p.stream.most_gb_s, p.random.most_gb_s);
    expect_curve(p.random, p.idle, "random");
  }
}

}  // namespace
}  // namespace cxlgpu
