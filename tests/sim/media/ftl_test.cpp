// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The translation layer alone: contents against a plain map, invariants, write amplification
// against the closed form, wear, a used drive, and what an untouched terabyte costs.
#include "sim/media/ftl.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <unordered_map>

#include "sim/media/permutation.hpp"
#include "sim/media/sparse_store.hpp"

namespace cxlgpu {
namespace {

TranslationConfig config(std::uint32_t over_provisioning = 15) {
  TranslationConfig c;
  c.over_provisioning_percent = over_provisioning;
  c.free_low = 1;
  c.free_high = 3;
  return c;
}

// Carries the layer's operations out on a flash that refuses what flash cannot do.
class Flash {
 public:
  Flash(const FtlShape& shape, const TranslationConfig& c) : shape_(shape), ftl_(shape, c) {}
  Ftl& ftl() { return ftl_; }

  void write(std::uint32_t logical, std::uint64_t data) {
    const std::uint32_t die = ftl_.next_die();
    while (ftl_.room(die) == 0 || ftl_.urgent(die)) {
      ASSERT_TRUE(ftl_.wants_collection(die)) << "no room and nothing to collect";
      collect(die);
    }
    program(ftl_.write(logical, die), data);
  }
  void collect(std::uint32_t die) {
    const Ftl::Task task = ftl_.next_task(die);
    ASSERT_NE(task.kind, Ftl::TaskKind::None) << "no room and nothing to collect";
    for (std::uint32_t i = 0; i < task.count; ++i) {
      EXPECT_EQ(task.moves[i].from % shape_.dies, die);
      EXPECT_EQ(task.moves[i].to % shape_.dies, die);
      program(task.moves[i].to, read(task.moves[i].from));
    }
    if (task.kind == Ftl::TaskKind::Erase) {
      for (std::uint32_t page = 0; page < shape_.pages_per_block; ++page) {
        cells_.erase((task.block * shape_.pages_per_block + page) * shape_.dies + die);
      }
      next_page_.erase({die, task.block});
      ftl_.erased(die);
      if (++erases_ % 64 == 0) {
        EXPECT_EQ(ftl_.broken(), "");
      }
    }
  }
  // What nobody has written reads as its physical page, shifted out of the way.
  std::uint64_t read(std::uint32_t physical) const {
    const auto found = cells_.find(physical);
    return found == cells_.end() ? std::uint64_t{physical} << 32 : found->second;
  }
  std::uint64_t load(std::uint32_t logical) const { return read(ftl_.where(logical)); }
  std::uint64_t erases() const { return erases_; }

 private:
  void program(std::uint32_t physical, std::uint64_t data) {
    const std::uint32_t row = physical / shape_.dies, page = row % shape_.pages_per_block;
    EXPECT_TRUE(cells_.emplace(physical, data).second) << "programmed twice: " << physical;
    auto& next = next_page_[{physical % shape_.dies, row / shape_.pages_per_block}];
    EXPECT_EQ(page, next) << "pages of a block are programmed in order";
    ++next;
  }
  FtlShape shape_;
  Ftl ftl_;
  std::unordered_map<std::uint32_t, std::uint64_t> cells_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> next_page_;
  std::uint64_t erases_ = 0;
};

void random_writes_are_read_back(const FtlShape& shape, const TranslationConfig& c,
                                 std::uint64_t seed, std::uint64_t writes) {
  ASSERT_EQ(ftl_problem(shape, c), "");
  Flash flash(shape, c);
  std::mt19937_64 random(seed);
  const std::uint32_t pages = flash.ftl().logical_pages();
  std::unordered_map<std::uint32_t, std::uint64_t> plain;
  std::vector<std::uint64_t> first;  // what was there at the start
  for (std::uint32_t p = 0; p < pages; ++p) first.push_back(flash.load(p));
  for (std::uint64_t i = 1; i <= writes; ++i) {
    // Nine of ten writes go to a tenth of the pages.
    const auto page =
        static_cast<std::uint32_t>(random() % 10 != 0 ? random() % (pages / 10) : random() % pages);
    flash.write(page, i);
    plain[page] = i;
    // Collections in the background, at any time.
    const auto die = static_cast<std::uint32_t>(random() % shape.dies);
    if (random() % 8 == 0 && flash.ftl().wants_collection(die)) flash.collect(die);
    const auto other = static_cast<std::uint32_t>(random() % pages);
    const auto found = plain.find(other);
    if (found != plain.end()) {
      ASSERT_EQ(flash.load(other), found->second);
    }
    if (::testing::Test::HasFailure()) return;
  }
  for (const auto& [page, data] : plain) ASSERT_EQ(flash.load(page), data) << page;
  for (std::uint32_t p = 0; p < pages; ++p) {  // other people's data has moved, and is whole
    if (plain.count(p) == 0 && flash.ftl().holds_data(p)) {
      ASSERT_EQ(flash.load(p), first[p]) << p;
    }
  }
  EXPECT_EQ(flash.ftl().broken(), "");
  EXPECT_GT(flash.erases(), 200u);
  EXPECT_GT(flash.ftl().counters().moved_pages, 1000u);
  EXPECT_EQ(flash.ftl().counters().host_pages, writes);
  EXPECT_EQ(flash.ftl().counters().erases, flash.erases());
}

TEST(Ftl, RandomWritesAreReadBack) {
  for (const VictimPolicy victim : {VictimPolicy::Greedy, VictimPolicy::CostBenefit}) {
    for (const std::uint32_t spread : {0u, 4u}) {
      for (const std::uint32_t filled : {0u, 60u, 100u}) {
        TranslationConfig c = config(30);
        c.victim = victim;
        c.wear_spread = spread;
        c.prefilled_percent = filled;
        c.prefill_seed = spread + filled;
        random_writes_are_read_back({4, 40, 16, 0}, c, 1, 30000);
        c.planes = 4;
        random_writes_are_read_back({3, 37, 24, 8}, c, 2, 30000);
      }
    }
  }
}

// Blocks so short that rounding shows in how much a used drive's blocks hold.
TEST(Ftl, UsedDriveOfShortBlocksAlwaysFindsAVictim) {
  for (std::uint32_t seed = 1; seed <= 40 && !HasFailure(); ++seed) {
    TranslationConfig c = config(1);
    c.free_high = 2;
    c.prefilled_percent = 100 - seed % 3;
    c.prefill_seed = seed;
    const FtlShape shape{1 + seed % 3, 40 + seed, 4, 0};
    while (!ftl_problem(shape, c).empty()) ++c.over_provisioning_percent;
    Flash flash(shape, c);
    std::mt19937_64 random(seed);
    for (std::uint64_t i = 0; i < 2000 && !HasFailure(); ++i) {
      flash.write(static_cast<std::uint32_t>(random() % flash.ftl().logical_pages()), i);
    }
    EXPECT_EQ(flash.ftl().broken(), "");
  }
}

TEST(Ftl, FirstSequentialFillIsTheStaticStriping) {
  Flash flash({8, 40, 16, 0}, config(30));
  for (std::uint32_t p = 0; p < flash.ftl().logical_pages(); ++p) {
    EXPECT_EQ(flash.ftl().where(p), p);
    EXPECT_FALSE(flash.ftl().holds_data(p));
    flash.write(p, p);
    EXPECT_EQ(flash.ftl().where(p), p);
    EXPECT_TRUE(flash.ftl().holds_data(p));
  }
  EXPECT_EQ(flash.erases(), 0u);
  EXPECT_EQ(flash.ftl().counters().write_amplification(), 1.0);
}

TEST(Ftl, OneHotPageWearsAllDies) {
  TranslationConfig c = config(30);
  c.wear_spread = 4;
  Flash flash({4, 40, 16, 0}, c);
  for (std::uint32_t p = 0; p < flash.ftl().logical_pages(); ++p) flash.write(p, p);
  for (std::uint64_t i = 0; i < 40000; ++i) flash.write(7, i);
  EXPECT_EQ(flash.load(7), 39999u);
  EXPECT_EQ(flash.ftl().broken(), "");
  // 40000 pages in blocks of 16 on 160 blocks: 15.6 erases each if all wear alike.
  EXPECT_GE(flash.ftl().wear().least, 10u);
  EXPECT_LE(flash.ftl().wear().most, 24u);
}

// A write pattern made to heap all valid data on one die: every fourth page stays, three are
// written again and again.
TEST(Ftl, NoDieIsFilledUp) {
  Flash flash({4, 40, 16, 0}, config(30));
  const std::uint32_t pages = flash.ftl().logical_pages();
  std::uint64_t i = 0;
  for (std::uint32_t p = 0; p < pages - 3; ++p) {
    flash.write(p, ++i);
    for (std::uint32_t hot = pages - 3; hot < pages; ++hot) flash.write(hot, ++i);
  }
  EXPECT_EQ(flash.ftl().broken(), "");
  EXPECT_LT(flash.ftl().counters().write_amplification(), 2.0);
}

// Uniform random writes, all pages valid. The closed form: with T physical and U logical pages,
// a = T / U, W Lambert's function (principal branch),
//   WA = a / (a + W(-a exp(-a)))
// P. Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012, for cleaning in order of
// age, to which greedy converges as blocks get long; equal to X. Luojie, B. Kurkoski 2012 and
// R. Agarwal, M. Marrow 2010 in that limit. Blocks of finite length make greedy a little better.
// W is found by its fixed point: u = valid share of a victim solves (1 - u) / ln(1 / u) = 1 / a.
double closed_form(double a) {
  double u = 0.5;
  for (int i = 0; i < 10000; ++i) u = std::exp(-a * (1 - u));  // -W(-a exp(-a)) / a
  return 1 / (1 - u);
}

double uniform(const FtlShape& shape, TranslationConfig c, double* a = nullptr) {
  Ftl ftl(shape, c);
  const std::uint32_t pages = ftl.logical_pages();
  for (std::uint32_t p = 0; p < pages; ++p) ftl.write_now(p);
  std::mt19937_64 random(5);
  for (std::uint64_t i = 0; i < 6ull * pages; ++i) ftl.write_now(random() % pages);
  const Ftl::Counters before = ftl.counters();
  for (std::uint64_t i = 0; i < 4ull * pages; ++i) ftl.write_now(random() % pages);
  // Blocks that hold no data on average: the one kept free (up to two) and half of both open ones.
  if (a != nullptr) {
    *a = static_cast<double>(shape.blocks_per_die - 2.5) * shape.pages_per_block * shape.dies /
         pages;
  }
  EXPECT_EQ(ftl.broken(), "");
  return 1 + static_cast<double>(ftl.counters().moved_pages - before.moved_pages) /
                 static_cast<double>(ftl.counters().host_pages - before.host_pages);
}

TEST(Ftl, WriteAmplificationIsTheClosedForm) {
  for (const std::uint32_t over : {7u, 15u, 28u}) {
    double a = 0;
    const double measured = uniform({1, 512, 256, 0}, config(over), &a);
    const double formula = closed_form(a);
    std::printf("over-provisioning %2u %%: write amplification %.3f, closed form %.3f (%+.1f %%)\n",
                over, measured, formula, 100 * (measured / formula - 1));
    EXPECT_NEAR(measured / formula, 1.0, 0.05) << over;
  }
}

TEST(Ftl, WriteAmplificationOverSeveralDies) {
  double a = 0;
  const double measured = uniform({4, 256, 64, 0}, config(15), &a);
  EXPECT_NEAR(measured / closed_form(a), 1.0, 0.07) << measured;
}

double skewed(VictimPolicy victim, std::uint32_t hot_percent) {
  TranslationConfig c = config(15);
  c.victim = victim;
  Ftl ftl({1, 512, 64, 0}, c);
  const std::uint32_t pages = ftl.logical_pages();
  for (std::uint32_t p = 0; p < pages; ++p) ftl.write_now(p);
  std::mt19937_64 random(5);
  const auto page = [&] {
    return static_cast<std::uint32_t>(random() % 10 != 0 ? random() % (pages * hot_percent / 100)
                                                         : random() % pages);
  };
  for (std::uint64_t i = 0; i < 6ull * pages; ++i) ftl.write_now(page());
  const Ftl::Counters before = ftl.counters();
  for (std::uint64_t i = 0; i < 6ull * pages; ++i) ftl.write_now(page());
  EXPECT_EQ(ftl.broken(), "");
  return 1 + static_cast<double>(ftl.counters().moved_pages - before.moved_pages) /
                 static_cast<double>(ftl.counters().host_pages - before.host_pages);
}

// Greedy is best when all pages are alike; age pays when some are hot.
TEST(Ftl, OrderOfTheVictimPolicies) {
  TranslationConfig c = config(15);
  const double greedy = uniform({1, 512, 64, 0}, c);
  c.victim = VictimPolicy::CostBenefit;
  const double cost_benefit = uniform({1, 512, 64, 0}, c);
  const double hot_greedy = skewed(VictimPolicy::Greedy, 10);
  const double hot_cost_benefit = skewed(VictimPolicy::CostBenefit, 10);
  std::printf(
      "write amplification: uniform greedy %.3f, cost-benefit %.3f; 90 %% of writes to 10 %% "
      "of pages: greedy %.3f, cost-benefit %.3f\n",
      greedy, cost_benefit, hot_greedy, hot_cost_benefit);
  EXPECT_LT(greedy, cost_benefit);
  EXPECT_LT(hot_cost_benefit, hot_greedy);
}

Ftl::Wear wear_after(std::uint32_t spread, std::uint64_t rounds,
                     std::uint64_t* levelled = nullptr) {
  TranslationConfig c = config(15);
  c.wear_spread = spread;
  Ftl ftl({1, 160, 32, 0}, c);  // the bound is a die's
  const std::uint32_t pages = ftl.logical_pages();
  for (std::uint32_t p = 0; p < pages; ++p) ftl.write_now(p);
  std::mt19937_64 random(9);
  for (std::uint64_t i = 0; i < rounds * pages; ++i) ftl.write_now(random() % (pages / 20));
  EXPECT_EQ(ftl.broken(), "");
  if (levelled != nullptr) *levelled = ftl.counters().levelled_blocks;
  return ftl.wear();
}

TEST(Ftl, WearSpreadIsBoundedByLevellingAndNotWithoutIt) {
  std::uint64_t levelled = 0;
  const Ftl::Wear on = wear_after(8, 40, &levelled), off = wear_after(0, 40);
  const Ftl::Wear longer = wear_after(8, 80), longer_off = wear_after(0, 80);
  std::printf(
      "erases of a block after 40 and 80 times the drive, writes to 5 %% of it: levelled "
      "%u..%u and %u..%u, not levelled %u..%u and %u..%u\n",
      on.least, on.most, longer.least, longer.most, off.least, off.most, longer_off.least,
      longer_off.most);
  EXPECT_GT(levelled, 0u);
  EXPECT_LE(on.most - on.least, 8u + 3);
  EXPECT_LE(longer.most - longer.least, 8u + 3);
  EXPECT_GT(off.most - off.least, 100u);
  EXPECT_GT(longer_off.most - longer_off.least, (off.most - off.least) * 3 / 2);
}

TEST(Permutation, IsOneAndInvertible) {
  for (const std::uint32_t n : {1u, 2u, 3u, 64u, 65u, 1000u, 4097u}) {
    const Permutation permutation(n * 17, n);
    std::set<std::uint32_t> seen;
    for (std::uint32_t x = 0; x < n; ++x) {
      const std::uint32_t y = permutation.place(x);
      ASSERT_LT(y, n);
      EXPECT_TRUE(seen.insert(y).second);
      EXPECT_EQ(permutation.number_at(y), x);
    }
  }
}

// A used drive behaves from its first write as one that has been written at random for long.
TEST(Ftl, PrefilledDriveStartsInTheSteadyState) {
  TranslationConfig c = config(15);
  c.prefilled_percent = 100;
  c.prefill_seed = 3;
  const FtlShape shape{1, 512, 128, 0};
  Ftl ftl(shape, c);
  EXPECT_EQ(ftl.broken(), "");
  const std::uint32_t pages = ftl.logical_pages();
  std::set<std::uint32_t> places;
  for (std::uint32_t p = 0; p < pages; ++p) {
    EXPECT_TRUE(ftl.holds_data(p));
    EXPECT_TRUE(places.insert(ftl.where(p)).second);
    EXPECT_EQ(ftl.data_at(ftl.where(p)), p);
  }
  std::mt19937_64 random(5);
  for (std::uint32_t i = 0; i < pages; ++i) ftl.write_now(random() % pages);
  EXPECT_EQ(ftl.broken(), "");
  const double steady = closed_form((512 - 2.5) * 128 / pages);
  EXPECT_NEAR(ftl.counters().write_amplification() / steady, 1.0, 0.12)
      << ftl.counters().write_amplification();
}

TEST(Ftl, ATerabyteCostsWhatIsTouchedOfIt) {
  TranslationConfig c = config(9);
  c.free_low = 2;
  c.free_high = 4;
  for (const std::uint32_t filled : {0u, 90u}) {
    c.prefilled_percent = filled;
    c.wear_spread = 50;
    const FtlShape shape{64, 5900, 768, 1024};  // 1.19 TB of 4 KiB pages
    Ftl ftl(shape, c);
    EXPECT_LT(ftl.bytes(), 100000u);
    SparseStore contents;
    std::mt19937_64 random(1);
    Line line{};
    double worst = 0, worst_with_moved = 0;
    for (std::uint32_t i = 1; i <= 400000; ++i) {
      const auto page = static_cast<std::uint32_t>(random() % ftl.logical_pages());
      ftl.write_now(page);
      contents.write_line(page * 4096ull, line);
      if (i % 10000 != 0 || i < 50000) continue;
      const auto sum = static_cast<double>(ftl.bytes() + contents.overhead_bytes());
      worst = std::max(worst, sum / static_cast<double>(contents.touched_pages()));
      worst_with_moved = std::max(worst_with_moved, sum / static_cast<double>(ftl.touched_pages()));
    }
    std::printf(
        "1 TB, %2u %% filled, random writes: at most %.1f bytes a 4 KiB page written, %.1f "
        "a page written or moved; write amplification %.2f\n",
        filled, worst, worst_with_moved, ftl.counters().write_amplification());
    // A collection of prefilled blocks touches their pages too: that is what they cost.
    EXPECT_LT(filled == 0 ? worst : worst_with_moved, 100.0);
  }
}

TEST(Ftl, ShapesWithoutRoomAreRefused) {
  EXPECT_NE(ftl_problem({4, 40, 16, 0}, config(7)).find("spare pages"), std::string::npos);
  EXPECT_NE(ftl_problem({64, 1 << 16, 1 << 10, 0}, config(28)).find("2^32"), std::string::npos);
  EXPECT_EQ(ftl_problem({4, 40, 16, 0}, config(30)), "");
}

}  // namespace
}  // namespace cxlgpu
