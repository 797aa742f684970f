// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Scripted garbage collection of the flash array: who waits, and until when, to the picosecond.
#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "sim/media/bus_time.hpp"
#include "sim/media/flash_media.hpp"
#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

using media_test::answered;
using media_test::fill_of;
using media_test::next_answer;
using media_test::read_of;
using media_test::write_back_of;
using media_test::write_of;

constexpr std::uint64_t kCapacity = std::uint64_t{256} << 30;
constexpr std::uint32_t kSlots = 1024, kLine = 256;
constexpr Time us(std::uint64_t n) {
  return Time{n * 1000000};
}

class CollectionTest : public ::testing::Test {
 protected:
  FlashConfig c = media_test::flash_config();
  CollectionScript script{us(50), Time{0}, us(60), 100};

  FlashMedia make() { return FlashMedia(c, kCapacity, kSlots, kLine, script); }
  Time bus(std::uint64_t bytes) { return bus_time(bytes, c.channel_bits, c.channel_mtps); }
  Time flash(std::uint64_t bytes = 64) { return c.command + c.tR + bus(bytes) + c.ecc; }
  std::uint64_t page(std::uint64_t n) { return n * c.page_bytes; }
  std::uint64_t dies() { return std::uint64_t{c.channels} * c.dies_per_channel; }
  // From its start on an idle die to its end; one line is buffered, so the old page is merged.
  Time merging_program() {
    return c.command + c.tR + bus(c.page_bytes) + c.command + bus(c.page_bytes) + c.tPROG;
  }
};

TEST_F(CollectionTest, ReadInItWaitsForItsEnd) {
  FlashMedia media = make();
  EXPECT_EQ(answered(media, read_of(page(7)), us(70)), us(110) + flash());
  EXPECT_EQ(media.counters().collections, dies());
  EXPECT_EQ(media.next_event(), Time::never());
}

TEST_F(CollectionTest, ReadBeforeAndAfterItDoesNotWait) {
  FlashMedia media = make();
  EXPECT_EQ(answered(media, read_of(page(7)), us(10)), us(10) + c.lookup + flash());
  EXPECT_EQ(media.counters().collections, 0u);
  // Reaches its die in the picosecond in which that is free again.
  const Time end = us(110) - c.lookup;
  EXPECT_EQ(answered(media, read_of(page(8)), end), us(110) + flash());
  EXPECT_EQ(answered(media, read_of(page(9)), us(200)), us(200) + c.lookup + flash());
  EXPECT_EQ(media.counters().collections, dies());
}

TEST_F(CollectionTest, AtTheVeryTimeTheReadGoesFirst) {
  for (const bool late : {false, true}) {
    FlashMedia media = make();
    const Time sent = us(50) - c.lookup + Time{late ? 1u : 0u};
    EXPECT_EQ(answered(media, read_of(page(7)), sent), (late ? us(110) : us(50)) + flash()) << late;
  }
}

// The current operation is finished; the collection starts behind it and is no shorter for that.
TEST_F(CollectionTest, DieFinishesItsReadFirst) {
  FlashMedia media = make();
  const Time reached = us(49) + c.lookup;
  media.submit(read_of(page(7), 1), us(49));
  media.submit(read_of(page(7 + dies()), 2), us(49));  // waits on the same die
  const auto [first, at] = next_answer(media, us(49));
  EXPECT_EQ(first.id, 1);
  EXPECT_EQ(at, reached + flash());
  const auto [second, then] = next_answer(media, at);
  EXPECT_EQ(second.id, 2);
  EXPECT_EQ(then, at - c.ecc + us(60) + flash());
  EXPECT_GT(at, us(50));
}

TEST_F(CollectionTest, ReadsThatShareTheOperationAreFinishedWithIt) {
  FlashMedia media = make();
  media.submit(read_of(page(7), 1), us(49));
  media.submit(read_of(page(7) + 64, 2), us(51));  // the die senses the page: it is shared
  const Time first = next_answer(media, us(51)).second;
  EXPECT_EQ(first, us(49) + c.lookup + flash());
  EXPECT_EQ(next_answer(media, first).second, first + bus(64));
  EXPECT_EQ(media.counters().page_reads, 1u);
}

TEST_F(CollectionTest, PageInTheRegisterIsLost) {
  FlashMedia media = make();
  (void)answered(media, read_of(page(7)), us(40));
  EXPECT_EQ(answered(media, read_of(page(7) + 64), us(45)), us(45) + c.lookup + bus(64) + c.ecc);
  EXPECT_EQ(answered(media, read_of(page(7) + 128), us(150)), us(150) + c.lookup + flash());
  EXPECT_EQ(media.counters().page_reads, 2u);
}

TEST_F(CollectionTest, ShareOfTheDies) {
  script.dies_percent = 50;
  FlashMedia media = make();
  for (const std::uint64_t n : {std::uint64_t{0}, dies() / 2 - 1}) {
    media.submit(read_of(page(n), static_cast<std::uint8_t>(n)), us(70));
  }
  for (const std::uint64_t n : {dies() / 2, dies() - 1}) {
    media.submit(read_of(page(n), static_cast<std::uint8_t>(n)), us(70));
  }
  std::vector<std::uint64_t> order;
  std::vector<Time> at;
  for (int i = 0; i < 4; ++i) {
    const auto [answer, time] = next_answer(media, i == 0 ? us(70) : at.back());
    order.push_back(answer.id);
    at.push_back(time);
  }
  EXPECT_EQ(order, (std::vector<std::uint64_t>{dies() / 2, dies() - 1, 0, dies() / 2 - 1}));
  EXPECT_EQ(at[0], us(70) + c.lookup + flash());
  EXPECT_EQ(at[1], us(70) + c.lookup + flash());
  EXPECT_EQ(at[2], us(110) + flash());
  EXPECT_EQ(at[3], us(110) + flash());
  EXPECT_EQ(media.counters().collections, dies() / 2);
}

TEST_F(CollectionTest, ShareIsRoundedUp) {
  for (const auto& [percent, count] : {std::pair{1u, 1u}, {2u, 2u}, {99u, 64u}, {100u, 64u}}) {
    script.dies_percent = percent;
    FlashMedia media = make();
    (void)media.take(us(50));
    EXPECT_EQ(media.counters().collections, count) << percent;
  }
}

TEST_F(CollectionTest, ComesAgainAndAgain) {
  script.every = us(100);
  FlashMedia media = make();
  for (std::uint64_t i = 0; i < 5; ++i) {
    const Time start = us(50 + 100 * i), between = start + us(70);
    EXPECT_EQ(answered(media, read_of(page(i)), start + us(30)), start + us(60) + flash()) << i;
    EXPECT_EQ(answered(media, read_of(page(20 + i)), between), between + c.lookup + flash()) << i;
    EXPECT_EQ(media.counters().collections, (i + 1) * dies());
  }
  // A long rest: each one of it is done, none is heard of.
  EXPECT_EQ(media.next_event(), Time::never());
  EXPECT_FALSE(media.take(us(10049)).has_value());
  EXPECT_EQ(media.counters().collections, 100 * dies());
}

TEST_F(CollectionTest, OnceIsOnce) {
  FlashMedia media = make();
  EXPECT_FALSE(media.take(us(1000000)).has_value());
  EXPECT_EQ(media.counters().collections, dies());
}

TEST_F(CollectionTest, ProgramInItWaitsForItsEnd) {
  c.buffer_cold = us(20);
  FlashMedia media = make();
  const Time written = answered(media, write_of(page(7)), us(40));
  EXPECT_EQ(written, us(40) + c.lookup);  // due in the middle of the collection
  const Time end = us(110) + merging_program();
  EXPECT_FALSE(media.take(end - Time{1}).has_value());
  EXPECT_EQ(media.counters().page_programs, 0u);
  EXPECT_FALSE(media.take(end).has_value());
  EXPECT_EQ(media.counters().page_programs, 1u);
}

// Both wait for a read: the collection goes first.
TEST_F(CollectionTest, ProgramThatWaitsAlreadyWaitsForItToo) {
  c.buffer_cold = us(20);
  script.first = us(51);
  FlashMedia media = make();
  (void)answered(media, write_of(page(7)), us(30));  // due after 50.1 us
  const Time read = answered(media, read_of(page(7 + dies())), us(49)) - c.ecc;
  ASSERT_GT(read, us(51));
  const Time end = read + us(60) + merging_program();
  EXPECT_FALSE(media.take(end - Time{1}).has_value());
  EXPECT_EQ(media.counters().page_programs, 0u);
  EXPECT_FALSE(media.take(end).has_value());
  EXPECT_EQ(media.counters().page_programs, 1u);
}

// At every step of a merging program: it ends as if there were no collection, what follows waits.
TEST_F(CollectionTest, DieFinishesItsProgramFirst) {
  c.buffer_cold = us(20);
  const Time start = us(10) + c.lookup + c.buffer_cold;
  const Time sense = c.command + Time{c.tR.ps / 2},
             out = c.command + c.tR + Time{bus(c.page_bytes).ps / 2};
  const Time in = out + c.command + bus(c.page_bytes), program = merging_program() - us(30);
  for (const Time into : {sense, out, in, program}) {
    script.first = start + into;
    FlashMedia media = make();
    (void)answered(media, write_of(page(7)), us(10));
    media.submit(read_of(page(7 + dies())), script.first);
    const Time end = start + merging_program();
    EXPECT_FALSE(media.take(end - Time{1}).has_value());
    EXPECT_EQ(media.counters().page_programs, 0u);
    EXPECT_EQ(next_answer(media, end).second, end + us(60) + flash()) << into.ps;
    EXPECT_EQ(media.counters().page_programs, 1u);
  }
}

// What came due during a long program is made up for behind it, each in full.
TEST_F(CollectionTest, SeveralCanBeOwed) {
  c.buffer_cold = us(5);
  script = {us(20), us(40), us(10), 100};
  FlashMedia media = make();
  (void)answered(media, write_of(page(7)), Time{0});
  // Behind it those of 20, 60 and 100 us, and that of 140, which comes due meanwhile.
  const Time end = c.lookup + us(5) + merging_program();
  ASSERT_GT(end, us(100));
  ASSERT_LT(end, us(140));
  ASSERT_GT(end + us(30), us(140));
  EXPECT_EQ(answered(media, read_of(page(7 + dies())), us(30)), end + us(40) + flash());
  EXPECT_EQ(media.counters().collections, 4 * dies());
}

TEST_F(CollectionTest, WriteBufferAndInternalDramGoOn) {
  FlashMedia with = make();
  script = {};
  FlashMedia without = make();
  std::vector<Time> times[2];
  for (FlashMedia* media : {&with, &without}) {
    std::vector<Time>& t = times[media == &without];
    MediaCommand access;
    access.op = MediaOp::ArrayRead;
    t.push_back(answered(*media, access, us(60)));
    t.push_back(answered(*media, write_of(page(3)), us(65)));
    t.push_back(answered(*media, write_back_of(page(4), 2), us(70)));
    t.push_back(answered(*media, fill_of(page(4), 3), us(75)));  // from the write buffer
  }
  EXPECT_EQ(times[0], times[1]);
  EXPECT_EQ(with.counters().collections, dies());
  EXPECT_EQ(without.counters().collections, 0u);
}

// One part is asked every cycle, the other only when next_event() says so.
TEST_F(CollectionTest, NextEventMissesNothing) {
  c.buffer_cold = us(7);
  c.tPROG = us(9);
  script = {us(3), us(20), us(6), 60};
  std::mt19937_64 random(11);
  for (const std::uint32_t gap : {40u, 400u, 4000u}) {
    FlashMedia asked = make(), told = make();
    using Answer = std::tuple<std::uint64_t, MediaOp, unsigned>;
    std::vector<Answer> answers[2];
    for (Time now{0}; now < us(400); now += kCycle) {
      if (random() % gap == 0) {
        const auto id = static_cast<std::uint8_t>(random());
        const std::uint64_t dpa = random() % 512 * 2048;
        const MediaCommand command = random() % 3 == 0 ? write_of(dpa, id) : read_of(dpa, id);
        ASSERT_EQ(asked.can_accept(now, command.op), told.can_accept(now, command.op));
        if (asked.can_accept(now, command.op)) {
          asked.submit(command, now);
          told.submit(command, now);
        }
      }
      while (const auto r = asked.take(now)) answers[0].emplace_back(now.ps, r->op, r->id);
      while (told.next_event() <= now) {
        if (const auto r = told.take(now)) answers[1].emplace_back(now.ps, r->op, r->id);
      }
    }
    EXPECT_GT(answers[0].size(), 50u);
    EXPECT_EQ(answers[0], answers[1]) << gap;
    EXPECT_GT(asked.counters().page_programs, 0u);
    // 20 came due; a die that is in an operation has the last of them still before it.
    EXPECT_GE(asked.counters().collections, 18 * script.dies(static_cast<std::uint32_t>(dies())));
  }
}

}  // namespace
}  // namespace cxlgpu
