// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// DDR5 latency and bandwidth against closed forms.
#include "sim/media/ddr5_media.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sim/media/bus_time.hpp"
#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

using media_test::answered;
using media_test::read_of;
using media_test::saturate;
using media_test::write_of;

constexpr std::uint64_t kCapacity = std::uint64_t{16} << 30;
constexpr std::uint32_t kBanksPerGroup = 4;

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

TEST_F(Ddr5MediaTest, KeepsPoison) {
  Ddr5Media media(c, kCapacity);
  const auto write = [&](std::uint64_t enables, bool poison) {
    MediaCommand command = write_of(64);
    command.byte_enable = enables;
    command.poison = poison;
    media.submit(command, Time{0});
    media.submit(read_of(64), Time{0});
    media.submit(read_of(128), Time{0});
    bool found = false;
    for (unsigned n = 0; n < 3; ++n) {
      const auto [answer, at] = media_test::next_answer(media, Time{1'000'000'000});
      found = found || answer.poison;
    }
    return found;
  };
  EXPECT_FALSE(write(kAllBytes, false));
  EXPECT_TRUE(write(1, true));
  EXPECT_TRUE(write(kAllBytes >> 1, false));
  EXPECT_FALSE(write(kAllBytes, false));
}

// ---- by formula, to the picosecond -------------------------------------------------------------

// Sends `command` at `now`: nothing 1 ps before `after` has passed, the answer then.
void expect_answer_after(Media& media, const MediaCommand& command, Time now, Time after) {
  ASSERT_TRUE(media.can_accept(now, command.op));
  media.submit(command, now);
  EXPECT_FALSE(media.take(now + after - Time{1})) << "too early, " << after.ps << " ps";
  EXPECT_TRUE(media.take(now + after)) << "too late, " << after.ps << " ps";
}

class AnyPartTest : public Ddr5MediaTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override { use(std::get<DramConfig>(media_test::part(GetParam()).params)); }
  void use(const DramConfig& config) {
    c = config;
    map = DramMap(c);
    burst = bus_time(c.burst_bytes(), c.sub_channel_bits, c.data_rate_mtps);
    ends = c.front + c.back;
    bursts = kLineBytes / c.burst_bytes();
    // The last of a line's bursts, from its first column command.
    read_data = c.tCL + std::max(c.tCCD_L, burst) * (bursts - 1) + burst;
    write_data = c.tCWL + std::max(c.tCCD_L_WR2, burst) * (bursts - 1) + burst;
  }
  double line_peak() { return peak() / static_cast<double>(bursts); }
  std::uint64_t bursts = 1;
  Time read_data, write_data;
};
INSTANTIATE_TEST_SUITE_P(Parts, AnyPartTest, ::testing::Values("dram", "dram-46", "hbm3"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(AnyPartTest, OpenPageLatencies) {
  c.refresh = DramRefresh::AllBank;  // the first comes after the test
  c.page_policy = DramPage::Open;
  Ddr5Media media(c, kCapacity);
  const auto rows = rows_of_bank(2);
  expect_answer_after(media, read_of(rows[0]), Time{1000}, ends + c.tRCD + read_data);
  expect_answer_after(media, read_of(rows[0]), Time{90000}, ends + read_data);
  expect_answer_after(media, read_of(rows[1]), Time{170000}, ends + c.tRP + c.tRCD + read_data);
}
TEST_P(AnyPartTest, ClosedPageLatencies) {
  c.refresh = DramRefresh::AllBank;
  c.page_policy = DramPage::Closed;
  Ddr5Media media(c, kCapacity);
  const auto rows = rows_of_bank(2);
  const Time closed = ends + c.tRCD + read_data;
  expect_answer_after(media, read_of(rows[0]), Time{1000}, closed);
  expect_answer_after(media, read_of(rows[0]), Time{90000}, closed);   // no row hit
  expect_answer_after(media, read_of(rows[1]), Time{170000}, closed);  // no conflict
  EXPECT_EQ(media.counters().row_misses, 3u);
}
TEST_P(AnyPartTest, WriteLatency) {
  Ddr5Media media(c, kCapacity);
  expect_answer_after(media, write_of(0), Time{1000}, ends + c.tRCD + write_data);
}
TEST_P(AnyPartTest, SameBankThroughputIsTheRowCycle) {
  for (const DramPage page : {DramPage::Open, DramPage::Closed}) {
    c.page_policy = page;
    c.refresh = DramRefresh::AllBank;
    c.tREFI = Time{1000000000};  // none in between
    Ddr5Media media(c, kCapacity);
    const auto rows = rows_of_bank(40);
    for (std::uint64_t i = 0; i < 40; ++i) media.submit(read_of(rows[i]), Time{0});
    // The column commands are over before tRAS is, so that rows follow each other at tRC.
    ASSERT_LE(c.tRCD + std::max(c.tCCD_L, burst) * (bursts - 1) + c.tRTP, c.tRAS);
    for (std::uint64_t i = 0; i < 40; ++i) {
      const Time at = (c.tRAS + c.tRP) * i + ends + c.tRCD + read_data;
      EXPECT_FALSE(media.take(at - Time{1})) << i;
      EXPECT_TRUE(media.take(at)) << i;
    }
  }
}
TEST_P(AnyPartTest, ClosedPageKeepsARowThatAQueuedRequestWants) {
  c.page_policy = DramPage::Closed;
  Ddr5Media media(c, kCapacity);
  const auto row = lines_where(
      [](const DramAddress& p) { return p.sub_channel == 0 && p.bank == 0 && p.row == 0; }, 3);
  for (const std::uint64_t line : row) media.submit(read_of(line), Time{0});
  for (int i = 0; i < 3; ++i) (void)media_test::next_answer(media);
  EXPECT_EQ(media.counters().row_misses, 1u);
  EXPECT_EQ(media.counters().row_hits, 2u);
  media.submit(read_of(row[0]), Time{300000});
  (void)media_test::next_answer(media, Time{300000});
  EXPECT_EQ(media.counters().row_misses, 2u);  // the last of them closed it
}

// What a stream of row hits in the first banks of all groups loses: to all-bank refresh the rank's
// time, to same-bank refresh that of these banks, which have their turn once a round.
TEST_P(AnyPartTest, StreamLosesTheShareOfRefresh) {
  c.ranks = 1;
  map = DramMap(c);
  const auto lines = lines_where(
      [this](const DramAddress& p) { return p.bank % c.banks_per_group == 0 && p.row == 0; },
      std::size_t{16} * c.sub_channels * c.bank_groups);
  for (const DramRefresh kind : {DramRefresh::AllBank, DramRefresh::SameBank}) {
    c.refresh = kind;
    const bool whole = kind == DramRefresh::AllBank;
    const Time out = whole ? c.tRFC : c.tRFCsb;
    const Time round = whole ? c.tREFI : c.tREFIsb * c.banks_per_group;
    Ddr5Media media(c, std::uint64_t{8} << 30);
    const std::uint64_t n = 100000 * c.sub_channels;
    const double got = gb_s(
        n, saturate(media, n, [&](std::uint64_t i) { return read_of(lines[i % lines.size()]); }));
    // At least the refresh and opening a row; at most closing and opening one row after the other.
    const auto left = [&](Time lost) {
      return line_peak() * (1 - static_cast<double>(lost.ps) / static_cast<double>(round.ps));
    };
    const Time reopen = c.tRCD + c.tRP + c.tRTP + std::max(c.tRRD_S, c.tFAW) * c.bank_groups;
    EXPECT_LE(got, 1.003 * left(out + c.tRCD)) << whole;
    EXPECT_GE(got, 0.997 * left(out + reopen)) << whole;
    RecordProperty(whole ? "stream_gb_s_all_bank" : "stream_gb_s_same_bank", std::to_string(got));
  }
}

// One bank alone: of every round of refreshes it loses its own, and the row cycle that it cuts off.
TEST_P(AnyPartTest, OneBankLosesItsOwnRefreshOnly) {
  c.scheduling = DramScheduling::Fcfs;  // each read a row cycle
  for (const DramRefresh kind : {DramRefresh::AllBank, DramRefresh::SameBank}) {
    c.refresh = kind;
    const bool whole = kind == DramRefresh::AllBank;
    const Time out = whole ? c.tRFC : c.tRFCsb;
    const Time round = whole ? c.tREFI : c.tREFIsb * c.banks_per_group;
    Ddr5Media media(c, kCapacity);
    const auto rows = rows_of_bank(64);
    const std::uint64_t n = 4000;
    const Time took = saturate(media, n, [&](std::uint64_t i) { return read_of(rows[i % 64]); });
    const Time cycle = c.tRAS + c.tRP;
    const auto cycles = [&](Time lost) {
      return static_cast<double>((cycle * n).ps) /
             (1 - static_cast<double>(lost.ps) / static_cast<double>(round.ps));
    };
    EXPECT_GE(static_cast<double>(took.ps), 0.995 * cycles(out)) << whole;
    EXPECT_LE(static_cast<double>(took.ps),
              1.005 * cycles(out + cycle + c.tREFSBRD * c.banks_per_group))
        << whole;
  }
}

// Random reads: at most the bus less refresh and what the four-activate windows let through; at
// least nine tenths of the smaller of the windows and a bus that changes its rank at each line.
TEST_P(AnyPartTest, RandomReadsLieBetweenTheirBounds) {
  for (const DramRefresh kind : {DramRefresh::AllBank, DramRefresh::SameBank}) {
    c.refresh = kind;
    Ddr5Media media(c, kCapacity);
    std::mt19937_64 random(3);
    const std::uint64_t n = 50000 * c.sub_channels;
    const double got = gb_s(n, saturate(media, n, [&](std::uint64_t) {
                              return read_of(random() % (kCapacity / kLineBytes) * kLineBytes);
                            }));
    const double line = static_cast<double>((burst * bursts).ps);
    const double windows = static_cast<double>(4 * kLineBytes * c.ranks * c.sub_channels) /
                           static_cast<double>(c.tFAW.ps) * 1000;
    const double switching = line_peak() * line / (line + static_cast<double>(c.turnaround.ps));
    EXPECT_LE(got, std::min(line_peak(), windows));
    EXPECT_GE(got, 0.9 * refresh_free() * std::min(windows, switching)) << static_cast<int>(kind);
    RecordProperty("random_gb_s_" + std::to_string(static_cast<int>(kind)), std::to_string(got));
  }
}

// ---- order within a bank -----------------------------------------------------------------------

TEST_F(Ddr5MediaTest, RowHitsGoFirstByChoice) {
  const auto a = lines_where(
      [](const DramAddress& p) { return p.sub_channel == 0 && p.bank == 0 && p.row == 0; }, 2);
  const auto rows = rows_of_bank(2);
  const auto order = [&](DramScheduling scheduling) {
    c.scheduling = scheduling;
    Ddr5Media media(c, kCapacity);
    (void)answered(media, read_of(a[0]), Time{0});
    Time now{200000};
    media.submit(read_of(rows[1], 1), now);
    media.submit(read_of(a[1], 2), now);
    std::vector<std::pair<unsigned, std::uint64_t>> seen;
    for (int i = 0; i < 2; ++i) {
      const auto [answer, at] = media_test::next_answer(media, now);
      seen.emplace_back(answer.id, (at - Time{200000}).ps);
      now = at;
    }
    return seen;
  };
  using Seen = std::vector<std::pair<unsigned, std::uint64_t>>;
  const Time miss = ends + c.tRP + c.tRCD + c.tCL + burst;
  // In order: the second needs its row again, tRAS after the other row was opened.
  EXPECT_EQ(order(DramScheduling::Fcfs),
            (Seen{{1, miss.ps}, {2, (ends + c.tRP + c.tRAS + c.tRP + c.tRCD + c.tCL + burst).ps}}));
  // The hit first; the row may be closed tRTP after it.
  EXPECT_EQ(order(DramScheduling::FrFcfs),
            (Seen{{2, (ends + c.tCL + burst).ps}, {1, (miss + c.tRTP).ps}}));
}

TEST_F(Ddr5MediaTest, AgeBoundEndsARunOfRowHits) {
  c.tREFI = Time{1000000000};  // a refresh would close the row
  c.scheduling = DramScheduling::FrFcfs;
  Ddr5Media media(c, kCapacity);
  const auto hits = lines_where(
      [](const DramAddress& p) { return p.sub_channel == 0 && p.bank == 0 && p.row == 0; }, 8);
  const auto rows = rows_of_bank(2);
  Time now{0};
  std::uint64_t sent = 0;
  const auto fill = [&] {
    while (media.can_accept(now, MediaOp::Read)) media.submit(read_of(hits[sent++ % 8], 1), now);
  };
  for (int i = 0; i < 100; ++i) media.submit(read_of(hits[sent++ % 8], 1), now);
  media.submit(read_of(rows[1], 7), now);
  while (now < c.age_bound * 3) {
    fill();
    const auto [answer, at] = media_test::next_answer(media, now);
    now = at;
    if (answer.id == 7) break;
  }
  EXPECT_GT(now, c.age_bound);  // the run would have gone on
  EXPECT_LT(now, c.age_bound + c.tRTP + c.tRP + c.tRCD + c.tCL + burst + ends + c.tCCD_L);
}

// ---- one bank in demand, the others idle -------------------------------------------------------

class HotBankTest : public Ddr5MediaTest {
 protected:
  struct Outcome {
    Time read, writes;  // from its submission; when the last write was answered
  };
  // 40 writes to other rows of one bank, and a read when the oldest of them is past the age bound.
  Outcome hammer(std::optional<std::uint64_t> read, Time at = Time{2120000}) {
    Ddr5Media media(c, kCapacity);
    for (const std::uint64_t row : rows_of_bank(40)) media.submit(write_of(row), Time{0});
    Time now{0};
    Outcome seen;
    for (unsigned left = 40; left > 0 || read;) {
      while (const auto answer = media.take(now)) {
        if (answer->op == MediaOp::Read) {
          seen.read = now - at;
          read.reset();
        } else {
          seen.writes = now;
          --left;
        }
      }
      if (read && now == at) media.submit(read_of(*read, 1), now);
      Time next = media.next_event();
      if (read && now < at) next = std::min(next, at);
      if (next == Time::never()) break;
      EXPECT_GT(next, now);
      now = next;
    }
    return seen;
  }
  // One requester with 128 outstanding; `percent` of its reads go to other rows of one bank.
  double loaded(std::uint32_t percent, std::uint32_t writes_percent = 0) {
    Ddr5Media media(c, kCapacity);
    const auto rows = rows_of_bank(512);
    std::mt19937_64 random(3);
    const std::uint64_t n = 60000;
    return gb_s(n, saturate(media, n, [&](std::uint64_t) {
                  const std::uint64_t dpa = random() % 100 < percent
                                                ? rows[random() % rows.size()]
                                                : random() % (kCapacity / kLineBytes) * kLineBytes;
                  return random() % 100 < writes_percent ? write_of(dpa) : read_of(dpa);
                }));
  }
};

TEST_F(HotBankTest, ReadsOfIdleBanksGoOn) {
  c.tREFI = Time{1000000000};
  const Time idle = ends + c.tRCD + c.tCL + burst;
  for (const auto scheduling : {DramScheduling::Fcfs, DramScheduling::FrFcfs}) {
    c.scheduling = scheduling;
    const Time alone = hammer(std::nullopt).writes;
    // Another group, the same group, the other rank.
    for (const std::uint32_t bank : {kBanksPerGroup, 1u, 32u}) {
      const auto target = lines_where(
          [bank](const DramAddress& p) { return p.sub_channel == 0 && p.bank == bank; }, 1);
      // Over one row cycle of the writes: wherever the read falls between two of them.
      for (std::uint64_t ps = 2000000; ps < 2080000; ps += 1300) {
        const Outcome seen = hammer(target[0], Time{ps});
        EXPECT_GE(seen.read, idle);
        // At most one write's burst and the turnarounds around it come before.
        const Time to_write = c.tCL + burst + c.turnaround - c.tCWL;
        EXPECT_LE(seen.read, idle + to_write + c.tCWL + burst + c.tWTR_L) << bank << " at " << ps;
        // An old one is not put off.
        EXPECT_LE(seen.writes, alone) << bank << " at " << ps;
      }
    }
  }
}

TEST_F(HotBankTest, AsFastAsWithoutAnAgeBound) {
  for (const std::uint32_t percent : {1u, 3u, 5u, 20u}) {
    for (const std::uint32_t writes : {0u, 30u}) {
      const double with = loaded(percent, writes);
      DramConfig saved = c;
      c.age_bound = Time{1000000000};
      const double without = loaded(percent, writes);
      c = saved;
      EXPECT_GT(with, 0.97 * without) << percent << " % to one bank, " << writes << " % writes";
      if (percent == 3 && writes == 0) {
        EXPECT_GT(with, 32.0);
      }
      RecordProperty("gb_s_" + std::to_string(percent) + "_" + std::to_string(writes),
                     std::to_string(with));
    }
  }
}

// Two banks: one is hammered, in the other an old conflict waits for the end of a run of row hits.
TEST_F(HotBankTest, OldConflictIsServedBesideAHotBank) {
  c.tREFI = Time{1000000000};
  c.scheduling = DramScheduling::FrFcfs;
  Ddr5Media media(c, kCapacity);
  const auto of_bank = [&](std::uint32_t bank, std::uint64_t row, std::size_t count) {
    return lines_where(
        [=](const DramAddress& p) { return p.sub_channel == 0 && p.bank == bank && p.row == row; },
        count);
  };
  const auto hot = rows_of_bank(40);
  const auto hits = of_bank(kBanksPerGroup, 0, 8);
  const auto other = of_bank(kBanksPerGroup, 1, 1);
  for (const std::uint64_t row : hot) media.submit(write_of(row), Time{0});
  Time now{0};
  std::uint64_t sent = 0;
  for (int i = 0; i < 40; ++i) media.submit(read_of(hits[sent++ % 8], 1), now);
  media.submit(read_of(other[0], 7), now);
  while (now < c.age_bound * 3) {
    while (media.can_accept(now, MediaOp::Read)) media.submit(read_of(hits[sent++ % 8], 1), now);
    const auto [answer, at] = media_test::next_answer(media, now);
    now = at;
    if (answer.id == 7) break;
  }
  EXPECT_GT(now, c.age_bound);
  // Its own way, and one write of the hot bank with its turnarounds.
  EXPECT_LT(now, c.age_bound + c.tRTP + c.tRP + c.tRCD + c.tCL + burst + ends + c.tCCD_L +
                     c.tWTR_L + c.tCWL + burst);
}

// ---- address maps by configuration -------------------------------------------------------------

TEST_F(Ddr5MediaTest, AddressMapFollowsItsOrder) {
  c.bank_xor_row = false;
  c.address_map = {DramField::Row,  DramField::Column,    DramField::Rank,
                   DramField::Bank, DramField::BankGroup, DramField::SubChannel};
  const DramMap other(c);
  DramAddress p = other.decode(kLineBytes);
  EXPECT_EQ(p, (DramAddress{1, 0, 0, 0}));
  p = other.decode(kLineBytes * c.sub_channels);  // the next bank group
  EXPECT_EQ(p, (DramAddress{0, c.banks_per_group, 0, 0}));
  p = other.decode(kLineBytes * c.sub_channels * c.bank_groups);  // the next bank of the group
  EXPECT_EQ(p, (DramAddress{0, 1, 0, 0}));
  const std::uint64_t banks = c.bank_groups * c.banks_per_group;
  p = other.decode(kLineBytes * c.sub_channels * banks);
  EXPECT_EQ(p, (DramAddress{0, static_cast<std::uint32_t>(banks), 0, 0}));  // the other rank
  p = other.decode(kLineBytes * c.sub_channels * banks * c.ranks);
  EXPECT_EQ(p, (DramAddress{0, 0, 0, 1}));
  p = other.decode(kLineBytes * c.sub_channels * banks * c.ranks * c.columns / c.burst_length);
  EXPECT_EQ(p, (DramAddress{0, 0, 1, 0}));
}

// Requests that wait past the age bound hold up younger ones that could go: time must still move
// on.
TEST(Ddr5Media, TimeMovesOnBehindRequestsPastTheirAge) {
  std::mt19937_64 random(7);
  const auto media = make_media(media_test::part("hbm3"), {std::uint64_t{1} << 30});
  media_test::saturate(*media, 200000, [&](std::uint64_t i) {
    random.discard(1);
    const std::uint64_t dpa = random() % (1 << 22) * 256;
    random.discard(1);
    return media_test::read_of(dpa, static_cast<std::uint8_t>(i));
  });
}

}  // namespace
}  // namespace cxlgpu
