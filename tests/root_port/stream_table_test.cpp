// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// stream_table: the twin in lockstep with the RTL, and its rules by hand.
#include "refmodel/root_port/stream_table.hpp"

#include <vector>

#include "Vstream_table.h"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"

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

TEST(StreamTable, LockstepWithRtl) {
  test::shows("sr", "The RTL's stream table asks for what its twin asks for, in the same cycle",
              "docs/blocks.md, stream_table");
  Lockstep lockstep("root_port/stream_table", 0x57e);
  Random random(lockstep.seed());
  Clocked<Vstream_table> rtl;
  StreamTable twin;
  rtl.reset();
  Traffic traffic(random);
  StreamTable::In in;
  bool next_due = false;
  unsigned sets_log2 = 6;
  rtl->sets_log2_i = sets_log2;
  std::uint64_t runs = 0, longer = 0, nexts = 0, known = 0, added = 0, held = 0, silent = 0;
  while (lockstep.next()) {
    if (lockstep.cycle() % 3000 == 0) traffic.phase(random);
    random_view(in.view, random);
    in.flush = random.below(4000) == 0;
    rtl->sets_log2_i = sets_log2;
    in.next = next_due || (nexts != 0 && random.below(100) == 0);  // the last is kept
    in.look = !in.next && random.percent(90);
    in.add = false;
    if (in.look) in.line = traffic.next(random);
    if (in.next) in.add = !twin.next_known() && random.percent(60);
    rtl->flush_i = in.flush;
    rtl->look_i = in.look;
    rtl->line_i = in.line;
    rtl->at_head_i = in.view.at_head;
    rtl->level_i = in.view.level;
    rtl->len_en_i = in.view.length_enabled;
    rtl->clip_log2_i = in.view.clip_log2;
    rtl->ways_i = in.view.other_ways;
    rtl->next_i = in.next;
    rtl->add_i = in.add;
    rtl.settle();
    const StreamTable::Out out = twin.eval(in);
    lockstep.check("ask_o", rtl->ask_o, out.ask);
    lockstep.check("kind_o", rtl->kind_o, out.kind_next);
    lockstep.check("first_o", rtl->first_o, out.run.first);
    lockstep.check("len_o", rtl->len_o, out.run.len);
    lockstep.check("held_o", rtl->held_o, out.held);
    lockstep.check("next_hit_o", rtl->next_hit_o, out.next_hit);
    lockstep.check("next_send_o", rtl->next_send_o, out.next_send);
    lockstep.check("next_first_o", rtl->next_first_o, out.next_first);
    runs += out.ask && !out.kind_next;
    longer += out.run.len != 0;
    nexts += out.kind_next;
    known += out.next_hit;
    added += in.add;
    held += out.held;
    silent += in.add && !out.next_send;
    if (out.kind_next) next_due = true;
    if (in.add || out.next_hit) next_due = false;
    twin.clock(in);
    if (in.flush) {
      sets_log2 = static_cast<unsigned>(random.below(9));  // 64 sets are built
      twin.use_sets(sets_log2);
    }
    rtl.edge();
    if (random.below(2000) == 0) {  // the region kept for later is forgotten too
      rtl.reset();
      twin = StreamTable();
      twin.use_sets(sets_log2);
      next_due = false;
    }
  }
  if (lockstep.cycle() >= 100000) {
    EXPECT_GT(runs, 10000u);
    EXPECT_GT(longer, 1000u);
    EXPECT_GT(nexts, 1000u);
    EXPECT_GT(known, 100u);
    EXPECT_GT(added, 1000u);
    EXPECT_GT(held, 1000u);
    EXPECT_GT(silent, 100u);
  }
}

// A table whose loads are named by region, granule and line of it.
class ByHand {
 public:
  StreamTable table;
  StreamTable::View view{.length_enabled = true, .clip_log2 = 2, .other_ways = 1};

  StreamTable::Ask load(std::uint64_t region, unsigned place) {
    return table.look(region * 16 + place, view);
  }
  void expect_run(std::uint64_t region, unsigned place, std::uint64_t first, unsigned len) {
    const StreamTable::Ask ask = load(region, place);
    EXPECT_EQ(ask.kind, Kind::Run) << region << '.' << place;
    EXPECT_EQ(ask.run, (GranuleRun{first, len})) << region << '.' << place;
  }
  void expect_nothing(std::uint64_t region, unsigned place) {
    EXPECT_EQ(load(region, place).kind, Kind::Nothing) << region << '.' << place;
  }
  // Regions of which three granules are foretold in vain: 6 of score ext each, once they are gone.
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
      ASSERT_FALSE(table.next_known());
      table.add();
    }
    forget();
  }
  void forget() {
    for (unsigned i = 0; i < 1024; ++i) load(0x80000 + i, 5);
  }
};

TEST(StreamTable, RisingStream) {
  test::shows(
      "sr",
      "stream: the load's granule, the rest of its region once two loads have an order, the "
      "next region of this port at the last granule, each once",
      "docs/blocks.md, stream_table");
  ByHand t;
  t.expect_run(10, 0, 40, 0);  // its own
  t.expect_run(10, 1, 41, 2);  // an order: the rest
  t.expect_nothing(10, 2);
  t.expect_nothing(10, 11);
  EXPECT_EQ(t.load(10, 12).kind, Kind::Next);
  EXPECT_FALSE(t.table.next_known());
  EXPECT_EQ(t.table.next(), (GranuleRun{48, 3}));  // region 12: 11 is the other port's
  t.table.add();
  EXPECT_TRUE(t.table.next_known());
  t.expect_nothing(10, 13);  // once
  // It goes on there without a word, and asks for what follows.
  t.expect_nothing(12, 0);
  t.expect_nothing(12, 4);
  EXPECT_EQ(t.load(12, 12).kind, Kind::Next);
  EXPECT_EQ(t.table.next(), (GranuleRun{56, 3}));
}

TEST(StreamTable, FallingStream) {
  test::shows("sr", "stream: a falling stream is asked for downwards",
              "docs/blocks.md, stream_table");
  ByHand t;
  t.expect_run(10, 15, 43, 0);
  t.expect_run(10, 14, 40, 2);
  EXPECT_EQ(t.load(10, 3).kind, Kind::Next);
  EXPECT_EQ(t.table.next(), (GranuleRun{32, 3}));
  // From region 0 it falls out at the top: regions count mod 2^42.
  t.expect_run(0, 15, 3, 0);
  t.expect_run(0, 14, 0, 2);
  t.load(0, 2);
  EXPECT_EQ(t.table.next().first, ((std::uint64_t{1} << 42) - 2) * 4);
}

TEST(StreamTable, JumpsOverOtherPorts) {
  test::shows("sr", "stream: what follows is the next region of this port, by chunk and ways",
              "docs/blocks.md, stream_table");
  const auto next_of = [](std::uint64_t region, bool up, unsigned clip, unsigned other_ways) {
    ByHand t;
    t.view.clip_log2 = clip;
    t.view.other_ways = other_ways;
    t.load(region, up ? 0 : 15);
    t.load(region, up ? 1 : 14);
    EXPECT_EQ(t.load(region, up ? 12 : 3).kind, Kind::Next);
    return t.table.next().first / 4;
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
              "load's granule without an order, without length, or in chunks below 1 KiB",
              "docs/blocks.md, stream_table");
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
  for (const bool length : {false, true}) {
    ByHand t;
    t.view.length_enabled = length;
    if (length) t.view.clip_log2 = 1;
    t.expect_run(10, 0, 40, 0);
    t.expect_nothing(10, 1);
    t.expect_run(10, 4, 41, 0);
    t.expect_nothing(10, 12 - 8);
    t.expect_run(10, 12, 43, 0);
    t.expect_nothing(10, 13);
  }
  {
    ByHand t;  // to and fro
    t.expect_run(10, 8, 42, 0);
    t.expect_run(10, 9, 43, 0);
    t.expect_run(10, 0, 40, 0);  // the other way: conf 1, downwards from granule 0
    t.expect_run(10, 7, 41, 0);
  }
}

TEST(StreamTable, UsefulnessDecides) {
  test::shows("sr",
              "stream: while the rest of regions was foretold in vain, it is not asked for, but "
              "judged, until it would have paid",
              "docs/blocks.md, stream_table");
  ByHand t;
  t.waste_runs(5);
  t.expect_run(10, 0, 40, 0);
  t.expect_run(10, 1, 41, 2);  // 63 - 30 = 33: it sends
  t.table.flush();
  t.waste_runs(6);  // 27
  t.expect_run(10, 0, 40, 0);
  const StreamTable::Ask ask = t.load(10, 1);
  EXPECT_EQ(ask.kind, Kind::Nothing);
  EXPECT_TRUE(ask.held);
  EXPECT_FALSE(t.load(10, 2).held);  // told once
  t.expect_run(10, 4, 41, 0);        // its own alone; it was foretold: 28
  t.expect_run(10, 8, 42, 0);
  t.expect_run(10, 12, 43, 0);  // 30
  t.expect_run(20, 0, 80, 0);
  t.expect_nothing(20, 1);
  t.expect_run(20, 4, 81, 0);
  t.expect_run(20, 8, 82, 0);  // 32
  t.expect_run(20, 9, 83, 0);  // foretold before: now it is asked for
  t.expect_run(30, 0, 120, 0);
  t.expect_run(30, 1, 121, 2);
}

TEST(StreamTable, TheRegionAfterHasAScoreOfItsOwn) {
  test::shows("sr",
              "stream: where streams ended with their regions, the next region is foretold and "
              "not asked for; the rest of a region is",
              "docs/blocks.md, stream_table");
  ByHand t;
  t.waste_nexts(4);  // 63 - 32 = 31
  EXPECT_FALSE(t.table.sends_next());
  t.expect_run(10, 0, 40, 0);
  t.expect_run(10, 1, 41, 2);
  EXPECT_EQ(t.load(10, 12).kind, Kind::Next);
  t.table.add();
  EXPECT_TRUE(t.table.next_known());
  t.expect_run(12, 0, 48, 3);  // foretold, not asked for: the load asks; 32
  EXPECT_TRUE(t.table.sends_next());
}

TEST(StreamTable, RemembersWhatTheInternalDramHolds) {
  test::shows("sr", "stream: with fewer sets in use, what was foretold counts as wasted the sooner",
              "docs/blocks.md, stream_table");
  const auto held_of = [](unsigned sets_log2) {
    ByHand t;
    t.table.use_sets(sets_log2);
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
  t.table.use_sets(0);  // four regions: none is seen twice
  for (unsigned step = 0; step < 16; ++step) {
    for (unsigned stream = 0; stream < 40; ++stream) {
      t.expect_run(3 * stream, step, 12 * stream + step / 4, 0);
    }
  }
}

TEST(StreamTable, DirectionsChangeSlowly) {
  test::shows("sr", "stream: a load against the stream lowers what its direction is worth by one",
              "docs/blocks.md, stream_table");
  ByHand t;
  t.load(10, 0);
  for (unsigned place : {1u, 2u, 3u}) t.load(10, place);  // up, conf 3
  t.load(10, 2);                                          // conf 2
  t.load(10, 1);                                          // conf 1
  EXPECT_EQ(t.load(10, 12).kind, Kind::Next);             // up again, conf 2
  EXPECT_EQ(t.table.next(), (GranuleRun{48, 3}));
}

TEST(StreamTable, FlushForgets) {
  ByHand t;
  t.load(10, 0);
  t.load(10, 1);
  t.table.flush();
  t.expect_run(10, 2, 40, 0);
}

}  // namespace
}  // namespace cxlgpu
