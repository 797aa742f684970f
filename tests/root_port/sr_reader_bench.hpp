// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The bench of sr_reader_test: a reader's surroundings at random or by hand, the twin (with ring
// buffer and window) beside the RTL; what became of each load, and what meets in a cycle.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "Vsr_reader.h"
#include "refmodel/root_port/load_control.hpp"
#include "refmodel/root_port/sr_reader.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/offer.hpp"
#include "tests/coverage/functional_groups.hpp"
#include "tests/coverage/functional_gtest.hpp"

namespace cxlgpu::sr_reader_bench {

using test::Clocked;
using test::Lockstep;
using test::Random;

inline constexpr unsigned kSrDepth = 32;
inline constexpr unsigned kMemEntries = 30;
inline constexpr std::uint64_t kLines = std::uint64_t{1} << 46;

inline constexpr std::array kClips{0u, 1u, 2u, 3u, 14u, 15u, 15u, 15u};

inline constexpr std::array kLoads{DevLoad::Light,   DevLoad::Light,   DevLoad::Light,
                                   DevLoad::Optimal, DevLoad::Optimal, DevLoad::Moderate,
                                   DevLoad::Severe};

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

inline void random_step(SrReaderBlock::In& in, World& world, Random& random, bool rd_taken) {
  if (random.below(200) == 0) {
    in.policy = random.percent(30) ? SrPolicy::Stream : static_cast<SrPolicy>(random.bits(3));
  }
  if (random.below(200) == 0) in.modes.other_ways = static_cast<unsigned>(random.below(4));
  if (world.controlled) {
    if (random.below(20) == 0) world.load.on_response(random.pick(kLoads));
    in.level = world.load.level();
    in.gran = world.load.state();
  } else {
    if (random.below(40) == 0) in.level = static_cast<DevLoad>(random.bits(2));
    if (random.below(30) == 0) in.gran = static_cast<Gran>(random.below(6));
  }
  if (random.below(300) == 0) in.modes.length_enabled = random.percent(80);
  if (random.below(100) == 0) in.modes.match_start = random.percent(25);
  if (random.below(300) == 0) in.modes.spec_64b = random.percent(12);
  if (random.below(300) == 0) in.modes.around = random.percent(50);
  if (random.below(100) == 0) in.modes.clip_log2 = random.pick(kClips);
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
  rtl->len_en_i = in.modes.length_enabled;
  rtl->match_start_i = in.modes.match_start;
  rtl->spec_64b_i = in.modes.spec_64b;
  rtl->around_i = in.modes.around;
  rtl->clip_log2_i = in.modes.clip_log2;
  rtl->ways_i = in.modes.other_ways;
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
  lockstep.check("loads_seen_o", rtl->loads_seen_o, out.counters.loads_seen);
  lockstep.check("issued_o", rtl->issued_o, out.counters.issued);
  lockstep.check("ring_suppressed_o", rtl->ring_suppressed_o, out.counters.ring_suppressed);
  lockstep.check("halt_suppressed_o", rtl->halt_suppressed_o, out.counters.halt_suppressed);
  lockstep.check("requested_o", rtl->requested_o, out.counters.requested);
  lockstep.check("lines_used_o", rtl->lines_used_o, out.counters.lines_used);
  lockstep.check("useful_granules_o", rtl->useful_granules_o, out.counters.useful_granules);
  lockstep.check("useless_granules_o", rtl->useless_granules_o, out.counters.useless_granules);
  lockstep.check("issued_late_o", rtl->issued_late_o, out.counters.issued_late);
  lockstep.check("score_suppressed_o", rtl->score_suppressed_o, out.counters.score_suppressed);
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
      hit(coverage::WindowSide::None, in);
      load_.reset();
    }
    if (!looked_) return;
    const bool off = in.policy > SrPolicy::Stream;
    load_ = Load{off ? SrPolicy::Off : in.policy, in.gran, in.level, in.rd_line, in.rd_index};
    if (issuing) return;
    hit(coverage::WindowSide::None, in);
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
  static constexpr unsigned kSrAround = 6;  // behind the policies
  void hit(coverage::WindowSide side, const SrReaderBlock::In& in) {
    const bool around = load_->policy == SrPolicy::Sr && in.modes.around;
    counts_.hit({around ? kSrAround : static_cast<unsigned>(load_->policy),
                 static_cast<unsigned>(load_->level), static_cast<unsigned>(side)});
  }
  void asked(const SrReaderBlock::In& in, const GranuleRun& run) {
    using coverage::WindowSide;
    const std::uint64_t own = load_->line / 4, last = run.first + run.len;
    if (own < run.first || own > last) return hit(WindowSide::Elsewhere, in);
    const bool below = run.first<own, above = last> own;
    hit(below && above ? WindowSide::Both
        : below        ? WindowSide::Start
        : above        ? WindowSide::End
                       : WindowSide::Own,
        in);
    const GranuleRun whole = unclipped(in, run);
    if (whole.first < run.first) hit(WindowSide::ClipStart, in);
    if (whole.first + whole.len > last) hit(WindowSide::ClipEnd, in);
  }
  // What it would have been without interleaving.
  [[nodiscard]] GranuleRun unclipped(const SrReaderBlock::In& in, const GranuleRun& run) const {
    const bool window = load_->policy == SrPolicy::SrPaper || load_->policy == SrPolicy::Sr;
    if (!in.modes.with_length() || (!window && load_->policy != SrPolicy::Dyn)) return run;
    if (!window) return {load_->line / 4, granules_of(load_->gran) - 1};
    LineTable loads = in.loads;
    if (load_->there) loads.valid &= ~(std::uint64_t{1} << load_->slot);
    const WindowRule rule = load_->policy == SrPolicy::SrPaper ? WindowRule::Paper
                            : in.modes.around                  ? WindowRule::Around
                                                               : WindowRule::Ahead;
    return compute_window(load_->line, load_->gran, rule, in.mem, loads);
  }

  test::TestCoverage counts_{coverage::speculation()};
  std::optional<Load> load_;
  bool looked_ = false;
};

// What the reader does, by the RTL, and what changes in the same cycle.
class Meetings {
 public:
  // With the inputs of a cycle, before its edge.
  void look(const SrReaderBlock::In& in, bool rd_next, bool spec_valid, bool looks_up) {
    using coverage::ReaderDoes;
    using coverage::ReaderMeets;
    meets_.clear();
    if (in.policy != before_.policy) meets_.push_back(ReaderMeets::Policy);
    if (in.flush) meets_.push_back(ReaderMeets::Flush);
    if (in.modes.with_length() != before_.modes.with_length()) {
      meets_.push_back(ReaderMeets::Length);
    }
    if (in.modes.match_start != before_.modes.match_start) meets_.push_back(ReaderMeets::Match);
    if (in.modes.around != before_.modes.around) meets_.push_back(ReaderMeets::Around);
    if (in.modes.clip_log2 != before_.modes.clip_log2) meets_.push_back(ReaderMeets::Chunk);
    if (in.gran != before_.gran) meets_.push_back(ReaderMeets::State);
    if (in.level != before_.level) meets_.push_back(ReaderMeets::Level);
    const auto held = [this](const SrReaderBlock::In& now) { return now.loads.valid >> slot_ & 1; };
    if (!looks_up && held(before_) != 0 && held(in) == 0) {
      meets_.push_back(ReaderMeets::LoadLeaves);
    }
    if (meets_.empty()) meets_.push_back(ReaderMeets::Nothing);
    does_ = spec_valid      ? (in.spec_ready ? ReaderDoes::Taken : ReaderDoes::Offers)
            : !looks_up     ? ReaderDoes::GivesUp
            : !rd_next      ? ReaderDoes::Idle
            : in.rd_is_load ? ReaderDoes::Passes
                            : ReaderDoes::Store;
    before_ = in;
  }
  // After it.
  void after(bool issuing) {
    if (does_ == coverage::ReaderDoes::Passes && issuing) {
      does_ = coverage::ReaderDoes::Latches;
      slot_ = before_.rd_index;
    }
    for (const auto meets : meets_) {
      pairs_.hit({static_cast<unsigned>(does_), static_cast<unsigned>(meets)});
    }
  }

 private:
  test::TestCoverage pairs_{coverage::sr_reader_pairs()};
  SrReaderBlock::In before_;
  unsigned slot_ = 0;
  coverage::ReaderDoes does_ = coverage::ReaderDoes::Idle;
  std::vector<coverage::ReaderMeets> meets_;
};

// With bins: DevLoads move state and level as in a root port, and the queues are full or not.
inline SrCounters run(Lockstep& lockstep, SpeculationBins* bins) {
  Random random(lockstep.seed());
  Clocked<Vsr_reader> rtl;
  SrReaderBlock twin;
  World world;
  rtl->sets_log2_i = world.stream_sets;
  rtl.reset();
  SrReaderBlock::In in;
  in.loads.line = world.loads.data();
  in.mem.line = world.mem.data();
  SrReaderBlock::In before;
  bool rd_taken = true;
  SrCounters total;
  Meetings meetings;
  test::Offer offer("spec_o");
  bool windowed = false;  // the latched policy's offer follows the queues
  const auto issuing = [&] {
    SrReaderBlock::In asks = in;
    asks.rd_valid = true;
    return !twin.eval(asks).rd_next;
  };
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
    meetings.look(in, rtl->rd_next_o != 0, rtl->spec_valid_o != 0, !issuing());
    if (out.rd_next) windowed = in.policy == SrPolicy::SrPaper || in.policy == SrPolicy::Sr;
    // Length and chunk are not latched either.
    const bool steady = !windowed && in.modes.with_length() == before.modes.with_length() &&
                        in.modes.clip_log2 == before.modes.clip_log2;
    if (!steady) offer.forget();
    offer.look(rtl->spec_valid_o != 0, in.spec_ready, rtl->spec_line_o, rtl->spec_first_o,
               rtl->spec_len_o);
    before = in;
    twin.clock(in);
    meetings.after(issuing());
    if (bins) bins->after(in, issuing());
    if (in.flush) {
      world.stream_sets = static_cast<unsigned>(random.below(9));
      twin.use_stream_sets(world.stream_sets);
    }
    rtl.edge();
    if (lockstep.cycle() == 6000) {  // whatever is outstanding
      rtl->sets_log2_i = world.stream_sets;
      rtl.reset();
      twin = SrReaderBlock();
      twin.use_stream_sets(world.stream_sets);
      rd_taken = true;
      offer.forget();
    }
  }
  EXPECT_GT(offer.stalls(), lockstep.cycle() / 50);
  return total;
}

// A reader by hand, the twin beside it; what is told is the RTL's. Dyn with the length extension,
// two granules at a time.
class Bench {
 public:
  Bench() {
    in.policy = SrPolicy::Dyn;
    in.modes.length_enabled = true;
    in.gran = Gran::B512;
    in.loads.line = world_.loads.data();
    in.mem.line = world_.mem.data();
    rtl_->sets_log2_i = world_.stream_sets;
    rtl_.reset();
  }
  // What the RTL offers, if it does.
  std::optional<GranuleRun> offer() {
    drive(rtl_, in, world_);
    rtl_.settle();
    if (beside_) compare(lockstep_, rtl_, twin_.eval(in));
    if (rtl_->spec_valid_o == 0) return std::nullopt;
    return GranuleRun{rtl_->spec_first_o, rtl_->spec_len_o};
  }
  void step() {
    offer();
    if (!beside_) return rtl_.edge();
    const auto issuing = [this] {
      SrReaderBlock::In asks = in;
      asks.rd_valid = true;
      return !twin_.eval(asks).rd_next;
    };
    meetings_.look(in, rtl_->rd_next_o != 0, rtl_->spec_valid_o != 0, !issuing());
    twin_.clock(in);
    meetings_.after(issuing());
    rtl_.edge();
  }
  // The test has changed the RTL's state: the twin has no part in what follows, and assertions over
  // two cycles begin with it.
  void from_this_state() {
    beside_ = false;
    VerilatedContext& context = *rtl_->contextp();
    const bool on = context.assertOn();
    context.assertOn(false);
    step();  // the outputs follow
    step();
    context.assertOn(on);
  }
  // A load in the reader's view, for the one cycle in which it is looked at.
  void look(std::uint64_t line, bool is_load = true) {
    if (is_load) put(kSlot, line);
    in.rd_valid = true;
    in.rd_is_load = is_load;
    in.rd_line = line;
    in.rd_index = kSlot;
    step();
    in.rd_valid = false;
  }
  void put(unsigned slot, std::uint64_t line) {
    world_.loads[slot] = line;
    in.loads.valid |= std::uint64_t{1} << slot;
  }
  void leave(unsigned slot) { in.loads.valid &= ~(std::uint64_t{1} << slot); }
  void load_leaves() { leave(kSlot); }
  // Whether the reader looks at what it is shown.
  bool looks_up() {
    in.rd_valid = true;
    drive(rtl_, in, world_);
    rtl_.settle();
    in.rd_valid = false;
    return rtl_->rd_next_o != 0;
  }
  void take() {
    in.spec_ready = true;
    step();
    in.spec_ready = false;
  }
  void look_and_take(std::uint64_t line) {
    look(line);
    take();
  }
  SrCounters counters() {
    rtl_.settle();
    return {.loads_seen = rtl_->loads_seen_o,
            .issued = rtl_->issued_o,
            .ring_suppressed = rtl_->ring_suppressed_o,
            .halt_suppressed = rtl_->halt_suppressed_o,
            .requested = rtl_->requested_o,
            .lines_used = rtl_->lines_used_o,
            .useful_granules = rtl_->useful_granules_o,
            .useless_granules = rtl_->useless_granules_o,
            .issued_late = rtl_->issued_late_o,
            .score_suppressed = rtl_->score_suppressed_o};
  }
  Clocked<Vsr_reader>& rtl() { return rtl_; }

  SrReaderBlock::In in;
  static constexpr unsigned kSlot = 5;  // of the load that is looked at

 private:
  Lockstep lockstep_{"root_port/sr_reader", 1};
  Clocked<Vsr_reader> rtl_;
  SrReaderBlock twin_;
  World world_;
  bool beside_ = true;
  Meetings meetings_;
};

}  // namespace cxlgpu::sr_reader_bench
