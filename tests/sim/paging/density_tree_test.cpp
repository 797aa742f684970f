// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What comes with a fault, worked by hand from the rule of NVIDIA's driver (uvm_perf_prefetch.c):
// more than 51 % of a region there or faulted, faults grown to 64 KiB, a tree over 2 MiB.
#include "sim/paging/density_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <initializer_list>

namespace cxlgpu {
namespace {

using Region = DensityTree::Region;
constexpr std::uint32_t kBlock = 512, kLeaf = 16;  // pages: 2 MiB, 64 KiB

DensityTree with(std::initializer_list<Region> there, unsigned threshold = 51,
                 std::uint32_t pages = kBlock) {
  DensityTree tree(pages, kLeaf, threshold);
  for (const Region& r : there) {
    for (std::uint32_t page = r.first; page < r.end; ++page) tree.set(page);
  }
  return tree;
}

Region comes(DensityTree tree, std::uint32_t page) {
  tree.fault(page);
  return tree.region(page);
}

TEST(DensityTree, TheFirstFaultBringsItsLeaf) {
  // 64 of 128 KiB are 50 %.
  EXPECT_EQ(comes(with({}), 0), (Region{0, 16}));
  EXPECT_EQ(comes(with({}), 37), (Region{32, 48}));
  EXPECT_EQ(comes(with({}), 511), (Region{496, 512}));
}

// 64 KiB apart, upwards: 1, 2, then at the 3rd 3/4 of 256 KiB, at the 5th 5/8 of 512, at the 9th
// 9/16 of 1 MiB, at the 17th 17/32 (53 %) of the whole. Six touches of 32 fault.
TEST(DensityTree, AStreamGrowsFrom64KiBTo2MiB) {
  EXPECT_EQ(comes(with({{0, 16}}), 16), (Region{0, 32}));
  EXPECT_EQ(comes(with({{0, 32}}), 32), (Region{0, 64}));
  EXPECT_EQ(comes(with({{0, 64}}), 64), (Region{0, 128}));
  EXPECT_EQ(comes(with({{0, 128}}), 128), (Region{0, 256}));
  EXPECT_EQ(comes(with({{0, 256}}), 256), (Region{0, 512}));
  std::vector<std::uint8_t> there(kBlock);
  std::vector<std::uint32_t> faults;
  for (std::uint32_t page = 0; page < kBlock; page += kLeaf) {
    if (there[page] != 0) continue;
    faults.push_back(page / kLeaf);
    DensityTree tree(kBlock, kLeaf, 51);
    for (std::uint32_t p = 0; p < kBlock; ++p) {
      if (there[p] != 0) tree.set(p);
    }
    tree.fault(page);
    const Region region = tree.region(page);
    for (std::uint32_t p = region.first; p < region.end; ++p) there[p] = 1;
  }
  EXPECT_EQ(faults, (std::vector<std::uint32_t>{0, 1, 2, 4, 8, 16}));
}

// Of 128 KiB, 32 pages: 16 of the fault's leaf and n beside it.
TEST(DensityTree, MoreThanTheThresholdIsMore) {
  // 51 %: 16.32 pages.
  EXPECT_EQ(comes(with({}), 0), (Region{0, 16}));
  EXPECT_EQ(comes(with({{20, 21}}), 0), (Region{0, 32})) << "17 of 32 are 53 %";
  // 75 % are 24 pages, which are not more.
  EXPECT_EQ(comes(with({{20, 28}}, 75), 0), (Region{0, 16}));
  EXPECT_EQ(comes(with({{20, 29}}, 75), 0), (Region{0, 32}));
  // 50 %: the half itself is not more.
  EXPECT_EQ(comes(with({}, 50), 0), (Region{0, 16}));
  EXPECT_EQ(comes(with({}, 49), 0), (Region{0, 32})) << "a quarter of 256 KiB is not";
}

TEST(DensityTree, AtOneAllComesAndAtAHundredThePageAlone) {
  EXPECT_EQ(comes(with({}, 1), 300), (Region{0, 512}));  // 16 of 512 are 3 %
  EXPECT_EQ(comes(with({}, 100), 300), (Region{300, 301}));
  EXPECT_EQ(comes(with({}, 99), 300), (Region{288, 304}));
}

// What is there elsewhere in the block counts for regions that hold both, however it is spread; the
// largest counts, over one between that has less.
TEST(DensityTree, TheLargestRegionWins) {
  EXPECT_EQ(comes(with({{256, 512}}), 0), (Region{0, 512})) << "272 of 512 are 53 %";
  EXPECT_EQ(comes(with({{256, 500}}), 0), (Region{0, 16})) << "260 of 512 are 50.8 %";
  EXPECT_EQ(comes(with({{256, 502}}), 0), (Region{0, 512})) << "262 of 512 are 51.2 %";
  // Three leaves are 75 % of 256 KiB and 37.5 % of 512 KiB.
  EXPECT_EQ(comes(with({{64, 96}}), 100), (Region{64, 128}));
}

TEST(DensityTree, FaultsOfOneBatchCountTogether) {
  DensityTree tree(kBlock, kLeaf, 51);
  for (const std::uint32_t page : {3U, 17U, 40U}) tree.fault(page);
  for (const std::uint32_t page : {3U, 17U, 40U}) {
    EXPECT_EQ(tree.region(page), (Region{0, 64})) << "three leaves of four";
  }
  DensityTree far(kBlock, kLeaf, 51);
  far.fault(3);
  far.fault(200);
  EXPECT_EQ(far.region(3), (Region{0, 16}));
  EXPECT_EQ(far.region(200), (Region{192, 208}));
}

// Data that ends within the block: regions are cut, and their share is of what there is.
TEST(DensityTree, ABlockMayBeCut) {
  EXPECT_EQ(comes(with({}, 51, 24), 0), (Region{0, 24})) << "16 of 24";
  EXPECT_EQ(comes(with({}, 51, 40), 39), (Region{32, 40})) << "8 of 40";
  EXPECT_EQ(comes(with({}, 51, 1), 0), (Region{0, 1}));
}

// Against counting page by page over every region there is.
RC_GTEST_PROP(DensityTree, IsTheLargestOfAllRegionsCounted, ()) {
  const auto pages = *rc::gen::inRange<std::uint32_t>(1, kBlock + 1);
  const auto leaf = std::uint32_t{1} << *rc::gen::inRange(0, 6);
  const auto threshold = *rc::gen::inRange<unsigned>(1, 101);
  const auto density = *rc::gen::inRange(0, 101);
  const auto drawn = *rc::gen::container<std::vector<int>>(pages, rc::gen::inRange(0, 100));
  const auto faults = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, pages)));
  DensityTree tree(pages, leaf, threshold);
  std::vector<bool> there(pages);
  for (std::uint32_t page = 0; page < pages; ++page) {
    if (drawn[page] >= density) continue;
    tree.set(page);
    there[page] = true;
  }
  for (const std::uint32_t fault : faults) {
    tree.fault(fault);
    for (std::uint32_t page = fault / leaf * leaf; page < pages && page / leaf == fault / leaf;
         ++page) {
      there[page] = true;
    }
  }
  for (const std::uint32_t fault : faults) {
    Region expected{fault, fault + 1};
    for (std::uint32_t span = 1; span <= 2 * kBlock; span *= 2) {
      std::uint32_t all = 0, count = 0, first = pages;
      for (std::uint32_t page = 0; page < pages; ++page) {
        if (page / span != fault / span) continue;
        first = std::min(first, page);
        ++all;
        count += there[page] ? 1 : 0;
      }
      if (count * 100 > all * threshold) expected = {first, first + all};
    }
    RC_ASSERT(tree.region(fault) == expected);
  }
}

}  // namespace
}  // namespace cxlgpu
