// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Every timing rule, probed at the earliest legal time: t - 1 ps is refused, t is accepted.
#include "sim/media/dram_timing.hpp"

#include <gtest/gtest.h>

#include <random>

#include "sim/media/bus_time.hpp"
#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kRow = 7;
constexpr DramCommand kAct = DramCommand::Activate, kPre = DramCommand::Precharge,
                      kRd = DramCommand::Read, kWr = DramCommand::Write,
                      kMasked = DramCommand::MaskedWrite;

// Bank numbers of JESD79-5 16 Gb x8: 4 banks a group, 8 groups a rank.
constexpr std::uint32_t kBank = 0, kSameGroup = 1, kOtherGroup = 4, kOtherRank = 32;

class DramTimingTest : public ::testing::Test {
 protected:
  DramConfig c = media_test::dram_config();
  DramTiming t{c};
  Time burst = t.burst();

  void open(std::uint32_t bank, Time at) { ASSERT_TRUE(t.issue(kAct, bank, kRow, at)); }
  void legal_from(DramCommand command, std::uint32_t bank, Time at) {
    EXPECT_EQ(t.earliest(command, bank).ps, at.ps);
    EXPECT_FALSE(t.issue(command, bank, kRow, at - Time{1}));
    EXPECT_TRUE(t.issue(command, bank, kRow, at));
  }
};

TEST_F(DramTimingTest, StatesForbidCommands) {
  for (const auto command : {kPre, kRd, kWr, kMasked}) {
    EXPECT_EQ(t.earliest(command, kBank), Time::never());
    EXPECT_FALSE(t.issue(command, kBank, kRow, Time{1000000}));
  }
  open(kBank, Time{0});
  EXPECT_EQ(t.earliest(kAct, kBank), Time::never());
  EXPECT_EQ(t.open_row(kBank), kRow);
}

TEST_F(DramTimingTest, ActivateToRead) {
  open(kBank, Time{100});
  legal_from(kRd, kBank, Time{100} + c.tRCD);
}
TEST_F(DramTimingTest, ActivateToWrite) {
  open(kBank, Time{100});
  legal_from(kWr, kBank, Time{100} + c.tRCD);
}
TEST_F(DramTimingTest, ActivateToPrecharge) {
  open(kBank, Time{100});
  legal_from(kPre, kBank, Time{100} + c.tRAS);
}
TEST_F(DramTimingTest, PrechargeToActivateAndRowCycle) {
  open(kBank, Time{100});
  legal_from(kPre, kBank, Time{100} + c.tRAS);
  legal_from(kAct, kBank, Time{100} + c.tRAS + c.tRP);
}
TEST_F(DramTimingTest, LatePrechargeToActivate) {
  open(kBank, Time{100});
  ASSERT_TRUE(t.issue(kPre, kBank, 0, Time{500000}));
  legal_from(kAct, kBank, Time{500000} + c.tRP);
}
TEST_F(DramTimingTest, ActivateToActivateSameGroup) {
  open(kBank, Time{0});
  legal_from(kAct, kSameGroup, c.tRRD_L);
}
TEST_F(DramTimingTest, ActivateToActivateOtherGroup) {
  open(kBank, Time{0});
  legal_from(kAct, kOtherGroup, c.tRRD_S);
}
TEST_F(DramTimingTest, FourActivateWindow) {
  DramConfig wide = c;  // at 5600 MT/s tFAW is a shade shorter than 4 tRRD_S; make it bind
  wide.tFAW = Time{20000};
  DramTiming w(wide);
  for (std::uint32_t i = 0; i < 4; ++i) ASSERT_TRUE(w.issue(kAct, i * 4, kRow, c.tRRD_S * i));
  EXPECT_FALSE(w.issue(kAct, 16, kRow, Time{19999}));
  EXPECT_TRUE(w.issue(kAct, 16, kRow, Time{20000}));
  EXPECT_FALSE(w.issue(kAct, 20, kRow, Time{20000} + c.tRRD_S - Time{1}));
  EXPECT_TRUE(w.issue(kAct, 20, kRow, Time{20000} + c.tRRD_S));
  EXPECT_TRUE(w.issue(kAct, kOtherRank, kRow, Time{20000} + c.tRRD_S + c.command));  // own window
}
TEST_F(DramTimingTest, ReadToReadSameGroup) {
  open(kBank, Time{0});
  open(kSameGroup, Time{10000});
  ASSERT_TRUE(t.issue(kRd, kBank, 0, Time{100000}));
  legal_from(kRd, kSameGroup, Time{100000} + c.tCCD_L);
}
TEST_F(DramTimingTest, ReadToReadOtherGroup) {
  open(kBank, Time{0});
  open(kOtherGroup, Time{10000});
  ASSERT_TRUE(t.issue(kRd, kBank, 0, Time{100000}));
  legal_from(kRd, kOtherGroup, Time{100000} + std::max(c.tCCD_S, burst));
}
TEST_F(DramTimingTest, ReadToReadOtherRank) {
  open(kBank, Time{0});
  open(kOtherRank, Time{10000});
  ASSERT_TRUE(t.issue(kRd, kBank, 0, Time{100000}));
  legal_from(kRd, kOtherRank, Time{100000} + burst + c.turnaround);
}
TEST_F(DramTimingTest, WriteToWriteSameGroup) {
  open(kBank, Time{0});
  open(kSameGroup, Time{10000});
  ASSERT_TRUE(t.issue(kWr, kBank, 0, Time{100000}));
  legal_from(kWr, kSameGroup, Time{100000} + c.tCCD_L_WR2);
}
TEST_F(DramTimingTest, WriteToMaskedWriteSameGroup) {
  open(kBank, Time{0});
  open(kSameGroup, Time{10000});
  ASSERT_TRUE(t.issue(kWr, kBank, 0, Time{100000}));
  legal_from(kMasked, kSameGroup, Time{100000} + c.tCCD_L_WR);
}
TEST_F(DramTimingTest, WriteToWriteOtherGroup) {
  open(kBank, Time{0});
  open(kOtherGroup, Time{10000});
  ASSERT_TRUE(t.issue(kWr, kBank, 0, Time{100000}));
  legal_from(kWr, kOtherGroup, Time{100000} + std::max(c.tCCD_S, burst));
}
TEST_F(DramTimingTest, WriteToReadSameGroup) {
  open(kBank, Time{0});
  open(kSameGroup, Time{10000});
  ASSERT_TRUE(t.issue(kWr, kBank, 0, Time{100000}));
  legal_from(kRd, kSameGroup, Time{100000} + c.tCWL + burst + c.tWTR_L);
}
TEST_F(DramTimingTest, WriteToReadOtherGroup) {
  open(kBank, Time{0});
  open(kOtherGroup, Time{10000});
  ASSERT_TRUE(t.issue(kWr, kBank, 0, Time{100000}));
  legal_from(kRd, kOtherGroup, Time{100000} + c.tCWL + burst + c.tWTR_S);
}
TEST_F(DramTimingTest, ReadToWrite) {
  open(kBank, Time{0});
  ASSERT_TRUE(t.issue(kRd, kBank, 0, Time{100000}));
  legal_from(kWr, kBank, Time{100000} + c.tCL + burst + c.turnaround - c.tCWL);
}
TEST_F(DramTimingTest, WriteToReadOtherRank) {
  open(kBank, Time{0});
  open(kOtherRank, Time{10000});
  ASSERT_TRUE(t.issue(kWr, kBank, 0, Time{100000}));
  legal_from(kRd, kOtherRank, Time{100000} + c.tCWL + burst + c.turnaround - c.tCL);
}
TEST_F(DramTimingTest, ReadToPrecharge) {
  open(kBank, Time{0});
  ASSERT_TRUE(t.issue(kRd, kBank, 0, Time{100000}));
  legal_from(kPre, kBank, Time{100000} + c.tRTP);
}
TEST_F(DramTimingTest, WriteToPrecharge) {
  open(kBank, Time{0});
  ASSERT_TRUE(t.issue(kWr, kBank, 0, Time{100000}));
  legal_from(kPre, kBank, Time{100000} + c.tCWL + burst + c.tWR);
}
TEST_F(DramTimingTest, CommandBusTakesOneCommand) {
  open(kBank, Time{0});
  legal_from(kAct, kOtherRank, c.command);
}

TEST_F(DramTimingTest, RefreshClosesRowsAndBlocksTheRank) {
  open(kBank, Time{0});
  const Time due = t.refresh_due(0);
  EXPECT_EQ(due.ps, c.tREFI.ps / c.ranks);  // ranks take turns within tREFI
  const Time at = t.refresh(0);
  EXPECT_EQ(at, due + c.tRP);  // the row was open: precharge at the due time
  EXPECT_EQ(t.open_row(kBank), DramTiming::kClosed);
  EXPECT_EQ(t.refresh_due(0), due + c.tREFI);
  legal_from(kAct, kOtherGroup, at + c.tRFC);
}
TEST_F(DramTimingTest, RefreshWaitsForAWriteToRecover) {
  const Time due = t.refresh_due(0);
  open(kBank, due - c.tRCD - Time{1});
  ASSERT_TRUE(t.issue(kWr, kBank, 0, due - Time{1}));
  EXPECT_EQ(t.refresh(0), due - Time{1} + c.tCWL + burst + c.tWR + c.tRP);
}
TEST_F(DramTimingTest, CatchUpSkipsIdleRefreshes) {
  const Time due = t.refresh_due(0);
  open(kBank, Time{0});
  const Time now = due + c.tREFI * 1000000 + Time{1000};  // 3.9 s later
  t.catch_up(0, now);
  EXPECT_EQ(t.refresh_due(0), due + c.tREFI * 1000001);
  legal_from(kAct, kBank, due + c.tREFI * 1000000 + c.tRFC);
}

// ---- auto-precharge ----------------------------------------------------------------------------

TEST_F(DramTimingTest, ReadWithAutoPrechargeToActivate) {
  open(kBank, Time{0});
  ASSERT_TRUE(t.issue(kRd, kBank, 0, Time{100000}, true));
  EXPECT_EQ(t.open_row(kBank), DramTiming::kClosed);
  legal_from(kAct, kBank, Time{100000} + c.tRTP + c.tRP);
}
TEST_F(DramTimingTest, EarlyReadWithAutoPrechargeKeepsTheRowCycle) {
  open(kBank, Time{0});
  ASSERT_TRUE(t.issue(kRd, kBank, 0, c.tRCD, true));  // tRCD + tRTP is over before tRAS
  ASSERT_LT(c.tRCD + c.tRTP, c.tRAS);
  legal_from(kAct, kBank, c.tRAS + c.tRP);
}
TEST_F(DramTimingTest, WriteWithAutoPrechargeToActivate) {
  open(kBank, Time{0});
  ASSERT_TRUE(t.issue(kWr, kBank, 0, Time{100000}, true));
  legal_from(kAct, kBank, Time{100000} + c.tCWL + burst + c.tWR + c.tRP);
}

// ---- same-bank and per-bank refresh ------------------------------------------------------------

class PartRefreshTest : public DramTimingTest {
 protected:
  void use(DramRefresh kind) {
    c.refresh = kind;
    t = DramTiming(c);
  }
};

TEST_F(PartRefreshTest, SameBankTakesOneBankOfEveryGroup) {
  use(DramRefresh::SameBank);
  const Time due = t.refresh_due(0);
  EXPECT_EQ(due.ps, c.tREFIsb.ps / c.ranks);
  EXPECT_EQ(t.refresh(0), due);  // nothing was open
  EXPECT_EQ(t.refresh_due(0), due + c.tREFIsb);
  for (std::uint32_t bank = 0; bank < 32; ++bank) {
    EXPECT_EQ(t.bank_ready(kAct, bank), bank % 4 == 0 ? due + c.tRFCsb : Time{0}) << bank;
  }
}
TEST_F(PartRefreshTest, RefreshedBankOpensAfterTRfcSb) {
  use(DramRefresh::SameBank);
  const Time at = t.refresh(0);
  legal_from(kAct, kBank, at + c.tRFCsb);
}
TEST_F(PartRefreshTest, OtherBanksOpenAfterTRefSbRd) {
  use(DramRefresh::SameBank);
  const Time at = t.refresh(0);
  legal_from(kAct, kSameGroup, at + c.tREFSBRD);
}
TEST_F(PartRefreshTest, OtherRankDoesNotWait) {
  use(DramRefresh::SameBank);
  const Time at = t.refresh(0);
  EXPECT_TRUE(t.issue(kAct, kOtherRank, kRow, at));
}
TEST_F(PartRefreshTest, OpenRowsOfOtherBanksStayOpen) {
  use(DramRefresh::SameBank);
  open(kSameGroup, Time{0});
  const Time at = t.refresh(0);
  EXPECT_EQ(t.open_row(kSameGroup), kRow);
  legal_from(kRd, kSameGroup, Time{c.tRCD});
  EXPECT_LT(c.tRCD, at);
}
TEST_F(PartRefreshTest, BanksTakeTurns) {
  use(DramRefresh::SameBank);
  for (std::uint32_t i = 0; i < 8; ++i) {
    const Time at = t.refresh(0);
    EXPECT_EQ(at, Time{c.tREFIsb.ps / c.ranks} + c.tREFIsb * i);
    EXPECT_EQ(t.bank_ready(kAct, 28 + i % 4), at + c.tRFCsb);
  }
}
TEST_F(PartRefreshTest, AnOpenRowPutsTheCommandOffButOthersMayOpenUntilThen) {
  use(DramRefresh::SameBank);
  open(kBank, Time{0});
  const Time due = t.refresh_due(0), at = t.refresh(0);
  EXPECT_EQ(at, due + c.tRP);
  EXPECT_EQ(t.open_row(kBank), DramTiming::kClosed);
  EXPECT_EQ(t.bank_ready(kAct, kBank), at + c.tRFCsb);
  EXPECT_EQ(t.refresh_due(0), at);  // the command itself
  EXPECT_TRUE(t.issue(kAct, kSameGroup, kRow, due));
  EXPECT_EQ(t.refresh(0), at);
  EXPECT_EQ(t.refresh_due(0), due + c.tREFIsb);
  legal_from(kAct, kOtherGroup + 1, at + c.tREFSBRD);
}
TEST_F(PartRefreshTest, PerBankTakesOneBank) {
  use(DramRefresh::PerBank);
  const Time at = t.refresh(1);
  EXPECT_EQ(at.ps, c.tREFIsb.ps);
  legal_from(kAct, kOtherRank + 1, at + c.tREFSBRD);
  legal_from(kAct, kOtherRank, at + c.tRFCsb);
  for (std::uint32_t i = 1; i < 32; ++i) {
    const Time next = t.refresh(1);
    EXPECT_EQ(t.bank_ready(kAct, kOtherRank + i), next + c.tRFCsb);
    if (t.refresh_due(1) == next) (void)t.refresh(1);  // bank 1 was open
  }
}
TEST_F(PartRefreshTest, CatchUpClosesAllAndKeepsTheTurn) {
  for (const DramRefresh kind : {DramRefresh::SameBank, DramRefresh::PerBank}) {
    use(kind);
    const std::uint32_t sets = kind == DramRefresh::SameBank ? 4 : 32;
    for (std::uint32_t bank = 0; bank < 32; ++bank) {
      open(bank, std::max(t.earliest(kAct, bank), c.tRRD_L * bank));
    }
    const Time due = t.refresh_due(0);
    const std::uint64_t n = sets * 100000ull + 2;  // the last of them is of set 2
    t.catch_up(0, due + c.tREFIsb * n + c.tRP);
    EXPECT_EQ(t.refresh_due(0), due + c.tREFIsb * (n + 1));
    for (std::uint32_t bank = 0; bank < 32; ++bank) {
      EXPECT_EQ(t.open_row(bank), DramTiming::kClosed) << bank;
    }
    EXPECT_EQ(t.bank_ready(kAct, 2), due + c.tREFIsb * n + c.tRFCsb);
    legal_from(kAct, 2, due + c.tREFIsb * n + c.tRFCsb);
  }
}

// ---- a part with short bursts and a row command bus --------------------------------------------

class HbmTimingTest : public ::testing::Test {
 protected:
  DramConfig c = std::get<DramConfig>(media_test::part("hbm3").params);
  DramTiming t{c};
};

TEST_F(HbmTimingTest, BurstIsHalfALine) {
  EXPECT_EQ(t.burst().ps, 1250u);  // 8 beats of 156.25 ps
}
TEST_F(HbmTimingTest, RowAndColumnCommandsDoNotWaitForEachOther) {
  ASSERT_TRUE(t.issue(kAct, 0, kRow, Time{0}));
  ASSERT_TRUE(t.issue(kRd, 0, kRow, Time{100000}));
  EXPECT_TRUE(t.issue(kAct, 16, kRow, Time{100000}));  // other stack ID, same time
  EXPECT_FALSE(t.issue(kAct, 20, kRow, Time{100000} + c.command - Time{1}));
}
TEST_F(HbmTimingTest, SecondBurstOfALine) {
  ASSERT_TRUE(t.issue(kAct, 0, kRow, Time{0}));
  ASSERT_TRUE(t.issue(kRd, 0, kRow, Time{100000}));
  EXPECT_FALSE(t.issue(kRd, 0, kRow, Time{100000} + c.tCCD_L - Time{1}));
  EXPECT_TRUE(t.issue(kRd, 0, kRow, Time{100000} + c.tCCD_L));
}

TEST(BusTime, NeverRoundsToZero) {
  for (const std::uint64_t rate : {1ull, 1000ull, 5600ull, 999983ull, 1000000ull}) {
    for (const std::uint64_t width : {8ull, 32ull, 512ull}) {
      EXPECT_GT(bus_time(1, width, rate).ps, 0u);
      EXPECT_GT(bus_time(64, width, rate).ps, 0u);
    }
  }
  EXPECT_GT(bus_time(1, 512, 1000000000).ps, 0u);
  EXPECT_EQ(bus_time(64, 32, 5600).ps, 2858u);  // 16 beats of 178.57 ps
  EXPECT_EQ(bus_time(256, 8, 1000).ps, 256000u);
  EXPECT_EQ(bus_time(0, 8, 1000).ps, 0u);
}

// What a command would do to the limits of others is what it does when it is issued.
TEST_F(DramTimingTest, ForeseenLimitsAreThoseAfterTheCommand) {
  constexpr std::array<DramCommand, 5> kAll = {kAct, kPre, kRd, kWr, kMasked};
  for (const char* name : {"dram", "dram-46", "hbm3"}) {
    const DramConfig config = std::get<DramConfig>(media_test::part(name).params);
    DramTiming timing(config);
    std::mt19937_64 random(1);
    const auto some = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    std::uint64_t raised = 0;
    for (int i = 0; i < 4000; ++i) {
      const std::uint32_t bank = some(timing.banks()), other = some(timing.banks());
      DramCommand command = kAct;
      if (timing.open_row(bank) != DramTiming::kClosed) command = kAll[1 + some(4)];
      const auto next = timing.limits(kAll[some(5)], other);
      const Time at = timing.earliest(command, bank) + Time{some(3) * 1000};
      const Time before = timing.shared_ready(next);
      const Time foreseen = timing.shared_ready_after(command, bank, at, next);
      ASSERT_TRUE(timing.issue(command, bank, kRow, at));
      ASSERT_EQ(foreseen.ps, timing.shared_ready(next).ps) << name << " " << i;
      raised += foreseen > before ? 1 : 0;
    }
    EXPECT_GT(raised, 1000u);
  }
}

}  // namespace
}  // namespace cxlgpu
