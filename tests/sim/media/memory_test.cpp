// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a terabyte part costs: bytes held beside the contents for each 4 KiB that was written.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <unordered_set>

#include "sim/media/flash_media.hpp"
#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

// Random writes of one line. A page counts as so many times 4 KiB, and only if the host wrote to
// it: what collections move has to be paid for by those.
double worst_bytes(const char* what, const FlashConfig& c) {
  FlashMedia media(c, c.capacity, 16, 256);
  EXPECT_GT(c.capacity, 950'000'000'000u);
  EXPECT_LT(media.overhead_bytes(), 200000u);  // untouched
  std::mt19937_64 random(1);
  std::unordered_set<std::uint64_t> touched;
  double worst = 0, last = 0;
  Time now{0};
  for (int round = 1; round <= 20; ++round) {
    now = media_test::saturate(
        media, 10000,
        [&](std::uint64_t i) {
          const std::uint64_t page = random() % (c.capacity / c.page_bytes);
          touched.insert(page);
          return media_test::write_of(page * c.page_bytes, static_cast<std::uint8_t>(i));
        },
        now);
    last = static_cast<double>(media.overhead_bytes()) /
           static_cast<double>(touched.size() * (c.page_bytes / 4096));
    if (round >= 5) worst = std::max(worst, last);
  }
  std::printf("%-44s at most %5.1f bytes for each 4 KiB written (%zu pages, %llu moved)\n", what,
              worst, touched.size(), static_cast<unsigned long long>(media.counters().moved_pages));
  return worst;
}

TEST(Memory, OfATerabyteIsBelowHundredBytesForEachTouchedPage) {
  FlashConfig nand = std::get<FlashConfig>(media_test::part("nand").params);
  EXPECT_LT(worst_bytes("nand, as its file has it", nand), 100.0);
  nand.translation->prefilled_percent = 90;
  EXPECT_LT(worst_bytes("nand, 90 % filled", nand), 100.0);
  nand.translation->prefilled_percent = 0;
  EXPECT_LT(worst_bytes("nand, new", nand), 100.0);
  FlashConfig znand = std::get<FlashConfig>(media_test::part("znand").params);
  znand.pages_per_die *= 2;
  znand.capacity *= 2;
  EXPECT_LT(worst_bytes("znand of twice its pages, new", znand), 100.0);
  znand.translation->prefilled_percent = 80;
  EXPECT_LT(worst_bytes("znand of twice its pages, 80 % filled", znand), 100.0);
}

}  // namespace
}  // namespace cxlgpu
