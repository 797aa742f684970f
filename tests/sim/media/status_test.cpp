// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a part tells of itself: backlog and tasks by formula, to the picosecond, and that asking
// changes nothing.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "sim/media/bus_time.hpp"
#include "sim/media/ddr5_media.hpp"
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

class FlashStatus : public ::testing::Test {
 protected:
  FlashConfig c = media_test::flash_config();
  CollectionScript script{};

  void SetUp() override { c.channels = c.dies_per_channel = 2; }
  FlashMedia make() { return FlashMedia(c, std::uint64_t{16} << 30, kSlots, kLine, script); }
  Time bus(std::uint64_t bytes) const { return bus_time(bytes, c.channel_bits, c.channel_mtps); }
  std::uint64_t page(std::uint64_t n) const { return n * c.page_bytes; }
  static unsigned backlog(std::uint64_t waiting) { return static_cast<unsigned>(waiting * 16 / 4); }
};

TEST(MediaStatus, RoundsAndStops) {
  EXPECT_EQ(MediaStatus::of(1, 1, 64), (MediaStatus{0, 1}));
  EXPECT_EQ(MediaStatus::of(3, 1, 65), (MediaStatus{0, 1}));
  EXPECT_EQ(MediaStatus::of(5, 2, 65), (MediaStatus{1, 2}));
  EXPECT_EQ(MediaStatus::of(508, 64, 64), (MediaStatus{127, 64}));
  EXPECT_EQ(MediaStatus::of(100000, 3, 3), (MediaStatus{127, 64}));
}

// A die begins a read when the command is over; the next one a service time later.
TEST_F(FlashStatus, ReadsOfOneDieBeginOneAfterAnother) {
  FlashMedia media = make();
  constexpr unsigned kReads = 20;
  const Time start{5000};
  for (unsigned i = 0; i < kReads; ++i) {
    media.submit(read_of(page(i * 4), static_cast<std::uint8_t>(i)), start);
    EXPECT_EQ(media.status(start).backlog, std::min(127u, backlog(i + 1)));
  }
  const Time first = start + c.lookup + c.command;
  const Time service = c.command + c.tR + bus(kLineBytes);
  for (unsigned i = 0; i < kReads; ++i) {
    EXPECT_EQ(media.status(first + service * i - Time{1}).backlog, backlog(kReads - i));
    EXPECT_EQ(media.status(first + service * i).backlog, backlog(kReads - i - 1));
  }
}

TEST_F(FlashStatus, ReadsOfThePageThatIsSensedOrHeldDoNotWait) {
  FlashMedia media = make();
  media.submit(fill_of(page(5), 1), Time{0});
  const Time sensing = c.lookup + c.command;
  EXPECT_EQ(media.status(sensing).backlog, 0u);
  media.submit(read_of(page(5) + 256), sensing);
  EXPECT_EQ(media.status(sensing + c.lookup - Time{1}).backlog, backlog(1));
  EXPECT_EQ(media.status(sensing + c.lookup).backlog, 0u);
  (void)next_answer(media, sensing);
  (void)next_answer(media, us(100));
  media.submit(read_of(page(5) + 512), us(100));  // held
  EXPECT_EQ(media.status(us(100) + c.lookup - Time{1}).backlog, backlog(1));
  EXPECT_EQ(media.status(us(100) + c.lookup).backlog, 0u);
  EXPECT_EQ(media.counters().page_reads, 1u);
}

TEST_F(FlashStatus, WithoutSharingEachReadWaitsForItsOwn) {
  c.share_page_register = SharePageRegister::Never;
  FlashMedia media = make();
  for (int i = 0; i < 3; ++i) media.submit(read_of(page(5)), Time{0});
  EXPECT_EQ(media.status(c.lookup + c.command).backlog, backlog(2));
  const Time service = c.command + c.tR + bus(kLineBytes);
  EXPECT_EQ(media.status(c.lookup + c.command + service).backlog, backlog(1));
}

// The same three, of which the die senses for two; the third comes when the page is in the
// register.
TEST_F(FlashStatus, QueuedSharingCountsTheReadThatComesAfterTheSense) {
  c.share_page_register = SharePageRegister::Queued;
  FlashMedia media = make();
  const Time sensing = c.lookup + c.command;
  media.submit(read_of(page(5)), Time{0});
  media.submit(read_of(page(5) + 64, 1), sensing);
  const Time sensed = sensing + c.tR;
  media.submit(read_of(page(5) + 128, 2), sensed + Time{1} - c.lookup);
  EXPECT_EQ(media.status(sensed).backlog, backlog(1));
  const Time again = sensed + bus(kLineBytes) * 2 + c.command;
  EXPECT_EQ(media.status(again - Time{1}).backlog, backlog(1));
  EXPECT_EQ(media.status(again).backlog, 0u);
  EXPECT_EQ(media.counters().page_reads, 1u);
}

// One page may serve 64 lines in one tR; the read after them waits for the next.
TEST_F(FlashStatus, ThePageServesOnlyItsLines) {
  FlashMedia media = make();
  for (unsigned i = 0; i < 66; ++i) {
    media.submit(read_of(page(5) + i % 64 * 64, static_cast<std::uint8_t>(i)), Time{0});
  }
  EXPECT_EQ(media.status(c.lookup + c.command).backlog, backlog(2));
  const Time out = c.lookup + c.command + c.tR + bus(kLineBytes) * 64;
  EXPECT_EQ(media.status(out + c.command - Time{1}).backlog, backlog(2));
  EXPECT_EQ(media.status(out + c.command).backlog, 0u);
}

TEST_F(FlashStatus, BufferedReadsWaitForTheLookupAlone) {
  FlashMedia media = make();
  const Time now = answered(media, write_of(page(9)), Time{0});
  media.submit(read_of(page(9)), now);
  EXPECT_EQ(media.status(now + c.lookup - Time{1}).backlog, backlog(1));
  EXPECT_EQ(media.status(now + c.lookup).backlog, 0u);
}

TEST_F(FlashStatus, WritesWaitForTheirPlaceInTheBuffer) {
  c.buffer_pages = 2;
  c.buffer_high = 1;
  c.buffer_low = 0;
  FlashMedia media = make();
  // Whole lines of four pages of one die: two find places; the others get one with each program.
  for (unsigned i = 0; i < 4; ++i) {
    media.submit(write_of(page(i * 4), static_cast<std::uint8_t>(i)), Time{0});
  }
  EXPECT_EQ(media.status(c.lookup - Time{1}).backlog, backlog(4));
  EXPECT_EQ(media.status(c.lookup).backlog, backlog(2));
  const Time program =  // each with its merge
      c.command + c.tR + bus(c.page_bytes) + c.command + bus(c.page_bytes) + c.tPROG;
  EXPECT_EQ(media.status(c.lookup + program - Time{1}).backlog, backlog(2));
  EXPECT_EQ(media.status(c.lookup + program).backlog, backlog(1));
  EXPECT_EQ(media.status(c.lookup + program * 2).backlog, 0u);
}

TEST_F(FlashStatus, ArrayAccessesAndErrorsDoNotCount) {
  FlashMedia media = make();
  MediaCommand array;
  array.op = MediaOp::ArrayWrite;
  media.submit(read_of(std::uint64_t{1} << 40), Time{0});
  media.submit(write_back_of(0, kSlots), Time{0});
  for (int i = 0; i < 50; ++i) media.submit(array, Time{0});
  EXPECT_EQ(media.status(Time{0}).backlog, 0u);
  // A write-back's own work begins when the line has come from its slot.
  media.submit(write_back_of(0, 1), us(10));
  EXPECT_EQ(media.status(us(10)).backlog, backlog(1));
  FlashMedia idle = make();
  const Time took = answered(idle, write_back_of(0, 1), us(10));
  EXPECT_EQ(media.status(took - Time{1}).backlog, backlog(1));
  EXPECT_EQ(media.status(took).backlog, 0u);
}

TEST_F(FlashStatus, AScriptIsAnnouncedUntilTheDiesHavePaid) {
  script = {us(50), us(200), us(60), 50};
  FlashMedia media = make();
  const auto expect = [&](Time at, unsigned before, unsigned from) {
    EXPECT_EQ(media.status(at - Time{1}).tasks, before) << at.ps;
    EXPECT_EQ(media.status(at).tasks, from) << at.ps;
  };
  expect(us(50) - c.announce, 0, 32);
  expect(us(50), 32, 32);
  expect(us(110), 32, 0);
  // The second time die 0 pays late: it has a read in flight.
  expect(us(250) - c.announce, 0, 32);
  media.submit(read_of(page(0)), us(250) - Time{1} - c.lookup);
  expect(us(310), 32, 16);
  expect(us(250) - Time{1} + c.command + c.tR + bus(kLineBytes) + us(60), 16, 0);
  EXPECT_EQ(media.counters().collections, 4u);
}

TEST_F(FlashStatus, AScriptTooEarlyOrTooOftenIsAnnouncedAtOnce) {
  script = {Time{1000}, us(61), us(60), 100};
  FlashMedia media = make();
  for (std::uint64_t t = 0; t < 400; ++t) EXPECT_EQ(media.status(us(t)).tasks, 64u);
  c.announce = Time{0};
  FlashMedia late = make();
  EXPECT_EQ(late.status(Time{999}).tasks, 0u);
  EXPECT_EQ(late.status(Time{1000}).tasks, 64u);
}

TEST_F(FlashStatus, WearPausesAreTasksOfOneDie) {
  c = std::get<FlashConfig>(media_test::part("pram").params);
  c.wear_pauses->writes = 1;
  c.buffer_cold = Time{1};
  FlashMedia media(c, std::uint64_t{1} << 30, kSlots, kLine);
  const std::uint64_t dies = std::uint64_t{c.channels} * c.dies_per_channel;
  const Time begun = answered(media, write_of(0), Time{0}) + Time{1};
  const Time end = begun + c.command * 2 + c.tR + bus(c.page_bytes) * 2 + c.tPROG;
  EXPECT_EQ(media.status(end - Time{1}).tasks, 0u);
  EXPECT_EQ(media.status(end).tasks, (64 + dies - 1) / dies);
  EXPECT_EQ(media.status(end + c.wear_pauses->pause - Time{1}).tasks, (64 + dies - 1) / dies);
  EXPECT_EQ(media.status(end + c.wear_pauses->pause).tasks, 0u);
}

// Blocks are opened one by one; the die is about to collect from when the page is queued that will
// open the block below the watermark, and not while nothing is queued.
TEST_F(FlashStatus, ALayerAnnouncesTheBlockThatStartsACollection) {
  c.channels = c.dies_per_channel = 1;
  c.pages_per_block = 16;
  c.pages_per_die = 640;
  c.buffer_pages = 64;
  c.buffer_high = 63;
  c.buffer_low = 0;
  c.buffer_cold = us(1000000);
  TranslationConfig t;
  t.over_provisioning_percent = 60;
  t.free_low = 1;
  t.free_high = 4;
  t.prefilled_percent = 100;
  c.translation = t;
  FlashMedia media(c, ftl_logical_pages(c.ftl_shape(), t) * c.page_bytes, kSlots, kLine);
  EXPECT_EQ(media.ftl()->free_blocks(0), 4u);
  EXPECT_EQ(media.status(Time{0}).tasks, 0u);
  (void)answered(media, write_of(0), Time{0});
  EXPECT_EQ(media.status(us(10)).tasks, 0u);  // in the buffer
  Time now = us(10);
  for (std::uint64_t i = 1; i < 64; ++i) now = answered(media, write_of(page(i)), now);
  EXPECT_EQ(media.ftl()->free_blocks(0), 4u);
  // The 64th dirty page: all become programs, which need their merges first. No block is open, so
  // the first page for the die is the one.
  const Time queued = now + c.command + c.tR + bus(c.page_bytes);
  EXPECT_EQ(media.status(queued - Time{1}).tasks, 0u);
  EXPECT_EQ(media.status(queued).tasks, 64u);
  now = media.flush(now);
  EXPECT_EQ(media.status(now + us(10000000)).tasks, 0u);
  EXPECT_GT(media.counters().erases, 0u);
}

TEST(DramStatus, AccessesOfOneBankBeginOneAfterAnother) {
  DramConfig c = media_test::dram_config();
  c.sub_channels = c.ranks = 1;
  c.bank_groups = c.banks_per_group = 2;
  constexpr unsigned kReads = 30;
  Ddr5Media media(c, std::uint64_t{1} << 20);
  EXPECT_EQ(media.status(Time{0}), MediaStatus{});
  for (unsigned i = 0; i < kReads; ++i) {
    media.submit(read_of(0, static_cast<std::uint8_t>(i)), Time{0});
    EXPECT_EQ(media.status(Time{0}).backlog, (i + 1) * 4);
  }
  media.submit(read_of(std::uint64_t{1} << 40), Time{0});  // an error
  EXPECT_EQ(media.status(Time{0}).backlog, kReads * 4);
  // Closed row: the first begins with its activate, the others with their columns.
  EXPECT_EQ(media.status(c.front - Time{1}).backlog, kReads * 4);
  EXPECT_EQ(media.status(c.front).backlog, (kReads - 1) * 4);
  for (unsigned i = 1; i < kReads; ++i) {
    const Time at = c.front + c.tRCD + c.tCCD_L * i;
    EXPECT_EQ(media.status(at - Time{1}).backlog, (kReads - i) * 4) << i;
    EXPECT_EQ(media.status(at).backlog, (kReads - i - 1) * 4) << i;
  }
}

// The same commands at the same times, asked at events only or each nanosecond.
struct Seen {
  std::map<std::uint64_t, std::pair<unsigned, unsigned>> status;  // by time
  std::vector<std::pair<std::uint64_t, unsigned>> answers;        // time, id
};

Seen run(Media& media, bool often, std::uint64_t capacity, std::uint64_t commands, bool flash) {
  std::mt19937_64 random(7);
  Seen seen;
  Time now{0};
  std::uint64_t sent = 0, got = 0;
  Time next_send{1000};
  MediaStatus before;
  bool sent_since = true;
  const auto ask = [&](Time at, bool note) {
    const MediaStatus s = media.status(at);
    if (!sent_since) {
      EXPECT_LE(s.backlog, before.backlog) << at.ps;
    }
    sent_since = false;
    before = s;
    if (note) seen.status[at.ps] = {s.backlog, s.tasks};
  };
  while (got < commands && !::testing::Test::HasFailure()) {
    ask(now, true);
    while (const auto answer = media.take(now)) {
      seen.answers.emplace_back(now.ps, answer->id);
      ++got;
    }
    if (now >= next_send && sent < commands) {
      MediaCommand command = read_of(random() % (capacity / 256) * 256);
      const std::uint64_t kind = random() % 8;
      if (kind < 3) command.op = MediaOp::Write;
      if (flash && kind == 4) command.op = MediaOp::Fill;
      if (flash && kind == 5) command.op = MediaOp::WriteBack;
      if (flash && kind == 6) command.op = MediaOp::ArrayRead;
      command.slot = static_cast<std::uint32_t>(random() % 64);
      command.id = static_cast<std::uint8_t>(sent);
      if (media.can_accept(now, command.op)) {
        media.submit(command, now);
        sent_since = true;
      } else {
        ++got;  // not sent, not answered; the same in both runs
      }
      ++sent;
      const bool burst = sent / 64 % 2 == 0;
      next_send = now + Time{burst ? random() % 20000 : random() % 20000000};
    }
    Time next = std::min(media.next_event(), sent < commands ? next_send : Time::never());
    if (next == Time::never()) next = now + Time{1000};
    if (next <= now) next = now + Time{1};
    if (often) {
      for (Time t = ceil_to_cycle(now + Time{1}); t < next; t += kCycle) ask(t, false);
    }
    now = next;
  }
  return seen;
}

template <typename Make>
void expect_asking_changes_nothing(Make make, std::uint64_t capacity, std::uint64_t commands,
                                   bool flash) {
  auto one = make();
  auto two = make();
  const Seen seldom = run(*one, false, capacity, commands, flash);
  const Seen often = run(*two, true, capacity, commands, flash);
  EXPECT_EQ(seldom.answers, often.answers);
  std::uint64_t common = 0;
  std::pair<unsigned, unsigned> most{};
  for (const auto& [at, status] : seldom.status) {
    const auto found = often.status.find(at);
    if (found == often.status.end()) continue;
    ++common;
    ASSERT_EQ(found->second, status) << at;
    most = {std::max(most.first, status.first), std::max(most.second, status.second)};
  }
  EXPECT_GT(common, commands / 2);
  EXPECT_GT(most.first, 0u);
  EXPECT_EQ(most.second > 0, flash);
}

TEST_F(FlashStatus, AskingChangesNothing) {
  c.suspend = {true, false, us(5), us(0), us(1), us(10), us(20)};
  c.channels = c.dies_per_channel = 2;
  script = {us(50), us(100), us(20), 50};
  expect_asking_changes_nothing([&] { return std::make_unique<FlashMedia>(make()); },
                                std::uint64_t{1} << 20, 2000, true);
}

TEST_F(FlashStatus, AskingChangesNothingWithALayer) {
  c.suspend = {true, true, us(1), us(2), us(1), us(2), us(8)};
  c.share_page_register = SharePageRegister::Queued;
  c.pages_per_block = 16;
  c.pages_per_die = 640;
  c.buffer_pages = 8;
  c.buffer_high = 4;
  c.buffer_low = 2;
  c.tPROG = us(10);
  c.tBERS = us(30);
  TranslationConfig t;
  t.over_provisioning_percent = 30;
  t.free_low = 1;
  t.free_high = 4;
  t.prefilled_percent = 90;
  c.translation = t;
  const std::uint64_t capacity = ftl_logical_pages(c.ftl_shape(), t) * c.page_bytes;
  expect_asking_changes_nothing(
      [&] { return std::make_unique<FlashMedia>(c, capacity, kSlots, kLine, script); }, capacity,
      4000, true);
}

TEST(DramStatus, AskingChangesNothing) {
  for (const DramScheduling policy : {DramScheduling::Fcfs, DramScheduling::FrFcfs}) {
    DramConfig c = media_test::dram_config();
    c.scheduling = policy;
    expect_asking_changes_nothing(
        [&] { return std::make_unique<Ddr5Media>(c, std::uint64_t{1} << 30); },
        std::uint64_t{1} << 22, 4000, false);
  }
}

}  // namespace
}  // namespace cxlgpu
