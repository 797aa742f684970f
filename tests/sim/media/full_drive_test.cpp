// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Write amplification of a full drive against the closed form, over geometries of all kinds.
#include "sim/media/full_drive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/common/environment.hpp"
#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

// W(x) of the principal branch for -1/e < x < 0, by Newton's method.
double lambert(double x) {
  double w = -0.5;
  for (int i = 0; i < 200; ++i) w -= (w * std::exp(w) - x) / (std::exp(w) * (w + 1));
  return w;
}

struct Geometry {
  std::uint64_t blocks;  // of a die and plane
  std::uint32_t pages, planes, percent, free_low, free_high;
  std::uint32_t channels = 8, dies = 8, page_bytes = 4096;
};

FlashConfig flash_of(const Geometry& g) {
  FlashConfig c = std::get<FlashConfig>(media_test::part("znand").params);
  c.channels = g.channels;
  c.dies_per_channel = g.dies;
  c.page_bytes = g.page_bytes;
  c.pages_per_block = g.pages;
  c.pages_per_die = g.blocks * g.pages;
  c.translation->planes = g.planes;
  c.translation->over_provisioning_percent = g.percent;
  c.translation->free_low = g.free_low;
  c.translation->free_high = g.free_high;
  EXPECT_EQ(ftl_problem(c.ftl_shape(), *c.translation), "");
  return c;
}

// With the blocks left out that a busy die keeps erased, and half of its two open ones.
double by_formula(const Geometry& g) {
  const double used = static_cast<double>(g.blocks) / g.planes - g.free_low - 1;
  const double a = used / (static_cast<double>(g.blocks) / g.planes) * (100.0 + g.percent) / 100;
  return a / (a + lambert(-a * std::exp(-a)));
}

TEST(FullDrive, ClosedFormByHand) {
  // a = 2: W(-2 e^-2) = -0.4064, 2 / 1.5936; a = 1.14: W = -0.8718, 1.14 / 0.2682.
  EXPECT_NEAR(closed_amplification(2, 1), 1.255, 0.001);
  EXPECT_NEAR(closed_amplification(1.14, 1), 4.25, 0.01);
  for (const double a : {1.01, 1.07, 1.28, 3.0}) {
    EXPECT_NEAR(closed_amplification(a, 1) / (a / (a + lambert(-a * std::exp(-a)))), 1, 1e-6) << a;
  }
}

TEST(FullDrive, LongBlocksAmplifyByTheClosedForm) {
  std::vector<Geometry> geometries = {{2730, 768, 1, 14, 4, 8},   // znand
                                      {1365, 1536, 2, 10, 4, 8},  // nand
                                      {2730, 768, 1, 7, 4, 8},
                                      {2730, 768, 1, 28, 4, 8},
                                      {1024, 256, 1, 14, 4, 8},
                                      {512, 1024, 1, 20, 2, 4},
                                      {4096, 512, 4, 25, 4, 8},
                                      {2000, 384, 1, 100, 4, 8},
                                      {2730, 768, 1, 14, 40, 80},
                                      {200, 4096, 1, 28, 4, 8},
                                      {3000, 700, 2, 14, 4, 8, 1, 1},
                                      {2048, 512, 1, 10, 4, 8, 16, 16},
                                      // Dies that are too large to be written over.
                                      {40000, 6000, 1, 14, 4, 8, 2, 2},
                                      {1000000, 768, 1, 10, 4, 8, 1, 1},
                                      {3000, 65536, 1, 14, 4, 8, 2, 2},
                                      {100000, 256, 1, 4, 40, 60, 4, 4},
                                      {20000, 1000, 1, 3, 4, 8}};
  if (test::volume() == 1) geometries.resize(8);  // the others are the night's
  for (const Geometry& g : geometries) {
    const DieWrites seen = die_writes(flash_of(g), 1);
    std::printf(
        "%8llu blocks of %5u, %u planes, %3u %%, %2u free: %6.3f by formula %6.3f, "
        "sequential %6.3f%s\n",
        static_cast<unsigned long long>(g.blocks), g.pages, g.planes, g.percent, g.free_low,
        seen.random, by_formula(g), seen.sequential, seen.shortened ? ", shortened" : "");
    EXPECT_NEAR(seen.random / by_formula(g), 1, 0.05) << g.blocks << " of " << g.pages;
    EXPECT_GT(seen.sequential, 0.8 * seen.random);
    EXPECT_LT(seen.sequential, 1.05 * seen.random);
  }
}

// Greedy victims of short blocks differ more, and the closed form no longer holds: against the
// translation layer itself, written for as long as it takes.
TEST(FullDrive, ShortBlocksAmplifyAsTheLayerDoes) {
  for (const Geometry& g : {Geometry{2730, 9, 1, 14, 4, 8}, Geometry{1500, 32, 1, 7, 4, 8},
                            Geometry{4000, 64, 1, 14, 4, 8}, Geometry{2000, 16, 4, 28, 2, 4}}) {
    const FlashConfig c = flash_of(g);
    FtlShape shape = c.ftl_shape();
    shape.dies = 1;
    shape.buffered = 16;
    Ftl ftl(shape, *c.translation);
    std::mt19937_64 random(3);
    const std::uint32_t pages = ftl.logical_pages();
    for (std::uint32_t page = 0; page < pages; ++page) ftl.write_now(page);
    for (std::uint32_t i = 0; i < 3 * pages; ++i) ftl.write_now(random() % pages);
    const Ftl::Counters before = ftl.counters();
    for (std::uint32_t i = 0; i < 2 * pages; ++i) ftl.write_now(random() % pages);
    const double moved = static_cast<double>(ftl.counters().moved_pages - before.moved_pages);
    const double steady = 1 + moved / (2 * pages);
    EXPECT_NEAR(die_writes(c, 1).random / steady, 1, 0.03) << g.pages;
  }
}

// Pages smaller than a request lie on the dies in turn; on one die they are written together.
TEST(FullDrive, SmallPagesOfARequestStayTogether) {
  const Geometry apart{2000, 256, 1, 14, 4, 8, 4, 4, 512},
      together{2000, 256, 1, 14, 4, 8, 1, 1, 512};
  // Eight pages at once are as blocks of an eighth of the pages.
  const Geometry eighth{2000, 32, 1, 14, 4, 8, 1, 1, 4096};
  EXPECT_NEAR(die_writes(flash_of(apart), 1).random / by_formula(apart), 1, 0.05);
  EXPECT_NEAR(die_writes(flash_of(together), 1).random / die_writes(flash_of(eighth), 1).random, 1,
              0.08);
}

}  // namespace
}  // namespace cxlgpu
