// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// sr_reader: the twin in lockstep with the RTL, and rules by hand on the RTL's outputs.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "Vsr_reader___024root.h"
#include "tests/common/requirement.hpp"
#include "tests/root_port/sr_reader_bench.hpp"

namespace cxlgpu {
namespace {

using namespace sr_reader_bench;

TEST(SrReader, LockstepWithRtl) {
  test::shows("sr", "The RTL's reader offers what its twin offers, in the same cycle",
              "docs/blocks/root_port/sr_reader.md");
  Lockstep lockstep("root_port/sr_reader", 0x5ead, 600000);
  const SrCounters total = run(lockstep, nullptr);
  if (lockstep.cycle() > 100000) {
    EXPECT_GT(total.issued, 1000u);
    EXPECT_GT(total.score_suppressed, 50u);
    EXPECT_GT(total.ring_suppressed, 1000u);
    EXPECT_GT(total.halt_suppressed, 1000u);
    EXPECT_GT(total.requested, total.issued);
    EXPECT_GT(total.lines_used, total.issued + 1000u);
    EXPECT_GT(total.useful_granules, 300u);
    EXPECT_GT(total.useless_granules, 300u);
    EXPECT_GT(total.issued_late, 300u);
    EXPECT_LT(total.issued_late, total.issued - 1000u);
    if (std::getenv("CXLGPU_SHOW") != nullptr) {
      std::printf("issued %u covered %u halted %u asked %u used %u useful %u useless %u late %u\n",
                  total.issued, total.ring_suppressed, total.halt_suppressed, total.requested,
                  total.lines_used, total.useful_granules, total.useless_granules,
                  total.issued_late);
    }
  }
}

TEST(SrReader, LockstepUnderLoadControl) {
  Lockstep lockstep("root_port/sr_reader", 0x5eae, 400000);
  SpeculationBins bins;
  const SrCounters total = run(lockstep, &bins);
  EXPECT_GT(total.issued, lockstep.cycle() / 200);
}

TEST(SrReader, VerdictsInOrder) {
  test::shows("sr",
              "No MemSpecRd for a store, with the policy off, halted, or where the ring covers the "
              "load, tested in this order",
              "docs/blocks/root_port/sr_reader.md");
  enum Verdict { kStore, kOff, kHalted, kCovered, kIssue };
  Bench b;
  b.in.gran = Gran::B64;
  b.look_and_take(100);  // the ring: lines 100 to 103
  const auto expect = [&](Verdict verdict, bool load, SrPolicy policy, Gran gran,
                          std::uint64_t line) {
    SCOPED_TRACE(testing::Message() << "policy " << static_cast<unsigned>(policy) << " granularity "
                                    << static_cast<unsigned>(gran) << " line " << line);
    b.in.policy = policy;
    b.in.gran = gran;
    const SrCounters before = b.counters();
    b.look(line, load);
    EXPECT_EQ(b.offer().has_value(), verdict == kIssue);
    b.step();  // an offer stays
    EXPECT_EQ(b.offer().has_value(), verdict == kIssue);
    const SrCounters after = b.counters();
    EXPECT_EQ(after.loads_seen - before.loads_seen, load);
    EXPECT_EQ(after.halt_suppressed - before.halt_suppressed, verdict == kHalted);
    EXPECT_EQ(after.ring_suppressed - before.ring_suppressed, verdict == kCovered);
    if (verdict != kIssue) return;
    b.in.flush = true;  // the ring stays what it is: neither recorded
    b.take();
    b.in.flush = false;
    b.in.policy = SrPolicy::Dyn;
    b.in.gran = Gran::B64;
    b.look_and_take(100);
  };
  expect(kStore, false, SrPolicy::Naive, Gran::B256, 0);
  expect(kStore, false, SrPolicy::Dyn, Gran::Halted, 100);
  for (const unsigned off : {0u, 6u, 7u}) {
    expect(kOff, true, SrPolicy(off), Gran::Halted, 100);
    expect(kOff, true, SrPolicy(off), Gran::B256, 0);
  }
  expect(kIssue, true, SrPolicy::Naive, Gran::Halted, 100);
  for (const SrPolicy p : {SrPolicy::Dyn, SrPolicy::SrPaper, SrPolicy::Sr}) {
    expect(kHalted, true, p, Gran::Halted, 100);  // covered as well: the halt comes first
    expect(kHalted, true, p, Gran::Halted, 0);
    for (const Gran gran : {Gran::B64, Gran::B1024}) {
      for (std::uint64_t line = 100; line < 104; ++line) expect(kCovered, true, p, gran, line);
      expect(kIssue, true, p, gran, 99);
      expect(kIssue, true, p, gran, 104);
    }
  }
}

TEST(SrReader, WhatIsAskedFor) {
  test::shows("sr",
              "Each policy prefetches its own run of granules; without the length extension the "
              "load's granule alone",
              "docs/blocks/root_port/sr_reader.md");
  const auto run = [](SrPolicy policy, Gran gran, bool length, unsigned clip = kNoClip) {
    Bench b;
    b.in.policy = policy;
    b.in.gran = gran;
    b.in.modes.length_enabled = length;
    b.in.modes.clip_log2 = clip;
    b.put(6, 404);  // another load, which only the windows mind
    b.look(402);
    return b.offer();
  };
  // Naive: the load's granule.
  for (const Gran gran : {Gran::B64, Gran::B1024, Gran::Halted}) {
    EXPECT_EQ(run(SrPolicy::Naive, gran, true), (GranuleRun{100, 0}));
  }
  // Dyn: as many granules as the state says, from the load's on; chunks of 512 B: [100, 102) holds
  // it.
  constexpr std::array kGrans{Gran::B64, Gran::B256, Gran::B512, Gran::B768, Gran::B1024};
  constexpr std::array kLens{0u, 0u, 1u, 2u, 3u};
  for (unsigned i = 0; i < 5; ++i) {
    EXPECT_EQ(run(SrPolicy::Dyn, kGrans[i], true), (GranuleRun{100, kLens[i]}));
    EXPECT_EQ(run(SrPolicy::Dyn, kGrans[i], true, 1), (GranuleRun{100, std::min(kLens[i], 1u)}));
    for (const SrPolicy policy : {SrPolicy::Dyn, SrPolicy::SrPaper, SrPolicy::Sr}) {
      EXPECT_EQ(run(policy, kGrans[i], false), (GranuleRun{100, 0}));
    }
  }
  // 256 B at 402: [398, 406); only line 404 counts, the load itself is left out: end 405 -> 101.
  EXPECT_EQ(run(SrPolicy::SrPaper, Gran::B256, true), (GranuleRun{100, 0}));
  EXPECT_EQ(run(SrPolicy::Sr, Gran::B512, true), (GranuleRun{99, 2}));
  // 512 B: [394, 410) with one load ahead: [394, 409) -> [99, 102).
  EXPECT_EQ(run(SrPolicy::SrPaper, Gran::B512, true), (GranuleRun{99, 2}));
}

// Dyn in chunks of every size: from each place as far as the chunk goes.
TEST(SrReader, RunsGoOnToTheEndOfTheChunk) {
  for (unsigned clip = 0; clip < 15; ++clip) {
    const std::uint64_t chunk = std::uint64_t{1} << clip;
    for (std::uint64_t place = 0; place < chunk;
         place += place < 9 || place + 9 > chunk ? 1 : chunk - 17) {
      Bench b;
      b.in.gran = Gran::B1024;
      b.in.modes.clip_log2 = clip;
      b.look(4 * (3 * chunk + place));
      const auto len = static_cast<unsigned>(std::min<std::uint64_t>(3, chunk - 1 - place));
      EXPECT_EQ(b.offer(), (GranuleRun{3 * chunk + place, len})) << clip << " " << place;
    }
  }
}

// What is on offer is of the policy and the state in which its load was looked at, whatever they
// are now.
TEST(SrReader, AnOfferIsOfWhatWasLatched) {
  constexpr std::array kRuns{GranuleRun{100, 0}, GranuleRun{100, 3}, GranuleRun{100, 3},
                             GranuleRun{100, 3}};
  for (unsigned latched = 1; latched < 5; ++latched) {
    for (unsigned now = 0; now < 8; ++now) {
      for (const Gran gran : {Gran::B64, Gran::B1024, Gran::Halted}) {
        Bench b;
        b.in.policy = SrPolicy(latched);
        b.in.gran = Gran::B1024;
        b.look(402);
        EXPECT_EQ(b.offer(), kRuns[latched - 1]) << latched;
        b.in.policy = SrPolicy(now);
        b.in.gran = gran;
        b.in.level = DevLoad::Severe;
        for (unsigned cycle = 0; cycle < 2; ++cycle) {
          EXPECT_EQ(b.offer(), kRuns[latched - 1]) << latched << " " << now;
          b.step();
        }
        b.take();
        EXPECT_EQ(b.counters().requested, kRuns[latched - 1].len + 1);
      }
    }
  }
}

TEST(SrReader, LatchedLoadIsLeftOutWhileItIsThere) {
  Bench b;
  b.in.policy = SrPolicy::SrPaper;
  b.put(6, 403);
  b.put(7, 404);
  b.look(402);
  // [394, 410); two others: end 408 -> 102. With four it is 406, which rounds to 102 as well; a
  // fifth takes a granule.
  EXPECT_EQ(b.offer(), (GranuleRun{99, 2}));
  b.put(8, 3);
  EXPECT_EQ(b.offer(), (GranuleRun{99, 2}));
  b.put(9, 4);
  EXPECT_EQ(b.offer(), (GranuleRun{99, 2}));
  b.put(10, 5);
  EXPECT_EQ(b.offer(), (GranuleRun{99, 1}));
  b.leave(10);
  b.step();
  EXPECT_EQ(b.offer(), (GranuleRun{99, 2}));
  // The load left: in its slot another counts.
  b.load_leaves();
  b.step();
  EXPECT_EQ(b.offer(), (GranuleRun{99, 2}));
  b.put(Bench::kSlot, 402);
  EXPECT_EQ(b.offer(), (GranuleRun{99, 1}));
}

TEST(SrReader, LinesAskedForAndUsed) {
  test::shows("sr",
              "Counted: granules prefetched, and lines of them that a load used, each once, "
              "whether that load's MemSpecRd was suppressed or not; with policy off no load counts",
              "docs/blocks/root_port/sr_reader.md");
  Bench b;
  const auto expect = [&](std::uint32_t issued, std::uint32_t asked, std::uint32_t used) {
    EXPECT_EQ(b.counters().issued, issued);
    EXPECT_EQ(b.counters().requested, asked);
    EXPECT_EQ(b.counters().lines_used, used);
  };
  b.look(402);  // granule 100
  expect(0, 0, 0);
  b.take();
  expect(1, 2, 1);
  b.look(402);
  expect(1, 2, 1);
  b.look(404);  // granule 101
  expect(1, 2, 2);
  b.look(404);
  expect(1, 2, 2);
  b.look(405, false);  // a store wants nothing
  expect(1, 2, 2);
  EXPECT_EQ(b.counters().ring_suppressed, 3u);
  b.in.gran = Gran::Halted;
  b.look(405);
  b.look(420);  // not in the ring
  expect(1, 2, 3);
  EXPECT_EQ(b.counters().halt_suppressed, 2u);
  for (const unsigned off : {0u, 6u, 7u}) {
    b.in.policy = SrPolicy(off);
    b.look(406);
  }
  expect(1, 2, 3);
  EXPECT_EQ(b.counters().loads_seen, 9u);
  b.in.policy = SrPolicy::Sr;
  b.in.gran = Gran::B256;
  b.look_and_take(410);  // [406, 414) rounds to granules 102 and 103
  expect(2, 4, 4);
}

TEST(SrReader, NaiveIsCountedAndNeverSuppressed) {
  test::shows("sr",
              "The naive policy's MemSpecRd are counted as any other's, and an earlier prefetch "
              "never suppresses one",
              "docs/blocks/root_port/sr_reader.md");
  Bench b;
  b.in.policy = SrPolicy::Naive;
  b.look_and_take(402);
  b.look_and_take(402);  // its line was used
  b.look_and_take(403);  // a new line, used when it is looked at, and not once more when taken
  EXPECT_EQ(b.counters().issued, 3u);
  EXPECT_EQ(b.counters().requested, 3u);
  EXPECT_EQ(b.counters().lines_used, 2u);
  EXPECT_EQ(b.counters().ring_suppressed, 0u);
  b.look(401);
  EXPECT_EQ(b.counters().lines_used, 3u);
  b.in.gran = Gran::Halted;
  b.take();
  b.look_and_take(400);
  EXPECT_EQ(b.counters().issued, 5u);
  EXPECT_EQ(b.counters().lines_used, 4u);
  EXPECT_EQ(b.counters().halt_suppressed, 0u);
  for (std::uint64_t i = 1; i < 5; ++i) b.look_and_take(402 + (i << 22));
  EXPECT_EQ(b.counters().useful_granules, 1u);
  EXPECT_EQ(b.counters().useless_granules, 0u);
}

// By start: of what was prefetched only the granule of its load is known.
TEST(SrReader, MatchByStartKnowsTheOwnGranule) {
  for (const SrPolicy policy : {SrPolicy::Dyn, SrPolicy::SrPaper, SrPolicy::Sr}) {
    SCOPED_TRACE(static_cast<unsigned>(policy));
    for (const bool by_start : {false, true}) {
      Bench b;
      b.in.policy = policy;
      b.in.modes.match_start = by_start;
      b.look(402);
      const auto run = b.offer();  // dyn [100, 102), windows [99, 103)
      ASSERT_TRUE(run && run->len >= 1);
      b.take();
      EXPECT_EQ(b.counters().requested, run->len + 1);
      b.look(400);  // another line of the load's granule
      EXPECT_FALSE(b.offer());
      EXPECT_EQ(b.counters().lines_used, 2u);
      b.look(404);
      EXPECT_EQ(b.offer().has_value(), by_start);
      if (by_start) b.take();
      if (run->first == 100) continue;
      b.look(398);
      EXPECT_EQ(b.offer().has_value(), by_start);
    }
  }
  // In the cycle in which it is taken. A stream's run is recorded whole: its load may be outside.
  Bench b;
  b.look(402);
  b.in.modes.match_start = true;
  b.take();
  b.in.modes.match_start = false;
  b.look_and_take(404);
  EXPECT_EQ(b.counters().issued, 2u);
  for (std::uint64_t i = 1; i < 5; ++i) b.look_and_take(400 + (i << 22));
  EXPECT_EQ(b.counters().useful_granules, 2u);  // 100 and 101, each once
}

// Of 64 B: no length, and a load is covered by its line.
TEST(SrReader, Of64BytesByTheLine) {
  for (const SrPolicy policy : {SrPolicy::Dyn, SrPolicy::SrPaper, SrPolicy::Sr}) {
    SCOPED_TRACE(static_cast<unsigned>(policy));
    Bench b;
    b.in.policy = policy;
    b.in.gran = Gran::B1024;
    b.in.modes.spec_64b = true;
    for (const std::uint64_t line : {402u, 403u, 400u}) {
      b.look(line);
      EXPECT_EQ(b.offer(), (GranuleRun{100, 0})) << line;
      b.take();
    }
    b.look(402);
    EXPECT_FALSE(b.offer());
    b.look(400);
    EXPECT_FALSE(b.offer());
    EXPECT_EQ(b.counters().ring_suppressed, 2u);
    EXPECT_EQ(b.counters().lines_used, 3u);
    // A load that was passed for a halt has wanted its line as well.
    b.in.gran = Gran::Halted;
    b.look(401);
    b.in.gran = Gran::B1024;
    b.look(401);
    EXPECT_FALSE(b.offer());
    EXPECT_EQ(b.counters().halt_suppressed, 1u);
    b.in.modes.spec_64b = false;
    b.look(404);
    EXPECT_NE(b.offer(), (GranuleRun{101, 0}));
    b.in.modes.spec_64b = true;  // what is on offer follows
    EXPECT_EQ(b.offer(), (GranuleRun{101, 0}));
  }
}

// The window of sr, and of no other, aims backwards.
TEST(SrReader, AroundIsOfSr) {
  const auto run = [](SrPolicy policy, bool around) {
    Bench b;
    b.in.policy = policy;
    b.in.gran = Gran::B1024;
    b.in.modes.around = around;
    b.put(6, 401);  // after it a load below
    b.look(402);
    return b.offer();
  };
  EXPECT_EQ(run(SrPolicy::Sr, false), (GranuleRun{100, 3}));
  EXPECT_EQ(run(SrPolicy::Sr, true), (GranuleRun{97, 3}));
  for (const SrPolicy policy : {SrPolicy::Naive, SrPolicy::Dyn, SrPolicy::SrPaper}) {
    EXPECT_EQ(run(policy, true), run(policy, false));
  }
}

TEST(SrReader, GranulesThatLeaveTheRing) {
  test::shows("sr",
              "Counted: granules that leave the ring, by whether a load used a line of them; "
              "without a flush they and what the ring holds are all that was prefetched",
              "docs/blocks/root_port/sr_reader.md");
  Bench b;
  const auto line = [](std::uint64_t i) { return i << 22; };  // all in one set of banks 0 and 1
  for (std::uint64_t i = 0; i < 4; ++i) b.look_and_take(line(i));
  EXPECT_EQ(b.counters().requested, 8u);
  EXPECT_EQ(b.counters().lines_used, 4u);
  EXPECT_EQ(b.counters().useful_granules + b.counters().useless_granules, 0u);
  b.look(line(1) + 7);  // in the second granule
  b.look_and_take(line(4));
  EXPECT_EQ(b.counters().useful_granules, 1u);  // the load's own granule
  EXPECT_EQ(b.counters().useless_granules, 1u);
  b.look_and_take(line(5));
  EXPECT_EQ(b.counters().useful_granules, 3u);
  EXPECT_EQ(b.counters().useless_granules, 1u);
  EXPECT_EQ(b.counters().requested, 12u);  // 4 gone, 8 held
  EXPECT_EQ(b.counters().lines_used, 7u);
  b.look_and_take(line(0) + 4);  // granules 1 and 2: bank 2 has room
  EXPECT_EQ(b.counters().useful_granules, 3u);
  EXPECT_EQ(b.counters().useless_granules, 2u);
  EXPECT_EQ(b.counters().requested, 14u);  // 5 gone, 9 held
}

TEST(SrReader, LateIsAfterItsLoad) {
  test::shows("sr",
              "A MemSpecRd is late if its load has left the SR queue when it is taken, though its "
              "slot may have another by then",
              "docs/blocks/root_port/sr_reader.md");
  Bench b;
  const auto late = [&] { return b.counters().issued_late; };
  b.look_and_take(100);
  EXPECT_EQ(late(), 0u);
  b.look(200);
  b.step();
  b.step();
  b.take();  // there to the last cycle
  b.load_leaves();
  EXPECT_EQ(late(), 0u);
  b.look(300);
  b.load_leaves();
  b.take();  // gone in this cycle for the first time
  EXPECT_EQ(late(), 1u);
  b.look(400);
  b.step();
  b.load_leaves();
  b.step();
  b.in.loads.valid = ~std::uint64_t{0} >> 32;  // another's
  b.take();
  EXPECT_EQ(late(), 2u);
  b.look_and_take(500);
  EXPECT_EQ(late(), 2u);
  EXPECT_EQ(b.counters().issued, 5u);
}

TEST(SrReader, FlushForgetsUncounted) {
  Bench b;
  b.in.flush = true;
  b.look_and_take(402);  // asked for, but the ring tells nothing
  EXPECT_EQ(b.counters().requested, 2u);
  EXPECT_EQ(b.counters().lines_used, 0u);
  b.in.flush = false;
  b.look_and_take(402);
  EXPECT_EQ(b.counters().requested, 4u);
  EXPECT_EQ(b.counters().lines_used, 1u);
  b.in.flush = true;
  b.look(404);  // covered to the last
  EXPECT_EQ(b.counters().ring_suppressed, 1u);
  EXPECT_EQ(b.counters().lines_used, 1u);
  b.in.flush = false;
  const auto line = [](std::uint64_t i) { return i << 22; };
  for (std::uint64_t i = 0; i < 4; ++i) b.look_and_take(line(i));
  b.look(line(4));
  b.in.flush = true;
  b.take();
  EXPECT_EQ(b.counters().requested, 14u);
  EXPECT_EQ(b.counters().lines_used, 5u);
  EXPECT_EQ(b.counters().useful_granules + b.counters().useless_granules, 0u);
}

// A memory queue that takes a MemSpecRd once in so many cycles, always: no load is passed over, no
// offer is lost, and every load that was looked at is accounted for.
TEST(SrReader, ConstantLatency) {
  for (const unsigned latency : {1u, 10u, 100u, 400u}) {
    for (const SrPolicy policy :
         {SrPolicy::Naive, SrPolicy::Dyn, SrPolicy::SrPaper, SrPolicy::Sr}) {
      SCOPED_TRACE(testing::Message() << latency << " " << static_cast<unsigned>(policy));
      Bench b;
      b.in.policy = policy;
      unsigned loads = 0, taken = 0;
      std::uint64_t line = 1000;
      std::optional<GranuleRun> waits;
      for (unsigned cycle = 0; loads < 60 || !b.looks_up(); ++cycle) {
        ASSERT_LT(cycle, 61 * (latency + 3));
        b.in.spec_ready = cycle % latency == latency - 1;
        const std::optional<GranuleRun> offer = b.offer();
        if (waits) {
          EXPECT_TRUE(offer.has_value());
          const bool follows = policy == SrPolicy::SrPaper || policy == SrPolicy::Sr;
          EXPECT_TRUE(follows || offer == waits);
        }
        waits = b.in.spec_ready ? std::nullopt : offer;
        taken += offer && b.in.spec_ready;
        if (loads < 60 && b.looks_up()) {
          line += loads % 3 == 0 ? 64 : 1;
          b.look(line);
          ++loads;
          if (const auto next = b.offer(); next && !b.in.spec_ready) waits = next;
        } else {
          b.step();
        }
      }
      const SrCounters now = b.counters();
      EXPECT_EQ(now.loads_seen, loads);
      EXPECT_EQ(now.issued, taken);
      EXPECT_EQ(now.loads_seen, now.issued + now.ring_suppressed);
      EXPECT_GT(now.issued, 19u);
    }
  }
}

// The region that follows is known: it takes one cycle to find that, whatever changes in it, and
// nothing is offered.
TEST(SrReader, GivesUpWhateverChanges) {
  enum Change { kNothing, kPolicy, kFlush, kLength, kChunk, kState, kLevel, kLoadLeaves };
  for (const Change change :
       {kNothing, kPolicy, kFlush, kLength, kChunk, kState, kLevel, kLoadLeaves}) {
    SCOPED_TRACE(change);
    Bench b;
    b.in.policy = SrPolicy::Stream;
    const auto line = [](std::uint64_t region, unsigned place) { return region * 16 + place; };
    for (const unsigned place : {0u, 1u, 12u}) b.look_and_take(line(10, place));
    EXPECT_EQ(b.counters().requested, 1u + 3 + 4);  // its granule, the rest, region 11
    for (const unsigned place : {15u, 14u}) b.look_and_take(line(12, place));
    EXPECT_EQ(b.counters().requested, 8u + 4);
    b.look(line(12, 3));  // falling: what follows is region 11
    switch (change) {
      case kNothing:
        break;
      case kPolicy:
        b.in.policy = SrPolicy::Naive;
        break;
      case kFlush:
        b.in.flush = true;
        break;
      case kLength:
        b.in.modes.length_enabled = false;
        break;
      case kChunk:
        b.in.modes.clip_log2 = 0;
        break;
      case kState:
        b.in.gran = Gran::Halted;
        break;
      case kLevel:
        b.in.level = DevLoad::Severe;
        break;
      case kLoadLeaves:
        b.load_leaves();
        break;
    }
    EXPECT_FALSE(b.looks_up());
    EXPECT_FALSE(b.offer().has_value());
    b.take();
    b.in.flush = false;
    EXPECT_TRUE(b.looks_up());
    EXPECT_EQ(b.counters().issued, 5u);
    EXPECT_EQ(b.counters().score_suppressed, 0u);
    EXPECT_EQ(b.counters().issued_late, 0u);
  }
}

// The carry into each bit of each counter, and the wrap.
TEST(SrReader, CountersToTheirWidth) {
  for (unsigned bit = 1; bit <= 32; ++bit) {
    const auto start = static_cast<std::uint32_t>((std::uint64_t{1} << bit) - 1);
    Bench b;
    b.in.gran = Gran::B64;
    auto& root = *b.rtl()->rootp;
    root.sr_reader__DOT__seen_q = root.sr_reader__DOT__issued_q =
        root.sr_reader__DOT__ring_suppressed_q = root.sr_reader__DOT__halt_suppressed_q =
            root.sr_reader__DOT__score_suppressed_q = root.sr_reader__DOT__asked_q =
                root.sr_reader__DOT__used_q = root.sr_reader__DOT__useful_q =
                    root.sr_reader__DOT__useless_q = root.sr_reader__DOT__late_q = start;
    b.from_this_state();
    b.look(402);  // seen
    b.load_leaves();
    b.take();     // issued, asked, used, late
    b.look(402);  // seen, covered
    b.in.gran = Gran::Halted;
    b.look(500);  // seen, halted
    const SrCounters now = b.counters();
    EXPECT_EQ(now.loads_seen, start + 3) << bit;
    EXPECT_EQ(now.issued, start + 1) << bit;
    EXPECT_EQ(now.ring_suppressed, start + 1) << bit;
    EXPECT_EQ(now.halt_suppressed, start + 1) << bit;
    EXPECT_EQ(now.requested, start + 1) << bit;
    EXPECT_EQ(now.lines_used, start + 1) << bit;
    EXPECT_EQ(now.issued_late, start + 1) << bit;
    // Over four granules of one set: one useful, one useless.
    b.in.gran = Gran::B64;
    for (std::uint64_t i = 1; i < 4; ++i) b.look_and_take(402 + (i << 22));
    b.look_and_take(402 + (std::uint64_t{4} << 22));
    EXPECT_EQ(b.counters().useful_granules, start + 1) << bit;
    b.in.flush = true;
    b.step();
    b.in.flush = false;
    b.in.policy = SrPolicy::Dyn;
    b.in.gran = Gran::B512;
    for (std::uint64_t i = 0; i < 5; ++i) b.look_and_take(402 + (i << 22));
    EXPECT_EQ(b.counters().useless_granules, start + 1) << bit;
  }
}

// Runs that were predicted and not asked for.
TEST(SrReader, HeldBackCountsToItsWidth) {
  for (unsigned bit = 1; bit <= 32; ++bit) {
    const auto start = static_cast<std::uint32_t>((std::uint64_t{1} << bit) - 1);
    Bench b;
    b.in.policy = SrPolicy::Stream;
    // The score of runs is at 0: none is asked for.
    b.rtl()->rootp->sr_reader__DOT__u_stream_table__DOT__score_ext_q = 0;
    b.rtl()->rootp->sr_reader__DOT__score_suppressed_q = start;
    b.from_this_state();
    b.look_and_take(400);
    b.look(401);  // an order: the rest of the region is predicted
    EXPECT_EQ(b.counters().score_suppressed, start + 1) << bit;
  }
}

}  // namespace
}  // namespace cxlgpu
