// ring_buffer: the twin in lockstep with the RTL, and its rules by hand.
#include "refmodel/root_port/ring_buffer.hpp"

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
  while (lockstep.next()) {
    if (lockstep.cycle() % 500 == 0) base = random.bits(44);
    RingBuffer::In in;
    in.granule = random_granule(random, base);
    in.record = random.percent(50);
    in.first = random_granule(random, base);
    in.len = static_cast<unsigned>(random.bits(2));
    in.flush = random.below(400) == 0;
    rtl->granule_i = in.granule;
    rtl->record_i = in.record;
    rtl->first_i = in.first;
    rtl->len_i = in.len;
    rtl->flush_i = in.flush;
    rtl.settle();
    const bool hit = twin.eval(in).hit;
    hits += hit;
    lockstep.check("hit_o", rtl->hit_o, hit);
    twin.clock(in);
    rtl.edge();
  }
  if (lockstep.cycle() > 100000) {
    EXPECT_GT(hits, lockstep.cycle() / 10);
    EXPECT_LT(hits, lockstep.cycle() - lockstep.cycle() / 10);
  }
}

TEST(RingBuffer, RunsAreCoveredGranuleByGranule) {
  test::shows("sr",
              "Every granule of a recorded MemSpecRd counts as asked for, its neighbours do not",
              "docs/blocks.md, ring_buffer");
  RingBuffer ring;
  ring.record(6, 3);
  for (std::uint64_t g = 0; g < 16; ++g) EXPECT_EQ(ring.contains(g), g >= 6 && g <= 9);
  ring.flush();
  for (std::uint64_t g = 0; g < 16; ++g) EXPECT_FALSE(ring.contains(g));
}

TEST(RingBuffer, FirstInFirstOutInASet) {
  test::shows("sr", "A full set of the ring forgets its oldest granule",
              "docs/blocks.md, ring_buffer");
  RingBuffer ring;
  const auto same_set = [](std::uint64_t i) { return i << 20; };  // above every hashed bit
  for (std::uint64_t i = 0; i < 4; ++i) ring.record(same_set(i), 0);
  ring.record(same_set(0), 0);  // there already: changes nothing
  ring.record(same_set(4), 0);  // pushes out the oldest
  EXPECT_FALSE(ring.contains(same_set(0)));
  for (std::uint64_t i = 1; i <= 4; ++i) EXPECT_TRUE(ring.contains(same_set(i)));
}

TEST(RingBuffer, HashSpreadsAndBanksAreApart) {
  // Bits 7:2, 13:8 and 19:14 are XORed: a step of 4 in any of the three groups is another set.
  RingBuffer ring;
  for (std::uint64_t i = 0; i < 64; ++i) ring.record(i << 8, 0);
  for (std::uint64_t i = 0; i < 64; ++i) EXPECT_TRUE(ring.contains(i << 8));
  // Equal groups cancel: granule 4 * (1 + 64) hashes to set 0, beside granule 0.
  RingBuffer set0(64, 1);
  set0.record(0, 0);
  set0.record(4 * 65, 0);
  EXPECT_FALSE(set0.contains(0));
  set0.record(1, 0);  // bank 1
  EXPECT_TRUE(set0.contains(4 * 65));
}

TEST(RingBuffer, WrapsAtTheTopOfTheAddressSpace) {
  RingBuffer ring;
  ring.record(kGranules - 1, 1);
  EXPECT_TRUE(ring.contains(kGranules - 1));
  EXPECT_TRUE(ring.contains(0));
}

}  // namespace
}  // namespace cxlgpu
