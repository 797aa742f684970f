// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// States of a journal by hand: what is sure, what is free, what was promised too early.
#include "sim/persist/journal.hpp"

#include <gtest/gtest.h>

#include <set>

#include "sim/persist/crash_walk.hpp"

namespace cxlgpu {
namespace {

using U64 = std::uint64_t;

Line filled(std::uint8_t value) {
  Line line;
  line.fill(value);
  return line;
}
std::uint8_t byte_in(const FlatMemory& memory, U64 address) {
  std::uint8_t byte = 0;
  memory.peek(address, {&byte, 1});
  return byte;
}
// First bytes of these lines, in every state of the point.
std::set<std::vector<int>> states_at(const Journal& journal, std::size_t point,
                                     const std::vector<U64>& addresses,
                                     std::size_t most = CrashStates::kAll) {
  std::set<std::vector<int>> all;
  FlatMemory before;
  (void)walk_crashes(journal, before, {.points = 0, .states = most, .only = point},
                     [&](const FlatMemory& memory, bool) {
                       std::vector<int> bytes;
                       for (const U64 at : addresses) bytes.push_back(byte_in(memory, at));
                       all.insert(bytes);
                       return std::optional<std::string>{};
                     });
  return all;
}
using States = std::set<std::vector<int>>;

TEST(Journal, AWriteIsFreeFromItsAcceptanceToItsTelling) {
  Journal journal;
  const auto a = journal.accepted(0, filled(1), kAllBytes, Time{1});
  journal.entered(0, filled(1), kAllBytes, Time{2});
  journal.told(a, Time{3});
  EXPECT_EQ(states_at(journal, 0, {0}), (States{{0}}));
  EXPECT_EQ(states_at(journal, 1, {0}), (States{{0}, {1}}));
  EXPECT_EQ(states_at(journal, 2, {0}), (States{{0}, {1}}));
  EXPECT_EQ(states_at(journal, 3, {0}), (States{{1}}));
}

TEST(Journal, WritesOfDifferentLinesAreFreeOfEachOther) {
  Journal journal;
  (void)journal.accepted(0, filled(1), kAllBytes, Time{1});
  (void)journal.accepted(64, filled(2), kAllBytes, Time{2});
  EXPECT_EQ(states_at(journal, 2, {0, 64}), (States{{0, 0}, {1, 0}, {0, 2}, {1, 2}}));
}

TEST(Journal, WritesOfALineStayInOrder) {
  Journal journal;
  (void)journal.accepted(0, filled(1), 0x1, Time{1});
  (void)journal.accepted(0, filled(2), 0x3, Time{2});
  EXPECT_EQ(states_at(journal, 2, {0, 1}), (States{{0, 0}, {1, 0}, {2, 2}}));
}

TEST(Journal, BytesThatAreNotEnabledStay) {
  Journal journal;
  const auto a = journal.accepted(0, filled(1), 0xf0, Time{1});
  journal.entered(0, filled(1), 0xf0, Time{1});
  journal.told(a, Time{1});
  EXPECT_EQ(states_at(journal, 3, {3, 4, 7, 8}), (States{{0, 1, 1, 0}}));
}

TEST(Journal, WhatWasToldAndHasNotEnteredIsOut) {
  Journal journal;
  const auto a = journal.accepted(0, filled(1), kAllBytes, Time{1});
  journal.told(a, Time{2});
  journal.entered(0, filled(1), kAllBytes, Time{3});
  EXPECT_EQ(states_at(journal, 2, {0}), (States{{0}}));
  EXPECT_EQ(states_at(journal, 3, {0}), (States{{1}}));
  FlatMemory before;
  CrashStates states(journal, before);
  states.go_to(2);
  EXPECT_EQ(states.broken_promises(), 1U);
  states.go_to(3);
  EXPECT_EQ(states.broken_promises(), 0U);
}

TEST(Journal, AWriteThatIsSureHasThoseOfItsLineBeforeItIn) {
  Journal journal;
  (void)journal.accepted(0, filled(1), 0x1, Time{1});
  const auto b = journal.accepted(0, filled(2), 0x2, Time{2});
  journal.entered(0, filled(2), 0x2, Time{3});
  journal.told(b, Time{3});
  EXPECT_EQ(states_at(journal, 4, {0, 1}), (States{{1, 2}}));
}

TEST(Journal, AnEntryIsMatchedByItsBytes) {
  Journal journal;
  const auto a = journal.accepted(0, filled(1), kAllBytes, Time{1});
  const auto b = journal.accepted(0, filled(2), kAllBytes, Time{1});
  journal.entered(0, filled(2), kAllBytes, Time{2});
  EXPECT_TRUE(journal.writes()[b].entered);
  EXPECT_FALSE(journal.writes()[a].entered);
  journal.entered(0, filled(9), kAllBytes, Time{2});  // by nobody: not an event
  EXPECT_EQ(journal.events().size(), 3U);
}

TEST(Journal, ARefusedWriteIsFreeForGoodAndTakesNoEntryFromTheOneThatRepeatsIt) {
  Journal journal;
  const auto a = journal.accepted(0, filled(1), 0x1, Time{1});
  journal.refused(a);
  const auto b = journal.accepted(0, filled(1), 0x1, Time{2});
  journal.entered(0, filled(1), 0x1, Time{3});
  EXPECT_FALSE(journal.writes()[a].entered);
  EXPECT_TRUE(journal.writes()[b].entered);
  EXPECT_EQ(states_at(journal, 1, {0}), (States{{0}, {1}}));
}

TEST(Journal, WhatIsKeptAtOnceIsSureAtOnce) {
  Journal journal;
  journal.kept(0, filled(1), kAllBytes, Time{1});
  EXPECT_EQ(states_at(journal, 3, {0}), (States{{1}}));
}

TEST(Journal, ManyFreeWritesAreSampledTheMachinesOwnStateFirst) {
  Journal journal;
  for (U64 i = 0; i < 40; ++i) {
    (void)journal.accepted(i * 64, filled(1), kAllBytes, Time{1});
  }
  journal.entered(5 * 64, filled(1), kAllBytes, Time{2});
  FlatMemory before;
  CrashStates states(journal, before);
  states.go_to(41);
  const auto choices = states.choices(100, 7);
  EXPECT_EQ(choices.size(), 100U);
  EXPECT_EQ(std::set<CrashStates::Choice>(choices.begin(), choices.end()).size(), 100U);
  CrashStates::Choice own(40, 0);
  own[5] = 1;
  EXPECT_EQ(choices.front(), own);
  EXPECT_EQ(choices, states.choices(100, 7));
  EXPECT_NE(choices, states.choices(100, 8));
}

TEST(Walk, PointsAreAllOrDrawnWithTheEndsAmongThem) {
  Journal journal;
  for (U64 i = 0; i < 50; ++i) journal.kept(i * 64, filled(1), kAllBytes, Time{1});
  FlatMemory before;
  const auto none = [](const FlatMemory&, bool) { return std::optional<std::string>{}; };
  EXPECT_EQ(walk_crashes(journal, before, {}, none).points, 151U);
  std::set<std::size_t> lines;
  const auto count = [&](const FlatMemory& memory, bool) -> std::optional<std::string> {
    std::size_t n = 0;
    for (U64 i = 0; i < 50; ++i) n += byte_in(memory, i * 64);
    lines.insert(n);
    return std::nullopt;
  };
  EXPECT_EQ(walk_crashes(journal, before, {.points = 10}, count).points, 10U);
  EXPECT_TRUE(lines.contains(0) && lines.contains(50));
}

TEST(Walk, AFailureSaysWhere) {
  Journal journal;
  (void)journal.accepted(0x40, filled(1), kAllBytes, Time{1});
  (void)journal.accepted(0x80, filled(1), kAllBytes, Time{1});
  FlatMemory before;
  const WalkResult result = walk_crashes(
      journal, before, {}, [](const FlatMemory& m, bool) -> std::optional<std::string> {
        if (byte_in(m, 0x80) == 1 && byte_in(m, 0x40) == 0) return "out of order";
        return std::nullopt;
      });
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->point, 2U);
  EXPECT_EQ(result.failure->in_flight, "0x40:0/1 0x80:1/1");
  EXPECT_EQ(result.failure->what, "out of order");
}

}  // namespace
}  // namespace cxlgpu
