// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// sr_reader: the twin (with ring buffer and window) in lockstep with the RTL, and rules by hand.
#include "refmodel/root_port/sr_reader.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "Vsr_reader.h"
#include "refmodel/root_port/load_control.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/coverage/functional_groups.hpp"
#include "tests/coverage/functional_gtest.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr unsigned kSrDepth = 32;
constexpr unsigned kMemEntries = 30;
constexpr std::uint64_t kLines = std::uint64_t{1} << 46;

constexpr std::array kClips{0u, 1u, 2u, 3u, 14u, 15u, 15u, 15u};

constexpr std::array kLoads{DevLoad::Light,   DevLoad::Light,    DevLoad::Light, DevLoad::Optimal,
                            DevLoad::Optimal, DevLoad::Moderate, DevLoad::Severe};

// The surroundings of a reader: lines from a small moving region, so that the ring hits.
struct World {
  std::array<std::uint64_t, kSrDepth> loads{};
  std::array<std::uint64_t, kMemEntries> mem{};
  std::uint64_t base = 0;
  unsigned spec_ready = 50, change = 10;  // percent
  unsigned flush = 10;                    // per 6000
  unsigned fill = 100;                    // percent of the places that are taken again
  std::uint64_t steps = 0;                // of a stream
  unsigned far_bits = 0;                  // above the ring's hash: how many share a set
  unsigned stream_sets = 6;               // log2; changed by a flush
  bool controlled = false;                // state and level as load_control has them, or anything
  LoadControl load;

  std::uint64_t line(Random& random) {
    if (random.percent(50)) return (base + (steps++ % 512)) % kLines;  // a stream
    const std::uint64_t near = base + random.below(160);
    return random.percent(3) ? random.bits(46) : (near + (random.bits(far_bits) << 22)) % kLines;
  }
  void phase(Random& random) {
    base = random.percent(20) ? kLines - random.below(80) : random.bits(46);
    spec_ready = 1 + static_cast<unsigned>(random.below(100));
    change = static_cast<unsigned>(random.below(60));
    flush = random.pick(std::array{10u, 1u, 0u, 0u});
    far_bits = random.pick(std::array{0u, 1u, 3u, 4u});
    if (!controlled) return;
    fill = random.pick(std::array{100u, 30u, 5u, 0u});
    load.clear();
  }
};

void random_step(SrReaderBlock::In& in, World& world, Random& random, bool rd_taken) {
  if (random.below(200) == 0) {
    in.policy = random.percent(30) ? SrPolicy::Stream : static_cast<SrPolicy>(random.bits(3));
  }
  if (random.below(200) == 0) in.other_ways = static_cast<unsigned>(random.below(4));
  if (world.controlled) {
    if (random.below(20) == 0) world.load.on_response(random.pick(kLoads));
    in.level = world.load.level();
    in.gran = world.load.state();
  } else {
    if (random.below(40) == 0) in.level = static_cast<DevLoad>(random.bits(2));
    if (random.below(30) == 0) in.gran = static_cast<Gran>(random.below(6));
  }
  if (random.below(300) == 0) in.length_enabled = random.percent(80);
  if (random.below(100) == 0) in.clip_log2 = random.pick(kClips);
  in.flush = random.below(6000) < world.flush;
  if (!in.rd_valid || rd_taken) {  // what the reader stands on stays until it moves on
    in.rd_valid = random.percent(80);
    in.rd_is_load = random.percent(75);
    in.rd_line = world.line(random);
    in.rd_index = static_cast<unsigned>(random.below(kSrDepth));
    in.rd_head = random.percent(20);
    if (in.rd_is_load) {
      world.loads[in.rd_index] = in.rd_line;
      in.loads.valid |= std::uint64_t{1} << in.rd_index;
    }
  }
  if (world.fill != 100 && random.percent(100 - world.fill)) {  // loads leave soon
    in.loads.valid &= ~(std::uint64_t{1} << random.below(kSrDepth));
  }
  while (random.percent(world.change)) {
    const auto i = random.below(kSrDepth);
    const auto toggle = [&](std::uint64_t& valid, std::uint64_t entry) {
      if (((valid >> entry) & 1) != 0 || world.fill == 100 || random.percent(world.fill)) {
        valid ^= std::uint64_t{1} << entry;
      }
    };
    toggle(in.loads.valid, i);
    if ((in.loads.valid >> i) & 1) world.loads[i] = world.line(random);
    const auto m = random.below(kMemEntries);
    toggle(in.mem.valid, m);
    if ((in.mem.valid >> m) & 1) world.mem[m] = world.line(random);
  }
  in.spec_ready = random.percent(world.spec_ready);
}

template <typename Top>
void drive(Top& rtl, const SrReaderBlock::In& in, const World& world) {
  rtl->policy_i = static_cast<unsigned>(in.policy);
  rtl->len_en_i = in.length_enabled;
  rtl->clip_log2_i = in.clip_log2;
  rtl->ways_i = in.other_ways;
  rtl->sets_log2_i = world.stream_sets;
  rtl->state_i = static_cast<unsigned>(in.gran);
  rtl->level_i = static_cast<unsigned>(in.level);
  rtl->flush_i = in.flush;
  rtl->rd_valid_i = in.rd_valid;
  rtl->rd_is_load_i = in.rd_is_load;
  rtl->rd_line_i = in.rd_line;
  rtl->rd_index_i = in.rd_index;
  rtl->rd_head_i = in.rd_head;
  rtl->load_valid_i = static_cast<std::uint32_t>(in.loads.valid);
  rtl->mem_valid_i = static_cast<std::uint32_t>(in.mem.valid);
  for (unsigned i = 0; i < kSrDepth; ++i) {
    test::set_bits(rtl->load_line_i, 46 * i, 46, world.loads[i]);
  }
  for (unsigned i = 0; i < kMemEntries; ++i) {
    test::set_bits(rtl->mem_line_i, 46 * i, 46, world.mem[i]);
  }
  rtl->spec_ready_i = in.spec_ready;
}

template <typename Top>
void compare(Lockstep& lockstep, Top& rtl, const SrReaderBlock::Out& out) {
  lockstep.check("rd_next_o", rtl->rd_next_o, out.rd_next);
  lockstep.check("spec_valid_o", rtl->spec_valid_o, out.spec_valid);
  lockstep.check("spec_first_o", rtl->spec_first_o, out.run.first);
  lockstep.check("spec_len_o", rtl->spec_len_o, out.run.len);
  lockstep.check("spec_line_o", rtl->spec_line_o, out.spec_line);
  lockstep.check("seen_o", rtl->seen_o, out.counters.loads);
  lockstep.check("issued_o", rtl->issued_o, out.counters.issued);
  lockstep.check("ring_suppressed_o", rtl->ring_suppressed_o, out.counters.covered);
  lockstep.check("halt_suppressed_o", rtl->halt_suppressed_o, out.counters.halted);
  lockstep.check("asked_o", rtl->asked_o, out.counters.asked);
  lockstep.check("used_o", rtl->used_o, out.counters.used);
  lockstep.check("useful_o", rtl->useful_o, out.counters.useful);
  lockstep.check("useless_o", rtl->useless_o, out.counters.useless);
  lockstep.check("late_o", rtl->late_o, out.counters.late);
  lockstep.check("score_suppressed_o", rtl->score_suppressed_o, out.counters.held);
}

// What became of each load that the reader looked at while load control had its way.
class SpeculationBins {
 public:
  // With the inputs of a cycle, before its edge.
  void look(const SrReaderBlock::In& in, const SrReaderBlock::Out& out) {
    if (load_ && out.spec_valid && in.spec_ready) {
      asked(in, out.run);
      load_.reset();
    } else if (load_ && ((in.loads.valid >> load_->slot) & 1) == 0) {
      load_->there = false;
    }
    looked_ = out.rd_next && in.rd_is_load;
  }
  // After it; `issuing`: the reader has latched the load.
  void after(const SrReaderBlock::In& in, bool issuing) {
    if (load_ && !issuing) {  // given up
      hit(coverage::WindowSide::None);
      load_.reset();
    }
    if (!looked_) return;
    const bool off = in.policy > SrPolicy::Stream;
    load_ = Load{off ? SrPolicy::Off : in.policy, in.gran, in.level, in.rd_line, in.rd_index};
    if (issuing) return;
    hit(coverage::WindowSide::None);
    load_.reset();
  }

 private:
  struct Load {
    SrPolicy policy;
    Gran gran;
    DevLoad level;
    std::uint64_t line;
    unsigned slot;
    bool there = true;  // in its slot
  };
  void hit(coverage::WindowSide side) {
    counts_.hit({static_cast<unsigned>(load_->policy), static_cast<unsigned>(load_->level),
                 static_cast<unsigned>(side)});
  }
  void asked(const SrReaderBlock::In& in, const GranuleRun& run) {
    using coverage::WindowSide;
    const std::uint64_t own = load_->line / 4, last = run.first + run.len;
    if (own < run.first || own > last) return hit(WindowSide::Elsewhere);
    const bool below = run.first<own, above = last> own;
    hit(below && above ? WindowSide::Both
        : below        ? WindowSide::Start
        : above        ? WindowSide::End
                       : WindowSide::Own);
    const GranuleRun whole = unclipped(in, run);
    if (whole.first < run.first) hit(WindowSide::ClipStart);
    if (whole.first + whole.len > last) hit(WindowSide::ClipEnd);
  }
  // What it would have been without interleaving.
  [[nodiscard]] GranuleRun unclipped(const SrReaderBlock::In& in, const GranuleRun& run) const {
    const bool window = load_->policy == SrPolicy::Paper || load_->policy == SrPolicy::Directional;
    if (!in.length_enabled || (!window && load_->policy != SrPolicy::Dyn)) return run;
    if (!window) return {load_->line / 4, granules_of(load_->gran) - 1};
    LineTable loads = in.loads;
    if (load_->there) loads.valid &= ~(std::uint64_t{1} << load_->slot);
    return compute_window(load_->line, load_->gran, load_->policy == SrPolicy::Directional, in.mem,
                          loads);
  }

  test::TestCoverage counts_{coverage::speculation()};
  std::optional<Load> load_;
  bool looked_ = false;
};

// With bins: DevLoads move state and level as in a root port, and the queues are full or not.
SrCounters run(Lockstep& lockstep, SpeculationBins* bins) {
  Random random(lockstep.seed());
  Clocked<Vsr_reader> rtl;
  SrReaderBlock twin;
  World world;
  rtl->sets_log2_i = world.stream_sets;
  rtl.reset();
  SrReaderBlock::In in;
  in.loads.line = world.loads.data();
  in.mem.line = world.mem.data();
  bool rd_taken = true;
  SrCounters total;
  if (bins) world.controlled = true;
  while (lockstep.next()) {
    if (lockstep.cycle() % 700 == 1) world.phase(random);
    random_step(in, world, random, rd_taken);
    drive(rtl, in, world);
    rtl.settle();
    const SrReaderBlock::Out out = twin.eval(in);
    compare(lockstep, rtl, out);
    total = out.counters;
    rd_taken = out.rd_next;
    if (bins) bins->look(in, out);
    twin.clock(in);
    if (bins) {
      SrReaderBlock::In asks = in;
      asks.rd_valid = true;
      bins->after(in, !twin.eval(asks).rd_next);
    }
    if (in.flush) {
      world.stream_sets = static_cast<unsigned>(random.below(9));
      twin.use_stream_sets(world.stream_sets);
    }
    rtl.edge();
    if (lockstep.cycle() == 6000) {  // whatever was under way
      rtl->sets_log2_i = world.stream_sets;
      rtl.reset();
      twin = SrReaderBlock();
      twin.use_stream_sets(world.stream_sets);
      rd_taken = true;
    }
  }
  return total;
}

TEST(SrReader, LockstepWithRtl) {
  test::shows("sr", "The RTL's reader offers what its twin offers, in the same cycle",
              "docs/blocks.md, sr_reader");
  Lockstep lockstep("root_port/sr_reader", 0x5ead);
  const SrCounters total = run(lockstep, nullptr);
  if (lockstep.cycle() > 100000) {
    EXPECT_GT(total.issued, 1000u);
    EXPECT_GT(total.held, 50u);
    EXPECT_GT(total.covered, 1000u);
    EXPECT_GT(total.halted, 1000u);
    EXPECT_GT(total.asked, total.issued);
    EXPECT_GT(total.used, total.issued + 1000u);
    EXPECT_GT(total.useful, 300u);
    EXPECT_GT(total.useless, 300u);
    EXPECT_GT(total.late, 300u);
    EXPECT_LT(total.late, total.issued - 1000u);
    if (std::getenv("CXLGPU_SHOW") != nullptr) {
      std::printf("issued %u covered %u halted %u asked %u used %u useful %u useless %u late %u\n",
                  total.issued, total.covered, total.halted, total.asked, total.used, total.useful,
                  total.useless, total.late);
    }
  }
}

TEST(SrReader, LockstepUnderLoadControl) {
  Lockstep lockstep("root_port/sr_reader", 0x5eae, 400000);
  SpeculationBins bins;
  const SrCounters total = run(lockstep, &bins);
  EXPECT_GT(total.issued, lockstep.cycle() / 200);
}

TEST(SrReader, VerdictsInOrder) {
  test::shows("sr",
              "No MemSpecRd for a store, with the policy off, halted, or where the ring covers the "
              "load, tested in this order",
              "docs/blocks.md, sr_reader");
  RingBuffer ring;
  ring.record({25, 0}, 100);  // lines 100..103
  const auto verdict = [&](bool load, SrPolicy policy, Gran gran, std::uint64_t line) {
    return sr_verdict(load, line, policy, gran, ring);
  };
  EXPECT_EQ(verdict(false, SrPolicy::Naive, Gran::B256, 0), SrVerdict::Store);
  EXPECT_EQ(verdict(true, SrPolicy::Off, Gran::Halted, 100), SrVerdict::Off);
  EXPECT_EQ(verdict(true, SrPolicy{6}, Gran::B256, 0), SrVerdict::Off);
  EXPECT_EQ(verdict(true, SrPolicy::Naive, Gran::Halted, 100), SrVerdict::Issue);
  for (SrPolicy p : {SrPolicy::Dyn, SrPolicy::Paper, SrPolicy::Directional}) {
    EXPECT_EQ(verdict(true, p, Gran::Halted, 100), SrVerdict::Halted);
    EXPECT_EQ(verdict(true, p, Gran::B64, 103), SrVerdict::Covered);
    EXPECT_EQ(verdict(true, p, Gran::B64, 104), SrVerdict::Issue);
  }
}

TEST(SrReader, WhatIsAskedFor) {
  test::shows("sr",
              "Each policy asks for its own run of granules; without the length extension for the "
              "load's granule alone",
              "docs/blocks.md, sr_reader");
  const std::array<std::uint64_t, 2> lines{402, 404};
  const LineTable none{lines.data(), 0};
  const LineTable loads{lines.data(), 0b11};
  const auto run = [&](SrPolicy policy, Gran gran, bool length) {
    RingBuffer ring;
    SrReader reader;
    reader.look(true, 402, 0, policy, gran, ring, {});
    return reader.window(length, none, loads);
  };
  EXPECT_EQ(run(SrPolicy::Naive, Gran::B1024, true), (GranuleRun{100, 0}));
  EXPECT_EQ(run(SrPolicy::Dyn, Gran::B64, true), (GranuleRun{100, 0}));
  EXPECT_EQ(run(SrPolicy::Dyn, Gran::B256, true), (GranuleRun{100, 0}));
  EXPECT_EQ(run(SrPolicy::Dyn, Gran::B1024, true), (GranuleRun{100, 3}));
  EXPECT_EQ(run(SrPolicy::Dyn, Gran::B1024, false), (GranuleRun{100, 0}));
  // Chunks of 512 B: [100, 102) holds the load.
  {
    RingBuffer ring;
    SrReader reader;
    reader.look(true, 402, 0, SrPolicy::Dyn, Gran::B1024, ring, {});
    EXPECT_EQ(reader.window(true, none, none, 1), (GranuleRun{100, 1}));
  }
  // 256 B at 402: [398, 406); only line 404 counts, the load itself is left out: end 405 -> 101.
  EXPECT_EQ(run(SrPolicy::Paper, Gran::B256, true), (GranuleRun{100, 0}));
  EXPECT_EQ(run(SrPolicy::Directional, Gran::B512, true), (GranuleRun{99, 2}));
}

TEST(SrReader, LatchedLoadIsLeftOutWhileItIsThere) {
  const std::array<std::uint64_t, 3> lines{402, 403, 404};
  RingBuffer ring;
  SrReader reader;
  reader.look(true, 402, 0, SrPolicy::Paper, Gran::B512, ring, {});
  // [394, 410); two others: end 408 -> 102. Once the load left, its slot counts again.
  EXPECT_EQ(reader.window(true, {}, {lines.data(), 0b111}), (GranuleRun{99, 2}));
  const std::array<std::uint64_t, 6> more{402, 1, 2, 3, 4, 5};
  EXPECT_EQ(reader.window(true, {}, {more.data(), 0b001111}), (GranuleRun{99, 2}));
  reader.slot_left(3);  // another slot
  EXPECT_EQ(reader.window(true, {}, {more.data(), 0b011111}), (GranuleRun{99, 2}));
  EXPECT_EQ(reader.window(true, {}, {more.data(), 0b111111}), (GranuleRun{99, 1}));
  reader.slot_left(0);
  EXPECT_EQ(reader.window(true, {}, {more.data(), 0b011111}), (GranuleRun{99, 1}));
}

// A reader by hand, the RTL beside it. Dyn with the length extension, two granules at a time.
class Bench {
 public:
  Bench() {
    in.policy = SrPolicy::Dyn;
    in.length_enabled = true;
    in.gran = Gran::B512;
    in.loads.line = world_.loads.data();
    in.mem.line = world_.mem.data();
    rtl_->sets_log2_i = world_.stream_sets;
    rtl_.reset();
  }
  void step() {
    drive(rtl_, in, world_);
    rtl_.settle();
    const SrReaderBlock::Out out = twin_.eval(in);
    compare(lockstep_, rtl_, out);
    twin_.clock(in);
    rtl_.edge();
  }
  // A load in the reader's view, for the one cycle in which it is looked at.
  void look(std::uint64_t line, bool is_load = true) {
    if (is_load) {
      world_.loads[kSlot] = line;
      in.loads.valid |= std::uint64_t{1} << kSlot;
    }
    in.rd_valid = true;
    in.rd_is_load = is_load;
    in.rd_line = line;
    in.rd_index = kSlot;
    step();
    in.rd_valid = false;
  }
  void load_leaves() { in.loads.valid &= ~(std::uint64_t{1} << kSlot); }
  void take() {
    in.spec_ready = true;
    step();
    in.spec_ready = false;
  }
  void look_and_take(std::uint64_t line) {
    look(line);
    take();
  }
  [[nodiscard]] SrCounters counters() const { return twin_.eval(in).counters; }

  SrReaderBlock::In in;

 private:
  static constexpr unsigned kSlot = 5;
  Lockstep lockstep_{"root_port/sr_reader", 1};
  Clocked<Vsr_reader> rtl_;
  SrReaderBlock twin_;
  World world_;
};

TEST(SrReader, LinesAskedForAndUsed) {
  test::shows("sr",
              "Counted: granules asked for, and lines of them that a load wanted, each once, "
              "whether that load was suppressed or not; a load passed for policy off is none",
              "docs/blocks.md, sr_reader");
  Bench b;
  const auto expect = [&](std::uint32_t issued, std::uint32_t asked, std::uint32_t used) {
    EXPECT_EQ(b.counters().issued, issued);
    EXPECT_EQ(b.counters().asked, asked);
    EXPECT_EQ(b.counters().used, used);
  };
  b.look(402);  // granule 100
  expect(0, 0, 0);
  b.take();
  expect(1, 2, 1);
  b.look(402);
  expect(1, 2, 1);
  b.look(404);  // granule 101
  expect(1, 2, 2);
  b.look(404);
  expect(1, 2, 2);
  b.look(405, false);  // a store wants nothing
  expect(1, 2, 2);
  EXPECT_EQ(b.counters().covered, 3u);
  b.in.gran = Gran::Halted;
  b.look(405);
  b.look(420);  // not in the ring
  expect(1, 2, 3);
  EXPECT_EQ(b.counters().halted, 2u);
  for (const unsigned off : {0u, 6u, 7u}) {
    b.in.policy = SrPolicy(off);
    b.look(406);
  }
  expect(1, 2, 3);
  EXPECT_EQ(b.counters().loads, 9u);
  b.in.policy = SrPolicy::Directional;
  b.in.gran = Gran::B256;
  b.look_and_take(410);  // [406, 414) rounds to granules 102 and 103
  expect(2, 4, 4);
}

TEST(SrReader, NaiveIsCountedAndNeverSuppressed) {
  test::shows("sr",
              "The naive policy's MemSpecRd are counted as any other's, and what was asked for "
              "never keeps it from asking again",
              "docs/blocks.md, sr_reader");
  Bench b;
  b.in.policy = SrPolicy::Naive;
  b.look_and_take(402);
  b.look_and_take(402);  // its line was used
  b.look_and_take(403);  // a new line, used when it is looked at, and not once more when taken
  EXPECT_EQ(b.counters().issued, 3u);
  EXPECT_EQ(b.counters().asked, 3u);
  EXPECT_EQ(b.counters().used, 2u);
  EXPECT_EQ(b.counters().covered, 0u);
  b.look(401);
  EXPECT_EQ(b.counters().used, 3u);
  b.in.gran = Gran::Halted;
  b.take();
  b.look_and_take(400);
  EXPECT_EQ(b.counters().issued, 5u);
  EXPECT_EQ(b.counters().used, 4u);
  EXPECT_EQ(b.counters().halted, 0u);
  for (std::uint64_t i = 1; i < 5; ++i) b.look_and_take(402 + (i << 22));
  EXPECT_EQ(b.counters().useful, 1u);
  EXPECT_EQ(b.counters().useless, 0u);
}

TEST(SrReader, GranulesThatLeaveTheRing) {
  test::shows("sr",
              "Counted: granules that leave the ring, by whether a load wanted a line of them; "
              "without a flush they and what the ring holds are what was asked for",
              "docs/blocks.md, sr_reader");
  Bench b;
  const auto line = [](std::uint64_t i) { return i << 22; };  // all in one set of banks 0 and 1
  for (std::uint64_t i = 0; i < 4; ++i) b.look_and_take(line(i));
  EXPECT_EQ(b.counters().asked, 8u);
  EXPECT_EQ(b.counters().used, 4u);
  EXPECT_EQ(b.counters().useful + b.counters().useless, 0u);
  b.look(line(1) + 7);  // in the second granule
  b.look_and_take(line(4));
  EXPECT_EQ(b.counters().useful, 1u);  // the load's own granule
  EXPECT_EQ(b.counters().useless, 1u);
  b.look_and_take(line(5));
  EXPECT_EQ(b.counters().useful, 3u);
  EXPECT_EQ(b.counters().useless, 1u);
  EXPECT_EQ(b.counters().asked, 12u);  // 4 gone, 8 held
  EXPECT_EQ(b.counters().used, 7u);
  b.look_and_take(line(0) + 4);  // granules 1 and 2: bank 2 has room
  EXPECT_EQ(b.counters().useful, 3u);
  EXPECT_EQ(b.counters().useless, 2u);
  EXPECT_EQ(b.counters().asked, 14u);  // 5 gone, 9 held
}

TEST(SrReader, LateIsAfterItsLoad) {
  test::shows("sr",
              "A MemSpecRd is late if its load has left the SR queue when it is taken, though its "
              "slot may have another by then",
              "docs/blocks.md, sr_reader");
  Bench b;
  const auto late = [&] { return b.counters().late; };
  b.look_and_take(100);
  EXPECT_EQ(late(), 0u);
  b.look(200);
  b.step();
  b.step();
  b.take();  // there to the last cycle
  b.load_leaves();
  EXPECT_EQ(late(), 0u);
  b.look(300);
  b.load_leaves();
  b.take();  // gone in this cycle for the first time
  EXPECT_EQ(late(), 1u);
  b.look(400);
  b.step();
  b.load_leaves();
  b.step();
  b.in.loads.valid = ~std::uint64_t{0} >> 32;  // another one's
  b.take();
  EXPECT_EQ(late(), 2u);
  b.look_and_take(500);
  EXPECT_EQ(late(), 2u);
  EXPECT_EQ(b.counters().issued, 5u);
}

TEST(SrReader, FlushForgetsUncounted) {
  Bench b;
  b.in.flush = true;
  b.look_and_take(402);  // asked for, but the ring tells nothing
  EXPECT_EQ(b.counters().asked, 2u);
  EXPECT_EQ(b.counters().used, 0u);
  b.in.flush = false;
  b.look_and_take(402);
  EXPECT_EQ(b.counters().asked, 4u);
  EXPECT_EQ(b.counters().used, 1u);
  b.in.flush = true;
  b.look(404);  // covered to the last
  EXPECT_EQ(b.counters().covered, 1u);
  EXPECT_EQ(b.counters().used, 1u);
  b.in.flush = false;
  const auto line = [](std::uint64_t i) { return i << 22; };
  for (std::uint64_t i = 0; i < 4; ++i) b.look_and_take(line(i));
  b.look(line(4));
  b.in.flush = true;
  b.take();
  EXPECT_EQ(b.counters().asked, 14u);
  EXPECT_EQ(b.counters().used, 5u);
  EXPECT_EQ(b.counters().useful + b.counters().useless, 0u);
}

}  // namespace
}  // namespace cxlgpu
