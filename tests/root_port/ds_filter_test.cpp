// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_filter: the twin in lockstep with the RTL, and the RTL by hand against the rules of the page.
#include "refmodel/root_port/ds_filter.hpp"

#include <array>
#include <set>
#include <vector>

#include "Vds_filter.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_ds.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr unsigned kBuckets[] = {1024, 16};  // of the two instances on the bench
constexpr unsigned kKeyBits = 46;

// Keys that meet: few of them, or many in few buckets, or any.
std::uint64_t random_key(Random& random, unsigned phase) {
  switch (phase % 3) {
    case 0:
      return random.below(20);
    case 1:
      return random.below(3) << random.below(44);
    default:
      return random.bits(kKeyBits);
  }
}

// What meets in a cycle; the counts of the buckets are kept here.
class Meetings {
 public:
  void look(unsigned g, const DsFilter::In& in, const DsFilter& filter, const DsFilter::Out& out) {
    using namespace coverage;
    if (!pairs_.on()) return;
    const unsigned bucket = filter.bucket(in.upd_key);
    unsigned& count = counts_[g][bucket];
    const FilterLook look = filter.bucket(in.key) == bucket ? FilterLook::Same
                            : out.maybe                     ? FilterLook::OtherMaybe
                                                            : FilterLook::OtherNo;
    const FilterUpdate update = in.inc   ? FilterUpdate::Inc
                                : in.dec ? FilterUpdate::Dec
                                         : FilterUpdate::None;
    pairs_.hit({g, static_cast<unsigned>(update), in.clear, count, static_cast<unsigned>(look)});
    if (in.inc && count < 3) ++count;
    if (in.dec && count % 3 != 0) --count;
    if (in.clear) counts_[g].fill(0);
  }
  void forget() { counts_ = {}; }

 private:
  std::array<std::array<unsigned, 1024>, 2> counts_{};
  test::TestCoverage pairs_{coverage::ds_filter_pairs()};
};

TEST(DsFilter, LockstepWithRtl) {
  test::shows("ds", "The RTL's filter answers in every cycle as its twin does",
              "docs/blocks/root_port/ds_filter.md");
  Lockstep lockstep("root_port/ds_filter", 0xdf1);
  Random random(lockstep.seed());
  Clocked<Vds_filter> rtl;
  rtl.reset();
  std::vector<DsFilter> twins;
  for (const unsigned buckets : kBuckets) twins.emplace_back(buckets);
  std::uint64_t yes = 0, no = 0;
  Meetings meetings;
  while (lockstep.next()) {
    const unsigned phase = static_cast<unsigned>(lockstep.cycle() / 5000);
    const bool filling = lockstep.cycle() / 500 % 2 == 0;
    std::vector<DsFilter::In> ins(2);
    for (unsigned g = 0; g < 2; ++g) {
      DsFilter::In& in = ins[g];
      in.key = random_key(random, phase);
      in.upd_key = random_key(random, phase);
      in.inc = random.percent(filling ? 50 : 20);
      in.dec = !in.inc && random.percent(filling ? 20 : 80);
      in.clear = random.below(filling ? 40 : 200) == 0;
      test::set_bits(rtl->key_i, kKeyBits * g, kKeyBits, in.key);
      test::set_bits(rtl->upd_key_i, kKeyBits * g, kKeyBits, in.upd_key);
      test::set_bits(rtl->inc_i, g, 1, in.inc);
      test::set_bits(rtl->dec_i, g, 1, in.dec);
      test::set_bits(rtl->clear_i, g, 1, in.clear);
    }
    rtl.settle();
    for (unsigned g = 0; g < 2; ++g) {
      const DsFilter::Out out = twins[g].eval(ins[g]);
      lockstep.check("maybe_o", test::get_bits(rtl->maybe_o, g, 1), out.maybe);
      lockstep.check("upd_maybe_o", test::get_bits(rtl->upd_maybe_o, g, 1), out.upd_maybe);
      ++(out.maybe ? yes : no);
      meetings.look(g, ins[g], twins[g], out);
      twins[g].clock(ins[g]);
    }
    rtl.edge();
    if (random.below(5000) == 0) {
      rtl.reset();
      for (DsFilter& twin : twins) twin.clear();
      meetings.forget();
    }
  }
  if (lockstep.cycle() > 100'000) {
    EXPECT_GT(yes, 10'000u);
    EXPECT_GT(no, 10'000u);
  }
}

// One instance of the RTL by hand; the other one stands still. No twin.
class Filter {
 public:
  explicit Filter(unsigned instance) : g_(instance) { rtl_.reset(); }
  void inc(std::uint64_t key) { update(key, true, false, false); }
  void dec(std::uint64_t key) { update(key, false, true, false); }
  void clear() { update(0, false, false, true); }
  void update(std::uint64_t key, bool inc, bool dec, bool clear) {
    test::set_bits(rtl_->upd_key_i, kKeyBits * g_, kKeyBits, key);
    test::set_bits(rtl_->inc_i, g_, 1, inc);
    test::set_bits(rtl_->dec_i, g_, 1, dec);
    test::set_bits(rtl_->clear_i, g_, 1, clear);
    rtl_.settle();
    rtl_.edge();
    rtl_->inc_i = rtl_->dec_i = rtl_->clear_i = 0;
  }
  // By both lookups.
  bool maybe(std::uint64_t key) {
    test::set_bits(rtl_->key_i, kKeyBits * g_, kKeyBits, key);
    test::set_bits(rtl_->upd_key_i, kKeyBits * g_, kKeyBits, key);
    rtl_.settle();
    const bool said = test::get_bits(rtl_->maybe_o, g_, 1) != 0;
    EXPECT_EQ(test::get_bits(rtl_->upd_maybe_o, g_, 1) != 0, said) << "key " << key;
    return said;
  }

 private:
  unsigned g_;
  Clocked<Vds_filter> rtl_;
};

TEST(DsFilter, ANoIsCertain) {
  test::shows("ds", "The filter never says no of a line that is deferred",
              "docs/blocks/root_port/ds_filter.md");
  Random random(0xdf2);
  for (unsigned g = 0; g < 2; ++g) {
    Filter filter(g);
    std::set<std::uint64_t> lines;
    unsigned sure = 0;
    for (unsigned n = 0; n < 20'000; ++n) {
      const std::uint64_t line = random.below(200) * 3;
      if (const auto at = lines.find(line); at != lines.end()) {
        lines.erase(at);
        lines.empty() ? filter.clear() : filter.dec(line);
      } else if (lines.size() < 4) {
        lines.insert(line);
        filter.inc(line);
      }
      for (const std::uint64_t held : lines) ASSERT_TRUE(filter.maybe(held));
      sure += !filter.maybe(random.below(600));
    }
    EXPECT_GT(sure, kBuckets[g] == 1024 ? 16'000u : 2'000u);
  }
  // More lines of one bucket than its counter holds.
  Filter filter(1);
  for (unsigned n = 0; n < 4; ++n) filter.inc(5);
  for (unsigned n = 0; n < 3; ++n) filter.dec(5);
  EXPECT_TRUE(filter.maybe(5)) << "one of four is left";
}

TEST(DsFilter, CountsToThreeAndThenNoMore) {
  Filter filter(1);
  filter.dec(5);  // 0 stays 0
  EXPECT_FALSE(filter.maybe(5));
  filter.inc(5);
  EXPECT_TRUE(filter.maybe(5));
  filter.inc(5);
  filter.dec(5);
  EXPECT_TRUE(filter.maybe(5));
  filter.dec(5);
  EXPECT_FALSE(filter.maybe(5));
  for (unsigned n = 0; n < 3; ++n) filter.inc(5);
  for (unsigned n = 0; n < 9; ++n) filter.dec(5);
  EXPECT_TRUE(filter.maybe(5));  // no longer known
  filter.clear();
  EXPECT_FALSE(filter.maybe(5));
}

TEST(DsFilter, BucketIsTheKeyFolded) {
  // Pieces of four bits are rotated by 0, 3, 2, 1, 0, ...; of ten bits by 0, 3, 6, 9, 2.
  const struct {
    unsigned instance;
    std::uint64_t key, bucket;
  } rows[] = {
      {1, 0x3000'0000'0000, 0x6},
      {1, 0x1234'5678'9abc, 0xcu ^ 0xd ^ 0xa ^ 0x3 ^ 0x8 ^ 0xb ^ 0x9 ^ 0xa ^ 0x4 ^ 0x9 ^ 0x8 ^ 0x2},
      {0, 0x3f, 0x3f},
      {0, (std::uint64_t{0x25} << 40) | (0x3ff << 10) | 0x155, 0x94u ^ 0x3ff ^ 0x155}};
  for (const auto& row : rows) {
    EXPECT_EQ(DsFilter(kBuckets[row.instance]).bucket(row.key), row.bucket);
    Filter filter(row.instance);
    filter.inc(row.key);
    for (std::uint64_t bucket = 0; bucket < kBuckets[row.instance]; ++bucket) {
      EXPECT_EQ(filter.maybe(bucket), bucket == row.bucket) << bucket;  // its lowest piece alone
    }
  }
}

TEST(DsFilter, ClearWins) {
  for (const bool inc : {true, false}) {
    Filter filter(1);
    filter.inc(7);
    filter.inc(7);
    filter.update(7, inc, !inc, true);
    EXPECT_FALSE(filter.maybe(7));
  }
}

}  // namespace
}  // namespace cxlgpu
