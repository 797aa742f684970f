// DDR5 latency and bandwidth against closed forms.
#include "refmodel/media/ddr5_media.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "refmodel/media/bus_time.hpp"
#include "tests/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

using media_test::answered;
using media_test::read_of;
using media_test::saturate;
using media_test::write_of;

constexpr std::uint64_t kCapacity = std::uint64_t{16} << 30;

class Ddr5MediaTest : public ::testing::Test {
 protected:
  DramConfig c = media_test::dram_config();
  DramMap map{c};
  Time burst = bus_time(kLineBytes, c.sub_channel_bits, c.data_rate_mtps);
  Time ends = c.front + c.back;

  // Lowest addresses above `from` that satisfy a condition on their place.
  template <typename Condition>
  std::vector<std::uint64_t> lines_where(Condition condition, std::size_t count) {
    std::vector<std::uint64_t> found;
    for (std::uint64_t a = 0; found.size() < count && a < kCapacity; a += kLineBytes) {
      if (condition(map.decode(a))) found.push_back(a);
    }
    EXPECT_EQ(found.size(), count);
    return found;
  }
  std::vector<std::uint64_t> rows_of_bank(std::size_t count) {
    return lines_where(
        [last = ~std::uint64_t{0}](const DramAddress& p) mutable {
          if (p.sub_channel != 0 || p.bank != 0 || p.row == last) return false;
          last = p.row;
          return true;
        },
        count);
  }
  double gb_s(std::uint64_t lines, Time took) {
    return static_cast<double>(lines * kLineBytes) / static_cast<double>(took.ps) * 1000;
  }
  double peak() {
    return static_cast<double>(c.sub_channels * kLineBytes) / static_cast<double>(burst.ps) * 1000;
  }
  // Share of time that a rank can work: every tREFI it gives up a precharge and tRFC.
  double refresh_free() {
    return 1.0 - static_cast<double>((c.tRFC + c.tRP).ps) / static_cast<double>(c.tREFI.ps);
  }
};

TEST_F(Ddr5MediaTest, MapIsOneToOne) {
  // A step of each line bit changes exactly one thing, and 2^k lines have 2^k places.
  std::vector<DramAddress> seen;
  for (std::uint64_t a = 0; a < 4096 * kLineBytes; a += kLineBytes) {
    const DramAddress p = map.decode(a);
    EXPECT_LT(p.bank, c.ranks * c.bank_groups * c.banks_per_group);
    seen.push_back(p);
  }
  std::sort(seen.begin(), seen.end(), [](const DramAddress& x, const DramAddress& y) {
    return std::tie(x.sub_channel, x.bank, x.row, x.column) <
           std::tie(y.sub_channel, y.bank, y.row, y.column);
  });
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

TEST_F(Ddr5MediaTest, IdleReadLatencies) {
  Ddr5Media media(c, kCapacity);
  const auto rows = rows_of_bank(2);
  Time now{1000};
  const Time closed = answered(media, read_of(rows[0]), now) - now;
  EXPECT_EQ(closed.ps, (ends + c.tRCD + c.tCL + burst).ps);
  now += Time{500000};
  const Time hit = answered(media, read_of(rows[0]), now) - now;
  EXPECT_EQ(hit.ps, (ends + c.tCL + burst).ps);
  now += Time{500000};
  const Time conflict = answered(media, read_of(rows[1]), now) - now;
  EXPECT_EQ(conflict.ps, (ends + c.tRP + c.tRCD + c.tCL + burst).ps);
  const MediaCounters& n = media.counters();
  EXPECT_EQ(n.row_hits, 1u);
  EXPECT_EQ(n.row_misses, 1u);
  EXPECT_EQ(n.row_conflicts, 1u);
  EXPECT_EQ(n.reads, 3u);
  EXPECT_EQ(media.next_event(), Time::never());
}

TEST_F(Ddr5MediaTest, IdleWriteLatency) {
  Ddr5Media media(c, kCapacity);
  EXPECT_EQ(answered(media, write_of(0), Time{0}).ps, (ends + c.tRCD + c.tCWL + burst).ps);
}

TEST_F(Ddr5MediaTest, SameBankThroughputIsOnePerRowCycle) {
  Ddr5Media media(c, kCapacity);
  const auto rows = rows_of_bank(64);
  const std::uint64_t n = 60;  // 60 row cycles end before the first refresh of the rank is over
  const Time took = saturate(media, n, [&](std::uint64_t i) { return read_of(rows[i % 64]); });
  // Reads of tRCD + tRTP end before tRAS: the cycle is tRAS + tRP. One refresh lies in between.
  const Time cycles = (c.tRAS + c.tRP) * (n - 1);
  const Time lone = ends + c.tRCD + c.tCL + burst;
  EXPECT_GE(took, cycles + lone);
  EXPECT_LE(took, cycles + lone + c.tRFC + c.tRP + c.tRAS);
}

TEST_F(Ddr5MediaTest, RefreshComesWhileTheQueueIsWorkedOff) {
  Ddr5Media media(c, kCapacity);
  const std::uint64_t n = 120;  // all queued at once; 120 row cycles are longer than tREFI
  const auto rows = rows_of_bank(n);
  const Time took = saturate(media, n, [&](std::uint64_t i) { return read_of(rows[i]); });
  const Time cycles = (c.tRAS + c.tRP) * (n - 1);
  ASSERT_GT(cycles, Time{c.tREFI.ps / c.ranks});
  ASSERT_LT(cycles, Time{c.tREFI.ps / c.ranks} + c.tREFI);
  EXPECT_GE(took, cycles + ends + c.tRCD + c.tCL + burst + c.tRFC);
}

TEST_F(Ddr5MediaTest, AgeBoundLetsAReadThroughAStreamOfWrites) {
  // Writes that hit open rows are always ready before the read may follow them.
  c.tREFI = Time{1000000000};  // a refresh would let the read through as well
  Ddr5Media media(c, kCapacity);
  const auto target = lines_where(
      [](const DramAddress& p) { return p.sub_channel == 0 && p.bank == 3 && p.row == 5; }, 1);
  const auto writes = lines_where(
      [](const DramAddress& p) {
        return p.sub_channel == 0 && p.bank < 32 && p.bank % 4 == 0 && p.row == 0;
      },
      512);
  Time now{0};
  std::uint64_t next = 0;
  for (unsigned i = 0; i < 100; ++i) media.submit(write_of(writes[next++ % 512]), now);
  media.submit(read_of(target[0], 7), now);
  while (now < c.age_bound * 3) {
    while (media.can_accept(now, MediaOp::Write)) media.submit(write_of(writes[next++ % 512]), now);
    const auto [answer, at] = media_test::next_answer(media, now);
    now = at;
    if (answer.op == MediaOp::Read) break;
  }
  EXPECT_LT(now, c.age_bound + Time{500000});
  EXPECT_GT(now, c.age_bound);  // otherwise the test shows nothing
}

TEST_F(Ddr5MediaTest, ActivatesKeepTheFourActivateWindow) {
  c.tFAW = Time{40000};  // make the window the limit: 4 activates in 40 ns
  Ddr5Media media(c, kCapacity);
  const auto lines = lines_where(
      [](const DramAddress& p) { return p.sub_channel == 0 && p.bank < 32 && p.column == 0; }, 32);
  const Time took = saturate(media, 32, [&](std::uint64_t i) { return read_of(lines[i]); });
  const Time window = c.tFAW * 7 + c.tRRD_S * 3;  // the 32nd activate: window 8, fourth in it
  const Time lone = ends + c.tRCD + c.tCL + burst;
  EXPECT_GE(took, window + lone);
  EXPECT_LE(took, window + lone + c.tRRD_L * 4);
}

TEST_F(Ddr5MediaTest, StreamReadsReachTheBusLessRefresh) {
  Ddr5Media media(c, kCapacity);
  const std::uint64_t n = 200000;
  const double got =
      gb_s(n, saturate(media, n, [](std::uint64_t i) { return read_of(i * kLineBytes); }));
  EXPECT_LT(got, peak());
  EXPECT_GT(got, 0.97 * peak() * refresh_free());
  RecordProperty("stream_read_gb_s", std::to_string(got));
}

TEST_F(Ddr5MediaTest, StreamWritesReachTheBusLessRefresh) {
  Ddr5Media media(c, kCapacity);
  const std::uint64_t n = 200000;
  const double got =
      gb_s(n, saturate(media, n, [](std::uint64_t i) { return write_of(i * kLineBytes); }));
  EXPECT_LT(got, peak());
  EXPECT_GT(got, 0.95 * peak() * refresh_free());
}

TEST_F(Ddr5MediaTest, RefreshTakesItsShare) {
  // One rank and one bank group's rows only: with refresh made ten times as frequent the stream
  // loses what the closed form says.
  c.ranks = 1;
  c.tREFI = Time{1000000};
  Ddr5Media media(c, std::uint64_t{1} << 30);
  const std::uint64_t n = 200000;
  const double got =
      gb_s(n, saturate(media, n, [](std::uint64_t i) { return read_of(i * kLineBytes); }));
  // Rows must be opened again after each refresh: up to tRCD + tCL more.
  const double most = peak() * refresh_free();
  const double least =
      peak() * (refresh_free() - static_cast<double>((c.tRCD + c.tCL + c.tRAS).ps) /
                                     static_cast<double>(c.tREFI.ps));
  EXPECT_LT(got, most * 1.005);
  EXPECT_GT(got, least * 0.99);
}

TEST_F(Ddr5MediaTest, RandomReadsStayBelowTheBusAndAboveTheBanks) {
  Ddr5Media media(c, kCapacity);
  std::mt19937_64 random(1);
  const std::uint64_t n = 200000;
  const double got = gb_s(n, saturate(media, n, [&](std::uint64_t) {
                            return read_of(random() % (kCapacity / kLineBytes) * kLineBytes);
                          }));
  EXPECT_LT(got, peak());
  EXPECT_GT(got, 0.5 * peak());
  RecordProperty("random_read_gb_s", std::to_string(got));
}

TEST_F(Ddr5MediaTest, MixedTrafficLosesTurnaroundsButNobodyStarves) {
  Ddr5Media media(c, kCapacity);
  std::mt19937_64 random(2);
  std::vector<Time> sent(256);
  std::vector<std::uint8_t> free_ids;
  for (unsigned i = 0; i < 256; ++i) free_ids.push_back(static_cast<std::uint8_t>(i));
  Time now{0}, longest{0};
  std::uint64_t got = 0;
  while (got < 100000) {
    while (!free_ids.empty() && media.can_accept(now, MediaOp::Read)) {
      const std::uint8_t id = free_ids.back();
      free_ids.pop_back();
      const std::uint64_t dpa = random() % (kCapacity / kLineBytes) * kLineBytes;
      sent[id] = now;
      media.submit(random() % 8 == 0 ? read_of(dpa, id) : write_of(dpa, id), now);
    }
    while (const auto answer = media.take(now)) {
      ++got;
      longest = std::max(longest, now - sent[answer->id]);
      free_ids.push_back(answer->id);
    }
    if (media.can_accept(now, MediaOp::Read)) continue;
    now = media.next_event();
  }
  EXPECT_LT(longest, c.age_bound + Time{2000000});
}

TEST_F(Ddr5MediaTest, IdleTimeCostsNothing) {
  Ddr5Media media(c, kCapacity);
  Time now{0};
  for (int i = 0; i < 1000; ++i) {  // a request a second
    now += Time{1000000000000};
    const Time took = answered(media, read_of(0), now) - now;
    ASSERT_GE(took, ends + c.tRCD + c.tCL + burst);  // its row was closed by a refresh
    ASSERT_LE(took, ends + c.tRCD + c.tCL + burst + c.tRFC);
    now += took;
    ASSERT_EQ(media.next_event(), Time::never());
  }
}

TEST_F(Ddr5MediaTest, QueueIsBounded) {
  Ddr5Media media(c, kCapacity);
  std::uint32_t n = 0;
  while (media.can_accept(Time{0}, MediaOp::Read)) {
    media.submit(read_of(n * kLineBytes, static_cast<std::uint8_t>(n)), Time{0});
    ++n;
  }
  EXPECT_EQ(n, c.queue_depth);
  (void)media_test::next_answer(media);
  EXPECT_TRUE(media.can_accept(Time{1000000}, MediaOp::Write));
}

TEST_F(Ddr5MediaTest, ErrorsAreAnswered) {
  Ddr5Media media(c, kCapacity);
  std::vector<MediaCommand> wrong = {read_of(kCapacity), read_of(32), write_of(kCapacity)};
  for (const MediaOp op :
       {MediaOp::ArrayRead, MediaOp::ArrayWrite, MediaOp::Fill, MediaOp::WriteBack}) {
    wrong.push_back(read_of(0));
    wrong.back().op = op;
  }
  Time now{0};
  for (const MediaCommand& command : wrong) {
    media.submit(command, now);
    const auto [answer, at] = media_test::next_answer(media, now);
    EXPECT_TRUE(answer.error);
    EXPECT_EQ(answer.op, command.op);
    EXPECT_EQ(at, now + ends);
    now = at;
  }
  EXPECT_EQ(media.next_event(), Time::never());
}

}  // namespace
}  // namespace cxlgpu
