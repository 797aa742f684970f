// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_engine alone, by hand: how long loads of one line may keep others waiting, and poison through
// every order of stores, loads, merges and flushes. Expected values are those of
// docs/blocks/root_port/ds_engine.md.
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>

#include "tests/common/requirement.hpp"
#include "tests/root_port/ds_alone_bench.hpp"
#include "tests/root_port/ds_alone_traffic.hpp"

namespace cxlgpu {
namespace {

using test::DsAlone;
using test::Scene;
using Size = DsAlone::Size;

constexpr std::uint64_t kLowHalf = 0xffff'ffff, kHighHalf = kLowHalf << 32;
constexpr unsigned kLatencies[] = {1, 10, 100, 400};

// Where the line is whose loads are kept outstanding.
enum class Place : std::uint8_t { NewestPart, OldestPart, OldestWhole, Absent };
constexpr const char* kPlaces[] = {"part, newest", "part, oldest", "whole, oldest", "absent"};
// Of the newest line in the order in which it is flushed first, of the others likewise.
constexpr bool flushes_oldest(Place place) {
  return place != Place::NewestPart;
}

constexpr unsigned kStores = 8;  // as many as the store FIFO takes
struct Waits {
  std::array<std::uint64_t, kStores> store{};  // from its offer to its answer, all offered at once
  std::uint64_t fence = 0;                     // until everything is at the endpoint
};

constexpr std::uint64_t kLine = 500;
constexpr std::uint64_t kNever = 1'000'000;

// What is there goes first: it is older.
void fill(DsAlone& b, Place place, std::uint64_t& next) {
  const std::uint64_t enables = place == Place::OldestWhole ? DsAlone::kAll : kLowHalf;
  const bool newest = place == Place::NewestPart;
  b.flush = true;
  ASSERT_TRUE(b.until([&] { return b.idle(); }, kNever));
  b.flush = false;
  if (!newest && place != Place::Absent) b.store(kLine, 0x11, enables);
  b.run(100);
  for (unsigned n = b.count() + newest; n < b.depth; ++n) b.store(next++, 0x22);
  if (newest) b.store(kLine, 0x11, enables);
  ASSERT_TRUE(b.until([&] { return b.count() == b.depth; }, kNever));
}

// The region full of deferred lines, `kept` loads of one line outstanding: then kStores stores to
// lines that are not there, and, the region full again, a fence. They come `phase` cycles later.
Waits measure(bool large, unsigned latency, Place place, unsigned kept, unsigned phase) {
  DsAlone b(large ? Size::Lines1024 : Size::Lines256, latency);
  b.oldest = flushes_oldest(place);
  std::uint64_t next = 1000;
  Waits waits;
  const unsigned settled = 4 * latency + 200;
  fill(b, place, next);
  b.keep(kLine, kept);
  b.run(settled + phase);
  b.flush = b.direct = true;
  const std::uint64_t start = b.cycle();
  std::array<std::uint32_t, kStores> ids{};
  for (std::uint32_t& id : ids) id = b.store(next++, 0x33);
  for (unsigned n = 0; n < kStores; ++n) {
    if (!b.answered(ids[n], kNever)) {
      ADD_FAILURE() << "a store is never answered";
      return waits;
    }
    waits.store[n] = b.answer(ids[n])->cycle - start;
  }
  b.flush = b.direct = false;
  b.keep(kLine, 0);
  b.run(settled);
  fill(b, place, next);
  b.keep(kLine, kept);
  b.run(settled + phase);
  const std::uint64_t fence = b.cycle();
  b.fence = true;
  EXPECT_TRUE(b.until([&] { return b.empty(); }, kNever)) << "a fence never ends";
  waits.fence = b.cycle() - fence;
  b.check_endpoint();
  const std::uint64_t done = b.loads_done();
  b.run(settled);
  EXPECT_TRUE(kept == 0 || b.loads_done() > done) << "the loads stand still";
  return waits;
}

// Each bound of the page at every latency and number of loads. CXLGPU_SHOW=1 prints the table:
// place, lines, latency, loads kept, first store, last store, fence.
void measure_all(Place place, bool large, std::initializer_list<unsigned> loads) {
  const auto* const name = kPlaces[static_cast<unsigned>(place)];
  const std::uint64_t lines = large ? 1024 : 256;
  for (const unsigned latency : kLatencies) {
    Waits base;
    for (const unsigned kept : loads) {  // none first
      Waits most;
      for (const unsigned phase : {kept * 37, latency / 3 + 7, 2 * latency / 3 + 19}) {
        const Waits waits = measure(large, latency, place, kept, phase);
        for (unsigned n = 0; n < kStores; ++n) {
          most.store[n] = std::max(most.store[n], waits.store[n]);
        }
        most.fence = std::max(most.fence, waits.fence);
        if (kept == 0 || large) break;
      }
      if (kept == 0) base = most;
      const std::string where = std::string(name) + ", lines " + std::to_string(lines) +
                                ", latency " + std::to_string(latency) + ", loads " +
                                std::to_string(kept);
      for (unsigned n = 0; n < kStores; ++n) {
        EXPECT_LE(most.store[n], base.store[n] + 2 * latency + 64 * (n + 1))
            << where << ", store " << n;
      }
      EXPECT_LE(most.fence, base.fence + 2 * (latency + 32) + 32 * lines) << where;
      if (std::getenv("CXLGPU_SHOW") != nullptr) {
        std::printf("| %s | %" PRIu64 " | %u | %u | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |\n",
                    name, lines, latency, kept, most.store[0], most.store[kStores - 1], most.fence);
        std::fflush(stdout);
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(DsAlone, LoadsOfTheNewestPartStarveNobody) {
  test::shows("order",
              "With 0 to 8 loads of the newest, partly stored line kept outstanding and the region "
              "full, stores and a fence are answered within the page's bounds, at latencies of 1 "
              "to 400 cycles and 256 and 1024 lines",
              "docs/blocks/root_port/ds_engine.md");
  measure_all(Place::NewestPart, false, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  measure_all(Place::NewestPart, true, {0, 1, 8});
}

TEST(DsAlone, LoadsOfTheOldestPartStarveNobody) {
  test::shows("order", "The same with loads of the oldest, partly stored line",
              "docs/blocks/root_port/ds_engine.md");
  measure_all(Place::OldestPart, false, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  measure_all(Place::OldestPart, true, {0, 1, 8});
}

TEST(DsAlone, LoadsOfAWholeLineStarveNobody) {
  test::shows("order", "The same with loads that the region answers",
              "docs/blocks/root_port/ds_engine.md");
  measure_all(Place::OldestWhole, false, {0, 1, 2, 3, 8});
  measure_all(Place::OldestWhole, true, {0, 1, 8});
}

TEST(DsAlone, LoadsOfALineThatIsNotHereStarveNobody) {
  test::shows("order", "The same with loads that pass the region",
              "docs/blocks/root_port/ds_engine.md");
  measure_all(Place::Absent, false, {0, 1, 2, 3, 8});
  measure_all(Place::Absent, true, {0, 1, 8});
}

TEST(DsAlone, ALoadOfAWantedLineIsAnswered) {
  test::shows("order",
              "Loads that wait for a flush of their line are answered in order: after the merges "
              "in flight and the line's write",
              "docs/blocks/root_port/ds_engine.md");
  for (const unsigned latency : kLatencies) {
    DsAlone b(Size::Lines256, latency);
    b.store(kLine, 0x11, kLowHalf);
    ASSERT_TRUE(b.until([&] { return b.count() == 1; }));
    std::array<std::uint32_t, 4> loads{};
    for (std::uint32_t& id : loads) id = b.load(kLine);
    ASSERT_TRUE(b.until([&] { return b.merges() == 2; }, 4 * latency + 100));
    b.flush = true;
    const std::uint64_t start = b.cycle();
    ASSERT_TRUE(b.answered(loads[3], kNever));
    // Two merges, the write, two loads at the endpoint, one after the other.
    EXPECT_LE(b.answer(loads[3])->cycle - start, 5 * (latency + 32)) << latency;
    EXPECT_EQ(b.writes.size(), 1u);
    ASSERT_TRUE(b.until([&] { return b.idle(); }));
    b.check_endpoint();
    // With its write the line's flush is over: no load of it waits for that one again.
    b.flush = false;
    b.store(kLine, 0x22, kLowHalf);
    ASSERT_TRUE(b.until([&] { return b.count() == 1; }));
    EXPECT_TRUE(b.answered(b.load(kLine), 2 * latency + 200));
  }
}

TEST(DsAlone, AWantedLineIsForgottenWhenNoFlushMayGo) {
  test::shows("order", "Loads wait for a flush of their line only while one may be sent",
              "docs/blocks/root_port/ds_engine.md");
  DsAlone b(Size::Lines256, 50);
  b.hold_reads = true;
  b.store(kLine, 0x11, kLowHalf);
  ASSERT_TRUE(b.until([&] { return b.count() == 1; }));
  const std::uint32_t first = b.load(kLine), second = b.load(kLine), third = b.load(kLine);
  ASSERT_TRUE(b.until([&] { return b.merges() == 2; }));
  b.flush = true;
  b.run(20);  // refused: the line is wanted
  b.flush = false;
  b.hold_reads = false;
  for (const std::uint32_t id : {first, second, third}) EXPECT_TRUE(b.answered(id));
  EXPECT_EQ(b.merges(), 3u);
  EXPECT_TRUE(b.writes.empty());
}

// While a flush waits for its busy line, another line comes back, stored to during its write: as
// the last. Oldest first the one stays wanted and goes, then the other; newest first now loads wait
// for the other, which goes: however many loads of it there are.
void wanted_line(bool oldest) {
  constexpr std::uint64_t kFirst = 300;
  for (const unsigned latency : kLatencies) {
    SCOPED_TRACE(latency);
    DsAlone b(Size::Lines256, latency);
    b.oldest = oldest;
    b.hold_reads = b.hold_writes = b.flush = true;
    b.store(kLine, 0x11, kLowHalf);
    ASSERT_TRUE(b.until([&] { return b.writes.size() == 1; }));
    b.flush = false;
    b.store(kFirst, 0x22, kLowHalf);
    ASSERT_TRUE(b.until([&] { return b.count() == 1; }));
    b.load(kFirst);
    ASSERT_TRUE(b.until([&] { return b.merges() == 1; }));
    ASSERT_TRUE(b.answered(b.store(kLine, 0x33, kHighHalf >> 16)));
    b.keep(kLine, 8);
    b.flush = true;
    b.run(100);  // the first line is wanted
    b.hold_writes = false;
    ASSERT_TRUE(b.until([&] { return b.merges() == 2; }, latency + 100));
    b.run(50);
    EXPECT_EQ(b.writes.size(), 1u);
    b.hold_reads = false;
    ASSERT_TRUE(b.until([&] { return b.writes.size() == 3; }, 8 * (latency + 32)));
    EXPECT_EQ(b.writes[1].line, oldest ? kFirst : kLine);
    EXPECT_EQ(b.writes[2].line, oldest ? kLine : kFirst);
    b.keep(kLine, 0);
    ASSERT_TRUE(b.until([&] { return b.idle(); }, kNever));
    b.check_endpoint();
  }
}
TEST(DsAlone, TheWantedLineIsTheOldest) {
  wanted_line(true);
}
TEST(DsAlone, TheWantedLineIsTheNewest) {
  wanted_line(false);
}

TEST(DsAlone, ALoadThatWaitsForItsLineStandsInNobodysWay) {
  test::shows("order",
              "A load whose line is at the endpoint does not keep deferred and direct stores from "
              "the memory queue",
              "docs/blocks/root_port/ds_engine.md");
  DsAlone b;
  b.hold_reads = true;
  for (std::uint64_t line = 1; line <= 4; ++line) b.store(line, 0x40);
  ASSERT_TRUE(b.until([&] { return b.count() == 4; }));
  const std::uint32_t first = b.load(kLine), second = b.load(kLine);
  b.run(50);
  b.flush = b.direct = true;
  b.store(9, 0x50);
  EXPECT_TRUE(b.until([&] { return b.empty(); }));
  EXPECT_EQ(b.writes.size(), 5u);
  EXPECT_EQ(b.answer(first), nullptr);
  b.hold_reads = false;
  EXPECT_TRUE(b.answered(first) && b.answered(second));
}

// Poison. One line at the endpoint is poisoned before anything else.
constexpr std::uint64_t kBad = 7;

void expect_load(DsAlone& b, bool error, const char* where) {
  const std::uint32_t id = b.load(kBad);
  ASSERT_TRUE(b.answered(id)) << where;
  EXPECT_EQ(b.answer(id)->error, error) << where;
}
void flush_all(DsAlone& b) {
  b.flush = true;
  ASSERT_TRUE(b.until([&] { return b.idle(); }));
  b.flush = false;
}
void expect_write(const DsAlone& b, std::size_t n, std::uint64_t enables, bool poison) {
  ASSERT_LT(n, b.writes.size());
  EXPECT_EQ(b.writes[n].line, kBad);
  EXPECT_EQ(b.writes[n].enables, enables) << n;
  EXPECT_EQ(b.writes[n].poison, poison) << n;
}

TEST(DsAlone, PoisonIsMergedUntilTheLineIsWhole) {
  test::shows("ds",
              "A load merged with a poisoned line answers with error until all its bytes are in "
              "the region; the whole line then takes the endpoint's poison away",
              "docs/blocks/root_port/ds_engine.md, Poison");
  DsAlone b;
  b.poison(kBad);
  expect_load(b, true, "passes");
  EXPECT_TRUE(b.answered(b.store(kBad, 0x11, kLowHalf)));
  expect_load(b, true, "merge");
  EXPECT_EQ(b.merges(), 1u);
  EXPECT_TRUE(b.answered(b.store(kBad, 0x22, kHighHalf)));
  expect_load(b, false, "whole");
  EXPECT_EQ(b.merges(), 1u);
  EXPECT_EQ(b.hits(), 1u);
  EXPECT_TRUE(b.cell(kBad).bad);
  flush_all(b);
  expect_write(b, 0, DsAlone::kAll, false);
  EXPECT_FALSE(b.cell(kBad).bad);
  expect_load(b, false, "at the endpoint again");
}

TEST(DsAlone, PartialWritesLeaveALinePoisoned) {
  test::shows("ds",
              "A partial store over a poisoned line goes out as a partial write, deferred or at "
              "once, and leaves it poisoned; only a store of the whole line ends that",
              "docs/blocks/root_port/ds_engine.md, Poison");
  for (const bool direct : {false, true}) {
    DsAlone b;
    b.direct = direct;
    b.poison(kBad);
    std::size_t n = 0;
    for (const std::uint64_t enables : {kLowHalf, kHighHalf}) {
      EXPECT_TRUE(b.answered(b.store(kBad, 0x11, enables)));
      expect_load(b, true, "part here or in flight");
      flush_all(b);
      expect_write(b, n++, enables, false);
      EXPECT_TRUE(b.cell(kBad).bad);
      expect_load(b, true, "part at the endpoint");
    }
    EXPECT_TRUE(b.answered(b.store(kBad, 0x33)));
    expect_load(b, false, "whole");
    flush_all(b);
    expect_write(b, n, DsAlone::kAll, false);
    EXPECT_FALSE(b.cell(kBad).bad);
    expect_load(b, false, "at the endpoint again");
  }
}

TEST(DsAlone, AnOlderLoadAnswersAsTheLineWas) {
  test::shows("ds",
              "A load of a poisoned line in flight before a store of the whole line answers with "
              "error, passing or merged; one after it does not",
              "docs/blocks/root_port/ds_engine.md, Poison");
  for (const bool merged : {false, true}) {
    DsAlone b;
    b.poison(kBad);
    EXPECT_TRUE(!merged || b.answered(b.store(kBad, 0x11, kLowHalf)));
    b.hold_reads = true;
    const std::uint32_t before = b.load(kBad);
    const std::uint32_t store = b.store(kBad, 0x22, merged ? kHighHalf : DsAlone::kAll);
    const std::uint32_t after = b.load(kBad);
    b.run(200);
    EXPECT_NE(b.answer(store), nullptr);  // a slot is sure to be its own
    EXPECT_FALSE(b.entered(after));       // and it waits for the load
    b.hold_reads = false;
    ASSERT_TRUE(b.answered(before) && b.answered(store) && b.answered(after));
    EXPECT_TRUE(b.answer(before)->error);
    EXPECT_FALSE(b.answer(store)->error);
    EXPECT_FALSE(b.answer(after)->error);
    flush_all(b);
    EXPECT_FALSE(b.cell(kBad).bad);
  }
}

TEST(DsAlone, PoisonUnderALineUnderWay) {
  test::shows("ds",
              "A second store to a poisoned line whose part is in flight makes it whole or not: "
              "loads answer accordingly, and so does the line after its second write",
              "docs/blocks/root_port/ds_engine.md, Poison");
  for (const bool whole : {true, false}) {
    DsAlone b;
    b.direct = true;
    b.hold_writes = true;
    b.poison(kBad);
    EXPECT_TRUE(b.answered(b.store(kBad, 0x11, kLowHalf)));
    EXPECT_TRUE(b.until([&] { return b.writes.size() == 1; }));
    EXPECT_TRUE(b.answered(b.store(kBad, 0x22, whole ? kHighHalf : 0xff00)));
    const std::uint32_t load = b.load(kBad);
    b.run(100);
    EXPECT_EQ(b.answer(load) != nullptr, whole);  // the part waits for the write's end
    b.hold_writes = false;
    ASSERT_TRUE(b.answered(load));
    EXPECT_EQ(b.answer(load)->error, !whole);
    flush_all(b);
    expect_write(b, 0, kLowHalf, false);
    expect_write(b, 1, whole ? DsAlone::kAll : kLowHalf, false);
    EXPECT_EQ(b.cell(kBad).bad, !whole);
    expect_load(b, !whole, "at the end");
  }
}

TEST(DsAlone, PoisonUnderAFailedWrite) {
  test::shows("ds",
              "After a failed write a poisoned line is merged with its error, a whole one is read "
              "from the region",
              "docs/blocks/root_port/ds_engine.md, Poison");
  for (const std::uint64_t enables : {kLowHalf, DsAlone::kAll}) {
    DsAlone b;
    b.direct = true;
    b.failing_writes = 1;
    b.poison(kBad);
    b.store(kBad, 0x11, enables);
    ASSERT_TRUE(b.until([&] { return b.error() && b.count() == 1; }));
    expect_load(b, enables != DsAlone::kAll, "kept");
    b.clear_error = true;
    b.run(1);
    b.clear_error = false;
    flush_all(b);
    expect_write(b, 1, enables, false);
    expect_load(b, enables != DsAlone::kAll, "sent again");
  }
}

// The error ends in any cycle of a store that comes while it stands, whatever the filter says.
TEST(DsAlone, AnErrorEndsInAnyCycleOfAStore) {
  for (unsigned run = 0; run < 64 * 24; ++run) {
    const std::uint64_t line = 4 + run / 24;
    const unsigned phase = run % 24;
    DsAlone b(Size::Lines4);
    b.flush = true;
    b.failing_writes = 1;
    b.store(3, 0x11);
    ASSERT_TRUE(b.until([&] { return b.error(); }));
    b.run(40);  // the line is back, and not late any more
    const std::uint32_t store = b.store(line, 0x22);
    b.run(phase);
    b.clear_error = true;
    b.step();
    b.clear_error = false;
    ASSERT_TRUE(b.answered(store)) << line << ", " << phase;
    ASSERT_TRUE(b.until([&] { return b.idle(); })) << line << ", " << phase;
    EXPECT_FALSE(b.error()) << line << ", " << phase;
    b.check_endpoint();
  }
}

// Clearing all the time: the failure meets it in its cycle, shows once, and the line goes again.
TEST(DsAlone, AFailureInTheCycleOfTheClearIsNotLost) {
  for (const bool direct : {true, false}) {
    DsAlone b;
    b.direct = direct;
    b.flush = b.clear_error = true;
    b.failing_writes = 1;
    b.store(3, 0x11);
    unsigned shown = 0;
    EXPECT_TRUE(b.until([&] {
      shown += b.error() ? 1 : 0;
      return b.writes.size() == 2 && b.idle();
    }));
    EXPECT_EQ(shown, 1u) << direct;
    b.check_endpoint();
  }
}

TEST(DsAlone, AnErrorOfLocalMemoryIsPoison) {
  test::shows("ds",
              "Data that local memory gives with error answer a load with error, alone or merged, "
              "and reach the endpoint as poison; a store of the whole line ends that",
              "docs/blocks/root_port/ds_engine.md, Poison");
  for (const std::uint64_t enables : {DsAlone::kAll, kLowHalf}) {
    DsAlone b;
    EXPECT_TRUE(b.stored(b.store(kBad, 0x11, enables)));
    expect_load(b, false, "sound");
    b.damage(kBad);
    expect_load(b, true, "damaged");
    flush_all(b);
    expect_write(b, 0, enables, true);
    EXPECT_TRUE(b.cell(kBad).bad);
    expect_load(b, true, "poisoned");
    EXPECT_TRUE(b.stored(b.store(kBad, 0x22)));
    expect_load(b, false, "stored whole");
    flush_all(b);
    expect_write(b, 1, DsAlone::kAll, false);
    expect_load(b, false, "sent whole");
  }
  // In the slot, before it is sent.
  DsAlone b;
  EXPECT_TRUE(b.stored(b.store(kBad, 0x11)));
  b.damage(kBad);
  EXPECT_TRUE(b.stored(b.store(kBad, 0x22, kLowHalf)));
  expect_load(b, true, "stored in part");
  EXPECT_TRUE(b.stored(b.store(kBad, 0x33)));
  expect_load(b, false, "stored whole");
  flush_all(b);
  expect_write(b, 0, DsAlone::kAll, false);
  // In flight: the write carries the store's own data, a load reads the slot.
  b.direct = b.hold_writes = true;
  EXPECT_TRUE(b.stored(b.store(kBad, 0x44)));
  b.damage(kBad);
  expect_load(b, true, "in flight");
  b.hold_writes = false;
  flush_all(b);
  expect_write(b, 1, DsAlone::kAll, false);
  expect_load(b, false, "done");
}

TEST(DsAlone, BothErrorsAreMerged) {
  test::shows("ds", "A merge answers with error if either part is bad",
              "docs/blocks/root_port/ds_engine.md, Poison");
  for (const unsigned bad : {0u, 1u, 2u, 3u}) {
    DsAlone b;
    if ((bad & 1) != 0) b.poison(kBad);
    EXPECT_TRUE(b.stored(b.store(kBad, 0x11, kLowHalf)));
    if ((bad & 2) != 0) b.damage(kBad);
    expect_load(b, bad != 0, "merge");
    EXPECT_EQ(b.merges(), 1u);
    expect_load(b, bad != 0, "another");
    flush_all(b);
    expect_write(b, 0, kLowHalf, (bad & 2) != 0);
    expect_load(b, bad != 0, "after the flush");
  }
}

TEST(DsAlone, PoisonInAnyOrder) {
  test::shows("ds",
              "Whatever the order of loads, stores, flushes and failed writes, a poisoned line "
              "answers with error while a byte of it has not been stored since, and without after "
              "a store of the whole line",
              "docs/blocks/root_port/ds_engine.md, Poison");
  test::Random random(0x901);
  for (unsigned round = 0; round < 150; ++round) {
    DsAlone b(Size::Lines256, random.pick(std::array{1u, 10u, 100u}),
              random.pick(std::array{1u, 4u, 30u}));
    const std::uint64_t lines = 1 + random.below(4);
    for (std::uint64_t line = 0; line < lines; ++line) b.poison(line);
    for (unsigned n = 0; n < 60; ++n) {
      const std::uint64_t line = random.below(lines + 1);  // one that is sound as well
      if (random.percent(50)) {
        b.load(line);
      } else {
        const std::uint64_t some[] = {DsAlone::kAll, kLowHalf, kHighHalf, random.bits(64)};
        b.store(line, static_cast<std::uint8_t>(random.bits(8)), random.pick(some));
      }
      if (random.percent(30)) b.flush = random.percent(50);
      if (random.percent(30)) b.direct = random.percent(50);
      if (random.percent(5)) b.failing_writes = 1;
      b.clear_error = random.percent(10);
      b.run(random.below(random.percent(50) ? 8 : 200));
    }
    b.clear_error = b.flush = true;
    b.failing_writes = 0;
    ASSERT_TRUE(b.until([&] { return b.idle(); }, kNever));
    b.check_endpoint();
    if (HasFailure()) return;
  }
}

// Latencies that never change hide livelock from random ones; data, poison and merges under them.
TEST(DsAlone, ConstantLatenciesWithLoadsKept) {
  test::Random random(0x902);
  for (const unsigned latency : kLatencies) {
    for (unsigned kept = 0; kept <= 8; ++kept) {
      for (const unsigned stalls : {0u, 30u}) {
        DsAlone b(static_cast<Size>(kept % 3), latency, stalls == 0 ? 4 : 40);
        b.stalls = stalls;
        b.poison(1);
        b.poison(2);
        b.flush = kept % 3 != 0;
        b.direct = kept % 4 == 1;
        for (unsigned n = 0; n < 40; ++n) {
          const std::uint64_t line = random.below(4);
          if (random.percent(40)) {
            b.load(line);
          } else {
            const std::uint64_t some[] = {DsAlone::kAll, kLowHalf, kHighHalf, random.bits(64)};
            b.store(line, static_cast<std::uint8_t>(random.bits(8)), random.pick(some));
          }
        }
        b.keep(1, kept);  // of a poisoned line, partly here most of the time
        ASSERT_TRUE(b.until([&] { return b.waiting() <= 1; }, kNever)) << latency << ' ' << kept;
        const std::uint64_t done = b.loads_done();
        b.run(10 * latency + 200);
        EXPECT_TRUE(kept == 0 || b.loads_done() > done) << "the loads stand still";
        b.keep(1, 0);
        b.fence = true;
        ASSERT_TRUE(b.until([&] { return b.idle(); }, kNever)) << latency << ' ' << kept;
        b.check_endpoint();
        if (HasFailure()) return;
      }
    }
  }
}

// The endpoint goes and comes back at any moment, its writes fail, everybody stalls: what was
// answered without an error is there in the end, what was refused is not.
TEST(DsAlone, IsolationAtAnyMoment) {
  test::Random random(0x903);
  std::uint64_t refused = 0;
  for (unsigned round = 0; round < 20; ++round) {
    DsAlone b(static_cast<Size>(random.below(3)), random.pick(kLatencies),
              random.pick(std::array{1u, 4u, 30u}));
    b.stalls = random.pick(std::array{0u, 10u, 50u});
    b.answer_stalls = random.pick(std::array{0u, 90u});
    const bool full = round % 2 == 0;
    for (std::uint64_t line = 0; full && line + 4 < b.depth; ++line) b.store(1000 + line, 0x77);
    ASSERT_TRUE(b.until([&] { return b.waiting() == 0; }, kNever));
    b.run(500);
    for (unsigned n = 0; n < 80; ++n) {
      const std::uint64_t line = random.below(full ? 40 : 6);
      if (random.percent(40)) {
        b.load(line);
      } else {
        const std::uint64_t some[] = {DsAlone::kAll, kLowHalf, random.bits(64)};
        b.store(line, static_cast<std::uint8_t>(random.bits(8)), random.pick(some));
      }
      if (random.percent(20)) b.isolate = random.percent(60);
      if (random.percent(30)) b.flush = random.percent(50);
      if (random.percent(30)) b.direct = random.percent(50);
      if (random.percent(5)) b.fence = random.percent(60);
      if (random.percent(5)) b.failing_writes = 1;
      b.clear_error = random.percent(10);
      b.run(random.below(random.percent(50) ? 8 : 200));
    }
    b.isolate = b.fence = false;
    b.stalls = b.answer_stalls = 0;
    b.clear_error = b.flush = true;
    b.failing_writes = 0;
    ASSERT_TRUE(b.until([&] { return b.idle(); }, kNever)) << round;
    b.check_endpoint();
    refused += b.refused();
    if (HasFailure()) return;
  }
  EXPECT_GT(refused, 5u);
}

// The same, cycle by cycle.
TEST(DsAlone, StoresMeetAMergeOrAnErrorThatEnds) {
  using test::StoreKind;
  for (const Size size : {Size::Lines4, Size::Lines256}) {
    for (unsigned delay = 0; delay < 45 && !HasFailure(); ++delay) {
      for (const StoreKind kind : {StoreKind::Direct, StoreKind::JoinsDeferred, StoreKind::Deferred,
                                   StoreKind::JoinsWrite}) {
        test::meet_merge(size, kind, delay);
      }
      for (const bool loads : {false, true}) test::meet_error(size, delay, loads);
    }
    test::meet_full_reads(size);
  }
}

TEST(DsAlone, AWriteEndsWhileItsLineIsRead) {
  for (const Size size : {Size::Lines4, Size::Lines256}) {
    DsAlone b(size, 1, 12);
    for (unsigned load = 0; load < 30; ++load) {
      for (unsigned end = 0; end < 8 && !HasFailure(); ++end) {
        for (const bool stores : {false, true}) test::meet_end(b, stores, load, end);
      }
    }
  }
}

// The index is not ready yet: a line waits for it, and a load or store looks for another one.
TEST(DsAlone, LinesAreLateFromTheFirstOn) {
  for (const Size size : {Size::Lines256, Size::Lines1024}) {
    for (const bool store : {false, true}) {
      for (std::uint64_t n = 1; n < 4; ++n) {
        DsAlone b(size);
        b.store(5, 0x11);
        b.run(8);
        const std::uint64_t other = n << 10 | (5 ^ n << 3);  // in its bucket of the filter
        const std::uint32_t id = store ? b.store(other, 0x22) : b.load(other);
        ASSERT_TRUE(b.answered(id)) << other;
        b.flush = true;
        ASSERT_TRUE(b.until([&] { return b.idle(); })) << other;
        b.check_endpoint();
      }
    }
  }
}

// A line that comes back is the last: after those deferred meanwhile. Then the order turns.
TEST(DsAlone, ALineThatComesBackIsTheLast) {
  for (const bool oldest : {false, true}) {
    for (const bool fails : {false, true}) {
      DsAlone b(Size::Lines256);
      b.oldest = oldest;
      b.max_writes = 1;
      b.hold_writes = b.flush = true;
      b.failing_writes = fails ? 1 : 0;
      ASSERT_TRUE(b.answered(b.store(kLine, 0x11)));
      ASSERT_TRUE(b.until([&] { return b.writes.size() == 1; }));
      b.flush = false;
      for (std::uint64_t line = 1; line <= 3; ++line) b.store(line, 0x22);
      if (!fails) b.store(kLine, 0x33);
      ASSERT_TRUE(b.until([&] { return b.waiting() == 0 && b.count() == 3; }));
      b.store(2, 0x44);  // one that is here keeps its place
      b.run(100);
      b.hold_writes = false;
      ASSERT_TRUE(b.until([&] { return b.count() == 4; }));
      b.store(4, 0x55);
      ASSERT_TRUE(b.until([&] { return b.count() == 5; }));
      b.flush = b.clear_error = true;
      ASSERT_TRUE(b.until([&] { return b.writes.size() == 3; }));
      b.oldest = !oldest;
      ASSERT_TRUE(b.until([&] { return b.idle(); }));
      constexpr std::array<std::uint64_t, 6> kOldest{kLine, 1, 2, 4, kLine, 3};
      constexpr std::array<std::uint64_t, 6> kNewest{kLine, 4, kLine, 1, 2, 3};
      ASSERT_EQ(b.writes.size(), kOldest.size());
      for (unsigned n = 0; n < kOldest.size(); ++n) {
        EXPECT_EQ(b.writes[n].line, (oldest ? kOldest : kNewest)[n]) << n << ", fails " << fails;
      }
      b.check_endpoint();
    }
  }
}

TEST(DsAlone, EitherEndIsFlushedWhileTwoLinesAreLate) {
  for (unsigned delay = 0; delay < 16 && !HasFailure(); ++delay) {
    for (const bool mq : {false, true}) {
      for (const bool oldest : {false, true}) test::meet_late_flush(mq, oldest, delay);
    }
  }
  test::Random random(0x908);
  for (unsigned round = 0; round < 2000 && !HasFailure(); ++round) test::meet_late_flush(random);
}

TEST(DsAlone, AMergeReadsWhileAStoreWaitsForAnAnswer) {
  for (const Size size : {Size::Lines4, Size::Lines256}) {
    DsAlone b(size, 10, 3);
    for (const bool direct : {false, true}) {
      for (unsigned delay = 0; delay < 25; ++delay) {
        for (unsigned taken = 0; taken < 30 && !HasFailure(); ++taken) {
          test::meet_merge_unanswered(b, direct, delay, taken);
        }
      }
    }
  }
}

TEST(DsAlone, AFlushBeginsAmongStores) {
  for (const Size size : {Size::Lines256, Size::Lines1024}) {
    DsAlone b(size, 10, 3);
    for (const bool oldest : {false, true}) {
      b.oldest = oldest;
      for (unsigned stores = 4; stores < 24; stores += 3) {
        for (unsigned delay = 0; delay < 40 && !HasFailure(); ++delay) {
          test::meet_flush_among_stores(b, stores, delay);
        }
      }
    }
  }
}

TEST(DsAlone, CompletionsWaitForLateLines) {
  for (unsigned delay = 0; delay < 40 && !HasFailure(); ++delay) {
    for (const bool fails : {false, true}) {
      for (const bool merges : {false, true}) test::meet_late(fails, merges, delay);
    }
  }
}

// Where the sequencer is, as a store that passes it or the end of a write comes.
TEST(DsAlone, FewMeetInAnyOrder) {
  test::Random random(0x906);
  for (unsigned round = 0; round < 300 && !HasFailure(); ++round) {
    DsAlone b(round % 3 == 2 ? Size::Lines256 : Size::Lines4, 1 + random.below(16),
              1 + random.below(random.percent(40) ? 30 : 12));
    for (unsigned n = 0; n < 60 && !HasFailure(); ++n) {
      const auto some = {Scene::Any, Scene::Any, Scene::EndWhileRead, Scene::EndWhileRead,
                         Scene::GoWhileRead};
      test::meet_few(random, b, some.begin()[n % some.size()]);
    }
  }
}

// What may meet in one cycle does.
TEST(DsAlone, EverythingMeetsInOneCycle) {
  test::Random random(test::from_environment("CXLGPU_SEED", 23));
  for (unsigned round = 0; round < 200 * test::volume() && !HasFailure(); ++round) {
    test::meet_everything(random, round, false);
  }
  for (unsigned round = 0; round < 80 * test::volume() && !HasFailure(); ++round) {
    test::meet_everything(random, round, true);
  }
}

// The same with the most lines and writes that a root port can be built with.
TEST(DsAlone, EverythingMeetsAtTheGreatest) {
  test::Random random(0x905);
  for (unsigned round = 0; round < 4 && !HasFailure(); ++round) {
    test::meet_everything(random, round, round % 2 == 1, Size::Lines4096);
  }
}

// It takes that many lines and no more, gives each back, and empties with 64 writes in flight: half
// of them the oldest lines, in their order, half the newest.
TEST(DsAlone, EverySlotAndWriteOfTheGreatest) {
  DsAlone b(Size::Lines4096);
  b.oldest = true;
  const auto line_of = [](unsigned n) { return std::uint64_t{5} * n; };
  for (unsigned n = 0; n < b.depth; ++n) b.store(line_of(n), static_cast<std::uint8_t>(n % 251));
  ASSERT_TRUE(b.until([&] { return b.count() == b.depth; }, kNever));
  for (unsigned n = 0; n < b.depth; ++n) ASSERT_TRUE(b.answered(b.load(line_of(n)))) << n;
  EXPECT_EQ(b.hits(), b.depth);  // and DsAlone has compared what they gave
  const std::uint32_t another = b.store(line_of(b.depth), 0x33);
  b.run(500);
  EXPECT_EQ(b.answer(another), nullptr);
  b.hold_writes = b.flush = true;
  b.max_writes = 31;
  ASSERT_TRUE(b.until([&] { return b.writes.size() == 31; }, 20'000));
  b.run(500);
  EXPECT_EQ(b.writes.size(), 31u);
  b.max_writes = b.writes_at_most;
  b.oldest = false;
  ASSERT_TRUE(b.until([&] { return b.writes_were_full(); }, 20'000));
  b.run(500);
  EXPECT_EQ(b.writes.size(), 62u);  // the memory queue has no more entries
  for (unsigned n = 0; n < b.writes.size(); ++n) {
    ASSERT_EQ(b.writes[n].line, line_of(n < 31 ? n : b.depth - 1 - (n - 31))) << n;
  }
  b.hold_writes = false;
  ASSERT_TRUE(b.until([&] { return b.idle(); }, kNever));
  EXPECT_NE(b.answer(another), nullptr);
  EXPECT_EQ(b.writes.size(), b.depth + 1);
  b.check_endpoint();
}

// Keeps two requests waiting by `more` and loads the line again and again: the longest that a load
// takes from its entry to its answer, or kNever.
template <typename More>
std::uint64_t longest_load(DsAlone& b, More more) {
  const auto step = [&] {
    while (b.waiting() < 2) more();
    b.step();
  };
  for (unsigned n = 0; n < 300; ++n) step();
  std::uint64_t longest = 0;
  for (unsigned n = 0; n < 20; ++n) {
    const std::uint32_t load = b.load(kLine);
    while (!b.entered(load)) step();
    const std::uint64_t turn = b.cycle();
    while (b.answer(load) == nullptr && b.cycle() < turn + 1000) step();
    if (b.answer(load) == nullptr) return kNever;
    longest = std::max(longest, b.answer(load)->cycle - turn);
  }
  return longest;
}

// An L that is merged or read, with its find behind an insertion: chosen, look, the insertion's
// rest and the find, slot, mask, read; then local memory and the answer.
constexpr std::uint64_t kLoad = 2 + 3 + 4 + 3 + 4 + 2;
// An S or F with find or delete, and a fast store that begins when it might have been chosen.
constexpr std::uint64_t kOther = 10;

TEST(DsAlone, ALoadOfADeferredLineIsAnsweredWhateverStoresFollow) {
  test::shows("order",
              "A load of a deferred line waits for one insertion at most: in its turn a flush, "
              "16 stores and the ends of writes go before it, though stores go on that make more "
              "lines late",
              "docs/blocks/root_port/deterministic_store.md");
  // Pairs of stores to fresh lines: the first goes at once, the second finds its line on its way,
  // and the answer brings the line back among those that the index does not have yet.
  for (const unsigned latency : {5u, 20u, 30u, 40u, 60u, 100u}) {
    for (const unsigned writes : {1u, 2u, 8u}) {
      for (const bool flush : {false, true}) {
        DsAlone b(Size::Lines1024, latency);
        b.store(kLine, 0x11);
        ASSERT_TRUE(b.until([&] { return b.count() == 1; }));
        b.run(50);
        b.direct = true;
        b.flush = flush;
        b.max_writes = writes;
        std::uint64_t fresh = kLine + 100;
        const std::uint64_t longest = longest_load(b, [&] {
          b.store(fresh, 0x22);
          b.store(fresh++, 0x33);
        });
        EXPECT_LE(longest, kLoad + (flush ? 17 : 8) * kOther + 4 * writes)
            << "latency " << latency << ", writes " << writes << ", flush " << flush;
      }
    }
  }
  // Stores to deferred lines, one of which may always go next, and new ones that make lines late.
  for (const bool flush : {false, true}) {
    for (const unsigned news : {0u, 1u, 4u}) {
      DsAlone b(Size::Lines1024);
      b.store(kLine, 0x11);
      for (std::uint64_t line = 1; line < 40; ++line) b.store(line, 0x22);
      ASSERT_TRUE(b.until([&] { return b.count() == 40; }));
      b.run(300);
      b.flush = flush;
      b.max_writes = 1;
      std::uint64_t n = 0, fresh = kLine + 100;
      const std::uint64_t longest = longest_load(b, [&] {
        ++n;
        b.store(news != 0 && n % news == 0 ? fresh++ : 1 + n % 20, 0x33);
      });
      EXPECT_LE(longest, kLoad + (flush ? 17 : 8) * kOther + 4)
          << "flush " << flush << ", a new line in " << news;
    }
  }
}

}  // namespace
}  // namespace cxlgpu
