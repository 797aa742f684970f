// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ras: the twin in lockstep with the RTL, and its rules by hand on both.
#include "refmodel/controller/ras.hpp"

#include <array>

#include "Vras.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/controller/ras_meetings.hpp"
#include "tests/controller/ras_world.hpp"

namespace cxlgpu {
namespace {

namespace reg = regs::ras;
using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr unsigned kLogWords = 16;  // as the RTL's default
constexpr std::uint32_t kUncorBits = 0x1cfff;
constexpr std::uint32_t kCorBits = 0x7f;

// Twin and RTL, one cycle a step.
class Pair {
 public:
  explicit Pair(std::uint64_t seed) : lockstep("controller/ras", seed) { rtl_.reset(); }

  Lockstep lockstep;

  // One cycle: outputs compared, then the edge. The outputs are those before the edge.
  Ras::Out step(const Ras::In& in) {
    test::set_bits(rtl_->reg_req_i, 49, 1, in.valid);
    test::set_bits(rtl_->reg_req_i, 48, 1, in.write);
    test::set_bits(rtl_->reg_req_i, 32, 16, in.addr);
    test::set_bits(rtl_->reg_req_i, 0, 32, in.wdata);
    rtl_->uncor_i = in.uncor;
    for (unsigned k = 0; k < kLogWords; ++k) {
      test::set_bits(rtl_->log_flit_i, std::size_t{32} * k, 32, in.log_flit[k]);
    }
    for (unsigned k = 0; k < in.log_header.size(); ++k) {
      test::set_bits(rtl_->log_header_i, std::size_t{32} * k, 32, in.log_header[k]);
    }
    rtl_->log_overflow_i = in.log_overflow;
    test::set_bits(rtl_->cor_i, 0, 7, in.cor);
    rtl_->poison_i = in.poison;
    rtl_->crc_i = in.crc;
    rtl_->retry_i = in.retry;
    const Ras::Out out = compare(in);
    if (!lockstep.ok()) return out;
    meetings_.look(*rtl_, in);
    twin_.clock(in);
    rtl_.edge();
    return out;
  }
  // The reset is asynchronous: the outputs follow it before any edge.
  void reset() {
    twin_ = Ras();
    rtl_->rst_ni = 0;
    compare({});
    rtl_.reset();
  }

 private:
  Ras::Out compare(const Ras::In& in) {
    rtl_.settle();
    const Ras::Out out = twin_.eval(in);
    lockstep.check("reg_rdata_o", rtl_->reg_rdata_o, out.rdata);
    lockstep.check("cor_o", rtl_->cor_o, out.cor);
    lockstep.check("nonfatal_o", rtl_->nonfatal_o, out.nonfatal);
    lockstep.check("fatal_o", rtl_->fatal_o, out.fatal);
    return out;
  }

  test::RasMeetings meetings_;
  Ras twin_;
  Clocked<Vras> rtl_;
};

bool writes(const Ras::In& in, std::uint32_t offset) {
  return in.valid && in.write && (in.addr & 0x7c) == offset;
}

TEST(Ras, LockstepWithRtl) {
  Pair pair(0x4a5);
  Random random(pair.lockstep.seed());
  test::RasWorld world;
  Ras::In before;
  std::uint64_t cor = 0, nonfatal = 0, fatal = 0, both = 0, by_crc = 0, by_retry = 0;
  std::uint64_t by_poison = 0, set_and_cleared = 0, beyond = 0, log_read = 0;
  while (pair.lockstep.next()) {
    const Ras::In in = world.step(random);
    const Ras::Out out = pair.step(in);
    cor += out.cor;
    nonfatal += out.nonfatal;
    fatal += out.fatal;
    both += out.nonfatal && out.fatal;
    const bool alone = out.cor && before.cor == 0;
    by_crc += alone && !before.poison && !before.retry;
    by_retry += alone && !before.poison && !before.crc;
    by_poison += alone && before.poison && !before.crc && !before.retry;
    set_and_cleared += writes(in, reg::kUncorStatus) && (in.uncor & in.wdata & kUncorBits) != 0;
    beyond += in.valid && !in.write && (in.addr & 0x7c) >= reg::kHeaderLog + 4 * kLogWords;
    log_read += (before.addr & 0x7c) >= reg::kHeaderLog && out.rdata != 0;
    before = in;
    if (random.below(600) == 0) {
      pair.reset();
      before = {};
    }
  }
  if (pair.lockstep.cycle() > 100000) {
    EXPECT_GT(cor, 1000u);
    EXPECT_GT(nonfatal, 1000u);
    EXPECT_GT(fatal, 1000u);
    EXPECT_GT(both, 100u);
    EXPECT_GT(by_crc, 20u);
    EXPECT_GT(by_retry, 50u);
    EXPECT_GT(by_poison, 20u);
    EXPECT_GT(set_and_cleared, 400u);
    EXPECT_GT(beyond, 1000u);
    EXPECT_GT(log_read, 1000u);
  }
}

// ---- Rules by hand, on both ----

class ByHand : public ::testing::Test {
 protected:
  static Ras::In write_of(std::uint32_t addr, std::uint32_t value) {
    return {.valid = true, .write = true, .addr = addr, .wdata = value};
  }
  void write(std::uint32_t addr, std::uint32_t value) { pair.step(write_of(addr, value)); }
  std::uint32_t read(std::uint32_t addr) {
    pair.step({.valid = true, .write = false, .addr = addr});
    return pair.step({}).rdata;
  }
  // The reports of a cycle show in the next one.
  Ras::Out reports(const Ras::In& in) {
    pair.step(in);
    return pair.step({});
  }
  // Errors with logs that `tag` names.
  static Ras::In error(std::uint32_t uncor, std::uint32_t tag = 0, Ras::In in = {}) {
    in.uncor = uncor;
    for (unsigned k = 0; k < kLogWords; ++k) in.log_flit[k] = tag << 8 | k;
    for (unsigned k = 0; k < 4; ++k) in.log_header[k] = 1u << 24 | tag << 8 | k;
    in.log_overflow = tag & 7;
    return in;
  }
  void unmask() {
    write(reg::kUncorMask, 0);
    write(reg::kCorMask, 0);
  }
  std::uint32_t first() { return read(reg::kControl) & reg::kControlFirstError.mask(); }
  void expect_first(std::uint32_t bit, std::uint32_t tag) {
    EXPECT_EQ(first(), bit);
    for (unsigned k = 0; k < kLogWords; ++k) {
      std::uint32_t word = 0;
      if (bit == 9) word = tag << 8 | k;
      if (bit == 10 && k < 4) word = 1u << 24 | tag << 8 | k;
      if (bit == 11 && k == 0) word = tag & 7;
      EXPECT_EQ(read(reg::kHeaderLog + 4 * k), word) << "bit " << bit << " word " << k;
    }
  }
  static void expect_reports(const Ras::Out& out, bool cor, bool nonfatal, bool fatal) {
    EXPECT_EQ(out.cor, cor);
    EXPECT_EQ(out.nonfatal, nonfatal);
    EXPECT_EQ(out.fatal, fatal);
  }

  Pair pair{1};
};

TEST_F(ByHand, ResetValues) {
  EXPECT_EQ(read(0x00), 0u);
  EXPECT_EQ(read(0x04), 0x1cfffu);
  EXPECT_EQ(read(0x08), 0x1cfffu);
  EXPECT_EQ(read(0x0c), 0u);
  EXPECT_EQ(read(0x10), 0x7fu);
  EXPECT_EQ(read(0x14), 0x2000u);
  for (std::uint32_t addr = 0x18; addr < 0x80; addr += 4) EXPECT_EQ(read(addr), 0u);
}

TEST_F(ByHand, OnlyTheBitsThatExistAreStored) {
  for (std::uint32_t addr = 0; addr < 0x80; addr += 4) write(addr, 0);
  for (std::uint32_t addr = 0; addr < 0x80; addr += 4) EXPECT_EQ(read(addr), 0u);
  for (std::uint32_t addr = 0; addr < 0x80; addr += 4) write(addr, ~0u);
  EXPECT_EQ(read(0x00), 0u);  // writing 1 sets no status
  EXPECT_EQ(read(0x04), 0x1cfffu);
  EXPECT_EQ(read(0x08), 0x1cfffu);
  EXPECT_EQ(read(0x0c), 0u);
  EXPECT_EQ(read(0x10), 0x7fu);
  EXPECT_EQ(read(0x14), 0x2000u);
  for (std::uint32_t addr = 0x18; addr < 0x80; addr += 4) EXPECT_EQ(read(addr), 0u);
  unmask();
  pair.step(error(0x1ffff));  // bits 12 and 13 do not exist
  EXPECT_EQ(read(reg::kUncorStatus), kUncorBits);
}

// Each status bit in each state: clear or set, the first error held or not; then in one cycle an
// event of it, masked or not, and a write of the status with its bit or with all others.
TEST_F(ByHand, EventsMeetTheirClearing) {
  enum State { kClear, kClearBehind, kSetAlone, kSetFirst, kSetBehind };
  for (unsigned bit = 0; bit < 17; ++bit) {
    const std::uint32_t it = 1u << bit, other = bit == 0 ? 2u : 1u;
    if ((it & kUncorBits) == 0) continue;
    for (const State state : {kClear, kClearBehind, kSetAlone, kSetFirst, kSetBehind}) {
      for (const unsigned meets : {0, 1, 2, 3, 4, 5, 6, 7, 8}) {
        const unsigned event = meets % 3;  // none, happens, masked
        pair.reset();
        unmask();
        const bool behind = state == kClearBehind || state == kSetAlone || state == kSetBehind;
        if (behind) pair.step(error(other));
        const bool set = state != kClear && state != kClearBehind;
        if (set) pair.step(error(it));
        if (state == kSetAlone) write(reg::kUncorStatus, other);  // the first error is gone
        write(reg::kUncorMask, event == 2 ? it : 0);
        Ras::In in = meets < 3 ? Ras::In{} : write_of(reg::kUncorStatus, meets < 6 ? it : ~it);
        if (event != 0) in.uncor = it;
        pair.step(in);
        const bool clears = meets >= 3 && meets < 6, clears_others = meets >= 6;
        const std::uint32_t expected = (event == 1 || (set && !clears) ? it : 0) |
                                       (behind && state != kSetAlone && !clears_others ? other : 0);
        EXPECT_EQ(read(reg::kUncorStatus), expected) << bit << ' ' << state << ' ' << meets;
      }
    }
  }
}

TEST_F(ByHand, AddressBitsThatDoNotCount) {
  write(0xff87, 0x155);
  EXPECT_EQ(read(0x5a06), 0x155u);
  EXPECT_EQ(read(reg::kUncorMask + 0x20), 0u);
  write(reg::kUncorMask + 0x40, 0x2aa);
  EXPECT_EQ(read(reg::kUncorMask), 0x155u);
}

TEST_F(ByHand, ReadDataIsThatBeforeTheEdgeAndZeroAfterAnyOtherCycle) {
  unmask();
  pair.step(error(1, 0, {.valid = true, .write = false, .addr = reg::kUncorStatus}));
  EXPECT_EQ(pair.step({.valid = true, .write = false, .addr = reg::kUncorStatus}).rdata, 0u);
  EXPECT_EQ(pair.step(write_of(reg::kUncorStatus, 0)).rdata, 1u);
  EXPECT_EQ(pair.step({.valid = false, .write = false, .addr = reg::kUncorStatus}).rdata, 0u);
  EXPECT_EQ(pair.step({}).rdata, 0u);
}

TEST_F(ByHand, SettingWinsOverClearing) {
  unmask();
  Ras::In in = error(0x3);
  in.cor = 0x3;
  pair.step(in);
  in = error(0x6, 0, write_of(reg::kUncorStatus, 0x3));
  pair.step(in);
  EXPECT_EQ(read(reg::kUncorStatus), 0x6u);
  in = write_of(reg::kCorStatus, 0x3);
  in.cor = 0x6;
  pair.step(in);
  EXPECT_EQ(read(reg::kCorStatus), 0x6u);
}

// CXL 2.0, 8.2.5.9.2 and 8.2.5.9.4: a masked error sets no status bit, is not logged and not
// signalled. Each bit by itself, beside one that is not masked, and all.
TEST_F(ByHand, MaskedEventsLeaveNoTrace) {
  test::shows("link", "A masked RAS error sets no status, is not logged and not signalled",
              "CXL 2.0, 8.2.5.9.2, 8.2.5.9.4");
  Ras::In in = error(0x1ffff, 5);
  in.cor = kCorBits;
  in.poison = true;
  expect_reports(reports(in), false, false, false);
  EXPECT_EQ(read(reg::kUncorStatus), 0u);
  EXPECT_EQ(read(reg::kCorStatus), 0u);
  EXPECT_EQ(first(), 0u);
  EXPECT_EQ(read(reg::kHeaderLog + 4), 0u);
  // Taking the mask away brings nothing back.
  unmask();
  expect_reports(pair.step({}), false, false, false);
  EXPECT_EQ(read(reg::kUncorStatus), 0u);
  EXPECT_EQ(read(reg::kHeaderLog + 4), 0u);
  for (unsigned bit = 0; bit < 17; ++bit) {
    const std::uint32_t other = bit == 9 ? 1u << 11 : 1u << 9;
    write(reg::kUncorMask, 1u << bit);
    expect_reports(reports(error(1u << bit | other, 3)), false, false, true);
    EXPECT_EQ(read(reg::kUncorStatus), other) << bit;
    expect_first(bit == 9 ? 11 : 9, 3);
    write(reg::kUncorStatus, ~0u);
  }
  for (unsigned bit = 0; bit < 7; ++bit) {
    write(reg::kCorMask, 1u << bit);
    in = {};
    in.cor = kCorBits;
    expect_reports(reports(in), true, false, false);
    EXPECT_EQ(read(reg::kCorStatus), kCorBits & ~(1u << bit)) << bit;
    write(reg::kCorStatus, ~0u);
  }
  // A bit that stands and is then masked stays until it is written.
  write(reg::kUncorMask, 0);
  pair.step(error(1u << 9, 4));
  write(reg::kUncorMask, 1u << 9);
  EXPECT_EQ(read(reg::kUncorStatus), 1u << 9);
  write(reg::kUncorStatus, 1u << 9);
  EXPECT_EQ(read(reg::kUncorStatus), 0u);
}

// The thresholds count behind a mask, but what is reached there is lost.
TEST_F(ByHand, ThresholdsCountBehindAMask) {
  Ras::In crc;
  crc.crc = true;
  for (unsigned n = 0; n < 256 + 255; ++n) pair.step(crc);
  EXPECT_EQ(read(reg::kCorStatus), 0u);
  unmask();
  EXPECT_EQ(read(reg::kCorStatus), 0u);
  expect_reports(reports(crc), true, false, false);
  EXPECT_EQ(read(reg::kCorStatus), 1u << 2);
}

// CXL 2.0, 8.2.5.9.6: the flit for a reserved encoding, a code for a receiver overflow.
TEST_F(ByHand, LogByKindOfError) {
  test::shows("link", "The RAS header log holds what belongs to the first error",
              "CXL 2.0, 8.2.5.9.6");
  unmask();
  for (unsigned bit = 0; bit < 17; ++bit) {
    if (bit == 12 || bit == 13) continue;
    pair.step(error(1u << bit, 0x40 + bit));
    expect_first(bit, 0x40 + bit);
    write(reg::kUncorStatus, ~0u);
  }
  pair.step(error(1u << 9 | 1u << 10 | 1u << 11, 7));
  expect_first(9, 7);
  write(reg::kUncorStatus, ~0u);
  write(reg::kUncorMask, 1u << 9);
  pair.step(error(1u << 9 | 1u << 10 | 1u << 11, 6));
  expect_first(10, 6);
}

TEST_F(ByHand, LowestUnmaskedBitIsTheFirst) {
  write(reg::kUncorMask, 0x7);
  pair.step(error(0x1ffff, 1));
  expect_first(3, 1);
  for (const unsigned bit : {16u, 15u, 14u, 11u, 0u}) {
    pair.reset();
    write(reg::kUncorMask, 0);
    pair.step(error(0x1fffe << bit & 0x1ffff, 2));
    pair.step(write_of(reg::kUncorStatus, ~0u));
    pair.step(error((1u << bit | 0x1fffe << bit | 0x3000) & 0x1ffff, 3));
    expect_first(bit, 3);
  }
}

TEST_F(ByHand, FirstErrorIsKeptWhileHeld) {
  unmask();
  pair.step(error(1u << 9, 1));
  pair.step(error(1u << 2, 2));
  expect_first(9, 1);
  write(reg::kUncorStatus, ~(1u << 9));  // another bit
  pair.step(error(1u << 1, 3));
  expect_first(9, 1);
  write(reg::kUncorMask, ~0u);  // being masked does not end it
  write(reg::kUncorMask, 0);
  pair.step(error(1u << 1, 3));
  expect_first(9, 1);
  write(reg::kCorStatus, ~0u);
  write(reg::kControl, 0);
  pair.step(error(1u << 1, 3));
  expect_first(9, 1);
}

TEST_F(ByHand, ValuesStayWhenHeldEnds) {
  unmask();
  pair.step(error(1u << 9, 1));
  write(reg::kUncorStatus, 1u << 9);
  expect_first(9, 1);
  pair.step(error(1u << 11, 2));
  expect_first(11, 2);
}

// The write ends it though the same bit is set again, which makes that the first.
TEST_F(ByHand, HeldEndsByTheWriteEvenIfTheBitIsSetAgain) {
  unmask();
  pair.step(error(1u << 9, 1));
  pair.step(error(1u << 9, 2, write_of(reg::kUncorStatus, 1u << 9)));
  expect_first(9, 2);
  EXPECT_EQ(read(reg::kUncorStatus), 1u << 9);
  // A lower bit in the cycle of the write comes before it.
  pair.step(error(1u << 9 | 1u << 4, 3, write_of(reg::kUncorStatus, 1u << 9)));
  expect_first(4, 3);
  // Set again but masked: held ends, and the next error is the first.
  write(reg::kUncorMask, 1u << 4);
  pair.step(error(1u << 4, 4, write_of(reg::kUncorStatus, 1u << 4)));
  expect_first(4, 3);
  pair.step(error(1u << 15, 5));
  expect_first(15, 5);
}

// An error seen before, whose bit still stands, can be the first.
TEST_F(ByHand, AStandingStatusBitCanBecomeTheFirst) {
  unmask();
  pair.step(error(1u << 3, 1));
  pair.step(error(1u << 5, 2));
  write(reg::kUncorStatus, 1u << 3);
  expect_first(3, 1);
  expect_reports(reports(error(1u << 5, 3)), false, false, false);
  expect_first(5, 3);
}

TEST_F(ByHand, SeverityChoosesTheReport) {
  unmask();
  write(reg::kUncorSeverity, 0x5);
  expect_reports(reports(error(0x1)), false, false, true);
  expect_reports(reports(error(0x3)), false, true, false);
  expect_reports(reports(error(0x1000c)), false, true, true);
  expect_reports(reports(error(0x1000f)), false, false, false);  // all stand
  expect_reports(reports(error(0x3000)), false, false, false);   // no such bits
}

TEST_F(ByHand, ReportsArePulsesOfNewErrors) {
  unmask();
  Ras::In in = error(0x1);
  in.cor = 0x40;
  pair.step(in);
  expect_reports(pair.step(in), true, false, true);
  expect_reports(pair.step(in), false, false, false);
  // Cleared and set in one cycle: the bit was 1, no report.
  in = error(0x1, 0, write_of(reg::kUncorStatus, 0x1));
  expect_reports(reports(in), false, false, false);
  in = write_of(reg::kCorStatus, 0x40);
  in.cor = 0x40;
  expect_reports(reports(in), false, false, false);
  // Cleared before, it is new.
  write(reg::kUncorStatus, 0x1);
  write(reg::kCorStatus, 0x40);
  in = error(0x1);
  in.cor = 0x40;
  expect_reports(reports(in), true, false, true);
}

// Settings written in the cycle of an event count from the next cycle on.
TEST_F(ByHand, SettingsAsBeforeTheEdge) {
  expect_reports(reports(error(1, 1, write_of(reg::kUncorMask, 0))), false, false, false);
  EXPECT_EQ(read(reg::kHeaderLog + 4), 0u);
  expect_reports(reports(error(2, 2, write_of(reg::kUncorMask, ~0u))), false, false, true);
  expect_first(1, 2);
  write(reg::kUncorMask, 0);
  expect_reports(reports(error(4, 2, write_of(reg::kUncorSeverity, 0))), false, false, true);
  expect_reports(reports(error(8, 2, write_of(reg::kUncorSeverity, ~0u))), false, true, false);
  Ras::In in = write_of(reg::kCorMask, 0);
  in.cor = 1;
  expect_reports(reports(in), false, false, false);
  in = write_of(reg::kCorMask, ~0u);
  in.cor = 2;
  expect_reports(reports(in), true, false, false);
  EXPECT_EQ(read(reg::kCorStatus), 2u);  // the first was masked
}

TEST_F(ByHand, PoisonIsCorrectableIfEnabled) {
  unmask();
  Ras::In in = error(0, 1, write_of(reg::kControl, 0));
  in.poison = true;
  expect_reports(reports(in), true, false, false);  // enabled still
  EXPECT_EQ(read(reg::kCorStatus), 1u << 5);
  EXPECT_EQ(read(reg::kUncorStatus), 0u);
  write(reg::kCorStatus, ~0u);
  in = error(0, 2, write_of(reg::kControl, ~0u));
  in.poison = true;
  expect_reports(reports(in), false, false, true);
  expect_first(10, 2);
  EXPECT_EQ(read(reg::kUncorStatus), 1u << 10);
  EXPECT_EQ(read(reg::kCorStatus), 0u);
}

TEST_F(ByHand, ThresholdsCountFromTheLastOne) {
  unmask();
  Ras::In crc, retry;
  crc.crc = true;
  retry.retry = true;
  struct Kind {
    Ras::In event;
    unsigned threshold;
    std::uint32_t status;
  };
  for (const Kind& kind : {Kind{crc, 256, 1u << 2}, Kind{retry, 16, 1u << 3}}) {
    for (unsigned round = 0; round < 3; ++round) {
      for (unsigned k = 1; k < kind.threshold; ++k) {
        expect_reports(reports(kind.event), false, false, false);
        // Neither the bit by itself nor its clearing disturbs the count.
        if (k == kind.threshold / 2) {
          Ras::In in;
          in.cor = kind.status;
          pair.step(in);
          write(reg::kCorStatus, ~0u);
        }
      }
      EXPECT_EQ(read(reg::kCorStatus), 0u);
      // Reached in the cycle of a write that clears: set.
      Ras::In in = kind.event;
      in.valid = in.write = true;
      in.addr = reg::kCorStatus;
      in.wdata = ~0u;
      expect_reports(reports(in), true, false, false);
      EXPECT_EQ(read(reg::kCorStatus), kind.status);
      write(reg::kCorStatus, ~0u);
    }
    // Reset begins the count again.
    for (unsigned k = 1; k < kind.threshold; ++k) pair.step(kind.event);
    pair.reset();
    unmask();
    for (unsigned k = 1; k < kind.threshold; ++k) pair.step(kind.event);
    EXPECT_EQ(read(reg::kCorStatus), 0u);
    expect_reports(reports(kind.event), true, false, false);
    write(reg::kCorStatus, ~0u);
  }
}

TEST_F(ByHand, ResetEndsHeld) {
  unmask();
  pair.step(error(1u << 9, 1));
  pair.reset();
  EXPECT_EQ(first(), 0u);
  unmask();
  pair.step(error(1u << 11, 2));
  expect_first(11, 2);
}

// ---- The twin alone: other parameters than the RTL is built with here ----

TEST(RasTwin, Parameters) {
  Ras ras({.crc_threshold = 1, .retry_threshold = 2, .log_words = 5});
  const auto step = [&](const Ras::In& in) {
    ras.clock(in);
    return ras.eval({});
  };
  step({.valid = true, .write = true, .addr = reg::kUncorMask});
  step({.valid = true, .write = true, .addr = reg::kCorMask});
  Ras::In in;
  in.uncor = 1u << 9;
  for (unsigned k = 0; k < 16; ++k) in.log_flit[k] = 100 + k;
  EXPECT_TRUE(step(in).fatal);
  for (unsigned k = 0; k < 16; ++k) {
    const Ras::In read{.valid = true, .write = false, .addr = reg::kHeaderLog + 4 * k};
    EXPECT_EQ(step(read).rdata, k < 5 ? 100 + k : 0);
  }
  EXPECT_EQ(step({.valid = true, .write = false, .addr = 0x58}).rdata, 0u);
  in = {};
  in.retry = true;
  EXPECT_FALSE(step(in).cor);
  EXPECT_TRUE(step(in).cor);
  in = {};
  in.crc = true;
  EXPECT_TRUE(step(in).cor);
}

}  // namespace
}  // namespace cxlgpu
