// ds_engine: the twin in lockstep with the RTL, the data under random traffic, its rules by hand.
#include "refmodel/root_port/ds_engine.hpp"

#include <memory>
#include <vector>

#include "Vds_engine.h"
#include "tests/common/requirement.hpp"
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
    {.depth = 8, .writes = 3, .stores = 4, .merges = 1, .reads = 2, .buckets = 16},
    {.depth = 16, .writes = 1, .stores = 2, .merges = 3, .reads = 4, .buckets = 32}};
constexpr unsigned kInstances = 3;

using Top = test::Clocked<Vds_engine>;
// Bits of one instance on the bench.
constexpr unsigned kSysReq = 640, kSysRsp = 544, kLmReq = 608, kLmRsp = 544;

// Input ports of one instance.
class RtlPort {
 public:
  RtlPort(Top& rtl, unsigned instance) : rtl_(rtl), g_(instance) {}

  void drive(const DsEngine::In& in) {
    using test::set_bits;
    set_bits(rtl_->enable_i, g_, 1, in.enable);
    set_bits(rtl_->fence_i, g_, 1, in.fence);
    set_bits(rtl_->clear_error_i, g_, 1, in.clear_error);
    set_bits(rtl_->max_writes_i, 5 * g_, 5, in.max_writes);
    set_bits(rtl_->direct_i, g_, 1, in.direct);
    set_bits(rtl_->flush_i, g_, 1, in.flush);
    set_bits(rtl_->req_valid_i, g_, 1, in.req_valid);
    test::set_sys_req(rtl_->req_i, in.req, kSysReq * g_);
    set_bits(rtl_->sr_ready_i, g_, 1, in.sr_ready);
    set_bits(rtl_->head_valid_i, g_, 1, in.head_valid);
    test::set_sys_req(rtl_->head_req_i, in.head, kSysReq * g_);
    set_bits(rtl_->mq_ready_i, g_, 1, in.mq_ready);
    table(rtl_->load_valid_i, rtl_->load_line_i, in.loads, kSrDepth);
    table(rtl_->mem_valid_i, rtl_->mem_line_i, in.mem, kMemEntries);
    set_bits(rtl_->mq_rsp_valid_i, g_, 1, in.mq_rsp_valid);
    test::set_sys_rsp(rtl_->mq_rsp_i, in.mq_rsp, kSysRsp * g_);
    set_bits(rtl_->rsp_ready_i, g_, 1, in.rsp_ready);
    set_bits(rtl_->lm_ready_i, g_, 1, in.lm_ready);
    set_bits(rtl_->lm_rsp_valid_i, g_, 1, in.lm_rsp_valid);
    test::set_line(rtl_->lm_rsp_i, kLmRsp * g_, in.lm_rsp.data);
    set_bits(rtl_->lm_rsp_i, kLmRsp * g_ + 512, 4, in.lm_rsp.index);
    set_bits(rtl_->lm_rsp_i, kLmRsp * g_ + 516, 2, static_cast<unsigned>(in.lm_rsp.kind));
    set_bits(rtl_->ix_ready_i, g_, 1, in.ix_ready);
    set_bits(rtl_->ix_rsp_valid_i, g_, 1, in.ix_rsp_valid);
    set_bits(rtl_->ix_found_i, g_, 1, in.ix_found);
    set_bits(rtl_->ix_slot_i, 8 * g_, 8, in.ix_slot);
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
        lockstep.check("ix_slot_o", test::get_bits(rtl_->ix_slot_o, 8 * g_, 8), out.ix_slot);
      }
    }
    check("empty_o", rtl_->empty_o, out.empty);
    check("error_o", rtl_->error_o, out.error);
    lockstep.check("count_o", test::get_bits(rtl_->count_o, 9 * g_, 9), out.count);
    const DsEvents& e = out.events;
    const bool bits[] = {e.direct, e.deferred,  e.in_place, e.flushed, e.hit,
                         e.merge,  e.false_hit, e.full,     e.error};
    const char* names[] = {"ev_o.direct",    "ev_o.deferred", "ev_o.in_place",
                           "ev_o.flushed",   "ev_o.hit",      "ev_o.merge",
                           "ev_o.false_hit", "ev_o.full",     "ev_o.error"};
    for (unsigned n = 0; n < 9; ++n) {
      lockstep.check(names[n], test::get_bits(rtl_->ev_o, 9 * g_ + n, 1), bits[n]);
    }
  }

 private:
  // The lines seldom change.
  template <typename Valid, typename Lines>
  void table(Valid& valid, Lines& lines, const LineTable& twin, unsigned entries) {
    const std::uint64_t fresh = twin.valid & ~test::get_bits(valid, entries * g_, entries);
    test::set_bits(valid, entries * g_, entries, twin.valid);
    for (std::uint64_t left = fresh; left != 0; left &= left - 1) {
      const auto e = static_cast<unsigned>(std::countr_zero(left));
      test::set_bits(lines, std::size_t{46} * (entries * g_ + e), 46, twin.line[e]);
    }
  }
  void compare_local(Lockstep& lockstep, const LmRequest& twin) {
    const std::size_t at = kLmReq * g_;
    const auto field = [&](unsigned lo, unsigned width) {
      return test::get_bits(rtl_->lm_req_o, at + lo, width);
    };
    lockstep.check("lm_req_o.write", field(594, 1), twin.write);
    lockstep.check("lm_req_o.slot", field(576, 12), twin.slot);
    if (twin.write) {
      lockstep.check("lm_req_o.be", field(512, 64), twin.byte_enable);
      lockstep.check_bytes("lm_req_o.data", test::get_line(rtl_->lm_req_o, at), twin.data);
    } else {
      lockstep.check("lm_req_o.kind", field(592, 2), static_cast<unsigned>(twin.kind));
      lockstep.check("lm_req_o.index", field(588, 4), twin.index);
    }
  }

  Top& rtl_;
  unsigned g_;
};

// Random traffic of one engine, in phases: each with rates of its own, then everything to the
// endpoint under a fence, at times all slots filled or the engine switched off for a while.
class Traffic {
 public:
  Traffic(unsigned instance, Random& random)
      : world(kConfigs[instance], random), config_(kConfigs[instance]), random_(random) {
    world.at_random = true;
    next_phase();
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
      if (random_.below(config_.depth == 256 ? 10 : 3) == 0 && world.in().enable) {
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

  DsWorld world;
  std::uint64_t phases = 0, fills = 0;

 private:
  enum class Kind : std::uint8_t { Random, Drain, Fill };
  static constexpr std::uint64_t kDrain = 300'000;

  [[nodiscard]] bool done() const {
    if (kind_ == Kind::Fill) return world.out().count == config_.depth;
    return world.idle() && !world.in().fence;
  }
  void next_phase() {
    kind_ = Kind::Random;
    world.at_random = true;
    world.rates = DsRates(random_, config_);
    left_ = world.rates.cycles;
    DsEngine::In& levels = world.levels();
    levels.fence = false;
    levels.enable = !random_.percent(5);
    if (!levels.enable) left_ = 300;
  }
  void drain() {
    kind_ = Kind::Drain;
    left_ = kDrain;
    world.at_random = true;
    const unsigned latency = world.rates.latency;
    world.rates = DsRates();
    world.rates.latency = latency;
    world.rates.requests = 0;
    world.rates.fences = 10'000;
  }
  void fill() {
    kind_ = Kind::Fill;
    left_ = kDrain;
    full_before_ = world.seen.full;
    world.at_random = false;
    world.freeze_writes = world.freeze_reads = false;
    DsEngine::In& levels = world.levels();
    levels.fence = levels.flush = levels.direct = false;
    for (unsigned n = 0; n < config_.depth; ++n) world.store(n * 7, 0x5a);
  }

  DsConfig config_;
  Random& random_;
  Kind kind_ = Kind::Random;
  std::uint64_t left_ = 0, full_before_ = 0;
};

void report(const Traffic& traffic) {
  const DsWorld::Seen& s = traffic.world.seen;
  const std::pair<const char*, std::uint64_t> rows[] = {
      {"phases", traffic.phases},
      {"fills", traffic.fills},
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
      {"load_errors", s.load_errors},
      {"fences", s.fences},
      {"off_cycles", s.off_cycles},
      {"slots_reused", s.slots_reused},
      {"most_pending", s.most_pending},
      {"most_writes", s.most_writes},
      {"oldest", s.oldest},
      {"store_before_endpoint", s.store_before_endpoint}};
  for (const auto& [name, value] : rows) std::printf("  %s %llu", name, (unsigned long long)value);
  std::printf("\n");
}

// All sizes at once. Their runs are the same with the RTL beside them and without.
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

  // What a run of some length must have seen.
  void expect_coverage() const {
    for (unsigned g = 0; g < kInstances; ++g) {
      report(*traffic_[g]);
      const DsWorld::Seen& s = world(g).seen;
      EXPECT_GT(traffic_[g]->phases, 10u);
      EXPECT_GT(s.loads, 1000u);
      EXPECT_GT(s.stores, 1000u);
      EXPECT_GT(s.direct, 10u);
      for (const std::uint64_t n : {s.deferred, s.in_place, s.flushed, s.hit, s.to_write_table}) {
        EXPECT_GT(n, 100u) << "instance " << g;
      }
      for (const std::uint64_t n :
           {s.merge, s.false_hit, s.error, s.slots_reused, s.off_cycles, s.store_before_endpoint}) {
        EXPECT_GT(n, 3u) << "instance " << g;
      }
      EXPECT_EQ(s.most_writes, kConfigs[g].writes);
      EXPECT_EQ(s.most_pending, kConfigs[g].depth);
      if (g != 0) {
        EXPECT_GT(s.full, 100u);
        EXPECT_GT(traffic_[g]->fills, 2u);
      }
    }
  }

 private:
  Random random_;
  std::vector<std::unique_ptr<Traffic>> traffic_;
};

TEST(DsEngine, LockstepWithRtl) {
  test::shows("ds", "The RTL's deterministic store does in every cycle what its twin does",
              "docs/blocks.md, ds_engine");
  Lockstep lockstep("root_port/ds_engine", 0xd5e);
  Engines engines(lockstep.seed());
  Top rtl;
  rtl.reset();
  std::vector<RtlPort> ports;
  for (unsigned g = 0; g < kInstances; ++g) ports.emplace_back(rtl, g);
  while (engines.ok() && lockstep.next()) {
    engines.drive();
    for (unsigned g = 0; g < kInstances; ++g) ports[g].drive(engines.world(g).in());
    rtl.settle();
    for (unsigned g = 0; g < kInstances && lockstep.ok(); ++g) {
      ports[g].compare(lockstep, engines.world(g).in(), engines.world(g).out());
      if (!lockstep.ok()) ADD_FAILURE() << "in instance " << g;
    }
    rtl.edge();
    engines.commit();
  }
  if (lockstep.ok() && engines.ok() && lockstep.cycle() > 100'000) engines.expect_coverage();
}

TEST(DsEngine, EveryLoadSeesTheOlderStoresOfItsLine) {
  test::shows("order",
              "With deterministic store a load gives every older store to its line and no younger "
              "one, from wherever the bytes are; each request is answered once and in time",
              "docs/blocks.md, ds_engine");
  Lockstep lockstep("root_port/ds_engine", 0xd5f);
  Engines engines(lockstep.seed());
  while (engines.ok() && lockstep.next()) {
    engines.drive();
    engines.commit();
  }
  if (engines.ok() && lockstep.cycle() > 100'000) engines.expect_coverage();
}

}  // namespace
}  // namespace cxlgpu
