// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// hint_queue: the twin in lockstep with the RTL, and rules by hand. What a step tells is the
// twin's, which the RTL has said too.
#include "refmodel/root_port/hint_queue.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "Vhint_queue.h"
#include "tests/common/idle.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/offer.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_root_port.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr std::array<std::uint8_t, 4> kLeastPause{};  // 2^0 cycles a granule: the least

class Pair {
 public:
  explicit Pair(std::uint64_t seed = 0, std::uint64_t cycles = 300'000)
      : lockstep("root_port/hint_queue", seed, cycles) {
    rtl_.reset();
  }
  HintQueue::Out step(const HintQueue::In& in) {
    rtl_->enable_i = in.enable;
    rtl_->len_en_i = in.len_en;
    unsigned interval = 0;
    for (unsigned level = 0; level < 4; ++level) interval |= in.interval[level] << 4 * level;
    rtl_->interval_i = static_cast<std::uint16_t>(interval);
    rtl_->level_i = static_cast<unsigned>(in.level);
    rtl_->in_valid_i = in.in_valid;
    rtl_->in_granule_i = in.granule;
    if (!in.in_valid) idle_.fill(rtl_->in_granule_i, 0, 44);
    rtl_->hint_ready_i = in.hint_ready;
    rtl_.settle();
    const HintQueue::Out out = twin_.eval(in);
    if (in.in_valid) lockstep.check("in_ready_o", rtl_->in_ready_o, out.in_ready);
    lockstep.check("hint_valid_o", rtl_->hint_valid_o, out.hint_valid);
    lockstep.check("hint_first_o", rtl_->hint_first_o, out.run.first);
    lockstep.check("hint_len_o", rtl_->hint_len_o, out.run.len);
    lockstep.check("granules_o", rtl_->granules_o, out.counters.granules);
    lockstep.check("issued_o", rtl_->issued_o, out.counters.issued);
    lockstep.check("dropped_o", rtl_->dropped_o, out.counters.dropped);
    if (!in.enable) offer_.forget();
    offer_.look(rtl_->hint_valid_o, in.hint_ready, rtl_->hint_first_o, rtl_->hint_len_o);
    meet(in);
    twin_.clock(in);
    rtl_.edge();
    return out;
  }
  void reset() {
    rtl_.reset();
    twin_ = HintQueue();
    held_ = false;
    offer_.forget();
  }
  [[nodiscard]] std::uint64_t stalls() const { return offer_.stalls(); }

  Lockstep lockstep;

 private:
  void meet(const HintQueue::In& in) {
    using coverage::HintComes, coverage::HintRun;
    const bool taken = rtl_->hint_valid_o != 0 && in.hint_ready;
    const auto comes = !in.in_valid            ? HintComes::Nothing
                       : !in.enable            ? HintComes::Dropped
                       : rtl_->in_ready_o == 0 ? HintComes::Waits
                       : held_                 ? HintComes::Joins
                                               : HintComes::First;
    const auto run = !held_               ? HintRun::None
                     : taken              ? HintRun::Taken
                     : rtl_->hint_valid_o ? HintRun::Stalled
                                          : HintRun::NotOffered;
    pairs_.hit({static_cast<unsigned>(comes), static_cast<unsigned>(run),
                static_cast<unsigned>(in.level)});
    held_ = in.enable && !taken && (held_ || comes == HintComes::First);
  }

  Clocked<Vhint_queue> rtl_;
  HintQueue twin_;
  test::Idle idle_;
  test::Offer offer_{"hint_o"};
  test::TestCoverage pairs_{coverage::hint_queue_pairs()};
  bool held_ = false;  // a run
};

TEST(HintQueue, LockstepWithRtl) {
  Pair pair(0x61);
  Random random(pair.lockstep.seed());
  HintQueue::In in;
  unsigned comes = 50, takes = 50, jumps = 10, levels = 1, enables = 1;  // percent
  std::uint64_t next = 0;
  std::array<std::uint64_t, 4> lengths{};
  std::uint64_t closed_by_next = 0, dropped_runs = 0, paused = 0;
  while (pair.lockstep.next()) {
    if (pair.lockstep.cycle() % 300 == 1) {
      comes = random.pick(std::array{100u, 100u, 50u, 20u, 5u, 2u});
      takes = random.pick(std::array{100u, 100u, 50u, 5u});
      jumps = random.pick(std::array{0u, 5u, 30u, 100u});
      levels = random.pick(std::array{0u, 1u, 20u});
      enables = random.pick(std::array{0u, 0u, 2u, 30u});
      in.enable = random.percent(85);
      in.len_en = random.percent(75);
      const unsigned longest = random.pick(std::array{1u, 4u, 7u, 16u});
      for (std::uint8_t& log2 : in.interval)
        log2 = static_cast<std::uint8_t>(random.below(longest));
    }
    if (random.percent(levels)) in.level = static_cast<DevLoad>(random.bits(2));
    if (random.percent(enables)) in.enable = random.percent(70);
    if (random.below(200) == 0) in.len_en = !in.len_en;
    if (!in.in_valid && random.percent(comes)) {
      if (random.percent(jumps)) {
        next = random.percent(50) ? random.bits(44) : next + random.below(8);
      }
      next &= (std::uint64_t{1} << 44) - 1;
      in.in_valid = true;
      in.granule = next++;
    }
    in.hint_ready = random.percent(takes);
    const HintQueue::Out out = pair.step(in);
    closed_by_next += in.in_valid && !out.in_ready;
    if (out.hint_valid && in.hint_ready) ++lengths[out.run.len];
    dropped_runs += out.counters.dropped;
    paused += in.in_valid && !out.in_ready && !out.hint_valid;
    if (out.in_ready) in.in_valid = false;
    if (random.below(3000) == 0) {
      in.in_valid = false;
      pair.reset();
    }
  }
  if (pair.lockstep.cycle() > 100'000) {
    for (const std::uint64_t length : lengths) EXPECT_GT(length, 100u);
    EXPECT_GT(closed_by_next, 1000u);
    EXPECT_GT(dropped_runs, 1000u);
    EXPECT_GT(paused, 1000u);
    EXPECT_GT(pair.stalls(), 1000u);
  }
}

HintQueue::In settings(std::array<std::uint8_t, 4> interval = kLeastPause, bool len_en = true) {
  HintQueue::In in;
  in.enable = true;
  in.len_en = len_en;
  in.interval = interval;
  return in;
}

// Granules at a constant rate, MemSpecRd taken after a constant time: every granule is in one
// MemSpecRd, in order, and the time is that of the slower.
TEST(HintQueue, ConstantLatency) {
  for (const unsigned latency : {1u, 10u, 100u, 400u}) {
    for (const unsigned every : {1u, 5u, 40u}) {
      for (const unsigned log2 : {0u, 5u}) {
        SCOPED_TRACE(testing::Message() << latency << " " << every << " " << log2);
        Pair pair;
        HintQueue::In in = settings();
        in.interval.fill(static_cast<std::uint8_t>(log2));
        constexpr std::uint64_t kFirst = 0x12344, kGranules = 64;
        std::uint64_t next = kFirst, due = kFirst;
        unsigned waited = 0, cycle = 0, since = every;
        for (; due < kFirst + kGranules; ++cycle) {
          ASSERT_LT(cycle, kGranules * (latency + every + (1u << log2) + 18));
          if (next < kFirst + kGranules && since >= every) {
            in.in_valid = true;
            in.granule = next;
          }
          in.hint_ready = waited + 1 >= latency;
          const HintQueue::Out out = pair.step(in);
          ++since;
          if (in.in_valid && out.in_ready) {
            in.in_valid = false;
            since = 1;
            ++next;
          }
          waited = out.hint_valid ? waited + 1 : 0;
          if (!out.hint_valid || !in.hint_ready) continue;
          waited = 0;
          EXPECT_EQ(out.run.first, due);
          EXPECT_EQ(out.run.len, every <= 16 ? 3u : 0u);  // 40: each is closed by idle cycles
          due += out.run.len + 1;
        }
        EXPECT_EQ(next, kFirst + kGranules);
      }
    }
  }
}

// From the page alone.

// Offers a granule until it is taken; the cycles that it waited.
unsigned give(Pair& pair, HintQueue::In in, std::uint64_t granule) {
  in.in_valid = true;
  in.granule = granule;
  for (unsigned waited = 0; waited < 200'000; ++waited) {
    if (pair.step(in).in_ready) return waited;
  }
  ADD_FAILURE() << "not taken";
  return 0;
}
// Cycles until there is an offer, which is not taken.
unsigned until_offer(Pair& pair, HintQueue::In in, HintQueue::Out& out) {
  in.in_valid = in.hint_ready = false;
  for (unsigned cycles = 0; cycles < 200'000; ++cycles) {
    out = pair.step(in);
    if (out.hint_valid) return cycles;
  }
  ADD_FAILURE() << "no offer";
  return 0;
}
HintQueue::Out take(Pair& pair, HintQueue::In in) {
  in.hint_ready = true;
  return pair.step(in);
}

// Up to four granules, to the end of their KiB.
TEST(HintQueue, JoinsToTheEndOfTheKib) {
  for (unsigned offset = 0; offset < 4; ++offset) {
    SCOPED_TRACE(offset);
    Pair pair;
    const HintQueue::In in = settings();
    const std::uint64_t first = 0xabc0 + offset;
    for (std::uint64_t granule = first; granule < 0xabc4; ++granule) {
      EXPECT_EQ(give(pair, in, granule), 0u);
    }
    HintQueue::In behind = in;  // the next KiB's waits, though it follows
    behind.in_valid = true;
    behind.granule = 0xabc4;
    HintQueue::Out out = pair.step(behind);
    EXPECT_FALSE(out.in_ready);
    EXPECT_TRUE(out.hint_valid);  // from the cycle after the last came
    EXPECT_EQ(out.run.first, first);
    EXPECT_EQ(out.run.len, 3 - offset);
    behind.hint_ready = true;
    EXPECT_FALSE(pair.step(behind).in_ready);
    out = pair.step(behind);
    EXPECT_FALSE(out.hint_valid);
    EXPECT_EQ(out.run.first, 0u);
    EXPECT_EQ(out.run.len, 0u);
    EXPECT_TRUE(out.in_ready);
    EXPECT_EQ(out.counters.granules, 4 - offset);
    EXPECT_EQ(out.counters.issued, 1u);
    EXPECT_EQ(out.counters.dropped, 0u);
  }
}

// The one before, the same again, the one after the next, and one of the next KiB wait and close
// the run.
TEST(HintQueue, WhatDoesNotFollowWaitsAndCloses) {
  for (const std::uint64_t other : {0x100u, 0x101u, 0x103u, 0x106u, 0x505u}) {
    SCOPED_TRACE(other);
    Pair pair;
    HintQueue::In in = settings();
    give(pair, in, 0x100);
    give(pair, in, 0x101);
    in.in_valid = true;
    in.granule = other;
    HintQueue::Out out = pair.step(in);
    EXPECT_FALSE(out.in_ready || out.hint_valid);
    out = pair.step(in);
    EXPECT_FALSE(out.in_ready);
    EXPECT_TRUE(out.hint_valid);
    EXPECT_EQ(out.run, (GranuleRun{0x100, 1}));
  }
}

// 15 cycles without a granule leave the run open, 16 close it.
TEST(HintQueue, SixteenIdleCyclesClose) {
  Pair pair;
  const HintQueue::In in = settings();
  for (unsigned idle : {1u, 15u}) {
    give(pair, in, 0x200);
    for (unsigned i = 0; i < idle; ++i) EXPECT_FALSE(pair.step(in).hint_valid);
    EXPECT_EQ(give(pair, in, 0x201), 0u);
    for (unsigned i = 0; i < 15; ++i) EXPECT_FALSE(pair.step(in).hint_valid);  // counted again
    EXPECT_EQ(give(pair, in, 0x202), 0u);
    HintQueue::Out out;
    EXPECT_EQ(until_offer(pair, in, out), 16u);  // the 17th cycle after it came
    EXPECT_EQ(out.run, (GranuleRun{0x200, 2}));
    HintQueue::In late = in;
    late.in_valid = true;
    late.granule = 0x203;
    EXPECT_FALSE(pair.step(late).in_ready);  // it would have joined
    late.hint_ready = true;
    EXPECT_EQ(pair.step(late).run, (GranuleRun{0x200, 2}));
    EXPECT_EQ(give(pair, in, 0x203), 0u);  // m + 1; offered in m + 3, for three granules
    EXPECT_EQ(until_offer(pair, in, out), 1u);
    EXPECT_EQ(take(pair, in).run, (GranuleRun{0x203, 0}));
  }
}

// Without a length every granule is a MemSpecRd of its own, at once.
TEST(HintQueue, OneGranuleWithoutLength) {
  Pair pair;
  const HintQueue::In in = settings(kLeastPause, false);
  for (std::uint64_t granule = 0x40; granule < 0x48; ++granule) {
    EXPECT_EQ(give(pair, in, granule), 0u);
    const HintQueue::Out out = take(pair, in);
    EXPECT_TRUE(out.hint_valid);
    EXPECT_EQ(out.run, (GranuleRun{granule, 0}));
  }
  // Length goes while a run is open: nothing joins it.
  HintQueue::In with = settings();
  give(pair, with, 0x80);
  HintQueue::In without = settings(kLeastPause, false);
  without.in_valid = true;
  without.granule = 0x81;
  EXPECT_FALSE(pair.step(without).in_ready);
  EXPECT_TRUE(pair.step(without).hint_valid);
}

// n granules at level l: the next MemSpecRd is offered n * 2^c(l) cycles after they were taken.
TEST(HintQueue, PauseByLevelAndGranules) {
  constexpr std::array<std::uint8_t, 4> kCodes{2, 5, 8, 15};
  for (unsigned level = 0; level < 4; ++level) {
    for (unsigned n = 1; n <= 4; ++n) {
      SCOPED_TRACE(testing::Message() << level << " " << n);
      Pair pair;
      HintQueue::In in = settings(kCodes);
      in.level = static_cast<DevLoad>(level);
      for (unsigned i = 0; i < n; ++i) give(pair, in, 0x1000 + 4 - n + i);
      HintQueue::Out out;
      EXPECT_EQ(until_offer(pair, in, out), 0u);  // before the first there is no pause
      EXPECT_EQ(take(pair, in).run.len, n - 1);
      EXPECT_EQ(give(pair, in, 0x2003), 0u);  // a cycle later
      const unsigned pause = n << kCodes[level];
      EXPECT_EQ(until_offer(pair, in, out), std::max(pause, 2u) - 2);
      EXPECT_EQ(out.run, (GranuleRun{0x2003, 0}));
    }
  }
}

// The level of each cycle counts, not that of the take: one that falls ends the pause, one that
// rises makes it longer, but what is offered stays.
TEST(HintQueue, PauseFollowsTheLevel) {
  Pair pair;
  HintQueue::In in = settings({0, 4, 8, 10});
  HintQueue::Out out;
  const auto begin = [&](DevLoad level) {
    in.level = DevLoad::Light;
    give(pair, in, 0x3003);
    until_offer(pair, in, out);
    in.level = level;
    take(pair, in);          // cycle m
    give(pair, in, 0x3003);  // m + 1
  };
  begin(DevLoad::Severe);
  for (unsigned i = 2; i < 300; ++i) EXPECT_FALSE(pair.step(in).hint_valid);
  in.level = DevLoad::Moderate;  // over since m + 256
  EXPECT_FALSE(pair.step(in).hint_valid);
  EXPECT_TRUE(pair.step(in).hint_valid);
  in.level = DevLoad::Severe;
  for (unsigned i = 0; i < 5; ++i) EXPECT_TRUE(pair.step(in).hint_valid);  // until taken
  in.hint_ready = true;
  EXPECT_TRUE(pair.step(in).hint_valid);
  in.hint_ready = false;
  for (unsigned i = 0; i < 2000; ++i) pair.step(in);
  begin(DevLoad::Optimal);
  for (unsigned i = 2; i < 15; ++i) EXPECT_FALSE(pair.step(in).hint_valid);
  in.level = DevLoad::Severe;  // m + 15: a cycle before it would be over
  for (unsigned i = 15; i < 1024; ++i) EXPECT_FALSE(pair.step(in).hint_valid) << i;
  EXPECT_TRUE(pair.step(in).hint_valid);
}

// Not enabled: everything is taken and dropped, and what is held too.
TEST(HintQueue, NotEnabledDropsAndCounts) {
  Pair pair;
  const HintQueue::In on = settings();
  HintQueue::In off = on;
  off.enable = false;
  for (std::uint64_t granule : {7u, 7u, 100u, 101u}) EXPECT_EQ(give(pair, off, granule), 0u);
  HintQueue::Out out = pair.step(off);
  EXPECT_EQ(out.counters, (HintCounters{4, 0, 4}));
  // An open run, with a granule that comes in the cycle.
  for (std::uint64_t granule : {8u, 9u, 10u}) give(pair, on, granule);
  EXPECT_EQ(give(pair, off, 50), 0u);
  EXPECT_EQ(pair.step(on).counters, (HintCounters{8, 0, 8}));
  for (unsigned i = 0; i < 20; ++i) EXPECT_FALSE(pair.step(on).hint_valid);
  // An offer, which is not taken in that cycle.
  for (std::uint64_t granule : {8u, 9u, 10u, 11u}) give(pair, on, granule);
  EXPECT_TRUE(pair.step(on).hint_valid);
  off.hint_ready = true;
  EXPECT_FALSE(pair.step(off).hint_valid);
  EXPECT_EQ(pair.step(on).counters, (HintCounters{12, 0, 12}));
  EXPECT_EQ(give(pair, on, 12), 0u);  // nothing is held
}

// A pause goes on while not enabled.
TEST(HintQueue, PauseGoesOnWhileNotEnabled) {
  Pair pair;
  HintQueue::In in = settings({6, 6, 6, 6});
  HintQueue::Out out;
  give(pair, in, 3);
  until_offer(pair, in, out);
  take(pair, in);
  in.enable = false;
  for (unsigned i = 1; i < 30; ++i) pair.step(in);
  in.enable = true;
  give(pair, in, 7);                                // m + 30
  EXPECT_EQ(until_offer(pair, in, out), 64u - 31);  // m + 64
}

}  // namespace
}  // namespace cxlgpu
