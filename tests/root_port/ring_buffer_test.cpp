// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ring_buffer: the twin in lockstep with the RTL, and rules by hand on the RTL's outputs.
#include "refmodel/root_port/ring_buffer.hpp"

#include <array>
#include <utility>
#include <vector>

#include "Vring_buffer.h"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_root_port.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr std::uint64_t kGranules = std::uint64_t{1} << 44;

// Twin and RTL, one cycle a step. What is told is the RTL's.
class Pair {
 public:
  // Of ring_buffer_tb.sv: as in a root port, one set of one way, 256 sets, or one set: the most and
  // the fewest of a root port.
  enum class Size : std::uint8_t { RootPort, Least, Greatest, OneSet };
  explicit Pair(std::uint64_t seed, Size size = Size::RootPort, std::uint64_t cycles = 200'000)
      : lockstep("root_port/ring_buffer", seed, cycles), size_(size) {
    rtl_->size_i = static_cast<unsigned>(size);
    rtl_.reset();
  }

  RingBuffer::Out step(const RingBuffer::In& in) {
    rtl_->use_i = in.use;
    rtl_->line_i = in.line;
    rtl_->own_granule_i = in.own_granule;
    rtl_->own_i = in.own;
    rtl_->granule_i = in.granule;
    rtl_->record_i = in.record;
    rtl_->first_i = in.first;
    rtl_->len_i = in.len;
    rtl_->flush_i = in.flush;
    rtl_.settle();
    const RingBuffer::Out twin = twin_.eval(in);
    const RingBuffer::Out seen{.hit = rtl_->hit_o != 0,
                               .line_hit = rtl_->line_hit_o != 0,
                               .first_use = rtl_->first_use_o != 0,
                               .own_use = rtl_->own_use_o != 0,
                               .useful = rtl_->useful_o,
                               .useless = rtl_->useless_o};
    lockstep.check("hit_o", seen.hit, twin.hit);
    lockstep.check("line_hit_o", seen.line_hit, twin.line_hit);
    lockstep.check("first_use_o", seen.first_use, twin.first_use);
    lockstep.check("own_use_o", seen.own_use, twin.own_use);
    lockstep.check("useful_o", seen.useful, twin.useful);
    lockstep.check("useless_o", seen.useless, twin.useless);
    meet(in, seen);
    twin_.clock(in);
    rtl_.edge();
    return seen;
  }
  void reset() {
    rtl_.reset();
    twin_ = fresh();
  }

  Lockstep lockstep;

 private:
  [[nodiscard]] RingBuffer fresh() const {
    return size_ == Size::Least      ? RingBuffer(1, 1)
           : size_ == Size::Greatest ? RingBuffer(256, 4)
           : size_ == Size::OneSet   ? RingBuffer(1, 4)
                                     : RingBuffer(64, 4);
  }
  void meet(const RingBuffer::In& in, const RingBuffer::Out& seen) {
    using coverage::RingLook;
    using coverage::RingOp;
    const std::uint64_t own = in.own_granule * 4 + in.own;
    RingLook look = seen.hit ? RingLook::Hit : RingLook::Miss;
    std::vector<RingOp> ops;
    if (in.use) {
      ops.push_back(!seen.hit                                   ? RingOp::UseMiss
                    : twin_.would_use(in.granule * 4 + in.line) ? RingOp::UseFirst
                                                                : RingOp::UseAgain);
    } else if (in.record) {
      const RingBuffer::Recorded told = twin_.would_record({in.first, in.len}, own);
      bool there = true;
      for (unsigned i = 0; i <= in.len; ++i) {
        const std::uint64_t granule = (in.first + i) % kGranules;
        there &= twin_.contains(granule);
        if (granule == in.granule) look = RingLook::Recorded;
      }
      if (told.useful != 0) ops.push_back(RingOp::RecordUseful);
      if (told.useless != 0) ops.push_back(RingOp::RecordUseless);
      if (ops.empty()) ops.push_back(there ? RingOp::RecordThere : RingOp::RecordNew);
      if (look == RingLook::Hit && told.useful + told.useless != 0) {
        RingBuffer after = twin_;
        after.record({in.first, in.len}, own);
        if (!after.contains(in.granule)) look = RingLook::Evicted;
      }
    } else {
      ops.push_back(RingOp::None);
    }
    if (size_ == Size::Greatest || size_ == Size::OneSet) return;  // the bins know the other two
    for (const RingOp op : ops) {
      pairs_.hit({size_ == Size::Least ? 0u : 1u, static_cast<unsigned>(op),
                  static_cast<unsigned>(look), in.flush});
    }
  }

  Clocked<Vring_buffer> rtl_;
  const Size size_;
  RingBuffer twin_{fresh()};
  test::TestCoverage pairs_{coverage::ring_buffer_pairs()};
};

// Few sets, so that ways run out; now and then anything, or the wrap at the top.
std::uint64_t random_granule(Random& random, std::uint64_t base) {
  if (random.percent(5)) return random.bits(44);
  if (random.percent(3)) return kGranules - 1 - random.below(4);
  const std::uint64_t far = random.bits(2) << 22;  // above the hash: the same set
  return (base + random.below(24) + far) % kGranules;
}

// `rare`: of a product's events each is seen once in so many cycles.
void run_in_lockstep(Pair& pair, bool product, unsigned rare = 1000) {
  Lockstep& lockstep = pair.lockstep;
  Random random(lockstep.seed());
  std::uint64_t base = 0, flushes = 400;  // one in so many cycles
  std::uint64_t hits = 0;
  GranuleRun last;
  std::uint64_t own_known = 0, own_used = 0, first_uses = 0, uses_again = 0;
  std::uint64_t useful = 0, useless = 0;
  std::uint64_t several = 0;  // overwritten by one record
  while (lockstep.next()) {
    if (lockstep.cycle() % 500 == 0) {
      base = random.bits(44);
      if (!product) flushes = random.pick(std::array{8u, 50u});
    }
    RingBuffer::In in;
    in.granule = random_granule(random, base);
    in.record = random.percent(50);
    in.first = random_granule(random, base);
    in.len = static_cast<unsigned>(random.bits(2));
    if (!product && random.percent(30)) {  // what was recorded last, if it is there yet
      in.first = last.first;
      in.len = last.len;
    }
    if (in.record) last = {in.first, in.len};
    in.use = !in.record && random.percent(60);
    in.line = static_cast<unsigned>(random.bits(2));
    in.own_granule = random.percent(10) ? random_granule(random, base)
                                        : (in.first + random.below(in.len + 1)) % kGranules;
    in.own = static_cast<unsigned>(random.bits(2));
    in.flush = random.below(flushes) == 0;
    const RingBuffer::Out out = pair.step(in);
    hits += out.hit;
    own_known += in.record && !out.own_use;
    own_used += out.own_use;
    first_uses += out.first_use;
    uses_again += in.use && out.hit && !out.first_use;
    useful += out.useful;
    useless += out.useless;
    several += out.useful != 0 && out.useless != 0;
    if (random.below(2000) == 0) pair.reset();
  }
  if (product && lockstep.cycle() > 100000) {
    EXPECT_GT(hits, lockstep.cycle() / 10);
    EXPECT_LT(hits, lockstep.cycle() - lockstep.cycle() / 10);
    for (const std::uint64_t n :
         {own_known, own_used, first_uses, uses_again, useful, useless, several}) {
      EXPECT_GT(n, lockstep.cycle() / rare);
    }
  }
}

TEST(RingBuffer, LockstepWithRtl) {
  test::shows("sr", "The RTL's ring hits where its twin does",
              "docs/blocks/root_port/ring_buffer.md");
  Pair pair(0x12b);
  run_in_lockstep(pair, true);
}

TEST(RingBuffer, LeastInLockstepWithRtl) {
  Pair pair(0x12c, Pair::Size::Least, 100'000);
  run_in_lockstep(pair, false);
}

TEST(RingBuffer, OneSetInLockstepWithRtl) {
  Pair pair(0x12e, Pair::Size::OneSet, 100'000);
  run_in_lockstep(pair, false);
}

TEST(RingBuffer, GreatestInLockstepWithRtl) {
  Pair pair(0x12d, Pair::Size::Greatest, 100'000);
  run_in_lockstep(pair, true, 4000);  // in four times the sets less is overwritten
}

constexpr std::uint64_t same_set(std::uint64_t i) {
  return i << 20;  // above every hashed bit
}
constexpr std::uint64_t kNoLine = 4 * (kGranules - 9);  // of no granule that is recorded

// A ring of 64 sets and 4 ways, as in a root port.
class Ring {
 public:
  bool contains(std::uint64_t granule) { return pair_.step({.granule = granule}).hit; }
  bool use(std::uint64_t line) {
    return pair_.step({.granule = line / 4, .use = true, .line = static_cast<unsigned>(line % 4)})
        .first_use;
  }
  RingBuffer::Out record(std::uint64_t first, unsigned len, std::uint64_t own = kNoLine) {
    return step({.record = true,
                 .first = first,
                 .len = len,
                 .own_granule = own / 4,
                 .own = static_cast<unsigned>(own % 4)});
  }
  void flush() { step({.flush = true}); }
  RingBuffer::Out step(const RingBuffer::In& in) { return pair_.step(in); }

 private:
  Pair pair_{1};
};

TEST(RingBuffer, RunsAreCoveredGranuleByGranule) {
  test::shows("sr",
              "Every granule of a recorded MemSpecRd counts as prefetched, its neighbours do not",
              "docs/blocks/root_port/ring_buffer.md");
  for (std::uint64_t first = 0; first < 5; ++first) {
    for (unsigned len = 0; len < 4; ++len) {
      Ring ring;
      ring.record(first, len);
      for (std::uint64_t g = 0; g < 16; ++g) {
        EXPECT_EQ(ring.contains(g), g >= first && g <= first + len) << first << " " << len;
      }
      ring.flush();
      for (std::uint64_t g = 0; g < 16; ++g) EXPECT_FALSE(ring.contains(g));
    }
  }
}

TEST(RingBuffer, FirstInFirstOutInASet) {
  test::shows("sr", "A full set of the ring forgets its oldest granule",
              "docs/blocks/root_port/ring_buffer.md");
  Ring ring;
  for (std::uint64_t i = 0; i < 4; ++i) ring.record(same_set(i), 0);
  ring.record(same_set(0), 0);  // there already: changes nothing
  for (std::uint64_t i = 4; i < 15; ++i) {
    ring.record(same_set(i), 0);  // pushes out the oldest
    for (std::uint64_t j = 0; j <= i; ++j) {
      EXPECT_EQ(ring.contains(same_set(j)), j + 4 > i) << j << " after " << i;
    }
  }
}

// All 1024 granules that there is room for, then as many again.
TEST(RingBuffer, FullAndOverFull) {
  Ring ring;
  for (std::uint64_t g = 0; g < 1024; g += 4) {
    const RingBuffer::Out out = ring.record(g, 3);
    EXPECT_EQ(out.useful + out.useless, 0u);
  }
  for (std::uint64_t g = 0; g < 1024; ++g) EXPECT_TRUE(ring.contains(g)) << g;
  for (std::uint64_t g = 0; g < 1024; g += 8) EXPECT_TRUE(ring.use(4 * g + g / 8 % 4));
  for (std::uint64_t g = 1024; g < 2048; g += 4) {
    // In the order in which they came, set by set: four granules, every second time with a used
    // one.
    const RingBuffer::Out out = ring.record(g, 3);
    EXPECT_EQ(out.useful, g % 8 == 0 ? 1u : 0u) << g;
    EXPECT_EQ(out.useless, g % 8 == 0 ? 3u : 4u) << g;
  }
  for (std::uint64_t g = 0; g < 2048; ++g) EXPECT_EQ(ring.contains(g), g >= 1024) << g;
  // What came in place of a used granule is not used itself.
  for (std::uint64_t g = 2048; g < 3072; g += 4) {
    const RingBuffer::Out out = ring.record(g, 3);
    EXPECT_EQ(out.useful, 0u) << g;
    EXPECT_EQ(out.useless, 4u) << g;
  }
}

TEST(RingBuffer, HashSpreadsAndBanksAreApart) {
  // Bits 7:2, 13:8 and 19:14 are XORed: a step of 4 in any of the three groups is another set.
  Ring ring;
  for (std::uint64_t i = 0; i < 64; ++i) ring.record(i << 8, 0);
  for (std::uint64_t i = 0; i < 64; ++i) EXPECT_TRUE(ring.contains(i << 8));
  // Equal groups cancel: granules 4 * (n + 64 n) hash to set 0, beside granule 0.
  Ring set0;
  for (std::uint64_t i = 0; i < 5; ++i) set0.record(4 * 65 * i, 0);
  EXPECT_FALSE(set0.contains(0));
  for (std::uint64_t i = 1; i < 5; ++i) EXPECT_TRUE(set0.contains(4 * 65 * i));
  set0.record(1, 0);  // bank 1
  EXPECT_TRUE(set0.contains(4 * 65));
}

TEST(RingBuffer, WrapsAtTheTopOfTheAddressSpace) {
  Ring ring;
  ring.record(kGranules - 1, 1, 0);
  EXPECT_TRUE(ring.contains(kGranules - 1));
  EXPECT_TRUE(ring.contains(0));
  EXPECT_FALSE(ring.contains(1));
  EXPECT_FALSE(ring.use(0));  // its own line, on the far side of the wrap
  EXPECT_TRUE(ring.use(1));
}

TEST(RingBuffer, EachLineIsUsedOnce) {
  test::shows("sr",
              "A line of a prefetched granule counts as used once, by the first load of it or by "
              "the load that caused the prefetch",
              "docs/blocks/root_port/ring_buffer.md");
  Ring ring;
  EXPECT_FALSE(ring.use(40));  // granule 10 is not here
  const RingBuffer::Out first = ring.record(10, 1, 42);
  EXPECT_TRUE(first.own_use);
  EXPECT_EQ(first.useful + first.useless, 0u);
  EXPECT_FALSE(ring.use(42));  // its own
  for (const std::uint64_t line : {40, 41, 43, 44}) {
    EXPECT_TRUE(ring.use(line));
    EXPECT_FALSE(ring.use(line));
  }
  EXPECT_FALSE(ring.use(48));  // granule 12
  // Asked for again: what was used stays used, a line not used yet becomes so.
  EXPECT_FALSE(ring.record(10, 1, 44).own_use);
  EXPECT_TRUE(ring.record(10, 1, 45).own_use);
  EXPECT_FALSE(ring.use(40));
  EXPECT_FALSE(ring.use(45));
  EXPECT_TRUE(ring.use(46));
  // Out of the run its own line means nothing.
  EXPECT_FALSE(ring.record(20, 0, 47).own_use);
  EXPECT_TRUE(ring.use(47));
}

TEST(RingBuffer, WhatIsOverwrittenWasUsefulOrNot) {
  test::shows("sr",
              "A granule that leaves the ring was useful if a load used a line of it, else "
              "useless; a flush removes it uncounted",
              "docs/blocks/root_port/ring_buffer.md");
  Ring ring;
  for (std::uint64_t i = 0; i < 4; ++i) ring.record(same_set(i), 0);
  EXPECT_TRUE(ring.use(same_set(1) * 4 + 3));
  const auto overwrites = [&](std::uint64_t i) {
    const RingBuffer::Out told = ring.record(same_set(i), 0);
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
  Ring four;
  four.record(0, 3, 6);  // line 6: granule 1 is used
  EXPECT_TRUE(four.use(12));
  for (std::uint64_t i = 1; i < 4; ++i) four.record(same_set(i), 3);
  const RingBuffer::Out all = four.record(same_set(4), 3, 4 * same_set(4));
  EXPECT_EQ(all.useful, 2u);
  EXPECT_EQ(all.useless, 2u);
}

// Every change with every look and a flush in the same cycle: what is looked up is what was there
// before, and a flush leaves nothing and tells nothing.
TEST(RingBuffer, EveryChangeMeetsALookAndAFlush) {
  using coverage::RingLook;
  using coverage::RingOp;
  for (unsigned o = 0; o <= static_cast<unsigned>(RingOp::RecordUseless); ++o) {
    for (unsigned l = 0; l <= static_cast<unsigned>(RingLook::Evicted); ++l) {
      for (const bool flush : {false, true}) {
        SCOPED_TRACE(testing::Message() << "change " << o << " look " << l << " flush " << flush);
        const auto op = static_cast<RingOp>(o);
        const auto look = static_cast<RingLook>(l);
        const bool evicts = op == RingOp::RecordUseful || op == RingOp::RecordUseless;
        const bool uses = op == RingOp::UseMiss || op == RingOp::UseFirst || op == RingOp::UseAgain;
        Ring ring;
        for (std::uint64_t i = 0; i < 4; ++i) ring.record(same_set(i), 0);
        if (op == RingOp::RecordUseful) ring.use(4 * same_set(0) + 1);
        if (op == RingOp::UseAgain) ring.use(4 * same_set(3) + 2);
        RingBuffer::In in{.line = 2, .flush = flush};
        in.use = uses;
        in.record = o >= static_cast<unsigned>(RingOp::RecordNew);
        in.own_granule = in.first = op == RingOp::RecordNew     ? 1
                                    : op == RingOp::RecordThere ? same_set(2)
                                                                : same_set(4);
        in.granule = uses                        ? same_set(op == RingOp::UseMiss ? 9 : 3)
                     : look == RingLook::Miss    ? same_set(9)
                     : look == RingLook::Hit     ? same_set(3)
                     : look == RingLook::Evicted ? same_set(0)
                                                 : in.first;
        const bool there =
            in.granule == same_set(0) || in.granule == same_set(3) || in.granule == same_set(2);
        const RingBuffer::Out out = ring.step(in);
        EXPECT_EQ(out.hit, there);
        EXPECT_EQ(out.first_use, op == RingOp::UseFirst && !flush);
        EXPECT_EQ(out.own_use, in.record && !flush);
        EXPECT_EQ(out.useful, op == RingOp::RecordUseful && !flush ? 1u : 0u);
        EXPECT_EQ(out.useless, op == RingOp::RecordUseless && !flush ? 1u : 0u);
        for (std::uint64_t i = 0; i < 5; ++i) {
          const bool held = (i != 0 || !evicts) && (i != 4 || evicts);
          EXPECT_EQ(ring.contains(same_set(i)), held && !flush) << i;
        }
        EXPECT_EQ(ring.contains(1), op == RingOp::RecordNew && !flush);
      }
    }
  }
}

}  // namespace
}  // namespace cxlgpu
