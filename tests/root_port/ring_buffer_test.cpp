// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ring_buffer: the twin in lockstep with the RTL, and its rules by hand.
#include "refmodel/root_port/ring_buffer.hpp"

#include <utility>

#include "Vring_buffer.h"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr std::uint64_t kGranules = std::uint64_t{1} << 44;

// Few sets, so that ways run out; now and then anything, or the wrap at the top.
std::uint64_t random_granule(Random& random, std::uint64_t base) {
  if (random.percent(5)) return random.bits(44);
  if (random.percent(3)) return kGranules - 1 - random.below(4);
  const std::uint64_t far = random.bits(2) << 20;  // above the hash: the same set
  return (base + random.below(24) + far) % kGranules;
}

TEST(RingBuffer, LockstepWithRtl) {
  test::shows("sr", "The RTL's ring hits where its twin does", "docs/blocks.md, ring_buffer");
  Lockstep lockstep("root_port/ring_buffer", 0x12b);
  Random random(lockstep.seed());
  Clocked<Vring_buffer> rtl;
  RingBuffer twin;
  rtl.reset();
  std::uint64_t base = 0;
  std::uint64_t hits = 0;
  std::uint64_t own_known = 0, own_used = 0, first_uses = 0, uses_again = 0;
  std::uint64_t useful = 0, useless = 0;
  std::uint64_t several = 0;  // overwritten by one record
  while (lockstep.next()) {
    if (lockstep.cycle() % 500 == 0) base = random.bits(44);
    RingBuffer::In in;
    in.granule = random_granule(random, base);
    in.record = random.percent(50);
    in.first = random_granule(random, base);
    in.len = static_cast<unsigned>(random.bits(2));
    in.use = !in.record && random.percent(60);
    in.line = static_cast<unsigned>(random.bits(2));
    in.own_granule = random.percent(10) ? random_granule(random, base)
                                        : (in.first + random.below(in.len + 1)) % kGranules;
    in.own = static_cast<unsigned>(random.bits(2));
    in.flush = random.below(400) == 0;
    rtl->use_i = in.use;
    rtl->line_i = in.line;
    rtl->own_granule_i = in.own_granule;
    rtl->own_i = in.own;
    rtl->granule_i = in.granule;
    rtl->record_i = in.record;
    rtl->first_i = in.first;
    rtl->len_i = in.len;
    rtl->flush_i = in.flush;
    rtl.settle();
    const RingBuffer::Out out = twin.eval(in);
    hits += out.hit;
    lockstep.check("hit_o", rtl->hit_o, out.hit);
    lockstep.check("first_use_o", rtl->first_use_o, out.first_use);
    lockstep.check("own_use_o", rtl->own_use_o, out.own_use);
    lockstep.check("useful_o", rtl->useful_o, out.useful);
    lockstep.check("useless_o", rtl->useless_o, out.useless);
    own_known += in.record && !out.own_use;
    own_used += out.own_use;
    first_uses += out.first_use;
    uses_again += in.use && out.hit && !out.first_use;
    useful += out.useful;
    useless += out.useless;
    several += out.useful != 0 && out.useless != 0;
    twin.clock(in);
    rtl.edge();
    if (random.below(2000) == 0) {
      rtl.reset();
      twin = RingBuffer();
    }
  }
  if (lockstep.cycle() > 100000) {
    EXPECT_GT(hits, lockstep.cycle() / 10);
    EXPECT_LT(hits, lockstep.cycle() - lockstep.cycle() / 10);
    for (const std::uint64_t n :
         {own_known, own_used, first_uses, uses_again, useful, useless, several}) {
      EXPECT_GT(n, lockstep.cycle() / 1000);
    }
  }
}

constexpr std::uint64_t same_set(std::uint64_t i) {
  return i << 20;  // above every hashed bit
}
RingBuffer::Recorded record(RingBuffer& ring, std::uint64_t granule, std::uint64_t own = 0) {
  return ring.record({granule, 0}, own);
}

TEST(RingBuffer, RunsAreCoveredGranuleByGranule) {
  test::shows("sr",
              "Every granule of a recorded MemSpecRd counts as asked for, its neighbours do not",
              "docs/blocks.md, ring_buffer");
  RingBuffer ring;
  ring.record({6, 3}, 24);
  for (std::uint64_t g = 0; g < 16; ++g) EXPECT_EQ(ring.contains(g), g >= 6 && g <= 9);
  ring.flush();
  for (std::uint64_t g = 0; g < 16; ++g) EXPECT_FALSE(ring.contains(g));
}

TEST(RingBuffer, FirstInFirstOutInASet) {
  test::shows("sr", "A full set of the ring forgets its oldest granule",
              "docs/blocks.md, ring_buffer");
  RingBuffer ring;
  for (std::uint64_t i = 0; i < 4; ++i) record(ring, same_set(i));
  record(ring, same_set(0));  // there already: changes nothing
  record(ring, same_set(4));  // pushes out the oldest
  EXPECT_FALSE(ring.contains(same_set(0)));
  for (std::uint64_t i = 1; i <= 4; ++i) EXPECT_TRUE(ring.contains(same_set(i)));
}

TEST(RingBuffer, HashSpreadsAndBanksAreApart) {
  // Bits 7:2, 13:8 and 19:14 are XORed: a step of 4 in any of the three groups is another set.
  RingBuffer ring;
  for (std::uint64_t i = 0; i < 64; ++i) record(ring, i << 8);
  for (std::uint64_t i = 0; i < 64; ++i) EXPECT_TRUE(ring.contains(i << 8));
  // Equal groups cancel: granule 4 * (1 + 64) hashes to set 0, beside granule 0.
  RingBuffer set0(64, 1);
  record(set0, 0);
  record(set0, 4 * 65);
  EXPECT_FALSE(set0.contains(0));
  record(set0, 1);  // bank 1
  EXPECT_TRUE(set0.contains(4 * 65));
}

TEST(RingBuffer, WrapsAtTheTopOfTheAddressSpace) {
  RingBuffer ring;
  ring.record({kGranules - 1, 1}, 0);
  EXPECT_TRUE(ring.contains(kGranules - 1));
  EXPECT_TRUE(ring.contains(0));
  EXPECT_FALSE(ring.use(0));  // its own line, on the far side of the wrap
  EXPECT_TRUE(ring.use(1));
}

TEST(RingBuffer, EachLineIsUsedOnce) {
  test::shows("sr",
              "A line of a granule asked for counts as used once, by the first load that wants it "
              "or by the load that it was asked for",
              "docs/blocks.md, ring_buffer");
  RingBuffer ring;
  EXPECT_FALSE(ring.use(40));  // granule 10 is not here
  const RingBuffer::Recorded first = ring.record({10, 1}, 42);
  EXPECT_TRUE(first.own_use);
  EXPECT_EQ(first.useful + first.useless, 0u);
  EXPECT_FALSE(ring.use(42));  // its own
  for (const std::uint64_t line : {40, 41, 43, 44}) {
    EXPECT_TRUE(ring.use(line));
    EXPECT_FALSE(ring.use(line));
  }
  EXPECT_FALSE(ring.use(48));  // granule 12
  // Asked for again: what was used stays used, a line not used yet becomes so.
  EXPECT_FALSE(ring.record({10, 1}, 44).own_use);
  EXPECT_TRUE(ring.record({10, 1}, 45).own_use);
  EXPECT_FALSE(ring.use(40));
  EXPECT_FALSE(ring.use(45));
  EXPECT_TRUE(ring.use(46));
  // Out of the run its own line means nothing.
  EXPECT_FALSE(ring.record({20, 0}, 47).own_use);
  EXPECT_TRUE(ring.use(47));
}

TEST(RingBuffer, WhatIsOverwrittenWasUsefulOrNot) {
  test::shows("sr",
              "A granule that leaves the ring was useful if a load wanted a line of it, else "
              "useless; a flush forgets it uncounted",
              "docs/blocks.md, ring_buffer");
  RingBuffer ring;
  constexpr std::uint64_t kNone = 99;  // of no granule here
  for (std::uint64_t i = 0; i < 4; ++i) record(ring, same_set(i), kNone);
  EXPECT_TRUE(ring.use(same_set(1) * 4 + 3));
  const auto overwrites = [&](std::uint64_t i) {
    const RingBuffer::Recorded told = record(ring, same_set(i), kNone);
    return std::pair(told.useful, told.useless);
  };
  EXPECT_EQ(overwrites(0), std::pair(0u, 0u));  // there already
  EXPECT_EQ(overwrites(4), std::pair(0u, 1u));  // 0
  EXPECT_EQ(overwrites(5), std::pair(1u, 0u));  // 1
  EXPECT_EQ(overwrites(6), std::pair(0u, 1u));  // 2
  EXPECT_TRUE(ring.use(same_set(4) * 4));       // it leaves two turns later
  EXPECT_EQ(overwrites(7), std::pair(0u, 1u));  // 3
  EXPECT_EQ(overwrites(8), std::pair(1u, 0u));  // 4
  ring.flush();
  for (std::uint64_t i = 20; i < 24; ++i) EXPECT_EQ(overwrites(i), std::pair(0u, 0u));
  EXPECT_EQ(overwrites(24), std::pair(0u, 1u));  // nothing of before the flush

  // One run pushes out what four banks held longest.
  RingBuffer one(64, 1);
  one.record({0, 3}, 6);  // line 6: granule 1 is used
  EXPECT_TRUE(one.use(12));
  const RingBuffer::Recorded all = one.record({same_set(1), 3}, 4 * same_set(1));
  EXPECT_EQ(all.useful, 2u);
  EXPECT_EQ(all.useless, 2u);
}

TEST(RingBuffer, FlushSilencesWhatItWouldTell) {
  RingBuffer ring(64, 1);
  ring.record({5, 0}, 0);
  RingBuffer::In in{.granule = 5, .use = true, .flush = true};
  EXPECT_TRUE(ring.eval(in).hit);
  EXPECT_FALSE(ring.eval(in).first_use);
  in = {.record = true, .first = same_set(1) + 5, .own_granule = same_set(1) + 5};
  EXPECT_EQ(ring.eval(in).useless, 1u);
  EXPECT_TRUE(ring.eval(in).own_use);
  in.flush = true;
  EXPECT_EQ(ring.eval(in).useless, 0u);
  EXPECT_FALSE(ring.eval(in).own_use);
  ring.clock(in);
  EXPECT_FALSE(ring.contains(in.first));
}

}  // namespace
}  // namespace cxlgpu
