// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_engine: the twin in lockstep with the RTL, the RTL's data under random traffic without a twin,
// and its rules by hand.
#include "refmodel/root_port/ds_engine.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "Vds_engine.h"
#include "tests/common/idle.hpp"
#include "tests/common/requirement.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/root_port/ds_engine_bench.hpp"

namespace cxlgpu {
namespace {

using test::DsRates;
using test::DsWorld;
using test::kMemEntries;
using test::kSrDepth;
using test::Lockstep;
using test::Random;

// The instances of the bench.
const DsConfig kConfigs[] = {
    {},
    {.depth = 8, .writes = 3, .stores = 4, .merges = 1, .reads = 2, .buckets = 16, .inserts = 2},
    {.depth = 16, .writes = 1, .stores = 2, .merges = 3, .reads = 4, .buckets = 32, .inserts = 1},
    {.depth = 4096, .writes = 64, .mem_entries = 62}};
constexpr unsigned kInstances = 3, kMost = 3;  // those clocked together, the one by itself

using Top = test::Clocked<Vds_engine>;
// Bits of one instance on the bench.
constexpr unsigned kSysReq = 640, kSysRsp = 544, kLmReq = 608, kSlot = 12, kCount = 13;

// Input ports of one instance.
class RtlPort {
 public:
  RtlPort(Top& rtl, unsigned instance) : rtl_(rtl), g_(instance) { rtl_->most_i = g_ == kMost; }

  void drive(const DsEngine::In& in) {
    using test::set_bits;
    set_bits(rtl_->enable_i, g_, 1, in.enable);
    set_bits(rtl_->fence_i, g_, 1, in.fence);
    set_bits(rtl_->isolate_i, g_, 1, in.isolate);
    set_bits(rtl_->clear_error_i, g_, 1, in.clear_error);
    set_bits(rtl_->max_writes_i, 7 * g_, 7, in.max_writes);
    set_bits(rtl_->direct_i, g_, 1, in.direct);
    set_bits(rtl_->flush_i, g_, 1, in.flush);
    set_bits(rtl_->oldest_i, g_, 1, in.oldest);
    set_bits(rtl_->req_valid_i, g_, 1, in.req_valid);
    test::set_sys_req(mine(rtl_->req0_i, rtl_->req1_i, rtl_->req2_i, rtl_->req3_i), in.req);
    set_bits(rtl_->sr_ready_i, g_, 1, in.sr_ready);
    set_bits(rtl_->head_valid_i, g_, 1, in.head_valid);
    test::set_sys_req(
        mine(rtl_->head_req0_i, rtl_->head_req1_i, rtl_->head_req2_i, rtl_->head_req3_i), in.head);
    set_bits(rtl_->mq_ready_i, g_, 1, in.mq_ready);
    if (g_ == kMost) {
      table(0, rtl_->load_valid3_i, rtl_->load_line3_i, in.loads, kConfigs[kMost].mem_entries + 2);
      table(0, rtl_->mem_valid3_i, rtl_->mem_line3_i, in.mem, kConfigs[kMost].mem_entries);
    } else {
      table(g_, rtl_->load_valid_i, rtl_->load_line_i, in.loads, kSrDepth);
      table(g_, rtl_->mem_valid_i, rtl_->mem_line_i, in.mem, kMemEntries);
    }
    set_bits(rtl_->mq_rsp_valid_i, g_, 1, in.mq_rsp_valid);
    auto& mq_rsp = mine(rtl_->mq_rsp0_i, rtl_->mq_rsp1_i, rtl_->mq_rsp2_i, rtl_->mq_rsp3_i);
    test::set_sys_rsp(mq_rsp, in.mq_rsp);
    if (!in.mq_rsp_valid) idle_.fill(mq_rsp, 0, test::kSysRspBits);
    set_bits(rtl_->rsp_ready_i, g_, 1, in.rsp_ready);
    set_bits(rtl_->lm_ready_i, g_, 1, in.lm_ready);
    set_bits(rtl_->lm_rsp_valid_i, g_, 1, in.lm_rsp_valid);
    auto& lm_rsp = mine(rtl_->lm_rsp0_i, rtl_->lm_rsp1_i, rtl_->lm_rsp2_i, rtl_->lm_rsp3_i);
    test::set_line(lm_rsp, 0, in.lm_rsp.data);
    set_bits(lm_rsp, 512, 6, in.lm_rsp.index);
    set_bits(lm_rsp, 518, 2, static_cast<unsigned>(in.lm_rsp.kind));
    set_bits(lm_rsp, 520, 1, in.lm_rsp.error);
    if (!in.lm_rsp_valid) idle_.fill(lm_rsp, 0, 521);
    set_bits(rtl_->ix_ready_i, g_, 1, in.ix_ready);
    set_bits(rtl_->ix_rsp_valid_i, g_, 1, in.ix_rsp_valid);
    set_bits(rtl_->ix_found_i, g_, 1, in.ix_found);
    set_bits(rtl_->ix_slot_i, kSlot * g_, kSlot, in.ix_slot);
    if (!in.ix_rsp_valid) {
      idle_.fill(rtl_->ix_found_i, g_, 1);
      idle_.fill(rtl_->ix_slot_i, kSlot * g_, kSlot);
    }
  }

  // The outputs as they stand. Data of a store's answer mean nothing.
  [[nodiscard]] DsEngine::Out read() const {
    const auto bit = [&](const auto& port, unsigned n = 0, unsigned each = 1) {
      return test::get_bits(port, std::size_t{each} * g_ + n, 1) != 0;
    };
    const auto field = [](const auto& port, std::size_t at, unsigned width) {
      return static_cast<unsigned>(test::get_bits(port, at, width));
    };
    DsEngine::Out out;
    out.req_ready = bit(rtl_->req_ready_o);
    out.sr_valid = bit(rtl_->sr_valid_o);
    out.head_ready = bit(rtl_->head_ready_o);
    out.mq_valid = bit(rtl_->mq_valid_o);
    const std::size_t mq = kSysReq * g_, rsp = kSysRsp * g_, lm = kLmReq * g_;
    out.mq_req = {field(rtl_->mq_req_o, mq + 623, 16), field(rtl_->mq_req_o, mq + 622, 1) != 0,
                  test::get_bits(rtl_->mq_req_o, mq + 576, 46) * kLineBytes,
                  test::get_bits(rtl_->mq_req_o, mq + 512, 64), test::get_line(rtl_->mq_req_o, mq)};
    out.mq_req.poison = field(rtl_->mq_req_o, mq + 639, 1) != 0;
    out.mq_rsp_ready = bit(rtl_->mq_rsp_ready_o);
    out.rsp_valid = bit(rtl_->rsp_valid_o);
    out.rsp = {field(rtl_->rsp_o, rsp + 514, 16), field(rtl_->rsp_o, rsp + 513, 1) != 0,
               field(rtl_->rsp_o, rsp + 512, 1) != 0, test::get_line(rtl_->rsp_o, rsp)};
    out.lm_valid = bit(rtl_->lm_valid_o);
    out.lm_req.write = field(rtl_->lm_req_o, lm + 596, 1) != 0;
    out.lm_req.kind = static_cast<LmKind>(field(rtl_->lm_req_o, lm + 594, 2));
    out.lm_req.index = field(rtl_->lm_req_o, lm + 588, 6);
    out.lm_req.slot = field(rtl_->lm_req_o, lm + 576, 12);
    out.lm_req.byte_enable = test::get_bits(rtl_->lm_req_o, lm + 512, 64);
    out.lm_req.data = test::get_line(rtl_->lm_req_o, lm);
    out.lm_rsp_ready = bit(rtl_->lm_rsp_ready_o);
    out.ix_valid = bit(rtl_->ix_valid_o);
    out.ix_op = field(rtl_->ix_op_o, 2 * g_, 2);
    out.ix_key = test::get_bits(rtl_->ix_key_o, std::size_t{46} * g_, 46);
    out.ix_slot = field(rtl_->ix_slot_o, kSlot * g_, kSlot);
    out.empty = bit(rtl_->empty_o);
    out.error = bit(rtl_->error_o);
    out.count = field(rtl_->count_o, kCount * g_, kCount);
    DsEvents& e = out.events;
    bool* const bits[] = {&e.direct, &e.deferred,  &e.in_place, &e.flushed, &e.hit,
                          &e.merge,  &e.false_hit, &e.full,     &e.error,   &e.refused};
    for (unsigned n = 0; n < std::size(bits); ++n) *bits[n] = bit(rtl_->ev_o, n, std::size(bits));
    return out;
  }

  void compare(Lockstep& lockstep, const DsEngine::In& in, const DsEngine::Out& out) {
    const auto check = [&](const char* name, const auto& port, std::uint64_t twin) {
      lockstep.check(name, test::get_bits(port, g_, 1), twin);
    };
    if (in.req_valid) check("req_ready_o", rtl_->req_ready_o, out.req_ready);
    check("sr_valid_o", rtl_->sr_valid_o, out.sr_valid);
    if (out.sr_valid) test::check_sys_req(lockstep, rtl_->sr_req_o, in.req, kSysReq * g_);
    if (in.head_valid) check("head_ready_o", rtl_->head_ready_o, out.head_ready);
    check("mq_valid_o", rtl_->mq_valid_o, out.mq_valid);
    if (out.mq_valid) test::check_sys_req(lockstep, rtl_->mq_req_o, out.mq_req, kSysReq * g_);
    if (in.mq_rsp_valid) check("mq_rsp_ready_o", rtl_->mq_rsp_ready_o, out.mq_rsp_ready);
    check("rsp_valid_o", rtl_->rsp_valid_o, out.rsp_valid);
    if (out.rsp_valid) test::check_sys_rsp(lockstep, rtl_->rsp_o, out.rsp, kSysRsp * g_);
    check("lm_valid_o", rtl_->lm_valid_o, out.lm_valid);
    if (out.lm_valid) compare_local(lockstep, out.lm_req);
    if (in.lm_rsp_valid) check("lm_rsp_ready_o", rtl_->lm_rsp_ready_o, out.lm_rsp_ready);
    check("ix_valid_o", rtl_->ix_valid_o, out.ix_valid);
    if (out.ix_valid) {
      lockstep.check("ix_op_o", test::get_bits(rtl_->ix_op_o, 2 * g_, 2), out.ix_op);
      lockstep.check("ix_key_o", test::get_bits(rtl_->ix_key_o, 46 * g_, 46), out.ix_key);
      if (out.ix_op == 1) {
        lockstep.check("ix_slot_o", test::get_bits(rtl_->ix_slot_o, kSlot * g_, kSlot),
                       out.ix_slot);
      }
    }
    check("empty_o", rtl_->empty_o, out.empty);
    check("error_o", rtl_->error_o, out.error);
    lockstep.check("count_o", test::get_bits(rtl_->count_o, kCount * g_, kCount), out.count);
    const DsEvents& e = out.events;
    const bool bits[] = {e.direct, e.deferred,  e.in_place, e.flushed, e.hit,
                         e.merge,  e.false_hit, e.full,     e.error,   e.refused};
    const char* names[] = {"ev_o.direct", "ev_o.deferred", "ev_o.in_place",  "ev_o.flushed",
                           "ev_o.hit",    "ev_o.merge",    "ev_o.false_hit", "ev_o.full",
                           "ev_o.error",  "ev_o.refused"};
    for (unsigned n = 0; n < std::size(bits); ++n) {
      lockstep.check(names[n], test::get_bits(rtl_->ev_o, std::size(bits) * g_ + n, 1), bits[n]);
    }
  }

 private:
  template <typename Port>
  Port& mine(Port& first, Port& second, Port& third, Port& fourth) {
    return g_ == 0 ? first : g_ == 1 ? second : g_ == 2 ? third : fourth;
  }
  // The lines seldom change.
  template <typename Valid, typename Lines>
  void table(unsigned g, Valid& valid, Lines& lines, const LineTable& twin, unsigned entries) {
    const std::uint64_t fresh = twin.valid & ~test::get_bits(valid, entries * g, entries);
    test::set_bits(valid, entries * g, entries, twin.valid);
    for (std::uint64_t left = fresh; left != 0; left &= left - 1) {
      const auto e = static_cast<unsigned>(std::countr_zero(left));
      test::set_bits(lines, std::size_t{46} * (entries * g + e), 46, twin.line[e]);
    }
  }
  void compare_local(Lockstep& lockstep, const LmRequest& twin) {
    const std::size_t at = kLmReq * g_;
    const auto field = [&](unsigned lo, unsigned width) {
      return test::get_bits(rtl_->lm_req_o, at + lo, width);
    };
    lockstep.check("lm_req_o.write", field(596, 1), twin.write);
    lockstep.check("lm_req_o.slot", field(576, 12), twin.slot);
    if (twin.write) {
      lockstep.check("lm_req_o.be", field(512, 64), twin.byte_enable);
      lockstep.check_bytes("lm_req_o.data", test::get_line(rtl_->lm_req_o, at), twin.data);
    } else {
      lockstep.check("lm_req_o.kind", field(594, 2), static_cast<unsigned>(twin.kind));
      lockstep.check("lm_req_o.index", field(588, 6), twin.index);
    }
  }

  Top& rtl_;
  unsigned g_;
  test::Idle idle_;
};

// What the functional coverage counts of a world beside the RTL.
struct Counts {
  test::TestCoverage hazards{coverage::ds_hazards()}, answers{coverage::ds_answers()},
      waiting{coverage::ds_waiting()};
  void of(DsWorld& world) {
    world.hazards = &hazards;
    world.answers = &answers;
    world.waiting = &waiting;
  }
};

// Random traffic of one engine, in phases: each with rates of its own, then everything to the
// endpoint under a fence, at times all slots filled or the engine switched off for a while.
class Traffic {
 public:
  Traffic(unsigned instance, Random& random)
      : world(kConfigs[instance], random), config_(kConfigs[instance]), random_(random) {
    fill();
  }

  void choose() {
    if (--left_ > 0 && !(kind_ != Kind::Random && done())) return;
    if (kind_ == Kind::Random) {
      drain();
    } else if (kind_ == Kind::Drain) {
      EXPECT_TRUE(done()) << "not empty after " << kDrain << " cycles, depth " << config_.depth;
      world.check_endpoint();
      world.forget_lines();
      ++phases;
      // Soon once, but not before slots came back while others were never used.
      const bool soon =
          fills == 0 || (!most() && random_.below(config_.depth == 256 ? 10 : 3) == 0);
      if (soon && world.in().enable) {
        fill();
      } else {
        next_phase();
      }
    } else {
      // Every slot is free again: none was lost.
      EXPECT_TRUE(done() && world.seen.full == full_before_)
          << "not all slots are there, depth " << config_.depth;
      ++fills;
      drain();
    }
  }

  void show() const {
    const DsWorld::Seen& s = world.seen;
    const std::pair<const char*, std::uint64_t> rows[] = {
        {"depth", config_.depth},
        {"phases", phases},
        {"fills", fills},
        {"loads", s.loads},
        {"stores", s.stores},
        {"direct", s.direct},
        {"deferred", s.deferred},
        {"in_place", s.in_place},
        {"to_write_table", s.to_write_table},
        {"flushed", s.flushed},
        {"hit", s.hit},
        {"merge", s.merge},
        {"false_hit", s.false_hit},
        {"full", s.full},
        {"error", s.error},
        {"refused", s.refused},
        {"load_errors", s.load_errors},
        {"local_errors", s.local_errors},
        {"poisoned_writes", s.poisoned_writes},
        {"fences", s.fences},
        {"off_cycles", s.off_cycles},
        {"slots_reused", s.slots_reused},
        {"most_pending", s.most_pending},
        {"most_writes", s.most_writes},
        {"most_late", s.most_late},
        {"late_loads", s.late_loads},
        {"late_stores", s.late_stores},
        {"first_left", s.first_left},
        {"last_left", s.last_left},
        {"late_left", s.late_left},
        {"refused_left", s.refused_left},
        {"oldest", s.oldest},
        {"store_before_endpoint", s.store_before_endpoint},
        {"early_answers", s.early_answers},
        {"last_slot", s.last_slot},
        {"answered_leaving", s.answered_leaving},
        {"late_answers", s.late_answers},
        {"most_answered", s.most_answered},
        {"held_answers", s.held_answers}};
    for (const auto& [name, n] : rows) std::printf(" %s %" PRIu64, name, n);
    std::printf("\n");
  }

  DsWorld world;
  std::uint64_t phases = 0, fills = 0;

 private:
  enum class Kind : std::uint8_t { Random, Drain, Fill };
  static constexpr std::uint64_t kDrain = 300'000;

  [[nodiscard]] bool most() const { return config_.depth == kConfigs[kMost].depth; }
  [[nodiscard]] bool done() const {
    if (kind_ == Kind::Fill) return world.out().count == config_.depth;
    return world.idle() && !world.in().fence;
  }
  void next_phase() {
    kind_ = Kind::Random;
    world.at_random = true;
    world.rates = DsRates(random_, config_);
    // Of 4096 lines a storm is longer than all else; they are filled by hand.
    if (world.seen.full == 0 && phases % 4 == 3 && !most()) world.rates.storm(config_, random_);
    left_ = world.rates.cycles;
    DsEngine::In& levels = world.levels();
    levels.fence = false;
    levels.enable = !random_.percent(6);
    if (!levels.enable) left_ = 400;
  }
  void drain() {
    kind_ = Kind::Drain;
    left_ = kDrain;
    world.at_random = true;
    const unsigned latency = world.rates.latency;
    world.rates = DsRates();
    world.rates.latency = latency;
    world.rates.requests = 0;
    if (most()) world.rates.most_writes = config_.writes;
    if (most() && phases == 0) {      // the endpoint stops at times, and all the writes wait for it
      world.rates.most_writes = 127;  // more often than not all are allowed
      world.rates.freezes = 1;
      world.rates.freeze_cycles = 6000;
    }
    world.rates.fences = 10'000;
  }
  void fill() {
    kind_ = Kind::Fill;
    left_ = kDrain;
    full_before_ = world.seen.full;
    world.at_random = false;
    world.freeze_writes = world.freeze_reads = false;
    DsEngine::In& levels = world.levels();
    levels.fence = levels.flush = levels.direct = levels.isolate = false;
    for (unsigned n = 0; n < config_.depth; ++n) world.store(n * 7, 0x5a);
  }

  DsConfig config_;
  Random& random_;
  Kind kind_ = Kind::Random;
  std::uint64_t left_ = 0, full_before_ = 0;
};

// All sizes at once.
class Engines {
 public:
  explicit Engines(std::uint64_t seed) : random_(seed) {
    for (unsigned g = 0; g < kInstances; ++g) {
      traffic_.push_back(std::make_unique<Traffic>(g, random_));
    }
  }
  [[nodiscard]] bool ok() const {
    return std::all_of(traffic_.begin(), traffic_.end(),
                       [](const auto& traffic) { return traffic->world.ok(); });
  }
  void drive() {
    for (auto& traffic : traffic_) {
      traffic->choose();
      traffic->world.drive();
    }
  }
  void commit() {
    for (auto& traffic : traffic_) traffic->world.commit();
  }
  const DsWorld& world(unsigned g) const { return traffic_[g]->world; }
  // From reset on, without twins.
  void put_on(Top& rtl, std::vector<RtlPort>& ports) {
    for (unsigned g = 0; g < kInstances; ++g) {
      traffic_[g]->world.rtl = [&rtl, port = &ports[g]](const DsEngine::In& in) {
        port->drive(in);
        rtl.settle();
        return port->read();
      };
    }
  }
  void count(Counts& counts) {
    for (auto& traffic : traffic_) counts.of(traffic->world);
  }

  // What a run of some length must have seen.
  void expect_coverage() const {
    std::uint64_t merge = 0, false_hit = 0, error = 0, refused = 0, off = 0, fills = 0;
    std::uint64_t local_errors = 0, poisoned_writes = 0, no_place = 0;
    std::uint64_t late_loads = 0, late_stores = 0, answered_leaving = 0;
    std::uint64_t late_left = 0, refused_left = 0;
    for (unsigned g = 0; g < kInstances; ++g) {
      const DsWorld::Seen& s = world(g).seen;
      EXPECT_GT(traffic_[g]->phases, 10u);
      EXPECT_EQ(s.most_writes, kConfigs[g].writes);
      EXPECT_EQ(s.most_pending, kConfigs[g].depth);
      for (const std::uint64_t n : {s.loads, s.stores, s.slots_reused}) EXPECT_GT(n, 300u);
      for (const std::uint64_t n : {s.direct, s.deferred, s.in_place, s.to_write_table, s.flushed,
                                    s.hit, s.store_before_endpoint, s.first_left, s.last_left}) {
        EXPECT_GT(n, 5u) << "instance " << g;
      }
      EXPECT_GT(s.full, g == 0 ? 0u : 20u);
      EXPECT_EQ(s.most_answered, kConfigs[g].stores);
      for (const std::uint64_t n : {s.early_answers, s.late_answers, s.last_slot, s.held_answers}) {
        EXPECT_GT(n, 5u) << "instance " << g;
      }
      merge += s.merge;
      false_hit += s.false_hit;
      error += s.error;
      refused += s.refused;
      off += s.off_cycles;
      local_errors += s.local_errors;
      poisoned_writes += s.poisoned_writes;
      no_place += s.no_place;
      late_loads += s.late_loads;
      late_stores += s.late_stores;
      late_left += s.late_left;
      refused_left += s.refused_left;
      answered_leaving += s.answered_leaving;
      EXPECT_GE(s.most_late, kConfigs[g].inserts);
      fills += traffic_[g]->fills;
    }
    for (const std::uint64_t n :
         {merge, false_hit, error, refused, off, fills, local_errors, poisoned_writes, no_place,
          late_loads, late_stores, answered_leaving, late_left, refused_left}) {
      EXPECT_GT(n, 20u);
    }
    if (std::getenv("CXLGPU_SHOW") != nullptr) {
      for (const auto& traffic : traffic_) traffic->show();
    }
  }

 private:
  Random random_;
  std::vector<std::unique_ptr<Traffic>> traffic_;
};

TEST(DsEngine, LockstepWithRtl) {
  test::shows("ds", "The RTL's deterministic store does in every cycle what its twin does",
              "docs/blocks/root_port/ds_engine.md");
  Lockstep lockstep("root_port/ds_engine", 2);
  Counts counts;
  std::optional<Engines> engines(lockstep.seed());
  engines->count(counts);
  Top rtl;
  rtl.reset();
  std::vector<RtlPort> ports;
  for (unsigned g = 0; g < kInstances; ++g) ports.emplace_back(rtl, g);
  while (engines->ok() && lockstep.next()) {
    engines->drive();
    for (unsigned g = 0; g < kInstances; ++g) ports[g].drive(engines->world(g).in());
    rtl.settle();
    for (unsigned g = 0; g < kInstances && lockstep.ok(); ++g) {
      ports[g].compare(lockstep, engines->world(g).in(), engines->world(g).out());
      if (!lockstep.ok()) ADD_FAILURE() << "in instance " << g;
    }
    rtl.edge();
    engines->commit();
    if (lockstep.cycle() == 4000 || lockstep.cycle() == 8000) {  // whatever was in flight
      rtl.reset();
      engines.emplace(lockstep.seed() + lockstep.cycle());
      engines->count(counts);
    }
  }
  if (lockstep.ok() && engines->ok() && lockstep.cycle() > 100'000) engines->expect_coverage();
}

// As many lines and writes as a root port can be built with: filled to the last slot, emptied over
// an endpoint that stops at times, then as the others.
TEST(DsEngine, GreatestInLockstepWithRtl) {
  Lockstep lockstep("root_port/ds_engine", 0xd5f, 400'000);
  Random random(lockstep.seed());
  Traffic traffic(kMost, random);
  Top rtl;
  RtlPort port(rtl, kMost);
  rtl.reset();
  while (traffic.world.ok() && lockstep.next()) {
    traffic.choose();
    traffic.world.drive();
    port.drive(traffic.world.in());
    rtl.settle();
    port.compare(lockstep, traffic.world.in(), traffic.world.out());
    rtl.edge();
    traffic.world.commit();
  }
  if (std::getenv("CXLGPU_SHOW") != nullptr) traffic.show();
  if (!lockstep.ok() || !traffic.world.ok() || lockstep.cycle() < 700'000) return;
  const DsWorld::Seen& s = traffic.world.seen;
  EXPECT_GT(traffic.phases, 10u);
  EXPECT_GE(traffic.fills, 1u);
  EXPECT_EQ(s.most_writes, kConfigs[kMost].writes);
  EXPECT_EQ(s.most_pending, kConfigs[kMost].depth);
  for (const std::uint64_t n : {s.loads, s.stores, s.slots_reused}) EXPECT_GT(n, 300u);
  EXPECT_EQ(s.most_answered, kConfigs[kMost].stores);
  for (const std::uint64_t n : {s.direct, s.deferred, s.in_place, s.to_write_table, s.flushed,
                                s.hit, s.merge, s.store_before_endpoint, s.error, s.early_answers,
                                s.late_answers, s.first_left, s.last_left}) {
    EXPECT_GT(n, 5u);
  }
}

// The RTL without its twin: what must hold is what DsWorld checks.
TEST(DsEngine, EveryLoadSeesTheOlderStoresOfItsLine) {
  test::shows("order",
              "With deterministic store a load gives every older store to its line and no younger "
              "one, from wherever the bytes are; each request is answered once and in time",
              "docs/blocks/root_port/ds_engine.md");
  Lockstep lockstep("root_port/ds_engine", 2, 600'000);
  Engines engines(lockstep.seed());
  Top rtl;
  rtl.reset();
  std::vector<RtlPort> ports;
  for (unsigned g = 0; g < kInstances; ++g) ports.emplace_back(rtl, g);
  engines.put_on(rtl, ports);
  while (engines.ok() && lockstep.next()) {
    engines.drive();
    rtl.edge();
    engines.commit();
  }
  if (engines.ok() && lockstep.cycle() > 100'000) engines.expect_coverage();
}

// One engine by hand, the RTL beside it.
class Bench {
 public:
  explicit Bench(unsigned instance = 1)
      : lockstep_("root_port/ds_engine", 1),
        random_(7),
        world(kConfigs[instance], random_),
        port_(rtl_, instance) {
    counts_.of(world);
    rtl_.reset();
  }
  void run(unsigned cycles) {
    for (unsigned n = 0; n < cycles && world.ok() && lockstep_.ok(); ++n) {
      world.drive();
      port_.drive(world.in());
      rtl_.settle();
      port_.compare(lockstep_, world.in(), world.out());
      rtl_.edge();
      world.commit();
    }
  }
  template <typename Condition>
  [[nodiscard]] bool until(Condition condition, unsigned limit = 1000) {
    for (unsigned n = 0; n < limit && world.ok() && lockstep_.ok(); ++n) {
      if (condition()) return true;
      run(1);
    }
    return condition();
  }
  [[nodiscard]] bool answered(std::uint32_t id, unsigned limit = 1000) {
    return until([&] { return world.answer(id) != nullptr; }, limit);
  }
  // Answered, and no longer in the way of others: in the region, unless it was refused.
  [[nodiscard]] bool done(std::uint32_t id, unsigned limit = 1000) {
    return until([&] { return world.answer(id) != nullptr && world.times(id).left != 0; }, limit);
  }
  [[nodiscard]] bool idle() {
    return until([&] { return world.idle(); });
  }
  // All goes to the endpoint, and is there.
  void drain() {
    world.levels().flush = true;
    EXPECT_TRUE(idle());
    world.check_endpoint();
  }
  // A reset, then no request: whether anything is offered to the memory queue.
  [[nodiscard]] bool offers_after_reset() {
    rtl_.reset();
    port_.drive(DsEngine::In{});
    rtl_.settle();
    return port_.read().mq_valid;
  }
  void defer_all() { world.levels().direct = world.levels().flush = false; }
  // Lines of stores of one byte each, deferred in this order, none late in the end.
  void defer(const std::vector<std::uint64_t>& lines) {
    for (const std::uint64_t line : lines) {
      EXPECT_TRUE(done(world.store(line, static_cast<std::uint8_t>(line)), 60));
    }
    run(60);
  }
  // One deferred line goes to the endpoint, of the end that is said, and comes home.
  void flush_one(bool oldest) {
    const std::size_t sent = world.writes_sent.size();
    world.levels().oldest = oldest;
    world.levels().flush = true;
    run(1);
    world.levels().flush = false;
    EXPECT_TRUE(until([&] { return world.writes_sent.size() > sent && world.mq_held() == 0; }));
    run(60);
  }
  // One deferred store a slot, 40h in each byte of lines 0, 1, ...; how many.
  unsigned fill_region() {
    const unsigned depth = kConfigs[1].depth;
    defer_all();
    for (unsigned n = 0; n < depth; ++n) world.store(n, 0x40);
    EXPECT_TRUE(until([&] { return world.out().count == depth; }));
    run(60 * depth);  // none is late any more
    return depth;
  }

 private:
  Counts counts_;
  Lockstep lockstep_;
  Random random_;
  Top rtl_;

 public:
  DsWorld world;

 private:
  RtlPort port_;
};

constexpr std::uint64_t kLowHalf = 0xffff'ffff;
using Lines = std::vector<std::uint64_t>;

TEST(DsEngine, StoreIsDoneInLocalMemory) {
  test::shows("ds", "A store is answered from local memory while its endpoint write hangs",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  b.world.freeze_writes = true;
  std::vector<std::uint32_t> ids;
  for (unsigned n = 0; n < 6; ++n) {
    b.world.levels().direct = n % 2 == 0;
    ids.push_back(b.world.store(n, 0x11));
    EXPECT_TRUE(b.done(ids.back(), 60)) << n;
  }
  EXPECT_GT(b.world.mq_held(), 0u);
  EXPECT_NE(b.world.endpoint(0), b.world.flat(0));
  b.world.freeze_writes = false;
  EXPECT_TRUE(b.idle());
  b.world.check_endpoint();
}

TEST(DsEngine, StoreToADeferredLineChangesItInPlace) {
  test::shows("ds", "A store to a deferred line joins it: one slot, one endpoint write",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  b.defer_all();
  b.world.store(5, 0x11, kLowHalf);
  EXPECT_TRUE(b.done(b.world.store(5, 0x22, ~kLowHalf << 8)));
  b.run(50);
  EXPECT_EQ(b.world.out().count, 1u);
  EXPECT_EQ(b.world.seen.deferred, 1u);
  EXPECT_EQ(b.world.seen.in_place, 1u);
  b.world.levels().flush = true;
  EXPECT_TRUE(b.idle());
  EXPECT_EQ(b.world.writes_sent, Lines{5});
  b.world.check_endpoint();
}

TEST(DsEngine, StoreToALineUnderWayIsSentAgain) {
  test::shows(
      "ds", "A store to a line whose endpoint write is in flight waits in its slot and follows it",
      "docs/blocks/root_port/ds_engine.md");
  Bench b;
  b.world.freeze_writes = true;
  b.world.store(5, 0x11);
  EXPECT_TRUE(b.until([&] { return b.world.seen.direct == 1; }));
  EXPECT_TRUE(b.done(b.world.store(5, 0x22, kLowHalf)));
  b.run(50);
  EXPECT_EQ(b.world.seen.in_place, 1u);
  EXPECT_EQ(b.world.mq_held(), 1u);
  EXPECT_EQ(b.world.out().count, 0u);
  EXPECT_EQ(b.world.writes_sent, Lines{5});
  b.world.freeze_writes = false;
  EXPECT_TRUE(b.idle());
  EXPECT_EQ(b.world.writes_sent, (Lines{5, 5}));
  b.world.check_endpoint();
}

TEST(DsEngine, LoadIsAnsweredFromTheRegion) {
  test::shows("ds",
              "A load of a line that is whole in the region is answered from there, deferred or in "
              "flight, though the endpoint is stalled",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  b.world.freeze_writes = b.world.freeze_reads = true;
  b.world.levels().flush = false;
  b.world.store(5, 0x11);  // at once
  EXPECT_TRUE(b.until([&] { return b.world.seen.direct == 1; }));
  b.world.levels().direct = false;
  b.world.store(6, 0x22, kLowHalf);
  b.world.store(6, 0x33, ~kLowHalf);
  EXPECT_TRUE(b.until([&] { return b.world.out().count == 1 && b.world.seen.in_place == 1; }));
  for (const std::uint64_t line : {5, 6, 5}) EXPECT_TRUE(b.answered(b.world.load(line), 100));
  EXPECT_EQ(b.world.seen.hit, 3u);
  EXPECT_EQ(b.world.seen.merge, 0u);
  b.world.freeze_writes = b.world.freeze_reads = false;
  b.world.levels().flush = true;
  EXPECT_TRUE(b.idle());
}

TEST(DsEngine, PartOfALineIsMerged) {
  test::shows("ds",
              "A load of a line that is partly deferred gives the deferred bytes and, for the "
              "others, the endpoint's",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  b.defer_all();
  EXPECT_TRUE(b.done(b.world.store(5, 0x11, 0xff00)));
  b.world.freeze_reads = true;
  const std::uint32_t id = b.world.load(5);
  b.run(300);
  EXPECT_EQ(b.world.answer(id), nullptr);
  EXPECT_EQ(b.world.seen.merge, 1u);
  b.world.freeze_reads = false;
  ASSERT_TRUE(b.answered(id));
  EXPECT_EQ(b.world.answer(id)->data[8], 0x11);
  EXPECT_EQ(b.world.answer(id)->data[16], b.world.endpoint(5)[16]);
  EXPECT_EQ(b.world.answer(id)->data, b.world.flat(5));
  EXPECT_EQ(b.world.seen.hit, 0u);
}

TEST(DsEngine, LoadOfAPartUnderWayWaits) {
  test::shows("order", "A load of a line of which a part is in flight waits for the write's end",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  b.world.freeze_writes = true;
  b.world.store(5, 0x11, kLowHalf);
  EXPECT_TRUE(b.until([&] { return b.world.seen.direct == 1; }));
  const std::uint32_t id = b.world.load(5);
  b.run(300);
  EXPECT_EQ(b.world.answer(id), nullptr);
  EXPECT_TRUE(b.done(b.world.store(6, 0x22)));  // stores go on
  b.world.freeze_writes = false;
  EXPECT_TRUE(b.answered(id));
}

TEST(DsEngine, WriteAfterReadIsHeld) {
  test::shows("order",
              "A store is answered, and not done, while an older load of its line has no data yet",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  b.world.freeze_reads = true;
  const std::uint32_t load = b.world.load(5);
  const std::uint32_t store = b.world.store(5, 0x11);
  b.run(300);
  EXPECT_EQ(b.world.mq_held(), 1u);
  EXPECT_NE(b.world.answer(store), nullptr);
  EXPECT_EQ(b.world.times(store).left, 0u);
  EXPECT_EQ(b.world.answer(load), nullptr);
  b.world.freeze_reads = false;
  EXPECT_TRUE(b.answered(load));
  EXPECT_TRUE(b.done(store));
  EXPECT_TRUE(b.idle());
  b.world.check_endpoint();
}

TEST(DsEngine, FlushWaitsForALoadToBeMerged) {
  test::shows("order", "A deferred line is not sent while a load of it is at the endpoint",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  b.defer_all();
  EXPECT_TRUE(b.done(b.world.store(5, 0x11, kLowHalf)));
  b.world.freeze_reads = true;
  const std::uint32_t load = b.world.load(5);
  const std::uint32_t store = b.world.store(5, 0x22, kLowHalf);  // a younger one waits as well
  b.run(100);
  b.world.levels().flush = true;
  b.run(300);
  EXPECT_TRUE(b.world.writes_sent.empty());
  EXPECT_EQ(b.world.times(store).left, 0u);
  b.world.freeze_reads = false;
  EXPECT_TRUE(b.answered(load));
  EXPECT_TRUE(b.idle());
  b.world.check_endpoint();
}

TEST(DsEngine, FullRegionStallsStoresAndLosesNothing) {
  test::shows(
      "ds",
      "With the region full stores wait and loads go on; when lines leave, all of them reach "
      "the endpoint",
      "docs/blocks/root_port/ds_engine.md");
  Bench b;
  const unsigned depth = kConfigs[1].depth;
  b.defer_all();
  std::vector<std::uint32_t> ids;
  for (unsigned n = 0; n < depth + 2; ++n) ids.push_back(b.world.store(n, 0x40));
  EXPECT_TRUE(b.done(ids[depth - 1]));
  b.run(300);
  EXPECT_GT(b.world.seen.full, 0u);
  EXPECT_EQ(b.world.out().count, depth);
  EXPECT_EQ(b.world.answer(ids[depth]), nullptr);
  EXPECT_TRUE(b.answered(b.world.load(1), 100));
  EXPECT_TRUE(b.answered(b.world.load(77), 100));
  b.world.levels().flush = true;
  EXPECT_TRUE(b.answered(ids.back()));
  EXPECT_TRUE(b.idle());
  EXPECT_EQ(b.world.writes_sent.size(), depth + 2);
  b.world.check_endpoint();
}

// An insertion is taken, answered three cycles later and, refused, offered again in the next.
constexpr int kInsertCycles = 4;

TEST(DsEngine, CyclesOfAHit) {
  test::shows("ds",
              "A load that the region answers asks local memory within the cycles on the page",
              "docs/blocks/root_port/ds_engine.md");
  // From the load's turn at the head of the SR queue to the request to local memory.
  const auto cycles_of = [](Bench& b, std::uint64_t line) {
    const std::uint64_t hits = b.world.seen.hit;
    (void)b.world.load(line);
    EXPECT_TRUE(b.until([&] { return b.world.in().head_valid; }));
    int cycles = 0;
    EXPECT_TRUE(b.until([&] {
      ++cycles;
      return b.world.seen.hit != hits;
    }));
    return cycles - 1;
  };
  Bench pending;
  pending.defer_all();
  pending.world.store(5, 0x40);
  EXPECT_TRUE(pending.until([&] { return pending.world.out().count == 1; }));
  pending.run(20);
  const int of_pending = cycles_of(pending, 5);
  Bench under_way;  // its endpoint write hangs
  under_way.world.freeze_writes = true;
  under_way.world.store(5, 0x40);
  under_way.run(100);
  const int of_write = cycles_of(under_way, 5);
  for (int phase = 0; phase < kInsertCycles; ++phase) {
    Bench late;  // the index refuses it
    late.defer_all();
    late.world.refuse_inserts = true;
    late.world.store(5, 0x40);
    EXPECT_TRUE(late.until([&] { return late.world.out().count == 1; }));
    late.run(20 + static_cast<unsigned>(phase));
    EXPECT_EQ(cycles_of(late, 5), 5) << phase;
    EXPECT_EQ(late.world.seen.finds, 0u);
  }
  // IDLE, L_LOOK, find (taken, and 3), L_SLOT, L_MASK, L_READ; IDLE, L_LOOK, L_READ; late as the
  // first without the find.
  EXPECT_EQ(of_pending, 9);
  EXPECT_EQ(of_write, 3);
  RecordProperty("pending_cycles", of_pending);
  RecordProperty("under_way_cycles", of_write);
}

TEST(DsEngine, CyclesOfAStoreToALineThatIsHere) {
  test::shows("ds",
              "A store to a line that is late or in flight is written in the second step of its "
              "operation, one to a line in the index after its find; late or found, the next is "
              "chosen two cycles after the write, else one; all are answered two after they came",
              "docs/blocks/root_port/ds_engine.md");
  // Behind the cycle in which each store is taken, to its answer, and to the event of its leaving.
  struct Cycles {
    int answer = 0, leaves = 0;
  };
  const auto cycles_of = [](Bench& b, std::uint64_t line) {
    const std::uint64_t leaves = b.world.seen.in_place;
    const std::uint32_t id = b.world.store(line, 0x50, 0xff);
    b.run(1);
    EXPECT_FALSE(b.world.in().req_valid);  // taken
    Cycles cycles;
    for (int n = 1; n < 100 && (cycles.answer == 0 || cycles.leaves == 0); ++n) {
      b.run(1);
      if (cycles.answer == 0 && b.world.answer(id) != nullptr) cycles.answer = n;
      if (cycles.leaves == 0 && b.world.seen.in_place != leaves) cycles.leaves = n;
    }
    return cycles;
  };
  enum class Where : std::uint8_t { Late, Found, Going };
  const auto bench = [](Where where, unsigned phase) {
    auto b = std::make_unique<Bench>();
    b->world.levels().flush = false;
    b->world.levels().direct = where == Where::Going;
    b->world.freeze_writes = true;
    b->world.refuse_inserts = where == Where::Late;
    EXPECT_TRUE(b->done(b->world.store(5, 0x40)));
    b->run(30 + phase);
    return b;
  };
  for (unsigned phase = 0; phase < unsigned{kInsertCycles}; ++phase) {
    const auto b = bench(Where::Late, phase);
    const Cycles late = cycles_of(*b, 5);
    EXPECT_EQ(late.answer, 2) << phase;
    EXPECT_EQ(late.leaves, 5) << phase;
    EXPECT_EQ(b->world.seen.finds, 0u);
    EXPECT_EQ(b->world.seen.late_stores, 1u);
    EXPECT_EQ(b->world.out().count, 1u);
  }
  const Cycles found = cycles_of(*bench(Where::Found, 0), 5);
  const Cycles going = cycles_of(*bench(Where::Going, 0), 5);
  // Chosen, S_LOOK, find (taken, and 3), S_WRITE, S_MASK; the event one after the last step. Late
  // without the find, going without the mask.
  EXPECT_EQ(found.answer, 2);
  EXPECT_EQ(found.leaves, 9);
  EXPECT_EQ(going.answer, 2);
  EXPECT_EQ(going.leaves, 4);
  // Another line is being inserted: the find waits for its answer, or goes before it.
  int least = 1000, most = 0;
  for (unsigned phase = 0; phase < unsigned{kInsertCycles}; ++phase) {
    const auto b = bench(Where::Found, 0);
    b->world.levels().direct = false;
    b->world.refuse_inserts = true;
    EXPECT_TRUE(b->done(b->world.store(6, 0x40)));
    b->run(30 + phase);
    const Cycles cycles = cycles_of(*b, 5);
    least = std::min(least, cycles.leaves);
    most = std::max(most, cycles.leaves);
  }
  EXPECT_EQ(least, 9);
  EXPECT_EQ(most, 9 + kInsertCycles - 1);
  // Three that wait: what each takes of the engine, which chooses the next when it has left.
  const auto each = [&](Where where) {
    const auto b = bench(where, 0);
    for (unsigned n = 0; n < 3; ++n) b->world.store(5, 0x60, 0xff);
    const auto leaves = [&](std::uint64_t nth) {
      EXPECT_TRUE(b->until([&] { return b->world.seen.in_place == nth; }));
      return b->world.cycle();
    };
    const std::uint64_t second = leaves(2);
    return leaves(3) - second;
  };
  EXPECT_EQ(each(Where::Found), 8u);
  EXPECT_EQ(each(Where::Going), 3u);
  EXPECT_EQ(each(Where::Late), 4u);
  RecordProperty("found_cycles", found.answer);
}

TEST(DsEngine, NoSlotInIsolationIsRefused) {
  test::shows("ds",
              "In isolation a store that finds no slot is answered with an error and changes "
              "nothing; one to a line that has a slot goes on, and loads give what is kept",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  const unsigned depth = b.fill_region();
  b.world.levels().isolate = true;
  b.world.gone = true;
  for (const std::uint64_t mask : {kAllBytes, kLowHalf}) {
    const std::uint32_t lost = b.world.store(20, 0x50, mask);
    ASSERT_TRUE(b.answered(lost, 60));
    EXPECT_TRUE(b.world.answer(lost)->error);
    EXPECT_TRUE(b.world.answer(lost)->is_write);
    const std::uint32_t kept = b.world.store(3, 0x60, mask);
    const std::uint32_t load = b.world.load(3);
    ASSERT_TRUE(b.done(kept, 100));
    EXPECT_FALSE(b.world.answer(kept)->error);
    ASSERT_TRUE(b.answered(load, 100));
    EXPECT_FALSE(b.world.answer(load)->error);
    EXPECT_EQ(b.world.answer(load)->data[0], 0x60);
  }
  EXPECT_EQ(b.world.seen.refused, 2u);
  EXPECT_EQ(b.world.seen.full, 2u);  // one try each
  EXPECT_EQ(b.world.seen.in_place, 2u);
  EXPECT_EQ(b.world.out().count, depth);
  // Back again: they wait as before, and what was refused is not at the endpoint.
  b.world.levels().isolate = b.world.gone = false;
  const std::uint32_t load = b.world.load(20);
  ASSERT_TRUE(b.answered(load));
  EXPECT_EQ(b.world.answer(load)->data, b.world.endpoint(20));
  const std::uint32_t late = b.world.store(21, 0x70);
  b.run(300);
  EXPECT_EQ(b.world.answer(late), nullptr);
  b.world.levels().flush = true;
  ASSERT_TRUE(b.answered(late));
  EXPECT_FALSE(b.world.answer(late)->error);
  EXPECT_TRUE(b.idle());
  EXPECT_EQ(b.world.seen.refused, 2u);
  EXPECT_EQ(std::count(b.world.writes_sent.begin(), b.world.writes_sent.end(), 20), 0);
  b.world.check_endpoint();
}

TEST(DsEngine, NoSlotAfterAFailedWriteIsRefused) {
  test::shows("ds",
              "While a failed endpoint write is not cleared nothing is sent: a store that finds no "
              "slot is answered with an error, afterwards it waits again",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  const unsigned depth = b.fill_region();
  b.world.failing_writes = 1;
  b.world.levels().max_writes = 1;
  b.world.levels().flush = true;
  EXPECT_TRUE(b.until([&] { return b.world.out().error && b.world.out().count == depth; }));
  const std::uint32_t lost = b.world.store(20, 0x50);
  ASSERT_TRUE(b.answered(lost, 60));
  EXPECT_TRUE(b.world.answer(lost)->error);
  EXPECT_EQ(b.world.seen.refused, 1u);
  b.world.freeze_writes = true;
  b.world.levels().clear_error = true;
  b.run(1);
  b.world.levels().clear_error = false;
  const std::uint32_t kept = b.world.store(21, 0x60);
  b.run(300);
  EXPECT_EQ(b.world.answer(kept), nullptr);
  b.world.freeze_writes = false;
  ASSERT_TRUE(b.answered(kept));
  EXPECT_FALSE(b.world.answer(kept)->error);
  EXPECT_TRUE(b.idle());
  EXPECT_EQ(b.world.seen.refused, 1u);
  b.world.check_endpoint();
}

TEST(DsEngine, NobodyWaitsInIsolation) {
  test::shows("order",
              "In isolation, with no store accepted at the endpoint, every load and every store is "
              "answered in bounded time, though the region is full",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  b.world.at_random = true;
  b.world.rates.lines = 40;
  b.world.rates.isolate = 100;
  b.world.levels().isolate = true;
  b.world.gone = true;
  b.run(20'000);
  EXPECT_GT(b.world.seen.loads, 500u);
  EXPECT_GT(b.world.seen.stores, 500u);
  EXPECT_GT(b.world.seen.refused, 100u);
  EXPECT_GT(b.world.seen.in_place, 100u);
  EXPECT_LT(b.world.seen.oldest, 2500u);
  EXPECT_EQ(b.world.seen.most_pending, kConfigs[1].depth);
  b.world.rates.requests = b.world.rates.isolate = 0;
  b.world.gone = false;
  EXPECT_TRUE(b.until([&] { return b.world.idle(); }, 20'000));
  b.world.check_endpoint();
}

TEST(DsEngine, TheEndThatIsAskedForLeavesFirst) {
  test::shows("ds", "Deferred lines leave oldest first if the pace says so, else newest first",
              "docs/blocks/root_port/ds_engine.md");
  for (const bool oldest : {true, false}) {
    SCOPED_TRACE(oldest);
    Bench b;
    b.defer_all();
    for (unsigned n = 1; n <= 6; ++n) b.world.store(n, 0x10);
    EXPECT_TRUE(b.until([&] { return b.world.out().count == 6; }));
    // In place: its turn stays.
    EXPECT_TRUE(b.done(b.world.store(oldest ? 2 : 5, 0x20, 1)));
    b.world.levels().max_writes = 1;
    b.world.levels().oldest = oldest;
    b.world.levels().flush = true;
    EXPECT_TRUE(b.idle());
    EXPECT_EQ(b.world.writes_sent, oldest ? (Lines{1, 2, 3, 4, 5, 6}) : (Lines{6, 5, 4, 3, 2, 1}));
    b.world.check_endpoint();
  }
}

// What comes in between is the newest, whatever left before; the last line is both.
TEST(DsEngine, TheEndsInTurn) {
  for (const bool last : {true, false}) {
    SCOPED_TRACE(last);
    Bench b;
    b.defer_all();
    b.defer({11, 12, 13, 14});
    b.flush_one(true);
    b.defer({15});
    b.flush_one(false);
    b.flush_one(false);
    b.defer({16, 11, 17});  // one that had left
    b.flush_one(true);
    b.flush_one(true);
    b.flush_one(false);
    b.flush_one(true);
    b.flush_one(last);
    b.defer({18});
    b.flush_one(!last);
    EXPECT_EQ(b.world.writes_sent, (Lines{11, 15, 14, 12, 13, 17, 16, 11, 18}));
    EXPECT_EQ(b.world.out().count, 0u);
    EXPECT_TRUE(b.idle());
    EXPECT_EQ(b.world.seen.deletes, 9u);
    b.world.check_endpoint();
  }
}

// Chosen in the cycle of flush_i, its first step is the next.
TEST(DsEngine, TheFirstStepHearsWhichEnd) {
  test::shows("ds",
              "Which deferred line a flush takes is what the pace says in the cycle after its "
              "choice, whatever it says before and after",
              "docs/blocks/root_port/ds_engine.md");
  for (const bool oldest : {true, false}) {
    for (unsigned at = 0; at < 8; ++at) {  // in this cycle alone
      SCOPED_TRACE(at + (oldest ? 1000 : 0));
      Bench b;
      b.defer_all();
      b.defer({1, 2, 3});
      b.world.levels().flush = true;
      for (unsigned n = 0; n < 8; ++n) {
        b.world.levels().oldest = (n == at) == oldest;
        b.run(1);
        b.world.levels().flush = false;
      }
      EXPECT_TRUE(b.until([&] { return !b.world.writes_sent.empty(); }));
      EXPECT_EQ(b.world.writes_sent, Lines{(at == 1) == oldest ? 1u : 3u});
      b.drain();
    }
  }
}

// The wanted line stays so while no flush goes, of either end.
TEST(DsEngine, AFlushOfTheOtherEndLetsTheWantedLineGo) {
  test::shows("order",
              "While a flush of a line waits for a load of it, no further load of it begins, until "
              "a line of the other end goes",
              "docs/blocks/root_port/ds_engine.md");
  for (const bool oldest : {true, false}) {
    SCOPED_TRACE(oldest);
    Bench b(0);
    b.defer_all();
    EXPECT_TRUE(b.done(b.world.store(1, 0x11, kLowHalf)));
    EXPECT_TRUE(b.done(b.world.store(2, 0x22, kLowHalf)));
    b.run(60);
    const std::uint64_t wanted = oldest ? 1 : 2, other = 3 - wanted;
    b.world.freeze_reads = true;
    const std::uint32_t first = b.world.load(wanted);
    EXPECT_TRUE(b.until([&] { return b.world.mq_held() == 1; }));
    b.run(20);
    b.world.levels().oldest = oldest;
    b.world.levels().flush = true;
    b.run(20);
    const std::uint32_t second = b.world.load(wanted);
    b.run(100);
    EXPECT_EQ(b.world.seen.merge, 1u);
    EXPECT_TRUE(b.world.writes_sent.empty());
    b.world.levels().oldest = !oldest;
    b.run(100);
    EXPECT_EQ(b.world.seen.merge, 2u);
    EXPECT_EQ(b.world.writes_sent, Lines{other});
    b.world.freeze_reads = false;
    EXPECT_TRUE(b.answered(first) && b.answered(second));
    EXPECT_TRUE(b.idle());
    EXPECT_EQ(b.world.writes_sent, (Lines{other, wanted}));
    b.world.check_endpoint();
  }
}

// Inserts that find no place come again in their turn; nobody waits for them.
TEST(DsEngine, ALineThatTheIndexRefusesStaysLate) {
  test::shows("ds",
              "While the index refuses a line, loads and stores of that line and of the others are "
              "done, none of the line by a find, and it goes to the endpoint without a delete",
              "docs/blocks/root_port/ds_engine.md");
  for (const bool oldest : {true, false}) {
    SCOPED_TRACE(oldest);
    Bench b;
    b.defer_all();
    b.world.levels().oldest = oldest;
    EXPECT_TRUE(b.done(b.world.store(4, 0x44)));
    b.run(50);
    b.world.refuse_inserts = true;
    EXPECT_TRUE(b.done(b.world.store(5, 0x11, kLowHalf)));
    EXPECT_TRUE(b.until([&] { return b.world.seen.no_place >= 5; }));
    // Of the line itself: in part, then whole.
    const std::uint64_t finds = b.world.seen.finds;
    const std::uint32_t part = b.world.load(5);
    ASSERT_TRUE(b.answered(part, 60));
    EXPECT_EQ(b.world.seen.merge, 1u);
    EXPECT_EQ(b.world.answer(part)->data, b.world.flat(5));
    EXPECT_TRUE(b.done(b.world.store(5, 0x22, ~kLowHalf), 40));
    EXPECT_EQ(b.world.seen.in_place, 1u);
    const std::uint32_t whole = b.world.load(5);
    ASSERT_TRUE(b.answered(whole, 40));
    EXPECT_EQ(b.world.seen.hit, 1u);
    EXPECT_EQ(b.world.answer(whole)->data[0], 0x11);
    EXPECT_EQ(b.world.answer(whole)->data[32], 0x22);
    EXPECT_EQ(b.world.seen.finds, finds);
    EXPECT_EQ(b.world.seen.late_loads, 1u);
    EXPECT_EQ(b.world.seen.late_stores, 1u);
    // Of a line in the index, and of a new one.
    EXPECT_TRUE(b.answered(b.world.load(4), 60));
    EXPECT_TRUE(b.done(b.world.store(4, 0x45), 60));
    EXPECT_EQ(b.world.seen.in_place, 2u);
    EXPECT_EQ(b.world.seen.finds, finds + 2);
    EXPECT_TRUE(b.answered(b.world.load(77), 60));
    EXPECT_EQ(b.world.out().count, 2u);

    b.world.refuse_inserts = false;
    b.run(50);
    const std::uint64_t refused = b.world.seen.no_place;
    b.run(500);
    EXPECT_EQ(b.world.seen.no_place, refused);
    EXPECT_TRUE(b.answered(b.world.load(5), 40));  // now the index has it
    EXPECT_EQ(b.world.seen.finds, finds + 3);

    b.world.refuse_inserts = true;
    EXPECT_TRUE(b.done(b.world.store(6, 0x22)));
    EXPECT_TRUE(b.until([&] { return b.world.seen.no_place > refused; }));
    b.world.levels().flush = true;
    EXPECT_TRUE(b.idle());
    EXPECT_EQ(b.world.writes_sent, oldest ? (Lines{4, 5, 6}) : (Lines{6, 5, 4}));
    EXPECT_EQ(b.world.seen.deletes, 2u);
    b.world.check_endpoint();
  }
}

// Of new lines, of late ones and of one in flight; loads go on. An insert lets the next one in, or
// a flush, which takes a late line.
TEST(DsEngine, NoStoreBeginsWithInsertsLate) {
  test::shows("ds",
              "With Inserts lines late no store is done, whatever its line, and loads of the late "
              "lines are; an insertion or a flush lets the next store in",
              "docs/blocks/root_port/ds_engine.md");
  const unsigned inserts = kConfigs[1].inserts;
  for (const std::uint64_t line : {10u, 1u, 8u}) {
    for (const unsigned flush : {0u, 1u, 2u}) {  // 1: of the last, 2: of the first
      SCOPED_TRACE(line + 1000 * flush);
      Bench b;
      b.world.levels().oldest = flush == 2;
      b.world.freeze_writes = true;
      b.world.levels().flush = false;
      EXPECT_TRUE(b.done(b.world.store(8, 0x18)));  // in flight
      b.run(30);
      b.world.levels().direct = false;
      b.world.refuse_inserts = true;
      for (unsigned n = 0; n < inserts; ++n) {
        EXPECT_TRUE(b.done(b.world.store(1 + n, 0x11, kLowHalf), 60));
      }
      const std::uint32_t waits = b.world.store(line, 0x22, ~kLowHalf);
      b.run(300);
      EXPECT_NE(b.world.answer(waits), nullptr);
      EXPECT_EQ(b.world.times(waits).left, 0u);
      EXPECT_EQ(b.world.out().count, inserts);
      for (unsigned n = 0; n < inserts; ++n) {
        if (1 + n == line) continue;
        EXPECT_TRUE(b.answered(b.world.load(1 + n), 60)) << n;
      }
      EXPECT_EQ(b.world.seen.finds, 0u);
      if (flush != 0) {
        b.world.levels().flush = true;
      } else {
        b.world.refuse_inserts = false;
      }
      EXPECT_TRUE(b.done(waits, 60));
      EXPECT_EQ(b.world.seen.deletes, 0u);
      b.world.freeze_writes = b.world.refuse_inserts = false;
      b.drain();
    }
  }
}

// The first late line stands at the index. If that is the first of all, or the last, a flush of
// this end waits for what the index says, and no store begins. Of a line in the index only its
// delete waits; the last of several late ones waits for nothing.
TEST(DsEngine, AFlushWaitsForTheInsertionOfItsLine) {
  test::shows("ds",
              "A flush of the line that is being inserted goes on with the answer: inserted, it is "
              "deleted, refused, it is not; one of another late line does not wait, and with a "
              "line in the index to be deleted stores go on",
              "docs/blocks/root_port/ds_engine.md");
  for (unsigned all_cases = 0; all_cases < 16; ++all_cases) {
    const bool oldest = (all_cases & 1) != 0, refused = (all_cases & 2) != 0;
    const unsigned late = 1 + (all_cases >> 2 & 1), before = all_cases >> 3;  // in the index
    SCOPED_TRACE(all_cases);
    Bench b(0);  // two late lines do not keep a flush away
    b.defer_all();
    b.world.levels().oldest = oldest;
    Lines all;
    const auto defer = [&] {
      all.push_back(1 + all.size());
      return b.done(b.world.store(all.back(), 0x11), 60);
    };
    for (unsigned n = 0; n < before; ++n) EXPECT_TRUE(defer());
    b.run(50);
    b.world.rates.ix_ready = 0;
    b.world.refuse_inserts = refused;
    for (unsigned n = 0; n < late; ++n) EXPECT_TRUE(defer());
    b.world.levels().flush = true;
    b.run(100);
    const bool goes = !oldest && late == 2;
    EXPECT_EQ(b.world.writes_sent, goes ? Lines{all.back()} : Lines{});
    EXPECT_TRUE(b.world.out().ix_valid);
    EXPECT_EQ(b.world.out().ix_op, 1u);
    EXPECT_EQ(b.world.out().ix_key, 1 + before);
    // Another is deferred only while a delete waits.
    if (late == 1) {
      EXPECT_EQ(defer(), oldest && before != 0);
    }
    b.world.rates.ix_ready = 100;
    EXPECT_TRUE(b.idle());
    Lines order = all;
    if (!oldest && goes) std::reverse(order.begin(), order.end());
    // The one that waited comes behind the flush, and is the last then.
    if (!oldest && !goes) order = before != 0 ? Lines{2, 3, 1} : Lines{1, 2};
    EXPECT_EQ(b.world.writes_sent, order);
    EXPECT_EQ(b.world.seen.deletes, refused ? before : all.size() - goes);
    if (refused) {
      EXPECT_GE(b.world.seen.no_place, all.size() - before - goes);
    }
    b.world.check_endpoint();
  }
}

// Neither takes back what it offered: a find comes after the insertion that stands, an insertion
// after the find.
TEST(DsEngine, InsertionAndFindTakeTurns) {
  Bench b;
  b.defer_all();
  EXPECT_TRUE(b.done(b.world.store(4, 0x44)));
  b.run(50);
  b.world.rates.ix_ready = 0;
  EXPECT_TRUE(b.done(b.world.store(5, 0x11)));
  const std::uint32_t load = b.world.load(4);
  b.run(30);
  EXPECT_TRUE(b.world.out().ix_valid);
  EXPECT_EQ(b.world.out().ix_op, 1u);
  const std::uint64_t cycle = b.world.cycle();
  b.world.rates.ix_ready = 100;
  EXPECT_TRUE(b.until([&] { return b.world.out().ix_valid && b.world.out().ix_op == 0; }));
  EXPECT_EQ(b.world.out().ix_key, 4u);
  EXPECT_EQ(b.world.cycle() - cycle, 5u);  // taken in the first, answered in the fourth
  EXPECT_TRUE(b.answered(load, 20));
  // A find stands: the line that becomes late meanwhile waits for its answer.
  b.world.rates.ix_ready = 0;
  (void)b.world.load(4);
  EXPECT_TRUE(b.until([&] { return b.world.out().ix_valid; }));
  EXPECT_TRUE(b.done(b.world.store(6, 0x22)));
  b.run(10);
  EXPECT_EQ(b.world.out().ix_op, 0u);
  b.world.rates.ix_ready = 100;
  EXPECT_TRUE(b.until([&] { return b.world.out().ix_valid && b.world.out().ix_op == 1; }));
  EXPECT_EQ(b.world.out().ix_key, 6u);
  b.drain();
}

// Loads, stores and flushes wait all the time, and all have something to do.
TEST(DsEngine, StoresGoFirstUpToEight) {
  for (const bool oldest : {true, false}) {
    SCOPED_TRACE(oldest);
    Bench b(0);
    b.defer_all();
    b.world.levels().oldest = oldest;
    for (std::uint64_t line = 1; line <= 6; ++line) b.world.store(line, 0x11);
    EXPECT_TRUE(b.until([&] { return b.world.out().count == 6; }));
    b.run(60);
    // The first load is looked up with the filter's maybe; stores fill the FIFO behind it.
    b.world.freeze_writes = true;
    b.world.levels().flush = true;
    b.world.levels().max_writes = 3;
    for (unsigned n = 0; n < 40; ++n) {
      if (n % 8 == 0) b.world.load(oldest ? 6 : 2);
      b.world.store(oldest ? 5 : 1, 0x22, 0xff);
    }
    // What each operation does: its event, in turn.
    std::string did;
    EXPECT_TRUE(b.until([&] {
      const DsEvents& e = b.world.out().events;
      if (e.hit) did += 'L';
      if (e.in_place) did += 'S';
      if (e.flushed) did += 'F';
      return b.world.seen.in_place == 40;
    }));
    // With an L or F that may go at most eight in a row; later on neither may.
    const std::string first = did.substr(0, did.find_last_of("LF") + 1);
    EXPECT_EQ(first.find("SSSSSSSSS"), std::string::npos) << did;
    EXPECT_NE(first.find("SSSSSSSS"), std::string::npos) << did;
    EXPECT_EQ(std::count(did.begin(), did.end(), 'F'), 3) << did;
    EXPECT_GE(std::count(did.begin(), did.end(), 'L'), 2) << did;
    b.world.freeze_writes = false;
    EXPECT_TRUE(b.idle());
    b.world.check_endpoint();
  }
}

// A load whose slot is to be read begins with a place for that, so no other waits behind it.
TEST(DsEngine, AStoreGoesWhileNoReadIsFree) {
  Bench b;
  b.defer_all();
  EXPECT_TRUE(b.done(b.world.store(1, 0x11)));
  EXPECT_TRUE(b.done(b.world.store(2, 0x12)));
  b.run(50);
  b.world.rates.lm_answers = 0;  // both places stay taken
  for (unsigned n = 0; n < 3; ++n) b.world.load(1);
  EXPECT_TRUE(b.until([&] { return b.world.seen.hit == 2; }));
  b.run(50);
  EXPECT_TRUE(b.done(b.world.store(2, 0x22), 60));
  EXPECT_EQ(b.world.seen.hit, 2u);
  b.world.rates.lm_answers = 100;
  EXPECT_TRUE(b.until([&] { return b.world.seen.hit == 3; }));
  b.drain();
}

// In a burst as many stores as may be late are done at their pace, the next at that of the index.
TEST(DsEngine, ABurstFillsTheLateLines) {
  Bench b(0);
  b.defer_all();
  b.world.rates.ix_ready = 0;  // an insert stands at the index
  const unsigned inserts = kConfigs[0].inserts;
  std::vector<std::uint32_t> ids;
  for (unsigned n = 0; n < inserts + 2; ++n) ids.push_back(b.world.store(100 + n, 0x30));
  EXPECT_TRUE(b.done(ids[inserts - 1], 4 + 2 * inserts));
  b.run(100);
  EXPECT_EQ(b.world.times(ids[inserts]).left, 0u);
  EXPECT_NE(b.world.answer(ids[inserts + 1]), nullptr);
  EXPECT_EQ(b.world.out().count, inserts);
  EXPECT_EQ(b.world.seen.most_late, inserts);
  b.world.rates.ix_ready = 100;
  EXPECT_TRUE(b.done(ids.back(), 60));
  b.drain();
}

// Insertions before flushes: at the half a flush goes, with one more it waits for an insertion.
TEST(DsEngine, NoFlushBeginsWithMoreThanHalfOfInsertsLate) {
  test::shows(
      "ds",
      "With more than half of Inserts lines late no flush begins, fence or not, until one is "
      "inserted or the index has refused one",
      "docs/blocks/root_port/ds_engine.md");
  const unsigned half = kConfigs[0].inserts / 2;
  for (const unsigned more : {0u, 1u}) {
    for (const bool refused : {false, true}) {
      for (const bool fence : {false, true}) {
        SCOPED_TRACE(more * 100 + refused * 10 + fence);
        Bench b(0);
        b.defer_all();
        b.world.levels().oldest = false;
        b.world.rates.ix_ready = 0;
        for (unsigned n = 0; n < half + more; ++n) EXPECT_TRUE(b.done(b.world.store(n, 0x30), 60));
        (fence ? b.world.levels().fence : b.world.levels().flush) = true;
        b.run(100);
        const bool goes = more == 0;
        EXPECT_EQ(!b.world.writes_sent.empty(), goes);
        // One insertion is answered.
        b.world.refuse_inserts = refused;
        b.world.rates.ix_ready = 100;
        b.run(1);
        b.world.rates.ix_ready = 0;
        EXPECT_TRUE(b.until([&] { return !b.world.writes_sent.empty(); }, 30));
        EXPECT_EQ(b.world.writes_sent.front(), half + more - 1);
        b.world.refuse_inserts = false;
        b.world.rates.ix_ready = 100;
        b.world.levels().fence = false;
        b.drain();
      }
    }
  }
}

// Flushes, whose deletes would have the index as often as insertions, wait.
TEST(DsEngine, ABurstGoesOnAtThePaceOfTheIndex) {
  test::shows(
      "ds",
      "While deferred lines go to the endpoint, oldest first, a burst of stores is done at a "
      "store every four cycles, the time from one insertion to the next",
      "docs/blocks/root_port/ds_engine.md");
  constexpr unsigned kStores = 150;
  for (const bool flush : {false, true}) {
    SCOPED_TRACE(flush);
    Bench b(0);
    b.defer_all();
    b.defer({1, 2, 3, 4, 5, 6, 7, 8});
    b.world.levels().oldest = true;
    b.world.levels().flush = flush;
    std::vector<std::uint32_t> ids;
    for (unsigned n = 0; n < kStores; ++n) ids.push_back(b.world.store(100 + n, 0x30));
    unsigned cycles = 0;
    EXPECT_TRUE(b.until([&] {
      ++cycles;
      return b.world.answer(ids.back()) != nullptr;
    }));
    EXPECT_LE(cycles, kInsertCycles * kStores);
    b.world.levels().flush = true;
    EXPECT_TRUE(b.until([&] { return b.world.idle(); }, 20 * kStores));
    b.world.check_endpoint();
  }
}

// Writes that fail come back as late lines: two more than Inserts are late at most, that of a store
// that had begun and the one that made Inserts be passed. The next waits with its place, its line
// still in flight.
TEST(DsEngine, ACompletionWaitsWithMoreThanInsertsLate) {
  test::shows("ds",
              "With more than Inserts lines late a write that failed keeps its place until a line "
              "is inserted or flushed; loads of its line are answered, and nothing is lost",
              "docs/blocks/root_port/ds_engine.md");
  const unsigned inserts = kConfigs[1].inserts;
  for (const unsigned flush : {0u, 1u, 2u}) {  // 1: of the last, 2: of the first
    SCOPED_TRACE(flush);
    Bench b;
    b.world.levels().oldest = flush == 2;
    b.world.freeze_writes = true;
    b.world.levels().flush = false;
    b.world.refuse_inserts = true;
    for (std::uint64_t line = 1; line <= 3; ++line) {
      EXPECT_TRUE(b.done(b.world.store(line, 0x10)));
    }
    EXPECT_TRUE(b.until([&] { return b.world.seen.direct == 3; }));
    b.world.levels().direct = false;
    EXPECT_TRUE(b.done(b.world.store(4, 0x40)));
    b.world.rates.lm_ready = 0;
    const std::uint32_t begun = b.world.store(5, 0x50);
    EXPECT_TRUE(b.until([&] { return b.world.out().lm_valid; }));
    // Two of the three come back, beside line 4; then the store's line does.
    b.world.failing_writes = 3;
    b.world.freeze_writes = false;
    EXPECT_TRUE(b.until([&] { return b.world.out().count == inserts + 1; }));
    b.run(100);
    EXPECT_EQ(b.world.out().count, inserts + 1);
    EXPECT_EQ(b.world.mq_held(), 0u);  // the third was answered as well
    b.world.rates.lm_ready = 100;
    EXPECT_TRUE(b.done(begun, 60));
    b.run(300);
    EXPECT_EQ(b.world.out().count, inserts + 2);
    EXPECT_EQ(b.world.seen.most_late, inserts + 2);
    EXPECT_EQ(b.world.seen.error, 2u);
    for (std::uint64_t line = 1; line <= 5; ++line) {
      EXPECT_TRUE(b.answered(b.world.load(line), 60)) << line;
    }
    EXPECT_EQ(b.world.seen.hit, 5u);
    EXPECT_EQ(b.world.seen.finds, 0u);
    if (flush != 0) {
      b.world.levels().flush = b.world.levels().clear_error = true;
    } else {
      b.world.refuse_inserts = false;
    }
    EXPECT_TRUE(b.until([&] { return b.world.seen.error == 3; }, 100));
    b.world.refuse_inserts = false;
    b.world.levels().flush = b.world.levels().clear_error = true;
    EXPECT_TRUE(b.idle());
    b.world.check_endpoint();
  }
}

TEST(DsEngine, FailedWriteKeepsItsData) {
  test::shows("ds",
              "A failed endpoint write is reported, its data stay readable, and it is tried again "
              "once the error is cleared",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  // Line 5, which failed, is deferred before 6.
  for (const unsigned direct_oldest : {0u, 1u, 2u, 3u}) {
    const bool direct = direct_oldest / 2 != 0, oldest = direct_oldest % 2 != 0;
    b.world.levels().oldest = oldest;
    b.world.levels().direct = direct;
    b.world.writes_sent.clear();
    b.world.failing_writes = 1;
    const std::uint32_t id = b.world.store(5, direct ? 0x11 : 0x22);
    EXPECT_TRUE(b.until([&] { return b.world.out().error && b.world.out().count == 1; }));
    ASSERT_NE(b.world.answer(id), nullptr);
    EXPECT_FALSE(b.world.answer(id)->error);
    b.run(300);
    EXPECT_EQ(b.world.writes_sent, Lines{5});  // no more until software has seen it
    EXPECT_TRUE(b.answered(b.world.load(5)));
    EXPECT_TRUE(b.done(b.world.store(6, 0x33)));  // stores go on, deferred
    b.run(300);
    EXPECT_EQ(b.world.out().count, 2u);
    b.world.levels().clear_error = true;
    b.run(1);
    b.world.levels().clear_error = false;
    EXPECT_TRUE(b.idle());
    EXPECT_FALSE(b.world.out().error);
    EXPECT_EQ(b.world.writes_sent, oldest ? (Lines{5, 5, 6}) : (Lines{5, 6, 5}));
    b.world.check_endpoint();
  }
  EXPECT_EQ(b.world.seen.error, 4u);
}

TEST(DsEngine, FenceBringsEveryStoreToTheEndpoint) {
  test::shows("ds",
              "Under a fence no store is taken, deferred ones are sent though flushing is "
              "suspended, and empty says that all are at the endpoint",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  b.defer_all();
  for (unsigned n = 0; n < 7; ++n) b.world.store(n, 0x10);
  EXPECT_TRUE(b.until([&] { return b.world.out().count == 7; }));
  b.world.freeze_writes = true;
  b.world.levels().fence = true;
  const std::uint32_t late = b.world.store(9, 0x20);
  b.run(500);
  EXPECT_FALSE(b.world.out().empty);
  EXPECT_EQ(b.world.answer(late), nullptr);
  b.world.freeze_writes = false;
  EXPECT_TRUE(b.until([&] { return b.world.out().empty; }));
  EXPECT_EQ(b.world.writes_sent.size(), 7u);
  b.world.check_endpoint();
  b.run(300);
  EXPECT_EQ(b.world.answer(late), nullptr);
  b.world.levels().fence = false;
  EXPECT_TRUE(b.answered(late));
}

TEST(DsEngine, FlushingIsSuspendedAndResumed) {
  test::shows("qos",
              "Deferred stores are sent only when the pace allows, and no more than allowed are "
              "outstanding",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  b.defer_all();
  for (unsigned n = 0; n < 6; ++n) b.world.store(n, 0x10);
  EXPECT_TRUE(b.until([&] { return b.world.out().count == 6; }));
  b.run(300);
  EXPECT_TRUE(b.world.writes_sent.empty());
  b.world.freeze_writes = true;
  b.world.levels().flush = true;
  for (unsigned most = 0; most <= 3; ++most) {
    b.world.levels().max_writes = most;
    b.run(200);
    EXPECT_EQ(b.world.writes_sent.size(), most);
  }
  b.world.levels().max_writes = 31;  // the write table has three
  b.run(200);
  EXPECT_EQ(b.world.writes_sent.size(), 3u);
  b.world.levels().flush = false;
  b.world.freeze_writes = false;
  b.run(300);
  EXPECT_EQ(b.world.writes_sent.size(), 3u);
  EXPECT_EQ(b.world.out().count, 3u);
  b.world.levels().flush = true;
  EXPECT_TRUE(b.idle());
}

TEST(DsEngine, DirectOrDeferred) {
  test::shows(
      "ds",
      "A store goes to the endpoint at once if the pace says so and a write is free, else it "
      "is deferred",
      "docs/blocks/root_port/ds_engine.md");
  Bench b;
  b.world.freeze_writes = true;
  b.world.levels().flush = false;
  b.world.store(1, 0x10);
  EXPECT_TRUE(b.until([&] { return b.world.seen.direct == 1; }));
  b.world.levels().direct = false;
  b.world.store(2, 0x20);
  EXPECT_TRUE(b.until([&] { return b.world.seen.deferred == 1; }));
  b.world.levels().direct = true;
  b.world.levels().max_writes = 1;
  b.world.store(3, 0x30);
  EXPECT_TRUE(b.until([&] { return b.world.seen.deferred == 2; }));
  EXPECT_EQ(b.world.writes_sent, Lines{1});
  b.world.levels().max_writes = 3;
  for (unsigned n = 4; n < 7; ++n) b.world.store(n, 0x40);  // one more than there are entries
  EXPECT_TRUE(b.until([&] { return b.world.seen.direct + b.world.seen.deferred == 6; }));
  EXPECT_EQ(b.world.writes_sent, (Lines{1, 4, 5}));
  b.world.freeze_writes = false;
  b.drain();
}

TEST(DsEngine, DirectLeavesRoomInTheMemoryQueue) {
  test::shows("order",
              "A store is issued at once only with two entries of the memory queue free, else it "
              "would block loads",
              "docs/blocks/root_port/ds_engine.md");
  for (const unsigned held : {kMemEntries - 2, kMemEntries - 1, kMemEntries}) {
    Bench b;
    b.world.levels().flush = false;
    b.world.freeze_reads = true;
    for (unsigned n = 0; n < held; ++n) b.world.load(100 + n);
    EXPECT_TRUE(b.until([&] { return b.world.mq_held() == held; }));
    EXPECT_TRUE(b.done(b.world.store(5, 0x11), 100));
    b.run(50);
    EXPECT_EQ(b.world.seen.direct, held == kMemEntries - 2 ? 1u : 0u) << held;
    b.world.freeze_reads = false;
    b.world.levels().flush = true;
    EXPECT_TRUE(b.idle());
  }
}

// Whichever two they are.
TEST(DsEngine, DirectWithAnyTwoEntriesFree) {
  constexpr std::uint64_t kAll = (std::uint64_t{1} << kMemEntries) - 1;
  Bench b;
  std::uint64_t line = 0;
  for (unsigned first = 0; first < kMemEntries; ++first) {
    for (unsigned second = first; second < kMemEntries; ++second) {
      const std::uint64_t held = kAll & ~(std::uint64_t{1} << first | std::uint64_t{1} << second);
      const std::uint64_t direct = b.world.seen.direct;
      b.world.hold(held);
      EXPECT_TRUE(b.done(b.world.store(++line, 0x11)));
      b.run(10);
      EXPECT_EQ(b.world.seen.direct, direct + (first == second ? 0 : 1)) << first << ' ' << second;
      b.world.release(held);
      EXPECT_TRUE(b.idle());
    }
  }
}

TEST(DsEngine, AResetTakesBackWhatStands) {
  for (const bool store : {false, true}) {
    SCOPED_TRACE(store ? "store" : "load");
    Bench b;
    b.world.rates.mq_ready = 0;
    if (store) {
      b.world.store(1, 0x11);
    } else {
      b.world.load(1);
    }
    EXPECT_TRUE(b.until([&] { return b.world.out().mq_valid; }));
    b.run(3);
    EXPECT_FALSE(b.offers_after_reset());
  }
}

TEST(DsEngine, FreedSlotsGoFirst) {
  Bench b(0);
  for (unsigned n = 0; n < 5; ++n) {
    EXPECT_TRUE(b.done(b.world.store(n, 0x11)));
    EXPECT_TRUE(b.idle());
  }
  EXPECT_EQ(b.world.seen.slots_reused, 4u);  // one slot for all
  b.world.check_endpoint();
}

TEST(DsEngine, OffItIsNotThere) {
  test::shows("ds", "Switched off, stores are answered by their endpoint as without the engine",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  b.world.levels().enable = false;
  b.world.freeze_writes = true;
  const std::uint32_t id = b.world.store(5, 0x11);
  b.run(300);
  EXPECT_EQ(b.world.answer(id), nullptr);
  b.world.freeze_writes = false;
  EXPECT_TRUE(b.answered(id));
  EXPECT_TRUE(b.answered(b.world.load(5)));
  b.world.check_endpoint();
}

// The rules of answers. A store waits for nothing but a slot of its own to be answered: behind a
// load of its line, with local memory stalled, with as many lines late as may be.
TEST(DsEngine, StoresAreAnsweredOneACycle) {
  test::shows("ds",
              "With slots free every store is answered two cycles after it came, one a cycle, "
              "though local memory takes nothing, an older load of its line hangs or Inserts lines "
              "are late",
              "docs/blocks/root_port/ds_engine.md");
  enum class Stall : std::uint8_t { None, LocalMemory, OlderLoad, LateLines };
  for (const Stall stall : {Stall::None, Stall::LocalMemory, Stall::OlderLoad, Stall::LateLines}) {
    SCOPED_TRACE(static_cast<unsigned>(stall));
    Bench b(0);
    const DsConfig& config = kConfigs[0];
    b.defer_all();
    const bool stalls = stall != Stall::None;
    if (stall == Stall::LocalMemory) b.world.rates.lm_ready = 0;
    if (stall == Stall::LateLines) {
      b.world.rates.ix_ready = 0;
      for (unsigned n = 0; n < config.inserts; ++n) {
        EXPECT_TRUE(b.done(b.world.store(500 + n, 0x10)));
      }
    }
    if (stall == Stall::OlderLoad) {
      b.world.freeze_reads = true;
      b.world.load(100);
      EXPECT_TRUE(b.until([&] { return b.world.mq_held() == 1; }));
    }
    const std::uint64_t deferred = b.world.seen.deferred;
    std::vector<std::uint32_t> ids;
    for (unsigned n = 0; n < config.stores + 4; ++n) ids.push_back(b.world.store(100 + n, 0x30));
    b.run(100);
    const std::uint64_t first = b.world.times(ids[0]).came;
    for (unsigned n = 0; n < ids.size(); ++n) {
      const DsWorld::Times at = b.world.times(ids[n]);
      if (n >= config.stores && stalls) {
        EXPECT_EQ(at.came, 0u) << n;
        continue;
      }
      EXPECT_EQ(at.answer, at.came + 2) << n;
      if (n < config.stores) {
        EXPECT_EQ(at.came, first + n);
      }
      EXPECT_EQ(at.left == 0, stalls) << n;
    }
    EXPECT_EQ(b.world.seen.deferred - deferred, stalls ? 0 : ids.size());
    EXPECT_FALSE(b.world.out().empty);
    b.world.rates.lm_ready = b.world.rates.ix_ready = 100;
    b.world.freeze_reads = false;
    b.world.levels().flush = true;
    for (const std::uint32_t id : ids) EXPECT_TRUE(b.done(id));
    EXPECT_TRUE(b.idle());
    b.world.check_endpoint();
  }
}

// Deferred lines 0, 1, ... but for `free` slots, one of which line 50 has, whose write hangs, if
// `going`.
void fill_but(Bench& b, unsigned free, bool going) {
  b.world.freeze_writes = going;
  b.world.levels().flush = false;
  if (going) {
    EXPECT_TRUE(b.done(b.world.store(50, 0x50)));
    EXPECT_EQ(b.world.seen.direct, 1u);
  }
  b.world.levels().direct = false;
  const unsigned lines = kConfigs[1].depth - free - unsigned{going};
  for (unsigned n = 0; n < lines; ++n) EXPECT_TRUE(b.done(b.world.store(n, 0x40)));
  b.run(20 * lines);  // none is late any more
  EXPECT_EQ(b.world.out().count, lines);
}
// A load of the line hangs at the endpoint: no younger store of it begins.
void hang(Bench& b, std::uint64_t line) {
  b.world.freeze_reads = true;
  const unsigned held = b.world.mq_held();
  b.world.load(line);
  EXPECT_TRUE(b.until([&] { return b.world.mq_held() == held + 1; }));
}

TEST(DsEngine, OneSlotIsLeftForEachAnsweredStore) {
  test::shows("ds",
              "As many waiting stores are answered as slots are free, one more with each that "
              "comes free, in the next cycle but one",
              "docs/blocks/root_port/ds_engine.md");
  const unsigned stores = kConfigs[1].stores;
  for (unsigned free = 0; free < stores; ++free) {
    SCOPED_TRACE(free);
    Bench b;
    fill_but(b, free, true);
    hang(b, 20);
    std::vector<std::uint32_t> ids;
    for (unsigned n = 0; n < stores; ++n) ids.push_back(b.world.store(20 + n, 0x60));
    b.run(100);
    for (unsigned n = 0; n < stores; ++n) {
      const DsWorld::Times at = b.world.times(ids[n]);
      EXPECT_EQ(at.answer, n < free ? at.came + 2 : 0) << n;
    }
    b.world.freeze_writes =
        false;  // the write's answer is taken and its slot free from the next on
    EXPECT_TRUE(b.until([&] { return b.world.mq_held() == 1; }));
    const std::uint64_t freed = b.world.cycle();
    b.run(100);
    EXPECT_EQ(b.world.times(ids[free]).answer, freed + 2);
    for (unsigned n = free + 1; n < stores; ++n) EXPECT_EQ(b.world.times(ids[n]).answer, 0u) << n;
    EXPECT_EQ(b.world.times(ids[0]).left, 0u);
    b.world.freeze_reads = false;
    for (unsigned n = 0; n <= free; ++n) EXPECT_TRUE(b.done(ids[n])) << n;
    b.run(300);
    EXPECT_EQ(b.world.out().count, kConfigs[1].depth);
    for (unsigned n = free + 1; n < stores; ++n) EXPECT_EQ(b.world.answer(ids[n]), nullptr) << n;
    b.world.levels().flush = true;
    for (const std::uint32_t id : ids) EXPECT_TRUE(b.done(id));
    EXPECT_TRUE(b.idle());
    EXPECT_EQ(b.world.seen.refused, 0u);
    b.world.check_endpoint();
  }
}

// Until it has left: then the next one is answered.
TEST(DsEngine, ASlotIsLeftForAnAnsweredStoreThatHasOne) {
  Bench b;
  fill_but(b, 2, false);
  b.world.rates.lm_ready = 0;
  const std::uint32_t first = b.world.store(30, 0x60), second = b.world.store(31, 0x61);
  b.run(50);
  EXPECT_TRUE(b.world.out().lm_valid);  // on its way, with the last slot but one
  EXPECT_EQ(b.world.times(first).answer, b.world.times(first).came + 2);
  EXPECT_EQ(b.world.times(second).answer, 0u);
  b.world.rates.lm_ready = 100;
  EXPECT_TRUE(b.done(first) && b.done(second));
  EXPECT_EQ(b.world.times(second).answer, b.world.times(first).left + 2);
  EXPECT_EQ(b.world.seen.late_answers, 0u);
  b.drain();
}

// No slot is free, and it needs none.
TEST(DsEngine, AStoreThatLeavesUnansweredIsAnsweredThen) {
  test::shows("ds",
              "With the region full a store to a line that is here, in the index, late or in "
              "flight, is answered two cycles after it left",
              "docs/blocks/root_port/ds_engine.md");
  for (const std::uint64_t line : {3u, 50u, 60u}) {
    SCOPED_TRACE(line);
    Bench b;
    fill_but(b, line == 60 ? 1 : 0, true);
    b.world.refuse_inserts = true;
    if (line == 60) {
      EXPECT_TRUE(b.done(b.world.store(60, 0x44)));
    }
    const std::uint64_t in_place = b.world.seen.in_place;
    std::vector<std::uint32_t> ids;
    for (unsigned n = 0; n < 3; ++n) ids.push_back(b.world.store(line, 0x70, 0xff << 8 * n));
    for (const std::uint32_t id : ids) {
      EXPECT_TRUE(b.done(id, 40));
      EXPECT_EQ(b.world.times(id).answer, b.world.times(id).left + 2);
    }
    EXPECT_EQ(b.world.seen.in_place, in_place + 3);
    EXPECT_EQ(b.world.seen.late_answers, 3u);
    b.world.freeze_writes = b.world.refuse_inserts = false;
    b.drain();
  }
}

// Nobody takes answers: one stands in the response register, one is late, the third store cannot
// leave.
TEST(DsEngine, OneAnswerIsLateAtMost) {
  test::shows("order",
              "With no answer taken a store leaves only while no other left unanswered: deferred, "
              "direct or in place; then the answers come in order, one a cycle",
              "docs/blocks/root_port/ds_engine.md");
  enum class Kind : std::uint8_t { Deferred, Direct, InPlace };
  for (const Kind kind : {Kind::Deferred, Kind::Direct, Kind::InPlace}) {
    SCOPED_TRACE(static_cast<unsigned>(kind));
    Bench b;
    b.defer_all();
    for (unsigned n = 0; n < 4 && kind == Kind::InPlace; ++n) {
      EXPECT_TRUE(b.done(b.world.store(n, 0x11)));
    }
    b.run(50);
    b.world.levels().direct = kind == Kind::Direct;
    b.world.rates.latency = 1;
    b.world.rates.rsp_ready = 0;
    std::vector<std::uint32_t> ids;
    for (unsigned n = 0; n < 4; ++n) ids.push_back(b.world.store(n, 0x22));
    b.run(100);
    EXPECT_EQ(b.world.times(ids[0]).answer, b.world.times(ids[0]).came + 2);
    EXPECT_NE(b.world.times(ids[1]).left, 0u);
    EXPECT_EQ(b.world.times(ids[2]).left, 0u);
    for (unsigned n = 1; n < 4; ++n) EXPECT_EQ(b.world.times(ids[n]).answer, 0u) << n;
    if (kind == Kind::Direct) {
      // At the endpoint, whose answer waits for the store to leave.
      EXPECT_EQ(b.world.writes_sent, (Lines{0, 1, 2}));
      EXPECT_TRUE(b.world.in().mq_rsp_valid && !b.world.out().mq_rsp_ready);
    }
    EXPECT_FALSE(b.world.out().empty);
    b.world.rates.rsp_ready = 100;
    b.run(1);
    const std::uint64_t taken = b.world.cycle();
    EXPECT_NE(b.world.answer(ids[0]), nullptr);
    b.run(50);
    for (unsigned n = 1; n < 4; ++n) EXPECT_EQ(b.world.times(ids[n]).answer, taken + n) << n;
    EXPECT_EQ(b.world.seen.late_answers, 1u);
    if (kind != Kind::InPlace) {  // it waited for that only
      EXPECT_EQ(b.world.times(ids[2]).left, taken + 1);
      EXPECT_EQ(b.world.seen.answered_leaving, 1u);
    }
    b.drain();
  }
}

// With `free` slots, stores to lines base, base + 1, base + 2 and 3, which is here, behind a load
// that hangs; then none comes free any more.
void refuse_all_but(Bench& b, bool isolated, unsigned free, std::uint64_t base) {
  if (!isolated) {
    b.world.failing_writes = 1;
    EXPECT_TRUE(b.done(b.world.store(0, 0x40)));
    EXPECT_TRUE(b.until([&] { return b.world.out().error && b.world.out().count == 1; }));
  }
  fill_but(b, free, false);
  EXPECT_EQ(b.world.out().error, !isolated);
  hang(b, base);
  std::vector<std::uint32_t> ids;
  for (const std::uint64_t line : {base, base + 1, base + 2, std::uint64_t{3}}) {
    ids.push_back(b.world.store(line, 0x66));
  }
  b.run(100);
  for (unsigned n = 0; n < 4; ++n) EXPECT_EQ(b.world.answer(ids[n]) != nullptr, n < free) << n;
  b.world.levels().isolate = b.world.gone = isolated;
  b.world.freeze_reads = false;
  for (const std::uint32_t id : ids) ASSERT_TRUE(b.done(id));
  for (unsigned n = 0; n < 4; ++n) {
    EXPECT_EQ(b.world.answer(ids[n])->error, n >= free && n != 3) << n;
  }
  EXPECT_EQ(b.world.seen.refused, 3 - free);
  EXPECT_EQ(b.world.out().count, kConfigs[1].depth);
  for (unsigned n = 0; n < free; ++n) {
    const std::uint32_t load = b.world.load(base + n);
    ASSERT_TRUE(b.answered(load));
    EXPECT_EQ(b.world.answer(load)->data[63], 0x66);
    EXPECT_FALSE(b.world.answer(load)->error);
  }
  b.world.levels().isolate = b.world.gone = false;
  b.world.levels().flush = b.world.levels().clear_error = true;
  EXPECT_TRUE(b.idle());
  EXPECT_EQ(b.world.writes_sent.size(), kConfigs[1].depth + !isolated);
  b.world.check_endpoint();
}

TEST(DsEngine, AnAnsweredStoreIsNeverRefused) {
  test::shows("ds",
              "Isolated or after a failed write, with the region nearly full, stores that are "
              "answered get their slots; those behind that find none are answered with an error, "
              "one to a line that is here without",
              "docs/blocks/root_port/ds_engine.md");
  for (const bool isolated : {true, false}) {
    std::uint64_t searched = 0;
    for (unsigned run = 0; run < 10; ++run) {
      const unsigned free = std::min(run, 2u);
      const std::uint64_t base = 20 + 4 * run;
      SCOPED_TRACE(base + (isolated ? 1000 : 0));
      Bench b;
      refuse_all_but(b, isolated, free, base);
      searched += b.world.seen.false_hit;
    }
    // Some of the lines meet one that is here in a bucket of the filter: an operation of their own.
    EXPECT_GT(searched, 3u);
  }
}

TEST(DsEngine, AFenceWaitsForAnsweredStores) {
  test::shows("ds",
              "Under a fence an answered store that still waits, and one that waits for its "
              "answer, go to the endpoint before empty says so",
              "docs/blocks/root_port/ds_engine.md");
  Bench b;
  fill_but(b, 1, false);
  hang(b, 20);
  const std::uint32_t answered = b.world.store(20, 0x60), waits = b.world.store(21, 0x61);
  b.run(20);
  EXPECT_NE(b.world.answer(answered), nullptr);
  EXPECT_EQ(b.world.answer(waits), nullptr);
  b.world.levels().fence = true;
  const unsigned deferred = kConfigs[1].depth - 1;
  EXPECT_TRUE(b.until([&] { return b.world.writes_sent.size() == deferred; }));
  b.run(300);  // with slots free the other is answered, behind the one that cannot go
  EXPECT_NE(b.world.answer(waits), nullptr);
  EXPECT_EQ(b.world.times(answered).left, 0u);
  EXPECT_EQ(b.world.out().count, 0u);
  EXPECT_FALSE(b.world.out().empty);
  b.world.freeze_reads = false;
  EXPECT_TRUE(b.until([&] { return b.world.out().empty; }));
  EXPECT_EQ(b.world.writes_sent.size(), deferred + 2);
  EXPECT_EQ(b.world.endpoint(20)[0], 0x60);
  EXPECT_EQ(b.world.endpoint(21)[0], 0x61);
  b.world.check_endpoint();
}

TEST(DsEngine, ALoadSeesAnAnsweredStoreOfItsLine) {
  test::shows("order",
              "A load that comes after a store of its line was answered waits at the entry until "
              "the store is done, and sees it",
              "docs/blocks/root_port/ds_engine.md");
  for (const std::uint64_t line : {5u, 6u, 7u}) {  // deferred, in flight, absent
    SCOPED_TRACE(line);
    Bench b;
    b.world.freeze_writes = true;
    b.world.levels().flush = false;
    EXPECT_TRUE(b.done(b.world.store(6, 0x22)));
    b.world.levels().direct = false;
    EXPECT_TRUE(b.done(b.world.store(5, 0x11)));
    b.run(50);
    b.world.rates.lm_ready = 0;
    const std::uint32_t store = b.world.store(line, 0x77, kLowHalf);
    EXPECT_TRUE(b.answered(store, 3));
    const std::uint32_t load = b.world.load(line);
    b.run(1);
    for (unsigned n = 0; n < 60; ++n) {
      b.run(1);
      EXPECT_TRUE(b.world.in().req_valid && !b.world.out().req_ready && !b.world.out().sr_valid);
    }
    EXPECT_EQ(b.world.times(store).left, 0u);
    b.world.rates.lm_ready = 100;
    ASSERT_TRUE(b.answered(load));
    EXPECT_EQ(b.world.answer(load)->data[31], 0x77);
    EXPECT_EQ(b.world.answer(load)->data, b.world.flat(line));
    b.world.freeze_writes = false;
    b.drain();
  }
}

TEST(DsEngine, NobodyWaitsLong) {
  test::shows("order",
              "With an endpoint and a local memory that make progress no request starves, whatever "
              "others request its line",
              "docs/blocks/root_port/ds_engine.md");
  for (const unsigned lines : {1u, 4u, 40u}) {
    Bench b;
    b.world.at_random = true;
    b.world.rates.lines = lines;
    b.run(20'000);
    EXPECT_GT(b.world.seen.loads + b.world.seen.stores, 600u);
    EXPECT_LT(b.world.seen.oldest, 2500u) << lines << " lines";
  }
}

}  // namespace
}  // namespace cxlgpu
