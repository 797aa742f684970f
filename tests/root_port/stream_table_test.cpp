// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// stream_table: the twin in lockstep with the RTL, and rules by hand on the RTL's outputs.
#include "refmodel/root_port/stream_table.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "Vstream_table.h"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_root_port.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;
using Kind = StreamTable::Ask::Kind;

constexpr std::uint64_t kLines = std::uint64_t{1} << 46;

// Streams up and down, some of which jump, and loads without an order.
class Traffic {
 public:
  explicit Traffic(Random& random) { phase(random); }
  void phase(Random& random) {
    base_ = random.percent(10) ? kLines - random.below(4096) : random.bits(46);
    order_ = 20 + static_cast<unsigned>(random.below(81));  // percent
    spread_ = random.percent(30) ? 18 : 8;                  // log2 of lines between streams
    at_.assign(1 + random.below(random.percent(50) ? 12 : 400), 0);
    for (std::size_t i = 0; i < at_.size(); ++i) at_[i] = base_ + (i << spread_);
  }
  std::uint64_t next(Random& random) {
    const std::size_t i = random.below(at_.size());
    const bool down = i % 3 == 1;
    if (!random.percent(order_)) return (at_[i] + random.below(32)) % kLines;
    if (random.below(50) == 0) at_[i] += 16;
    at_[i] += down ? ~std::uint64_t{0} : 1;
    return at_[i] % kLines;
  }

 private:
  std::uint64_t base_ = 0;
  unsigned order_ = 100, spread_ = 8;
  std::vector<std::uint64_t> at_;
};

void random_view(StreamTable::View& view, Random& random) {
  if (random.below(200) == 0) view.length_enabled = random.percent(90);
  if (random.below(200) == 0) {
    view.clip_log2 = random.percent(50) ? 2 : static_cast<unsigned>(random.bits(4));
  }
  if (random.below(200) == 0) view.other_ways = static_cast<unsigned>(random.bits(4));
  view.at_head = random.percent(20);
  if (random.below(20) == 0) view.level = static_cast<unsigned>(random.bits(2));
}

// Twin and RTL, one cycle a step. What is told is the RTL's.
class Pair {
 public:
  // `least`: one set; else as in a root port.
  explicit Pair(std::uint64_t seed, bool least = false, std::uint64_t cycles = 200'000)
      : lockstep("root_port/stream_table", seed, cycles), sets_(least ? 1 : 64) {
    rtl_->small_i = least;
    rtl_->sets_log2_i = sets_log2_;
    rtl_.reset();
  }

  StreamTable::Out step(const StreamTable::In& in) {
    rtl_->sets_log2_i = sets_log2_;
    rtl_->flush_i = in.flush;
    rtl_->look_i = in.look;
    rtl_->line_i = in.line;
    rtl_->at_head_i = in.view.at_head;
    rtl_->level_i = in.view.level;
    rtl_->len_en_i = in.view.length_enabled;
    rtl_->clip_log2_i = in.view.clip_log2;
    rtl_->ways_i = in.view.other_ways;
    rtl_->next_i = in.next;
    rtl_->add_i = in.add;
    rtl_.settle();
    const StreamTable::Out twin = twin_.eval(in);
    const StreamTable::Out seen{rtl_->ask_o != 0,
                                rtl_->kind_o != 0,
                                rtl_->suppressed_o != 0,
                                {rtl_->first_o, rtl_->len_o},
                                rtl_->next_hit_o != 0,
                                rtl_->next_send_o != 0,
                                {rtl_->next_first_o, rtl_->next_len_o}};
    lockstep.check("ask_o", seen.ask, twin.ask);
    lockstep.check("kind_o", seen.kind_next, twin.kind_next);
    lockstep.check("first_o", seen.run.first, twin.run.first);
    lockstep.check("len_o", seen.run.len, twin.run.len);
    lockstep.check("suppressed_o", seen.held, twin.held);
    lockstep.check("next_hit_o", seen.next_hit, twin.next_hit);
    lockstep.check("next_send_o", seen.next_send, twin.next_send);
    lockstep.check("next_first_o", seen.next.first, twin.next.first);
    lockstep.check("next_len_o", seen.next.len, twin.next.len);
    meet(in, seen);
    twin_.clock(in);
    rtl_.edge();
    return seen;
  }
  [[nodiscard]] bool next_known() const { return twin_.next_known(); }
  // Right after a reset or a flush.
  void use_sets(unsigned sets_log2) {
    sets_log2_ = sets_log2;
    twin_.use_sets(sets_log2);
  }
  void reset() {
    rtl_.reset();
    twin_ = StreamTable(sets_);
    twin_.use_sets(sets_log2_);
    held_.fill(0);
  }

  Lockstep lockstep;

 private:
  void meet(const StreamTable::In& in, const StreamTable::Out& seen) {
    using coverage::StreamAsk;
    using coverage::StreamOp;
    const std::uint64_t line = in.look ? in.line : 4 * seen.next.first;
    const std::uint64_t region = line / 16;
    const unsigned sets = std::min(sets_, 1u << sets_log2_);
    unsigned& held = held_[(region ^ region >> 6 ^ region >> 12 ^ region >> 18) & (sets - 1)];
    const bool there = in.look ? twin_.knows(line) : seen.next_hit;
    const StreamOp op = in.look    ? (there      ? StreamOp::LookHit
                                      : held < 4 ? StreamOp::LookNew
                                                 : StreamOp::LookEvicts)
                        : !in.next ? StreamOp::None
                        : there    ? StreamOp::NextKnown
                        : !in.add  ? StreamOp::NextKept
                        : held < 4 ? StreamOp::AddNew
                                   : StreamOp::AddEvicts;
    if ((in.look || in.add) && !there) held = std::min(4u, held + 1);
    if (in.flush) held_.fill(0);
    const auto hit = [&](StreamAsk ask) {
      pairs_.hit({sets_ == 1 ? 0u : 1u, static_cast<unsigned>(op), static_cast<unsigned>(ask),
                  in.view.level == 3, in.flush});
    };
    if (seen.held) hit(StreamAsk::Held);
    if (seen.ask) hit(seen.kind_next ? StreamAsk::Next : StreamAsk::Run);
    if (!seen.held && !seen.ask) hit(StreamAsk::Nothing);
  }

  Clocked<Vstream_table> rtl_;
  const unsigned sets_;  // built
  StreamTable twin_{sets_};
  unsigned sets_log2_ = 6;
  std::array<unsigned, 64> held_{};  // entries, by set
  test::TestCoverage pairs_{coverage::stream_table_pairs()};
};

void run_in_lockstep(Pair& pair, bool product) {
  Lockstep& lockstep = pair.lockstep;
  Random random(lockstep.seed());
  Traffic traffic(random);
  StreamTable::In in;
  bool next_due = false;
  unsigned flushes = 4000;
  std::uint64_t runs = 0, longer = 0, nexts = 0, known = 0, added = 0, held = 0, silent = 0;
  while (lockstep.next()) {
    if (lockstep.cycle() % 3000 == 0) {
      traffic.phase(random);
      flushes = random.percent(30) ? 60 : 4000;
      if (!product) flushes = random.pick(std::array{6u, 30u, 400u});
    }
    random_view(in.view, random);
    in.flush = random.below(flushes) == 0;
    in.next = next_due || (nexts != 0 && random.below(100) == 0);  // the last is kept
    if (!product && in.next) in.flush = random.percent(20);        // seldom met with one set
    in.look = !in.next && random.percent(90);
    in.add = false;
    if (in.look) in.line = traffic.next(random);
    if (in.next) in.add = !pair.next_known() && random.percent(60);
    const StreamTable::Out out = pair.step(in);
    runs += out.ask && !out.kind_next;
    longer += out.run.len != 0;
    nexts += out.kind_next;
    known += out.next_hit;
    added += in.add;
    held += out.held;
    silent += in.add && !out.next_send;
    if (out.kind_next) next_due = true;
    if (in.add || out.next_hit) next_due = false;
    if (in.flush) pair.use_sets(static_cast<unsigned>(random.below(9)));  // 64 sets are built
    if (random.below(2000) == 0) {  // the region kept for later is forgotten too
      pair.reset();
      next_due = false;
    }
  }
  if (product && lockstep.cycle() >= 100000) {
    EXPECT_GT(runs, 10000u);
    EXPECT_GT(longer, 1000u);
    EXPECT_GT(nexts, 1000u);
    EXPECT_GT(known, 100u);
    EXPECT_GT(added, 1000u);
    EXPECT_GT(held, 1000u);
    EXPECT_GT(silent, 100u);
  }
}

TEST(StreamTable, LockstepWithRtl) {
  test::shows("sr", "The RTL's stream table requests what its twin requests, in the same cycle",
              "docs/blocks/root_port/stream_table.md");
  Pair pair(0x57e);
  run_in_lockstep(pair, true);
}

TEST(StreamTable, LeastInLockstepWithRtl) {
  Pair pair(0x57f, true);
  run_in_lockstep(pair, false);
}

// A table whose loads are named by region and line of it.
class ByHand {
 public:
  StreamTable::View view{.length_enabled = true, .clip_log2 = 2, .other_ways = 1};

  struct Ask {
    Kind kind = Kind::Nothing;
    GranuleRun run;
    bool held = false;
  };
  Ask load(std::uint64_t region, unsigned place) {
    const StreamTable::Out out = step({.look = true, .line = region * 16 + place});
    return {!out.ask ? Kind::Nothing : out.kind_next ? Kind::Next : Kind::Run, out.run, out.held};
  }
  void expect_run(std::uint64_t region, unsigned place, std::uint64_t first, unsigned len) {
    const Ask ask = load(region, place);
    EXPECT_EQ(ask.kind, Kind::Run) << region << '.' << place;
    EXPECT_EQ(ask.run, (GranuleRun{first, len})) << region << '.' << place;
  }
  void expect_nothing(std::uint64_t region, unsigned place) {
    EXPECT_EQ(load(region, place).kind, Kind::Nothing) << region << '.' << place;
  }
  // The region that follows, of the last ask for one.
  std::uint64_t next() { return next_run().first / 4; }
  GranuleRun next_run() { return step({.next = true}).next; }
  bool next_known() { return step({.next = true}).next_hit; }
  bool sends_next() { return step({.next = true}).next_send; }
  void add() { step({.next = true, .add = true}); }
  void flush() { step({.flush = true}); }
  Ask load_and_flush(std::uint64_t region, unsigned place) {
    const StreamTable::Out out = step({.flush = true, .look = true, .line = region * 16 + place});
    return {!out.ask ? Kind::Nothing : out.kind_next ? Kind::Next : Kind::Run, out.run, out.held};
  }
  bool next_and_flush() { return step({.flush = true, .next = true}).next_hit; }
  void add_and_flush() { step({.flush = true, .next = true, .add = true}); }
  void use_sets(unsigned sets_log2) { pair_.use_sets(sets_log2); }
  // Regions of which three granules are predicted and never loaded: 6 of score ext each, once they
  // are gone.
  void waste_runs(unsigned regions) {
    for (unsigned i = 0; i < regions; ++i) {
      load(0x1000 + i, 0);
      load(0x1000 + i, 1);
    }
    forget();
  }
  // Streams that stop at the edge of a region: 8 of score next each.
  void waste_nexts(unsigned regions) {
    for (unsigned i = 0; i < regions; ++i) {
      const std::uint64_t region = 0x1000 + 4 * i;
      for (const unsigned place : {0u, 1u, 4u, 8u}) load(region, place);
      ASSERT_EQ(load(region, 12).kind, Kind::Next);
      ASSERT_FALSE(next_known());
      add();
    }
    forget();
  }
  void forget() {
    for (unsigned i = 0; i < 1024; ++i) load(0x80000 + i, 5);
  }

 private:
  StreamTable::Out step(StreamTable::In in) {
    in.view = view;
    return pair_.step(in);
  }
  Pair pair_{1};
};

TEST(StreamTable, RisingStream) {
  test::shows(
      "sr",
      "stream: the load's granule, the rest of its region once two loads have an order, the "
      "next region of this port at the last granule, each once",
      "docs/blocks/root_port/stream_table.md");
  ByHand t;
  t.expect_run(10, 0, 40, 0);  // its own
  t.expect_run(10, 1, 41, 2);  // an order: the rest
  t.expect_nothing(10, 2);
  t.expect_nothing(10, 11);
  EXPECT_EQ(t.load(10, 12).kind, Kind::Next);
  EXPECT_FALSE(t.next_known());
  EXPECT_EQ(t.next(), 12u);  // region 12: 11 is the other port's
  t.add();
  EXPECT_TRUE(t.next_known());
  t.expect_nothing(10, 13);  // once
  // It goes on there without a word, and asks for what follows.
  t.expect_nothing(12, 0);
  t.expect_nothing(12, 4);
  EXPECT_EQ(t.load(12, 12).kind, Kind::Next);
  EXPECT_EQ(t.next(), 14u);
}

TEST(StreamTable, FallingStream) {
  test::shows("sr", "stream: a falling stream is prefetched downwards",
              "docs/blocks/root_port/stream_table.md");
  ByHand t;
  t.expect_run(10, 15, 43, 0);
  t.expect_run(10, 14, 40, 2);
  EXPECT_EQ(t.load(10, 3).kind, Kind::Next);
  EXPECT_EQ(t.next(), 8u);
  // From region 0 it falls out at the top: regions count mod 2^42.
  t.expect_run(0, 15, 3, 0);
  t.expect_run(0, 14, 0, 2);
  t.load(0, 2);
  EXPECT_EQ(t.next(), (std::uint64_t{1} << 42) - 2);
}

TEST(StreamTable, JumpsOverOtherPorts) {
  test::shows("sr", "stream: what follows is the next region of this port, by chunk and ways",
              "docs/blocks/root_port/stream_table.md");
  const auto next_of = [](std::uint64_t region, bool up, unsigned clip, unsigned other_ways) {
    ByHand t;
    t.view.clip_log2 = clip;
    t.view.other_ways = other_ways;
    t.load(region, up ? 0 : 15);
    t.load(region, up ? 1 : 14);
    EXPECT_EQ(t.load(region, up ? 12 : 3).kind, Kind::Next);
    return t.next();
  };
  EXPECT_EQ(next_of(100, true, 15, 3), 101u);  // not interleaved
  EXPECT_EQ(next_of(100, true, 2, 3), 104u);   // chunks of a region, four ways
  EXPECT_EQ(next_of(100, false, 2, 3), 96u);
  EXPECT_EQ(next_of(100, true, 4, 2), 101u);  // four regions a chunk: 100 is the first ...
  EXPECT_EQ(next_of(103, true, 4, 2), 112u);  // ... 103 the last: over 8 others
  EXPECT_EQ(next_of(100, false, 4, 2), 91u);
  EXPECT_EQ(next_of(103, false, 4, 2), 102u);
}

TEST(StreamTable, WhatItDoesNotAskFor) {
  test::shows("sr",
              "stream: nothing for the head load's own granule or under severe load; only the "
              "load's granule without an order",
              "docs/blocks/root_port/stream_table.md");
  {
    ByHand t;
    t.view.at_head = true;
    t.expect_nothing(10, 0);
    t.expect_run(10, 1, 41, 2);
  }
  {
    ByHand t;
    t.view.level = 3;
    t.expect_nothing(10, 0);
    t.expect_nothing(10, 1);
    t.view.level = 2;
    t.expect_run(10, 2, 40, 3);  // it was seen all the same
  }
  {
    ByHand t;  // to and fro
    t.expect_run(10, 8, 42, 0);
    t.expect_run(10, 9, 43, 0);
    t.expect_run(10, 0, 40, 0);  // the other way: conf 1, downwards from granule 0
    t.expect_run(10, 7, 41, 0);
  }
}

// Without a length in chunks of 1 KiB and more: a granule a load.
TEST(StreamTable, GranuleByGranuleWithoutLength) {
  test::shows("sr",
              "stream: without length, or in chunks below 1 KiB, a stream is prefetched granule by "
              "granule, within what this port owns",
              "docs/blocks/root_port/stream_table.md");
  for (const unsigned clip : {2u, 4u, 15u}) {
    ByHand t;
    t.view.length_enabled = false;
    t.view.clip_log2 = clip;
    t.expect_run(10, 0, 40, 0);
    t.expect_run(10, 1, 41, 0);
    t.expect_run(10, 2, 42, 0);
    t.expect_run(10, 3, 43, 0);
    EXPECT_EQ(t.load(10, 4).kind, Kind::Nothing);
    EXPECT_EQ(t.load(10, 12).kind, Kind::Next);
    const std::uint64_t next = clip == 2 ? 12 : 11;
    EXPECT_FALSE(t.next_known());
    EXPECT_EQ(t.next_run(), (GranuleRun{next * 4, 0}));
    t.add();
    EXPECT_TRUE(t.next_known());
    t.expect_run(next, 0, next * 4 + 1, 0);  // the stream goes on there
    t.expect_run(next, 1, next * 4 + 2, 0);
  }
  ByHand t;  // downwards
  t.view.length_enabled = false;
  t.expect_run(10, 15, 43, 0);
  t.expect_run(10, 14, 42, 0);
  t.expect_run(10, 13, 41, 0);
  t.expect_run(10, 12, 40, 0);
  EXPECT_EQ(t.load(10, 3).kind, Kind::Next);
  EXPECT_EQ(t.next_run(), (GranuleRun{8 * 4 + 3, 0}));
}

// The load's own granule goes first, and is the only one of its request.
TEST(StreamTable, OneGranuleARequestWithoutLength) {
  ByHand t;
  t.view.length_enabled = false;
  t.view.at_head = true;
  t.expect_nothing(10, 0);
  t.expect_run(10, 1, 41, 0);  // ahead of the head
  t.view.at_head = false;
  t.expect_run(10, 8, 42, 0);  // its own
  t.expect_run(10, 9, 43, 0);
  t.flush();
  // What lies behind the first covered granule is reached too.
  t.view.at_head = true;
  t.expect_nothing(10, 4);
  t.expect_nothing(10, 0);     // down
  t.expect_run(10, 1, 42, 0);  // up, over granule 41
}

TEST(StreamTable, GranuleByGranuleInSmallChunks) {
  struct Case {
    unsigned clip, ways;
    unsigned place;        // of a load that asks for what follows; 0: the third does
    GranuleRun ahead;      // at the second load; 0: none
    std::uint64_t next;    // what follows
    std::uint64_t before;  // ... a falling stream
  };
  // Region 10 is granules 40..43; a port has each `ways`-th chunk, of 2^clip granules.
  const std::array cases{
      Case{0, 2, 8, {42, 0}, 44, 38},   // 40 and 42
      Case{0, 3, 12, {43, 0}, 46, 37},  // 40 and 43, 46 in the next region
      Case{0, 4, 0, {}, 44, 36},        // 40 alone
      Case{0, 16, 0, {}, 56, 24},       //
      Case{0, 1, 12, {41, 0}, 44, 39},  // not shared
      Case{1, 2, 4, {41, 0}, 44, 37},   // 40 and 41; down into 36, 37
      Case{1, 3, 4, {41, 0}, 46, 35},   // 46 and 47 next, 34 and 35 before
  };
  for (const Case& c : cases) {
    ByHand t;
    t.view.clip_log2 = c.clip;
    t.view.other_ways = c.ways - 1;
    t.expect_run(10, 0, 40, 0);
    if (c.ahead.first != 0) {
      t.expect_run(10, 1, c.ahead.first, 0);
    } else {
      t.expect_nothing(10, 1);
    }
    for (const unsigned place : {2u, 3u}) t.load(10, place);
    if (c.place != 0) {
      EXPECT_EQ(t.load(10, c.place).kind, Kind::Next);
    }
    EXPECT_EQ(t.next_run(), (GranuleRun{c.next, 0})) << c.clip << ' ' << c.ways;

    ByHand down;
    down.view = t.view;
    for (const unsigned place : {3u, 2u, 1u, 0u}) down.load(10, place);
    EXPECT_EQ(down.next_run(), (GranuleRun{c.before, 0})) << c.clip << ' ' << c.ways;
  }
}

// The region that follows has no other granule predicted than the one requested.
TEST(StreamTable, OneGranuleOfWhatFollowsIsWasted) {
  ByHand t;
  t.view.clip_log2 = 0;
  t.view.other_ways = 3;
  const auto waste = [&](unsigned streams) {
    for (unsigned i = 0; i < streams; ++i) {
      const std::uint64_t region = 0x1000 + 4 * i;
      for (const unsigned place : {0u, 1u}) t.load(region, place);
      ASSERT_EQ(t.load(region, 2).kind, Kind::Next);
      ASSERT_FALSE(t.next_known());
      t.add();
    }
    t.forget();
  };
  waste(15);  // 63 - 30 = 33
  EXPECT_TRUE(t.sends_next());
  waste(1);
  EXPECT_FALSE(t.sends_next());
  EXPECT_EQ(t.load(10, 0).run, (GranuleRun{40, 0}));
  t.load(10, 1);
  EXPECT_EQ(t.load(10, 2).kind, Kind::Next);
  t.add();                     // predicted alone
  t.expect_run(11, 0, 44, 0);  // right: 32
  EXPECT_TRUE(t.sends_next());
}

TEST(StreamTable, UsefulnessDecides) {
  test::shows("sr",
              "stream: while predictions of the rest of a region are wasted, they are not "
              "prefetched but still judged, until they would have been useful",
              "docs/blocks/root_port/stream_table.md");
  ByHand t;
  t.waste_runs(5);
  t.expect_run(10, 0, 40, 0);
  t.expect_run(10, 1, 41, 2);  // 63 - 30 = 33: it sends
  t.flush();
  t.waste_runs(6);  // 27
  t.expect_run(10, 0, 40, 0);
  const ByHand::Ask ask = t.load(10, 1);
  EXPECT_EQ(ask.kind, Kind::Nothing);
  EXPECT_TRUE(ask.held);
  EXPECT_FALSE(t.load(10, 2).held);  // told once
  t.expect_run(10, 4, 41, 0);        // its own alone; it was predicted: 28
  t.expect_run(10, 8, 42, 0);
  t.expect_run(10, 12, 43, 0);  // 30
  t.expect_run(20, 0, 80, 0);
  t.expect_nothing(20, 1);
  t.expect_run(20, 4, 81, 0);
  t.expect_run(20, 8, 82, 0);  // 32
  t.expect_run(20, 9, 83, 0);  // predicted before: now it is requested
  t.expect_run(30, 0, 120, 0);
  t.expect_run(30, 1, 121, 2);
}

TEST(StreamTable, TheRegionAfterHasAScoreOfItsOwn) {
  test::shows("sr",
              "stream: where streams ended with their regions, the next region is predicted but "
              "not prefetched; the rest of a region is",
              "docs/blocks/root_port/stream_table.md");
  ByHand t;
  t.waste_nexts(4);  // 63 - 32 = 31
  EXPECT_FALSE(t.sends_next());
  t.expect_run(10, 0, 40, 0);
  t.expect_run(10, 1, 41, 2);
  EXPECT_EQ(t.load(10, 12).kind, Kind::Next);
  t.add();
  EXPECT_TRUE(t.next_known());
  t.expect_run(12, 0, 48, 3);  // predicted, not requested: the load asks; 32
  EXPECT_TRUE(t.sends_next());
}

TEST(StreamTable, RemembersWhatTheInternalDramHolds) {
  test::shows("sr", "stream: with fewer sets in use, a prediction counts as wasted sooner",
              "docs/blocks/root_port/stream_table.md");
  const auto held_of = [](unsigned sets_log2) {
    ByHand t;
    t.use_sets(sets_log2);
    unsigned held = 0;
    for (unsigned step = 0; step < 16; ++step) {  // 40 streams in step
      for (unsigned stream = 0; stream < 40; ++stream) held += t.load(3 * stream, step).held;
    }
    return held;
  };
  EXPECT_EQ(held_of(6), 0u);  // 256 regions
  EXPECT_EQ(held_of(9), 0u);  // no more than are built
  EXPECT_EQ(held_of(4), 0u);  // 64
  ByHand t;
  t.use_sets(0);  // four regions: none is seen twice
  for (unsigned step = 0; step < 16; ++step) {
    for (unsigned stream = 0; stream < 40; ++stream) {
      t.expect_run(3 * stream, step, 12 * stream + step / 4, 0);
    }
  }
}

TEST(StreamTable, DirectionsChangeSlowly) {
  test::shows("sr", "stream: a load against the stream lowers what its direction is worth by one",
              "docs/blocks/root_port/stream_table.md");
  ByHand t;
  t.load(10, 0);
  for (unsigned place : {1u, 2u, 3u}) t.load(10, place);  // up, conf 3
  t.load(10, 2);                                          // conf 2
  t.load(10, 1);                                          // conf 1
  EXPECT_EQ(t.load(10, 12).kind, Kind::Next);             // up again, conf 2
  EXPECT_EQ(t.next(), 12u);
}

// However much was predicted and never loaded, a score stays at 0, and so it takes as many right
// ones to come back.
TEST(StreamTable, ScoresDoNotWrap) {
  for (unsigned wasted = 6; wasted < 30; ++wasted) {
    ByHand t;
    t.waste_runs(wasted);
    t.expect_run(10, 0, 40, 0);
    EXPECT_TRUE(t.load(10, 1).held) << wasted;
  }
  for (unsigned wasted = 4; wasted < 24; ++wasted) {
    ByHand t;
    t.waste_nexts(wasted);
    EXPECT_FALSE(t.sends_next()) << wasted;
  }
  // From 0 each load of a predicted granule is worth one, and 32 are needed; 63 is the most.
  ByHand t;
  t.waste_runs(20);
  unsigned right = 0;
  for (std::uint64_t r = 0x2000; right < 32; ++r) {
    t.load(r, 0);
    EXPECT_TRUE(t.load(r, 1).held) << right;
    for (const unsigned place : {4u, 8u, 12u}) right += right < 32 ? (t.load(r, place), 1) : 0;
  }
  t.load(10, 0);
  t.expect_run(10, 1, 41, 2);
}

// The region that is added has been used last: others of its set go before it.
TEST(StreamTable, WhatIsAddedStays) {
  ByHand t;
  t.load(10, 0);
  t.load(10, 1);
  for (const std::uint64_t r : {77, 142, 207, 264}) t.load(r, 0);  // all of region 12's set
  EXPECT_EQ(t.load(10, 12).kind, Kind::Next);
  t.add();  // in place of 77
  for (const std::uint64_t r : {329, 394}) {
    EXPECT_TRUE(t.next_known());
    t.load(r, 0);
  }
  EXPECT_TRUE(t.next_known());
}

// 256 regions have an entry, and then 256 others.
TEST(StreamTable, FullAndOverFull) {
  ByHand t;
  for (std::uint64_t r = 0; r < 256; ++r) t.expect_run(r, 0, 4 * r, 0);
  for (std::uint64_t r = 0; r < 256; ++r) t.expect_nothing(r, 0);
  for (std::uint64_t r = 256; r < 512; ++r) t.expect_run(r, 0, 4 * r, 0);
  for (std::uint64_t r = 256; r < 512; ++r) t.expect_nothing(r, 0);
  for (std::uint64_t r = 0; r < 256; ++r) t.expect_run(r, 0, 4 * r, 0);
  // A region loaded again is kept while others of its set go: 0, 65, 130, 195 share set 0 with 260.
  t.flush();
  for (const std::uint64_t r : {0, 65, 130, 195, 0, 260, 0}) t.load(r, 0);
  t.expect_nothing(0, 0);
  t.expect_nothing(260, 0);
}

// What happens in the cycle of a flush is forgotten with all else.
TEST(StreamTable, AFlushMeetsALookAndAnAdd) {
  ByHand t;
  t.waste_runs(6);
  t.load(10, 0);
  EXPECT_TRUE(t.load(10, 1).held);  // the score has fallen
  t.load(20, 0);
  EXPECT_TRUE(t.load_and_flush(20, 1).held);
  t.expect_run(10, 0, 40, 0);
  t.expect_run(10, 1, 41, 2);  // new entry, new score
  t.load(10, 11);
  EXPECT_EQ(t.load(10, 12).kind, Kind::Next);
  t.add_and_flush();
  EXPECT_FALSE(t.next_known());
  EXPECT_EQ(t.next(), 12u);  // kept: the reader may be on its way with it
  t.add();
  EXPECT_TRUE(t.next_known());
}

// The region that follows is known, is not, or takes another's place, in the cycle of a flush,
// whatever the load is.
TEST(StreamTable, AFlushMeetsTheRegionThatFollows) {
  for (const unsigned level : {0u, 3u}) {
    ByHand t;
    t.load(10, 0);
    t.load(10, 1);
    EXPECT_EQ(t.load(10, 12).kind, Kind::Next);  // region 12
    t.add();
    t.view.level = level;
    EXPECT_TRUE(t.next_and_flush());
    EXPECT_FALSE(t.next_and_flush());
    for (const std::uint64_t r : {77, 142, 207, 264}) t.load(r, 0);  // all of its set
    t.add_and_flush();
    EXPECT_FALSE(t.next_known());
    EXPECT_EQ(t.next(), 12u);
    t.view.level = 0;
    for (const std::uint64_t r : {77, 142, 207, 264}) t.expect_run(r, 0, 4 * r, 0);
  }
}

// Region 0, whole, though nothing was requested.
TEST(StreamTable, FollowerAfterReset) {
  ByHand t;
  EXPECT_EQ(t.next_run(), (GranuleRun{0, 3}));
  EXPECT_FALSE(t.next_known());
}

TEST(StreamTable, FlushForgets) {
  ByHand t;
  t.load(10, 0);
  t.load(10, 1);
  t.flush();
  t.expect_run(10, 2, 40, 0);
}

}  // namespace
}  // namespace cxlgpu
