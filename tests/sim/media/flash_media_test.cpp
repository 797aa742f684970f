// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Z-NAND latency, parallelism, page register and write buffer against closed forms.
#include "sim/media/flash_media.hpp"

#include <gtest/gtest.h>

#include "sim/media/bus_time.hpp"
#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

using media_test::answered;
using media_test::fill_of;
using media_test::next_answer;
using media_test::read_of;
using media_test::saturate;
using media_test::write_back_of;
using media_test::write_of;

constexpr std::uint64_t kCapacity = std::uint64_t{256} << 30;
constexpr std::uint32_t kSlots = 65536, kLine = 256;

class FlashMediaTest : public ::testing::Test {
 protected:
  FlashConfig c = media_test::flash_config();

  FlashMedia make() { return FlashMedia(c, kCapacity, kSlots, kLine); }
  Time bus(std::uint64_t bytes) { return bus_time(bytes, c.channel_bits, c.channel_mtps); }
  // Four lines of one slot, rows closed: two a sub-channel, in two bank groups; the second activate
  // and its data follow the first by one burst.
  Time dram(Time column_latency) {
    const DramConfig& d = c.internal_dram;
    const Time burst = bus_time(kLineBytes, d.sub_channel_bits, d.data_rate_mtps);
    return d.front + std::max(d.tRRD_S, burst) + d.tRCD + column_latency + burst + d.back;
  }
  Time dram_write() { return dram(c.internal_dram.tCWL); }
  Time dram_read() { return dram(c.internal_dram.tCL); }
  Time flash(std::uint64_t bytes) { return c.command + c.tR + bus(bytes) + c.ecc; }
  std::uint64_t page(std::uint64_t n) { return n * c.page_bytes; }
  std::uint64_t dies() { return std::uint64_t{c.channels} * c.dies_per_channel; }
  std::uint32_t lines_per_page() { return c.page_bytes / kLine; }
};

TEST_F(FlashMediaTest, IdleFillIsTheSumOfItsParts) {
  FlashMedia media = make();
  EXPECT_EQ(answered(media, fill_of(page(5), 3), Time{1000}).ps,
            (Time{1000} + c.lookup + flash(kLine) + dram_write()).ps);
  EXPECT_EQ(media.counters().fills, 1u);
  EXPECT_EQ(media.counters().page_reads, 1u);
  EXPECT_EQ(media.next_event(), Time::never());
}

TEST_F(FlashMediaTest, IdleFillOfAWholePageGranule) {
  c.page_granule = true;
  FlashMedia media = make();
  EXPECT_EQ(answered(media, fill_of(page(5), 3), Time{0}).ps,
            (c.lookup + flash(c.page_bytes) + dram_write()).ps);
}

TEST_F(FlashMediaTest, IdleDirectReadAndWrite) {
  FlashMedia media = make();
  EXPECT_EQ(answered(media, read_of(page(9) + 64), Time{0}).ps, (c.lookup + flash(64)).ps);
  const Time now{100000000};
  EXPECT_EQ((answered(media, write_of(page(9)), now) - now).ps, c.lookup.ps);
}

TEST_F(FlashMediaTest, IdleWriteBackAndArrayAccess) {
  FlashMedia media = make();
  EXPECT_EQ(answered(media, write_back_of(0, 7), Time{0}).ps, (c.lookup + dram_read()).ps);
  const DramConfig& d = c.internal_dram;
  const Time burst = bus_time(kLineBytes, d.sub_channel_bits, d.data_rate_mtps);
  MediaCommand access;
  access.op = MediaOp::ArrayRead;
  access.slot = 7;
  access.offset = 192;
  const Time now{1000000};  // the row is open since the write-back
  EXPECT_EQ((answered(media, access, now) - now).ps, (d.front + d.tCL + burst + d.back).ps);
}

TEST_F(FlashMediaTest, AllDiesWorkAtOnce) {
  FlashMedia media = make();
  const std::uint64_t n = dies();
  const Time took = saturate(media, n, [&](std::uint64_t i) {
    return fill_of(page(i), static_cast<std::uint32_t>(i), static_cast<std::uint8_t>(i));
  });
  EXPECT_EQ(media.counters().page_reads, n);
  // One tR for all; behind it each channel carries its dies' lines one after another.
  const Time least = c.lookup + c.command + c.tR + bus(kLine) * c.dies_per_channel + c.ecc;
  EXPECT_GE(took, least);
  EXPECT_LE(took, least + dram_write() * 4);  // the channels' last lines meet in the DRAM
}

TEST_F(FlashMediaTest, OneDieWorksOneAfterAnother) {
  FlashMedia media = make();
  const std::uint64_t n = 10;
  const Time took = saturate(media, n, [&](std::uint64_t i) {
    return fill_of(page(i * dies()), static_cast<std::uint32_t>(i));
  });
  EXPECT_EQ(took.ps, (c.lookup + (c.command + c.tR + bus(kLine)) * n + c.ecc + dram_write()).ps);
}

TEST_F(FlashMediaTest, FillsOfOnePageShareOneRead) {
  FlashMedia media = make();
  const std::uint64_t n = lines_per_page();
  const auto line = [&](std::uint64_t i) {
    return fill_of(page(3) + i * kLine, static_cast<std::uint32_t>(i));
  };
  const Time took = saturate(media, n, line);
  EXPECT_EQ(media.counters().page_reads, 1u);
  const Time least = c.lookup + c.command + c.tR + bus(kLine) * n + c.ecc;
  EXPECT_GE(took, least);
  EXPECT_LE(took, least + dram_write() * 2);
  // Long after: the page is still in the register, no tR.
  const Time now{50000000};
  const Time again = answered(media, fill_of(page(3), 0), now) - now;
  EXPECT_EQ(again - (c.lookup + bus(kLine) + c.ecc),
            answered(media, fill_of(page(4), 0), now * 2) - now * 2 - c.lookup - flash(kLine));
  EXPECT_EQ(media.counters().page_reads, 2u);
}

// Reads that are there when the sense begins, or come until it ends, have it in common; whoever
// comes later has the page sensed again.
TEST_F(FlashMediaTest, SharingByQueuedReadsAlone) {
  c.share_page_register = SharePageRegister::Queued;
  FlashMedia media = make();
  const Time sensing = c.lookup + c.command, sensed = sensing + c.tR;
  media.submit(read_of(page(3), 0), Time{0});
  media.submit(read_of(page(3) + 64, 1), Time{0});
  media.submit(read_of(page(3) + 128, 2), sensed - Time{1} - c.lookup);
  media.submit(read_of(page(3) + 192, 3),
               sensed + Time{1} - c.lookup);  // the page is in the register
  Time now{0};
  for (unsigned id = 0; id < 3; ++id) {
    const auto [answer, at] = next_answer(media, now);
    EXPECT_EQ(answer.id, id);
    EXPECT_EQ(at, sensed + bus(64) * (id + 1) + c.ecc);
    now = at;
  }
  EXPECT_EQ(media.counters().page_reads, 1u);
  const auto [answer, at] = next_answer(media, now);
  EXPECT_EQ(answer.id, 3);
  EXPECT_EQ(at, sensed + bus(64) * 3 + flash(64));
  EXPECT_EQ(media.counters().page_reads, 2u);
  // Long after: the die holds the page, and senses it all the same.
  const Time later{50000000};
  EXPECT_EQ(answered(media, read_of(page(3)), later), later + c.lookup + flash(64));
  EXPECT_EQ(media.counters().page_reads, 3u);
}

TEST_F(FlashMediaTest, SharingCanBeTurnedOff) {
  c.share_page_register = SharePageRegister::Never;
  FlashMedia media = make();
  const std::uint64_t n = lines_per_page();
  const Time took = saturate(media, n, [&](std::uint64_t i) {
    return fill_of(page(3) + i * kLine, static_cast<std::uint32_t>(i));
  });
  EXPECT_EQ(media.counters().page_reads, n);
  EXPECT_EQ(took.ps, (c.lookup + (c.command + c.tR + bus(kLine)) * n + c.ecc + dram_write()).ps);
}

TEST_F(FlashMediaTest, PageGranuleIsTransferredOnceForAll) {
  c.page_granule = true;
  FlashMedia media = make();
  const Time took = saturate(media, lines_per_page(), [&](std::uint64_t i) {
    return fill_of(page(3) + i * kLine, static_cast<std::uint32_t>(i));
  });
  EXPECT_EQ(media.counters().page_reads, 1u);
  const Time least = c.lookup + c.command + c.tR + bus(c.page_bytes) + c.ecc;
  EXPECT_GE(took, least);
  EXPECT_LE(took, least + dram_write() * 10);  // all lines reach the DRAM together
}

TEST_F(FlashMediaTest, SharedRegisterDoesNotStarveOtherPages) {
  FlashMedia media = make();
  // An endless stream of hits on one page, several always in flight; one fill of another page.
  Time now{0};
  unsigned hits = 0;
  bool answered_other = false;
  for (std::uint64_t i = 0; i < 2000 && !answered_other; ++i) {
    for (; hits < 32; ++hits) media.submit(fill_of(page(0), 0, 1), now);
    if (i == 20) media.submit(fill_of(page(dies()), 1, 2), now);
    const auto [answer, at] = next_answer(media, now);
    now = at;
    answered_other = answer.id == 2;
    hits -= answered_other ? 0 : 1;
  }
  EXPECT_TRUE(answered_other);
}

TEST_F(FlashMediaTest, FillFromTheWriteBuffer) {
  FlashMedia media = make();
  (void)answered(media, write_back_of(page(8) + kLine, 1), Time{0});
  const Time now{10000000};
  EXPECT_LT(answered(media, fill_of(page(8) + kLine, 2), now) - now, c.lookup + dram_write() * 2);
  EXPECT_EQ(media.counters().page_reads, 0u);
  // Its neighbour in the page is not buffered and comes from flash.
  EXPECT_GT(answered(media, fill_of(page(8) + 2 * kLine, 3), now * 2) - now * 2, c.tR);
  EXPECT_EQ(media.counters().page_reads, 1u);
  // A partly written line is not buffered either.
  MediaCommand partial = write_of(page(8) + 3 * kLine);
  partial.byte_enable = 1;
  (void)answered(media, partial, now * 3);
  EXPECT_GE(answered(media, read_of(page(8) + 3 * kLine), now * 4) - now * 4,
            c.lookup + bus(64) + c.ecc);
}

TEST_F(FlashMediaTest, ColdPagesAreProgrammed) {
  FlashMedia media = make();
  const Time written = answered(media, write_back_of(page(8), 1), Time{0});
  EXPECT_EQ(media.next_event(), Time::never());  // nobody waits for the program
  const Time start = written + c.buffer_cold;
  // A partly buffered page is read first; the whole of it crosses the channel both ways.
  const Time end =
      start + (c.command + c.tR + bus(c.page_bytes)) + (c.command + bus(c.page_bytes) + c.tPROG);
  EXPECT_FALSE(media.take(end - Time{1}).has_value());
  EXPECT_EQ(media.counters().page_programs, 0u);
  EXPECT_EQ(media.counters().page_reads, 1u);
  EXPECT_FALSE(media.take(end).has_value());
  EXPECT_EQ(media.counters().page_programs, 1u);
}

TEST_F(FlashMediaTest, LinesWrittenDuringAProgramAreProgrammedAgain) {
  FlashMedia media = make();
  const Time written = answered(media, write_back_of(page(8), 1), Time{0});
  const Time during = written + c.buffer_cold + c.tR * 5;
  (void)answered(media, write_back_of(page(8) + kLine, 1), during);
  (void)media.take(during + c.tPROG * 2);
  EXPECT_EQ(media.counters().page_programs, 1u);
  // Both lines are still buffered; the page is dirty again and is programmed when cold.
  const Time later = during + c.tPROG * 3;
  EXPECT_LT(answered(media, fill_of(page(8), 2), later) - later, c.tR);
  const Time next = later + Time{10000000};
  EXPECT_LT(answered(media, fill_of(page(8) + kLine, 2), next) - next, c.tR);
  (void)media.take(later + c.buffer_cold * 2);
  EXPECT_EQ(media.counters().page_programs, 2u);
}

TEST_F(FlashMediaTest, WholePagesAreProgrammedWithoutReading) {
  FlashMedia media = make();
  (void)saturate(media, lines_per_page(), [&](std::uint64_t i) {
    return write_back_of(page(8) + i * kLine, static_cast<std::uint32_t>(i));
  });
  (void)media.take(c.buffer_cold * 2);
  EXPECT_EQ(media.counters().page_programs, 1u);
  EXPECT_EQ(media.counters().page_reads, 0u);
}

TEST_F(FlashMediaTest, ReadBehindAProgramWaitsForIt) {
  FlashMedia media = make();
  const Time written = answered(media, write_back_of(page(8), 1), Time{0});
  const Time start = written + c.buffer_cold;
  // The fill arrives just after the program has begun.
  const Time took = answered(media, fill_of(page(8 + dies()), 2), start + c.tR) - (start + c.tR);
  EXPECT_GT(took, c.tPROG);
}

TEST_F(FlashMediaTest, SustainedWriteBackRunsAtProgramSpeed) {
  FlashMedia media = make();
  const std::uint64_t lines = lines_per_page();
  const auto in_order = [&](std::uint64_t i) {
    return write_back_of(i * kLine, static_cast<std::uint32_t>(i % kSlots));
  };
  // Until the buffer is full, then on.
  const std::uint64_t first = c.buffer_pages * lines * 2, then = dies() * 40 * lines;
  const Time full = saturate(media, first, in_order);
  const std::uint64_t programs = media.counters().page_programs;
  const Time took = saturate(
                        media, then, [&](std::uint64_t i) { return in_order(first + i); }, full) -
                    full;
  EXPECT_GT(media.counters().page_programs, programs);
  const double cycle = static_cast<double>((c.command + bus(c.page_bytes) + c.tPROG).ps);
  const double bound = static_cast<double>(dies() * c.page_bytes) / cycle * 1000;
  const double got = static_cast<double>(then * kLine) / static_cast<double>(took.ps) * 1000;
  EXPECT_LT(got, bound * 1.02);
  EXPECT_GT(got, bound * 0.9);
  RecordProperty("write_gb_s", std::to_string(got));
}

TEST_F(FlashMediaTest, FullBufferDelaysTheNextWrite) {
  c.buffer_pages = 4;
  c.buffer_high = 3;
  c.buffer_low = 0;
  FlashMedia media = make();
  Time now{0};
  for (std::uint64_t i = 0; i < 4; ++i) now = answered(media, write_back_of(page(i), 0), now);
  EXPECT_LT(now, Time{10000000});
  now = answered(media, write_back_of(page(4), 0), now);
  EXPECT_GT(now, c.tPROG);
  // Rewriting a buffered page needs no new place.
  const Time again = answered(media, write_back_of(page(4) + kLine, 0), now) - now;
  EXPECT_LT(again, Time{1000000});
}

TEST_F(FlashMediaTest, AWriteOfABufferedPageWaitsForNoOther) {
  c.buffer_pages = 8;
  c.buffer_high = 6;
  c.buffer_low = 4;
  FlashMedia media = make();
  Time now{0};
  for (unsigned i = 0; i < 8; ++i) {
    (void)answered(media, write_of(i * c.page_bytes), now);
    now += c.lookup * 2;
  }
  // One page more has no place until a program is done.
  media.submit(write_of(20 * c.page_bytes, 1), now);
  media.submit(write_of(7 * c.page_bytes + 64, 2), now + c.lookup);
  const auto [first, at] = media_test::next_answer(media, now + c.lookup);
  EXPECT_EQ(first.id, 2);
  EXPECT_EQ(at, now + c.lookup * 2);
  const auto [second, later] = media_test::next_answer(media, at);
  EXPECT_EQ(second.id, 1);
  EXPECT_GT(later, c.tPROG);
}

TEST_F(FlashMediaTest, SaturatedReadsDoNotStarveWaitingWrites) {
  c.buffer_pages = 4;
  c.buffer_high = 3;
  c.buffer_low = 0;
  c.channels = c.dies_per_channel = 1;
  FlashMedia media = make();
  Time now{0};
  std::uint64_t next = 1000, writes = 0;
  for (std::uint64_t i = 0; i < 12; ++i) media.submit(write_back_of(page(i), 0, 9), now);
  while (writes < 12 && now < c.tPROG * 100) {
    while (media.can_accept(now, MediaOp::Fill)) media.submit(fill_of(page(next++), 1), now);
    const auto [answer, at] = next_answer(media, now);
    now = at;
    writes += answer.op == MediaOp::WriteBack ? 1 : 0;
  }
  EXPECT_EQ(writes, 12u);
}

TEST_F(FlashMediaTest, QueuesAreBoundedEachByItself) {
  FlashMedia media = make();
  std::uint32_t fills = 0, backs = 0, arrays = 0;
  while (media.can_accept(Time{0}, MediaOp::Fill)) media.submit(fill_of(page(fills++), 0), Time{0});
  EXPECT_FALSE(media.can_accept(Time{0}, MediaOp::Read));
  while (media.can_accept(Time{0}, MediaOp::Write)) media.submit(write_of(page(backs++)), Time{0});
  EXPECT_FALSE(media.can_accept(Time{0}, MediaOp::WriteBack));
  MediaCommand access;
  access.op = MediaOp::ArrayWrite;
  while (media.can_accept(Time{0}, access.op)) {
    media.submit(access, Time{0});
    ++arrays;
  }
  EXPECT_FALSE(media.can_accept(Time{0}, MediaOp::ArrayRead));
  EXPECT_EQ(fills, c.read_queue_depth);
  EXPECT_EQ(backs, c.write_queue_depth);
  EXPECT_EQ(arrays, c.array_queue_depth);
  Time now{0};
  for (std::uint32_t i = 0; i < fills + backs + arrays; ++i) now = next_answer(media, now).second;
  EXPECT_FALSE(media.take(now * 2).has_value());
  EXPECT_EQ(media.next_event(), Time::never());
}

TEST_F(FlashMediaTest, ErrorsAreAnswered) {
  FlashMedia media = make();
  std::vector<MediaCommand> wrong = {
      read_of(kCapacity), read_of(32),           fill_of(kCapacity, 0),   fill_of(64, 0),
      fill_of(0, kSlots), write_back_of(128, 0), write_back_of(0, kSlots)};
  MediaCommand access;
  access.op = MediaOp::ArrayRead;
  access.slot = kSlots;
  wrong.push_back(access);
  access.slot = 0;
  access.offset = kLine;
  wrong.push_back(access);
  Time now{0};
  for (const MediaCommand& command : wrong) {
    media.submit(command, now);
    const auto [answer, at] = next_answer(media, now);
    EXPECT_TRUE(answer.error);
    EXPECT_EQ(at, now + c.lookup);
    now = at;
  }
  EXPECT_EQ(media.counters().fills + media.counters().reads + media.counters().write_backs, 0u);
}

// What a failed Fill should have brought is not known: no line of the slot is good.
TEST_F(FlashMediaTest, AFailedFillMarksItsSlot) {
  FlashMedia media = make();
  Time now = answered(media, fill_of(0, 3), Time{0});
  media.submit(fill_of(kCapacity, 3), now);
  now = next_answer(media, now).second;
  MediaCommand access;
  access.slot = 3;
  access.op = MediaOp::ArrayWrite;
  now = answered(media, access, now);  // its first line is written whole
  access.op = MediaOp::ArrayRead;
  for (access.offset = 0; access.offset < kLine; access.offset += kLineBytes) {
    media.submit(access, now);
    const auto [answer, at] = next_answer(media, now);
    EXPECT_EQ(answer.poison, access.offset != 0) << access.offset;
    now = at;
  }
}

TEST_F(FlashMediaTest, NoRateMakesTheBusFree) {
  for (const std::uint64_t rate : {std::uint64_t{1}, std::uint64_t{1000000}}) {
    c.channel_mtps = rate;
    FlashMedia media = make();
    const Time took = answered(media, read_of(0), Time{0});
    EXPECT_GT(took, c.lookup + c.command + c.tR + c.ecc);
  }
}

}  // namespace
}  // namespace cxlgpu
