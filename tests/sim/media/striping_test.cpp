// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which die a page lies on: by hand, as a bijection, under strides of a power of two, and timed.
#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <vector>

#include "sim/media/flash_media.hpp"
#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

FlashConfig part_of(std::uint32_t channels, std::uint32_t dies, Striping striping) {
  FlashConfig c = media_test::flash_config();
  c.channels = channels;
  c.dies_per_channel = dies;
  c.striping = striping;
  return c;
}

// Two channels of two dies. The digits of p / 4 to the base 4 are XORed: of 4 = (10)4 they make 1,
// of 5 = (11)4 0, of 6 = (12)4 3, of 27 = (123)4 0, of 16 = (100)4 1.
TEST(Striping, ByHand) {
  const FlashConfig c = part_of(2, 2, Striping::Permuted);
  const std::vector<std::uint64_t> first = {0,  1,  2,  3,  5,  4,  7,  6,   // XOR 0, 1
                                            10, 11, 8,  9,  15, 14, 13, 12,  // 2, 3
                                            17, 16, 19, 18, 20, 21, 22, 23,  // 1, 0
                                            27, 26, 25, 24};                 // 3
  for (std::uint64_t page = 0; page < first.size(); ++page) {
    EXPECT_EQ(c.striped(page), first[page]) << page;
  }
  EXPECT_EQ(c.striped(27 * 4 + 1), 27 * 4 + 1u);
  EXPECT_EQ(c.striped(16 * 4 + 2), 16 * 4 + 3u);
}

TEST(Striping, LinearLeavesNumbersAlone) {
  for (const std::uint32_t dies : {1u, 3u, 4u}) {
    const FlashConfig c = part_of(dies, 2, Striping::Linear);
    for (std::uint64_t page = 0; page < 10000; page += 7) EXPECT_EQ(c.striped(page), page);
  }
  EXPECT_EQ(FlashConfig{}.striping, Striping::Linear);
}

// Each stripe holds its own pages, so that a part of whole stripes has a place for each.
TEST(Striping, IsABijectionOfEachStripe) {
  for (const auto& [channels, dies] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {1, 1}, {1, 2}, {4, 1}, {8, 4}, {8, 8}}) {
    const FlashConfig c = part_of(channels, dies, Striping::Permuted);
    const std::uint64_t n = std::uint64_t{channels} * dies;
    for (const std::uint64_t from : {std::uint64_t{0}, n * n - 1, (std::uint64_t{1} << 31) / n}) {
      for (std::uint64_t stripe = from; stripe < from + 2 * n + 1; ++stripe) {
        std::set<std::uint64_t> places;
        for (std::uint64_t page = stripe * n; page < (stripe + 1) * n; ++page) {
          const std::uint64_t place = c.striped(page);
          ASSERT_EQ(place / n, stripe) << n << " " << page;
          ASSERT_EQ(c.striped(place), page) << n;  // its own inverse
          places.insert(place);
        }
        ASSERT_EQ(places.size(), n) << stripe;
      }
    }
  }
}

// The digits of i * 2^k are those of i moved by k bits, around the end of the die's number: n pages
// that far apart meet n dies, whatever k is. Linear, those n pages or more apart meet one.
TEST(Striping, StridesOfAPowerOfTwoMeetEachDieOnce) {
  for (const std::uint32_t dies : {2u, 4u, 8u}) {
    const FlashConfig permuted = part_of(8, dies, Striping::Permuted);
    const FlashConfig linear = part_of(8, dies, Striping::Linear);
    const std::uint64_t n = 8 * dies;
    for (std::uint64_t stride = 1; stride <= n * n; stride *= 2) {
      std::set<std::uint64_t> met, without;
      for (std::uint64_t i = 0; i < n; ++i) {
        met.insert(permuted.striped(i * stride) % n);
        without.insert(linear.striped(i * stride) % n);
      }
      EXPECT_EQ(met.size(), n) << stride;
      EXPECT_EQ(without.size(), std::max<std::uint64_t>(n / stride, 1)) << stride;
    }
  }
}

TEST(Striping, NeedsAPowerOfTwoOfDies) {
  EXPECT_EQ(part_of(8, 8, Striping::Linear).permuted_problem(), "");
  EXPECT_EQ(part_of(1, 1, Striping::Linear).permuted_problem(), "");
  for (const std::uint32_t dies : {3u, 6u, 12u}) {
    EXPECT_NE(part_of(4, dies, Striping::Linear).permuted_problem(), "") << dies;
  }
}

// 64 reads of 64 dies, of which page 64 i lies on the i-th: as 64 consecutive pages do linearly.
// Linearly all are of one die, one tR after the other.
TEST(Striping, ReadsAStripeApartAreSensedTogether) {
  const auto last = [](Striping striping, std::uint64_t stride) {
    FlashConfig c = part_of(8, 8, striping);
    FlashMedia media(c, std::uint64_t{1} << 30, 64, 256);
    return media_test::saturate(media, 64, [&](std::uint64_t i) {
      return media_test::read_of(i * stride * c.page_bytes, static_cast<std::uint8_t>(i));
    });
  };
  const FlashConfig c = media_test::flash_config();
  const Time consecutive = last(Striping::Linear, 1);
  EXPECT_LT(consecutive, c.tR * 2);
  EXPECT_EQ(last(Striping::Permuted, 1), consecutive);
  EXPECT_EQ(last(Striping::Permuted, 64), consecutive);
  EXPECT_GT(last(Striping::Linear, 64), c.tR * 64);
}

// Under a translation layer what nobody has written yet lies where it is striped.
TEST(Striping, HoldsUnderATranslationLayer) {
  const auto last = [](Striping striping) {
    FlashConfig c = std::get<FlashConfig>(media_test::part("znand").params);
    c.striping = striping;
    c.translation->prefilled_percent = 0;
    FlashMedia media(c, std::uint64_t{1} << 30, 64, 256);
    return media_test::saturate(media, 64, [&](std::uint64_t i) {
      return media_test::read_of(i * 64 * c.page_bytes, static_cast<std::uint8_t>(i));
    });
  };
  EXPECT_LT(last(Striping::Permuted) * 16, last(Striping::Linear));
}

}  // namespace
}  // namespace cxlgpu
