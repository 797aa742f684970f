// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Each published prefetcher against sequences written down from the rule of its publication, as the
// head of its file says it; and its bits of state, added up by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "model/prefetch/access_map.hpp"
#include "model/prefetch/best_offset.hpp"
#include "model/prefetch/footprint.hpp"
#include "model/prefetch/stride.hpp"

namespace cxlgpu {
namespace {

using Granules = std::vector<std::uint64_t>;

// A load of the granule's first line, the first of that granule.
Granules load_line(Prefetcher& policy, std::uint64_t line, std::uint64_t cycle = 0) {
  policy.learn({.line = line, .first = true, .cycle = cycle});
  Granules to;
  policy.predict(to);
  return to;
}
Granules load(Prefetcher& policy, std::uint64_t granule, std::uint64_t cycle = 0) {
  return load_line(policy, 4 * granule, cycle);
}

struct Step {
  std::uint64_t granule;
  Granules predicted;
};
void expect_steps(Prefetcher& policy, const std::vector<Step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(load(policy, steps[i].granule), steps[i].predicted)
        << "load " << i << ", granule " << steps[i].granule;
  }
}

// ---- stride ------------------------------------------------------------------------------------

TEST(Stride, StatesOfTheReferencePredictionTable) {
  StridePrefetcher policy;
  expect_steps(policy, {{0, {}},                   // initial, stride 0
                        {3, {6}},                  // incorrect: transient, stride 3
                        {6, {9, 12, 15, 18}},      // correct: steady
                        {9, {12, 15, 18, 21}},     // correct: steady
                        {10, {13}},                // incorrect: initial, stride kept
                        {13, {16, 19, 22, 25}},    // correct: steady
                        {15, {18}},                // incorrect: initial
                        {20, {25}},                // incorrect: transient, stride 5
                        {21, {}},                  // incorrect: no prediction, stride 1
                        {23, {}},                  // incorrect: no prediction, stride 2
                        {25, {27}},                // correct: transient
                        {27, {29, 31, 33, 35}}});  // correct: steady
}

TEST(Stride, AZoneIsAnEntryOfItsOwnAndAGranuleAStep) {
  StridePrefetcher policy;
  // Two zones in turn; one falls. Lines of the same granule are no steps.
  expect_steps(policy, {{64, {}}, {190, {}}, {66, {68}}, {66, {}}, {188, {186}}, {188, {}}});
  EXPECT_EQ(load_line(policy, 66 * 4 + 3), Granules{});
  expect_steps(policy, {{68, {70, 72, 74, 76}}, {186, {184, 182, 180, 178}}});
  // Over the zone's end it predicts, but there the entry is another.
  expect_steps(policy, {{250, {}}, {252, {254}}, {254, {256, 258, 260, 262}}});
  expect_steps(policy, {{256, {}}, {258, {260}}});
}

TEST(Stride, TheTableIsDirectMappedAndEndsAtZero) {
  StridePrefetcher policy;
  expect_steps(policy, {{4, {}}, {2, {0}}, {0, {}}});  // steady, and nothing below 0
  expect_steps(policy, {{1, {}}, {3, {5}}, {65 * 64, {}}, {5, {}}, {7, {9}}});  // 65 evicts 0
  policy.flush();
  expect_steps(policy, {{9, {}}, {11, {13}}});
}

// ---- best offset -------------------------------------------------------------------------------

constexpr unsigned kRound = 52;  // loads

TEST(BestOffset, TheListHasNoPrimeFactorOverFive) {
  const auto list = best_offset_list();
  const std::vector<unsigned> begin(list.begin(), list.begin() + 12);
  EXPECT_EQ(begin, (std::vector<unsigned>{1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16}));
  EXPECT_EQ(list[48], 240);
  EXPECT_EQ(list[49], 243);
  EXPECT_EQ(list[50], 250);
  EXPECT_EQ(list[51], 256);
}

// A stream, a granule each 10 cycles. In round 1 no test of an offset d has d loads before it. From
// round 2 on the small ones score each time, so that round 32 ends the phase: all that are in time
// have 31, the first of them is taken.
TEST(BestOffset, TheLeastOffsetInTimeIsTaken) {
  for (const std::uint64_t late : {0u, 50u, 100u, 101u, 230u}) {
    SCOPED_TRACE(late);
    // Recent are granules loaded at least `late` cycles ago: so many loads back, or the next
    // offset that the list has.
    const std::map<std::uint64_t, unsigned> expected = {
        {0, 1}, {50, 5}, {100, 10}, {101, 12}, {230, 24}};
    BestOffsetPrefetcher policy;
    policy.fetch_took(late);
    for (unsigned i = 0; i < 32 * kRound - 1; ++i) {
      ASSERT_EQ(load(policy, 1000 + i, 10 * i), Granules{1001 + i});  // until then by 1
    }
    const unsigned last = 32 * kRound - 1, offset = expected.at(late);
    EXPECT_EQ(load(policy, 1000 + last, 10 * last), Granules{1000 + last + offset});
  }
}

// Scores begin again: the least offset had 31 in the phase before. Now the stream is known, so that
// those in time score from round 1 on.
TEST(BestOffset, APhaseKnowsNothingOfTheOneBefore) {
  BestOffsetPrefetcher policy;
  std::uint64_t granule = 1000;
  for (unsigned i = 0; i < 32 * kRound; ++i, ++granule) load(policy, granule, 10 * granule);
  policy.fetch_took(230);
  for (unsigned i = 0; i < 31 * kRound - 1; ++i, ++granule) {
    ASSERT_EQ(load(policy, granule, 10 * granule), Granules{granule + 1}) << i;
  }
  EXPECT_EQ(load(policy, granule, 10 * granule), Granules{granule + 24});
  // Far apart nothing scores: 100 rounds, whatever the phases before took.
  for (unsigned i = 0; i < 100 * kRound - 1; ++i) {
    granule += 1000003;
    ASSERT_EQ(load(policy, granule, 10 * granule), Granules{granule + 24}) << i;
  }
  EXPECT_EQ(load(policy, granule + 1000003, 10 * granule), Granules{});
}

// 128 granules wait at most: then the oldest is taken for there. At a load those 129 loads back are
// recent; 135 is the next of the list, and scores from round 3 on.
TEST(BestOffset, WhatIsLateForLongIsTakenForThere) {
  BestOffsetPrefetcher policy;
  policy.fetch_took(10000);
  std::uint64_t granule = 1000;
  for (unsigned i = 0; i < 33 * kRound - 1; ++i, ++granule) {
    ASSERT_EQ(load(policy, granule, 10 * granule), Granules{granule + 1}) << i;
  }
  EXPECT_EQ(load(policy, granule, 10 * granule), Granules{granule + 135});
}

TEST(BestOffset, AScoreOfOneIsTooBadOneOfTwoIsNot) {
  for (const unsigned hits : {0u, 1u, 2u}) {
    SCOPED_TRACE(hits);
    BestOffsetPrefetcher policy;
    std::uint64_t granule = 1u << 20;
    // 100 rounds far apart, but for `hits` loads beside the one before while 1 is tested.
    for (unsigned i = 0; i < 100 * kRound; ++i) {
      const unsigned round = i / kRound;
      granule += i % kRound == 0 && round >= 1 && round <= hits ? 1 : 1000003;
      const Granules predicted = load(policy, granule);
      const bool ended = i == 100 * kRound - 1;
      ASSERT_EQ(predicted, !ended || hits == 2 ? Granules{granule + 1} : Granules{}) << i;
    }
    // While nothing is prefetched it learns on: a stream of 32 rounds, and it prefetches again.
    for (unsigned i = 0; i < 32 * kRound; ++i) load(policy, ++granule);
    EXPECT_EQ(load(policy, granule + 1), Granules{granule + 2});
  }
}

TEST(BestOffset, OnlyTheFirstLoadOfAGranuleCounts) {
  BestOffsetPrefetcher policy;
  policy.fetch_took(50);
  std::uint64_t granule = 5000;
  for (unsigned i = 0; i < 32 * kRound; ++i, ++granule) {
    const std::uint64_t offset = i == 32 * kRound - 1 ? 5 : 1;
    ASSERT_EQ(load(policy, granule, 10 * i), Granules{granule + offset}) << i;
    for (unsigned line = 1; line < 4; ++line) {
      policy.learn({.line = 4 * granule + line, .first = false, .cycle = 10 * i});
      Granules to;
      policy.predict(to);
      ASSERT_EQ(to, Granules{});
    }
  }
  EXPECT_EQ(policy.offset(), 5u);
}

// Tags are those of 20 bits: what lies 2^20 granules off is taken for the granule.
TEST(BestOffset, TagsArePartial) {
  BestOffsetPrefetcher partial, whole;
  for (unsigned i = 0; i < 100 * kRound; ++i) {
    load(partial, (std::uint64_t{1} << 20 | 1) * i);
    load(whole, (std::uint64_t{1} << 19 | 1) * i);  // bit 19 is in the tag
  }
  EXPECT_EQ(partial.offset(), 1u);
  EXPECT_NE(whole.offset(), 1u);
}

// ---- access map --------------------------------------------------------------------------------

TEST(AccessMap, TwoAccessedAtAStrideMakeACandidateOnTheOtherSide) {
  AccessMapPrefetcher policy;
  expect_steps(policy, {{10, {}},
                        {11, {}},
                        {12, {13}},                                          // 11, 10
                        {13, {14}},                                          // 12, 11
                        {14, {15, 16}},                                      // 13, 12; 12, 10
                        {14, {}}});                                          // not its first load
  expect_steps(policy, {{500, {}}, {497, {}}, {494, {491}}, {491, {488}}});  // falling
  // 491 was prefetched and is accessed since: it counts (491, 494 for 488 above).
  expect_steps(policy, {{62, {}}, {63, {}}, {64, {65}}});  // over the edge of a zone
  // Between 700 and 704 nothing is accessed: 702 is no candidate; but 702 and 704 make 708 one.
  expect_steps(policy, {{700, {}}, {704, {}}, {702, {}}, {706, {708}}});
}

TEST(AccessMap, TheNearestFourAndNoneTwice) {
  AccessMapPrefetcher policy;
  for (std::uint64_t granule = 200; granule < 216; ++granule) {
    policy.learn({.line = 4 * granule});  // as while halted
  }
  expect_steps(policy, {{216, {217, 218, 219, 220}},  // k = 1 to 4, of 8
                        {217, {221, 222, 223, 224}}});
  // What was missed while halted is not made up for by another load of the granule.
  for (std::uint64_t granule = 300; granule < 303; ++granule) policy.learn({.line = 4 * granule});
  expect_steps(policy, {{302, {}}, {303, {304}}});
  // A stride of half a zone is the farthest.
  expect_steps(policy, {{1000, {}}, {1032, {}}, {1064, {1096}}});
  expect_steps(policy, {{2000, {}}, {2033, {}}, {2066, {}}});
}

TEST(AccessMap, TheLeastRecentOf64MapsIsReplaced) {
  for (const unsigned others : {63u, 64u}) {
    AccessMapPrefetcher policy;
    expect_steps(policy, {{20, {}}, {21, {}}});
    for (unsigned zone = 0; zone < others; ++zone) load(policy, (1000 + 5 * zone) * 64);
    EXPECT_EQ(load(policy, 22), others == 63 ? Granules{23} : Granules{});
  }
}

// ---- footprint ---------------------------------------------------------------------------------

// `count` generations with granules 0 and 1, triggered at the last line of granule 0.
void fill(FootprintPrefetcher& policy, std::uint64_t region, unsigned count) {
  for (; count > 0; --count, ++region) {
    EXPECT_EQ(load_line(policy, region * 32 + 3), Granules{});
    EXPECT_EQ(load(policy, region * 8 + 1), Granules{});
  }
}

TEST(Footprint, AGenerationThatEndsIsPrefetchedAtItsTriggersPlace) {
  FootprintPrefetcher policy;
  expect_steps(policy, {{1000 * 8 + 4, {}}, {1000 * 8 + 6, {}}, {1000 * 8 + 1, {}}});
  fill(policy, 2000, 63);
  expect_steps(policy, {{3000 * 8 + 4, {}}});  // all 64 are in progress
  fill(policy, 4000, 1);                       // ends the first
  expect_steps(policy, {{3001 * 8 + 4, {3001 * 8 + 1, 3001 * 8 + 6}},
                        {3001 * 8 + 5, {}},  // no trigger
                        {3002 * 8 + 1, {}}});
  EXPECT_EQ(load_line(policy, 3003 * 32 + 4 * 4 + 1), Granules{}) << "another line's place";
  // The pattern of the last generation at a place is what counts. 62 of the filling ones are yet to
  // end, then that of 3001: its granules are those that were loaded, not those prefetched.
  for (unsigned i = 0; i < 65; ++i) {
    load_line(policy, (5000 + i) * 32 + 31);
    load(policy, (5000 + i) * 8);
  }
  expect_steps(policy, {{3004 * 8 + 4, {3004 * 8 + 5}}});
}

TEST(Footprint, OneGranuleAloneLeavesNoPattern) {
  FootprintPrefetcher policy;
  for (unsigned line = 0; line < 4; ++line) load_line(policy, 1000 * 32 + 4 * 2 + line);
  // 32 triggers drive it out of the filter; what follows is a generation of its own.
  for (unsigned i = 0; i < 32; ++i) load_line(policy, (7000 + i) * 32 + 31);
  expect_steps(policy, {{1000 * 8 + 3, {}}, {1000 * 8 + 5, {}}});
  fill(policy, 2000, 64);
  expect_steps(policy, {{3000 * 8 + 2, {}}, {3001 * 8 + 3, {3001 * 8 + 5}}});
  policy.flush();
  expect_steps(policy, {{3002 * 8 + 3, {}}});
}

// What has moved on to the accumulation table takes no place in the filter.
TEST(Footprint, TheFilterHasRegionsOfOneGranuleAlone) {
  FootprintPrefetcher policy;
  const auto generations = [&](std::uint64_t region, unsigned count) {
    for (; count > 0; --count, ++region) {
      load_line(policy, region * 32 + 31);
      load(policy, region * 8);
    }
  };
  expect_steps(policy, {{1000 * 8 + 2, {}}});
  generations(2000, 40);
  expect_steps(policy, {{1000 * 8 + 5, {}}});  // no trigger: the second of 1000
  generations(3000, 64);
  expect_steps(policy, {{4000 * 8 + 5, {}}, {4001 * 8 + 2, {4001 * 8 + 5}}});
}

TEST(Footprint, ALoadKeepsItsGenerationOpen) {
  FootprintPrefetcher policy;
  expect_steps(policy, {{1000 * 8, {}}, {1000 * 8 + 7, {}}});
  fill(policy, 2000, 40);
  expect_steps(policy, {{1000 * 8 + 2, {}}});
  fill(policy, 3000, 24);                  // of 64 entries the first of the filling ones goes
  expect_steps(policy, {{4000 * 8, {}}});  // 1000 is still open
  EXPECT_EQ(load_line(policy, 4001 * 32 + 3), Granules{4001 * 8 + 1});
}

// ---- size --------------------------------------------------------------------------------------

TEST(Prefetchers, BitsOfState) {
  // 64 of: valid, zone 38, last 6, stride 7, state 2.
  EXPECT_EQ(StridePrefetcher().state_bits(), 3456u);
  // 256 of 13; 52 scores of 5, which of 52, round of 100; offset 8 and whether any; 128 of 36 with
  // two pointers and a bit; latency 16; the timed load: line 46, cycle 16, valid.
  EXPECT_EQ(BestOffsetPrefetcher().state_bits(),
            3328u + (260u + 6 + 7) + 9 + (4608u + 15) + 16 + 63);
  // 64 of: valid, zone 38, 64 of 2, place in the order of use 6.
  EXPECT_EQ(AccessMapPrefetcher().state_bits(), 64u * 173);
  // 32 of: valid, region 41, place 5, order 5; 64 of: 1, 41, 5, 8, 6; 32 patterns of 8.
  EXPECT_EQ(FootprintPrefetcher().state_bits(), 32u * 52 + 64u * 61 + 256);
}

}  // namespace
}  // namespace cxlgpu
