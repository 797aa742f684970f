// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Programs and erases that reads suspend: every time by formula, to the picosecond, and that each
// ends whatever reads come.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/media/bus_time.hpp"
#include "sim/media/flash_media.hpp"
#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

using media_test::answered;
using media_test::next_answer;
using media_test::read_of;
using media_test::write_of;

constexpr std::uint32_t kSlots = 64, kLine = 256;

constexpr Time us(std::uint64_t n) {
  return Time{n * 1000000};
}

// One die. Each test begins a program of page 8 and sends reads in time for the die, `at(t)` after
// the array has begun.
class Suspend : public ::testing::Test {
 protected:
  FlashConfig c = media_test::flash_config();
  std::optional<FlashMedia> media;
  Time begun, ends;  // of the array, if nothing comes between

  void SetUp() override {
    c.channels = c.dies_per_channel = 1;
    c.suspend = {true, true, us(11), us(23), us(2), us(15), us(40)};
  }
  Time bus(std::uint64_t bytes) const { return bus_time(bytes, c.channel_bits, c.channel_mtps); }
  std::uint64_t page(std::uint64_t n) const { return n * c.page_bytes; }
  // A die's time for a read, and the controller's after it.
  Time read() const { return c.command + c.tR + bus(kLineBytes); }

  void program(unsigned lines = 64) {
    media.emplace(c, std::uint64_t{1} << 30, kSlots, kLine);
    Time now{0};
    for (unsigned line = 0; line < lines; ++line) {
      now = answered(*media, write_of(page(8) + line * 64ull), now);
    }
    begun = now + c.buffer_cold + c.command + bus(c.page_bytes);
    if (lines < 64) begun += c.command + c.tR + bus(c.page_bytes);  // with its merge
    ends = begun + c.tPROG;
  }
  void send(std::uint64_t dpa, Time to_die, std::uint8_t id = 0) {
    media->submit(read_of(dpa, id), to_die - c.lookup);
  }
  // The next answer.
  void expect_answer(std::uint8_t id, Time when) {
    const auto [answer, at] = next_answer(*media, latest_);
    latest_ = at;
    EXPECT_EQ(answer.id, id);
    EXPECT_EQ(at, when) << int{id};
  }
  void expect_programmed(Time when) {
    EXPECT_FALSE(media->take(when - Time{1}).has_value());
    EXPECT_EQ(media->counters().page_programs, 0u);
    EXPECT_FALSE(media->take(when).has_value());
    EXPECT_EQ(media->counters().page_programs, 1u);
  }

 private:
  Time latest_;
};

TEST_F(Suspend, AReadWaitsForTheSuspensionAlone) {
  program();
  const Time at = begun + us(30);
  send(page(3), at);
  expect_answer(0, at + us(11) + read() + c.ecc);
  EXPECT_EQ(media->counters().program_suspends, 1u);
  // What was left at the request goes on behind the read and the resumption.
  expect_programmed(at + us(11) + read() + us(2) + (ends - at));
  EXPECT_EQ(media->counters().program_suspends, 1u);
  EXPECT_EQ(media->counters().erase_suspends, 0u);
}

TEST_F(Suspend, OnlyIfAsked) {
  for (const bool erases : {false, true}) {
    c.suspend.programs = false;
    c.suspend.erases = erases;
    program();
    send(page(3), begun + us(30));
    const auto [answer, at] = next_answer(*media, begun);
    EXPECT_EQ(at, ends + read() + c.ecc);
    EXPECT_EQ(media->counters().program_suspends, 0u);
  }
}

TEST_F(Suspend, NotBeforeItsProgress) {
  for (const Time early : {Time{0}, us(1), us(15) - Time{1}, us(15)}) {
    SCOPED_TRACE(early.ps);
    program();
    send(page(3), begun + early);
    const auto [answer, at] = next_answer(*media, begun);
    EXPECT_EQ(at, begun + us(15) + us(11) + read() + c.ecc);
    expect_programmed(ends + us(11) + read() + us(2));
  }
  // While the data is still on the channel.
  program();
  send(page(3), begun - Time{100});
  const auto [answer, at] = next_answer(*media, begun - Time{100});
  EXPECT_EQ(at, begun + us(15) + us(11) + read() + c.ecc);
}

TEST_F(Suspend, NotWhenTheEndComesFirst) {
  program();
  const Time late = ends - us(11);
  send(page(3), late);
  expect_answer(0, ends + read() + c.ecc);
  EXPECT_EQ(media->counters().program_suspends, 0u);
  EXPECT_EQ(media->counters().page_programs, 1u);
}

TEST_F(Suspend, APicosecondBeforeThatItIs) {
  program();
  const Time late = ends - us(11) - Time{1};
  send(page(3), late);
  expect_answer(0, late + us(11) + read() + c.ecc);
  EXPECT_EQ(media->counters().program_suspends, 1u);
  expect_programmed(late + us(11) + read() + us(2) + us(11) + Time{1});
}

// All that wait, and what comes while it serves them, within the window; oldest first.
TEST_F(Suspend, OneSuspensionServesAll) {
  program();
  const Time at = begun + us(20), effect = at + us(11);
  send(page(3), at, 0);
  send(page(4), at + us(1), 1);
  send(page(3) + 64, at + us(2), 2);  // shares the sense of the first
  send(page(5), effect + us(2), 3);   // comes during it
  expect_answer(0, effect + read() + c.ecc);
  expect_answer(2, effect + read() + bus(64) + c.ecc);
  expect_answer(1, effect + read() * 2 + bus(64) + c.ecc);
  expect_answer(3, effect + read() * 3 + bus(64) + c.ecc);
  EXPECT_EQ(media->counters().page_reads, 3u);
  EXPECT_EQ(media->counters().program_suspends, 1u);
  expect_programmed(effect + read() * 3 + bus(64) + us(2) + (ends - at));
}

// The last one begins when the window ends; the next waits for progress and another suspension.
TEST_F(Suspend, AWindowEnds) {
  c.suspend.window = read();
  program();
  const Time at = begun + us(20), effect = at + us(11);
  for (std::uint8_t id = 0; id < 3; ++id) send(page(20 + id), at, id);
  expect_answer(0, effect + read() + c.ecc);
  expect_answer(1, effect + read() * 2 + c.ecc);
  const Time resumed = effect + read() * 2 + us(2), again = resumed + us(15) + us(11);
  expect_answer(2, again + read() + c.ecc);
  EXPECT_EQ(media->counters().program_suspends, 2u);
  expect_programmed(again + read() + us(2) + (ends - at) - us(15));
}

TEST_F(Suspend, AWindowOfAPicosecondLessServesOne) {
  c.suspend.window = read() - Time{1};
  program();
  const Time at = begun + us(20), effect = at + us(11);
  for (std::uint8_t id = 0; id < 2; ++id) send(page(20 + id), at, id);
  expect_answer(0, effect + read() + c.ecc);
  expect_answer(1, effect + read() + us(2) + us(15) + us(11) + read() + c.ecc);
  EXPECT_EQ(media->counters().program_suspends, 2u);
}

// The page that is being programmed cannot be read before that is over, suspended or not. Two of
// its lines were written; a third is asked for.
TEST_F(Suspend, ThePageBeingProgrammedIsReadAfterIt) {
  program(2);
  const Time at = begun + us(30), effect = at + us(11);
  send(page(8) + 3 * 64, begun + us(20), 0);
  EXPECT_FALSE(media->take(at - Time{1}).has_value());
  EXPECT_EQ(media->counters().program_suspends, 0u);
  send(page(3), at, 1);
  expect_answer(1, effect + read() + c.ecc);
  expect_answer(0, effect + read() + us(2) + (ends - at) + read() + c.ecc);
  EXPECT_EQ(media->counters().program_suspends, 1u);
  EXPECT_EQ(media->counters().page_programs, 1u);
}

// Reads without end, each of another page: the program ends all the same, and by formula. Two are
// always waiting, so that each window is full.
TEST_F(Suspend, AProgramAlwaysEnds) {
  program();
  Time now = begun;
  std::uint64_t next = 100;
  for (; next < 102; ++next) send(page(next), begun);
  // The window's reads begin at its start and each `read()` later, up to its end.
  const std::uint64_t each = us(40).ps / read().ps + 1;
  const std::uint64_t suspensions =
      (c.tPROG - us(11)).ps / us(15).ps;  // 89 us hold five progresses
  const Time programmed = ends + (us(11) + read() * each + us(2)) * suspensions;
  while (now < programmed) {
    while (media->take(now)) media->submit(read_of(page(next++)), now);
    now = std::min(std::max(media->next_event(), now + Time{1}), programmed);
    if (now == programmed) (void)media->take(programmed - Time{1});
    EXPECT_EQ(media->counters().page_programs, 0u);
  }
  EXPECT_EQ(suspensions, 5u);
  while (media->take(programmed)) {
  }
  EXPECT_EQ(media->counters().page_programs, 1u);
  EXPECT_EQ(media->counters().program_suspends, suspensions);
  EXPECT_EQ(next, 102 + 13 * suspensions);
}

// The page in the register is not the read's any more when the program goes on.
TEST_F(Suspend, TheRegisterIsTheProgramsAgain) {
  program();
  const Time at = begun + us(20), effect = at + us(11);
  send(page(3), at, 0);
  expect_answer(0, effect + read() + c.ecc);
  const Time later = effect + read() + us(2) + us(15);
  send(page(3) + 64, later, 1);
  expect_answer(1, later + us(11) + read() + c.ecc);
  EXPECT_EQ(media->counters().page_reads, 2u);
}

// A scripted collection is not interrupted, and is paid when the suspended program is over.
TEST_F(Suspend, AScriptWaitsForTheProgram) {
  program();
  const CollectionScript script{begun + us(33), Time{0}, us(50), 100};  // while it is suspended
  media.emplace(c, std::uint64_t{1} << 30, kSlots, kLine, script);
  Time now{0};
  for (unsigned line = 0; line < 64; ++line) {
    now = answered(*media, write_of(page(8) + line * 64ull), now);
  }
  const Time at = begun + us(20), over = at + us(11) + read() + us(2) + (ends - at);
  send(page(3), at, 0);
  expect_answer(0, at + us(11) + read() + c.ecc);
  EXPECT_FALSE(media->take(over - Time{1}).has_value());
  EXPECT_EQ(media->counters().collections, 0u);
  send(page(4), over + us(1), 1);
  expect_answer(1, over + us(50) + read() + c.ecc);
  EXPECT_EQ(media->counters().collections, 1u);
  EXPECT_EQ(media->counters().program_suspends, 1u);
}

TEST_F(Suspend, BacklogFallsWhenTheDieSensesForTheRead) {
  program();
  const Time at = begun + us(20), sensing = at + us(11) + c.command;
  send(page(3), at, 0);
  EXPECT_EQ(media->status(at).backlog, 16u);
  EXPECT_EQ(media->status(sensing - Time{1}).backlog, 16u);
  EXPECT_EQ(media->status(sensing).backlog, 0u);
  EXPECT_EQ(media->status(sensing).tasks, 0u);  // a user's program is none
}

// With a translation layer: a block's collection, one die, one plane. Its copies' programs and its
// erase are suspended, and the die has its task until it is over.
class SuspendCollection : public Suspend {
 protected:
  void SetUp() override {
    Suspend::SetUp();
    c.pages_per_block = 16;
    c.pages_per_die = 640;
    c.buffer_cold = Time{1};
    TranslationConfig t;
    t.over_provisioning_percent = 60;
    t.free_low = 1;
    t.free_high = 4;
    c.translation = t;
    media.emplace(c, ftl_logical_pages(c.ftl_shape(), t) * c.page_bytes, kSlots, kLine);
  }
  // Every second page of the first blocks is written again until a collection begins; its time.
  Time collection() {
    Time now{0};
    const auto write_page = [&](std::uint64_t p) {
      (void)answered(*media, write_of(page(p)), now);
      now = now + c.lookup + Time{1} + (c.command + bus(c.page_bytes)) * 2 + c.tR + c.tPROG;
    };
    const std::uint32_t pages = media->ftl()->logical_pages();
    for (std::uint32_t p = 0; p < pages; ++p) write_page(p);
    for (std::uint32_t p = 0; media->counters().moved_pages == 0; p += 2) {
      EXPECT_LT(p, pages);
      write_page(p);
      (void)media->take(now);
    }
    return now;
  }
  Time copy() const { return (c.command + bus(c.page_bytes)) * 2 + c.tR + c.tPROG; }
};

TEST_F(SuspendCollection, ACopysProgram) {
  const Time begin = collection(), at = begin + copy() - us(50);
  (void)media->take(at - us(1));
  const std::uint64_t programs = media->counters().page_programs;
  send(page(300), at, 0);
  EXPECT_EQ(media->status(at).tasks, 64u);
  EXPECT_EQ(media->status(at + us(11) + c.tR).tasks, 64u);
  EXPECT_EQ(media->counters().program_suspends, 1u);
  const auto [answer, got] = next_answer(*media, at + us(11) + c.tR);
  EXPECT_EQ(got, at + us(11) + read() + c.ecc);
  // The second copy begins when the first is over.
  const Time over = at + us(11) + read() + us(2) + us(50);
  EXPECT_FALSE(media->take(over - Time{1}).has_value());
  EXPECT_EQ(media->counters().moved_pages, 1u);
  EXPECT_FALSE(media->take(over).has_value());
  EXPECT_EQ(media->counters().moved_pages, 2u);
  EXPECT_EQ(media->counters().page_programs, programs);  // the first was counted with its data
}

// The first page that the victim, block 0, still holds is page 1: it lies where it is being
// written.
TEST_F(SuspendCollection, APageBeingMovedIsReadAfterItsProgram) {
  const Time begin = collection();
  send(page(1), begin + copy() - us(50), 0);
  const auto [answer, got] = next_answer(*media, begin);
  EXPECT_EQ(got, begin + copy() + read() + c.ecc);
  EXPECT_EQ(media->counters().program_suspends, 0u);
}

// The read that completes a partly written page is no user's: it waits for the program before it,
// and for a suspension that a user's read has made.
TEST_F(SuspendCollection, AMergeWaits) {
  const Time data = c.command + bus(c.page_bytes), merge = c.command + c.tR + bus(c.page_bytes);
  const Time written = answered(*media, write_of(page(8)), Time{0}) + Time{1};
  const Time at = written + merge + data + us(30), over = at - us(30) + c.tPROG;
  // Its page is cold a picosecond after the lookup, and its merge is then at the die.
  (void)answered(*media, write_of(page(9)), at - Time{1} - c.lookup);
  EXPECT_FALSE(media->take(over - Time{1}).has_value());
  EXPECT_EQ(media->counters().program_suspends, 0u);
  EXPECT_EQ(media->counters().page_programs, 0u);
  (void)media->take(over);
  EXPECT_EQ(media->counters().page_programs, 1u);
  // The second's program; a third page's merge waits when a user's read comes.
  const Time later = over + merge + data + us(30);
  (void)answered(*media, write_of(page(10)), later - us(1) - c.lookup);
  send(page(300), later, 5);
  EXPECT_FALSE(media->take(later).has_value());
  const auto [answer, got] = next_answer(*media, later);
  EXPECT_EQ(got, later + us(11) + read() + c.ecc);
  const Time end = later + us(11) + read() + us(2) + c.tPROG - us(30);
  EXPECT_EQ(media->counters().page_reads, 3u);  // two merges and the user's
  (void)media->take(end - Time{1});
  EXPECT_EQ(media->counters().page_programs, 1u);
  EXPECT_EQ(media->counters().page_reads, 3u);
  (void)media->take(end + merge);
  EXPECT_EQ(media->counters().page_programs, 2u);
  EXPECT_EQ(media->counters().page_reads, 4u);
  EXPECT_EQ(media->counters().program_suspends, 1u);
}

TEST_F(SuspendCollection, AnErase) {
  const Time begin = collection(), erasing = begin + copy() * 8 + c.command;
  const Time at = erasing + us(400);
  EXPECT_EQ(media->status(at).tasks, 64u);
  EXPECT_EQ(media->counters().moved_pages, 8u);
  send(page(300), at, 0);
  const Time sensing = at + us(23) + c.command;
  EXPECT_EQ(media->status(sensing).backlog, 0u);
  EXPECT_EQ(media->status(sensing).tasks, 64u);
  EXPECT_EQ(media->counters().erase_suspends, 1u);
  const auto [answer, got] = next_answer(*media, sensing);
  EXPECT_EQ(got, at + us(23) + read() + c.ecc);
  const Time over = at + us(23) + read() + us(2) + c.tBERS - us(400);
  EXPECT_FALSE(media->take(over - Time{1}).has_value());
  EXPECT_EQ(media->counters().erases, 0u);
  EXPECT_FALSE(media->take(over).has_value());
  EXPECT_EQ(media->counters().erases, 1u);
  EXPECT_EQ(media->counters().program_suspends, 0u);
}

}  // namespace
}  // namespace cxlgpu
