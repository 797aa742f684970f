// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/sparse_store.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

namespace cxlgpu {
namespace {

TEST(SparseStore, UntouchedBytesAreZeroAndCostNothing) {
  SparseStore store;
  for (std::uint64_t addr = 0; addr < (std::uint64_t{1} << 40); addr += std::uint64_t{1} << 33) {
    EXPECT_EQ(store.read_line(addr), Line{});
  }
  EXPECT_EQ(store.touched_pages(), 0u);
  store.write_line(64, Line{}, 0);  // no byte enabled
  EXPECT_EQ(store.touched_pages(), 0u);
}

TEST(SparseStore, OverheadPerTouchedPageIsBelow100Bytes) {
  SparseStore store;
  Line line{};
  for (std::uint64_t n = 1; n <= 20000; ++n) {
    store.write_line(n * 7919 * SparseStore::kPageBytes, line);
    ASSERT_EQ(store.touched_pages(), n);
    if (n >= 64) {
      ASSERT_LT(store.overhead_bytes(), 100 * n) << n;
    }
  }
}

TEST(SparseStore, BlocksCrossPages) {
  SparseStore store;
  std::vector<std::uint8_t> data(10000), back(10000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 31 + 1);
  store.write(4096 * 5 - 77, data);
  store.read(4096 * 5 - 77, back);
  EXPECT_EQ(back, data);
  store.read(4096 * 5 - 78, back);
  EXPECT_EQ(back[0], 0);
  EXPECT_EQ(back[1], data[0]);
}

TEST(SparseStore, MarksOfPoison) {
  SparseStore store;
  EXPECT_FALSE(store.poisoned(128));
  store.write_line(128, Line{}, 0, true);  // no byte enabled, and yet marked
  EXPECT_TRUE(store.poisoned(128));
  EXPECT_FALSE(store.poisoned(64));
  EXPECT_FALSE(store.poisoned(192));
  store.write_line(128, Line{}, kAllBytes >> 1);
  EXPECT_TRUE(store.poisoned(128)) << "a byte of it was not written";
  store.write_line(128, Line{});
  EXPECT_FALSE(store.poisoned(128));
  store.write_line(192, Line{}, kAllBytes, true);
  store.write_line(64, Line{}, 1, true);
  EXPECT_EQ(store.marks(), (std::vector<std::uint64_t>{64, 192}));
  const std::vector<std::uint8_t> block(190);
  store.write(65, block);  // lines 128 and, but for its last byte, 192
  EXPECT_EQ(store.marks(), (std::vector<std::uint64_t>{64, 192}));
  store.write(64, {block.data(), 64});
  EXPECT_EQ(store.marks(), (std::vector<std::uint64_t>{192}));
  SparseStore other;
  other.mark(1024, true);
  EXPECT_FALSE(other.same_marks(store, 0, 1024, 256));
  other.copy_marks(store, 0, 1024, 256);
  EXPECT_TRUE(other.same_marks(store, 0, 1024, 256));
  EXPECT_EQ(other.marks(), (std::vector<std::uint64_t>{1024 + 192}));
}

TEST(SparseStore, EqualsFlatMap) {
  EXPECT_TRUE(rc::check("line writes with byte enables", [] {
    SparseStore store;
    std::map<std::uint64_t, std::uint8_t> flat;
    const auto count = *rc::gen::inRange(1, 300);
    for (int i = 0; i < count; ++i) {
      // Few lines in many pages, so that the table grows and lines are met again.
      const std::uint64_t addr = *rc::gen::inRange<std::uint64_t>(0, 200) * 4096 * 1048577 +
                                 *rc::gen::inRange<std::uint64_t>(0, 2) * 4032;
      const auto enable = *rc::gen::arbitrary<std::uint64_t>();
      Line data;
      data.fill(*rc::gen::arbitrary<std::uint8_t>());
      store.write_line(addr / 64 * 64, data, enable);
      for (unsigned b = 0; b < 64; ++b) {
        if ((enable >> b) & 1) flat[addr / 64 * 64 + b] = data[b];
      }
    }
    for (const auto& [addr, byte] : flat) {
      RC_ASSERT(store.read_line(addr / 64 * 64)[addr % 64] == byte);
    }
  }));
}

}  // namespace
}  // namespace cxlgpu
