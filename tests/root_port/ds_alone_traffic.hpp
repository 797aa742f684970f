// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Traffic in which all that may meet in one cycle of a ds_engine does.
//
// Purpose: who stalls and what is allowed changes every hundred cycles, isolation, fence and the
// end
//          of an error at any edge. A full region with new lines coming, or a few lines that
//          everything is about; rounds take the sizes of ds_alone_tb.sv in turn.
// Errors:  as DsAlone: a GoogleTest failure each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "tests/root_port/ds_alone_bench.hpp"

namespace cxlgpu::test {

// Newest first, or either end in turns.
inline void meet_everything(Random& random, unsigned round, bool either_end,
                            std::optional<DsAlone::Size> given = std::nullopt) {
  using Size = DsAlone::Size;
  constexpr std::uint64_t kLowHalf = 0xffff'ffff, kLongest = 1'000'000;
  const Size turn =
      round % 20 == 19 ? Size::Lines1024 : std::array{Size::Lines256, Size::Lines4}[round / 2 % 2];
  const Size size = given.value_or(turn);
  DsAlone b(size, random.pick(std::array{1u, 3u, 10u, 40u}),
            random.pick(std::array{3u, 8u, 15u, 25u}));
  const bool full = round % 2 == 1;
  const unsigned hot = size == Size::Lines4 && !full ? 3 : 6;
  std::uint64_t fresh = 10'000;
  while (full && fresh < 10'000 + b.depth) b.store(fresh++, 0x77);
  ASSERT_TRUE(b.until([&] { return b.waiting() == 0; }, kLongest));
  for (unsigned phase = 0; phase < 60; ++phase) {
    const unsigned most = random.pick(std::array{50u, 90u, 98u});
    // Half of the time nobody stalls, and parts of lines are merged as fast as it goes.
    const bool brisk = random.percent(50);
    const auto stalls = [&] { return !brisk && random.percent(50) ? most : 0; };
    const auto often = [&] { return random.pick(std::array{0u, 0u, 3u, 30u}); };
    b.mq_stalls = stalls();
    b.lm_stalls = stalls();
    b.answer_stalls = stalls();
    b.hold_reads = !brisk && random.percent(10);
    b.hold_writes = !brisk && random.percent(20);
    b.flush = random.percent(35);
    const unsigned turns = either_end ? random.pick(std::array{0u, 0u, 5u}) : 0;  // of the order
    b.oldest = either_end && random.percent(50);
    b.direct = random.percent(50);
    b.max_writes = random.percent(50) ? b.writes_at_most : 1 + random.below(b.writes_at_most);
    const unsigned isolation = often(), fence = often();
    b.keep(random.below(3), random.percent(60) ? random.below(4) : 0);
    const unsigned loads = brisk ? 50 : random.pick(std::array{20u, 60u, 95u});
    const std::uint64_t shift = random.percent(20) ? random.below(32) : 0;
    const unsigned whole =
        brisk ? random.pick(std::array{0u, 0u, 30u}) : random.pick(std::array{10u, 40u, 80u});
    const unsigned cycles = brisk ? 200 : random.percent(15) ? 600 : 100;
    if (cycles == 600) b.mq_stalls = 100;  // until all that goes out has come so far
    for (unsigned cycle = 0; cycle < cycles; ++cycle) {
      if (b.waiting() < 3) {
        std::uint64_t line = random.below(hot);
        if (random.percent(loads)) {
          if (random.percent(full ? 45 : 20)) line = 20'000 + random.below(1000);
          b.load(line);
        } else {
          if (random.percent(full ? 60 : 5)) line = fresh++;
          b.store(line, static_cast<std::uint8_t>(random.bits(8)),
                  random.percent(whole) ? DsAlone::kAll : kLowHalf << shift);
        }
      }
      if (random.percent(isolation)) b.isolate = !b.isolate;
      if (random.percent(fence)) b.fence = !b.fence;
      if (turns != 0 && random.percent(turns)) b.oldest = !b.oldest;
      if (random.percent(isolation)) b.failing_writes = 1;
      b.clear_error = random.percent(10);
      b.step();
    }
    b.isolate = b.isolate && random.percent(20);
    b.fence = b.fence && random.percent(50);
  }
  b.keep(0, 0);
  b.isolate = b.fence = b.hold_reads = b.hold_writes = false;
  b.mq_stalls = b.lm_stalls = b.answer_stalls = 0;
  b.max_writes = b.writes_at_most;
  b.clear_error = b.flush = true;
  b.failing_writes = 0;
  ASSERT_TRUE(b.until([&] { return b.idle(); }, kLongest)) << round;
  b.check_endpoint();
}

// A store of each kind `delay` cycles behind a load that is merged.
enum class StoreKind : std::uint8_t { Direct, JoinsDeferred, Deferred, JoinsWrite };
inline void meet_merge(DsAlone::Size size, StoreKind kind, unsigned delay) {
  constexpr std::uint64_t kLowHalf = 0xffff'ffff;
  DsAlone b(size, 20, 4);
  b.store(1, 0x11, kLowHalf);
  b.store(2, 0x22, kLowHalf);
  ASSERT_TRUE(b.until([&] { return b.count() == 2; }));
  if (kind == StoreKind::JoinsWrite) {
    b.hold_writes = b.direct = true;
    b.store(3, 0x33, kLowHalf);
    b.run(60);
  }
  b.direct = kind == StoreKind::Direct;
  const std::uint32_t load = b.load(1);
  b.run(delay);
  const std::uint64_t lines[] = {4, 2, 4, 3};
  const std::uint32_t store = b.store(lines[static_cast<unsigned>(kind)], 0x44, ~kLowHalf);
  ASSERT_TRUE(b.answered(load) && b.answered(store));
  b.hold_writes = false;
  b.flush = true;
  ASSERT_TRUE(b.until([&] { return b.idle(); }));
  b.check_endpoint();
}
// An error that ends `delay` cycles behind a store, which is deferred because of it. `loads`: of
// lines that are here in part, one more than there are merges: so the store is none that is fast.
inline void meet_error(DsAlone::Size size, unsigned delay, bool loads) {
  constexpr std::uint64_t kLowHalf = 0xffff'ffff;
  DsAlone b(size);
  b.failing_writes = 1;
  b.direct = true;
  b.store(1, 0x11, loads ? kLowHalf : DsAlone::kAll);
  ASSERT_TRUE(b.until([&] { return b.error() && b.count() == 1; }));
  b.direct = false;
  if (loads) {
    b.hold_reads = true;
    b.store(3, 0x33, kLowHalf);
    for (const std::uint64_t line : {1, 3, 1}) b.load(line);
    b.run(100);
  }
  const std::uint32_t store = b.store(2, 0x22);
  b.run(delay);
  b.clear_error = true;
  b.run(1);
  b.clear_error = b.hold_reads = false;
  ASSERT_TRUE(b.answered(store));
  b.flush = true;
  ASSERT_TRUE(b.until([&] { return b.idle(); }));
  b.check_endpoint();
}
// Lines of meet_few: one here in part, a whole one, one whose write is in flight.
constexpr std::uint64_t kPart = 1, kWhole = 2, kGoing = 3, kAway = 20;
inline unsigned some_stalls(Random& random, unsigned often) {
  return random.percent(often) ? random.pick(std::array{50u, 100u}) : 0u;
}
// The write ends while a load of its line waits for local memory: so its end has to wait.
inline void end_while_read(Random& random, DsAlone& b) {
  b.hold_reads = random.percent(30);
  // Stores before it: late, or nobody takes their answers.
  const bool stores = random.percent(40), stuck = stores && random.percent(50);
  if (stuck) {
    b.answer_stalls = 100;
    b.hold_reads = false;
  }
  if (stuck || random.percent(60)) b.load(random.percent(60) ? kPart : kAway);
  b.run(random.below(stuck ? 60 : 16));
  if (stores) {
    b.direct = false;
    const std::uint64_t most = stuck ? 2 : 1 + random.below(7);
    for (std::uint64_t n = 0; n < most; ++n) b.store(60 + n, 0x55);
    b.run(random.below(60));
  }
  if (random.percent(30)) b.load(kAway + 1);
  b.load(kGoing);
  b.run(random.percent(70) ? 0 : random.below(14));
  b.lm_stalls = 100;
  b.run(4 + random.below(4));
  b.hold_writes = false;
  b.run(1 + random.below(3));
  if (random.percent(30)) {
    b.direct = true;
    b.store(50, 0x66);
    b.run(random.below(8));
  }
  b.lm_stalls = random.pick(std::array{50u, 100u});
  if (!stores) b.answer_stalls = some_stalls(random, 30);
  b.mq_stalls = some_stalls(random, 30);
  b.hold_reads = b.hold_reads && random.percent(50);
}
// The same, `load` cycles behind a load that is merged, or behind stores that are deferred; the
// write may end from `end` cycles later on.
inline void meet_end(DsAlone& b, bool stores, unsigned load, unsigned end) {
  constexpr std::uint64_t kLowHalf = 0xffff'ffff;
  b.direct = b.flush = false;
  b.store(kPart, 0x11, kLowHalf);
  ASSERT_TRUE(b.until([&] { return b.waiting() == 0 && b.count() == 1; }));
  b.run(30);
  b.direct = b.hold_writes = true;
  b.store(kGoing, 0x33);
  b.run(10);
  b.direct = false;
  if (!stores) b.load(kPart);
  for (unsigned n = 0; stores && n < (b.depth == 4 ? 2 : 8); ++n) b.store(60 + n, 0x55);
  b.run(load);
  b.load(kGoing);
  b.run(end);
  b.hold_writes = false;
  b.run(40);
  b.flush = true;
  ASSERT_TRUE(b.until([&] { return b.idle(); }));
  b.check_endpoint();
}
// A direct store is taken, and often done, at the endpoint while a load waits for local memory; or
// a store that is to be deferred waits for local memory while a load is looked for, or a failed
// write is deferred again.
inline void go_while_read(Random& random, DsAlone& b) {
  b.run(30);
  b.direct = random.percent(50);
  if (b.direct) {
    b.load(kWhole);
    b.run(random.below(8));
    b.lm_stalls = 100;
    b.store(50, 0x66);
    b.run(random.below(25));
  } else {
    const bool fails = random.percent(50);
    if (fails) {
      b.direct = b.hold_writes = true;
      b.failing_writes = 1;
      b.store(kGoing, 0x33);
      b.run(8);
      b.direct = false;
    }
    b.lm_stalls = 100;
    b.store(50, 0x66);
    b.run(random.below(4));
    if (!fails || random.percent(50)) b.load(random.percent(50) ? kWhole : kPart);
    b.hold_writes = false;
    b.run(random.below(12));
    b.lm_stalls = 0;
    b.run(random.below(3));
  }
}
// Around these lines few requests, each a few cycles after the other. So fast stores, late lines
// and the ends of writes meet what the sequencer does for the others, and one another.
enum class Scene : std::uint8_t { Any, EndWhileRead, GoWhileRead };
inline void meet_few(Random& random, DsAlone& b, Scene scene) {
  constexpr std::uint64_t kLowHalf = 0xffff'ffff;
  b.direct = b.flush = b.clear_error = false;
  b.store(kPart, 0x11, kLowHalf);
  if (scene == Scene::GoWhileRead || random.percent(70)) b.store(kWhole, 0x22);
  ASSERT_TRUE(b.until([&] { return b.waiting() == 0 && b.count() > 0; }));
  b.run(scene == Scene::Any ? random.below(40) : 40);
  if (scene == Scene::EndWhileRead || (scene == Scene::Any && random.percent(70))) {
    const bool whole = scene == Scene::EndWhileRead || random.percent(80);
    b.direct = b.hold_writes = true;
    b.failing_writes = scene == Scene::Any && random.percent(15);
    b.store(kGoing, 0x33, whole ? DsAlone::kAll : kLowHalf);
    b.run(6 + random.below(4));
  }
  b.direct = random.percent(40);
  b.flush = random.percent(10);
  const bool stalls = random.percent(50);
  if (scene == Scene::EndWhileRead) end_while_read(random, b);
  if (scene == Scene::GoWhileRead) go_while_read(random, b);
  const unsigned requests = 2 + static_cast<unsigned>(random.below(8));
  const unsigned pause = random.pick(std::array{1u, 3u, 8u});
  for (unsigned n = 0; n < requests; ++n) {
    const std::uint64_t some[] = {kPart, kPart, kWhole, kGoing, kGoing, kAway + n};
    if (random.percent(60)) {
      b.load(random.pick(some));
    } else {
      b.store(random.percent(60) ? 30 + n : random.pick(some), 0x44,
              random.percent(70) ? DsAlone::kAll : kLowHalf);
    }
    if (random.percent(30)) b.hold_writes = !b.hold_writes;
    if (random.percent(20)) b.hold_reads = !b.hold_reads;
    if (random.percent(20)) b.flush = !b.flush;
    if (random.percent(20)) b.direct = !b.direct;
    if (random.percent(20)) b.isolate = !b.isolate;
    b.clear_error = random.percent(30);
    if (stalls) {
      b.answer_stalls = some_stalls(random, 30);
      b.lm_stalls = some_stalls(random, 30);
      b.mq_stalls = some_stalls(random, 20);
    } else {
      b.lm_stalls = 0;
    }
    b.run(random.below(pause + 1));
  }
  b.hold_reads = b.hold_writes = b.isolate = false;
  b.answer_stalls = b.lm_stalls = b.mq_stalls = 0;
  b.failing_writes = 0;
  b.clear_error = b.flush = true;
  ASSERT_TRUE(b.until([&] { return b.idle(); }, 100'000));
  b.check_endpoint();
}
// All writes in flight end at once and come back, stored to again or failed: soon more lines are
// late than an insertion follows. `delay` cycles later all the rest goes on as well.
inline void meet_late(bool fails, bool merges, unsigned delay) {
  constexpr std::uint64_t kLowHalf = 0xffff'ffff;
  DsAlone b(DsAlone::Size::Lines256, 10, 3);
  const unsigned writes = b.writes_at_most;
  b.store(kPart, 0x11, kLowHalf);
  b.store(kWhole, 0x22);
  ASSERT_TRUE(b.until([&] { return b.count() == 2; }));
  b.run(30);
  b.direct = b.hold_writes = true;
  for (unsigned n = 0; n < writes; ++n) b.store(100 + n, 0x33);
  ASSERT_TRUE(b.until([&] { return b.writes.size() == writes; }));
  for (unsigned n = 0; !fails && n < writes; ++n) b.store(100 + n, 0x44, kLowHalf);
  ASSERT_TRUE(b.until([&] { return b.waiting() == 0; }));
  b.run(20 * writes);
  b.direct = false;
  b.failing_writes = fails ? writes : 0;
  b.hold_reads = merges;
  b.keep(merges ? kPart : kWhole, 3);
  b.run(40);
  for (unsigned n = 0; n < 8; ++n) b.store(200 + n, 0x66);  // as many late as may be
  b.run(6 + delay % 10);
  b.hold_reads = merges && delay % 2 == 0;
  if (!merges && delay % 3 == 0) {  // nobody takes answers, and late lines are flushed
    b.answer_stalls = 100;
    b.clear_error = b.flush = true;
  }
  b.hold_writes = false;
  b.run(delay);
  b.run(b.answer_stalls == 0 ? 0 : 40);
  b.answer_stalls = 0;
  b.hold_reads = false;
  b.clear_error = b.flush = true;
  const std::uint32_t late = b.load(100), store = b.store(103, 0x55, ~kLowHalf);
  ASSERT_TRUE(b.answered(late) && b.answered(store));
  b.keep(0, 0);
  ASSERT_TRUE(b.until([&] { return b.idle(); }, 100'000));
  b.check_endpoint();
}
// A write comes back just before a store that was begun: so two lines are late with Inserts = 1,
// and the line before them or the last of them is flushed, while nobody takes answers, or the
// memory queue takes nothing.
inline void meet_late_flush(bool mq, bool oldest, unsigned delay) {
  DsAlone b(DsAlone::Size::Lines4, 5, 3);
  b.oldest = oldest;
  b.store(kWhole, 0x22);
  ASSERT_TRUE(b.until([&] { return b.count() == 1; }));
  b.run(20);
  b.direct = b.hold_writes = true;
  b.store(kGoing, 0x33);
  ASSERT_TRUE(b.until([&] { return b.writes.size() == 1; }));
  ASSERT_TRUE(b.answered(b.store(kGoing, 0x44)));
  b.run(20);
  b.direct = false;
  if (mq) {
    b.mq_stalls = 100;
    b.load(kAway);
  } else {
    b.answer_stalls = 100;
    b.load(kWhole);
    b.load(kWhole);
  }
  b.run(50);
  b.lm_stalls = 100;
  const std::uint32_t store = b.store(kAway + 1, 0x55);
  b.run(5);
  b.flush = true;
  b.hold_writes = false;
  b.run(delay);
  b.lm_stalls = 0;
  b.run(20);
  b.mq_stalls = b.answer_stalls = 0;
  ASSERT_TRUE(b.answered(store));
  ASSERT_TRUE(b.until([&] { return b.idle(); }));
  b.check_endpoint();
}
// The same with loads on their way, any stalls and any latencies.
inline void meet_late_flush(test::Random& random) {
  DsAlone b(DsAlone::Size::Lines4, 1 + random.below(8), 3 + random.below(28));
  b.oldest = random.percent(50);
  b.store(kPart, 0x11, DsAlone::kAll >> 32);
  ASSERT_TRUE(b.until([&] { return b.count() == 1; }));
  b.run(40);
  b.direct = b.hold_writes = true;
  b.store(kGoing, 0x33);
  ASSERT_TRUE(b.until([&] { return b.writes.size() == 1; }));
  b.store(kGoing, 0x44);
  b.run(40);
  b.direct = false;
  b.answer_stalls = some_stalls(random, 50);
  for (unsigned n = 1 + random.below(2); n > 0; --n) {
    b.load(random.pick(std::array{kPart, kPart, kPart, kAway}));
  }
  b.run(6 + random.below(24));
  b.lm_stalls = 100;
  const std::uint32_t store = b.store(kAway + 1, 0x55);
  b.run(5);
  b.flush = true;
  b.hold_writes = false;
  for (unsigned n = random.below(3); n > 0; --n) b.load(kAway + 1 + n);
  b.run(random.below(10));
  b.lm_stalls = 0;
  b.run(30);
  b.answer_stalls = 0;
  ASSERT_TRUE(b.answered(store));
  ASSERT_TRUE(b.until([&] { return b.idle(); }));
  b.check_endpoint();
}
// Three stores to absent lines `delay` cycles behind the load of a part, and answers are taken from
// `taken` cycles later on: so one waits for the answer of the one before while the merge reads.
inline void meet_merge_unanswered(DsAlone& b, bool direct, unsigned delay, unsigned taken) {
  constexpr std::uint64_t kLowHalf = 0xffff'ffff;
  b.flush = b.direct = false;
  b.store(kPart, 0x11, kLowHalf);
  ASSERT_TRUE(b.until([&] { return b.count() == 1; }));
  b.run(20);
  b.direct = direct;
  b.answer_stalls = 100;
  const std::uint32_t load = b.load(kPart);
  b.run(delay);
  for (std::uint64_t n = 0; n < 2; ++n) b.store(kAway + n, 0x44);
  const std::uint32_t store = b.store(kAway + 2, 0x55);
  b.run(taken);
  b.answer_stalls = 0;
  ASSERT_TRUE(b.answered(load) && b.answered(store));
  b.flush = true;
  ASSERT_TRUE(b.until([&] { return b.idle(); }));
  b.check_endpoint();
}
// A flush that may begin from `delay` cycles behind the first of many stores to absent lines on:
// while it deletes its line and reads its slot they go on, until as many are late as may be.
inline void meet_flush_among_stores(DsAlone& b, unsigned stores, unsigned delay) {
  b.flush = false;
  for (std::uint64_t n = 0; n < 3; ++n) b.store(kWhole + n, 0x22);
  ASSERT_TRUE(b.until([&] { return b.waiting() == 0 && b.count() == 3; }));
  b.run(40);
  for (std::uint64_t n = 0; n < stores; ++n) b.store(100 + n, 0x33);
  b.run(delay);
  b.flush = true;
  ASSERT_TRUE(b.until([&] { return b.idle(); }));
  b.check_endpoint();
}
// More loads of a line that is here than reads may be on their way, and nobody takes an answer.
inline void meet_full_reads(DsAlone::Size size) {
  DsAlone b(size);
  b.store(1, 0x11);
  ASSERT_TRUE(b.until([&] { return b.count() == 1; }));
  b.answer_stalls = 100;
  std::array<std::uint32_t, 12> loads{};
  for (std::uint32_t& load : loads) load = b.load(1);
  b.run(300);
  b.answer_stalls = 0;
  for (const std::uint32_t load : loads) ASSERT_TRUE(b.answered(load));
}

}  // namespace cxlgpu::test
