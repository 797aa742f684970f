// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// memory_queue: the twin in lockstep with the RTL, and rules by hand on the RTL's outputs.
#include <deque>

#include "Vmemory_queue___024root.h"
#include "tests/common/requirement.hpp"
#include "tests/root_port/memory_queue_bench.hpp"
#include "tests/root_port/memory_queue_run.hpp"

namespace cxlgpu {
namespace {

using namespace memory_queue_bench;

TEST(MemoryQueue, LockstepWithRtl) {
  test::shows("order", "The RTL's memory queue does in every cycle what its twin does",
              "docs/blocks/root_port/memory_queue.md");
  Lockstep lockstep("root_port/memory_queue", 0x3e3);
  run_in_lockstep(lockstep, kRootPort);
}

TEST(MemoryQueue, LeastInLockstepWithRtl) {
  Lockstep lockstep("root_port/memory_queue", 0x3e4);
  run_in_lockstep(lockstep, kLeast);
}

TEST(MemoryQueue, GreatestInLockstepWithRtl) {
  Lockstep lockstep("root_port/memory_queue", 0x33, 60'000);
  run_in_lockstep(lockstep, kGreatest);
}

MemRequest request(std::uint64_t line, bool is_write);

// Random answers hide a livelock. With each answer as late as the others and a constant number of
// requests outstanding, each is answered within its turn, on the same lines again and again.
TEST(MemoryQueue, ConstantLatency) {
  constexpr unsigned kRequests = 60;
  for (const Size size : {kRootPort, kLeast}) {
    for (const unsigned latency : {1u, 10u, 100u, 400u}) {
      for (const unsigned kept : {1u, 2u, 8u, 40u}) {
        SCOPED_TRACE(testing::Message() << "depth " << size.depth << " latency " << latency
                                        << " outstanding " << kept);
        struct Due {
          unsigned cycle, tag;
          bool is_write;
        };
        Stepper s(size);
        std::deque<Due> due;
        unsigned taken = 0, answered = 0;
        for (unsigned cycle = 0; answered < kRequests; ++cycle) {
          ASSERT_LT(cycle, (kRequests + 1) * (latency + 8));
          s.in.req_ready = s.in.rwd_ready = s.in.rsp_ready = true;
          if (taken < kRequests && taken - answered < kept) {
            s.in.in_valid = true;
            s.in.in_req = request(taken % 5, taken % 3 == 0);
          }
          const bool answers = !due.empty() && due.front().cycle <= cycle;
          if (answers) {
            auto& kind = due.front().is_write ? s.in.ndr : s.in.drs;
            kind.valid = true;
            kind.tag = due.front().tag;
          }
          const Seen seen = s.step();
          taken += seen.taken_tag.has_value();
          answered += seen.rsp_taken;
          if (answers && seen.rsp_taken) due.pop_front();
          if (seen.req_valid && !seen.is_spec())
            due.push_back({cycle + latency, seen.req.tag, false});
          if (seen.rwd_valid) due.push_back({cycle + latency, seen.rwd.tag, true});
        }
        EXPECT_EQ(taken, kRequests);
      }
    }
  }
}

MemRequest request(std::uint64_t line, bool is_write) {
  MemRequest r;
  r.id = static_cast<std::uint32_t>(line);
  r.is_write = is_write;
  r.addr = line * kLineBytes;
  return r;
}

TEST(MemoryQueue, OneOutstandingAccessALine) {
  test::shows(
      "order",
      "At most one read or write of a line is outstanding at a root port; the next one waits",
      "docs/blocks/root_port/memory_queue.md");
  for (const bool first : {false, true}) {
    for (const bool second : {false, true}) {
      Stepper s;
      s.take(7, first);
      EXPECT_FALSE(s.offer(7, second).in_ready);
      s.take(8, second);
      s.hand_over();
      s.hand_over();
      for (unsigned i = 0; i < 5; ++i) EXPECT_FALSE(s.offer(7, second).in_ready);
      // Until the response; in its cycle the entry is still held.
      s.in.in_valid = true;
      s.in.in_req = request(7, second);
      Seen seen = s.answer(0, first);
      EXPECT_TRUE(seen.rsp_taken);
      EXPECT_FALSE(seen.in_ready);
      seen = s.offer(7, second);
      EXPECT_TRUE(seen.in_ready);
      EXPECT_TRUE(seen.rsp_valid && seen.rsp.id == 7 && seen.rsp.is_write == first);
    }
  }
}

TEST(MemoryQueue, TagsLowestFirstAndSpecsApart) {
  test::shows("sr", "MemSpecRd have entries of their own, so that loads cannot starve the reader",
              "docs/blocks/root_port/memory_queue.md");
  Stepper s;
  for (unsigned i = 0; i < 30; ++i) {
    const Seen seen = s.offer(i, i % 2 != 0);
    EXPECT_TRUE(seen.in_ready);
    EXPECT_EQ(seen.taken_tag, i);
  }
  EXPECT_FALSE(s.offer(1000, false).in_ready);  // full of loads and stores: 30 of them
  for (unsigned i = 0; i < 2; ++i) EXPECT_TRUE(s.spec(i, 0, i).spec_ready);
  EXPECT_FALSE(s.spec(9, 0, 9).spec_ready);
  // Req order: the even tags, then the MemSpecRd, whose entries free when handed over. RwD: the odd
  // ones.
  for (unsigned i = 0; i < 30; i += 2) {
    const Seen seen = s.hand_over();
    EXPECT_TRUE(seen.req_valid && !seen.is_spec());
    EXPECT_EQ(seen.req.tag, i);
    EXPECT_TRUE(seen.rwd_valid);
    EXPECT_EQ(seen.rwd.tag, i + 1);
    EXPECT_FALSE(seen.spec_ready);
  }
  Seen seen = s.hand_over();
  EXPECT_TRUE(seen.is_spec() && !seen.spec_ready && !seen.rwd_valid);
  EXPECT_TRUE(s.look().spec_ready);
  // The entries freed, lowest first.
  EXPECT_TRUE(s.answer(4, false).rsp_taken);
  EXPECT_TRUE(s.answer(1, true).rsp_taken);
  EXPECT_EQ(s.offer(1000, false).taken_tag, 1u);
  EXPECT_EQ(s.offer(1001, false).taken_tag, 4u);
  EXPECT_FALSE(s.offer(1002, false).in_ready);
}

TEST(MemoryQueue, SpecAddress) {
  test::shows(
      "sr",
      "A MemSpecRd with a length carries it in Address[7:6]; it has no tag and gets no response",
      "docs/blocks/root_port/memory_queue.md");
  Stepper s;
  for (unsigned len = 0; len < 4; ++len) {
    s.length = true;
    EXPECT_TRUE(s.spec(0x123, len, 0x77).spec_ready);
    Seen seen = s.hand_over();
    ASSERT_TRUE(seen.is_spec());
    EXPECT_EQ(seen.req.address, 0x12300u + 0x40 * len);  // granule 0x123 of 256 bytes
    EXPECT_EQ(seen.req.tag, 0u);
    EXPECT_EQ(seen.req.ld_id, 0u);
    s.length = false;
    EXPECT_TRUE(s.spec(0x123, len, 0x77).spec_ready);
    seen = s.hand_over();
    ASSERT_TRUE(seen.is_spec());
    EXPECT_EQ(seen.req.address, 0x77u * 64);
    EXPECT_FALSE(s.look().req_valid);
  }
  // Nothing waits for an answer: one that comes names no request.
  EXPECT_FALSE(s.answer(0, false).rsp_taken);
  EXPECT_EQ(s.look().unexpected, 1u);
  EXPECT_FALSE(s.look().busy);
}

// A hint's MemSpecRd: its line is that of its first granule; traced as a hint's.
TEST(MemoryQueue, HintAddress) {
  Stepper s;
  for (unsigned len = 0; len < 4; ++len) {
    s.length = true;
    EXPECT_TRUE(s.hint(0x123, len).hint_ready);
    Seen seen = s.hand_over();
    ASSERT_TRUE(seen.is_spec());
    EXPECT_EQ(seen.req.address, 0x12300u + 0x40 * len);
    EXPECT_EQ(seen.req.tag, 0u);
    EXPECT_EQ(seen.issued_id, 1u);
    s.length = false;
    EXPECT_TRUE(s.hint(0x123, len).hint_ready);
    seen = s.hand_over();
    ASSERT_TRUE(seen.is_spec());
    EXPECT_EQ(seen.req.address, 0x12300u);
    EXPECT_EQ(seen.issued_id, 1u);
    EXPECT_FALSE(s.look().req_valid || s.look().busy);
    EXPECT_TRUE(s.spec(0x123, len, 0x77).spec_ready);
    EXPECT_EQ(s.hand_over().issued_id, 0u);  // the reader's
  }
}

// A hint is taken only if no MemSpecRd is held or offered and no load or store is accepted.
TEST(MemoryQueue, HintBehindAllElse) {
  for (const Size size : {kRootPort, kLeast, kGreatest}) {
    SCOPED_TRACE(size.depth);
    Stepper s(size);
    EXPECT_TRUE(s.step().hint_ready);  // whether one is offered or not
    for (const bool is_write : {false, true}) {
      s.in.hint_valid = true;
      s.in.hint = {9, 0};
      Seen seen = s.offer(5, is_write);
      EXPECT_TRUE(seen.in_ready && !seen.hint_ready);
      s.in.hint_valid = true;
      seen = s.offer(5, is_write);  // its line is held, or none is free: it is not accepted
      EXPECT_TRUE(!seen.in_ready && seen.hint_ready);
      s.in.hint_valid = true;
      EXPECT_FALSE(s.step().hint_ready);  // one hint is held
      EXPECT_EQ(s.hand_over().hint_ready, false);
      if (!is_write) s.hand_over();
      EXPECT_TRUE(s.look().hint_ready);
      EXPECT_TRUE(s.answer(0, is_write).rsp_taken);
      s.in.rsp_ready = true;
      s.step();
    }
    s.in.hint_valid = true;
    Seen seen = s.spec(7, 0, 28);
    EXPECT_TRUE(seen.spec_ready && !seen.hint_ready);
    EXPECT_FALSE(s.look().hint_ready);  // the reader's is held
    EXPECT_FALSE(s.hand_over().hint_ready);
    EXPECT_TRUE(s.look().hint_ready);
    // Held by a hint, it leaves the reader the others.
    EXPECT_TRUE(s.hint(1, 0).hint_ready);
    seen = s.spec(7, 0, 28);
    EXPECT_EQ(seen.spec_ready, size.spec_entries > 1);
    EXPECT_FALSE(seen.hint_ready);
    EXPECT_EQ(s.hand_over().issued_id, 1u);
    if (size.spec_entries > 1) {
      EXPECT_EQ(s.hand_over().issued_id, 0u);
    }
    EXPECT_FALSE(s.look().req_valid);
  }
}

// In each cycle the number of requests accepted, loads and stores offered always and answered after
// a constant time; with hints offered in every cycle, or without.
std::vector<unsigned> accepted_by_cycle(Size size, unsigned latency, std::uint64_t lines,
                                        bool hints, unsigned& hints_taken) {
  struct Due {
    unsigned cycle, tag;
    bool is_write;
  };
  Stepper s(size);
  std::deque<Due> due;
  std::vector<unsigned> accepted;
  unsigned taken = 0;
  for (unsigned cycle = 0; cycle < 20 * latency + 200; ++cycle) {
    s.in.req_ready = s.in.rwd_ready = s.in.rsp_ready = s.in.in_valid = true;
    s.in.in_req = request(taken % lines, taken % 4 == 3);
    s.in.hint_valid = hints;
    s.in.hint = {cycle, 0};
    const bool answers = !due.empty() && due.front().cycle <= cycle;
    if (answers) {
      auto& kind = due.front().is_write ? s.in.ndr : s.in.drs;
      kind.valid = true;
      kind.tag = due.front().tag;
    }
    const Seen seen = s.step();
    if (answers && seen.rsp_taken) due.pop_front();
    taken += seen.taken_tag.has_value();
    hints_taken += hints && seen.hint_ready;
    EXPECT_FALSE(hints && seen.hint_ready && seen.taken_tag);
    if (seen.req_valid && !seen.is_spec()) due.push_back({cycle + latency, seen.req.tag, false});
    if (seen.rwd_valid) due.push_back({cycle + latency, seen.rwd.tag, true});
    accepted.push_back(taken);
  }
  return accepted;
}

TEST(MemoryQueue, HintDelaysNoLoad) {
  for (const Size size : {kRootPort, kLeast, kGreatest}) {
    for (const unsigned latency : {1u, 10u, 100u, 400u}) {
      for (const std::uint64_t lines : {1u, 5u, 1000u}) {
        SCOPED_TRACE(testing::Message() << size.depth << " " << latency << " " << lines);
        unsigned none = 0, some = 0;
        const auto without = accepted_by_cycle(size, latency, lines, false, none);
        EXPECT_EQ(accepted_by_cycle(size, latency, lines, true, some), without);
        const bool always = without.back() == without.size();
        EXPECT_EQ(some == 0, always);  // in the cycles that no load can use
      }
    }
  }
}

// While refusing a hint is accepted and forgotten.
TEST(MemoryQueue, HintWhileRefusing) {
  Stepper s;
  EXPECT_TRUE(s.hint(1, 0).hint_ready);
  s.in.isolate = true;
  Seen seen = s.hint(2, 0);
  EXPECT_TRUE(seen.refuse && seen.busy && !seen.hint_ready && !seen.req_valid);  // one is held
  for (unsigned i = 0; i < 3; ++i) {
    s.in.req_ready = true;
    seen = s.hint(3, 0);
    EXPECT_TRUE(seen.refuse && !seen.busy && seen.hint_ready && !seen.issued_id);
  }
  s.in.isolate = false;
  seen = s.hand_over();
  EXPECT_TRUE(!seen.refuse && !seen.req_valid && seen.hint_ready);
}

TEST(MemoryQueue, DrsAndNdrInTurnAndWrongTagsCounted) {
  test::shows("order",
              "A response whose tag names no request of its kind changes nothing and is counted",
              "docs/blocks/root_port/memory_queue.md");
  Stepper s;
  s.take(3, false);
  s.take(4, true);
  s.in.drs.valid = true;  // not handed over yet
  EXPECT_FALSE(s.step().rsp_taken);
  s.in.req_ready = s.in.rwd_ready = true;
  s.step();
  s.in.drs.valid = s.in.ndr.valid = s.in.rsp_ready = true;
  s.in.ndr.tag = 1;
  s.in.drs.poison = true;
  Seen out = s.step();  // a DRS was consumed before: the NDR's turn
  EXPECT_TRUE(out.ndr_ready && out.rsp_taken);
  EXPECT_FALSE(out.drs_ready);
  EXPECT_EQ(out.unexpected, 1u);
  s.in.drs.valid = s.in.drs.poison = true;
  out = s.step();  // the response register does not leave
  EXPECT_TRUE(out.rsp_valid && !out.rsp.error && out.rsp.is_write);
  EXPECT_FALSE(out.drs_ready);
  s.in.drs.valid = s.in.drs.poison = s.in.rsp_ready = true;
  EXPECT_TRUE(s.step().rsp_taken);
  out = s.step();
  EXPECT_TRUE(out.rsp_valid && !out.rsp.is_write && out.rsp.error);
}

TEST(MemoryQueue, IsolationAnswersLowestFirstWithError) {
  test::shows("link", "In isolation every request is answered with an error",
              "CXL 3.0, 8.2.4.23; docs/blocks/root_port/memory_queue.md");
  Stepper s;
  for (unsigned i = 0; i < 4; ++i) s.take(i, i % 2 != 0);
  s.in.req_ready = s.in.rwd_ready = true;
  Seen out = s.step();  // 0 and 1 are handed over, 2 and 3 are not
  EXPECT_TRUE(out.req_valid && out.rwd_valid);
  s.in.isolate = true;
  for (unsigned i = 0; i < 4; ++i) {
    s.in.rsp_ready = s.in.req_ready = s.in.rwd_ready = true;
    s.in.drs.valid = s.in.ndr.valid = true;  // the answers come, too late
    s.in.ndr.tag = 1;
    out = s.step();
    EXPECT_FALSE(out.req_valid || out.rwd_valid || out.rsp_taken);
    EXPECT_TRUE(out.drs_ready && out.ndr_ready && out.busy);
    EXPECT_EQ(out.refused_tag, i);
    EXPECT_EQ(out.rsp_valid, i != 0);
  }
  EXPECT_EQ(s.step().rsp.id, 3u);
  out = s.step();  // it waits
  EXPECT_FALSE(out.busy);
  EXPECT_TRUE(out.rsp_valid && out.rsp.error && out.rsp.is_write);
  EXPECT_EQ(out.unexpected, 0u);
  // What is taken now is answered from the next cycle, but not into a full response register.
  s.take(9, false);
  out = s.step();
  EXPECT_TRUE(!out.busy && !out.refused_tag);  // born refused
  s.in.rsp_ready = true;
  EXPECT_EQ(s.step().refused_tag, 0u);
  out = s.step();
  EXPECT_TRUE(out.rsp_valid && out.rsp.error && !out.rsp.is_write);
  Line ones;
  ones.fill(0xff);
  EXPECT_EQ(out.rsp.data, ones);
}

TEST(MemoryQueue, BusyUntilTheOrdersAreEmpty) {
  Stepper s;
  for (unsigned i = 0; i < 2; ++i) {
    s.in.spec_valid = true;
    EXPECT_TRUE(s.step().spec_ready);
  }
  s.take(5, false);
  s.in.isolate = true;
  EXPECT_FALSE(s.step().spec_ready);
  Seen out = s.step();  // the first MemSpecRd is gone
  EXPECT_TRUE(out.spec_ready && out.busy);
  EXPECT_EQ(out.held, 0u);
  out = s.step();  // the load was answered in the first cycle, its place in the order is left
  EXPECT_TRUE(out.busy);
  EXPECT_FALSE(s.step().busy);
}

// A MemSpecRd behind a load in the order outlasts the cycle in which refusing begins: none is free.
TEST(MemoryQueue, ASpecBehindALoadIsGivenUpSecond) {
  Stepper s(kLeast);
  s.take(5, false);
  EXPECT_TRUE(s.spec(1, 0, 4).spec_ready);
  s.in.isolate = true;
  s.step();
  s.in.drs.valid = true;
  Seen seen = s.spec(2, 0, 8);
  EXPECT_TRUE(seen.refuse && seen.busy && seen.drs_ready && !seen.spec_ready && !seen.hint_ready);
  seen = s.spec(2, 0, 8);
  EXPECT_TRUE(seen.spec_ready && !seen.busy);
}

// What is taken in a cycle that refuses is never handed over, though refusing ends at once.
TEST(MemoryQueue, LastTakenInIsolationIsRefusedAfter) {
  Stepper s;
  s.in.isolate = true;
  s.in.in_valid = true;
  s.in.in_req = request(5, true);
  EXPECT_FALSE(s.step().busy);
  s.in.isolate = false;
  s.in.rwd_ready = true;
  Seen out = s.step();
  EXPECT_TRUE(!out.refuse && !out.rwd_valid && !out.busy);
  EXPECT_EQ(out.refused_tag, 0u);
  out = s.step();
  EXPECT_TRUE(out.rsp_valid && out.rsp.error && out.rsp.is_write);
}

TEST(MemoryQueue, TimedOutAtTheSecondTick) {
  test::shows("link", "A request without an answer times out after one to two periods",
              "CXL 3.0, 8.2.4.23; docs/blocks/root_port/memory_queue.md");
  Stepper s;
  const auto tick = [&] {
    s.in.tick = true;
    return s.step().timed_out;
  };
  s.in.tick = true;
  s.take(5, false);  // at the edge of a tick: still young
  EXPECT_FALSE(tick());
  EXPECT_FALSE(s.step().timed_out);  // late, but no tick
  s.in.isolate = s.in.tick = true;
  EXPECT_FALSE(s.look().timed_out);
  s.in = {};
  EXPECT_TRUE(tick());
  EXPECT_TRUE(tick());
  // The entry's next owner is young again, whatever it is.
  bool before = false;
  for (const bool is_write : {false, true, true, false}) {
    s.hand_over();
    EXPECT_TRUE(s.answer(0, before).rsp_taken);
    EXPECT_EQ(s.offer(6, is_write).taken_tag, 0u);
    EXPECT_FALSE(tick());
    EXPECT_TRUE(tick());
    before = is_write;
  }
}

TEST(MemoryQueue, MemSpecRdDoesNotTimeOut) {
  Stepper s;
  s.in.spec_valid = true;
  s.step();
  for (unsigned i = 0; i < 3; ++i) {
    s.in.tick = true;
    EXPECT_FALSE(s.step().timed_out);
  }
}

TEST(MemoryQueue, PoisonOfAWriteGoesOut) {
  test::shows("link", "A root port's write of corrupt data goes out with Poison, no other does",
              "CXL 2.0, M2S RwD: Poison; docs/blocks/root_port/memory_queue.md");
  test::Clocked<Vmemory_queue> rtl;
  rtl.reset();
  for (const bool poison : {true, false, true}) {
    for (const std::uint64_t enables : {kAllBytes, std::uint64_t{0xff}}) {
      MemRequest write = request(5, true);
      write.byte_enable = enables;
      write.poison = poison;
      rtl->in_valid_i = 1;
      test::set_sys_req(rtl->in_req_i, write);
      rtl.settle();
      ASSERT_EQ(rtl->in_ready_o, 1);
      rtl.edge();
      rtl->in_valid_i = 0;
      test::set_sys_req(rtl->in_req_i, {});
      rtl.settle();
      ASSERT_EQ(rtl->rwd_valid_o, 1);
      EXPECT_EQ(test::get_bits(rtl->rwd_hdr_o, 74, 1), poison ? 1u : 0u);
      EXPECT_EQ(test::get_bits(rtl->rwd_hdr_o, 1, 4), enables == kAllBytes ? 1u : 2u);
      rtl->rwd_ready_i = 1;
      rtl.edge();
      rtl->rwd_ready_i = 0;
      rtl->ndr_valid_i = 1;  // tag 0
      rtl->rsp_ready_i = 1;
      rtl.edge();
      rtl->ndr_valid_i = 0;
      rtl.edge();
    }
  }
}

// In the very cycle in which refusing is over: a response that names no request, and whatever else
// comes.
TEST(MemoryQueue, TheCycleAfterRefusal) {
  enum Comes { kNothing, kLoad, kStore, kSpec, kSpecAndLoad, kTick, kHint, kHintAndLoad };
  for (const unsigned n : {0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17}) {
    const auto comes = static_cast<Comes>(n % 10);
    SCOPED_TRACE(n);
    Stepper s(n < 10 ? kRootPort : kLeast);
    s.in.isolate = true;
    EXPECT_TRUE(s.step().refuse);
    s.in.isolate = false;
    s.in.ndr.valid = true;
    s.in.in_valid =
        comes == kLoad || comes == kStore || comes == kSpecAndLoad || comes == kHintAndLoad;
    s.in.hint_valid = comes == kHint || comes == kHintAndLoad;
    s.in.in_req = request(5, comes == kStore);
    s.in.spec_valid = comes == kSpec || comes == kSpecAndLoad;
    s.in.tick = comes == kTick;
    Seen seen = s.step();
    EXPECT_TRUE(!seen.refuse && seen.ndr_ready && !seen.rsp_taken && !seen.timed_out);
    EXPECT_EQ(seen.taken_tag.has_value(),
              comes == kLoad || comes == kStore || comes == kHintAndLoad);
    seen = s.hand_over();
    EXPECT_EQ(seen.unexpected, 1u);
    EXPECT_EQ(seen.req_valid,
              comes != kNothing && comes != kStore && comes != kTick);  // and goes out as ever
    EXPECT_EQ(seen.is_spec(), comes == kSpec || comes == kSpecAndLoad || comes == kHint);
    EXPECT_EQ(seen.rwd_valid, comes == kStore);
    EXPECT_FALSE(seen.refused_tag);
  }
}

// In the very cycle in which refusing begins: the same.
TEST(MemoryQueue, TheFirstCycleOfRefusal) {
  for (const Size size : {kRootPort, kLeast}) {
    for (const bool store : {false, true}) {
      Stepper s(size);
      s.in.isolate = s.in.ndr.valid = s.in.in_valid = true;
      s.in.in_req = request(5, store);
      const Seen first = s.step();
      EXPECT_TRUE(first.refuse && first.ndr_ready && first.taken_tag && !first.rsp_taken);
      s.in.rsp_ready = true;
      const Seen second = s.step();
      EXPECT_TRUE(second.refused_tag && !second.req_valid && !second.rwd_valid);
      EXPECT_EQ(second.unexpected, 0u);  // what is thrown away is not counted
    }
  }
}

// A queue full of entries that were born refused when refusing is over: they are answered with an
// error, and what waits comes in behind.
TEST(MemoryQueue, FullWhenRefusalIsOver) {
  for (const Size size : {kRootPort, kLeast}) {
    Stepper s(size);
    s.in.isolate = true;
    std::uint64_t line = 1;
    for (unsigned n = 0; n < 2 * size.depth + 4; ++n) line += s.offer(line, false).in_ready;
    EXPECT_EQ(line, size.demand() + 2);  // one more stands in the response register
    s.in.isolate = false;
    s.in.rsp_ready = true;
    const Seen seen = s.offer(line, false);
    EXPECT_TRUE(!seen.refuse && !seen.in_ready && seen.refused_tag);
    s.in.rsp_ready = true;
    EXPECT_TRUE(s.offer(line, false).in_ready);
  }
}

// Every count of 32 bits: the carry into each bit, and the wrap.
TEST(MemoryQueue, UnexpectedCountsToItsWidth) {
  Stepper s;
  std::uint32_t& counter =
      s.rtl->rootp->memory_queue_tb__DOT__gen_size__BRA__0__KET____DOT__u_queue__DOT__unexpected_q;
  for (unsigned bit = 0; bit <= 32; ++bit) {
    const auto start = static_cast<std::uint32_t>((std::uint64_t{1} << bit) - 1);
    counter = start;
    s.rtl->drs_valid_i = 1;  // tag 0: nobody asked
    s.rtl.edge();
    EXPECT_EQ(s.rtl->unexpected_o, start + 1) << bit;
    s.rtl->drs_valid_i = 0;
    s.rtl.edge();
    EXPECT_EQ(s.rtl->unexpected_o, start + 1) << bit;
  }
}

// What becomes of each kind of request that a port holds when it begins to refuse, for either
// cause: at the far end, offered to the controller, behind it in its order, waiting to come in,
// answered but not fetched.
TEST(MemoryQueue, EachKindOfQueuedRequestWhenRefusalBegins) {
  for (const bool down : {false, true}) {
    SCOPED_TRACE(down ? "link down" : "isolation");
    Stepper s;
    const auto refuse = [&] { (down ? s.in.down : s.in.isolate) = true; };
    s.take(10, false);  // 0: answered, not fetched
    s.take(11, false);  // 1: at the far end
    s.take(12, true);   // 2: at the far end
    s.hand_over();
    s.hand_over();
    s.in.drs.valid = true;
    EXPECT_TRUE(s.step().rsp_taken);
    s.take(20, false);                        // 0 again: offered
    s.take(21, true);                         // 3: offered
    EXPECT_TRUE(s.spec(5, 0, 0).spec_ready);  // behind it
    s.take(22, false);                        // 4: behind that
    EXPECT_TRUE(s.spec(6, 0, 0).spec_ready);
    EXPECT_FALSE(s.offer(11, false).in_ready);  // waits for its line
    EXPECT_FALSE(s.spec(7, 0, 0).spec_ready);   // waits for an entry
    // The answer of before is given as it is; then each load and store once, with an error.
    std::vector<unsigned> ids;
    for (unsigned cycle = 0; cycle < 12; ++cycle) {
      refuse();
      s.in.rsp_ready = s.in.req_ready = s.in.rwd_ready = true;
      s.in.in_valid = ids.size() < 2;  // 11 comes in when its entry is free
      s.in.in_req = request(11, false);
      const Seen seen = s.step();
      EXPECT_TRUE(seen.refuse && !seen.req_valid && !seen.rwd_valid);
      if (cycle == 0) {
        EXPECT_TRUE(seen.rsp_valid && !seen.rsp.error && seen.rsp.id == 10);
      } else if (seen.rsp_valid) {
        EXPECT_TRUE(seen.rsp.error);
        EXPECT_EQ(seen.rsp.is_write, seen.rsp.id == 12 || seen.rsp.id == 21);
        ids.push_back(seen.rsp.id);
      }
      EXPECT_EQ(seen.spec_ready, cycle >= 2);  // the order: 0, a MemSpecRd, 4, a MemSpecRd
    }
    EXPECT_EQ(ids, (std::vector<unsigned>{20, 11, 12, 21, 22, 11}));
    EXPECT_FALSE(s.look().busy);
    // Nothing of it is left: neither MemSpecRd goes out later.
    s.in.isolate = false;
    s.in.down = true;  // and nothing is owed
    s.step();
    for (unsigned i = 0; i < 5; ++i) EXPECT_FALSE(s.hand_over().req_valid);
    EXPECT_FALSE(s.look().refuse);
    EXPECT_EQ(s.look().unexpected, 0u);
  }
}

// Full of requests that were born refused, the response register stalled, and refusing is over: a
// request and a MemSpecRd wait, and all are answered before a response is looked at.
TEST(MemoryQueue, RefusedEntriesAreAnsweredFirst) {
  Stepper s;
  s.in.isolate = true;
  s.in.in_valid = false;
  for (unsigned i = 0; i < 31; ++i) {  // one of them goes to the response register
    s.in.in_valid = true;
    s.in.in_req = request(i, i % 2 != 0);
    EXPECT_TRUE(s.step().in_ready) << i;
  }
  EXPECT_FALSE(s.offer(99, false).in_ready);
  s.in.isolate = false;
  s.in.drs.valid = true;
  Seen seen = s.offer(99, false);
  EXPECT_TRUE(!seen.refuse && !seen.in_ready && !seen.drs_ready && !seen.busy);
  for (unsigned i = 0; i < 2; ++i) EXPECT_TRUE(s.spec(i, 0, i).spec_ready);
  EXPECT_FALSE(s.spec(2, 0, 2).spec_ready);
  for (unsigned i = 0; i < 31; ++i) {
    s.in.rsp_ready = s.in.drs.valid = s.in.ndr.valid = s.in.tick = true;
    s.in.spec_valid = i == 3;
    s.in.in_valid = true;
    s.in.in_req = request(30, false);  // held to the last: or full
    seen = s.step();
    EXPECT_TRUE(seen.rsp_valid && seen.rsp.error);
    EXPECT_EQ(seen.drs_ready, i == 30);
    EXPECT_FALSE(seen.timed_out);  // nobody waits for the far end
  }
}

// Bit positions from the tables of CXL.mem messages: valid 0, Req and RwD opcode 4:1, SnpType 7:5,
// MetaField 9:8, MetaValue 11:10, tag 27:12, address from 28 (Req: 51:5, RwD: 51:6), poison 74,
// TC 76:75, LD-ID 80:77; NDR and DRS opcode 3:1, tag 23:8, DRS poison 24.
TEST(MemoryQueue, FieldsOfItsMessages) {
  test::shows("flit", "Every field of a CXL.mem message lies where the specification puts it",
              "CXL 2.0, CXL.mem messages");
  Clocked<Vmemory_queue> rtl;
  rtl.reset();
  rtl->rsp_ready_i = 1;
  const auto fields = [](const auto& port,
                         std::initializer_list<std::array<std::uint64_t, 3>> all) {
    for (const auto& [at, width, value] : all) {
      EXPECT_EQ(test::get_bits(port, at, width), value) << "bit " << at;
    }
  };
  const auto take = [&](const MemRequest& request) {
    rtl->in_valid_i = 1;
    test::set_sys_req(rtl->in_req_i, request);
    rtl.settle();
    ASSERT_EQ(rtl->in_ready_o, 1);
    rtl.edge();
    rtl->in_valid_i = 0;
    rtl.settle();
  };
  Random random(11);
  for (unsigned k = 0; k < kDemand; ++k) {  // tags 0, 1, 2, ...
    const bool is_write = k % 2 != 0;
    const std::uint64_t line = random.bits(46);
    take(request(line, is_write));
    rtl->req_ready_i = rtl->rwd_ready_i = 1;
    rtl.settle();
    ASSERT_EQ(rtl->req_valid_o, is_write ? 0 : 1);
    ASSERT_EQ(rtl->rwd_valid_o, is_write ? 1 : 0);
    if (is_write) {
      fields(rtl->rwd_hdr_o, {{0, 1, 1},
                              {1, 4, 1},
                              {5, 3, 0},
                              {8, 2, 0},
                              {10, 2, 2},
                              {12, 16, k},
                              {28, 46, line},
                              {74, 1, 0},
                              {75, 2, 0},
                              {77, 4, 0},
                              {81, 6, 0}});
    } else {
      fields(rtl->req_hdr_o, {{0, 1, 1},
                              {1, 4, 1},
                              {5, 3, 0},
                              {8, 2, 3},
                              {10, 2, 0},
                              {12, 16, k},
                              {28, 47, line << 1},
                              {75, 2, 0},
                              {77, 4, 0},
                              {81, 6, 0}});
    }
    rtl.edge();
    rtl->req_ready_i = rtl->rwd_ready_i = 0;
  }
  for (unsigned k = 0; k < kDemand; ++k) {
    const bool is_write = k % 2 != 0, poison = k % 4 == 2;
    rtl->ndr_valid_i = is_write;
    rtl->drs_valid_i = !is_write;
    test::set_bits(rtl->ndr_hdr_i, 0, 64, 1 | k << 8);
    test::set_bits(rtl->drs_hdr_i, 0, 64, 1 | k << 8 | (poison ? 1u << 24 : 0u));
    unsigned waited = 0;
    for (bool taken = false; !taken && waited < 4; ++waited) {
      rtl.settle();
      taken = is_write ? rtl->ndr_ready_o : rtl->drs_ready_o;
      EXPECT_EQ(taken, rtl->rsp_taken_o != 0) << "the tag is not known";
      rtl.edge();
    }
    rtl->ndr_valid_i = rtl->drs_valid_i = 0;
    rtl.settle();
    ASSERT_EQ(rtl->rsp_valid_o, 1);
    EXPECT_EQ(test::get_bits(rtl->rsp_o, 513, 1), is_write ? 1u : 0u);
    EXPECT_EQ(test::get_bits(rtl->rsp_o, 512, 1), poison ? 1u : 0u);
    rtl.edge();
  }
  EXPECT_EQ(rtl->unexpected_o, 0u);
}

}  // namespace
}  // namespace cxlgpu
