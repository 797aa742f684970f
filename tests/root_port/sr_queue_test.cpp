// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// sr_queue: the twin in lockstep with the RTL, and rules by hand on the RTL's outputs.
#include "refmodel/root_port/sr_queue.hpp"

#include <deque>

#include "Vsr_queue.h"
#include "tests/common/idle.hpp"
#include "tests/common/offer.hpp"
#include "tests/common/requirement.hpp"
#include "tests/common/sys_bits.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_root_port.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr unsigned kDepth = 32, kLeast = 2, kGreatest = 64;  // of sr_queue_tb.sv

// Twin and RTL, one cycle a step. What is told is the RTL's.
class Pair {
 public:
  explicit Pair(std::uint64_t seed, unsigned depth = kDepth, std::uint64_t cycles = 200'000)
      : depth(depth), lockstep("root_port/sr_queue", seed, cycles) {
    rtl->size_i = depth == kLeast ? 1 : depth == kGreatest ? 2 : 0;
    rtl.reset();
  }

  struct Seen {
    bool in_ready, head_valid, rd_valid, rd_is_load, rd_head;
    std::uint32_t head_id;
    std::uint64_t rd_line;
    unsigned rd_index, count;
    std::uint64_t loads;
  };
  Seen step(const SrQueue::In& in) {
    if (in.in_valid)
      test::set_sys_req(rtl->in_req_i, in.in_req);
    else
      idle.fill(rtl->in_req_i, 0, test::kSysReqBits);
    rtl->in_valid_i = in.in_valid;
    rtl->beside_i = in.beside;
    rtl->head_ready_i = in.head_ready;
    rtl->rd_next_i = in.rd_next;
    rtl.settle();
    compare(twin.eval(in));
    const Seen seen{
        rtl->in_ready_o != 0, rtl->head_valid_o != 0,
        rtl->rd_valid_o != 0, rtl->rd_is_load_o != 0,
        rtl->rd_head_o != 0,  static_cast<std::uint32_t>(test::get_bits(rtl->head_req_o, 623, 16)),
        rtl->rd_line_o,       rtl->rd_index_o,
        rtl->count_o,         rtl->load_valid_o};
    meet(in, seen);
    head.look(seen.head_valid, in.head_ready, rtl->head_req_o);
    // The reader moves on when it is told to, or with the head.
    const bool moves = in.rd_next || (in.head_ready && seen.rd_head);
    reader.look(seen.rd_valid, moves, rtl->rd_line_o, rtl->rd_is_load_o, rtl->rd_index_o);
    twin.clock(in);
    rtl.edge();
    return seen;
  }
  void reset() {
    rtl.reset();
    twin = SrQueue(depth);
    head.forget();
    reader.forget();
  }

  const unsigned depth;
  Lockstep lockstep;
  Clocked<Vsr_queue> rtl;
  test::Idle idle;
  SrQueue twin{depth};
  test::Offer head{"head_o"}, reader{"rd_o"};

 private:
  void compare(const SrQueue::Out& out) {
    lockstep.check("in_ready_o", rtl->in_ready_o, out.in_ready);
    lockstep.check("head_valid_o", rtl->head_valid_o, out.head_valid);
    if (out.head_valid) test::check_sys_req(lockstep, rtl->head_req_o, *out.head);
    lockstep.check("rd_valid_o", rtl->rd_valid_o, out.rd_valid);
    if (out.rd_valid) {
      lockstep.check("rd_is_load_o", rtl->rd_is_load_o, out.rd_is_load);
      lockstep.check("rd_line_o", rtl->rd_line_o, out.rd_line);
      lockstep.check("rd_index_o", rtl->rd_index_o, out.rd_index);
      lockstep.check("rd_head_o", rtl->rd_head_o, out.rd_head);
    }
    lockstep.check("load_valid_o", rtl->load_valid_o, out.loads.valid);
    for (unsigned i = 0; i < depth; ++i) {
      if (!((out.loads.valid >> i) & 1)) continue;
      lockstep.check("load_line_o", test::get_bits(rtl->load_line_o, 46 * i, 46),
                     out.loads.line[i]);
    }
    lockstep.check("count_o", rtl->count_o, out.count);
  }
  void meet(const SrQueue::In& in, const Seen& seen) {
    using coverage::SrLevel;
    using coverage::SrReaderAt;
    const SrLevel level = seen.count == 0           ? SrLevel::Empty
                          : seen.count == 1         ? SrLevel::One
                          : seen.count == depth     ? SrLevel::Full
                          : seen.count == depth - 1 ? SrLevel::OneFree
                                                    : SrLevel::Some;
    const SrReaderAt at = !seen.rd_valid ? SrReaderAt::End
                          : seen.rd_head ? SrReaderAt::Head
                                         : SrReaderAt::Between;
    if (depth == kGreatest) return;  // the bins know the other two
    pairs_.hit({depth == kDepth,
                !in.in_valid    ? 0u
                : seen.in_ready ? 1u
                                : 2u,
                in.head_ready && seen.head_valid, in.rd_next, static_cast<unsigned>(level),
                static_cast<unsigned>(at), in.beside});
  }

  test::TestCoverage pairs_{coverage::sr_queue_pairs()};
};

MemRequest request(std::uint32_t id, bool is_write) {
  MemRequest r;
  r.id = id;
  r.is_write = is_write;
  r.addr = id * kLineBytes;
  return r;
}

void run_in_lockstep(Pair& pair) {
  Lockstep& lockstep = pair.lockstep;
  Random random(lockstep.seed());
  SrQueue::In in;
  unsigned pushes = 0, pops = 0, nexts = 0, writes = 0, besides = 0;  // percent
  std::uint64_t full = 0, reader_waits = 0, reader_carried = 0;
  while (lockstep.next()) {
    if (lockstep.cycle() % 300 == 1) {
      pushes = static_cast<unsigned>(random.below(101));
      pops = static_cast<unsigned>(random.below(101));
      nexts = static_cast<unsigned>(random.below(101));
      writes = static_cast<unsigned>(random.below(101));
      if (random.percent(30)) pops = random.percent(50) ? pushes : pushes / 8;  // long or full
      if (random.percent(30)) nexts = pops;
      besides = random.percent(40) ? 0 : random.percent(50) ? random.below(10) : random.below(101);
    }
    if (!in.in_valid && random.percent(pushes)) {
      in.in_valid = true;
      in.in_req = test::random_request(random, random.bits(46), writes, 20);
    }
    in.head_ready = random.percent(pops);
    in.rd_next = random.percent(nexts);
    in.beside = random.percent(besides) && (!in.in_valid || pair.twin.full());
    const unsigned slot = pair.twin.head_slot();
    const Pair::Seen seen = pair.step(in);
    full += !seen.in_ready;
    reader_waits += in.rd_next && !seen.rd_valid;
    reader_carried += in.head_ready && seen.rd_valid && !in.rd_next && slot == seen.rd_index;
    if (seen.in_ready) in.in_valid = false;
    if (random.below(3000) == 0) {
      in.in_valid = false;
      pair.reset();
    }
  }
  if (pair.depth == kDepth && lockstep.cycle() > 100000) {
    EXPECT_GT(full, 1000u);
    EXPECT_GT(reader_waits, 1000u);
    EXPECT_GT(reader_carried, 1000u);
    EXPECT_GT(pair.head.stalls(), 10000u);
    EXPECT_GT(pair.reader.stalls(), 10000u);
  }
}

TEST(SrQueue, LockstepWithRtl) {
  Pair pair(0x59);
  run_in_lockstep(pair);
}

TEST(SrQueue, LeastInLockstepWithRtl) {
  Pair pair(0x5a, kLeast, 60'000);
  run_in_lockstep(pair);
}

TEST(SrQueue, GreatestInLockstepWithRtl) {
  Pair pair(0x5b, kGreatest, 100'000);
  run_in_lockstep(pair);
}

// Full and over full, drained and filled again, at every place of the circle.
TEST(SrQueue, FirstInFirstOut) {
  test::shows("order", "Requests leave the SR queue in the order in which they came",
              "docs/blocks/root_port/sr_queue.md");
  Pair pair(1);
  std::deque<std::uint32_t> expected;
  std::uint32_t id = 0;
  const auto push = [&](bool pop) {
    SrQueue::In in;
    in.in_valid = true;
    in.in_req = request(id, id % 3 == 0);
    in.head_ready = pop;
    const Pair::Seen seen = pair.step(in);
    EXPECT_EQ(seen.in_ready, expected.size() < 32);
    EXPECT_EQ(seen.count, expected.size());
    EXPECT_EQ(seen.head_valid, !expected.empty());
    if (seen.head_valid) {
      EXPECT_EQ(seen.head_id, expected.front());
      if (pop) expected.pop_front();
    }
    if (seen.in_ready) expected.push_back(id++);
  };
  for (unsigned round = 0; round < 40; ++round) {
    while (expected.size() < 32) push(false);
    for (unsigned i = 0; i < 3; ++i) push(false);  // one too many, and it waits
    push(true);                                    // full with not full: it comes in next
    for (unsigned i = 0; i < 5; ++i) push(true);
    while (!expected.empty()) {
      SrQueue::In in;
      in.head_ready = true;
      const Pair::Seen seen = pair.step(in);
      EXPECT_EQ(seen.head_id, expected.front());
      expected.pop_front();
    }
    push(true);  // nothing to pop
    if (round % 2 == 0) push(true);
  }
}

// By the rule alone: what came since the head did, in the queue or beside it.
TEST(SrQueue, WhatComesBesideTakesRoomUntilTheHeadBeforeItLeaves) {
  test::shows("beside", "Requests beside the SR queue count against its depth behind its head",
              "docs/blocks/root_port/sr_queue.md");
  Pair pair(4);
  SrQueue::In in;
  std::uint32_t id = 0;
  const auto step = [&] {
    const Pair::Seen seen = pair.step(in);
    in = {};
    return seen;
  };
  const auto push = [&] {
    in.in_valid = true;
    in.in_req = request(id++, false);
    return step().in_ready;
  };
  const auto beside = [&](unsigned times) {
    while (times-- > 0) in.beside = true, step();
  };
  beside(100);  // with the queue empty: nothing came since a head
  EXPECT_TRUE(step().in_ready);
  ASSERT_TRUE(push());
  beside(kDepth - 2);
  EXPECT_TRUE(step().in_ready) << "31 of 32";
  in.beside = true;  // the 32nd is there in the next cycle
  EXPECT_TRUE(step().in_ready);
  EXPECT_FALSE(step().in_ready);
  EXPECT_EQ(step().count, 1u);
  beside(200);
  in.head_ready = true;  // makes no room in its own cycle
  EXPECT_FALSE(step().in_ready);
  EXPECT_TRUE(step().in_ready) << "empty";
  // Ten, 21 beside, one more: the last room. What came before the second head counts no longer.
  for (unsigned i = 0; i < 10; ++i) ASSERT_TRUE(push());
  beside(21);
  ASSERT_TRUE(push());
  EXPECT_FALSE(step().in_ready);
  for (unsigned left = 10; left > 0; --left) {
    in.head_ready = true;
    EXPECT_EQ(step().in_ready, left < 10) << left;
    EXPECT_TRUE(step().in_ready) << left;
  }
  EXPECT_EQ(step().count, 1u);  // the last: 21 came before it, none after
  for (unsigned i = 0; i < kDepth - 1; ++i) ASSERT_TRUE(push()) << i;
  EXPECT_FALSE(step().in_ready);
}

TEST(SrQueue, ReaderRunsAheadAndIsCarriedAlong) {
  test::shows("sr", "The reader visits each queued load once, ahead of its issue",
              "docs/blocks/root_port/sr_queue.md");
  Pair pair(2);
  SrQueue::In in;
  const auto step = [&] {
    const Pair::Seen seen = pair.step(in);
    in = {};
    return seen;
  };
  const auto push = [&](std::uint32_t id, bool is_write) {
    in.in_valid = true;
    in.in_req = request(id, is_write);
    step();
  };
  const auto pop = [&] { in.head_ready = true, step(); };
  const auto next = [&] { in.rd_next = true, step(); };
  for (std::uint32_t id = 0; id < 4; ++id) push(id, id == 1);
  Pair::Seen seen = step();
  EXPECT_EQ(seen.loads, 0b1101u);
  EXPECT_TRUE(seen.rd_valid && seen.rd_head && seen.rd_is_load);
  EXPECT_EQ(seen.rd_line, 0u);
  pop();  // the reader stood on it
  seen = step();
  EXPECT_TRUE(seen.rd_valid && seen.rd_head && !seen.rd_is_load);
  EXPECT_EQ(seen.rd_line, 1u);
  next();
  next();
  EXPECT_EQ(step().rd_line, 3u);
  pop();  // behind the reader: it stays
  seen = step();
  EXPECT_EQ(seen.rd_line, 3u);
  EXPECT_FALSE(seen.rd_head);
  next();
  EXPECT_FALSE(step().rd_valid);
  next();  // never passes the tail
  push(9, false);
  seen = step();
  EXPECT_TRUE(seen.rd_valid);
  EXPECT_EQ(seen.rd_line, 9u);
  EXPECT_EQ(seen.rd_index, 4u);
  EXPECT_EQ(seen.head_id, 2u);
  // Told to go on in the cycle in which the head takes what it stands on: one step, not two.
  pop();
  pop();
  push(10, false);
  push(11, false);
  seen = step();
  EXPECT_TRUE(seen.rd_head && seen.head_id == 9 && seen.rd_line == 9);
  in.head_ready = in.rd_next = true;
  step();
  seen = step();
  EXPECT_TRUE(seen.head_id == 10 && seen.rd_line == 10);
  // Pushed in the cycle in which it reads the last: it stands on the new one.
  next();
  in.rd_next = true;
  push(12, false);
  EXPECT_EQ(step().rd_line, 12u);
  // Full circle: 32 loads read once each, the head behind.
  pair.reset();
  for (std::uint32_t id = 0; id < 32; ++id) push(id, false);
  for (std::uint32_t id = 0; id < 32; ++id) {
    in.rd_next = true;
    EXPECT_EQ(step().rd_line, id);
  }
  EXPECT_FALSE(step().rd_valid);
}

// Round and round with one slot free, a push and a pop in every cycle: the reader goes on when it
// is told to, and is carried along when the head comes up to it.
TEST(SrQueue, ReaderGoesRoundWithOneSlotFree) {
  for (const unsigned pace : {1u, 2u, 3u, 40u}) {
    SCOPED_TRACE(pace);
    Pair pair(3);
    std::uint32_t pushed = 0, popped = 0, read = 0;
    for (unsigned cycle = 0; cycle < 400; ++cycle) {
      SrQueue::In in;
      in.in_valid = true;
      in.in_req = request(pushed, false);
      in.head_ready = pushed - popped == 31;
      in.rd_next = cycle % pace == 0;
      const Pair::Seen seen = pair.step(in);
      EXPECT_TRUE(seen.in_ready);
      EXPECT_EQ(seen.count, pushed - popped);
      EXPECT_EQ(seen.rd_valid, read != pushed);
      if (seen.rd_valid) {
        EXPECT_EQ(seen.rd_line, read);
        EXPECT_EQ(seen.rd_head, read == popped);
      }
      const bool moves = seen.rd_valid && (in.rd_next || (in.head_ready && read == popped));
      read += moves;
      popped += in.head_ready;
      ++pushed;
    }
  }
}

}  // namespace
}  // namespace cxlgpu
