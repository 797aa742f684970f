// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// transaction_table: the twin in lockstep with the RTL, and its corners by hand.
#include "refmodel/endpoint/transaction_table.hpp"

#include <algorithm>
#include <array>

#include "Vtransaction_table.h"
#include "tests/common/sys_bits.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_endpoint.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr unsigned kDepth = 32;

class Pair {
 public:
  Pair() { rtl_.reset(); }

  Lockstep lockstep{"endpoint/transaction_table", 0x7ab1e};

  [[nodiscard]] const TransactionTable& twin() const { return twin_; }

  // One cycle: outputs compared, then the edge. The outputs are those before the edge.
  TransactionTable::Out step(const TransactionTable::In& in) {
    const TransactionTable::Access& a = in.alloc_access;
    rtl_->alloc_i = in.alloc;
    rtl_->alloc_wait_i = in.alloc_waits;
    rtl_->alloc_write_i = a.write;
    rtl_->alloc_tag_i = in.alloc_tag;
    rtl_->alloc_line_i = a.line;
    rtl_->alloc_slot_i = a.slot;
    rtl_->alloc_mshr_i = a.mshr;
    rtl_->alloc_be_i = a.byte_enable;
    test::set_line(rtl_->alloc_data_i, 0, a.data);
    rtl_->alloc_poison_i = a.poison;
    rtl_->fill_done_i = in.fill_done;
    rtl_->fill_mshr_i = in.fill_mshr;
    rtl_->wake_ready_i = in.wake_ready;
    rtl_->issue_index_i = in.issue_index;
    rtl_->answer_index_i = in.answer_index;
    rtl_->release_i = in.release;
    const TransactionTable::Out out = compare(in);
    if (!lockstep.ok()) return out;
    twin_.clock(in);
    rtl_.edge();
    return out;
  }
  // The reset is asynchronous: the outputs follow it before any edge.
  void reset() {
    twin_ = TransactionTable(kDepth);
    rtl_->rst_ni = 0;
    compare({});
    rtl_.reset();
  }

 private:
  TransactionTable::Out compare(const TransactionTable::In& in) {
    rtl_.settle();
    const TransactionTable::Out out = twin_.eval(in);
    lockstep.check("free_o", rtl_->free_o, out.free);
    lockstep.check("free_index_o", rtl_->free_index_o, out.free_index);
    lockstep.check("wake_valid_o", rtl_->wake_valid_o, out.wake_valid);
    lockstep.check("wake_index_o", rtl_->wake_index_o, out.wake_index);
    lockstep.check("wake_write_o", rtl_->wake_write_o, out.wake.write);
    lockstep.check("wake_line_o", rtl_->wake_line_o, out.wake.line);
    lockstep.check("wake_slot_o", rtl_->wake_slot_o, out.wake.slot);
    lockstep.check("wake_mshr_o", rtl_->wake_mshr_o, out.wake.mshr);
    lockstep.check("wake_be_o", rtl_->wake_be_o, out.wake.byte_enable);
    lockstep.check_bytes("wake_data_o", test::get_line(rtl_->wake_data_o), out.wake.data);
    lockstep.check("wake_poison_o", rtl_->wake_poison_o, out.wake.poison);
    lockstep.check("busy_o", rtl_->busy_o, out.busy);
    if (out.issue_tag) lockstep.check("issue_tag_o", rtl_->issue_tag_o, *out.issue_tag);
    if (out.answer_tag) lockstep.check("answer_tag_o", rtl_->answer_tag_o, *out.answer_tag);
    if (out.answer_line) lockstep.check("answer_line_o", rtl_->answer_line_o, *out.answer_line);
    return out;
  }

  TransactionTable twin_{kDepth};
  Clocked<Vtransaction_table> rtl_;
};

// One of eight numbers, which differ from each other in one or two bits, the highest too.
std::uint8_t random_mshr(Random& random) {
  return random.pick(std::array<std::uint8_t, 8>{0x00, 0x01, 0x10, 0x20, 0x40, 0x80, 0x81, 0xff});
}

TransactionTable::Access random_access(Random& random) {
  return {.line = random.bits(46),
          .write = random.percent(50),
          .slot = static_cast<std::uint16_t>(random.bits(16)),
          .mshr = random_mshr(random),
          .byte_enable = test::random_byte_enables(random, 70),
          .data = test::random_line(random),
          .poison = random.percent(50)};
}

// What met in a cycle: told by what was asked of the table, not by its twin.
class Pairs {
 public:
  void look(const TransactionTable::In& in, const TransactionTable::Out& out) {
    const auto number = [](auto value) { return static_cast<unsigned>(value); };
    using enum coverage::TableTakes;
    const std::uint8_t mshr = in.alloc_access.mshr;
    const auto takes = !in.alloc                              ? Nothing
                       : !in.alloc_waits                      ? NotWaiting
                       : in.fill_done && mshr == in.fill_mshr ? WaitingForTheFill
                                                              : Waiting;
    const auto wakes = std::count(waits_.begin(), waits_.end(), int{in.fill_mshr});
    const auto fill = !in.fill_done ? coverage::TableFill::None
                      : wakes == 0  ? coverage::TableFill::WakesNone
                      : wakes == 1  ? coverage::TableFill::WakesOne
                                    : coverage::TableFill::WakesSeveral;
    const bool of_fill = in.fill_done && out.wake.mshr == in.fill_mshr;
    const auto wake = !out.wake_valid  ? coverage::TableWake::None
                      : !in.wake_ready ? coverage::TableWake::Stalled
                      : of_fill        ? coverage::TableWake::TakenOfTheFill
                                       : coverage::TableWake::Taken;
    pairs_.hit({number(takes), number(fill), number(wake), in.release});
    const auto level = used_ == 0            ? coverage::TableLevel::Empty
                       : used_ == 1          ? coverage::TableLevel::One
                       : used_ == kDepth - 1 ? coverage::TableLevel::OneFree
                       : used_ == kDepth     ? coverage::TableLevel::Full
                                             : coverage::TableLevel::Some;
    levels_.hit({in.alloc, in.release, number(level)});
    EXPECT_EQ(out.free, used_ < kDepth);
    if (in.fill_done) std::replace(waits_.begin(), waits_.end(), int{in.fill_mshr}, kNot);
    if (in.alloc) waits_[out.free_index] = takes == Waiting ? mshr : kNot;
    used_ += in.alloc;
    used_ -= in.release;
  }
  void reset() {
    waits_.fill(kNot);
    used_ = 0;
  }

 private:
  static constexpr int kNot = -1;  // waits for no fill
  test::TestCoverage pairs_{coverage::transaction_table_pairs()};
  test::TestCoverage levels_{coverage::transaction_table_levels()};
  std::array<int, kDepth> waits_ = [] {
    std::array<int, kDepth> none;
    none.fill(kNot);
    return none;
  }();
  unsigned used_ = 0;
};

TEST(TransactionTable, LockstepWithRtl) {
  Pair pair;
  Pairs pairs;
  Random random(pair.lockstep.seed());
  unsigned allocs = 50, waits = 50, fills = 50, wakes = 50, releases = 50;  // percent
  std::uint64_t full = 0, woken = 0, alloc_in_fill = 0, wake_in_fill = 0, overtaken = 0;
  TransactionTable::In in;
  TransactionTable::Out last;
  while (pair.lockstep.next()) {
    if (pair.lockstep.cycle() % 256 == 0) {
      allocs = random.pick(std::array{20u, 60u, 100u});
      waits = random.pick(std::array{10u, 50u, 90u});
      fills = random.pick(std::array{5u, 30u, 100u});
      wakes = random.pick(std::array{10u, 60u, 100u});
      releases = random.pick(std::array{10u, 60u, 100u});
    }
    const bool stalled = last.wake_valid && !in.wake_ready;
    in.alloc = pair.twin().eval({}).free && random.percent(allocs);
    in.alloc_waits = random.percent(waits);
    in.alloc_tag = static_cast<std::uint16_t>(random.bits(16));
    if (in.alloc || random.percent(10)) in.alloc_access = random_access(random);
    in.fill_done = random.percent(fills);
    in.fill_mshr = random_mshr(random);
    in.wake_ready = random.percent(wakes);
    in.issue_index = static_cast<unsigned>(random.below(kDepth));
    in.answer_index = static_cast<unsigned>(random.below(kDepth));
    // What rarely meets by chance: the fill of the MSHR whose waiter is offered, and an entry that
    // may be freed.
    if (const auto offered = pair.twin().eval({}); offered.wake_valid && random.percent(40)) {
      in.fill_mshr = offered.wake.mshr;
      if (random.percent(40)) in.alloc_access.mshr = offered.wake.mshr;
    }
    for (unsigned i = 0; i < kDepth && random.percent(96); ++i) {
      if (pair.twin().may_release(in.answer_index)) break;
      in.answer_index = (in.answer_index + 1) % kDepth;
    }
    in.release = pair.twin().may_release(in.answer_index) && random.percent(releases);
    const TransactionTable::Out out = pair.step(in);
    full += !out.free;
    woken += out.wake_valid && in.wake_ready;
    alloc_in_fill +=
        in.alloc && in.alloc_waits && in.fill_done && in.alloc_access.mshr == in.fill_mshr;
    wake_in_fill +=
        out.wake_valid && in.wake_ready && in.fill_done && out.wake.mshr == in.fill_mshr;
    overtaken += stalled && out.wake_valid && out.wake_index != last.wake_index;
    pairs.look(in, out);
    last = out;
    if (random.below(5000) == 0) {
      pair.reset();
      pairs.reset();
      last = {};
    }
  }
  if (pair.lockstep.cycle() > 100000) {
    EXPECT_GT(full, 5000u);
    EXPECT_GT(woken, 10000u);
    EXPECT_GT(alloc_in_fill, 500u);
    EXPECT_GT(wake_in_fill, 500u);
    EXPECT_GT(overtaken, 500u);
  }
}

Line line_of_byte(std::uint8_t byte) {
  Line line;
  line.fill(byte);
  return line;
}

// An access that waits for `mshr`; the byte tells accesses apart.
TransactionTable::In waiter(std::uint8_t byte, bool write, std::uint8_t mshr) {
  TransactionTable::In in;
  in.alloc = in.alloc_waits = true;
  in.alloc_tag = byte;
  in.alloc_access = {.line = byte * 3ull,
                     .write = write,
                     .slot = static_cast<std::uint16_t>(byte * 5),
                     .mshr = mshr,
                     .byte_enable = 0xf0f0ull + byte,
                     .data = line_of_byte(byte)};
  return in;
}
TransactionTable::In fill(std::uint8_t mshr) {
  TransactionTable::In in;
  in.fill_done = true;
  in.fill_mshr = mshr;
  return in;
}
TransactionTable::In take_wake() {
  TransactionTable::In in;
  in.wake_ready = true;
  return in;
}
TransactionTable::In release(unsigned index) {
  TransactionTable::In in;
  in.release = true;
  in.answer_index = index;
  return in;
}

TEST(TransactionTable, AllocationInTheCycleOfItsFillIsReady) {
  Pair pair;
  TransactionTable::In in = waiter(11, true, 6);
  in.fill_done = true;
  in.fill_mshr = 6;
  EXPECT_FALSE(pair.step(in).wake_valid);
  const TransactionTable::Out out = pair.step(take_wake());
  EXPECT_TRUE(out.wake_valid);
  EXPECT_EQ(out.wake_index, 0u);
  EXPECT_TRUE(out.wake.write);
  EXPECT_EQ(out.wake.line, 33u);
  EXPECT_EQ(out.wake.slot, 55u);
  EXPECT_EQ(out.wake.mshr, 6u);
  EXPECT_EQ(out.wake.byte_enable, 0xf0f0u + 11);
  EXPECT_EQ(out.wake.data, line_of_byte(11));
  EXPECT_FALSE(pair.step({}).wake_valid);
}

TEST(TransactionTable, AnAccessThatDoesNotWaitIsNeverWoken) {
  Pair pair;
  TransactionTable::In in = waiter(1, false, 6);
  in.alloc_waits = false;
  in.fill_done = true;
  in.fill_mshr = 6;
  pair.step(in);
  EXPECT_FALSE(pair.step(fill(6)).wake_valid);
  EXPECT_FALSE(pair.step(release(0)).wake_valid);
  EXPECT_EQ(pair.step({}).free_index, 0u);
}

TEST(TransactionTable, WakeBeatsFill) {
  Pair pair;
  pair.step(waiter(1, false, 9));
  pair.step(fill(9));
  pair.step(waiter(2, false, 9));  // waits for a second fill of the same MSHR number
  TransactionTable::In in = fill(9);
  in.wake_ready = true;
  TransactionTable::Out out = pair.step(in);
  EXPECT_TRUE(out.wake_valid);
  EXPECT_EQ(out.wake_index, 0u);
  out = pair.step(take_wake());  // entry 1 is ready, entry 0 is not offered again
  EXPECT_TRUE(out.wake_valid);
  EXPECT_EQ(out.wake_index, 1u);
  EXPECT_FALSE(pair.step(fill(9)).wake_valid);
  out = pair.step(release(0));  // still used until released
  EXPECT_FALSE(out.wake_valid);
  EXPECT_EQ(out.free_index, 2u);
  EXPECT_EQ(pair.step({}).free_index, 0u);
}

TEST(TransactionTable, AReadIsOfferedWithoutEnablesAndData) {
  Pair pair;
  pair.step(waiter(77, false, 3));
  pair.step(fill(3));
  const TransactionTable::Out out = pair.step({});
  EXPECT_TRUE(out.wake_valid);
  EXPECT_FALSE(out.wake.write);
  EXPECT_EQ(out.wake.line, 231u);
  EXPECT_EQ(out.wake.byte_enable, 0u);
  EXPECT_EQ(out.wake.data, Line{});
}

TEST(TransactionTable, AllEightBitsOfTheMshrCount) {
  for (unsigned bit = 0; bit < 8; ++bit) {
    Pair pair;
    pair.step(waiter(1, false, 0x5a));
    pair.step(fill(static_cast<std::uint8_t>(0x5a ^ 1u << bit)));
    EXPECT_FALSE(pair.step(fill(0x5a)).wake_valid);
    EXPECT_TRUE(pair.step({}).wake_valid);
  }
}

// The RTL alone, by hand: a waiting write keeps its poison, a read never has any; busy while an
// entry is used.
TEST(TransactionTable, PoisonOfAWaitingWrite) {
  Clocked<Vtransaction_table> rtl;
  rtl.reset();
  EXPECT_FALSE(rtl->busy_o);
  const auto alloc = [&rtl](bool write, bool poison) {
    rtl->alloc_i = rtl->alloc_wait_i = 1;
    rtl->alloc_write_i = write;
    rtl->alloc_poison_i = poison;
    rtl->alloc_mshr_i = 9;
    rtl.edge();
    rtl->alloc_i = 0;
    EXPECT_TRUE(rtl->busy_o);
    EXPECT_FALSE(rtl->wake_poison_o) << "nothing is offered";
  };
  alloc(true, true);
  alloc(false, true);
  alloc(true, false);
  alloc(true, true);
  rtl->fill_done_i = 1;
  rtl->fill_mshr_i = 9;
  rtl.edge();
  rtl->fill_done_i = 0;
  for (unsigned index = 0; index < 4; ++index) {
    rtl.settle();
    EXPECT_EQ(rtl->wake_index_o, index);
    EXPECT_EQ(rtl->wake_poison_o, index == 0 || index == 3) << index;
    rtl->wake_ready_i = 1;
    rtl.edge();
  }
  EXPECT_FALSE(rtl->wake_poison_o);
  rtl->release_i = 1;
  for (unsigned index = 0; index < 4; ++index) {
    EXPECT_TRUE(rtl->busy_o) << index;
    rtl->answer_index_i = index;
    rtl.edge();
  }
  EXPECT_FALSE(rtl->busy_o);
}

TEST(TransactionTable, ALowerEntryReplacesAStalledOffer) {
  Pair pair;
  pair.step(waiter(1, false, 1));
  pair.step(waiter(2, false, 2));
  pair.step(fill(2));
  EXPECT_EQ(pair.step(fill(1)).wake_index, 1u);  // stalled
  EXPECT_EQ(pair.step(take_wake()).wake_index, 0u);
  EXPECT_EQ(pair.step(take_wake()).wake_index, 1u);
  EXPECT_FALSE(pair.step({}).wake_valid);
}

TEST(TransactionTable, LowestFreeEntryAndRoomOnlyTheCycleAfterARelease) {
  Pair pair;
  for (unsigned i = 0; i < kDepth; ++i) {
    TransactionTable::In in = waiter(static_cast<std::uint8_t>(i), false, 0);
    in.alloc_waits = false;
    EXPECT_EQ(pair.step(in).free_index, i);
  }
  TransactionTable::Out out = pair.step(release(20));
  EXPECT_FALSE(out.free);
  EXPECT_EQ(out.free_index, 0u);
  EXPECT_EQ(out.answer_tag, 20u);
  EXPECT_EQ(out.answer_line, 60u);
  TransactionTable::In both = release(7);
  both.alloc = true;
  both.alloc_tag = 500;
  both.issue_index = 20;
  EXPECT_EQ(pair.step(both).free_index, 20u);
  TransactionTable::In look;
  look.issue_index = 20;
  out = pair.step(look);
  EXPECT_EQ(out.issue_tag, 500u);
  EXPECT_EQ(out.free_index, 7u);
}

}  // namespace
}  // namespace cxlgpu
