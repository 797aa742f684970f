// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// hint_walker: the twin in lockstep with the RTL, and rules by hand. What a step tells is the
// twin's, which the RTL has said too.
#include "refmodel/host_bridge/hint_walker.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <optional>
#include <vector>

#include "Vhint_walker.h"
#include "tests/common/idle.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/offer.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_endpoint.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr std::uint64_t kMask = HintWalker::kGranuleMask;

// Of hint_walker_tb.sv.
struct Size {
  unsigned choice, depth, ports;
};
constexpr Size kBridge{0, 16, 2}, kLeast{1, 1, 4}, kGreatest{2, 64, 1}, kFour{3, 16, 4};
constexpr std::array kSizes{kBridge, kLeast, kGreatest, kFour};

class Pair {
 public:
  explicit Pair(Size size = kBridge, std::uint64_t seed = 0, std::uint64_t cycles = 200'000)
      : size(size), lockstep("host_bridge/hint_walker", seed, cycles), twin_(size.depth) {
    rtl_->size_i = size.choice;
    rtl_.reset();
  }
  // The HDM decoder's answer, if it is asked: in.target.
  HintWalker::Out step(HintWalker::In in) {
    rtl_->in_valid_i = in.in_valid;
    rtl_->in_first_i = in.first;
    rtl_->in_len_i = in.len;
    if (!in.in_valid) {
      idle_.fill(rtl_->in_first_i, 0, 44);
      idle_.fill(rtl_->in_len_i, 0, 12);
    }
    rtl_->free_i = in.free;
    rtl_->port_ready_i = in.port_ready;
    rtl_->hit_i = in.target.has_value();
    rtl_->port_i = in.target.value_or(0);
    if (!in.target) idle_.fill(rtl_->port_i, 0, 2);
    rtl_.settle();
    const HintWalker::Out out = twin_.eval(in);
    lockstep.check("ask_o", rtl_->ask_o, out.ask);
    lockstep.check("granule_o", rtl_->granule_o, out.granule);
    lockstep.check("port_valid_o", rtl_->port_valid_o, out.port_valid);
    lockstep.check("port_granule_o", rtl_->port_granule_o, out.port_granule);
    lockstep.check("lost_o", rtl_->lost_o, out.lost);
    lockstep.check("miss_o", rtl_->miss_o, out.miss);
    offer_.look(rtl_->port_valid_o != 0, (rtl_->port_valid_o & in.port_ready) != 0,
                rtl_->port_valid_o, rtl_->port_granule_o);
    meet(in);
    twin_.clock(in);
    rtl_.edge();
    return out;
  }
  void reset() {
    rtl_.reset();
    twin_ = HintWalker(size.depth);
    lengths_.clear();
    offer_.forget();
  }
  [[nodiscard]] std::uint64_t stalls() const { return offer_.stalls(); }

  const Size size;
  Lockstep lockstep;

 private:
  // By what the RTL says. Hints held are counted here, of which it says only when one is lost.
  void meet(const HintWalker::In& in) {
    using coverage::HintPasses;
    const bool waits = rtl_->port_valid_o != 0;
    const bool leaves = (rtl_->port_valid_o & in.port_ready) != 0;
    const auto passes = !rtl_->ask_o        ? HintPasses::No
                        : waits && !leaves  ? HintPasses::Waits
                        : rtl_->miss_o != 0 ? HintPasses::Over
                                            : HintPasses::ToPort;
    if (size.depth <= 16 && size.ports != 2) {
      pairs_.hit({size.depth == 16,
                  !in.in_valid   ? 0u
                  : rtl_->lost_o ? 2u
                                 : 1u,
                  static_cast<unsigned>(passes),
                  !waits   ? 0u
                  : leaves ? 2u
                           : 1u,
                  lengths_.empty()                ? 0u
                  : lengths_.size() == size.depth ? 2u
                                                  : 1u});
    }
    if (passes >= HintPasses::ToPort && !lengths_.empty() && lengths_.front()-- == 0) {
      lengths_.pop_front();
    }
    if (in.in_valid && !rtl_->lost_o) lengths_.push_back(in.len);
  }

  Clocked<Vhint_walker> rtl_;
  HintWalker twin_;
  test::Idle idle_;
  test::Offer offer_{"port_o"};
  test::TestCoverage pairs_{coverage::hint_walker_pairs()};
  std::deque<unsigned> lengths_;  // of the hints held, granules less one
};

void run_in_lockstep(Pair& pair) {
  Random random(pair.lockstep.seed());
  unsigned hints = 50, frees = 50, hits = 50, takes = 50;  // percent
  unsigned longest = 4;
  std::uint64_t lost = 0, missed = 0, passed = 0, wrapped = 0, waited = 0;
  while (pair.lockstep.next()) {
    if (pair.lockstep.cycle() % 300 == 1) {
      for (unsigned* p : {&hints, &frees, &hits, &takes}) {
        *p = static_cast<unsigned>(random.percent(30) ? 100 : random.below(101));
      }
      longest = random.pick(std::array{1u, 2u, 4u, 16u, 4096u});
      if (random.percent(50)) hints /= longest > 16 ? 50 : longest;
    }
    HintWalker::In in;
    in.in_valid = random.percent(hints);
    in.first = random.percent(10) ? kMask - random.below(4) : random.bits(44);
    in.len = static_cast<unsigned>(random.below(longest));
    in.free = random.percent(frees);
    if (random.percent(hits)) in.target = static_cast<unsigned>(random.below(pair.size.ports));
    in.port_ready = random.bits(pair.size.ports);
    if (random.percent(takes)) in.port_ready = (1u << pair.size.ports) - 1;
    const HintWalker::Out out = pair.step(in);
    lost += out.lost;
    missed += out.miss;
    passed += out.passes && in.target;
    wrapped += out.passes && out.granule == kMask;
    waited += out.ask && !out.passes;
    if (random.below(3000) == 0) pair.reset();
  }
  if (pair.lockstep.cycle() > 50'000) {
    EXPECT_GT(lost, 1000u);
    EXPECT_GT(missed, 1000u);
    EXPECT_GT(passed, 1000u);
    EXPECT_GT(wrapped, 100u);
    EXPECT_GT(waited, 1000u);
    EXPECT_GT(pair.stalls(), 1000u);
  }
}

TEST(HintWalker, LockstepWithRtl) {
  Pair pair(kBridge, 0x41);
  run_in_lockstep(pair);
}

TEST(HintWalker, LeastInLockstepWithRtl) {
  Pair pair(kLeast, 0x42, 100'000);
  run_in_lockstep(pair);
}

TEST(HintWalker, GreatestInLockstepWithRtl) {
  Pair pair(kGreatest, 0x43, 100'000);
  run_in_lockstep(pair);
}

TEST(HintWalker, FourPortsInLockstepWithRtl) {
  Pair pair(kFour, 0x44, 100'000);
  run_in_lockstep(pair);
}

// A granule of a hint that is expected at a port or to be passed over.
struct Expected {
  std::uint64_t granule = 0;
  std::optional<unsigned> port;
};

// Each port takes a granule so many cycles after it came, the decoder is free at a constant rate:
// every granule arrives, in order, and in bounded time.
TEST(HintWalker, ConstantLatency) {
  for (const Size size : kSizes) {
    for (const unsigned latency : {1u, 10u, 100u, 400u}) {
      for (const unsigned every : {1u, 3u}) {
        SCOPED_TRACE(testing::Message() << "depth " << size.depth << " latency " << latency);
        Pair pair(size);
        std::deque<Expected> expected;
        unsigned held = 0, since = 0, granules = 0, cycle = 0;
        constexpr unsigned kHints = 8, kLen = 5;
        for (unsigned hints = 0; hints < kHints || !expected.empty(); ++cycle) {
          ASSERT_LT(cycle, kHints * kLen * (latency + every + 1) + 100);
          HintWalker::In in;
          in.in_valid = hints < kHints && held < size.depth;
          if (in.in_valid) {
            in.first = 1000 * hints;
            in.len = kLen - 1;
            for (unsigned i = 0; i < kLen; ++i) {
              const std::uint64_t granule = in.first + i;
              expected.push_back({granule, static_cast<unsigned>(granule % size.ports)});
            }
            ++hints;
            ++held;
          }
          in.free = cycle % every == 0;
          if (granules < kHints * kLen) {
            in.target = (1000 * (granules / kLen) + granules % kLen) % size.ports;
          }
          if (since + 1 >= latency) in.port_ready = (1u << size.ports) - 1;
          const HintWalker::Out out = pair.step(in);
          EXPECT_FALSE(out.lost);
          if (out.passes && ++granules % kLen == 0) --held;
          since = out.port_valid != 0 ? since + 1 : 0;
          if ((out.port_valid & in.port_ready) == 0) continue;
          since = 0;
          EXPECT_EQ(out.port_granule, expected.front().granule);
          EXPECT_EQ(out.port_valid, 1u << *expected.front().port);
          expected.pop_front();
        }
      }
    }
  }
}

// From the page alone.

HintWalker::In hint(std::uint64_t first, unsigned len) {
  HintWalker::In in;
  in.in_valid = true;
  in.first = first;
  in.len = len;
  return in;
}

// What is left of them, each granule to port 0 at once.
std::vector<std::uint64_t> drain(Pair& pair) {
  std::vector<std::uint64_t> granules;
  for (unsigned empty = 0; empty < 3;) {
    HintWalker::In in;
    in.free = true;
    in.target = 0;
    in.port_ready = 1;
    const HintWalker::Out out = pair.step(in);
    if (out.port_valid != 0) granules.push_back(out.port_granule);
    empty = out.port_valid != 0 ? 0 : empty + 1;
  }
  return granules;
}

// So many are held and no more, nor if a place becomes free in that cycle.
TEST(HintWalker, LostWhenFull) {
  for (const Size size : kSizes) {
    SCOPED_TRACE(size.depth);
    Pair pair(size);
    for (unsigned i = 0; i < size.depth; ++i) EXPECT_FALSE(pair.step(hint(10 * i, 0)).lost);
    for (unsigned i = 0; i < 3; ++i) EXPECT_TRUE(pair.step(hint(5000 + i, 0)).lost);
    HintWalker::In in = hint(6000, 0);  // the first one's last granule is decoded
    in.free = true;
    in.target = 0;
    HintWalker::Out out = pair.step(in);
    EXPECT_TRUE(out.ask && out.granule == 0);
    EXPECT_TRUE(out.lost);
    EXPECT_FALSE(pair.step(hint(7000, 0)).lost);  // now it has
    EXPECT_TRUE(pair.step(hint(7001, 0)).lost);
    std::vector<std::uint64_t> expected;
    for (unsigned i = 0; i < size.depth; ++i) expected.push_back(10 * i);
    expected.push_back(7000);
    EXPECT_EQ(drain(pair), expected);
  }
}

// A place is held until the last granule was decoded.
TEST(HintWalker, APlaceUntilTheLastGranule) {
  Pair pair(kLeast);
  EXPECT_FALSE(pair.step(hint(100, 2)).lost);
  for (unsigned i = 0; i < 3; ++i) {
    HintWalker::In in = hint(200, 0);
    in.free = true;  // no port serves them
    const HintWalker::Out out = pair.step(in);
    EXPECT_TRUE(out.lost && out.miss);
    EXPECT_EQ(out.granule, 100u + i);
  }
  EXPECT_FALSE(pair.step(hint(200, 0)).lost);
}

TEST(HintWalker, GranulesUpwardsModulo) {
  Pair pair;
  pair.step(hint(kMask - 1, 3));
  pair.step(hint(7, 0));
  pair.step(hint(0x800'0000'0000, 4095));
  std::vector<std::uint64_t> expected{kMask - 1, kMask, 0, 1, 7};
  for (std::uint64_t i = 0; i < 4096; ++i) expected.push_back(0x800'0000'0000 + i);
  EXPECT_EQ(drain(pair), expected);
}

// A granule a cycle, also from one hint to the next; a hint is asked about from the next cycle on.
TEST(HintWalker, AGranuleACycle) {
  Pair pair(kFour);
  for (unsigned cycle = 0; cycle < 12; ++cycle) {
    HintWalker::In in;
    if (cycle < 3) in = hint(100 * cycle, 2);
    in.free = true;
    in.port_ready = 0xf;
    if (cycle >= 1 && cycle < 10) in.target = cycle % 4;
    const HintWalker::Out out = pair.step(in);
    const unsigned asked = cycle - 1;  // granule
    EXPECT_EQ(out.ask, cycle >= 1 && cycle < 10) << cycle;
    EXPECT_EQ(out.granule, out.ask ? 100 * (asked / 3) + asked % 3 : 0u) << cycle;
    const bool at_port = cycle >= 2 && cycle < 11;
    EXPECT_EQ(out.port_valid, at_port ? 1u << asked % 4 : 0u) << cycle;
    EXPECT_EQ(out.port_granule, at_port ? 100 * ((asked - 1) / 3) + (asked - 1) % 3 : 0u) << cycle;
  }
}

// Nothing is decoded in a cycle in which the decoder is not free.
TEST(HintWalker, OnlyFreeCycles) {
  Pair pair;
  pair.step(hint(40, 3));
  HintWalker::In in;
  in.port_ready = 3;
  in.target = 1;
  for (unsigned i = 0; i < 50; ++i) {
    const HintWalker::Out out = pair.step(in);
    EXPECT_FALSE(out.ask || out.miss || out.port_valid != 0);
    EXPECT_EQ(out.granule, 0u);
  }
  for (unsigned i = 0; i < 4; ++i) {
    in.free = true;
    HintWalker::Out out = pair.step(in);
    EXPECT_TRUE(out.ask);
    EXPECT_EQ(out.granule, 40u + i);
    in.free = false;
    out = pair.step(in);
    EXPECT_FALSE(out.ask);
    EXPECT_EQ(out.port_valid, 2u);
    EXPECT_EQ(out.port_granule, 40u + i);
    EXPECT_EQ(pair.step(in).port_valid, 0u);
  }
}

// One granule waits for its port; those behind it wait, whatever their port, and are not counted.
TEST(HintWalker, OneGranuleWaits) {
  Pair pair;
  pair.step(hint(8, 2));
  HintWalker::In in;
  in.free = true;
  in.target = 0;
  pair.step(in);
  for (unsigned i = 0; i < 10; ++i) {
    in.target = i % 2 == 0 ? std::optional<unsigned>(1) : std::nullopt;
    in.port_ready = 2;  // not the one
    const HintWalker::Out out = pair.step(in);
    EXPECT_EQ(out.port_valid, 1u);
    EXPECT_EQ(out.port_granule, 8u);
    EXPECT_FALSE(out.miss);
  }
  in.port_ready = 1;
  in.target = 1;
  EXPECT_EQ(pair.step(in).granule, 9u);  // passed on in the cycle in which that one is taken
  HintWalker::Out out = pair.step(in);
  EXPECT_EQ(out.port_valid, 2u);
  EXPECT_EQ(out.port_granule, 9u);
  in.port_ready = 2;
  in.target.reset();
  out = pair.step(in);
  EXPECT_TRUE(out.miss);
  EXPECT_EQ(out.granule, 10u);
  out = pair.step(in);
  EXPECT_FALSE(out.ask || out.miss || out.port_valid != 0);
}

// A granule that no port serves is passed over, a cycle each.
TEST(HintWalker, PassedOver) {
  Pair pair;
  pair.step(hint(0, 9));
  for (unsigned i = 0; i < 10; ++i) {
    HintWalker::In in;
    in.free = true;
    if (i % 3 == 2) in.target = 1;
    in.port_ready = 2;
    const HintWalker::Out out = pair.step(in);
    EXPECT_EQ(out.granule, i);
    EXPECT_EQ(out.miss, i % 3 != 2);
    EXPECT_EQ(out.port_valid, i != 0 && i % 3 == 0 ? 2u : 0u);
  }
}

}  // namespace
}  // namespace cxlgpu
