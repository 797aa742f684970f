// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_index: the RTL against its twin and against std::map, rule by rule as the page has them, and
// how the twin fills with the patterns of real programs.
#include "refmodel/root_port/ds_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "Vds_index.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_ds.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::get_bits;
using test::Lockstep;
using test::Random;
using test::set_bits;

constexpr unsigned kDepths[] = {1024, 8, 4096, 4, 16, 256};  // of the instances on the bench
constexpr unsigned kKeyBits[] = {46, 64, 46, 46, 46, 18};
constexpr unsigned kInstances = 6, kRootPort = 0, kGreatest = 2, kLeastCrowded = 4;
constexpr unsigned kSlotBits = 12, kCountBits = 13;
constexpr unsigned kPlaces = 4, kMostMoves = 16, kKeyCycles = 3;
constexpr unsigned kFullChain = kKeyCycles * (1 + kMostMoves);  // a key, and all that it may move
constexpr unsigned kMostCycles = 2 * kFullChain;
enum Op : unsigned { kFind, kInsert, kDelete };

// The page's buckets, written a second time.
unsigned bucket(std::uint64_t key, unsigned side, unsigned depth) {
  static const std::vector<std::uint32_t> x = [] {
    std::vector<std::uint32_t> all{3};
    while (all.size() <= 2 * 16 * 16) all.push_back(1664525 * all.back() + 1013904223);
    return all;
  }();
  std::uint64_t sum = 0;
  for (unsigned p = 0; p < 16; ++p) {
    const unsigned v = key >> (4 * p) & 15;
    if (v != 0) sum ^= x[2 * (16 * p + v) + side + 1];
  }
  return static_cast<unsigned>(sum * (depth / 4) >> 32);
}

// Keys whose buckets are among the first few of each side: they meet.
const std::vector<std::uint64_t>& keys_that_meet(unsigned depth, unsigned key_bits,
                                                 unsigned buckets, std::size_t count) {
  static std::map<std::array<std::uint64_t, 4>, std::vector<std::uint64_t>> known;
  std::vector<std::uint64_t>& keys = known[{depth, key_bits, buckets, count}];
  Random random(0xd57);
  for (unsigned tries = 0; keys.size() < count && tries < 30'000'000; ++tries) {
    const std::uint64_t key = random.bits(key_bits);
    if (bucket(key, 0, depth) < buckets && bucket(key, 1, depth) < buckets &&
        std::ranges::find(keys, key) == keys.end()) {
      keys.push_back(key);
    }
    if (key_bits < 20 && tries == 1'000'000) break;  // there are no more
  }
  return keys;
}

struct Request {
  unsigned op = kFind;
  std::uint64_t key = 0;
  unsigned slot = 0;
};
struct Answer {
  bool found = false;
  unsigned slot = 0;
  bool operator==(const Answer&) const = default;
};

// What a caller knows by itself: the keys that it put in, and from the page when an insert may be
// refused.
class Witness {
 public:
  explicit Witness(unsigned depth) {
    for (unsigned s = depth; s > 0; --s) free_.push_back(s - 1);
  }
  // What does not fit the page; none if all does.
  [[nodiscard]] std::string hear(const Request& asked, const Answer& got, unsigned cycles) {
    const auto at = map_.find(asked.key);
    const bool there = at != map_.end();
    if (asked.op == kInsert) return hear_insert(asked, got, cycles);
    if (cycles != kKeyCycles) return "a find or delete does not last three cycles";
    if (got != Answer{there, there ? at->second : 0}) return "a key is not where it was put";
    if (asked.op == kDelete && there) {
      free_.push_back(at->second);
      std::erase(keys_, asked.key);
      map_.erase(at);
    }
    return "";
  }
  [[nodiscard]] const std::map<std::uint64_t, unsigned>& map() const { return map_; }
  [[nodiscard]] const std::vector<unsigned>& free() const { return free_; }
  [[nodiscard]] const std::vector<std::uint64_t>& keys() const { return keys_; }
  [[nodiscard]] unsigned refused() const { return refused_; }
  [[nodiscard]] unsigned most_cycles() const { return most_cycles_; }

 private:
  std::string hear_insert(const Request& asked, const Answer& got, unsigned cycles) {
    most_cycles_ = std::max(most_cycles_, cycles);
    if (cycles % kKeyCycles != 0 || cycles < kKeyCycles || cycles > kMostCycles) {
      return "the cycles of an insert are those of no number of keys";
    }
    const auto at = map_.find(asked.key);
    const bool there = at != map_.end();
    const bool was_aside = may_be_aside_;
    may_be_aside_ = cycles >= kFullChain;
    if (got.found && there && got.slot == at->second) return "";
    if (got.slot != asked.slot) return "an insert is answered with a strange slot";
    if (got.found) {
      ++refused_;
      if (!was_aside) return "no place, and no key can have been aside";
      if (cycles != kFullChain) return "no place, and the key aside did not make all its moves";
      if (map_.size() < 2 * kPlaces + 1) return "no place with fewer keys than two buckets hold";
      return "";
    }
    if (there) return "a key is inserted twice";
    map_[asked.key] = asked.slot;
    keys_.push_back(asked.key);
    std::erase(free_, asked.slot);
    return "";
  }

  std::map<std::uint64_t, unsigned> map_;
  std::vector<std::uint64_t> keys_;
  std::vector<unsigned> free_;
  bool may_be_aside_ = false;  // only an insert that made all moves of a key leaves one
  unsigned refused_ = 0, most_cycles_ = 0;
};

// Keys of a caller: few, in sequence, strided, tiles, any, and such as meet.
class Keys {
 public:
  Keys(Random& random, unsigned depth, unsigned key_bits)
      : random_(random),
        depth_(depth),
        key_bits_(key_bits),
        meet_(keys_that_meet(depth, key_bits, std::min(4u, depth / 4), 48)),
        pair_(keys_that_meet(depth, key_bits, 1, 14)) {
    new_pattern();
  }
  void new_pattern() {
    pattern_ = static_cast<unsigned>(random_.below(7));
    base_ = random_.bits(key_bits_);
    shift_ = static_cast<unsigned>(random_.below(key_bits_));
    width_ = static_cast<unsigned>(random_.below(6));
  }
  [[nodiscard]] std::uint64_t of_pair() { return random_.pick(pair_); }
  [[nodiscard]] std::size_t pair_held(const Witness& witness) const {
    return static_cast<std::size_t>(
        std::count_if(pair_.begin(), pair_.end(),
                      [&](std::uint64_t key) { return witness.map().contains(key); }));
  }
  [[nodiscard]] std::uint64_t any() { return random_.bits(key_bits_); }
  [[nodiscard]] std::uint64_t next() {
    const std::uint64_t n = random_.below(2 * depth_), all = ~std::uint64_t{0} >> (64 - key_bits_);
    // Whatever the pattern, some that meet: the table is full of others then.
    if (random_.percent(8)) return random_.pick(meet_);
    switch (pattern_) {
      case 0:
        return random_.below(std::min<std::uint64_t>(2 * depth_, all));
      case 1:
        return (base_ + n) & all;
      case 2:
        return (base_ + (n << shift_)) & all;
      case 3:
        return (base_ + (n >> width_ << shift_) + (n & ((1u << width_) - 1))) & all;
      case 4:
        return random_.percent(20) ? all - random_.below(4) : random_.bits(key_bits_);
      case 5:
        return random_.pick(meet_);
      default:
        return random_.pick(pair_);
    }
  }

 private:
  Random& random_;
  unsigned depth_, key_bits_;
  const std::vector<std::uint64_t>& meet_;
  const std::vector<std::uint64_t>& pair_;
  unsigned pattern_ = 0, shift_ = 0, width_ = 0;
  std::uint64_t base_ = 0;
};

// Ports of one instance.
class Port {
 public:
  Port(Clocked<Vds_index>& rtl, unsigned instance) : rtl_(rtl), g_(instance) {}
  void offer(const std::optional<Request>& request) {
    const Request now = request.value_or(Request{});
    set_bits(rtl_->req_valid_i, g_, 1, request.has_value());
    set_bits(rtl_->op_i, 2 * g_, 2, now.op);
    set_bits(rtl_->key_i, 64 * g_, 64, now.key);
    set_bits(rtl_->slot_i, kSlotBits * g_, kSlotBits, now.slot);
  }
  [[nodiscard]] DsIndexBlock::Out read() const {
    DsIndexBlock::Out out;
    out.req_ready = get_bits(rtl_->req_ready_o, g_, 1) != 0;
    out.rsp_valid = get_bits(rtl_->rsp_valid_o, g_, 1) != 0;
    out.found = get_bits(rtl_->found_o, g_, 1) != 0;
    out.slot = static_cast<unsigned>(get_bits(rtl_->slot_o, kSlotBits * g_, kSlotBits));
    out.count = static_cast<unsigned>(get_bits(rtl_->count_o, kCountBits * g_, kCountBits));
    return out;
  }

 private:
  Clocked<Vds_index>& rtl_;
  std::size_t g_;
};

// One instance in lockstep: its caller, its twin, its witness.
class Caller {
 public:
  // Pause: cycles from an answer to the next request; none: at random.
  Caller(Clocked<Vds_index>& rtl, Lockstep& lockstep, Random& random, unsigned instance,
         std::optional<unsigned> pause = std::nullopt)
      : lockstep_(lockstep),
        random_(random),
        g_(instance),
        depth_(kDepths[instance]),
        port_(rtl, instance),
        twin_(depth_),
        witness_(depth_),
        keys_(random, depth_, kKeyBits[instance]),
        constant_pause_(pause) {}

  void drive() {
    // Held while stalled. It may come as early as the answer, or wait till long after.
    if (!request_ && pause_ == 0) request_ = choose();
    port_.offer(request_);
  }

  // Inputs are settled, the edge has not come.
  void check_and_clock() {
    const DsIndexBlock::Out rtl = port_.read(), twin = twin_.eval();
    lockstep_.check("req_ready_o", rtl.req_ready, twin.req_ready);
    lockstep_.check("rsp_valid_o", rtl.rsp_valid, twin.rsp_valid);
    lockstep_.check("found_o", rtl.found, twin.found);
    lockstep_.check("slot_o", rtl.slot, twin.slot);
    lockstep_.check("count_o", rtl.count, twin.count);
    if (!lockstep_.ok()) ADD_FAILURE() << "in instance " << g_;
    if (asked_) ++cycles_;
    bool no_place = false;
    if (rtl.rsp_valid && asked_) {
      const unsigned refused = witness_.refused();
      const std::string trouble = witness_.hear(*asked_, {rtl.found, rtl.slot}, cycles_);
      if (!trouble.empty()) lockstep_.check(trouble.c_str(), 1, 0);
      no_place = witness_.refused() != refused;
      if (asked_->op == kInsert) count_insert(twin, no_place);
      ++done_[asked_->op];
      most_keys_ = std::max(most_keys_, rtl.count);
      asked_.reset();
    }
    if (!asked_) lockstep_.check("keys held", rtl.count, witness_.map().size());
    const bool takes = request_ && rtl.req_ready;
    meet(twin, takes, no_place);
    if (pause_ > 0) --pause_;
    const std::optional<Request> offered = request_;
    if (takes) {
      asked_ = request_;
      cycles_ = 0;
      moves_before_ = twin_.index().moves();
      aside_before_ = twin_.index().aside().has_value();
      there_before_ = witness_.map().contains(asked_->key);
      request_.reset();
      pause_ = constant_pause_       ? *constant_pause_ + kKeyCycles - 1
               : random_.percent(30) ? static_cast<unsigned>(random_.below(120))
                                     : 0;
    }
    const Request now = offered.value_or(Request{});
    twin_.clock({offered.has_value(), now.op, now.key, now.slot});
  }

  [[nodiscard]] std::uint64_t done(unsigned op) const { return done_[op]; }
  [[nodiscard]] unsigned most_keys() const { return most_keys_; }
  [[nodiscard]] const Witness& witness() const { return witness_; }
  [[nodiscard]] std::uint64_t asides() const { return asides_; }

 private:
  // Only once the last request was taken, so what is free may be a slot too few.
  Request choose() {
    if (random_.below(3 * depth_) == 0) keys_.new_pattern();
    // It fills, shrinks, is all but empty, and fills up.
    constexpr unsigned kInserts[] = {75, 30, 5, 95};
    const std::uint64_t phase = std::uint64_t{48} * depth_;
    const unsigned inserts = kInserts[lockstep_.cycle() / phase % 4];
    // Every other time the last to come is one more than their two buckets hold.
    const std::size_t held_now = witness_.keys().size();
    const bool crowds = lockstep_.cycle() / phase / 4 % 2 == 1;
    const bool any = inserts == 95 && (!crowds || held_now + 2 < depth_) && held_now + 1 < depth_;
    const bool one_of_pair = inserts == 95 && crowds && (!any || keys_.pair_held(witness_) < 8);
    Request request{.key = one_of_pair && random_.percent(any ? 10 : 90) ? keys_.of_pair()
                           : any                                         ? keys_.any()
                           : random_.percent(15)                         ? last_
                                                                         : keys_.next(),
                    .slot = static_cast<unsigned>(random_.bits(kSlotBits) % depth_)};
    request.op = random_.percent(inserts) ? kInsert : kDelete;
    if (random_.percent(25)) request.op = random_.percent(20) ? 3 : unsigned{kFind};
    std::vector<unsigned> free = witness_.free();
    if (asked_ && asked_->op == kInsert) std::erase(free, asked_->slot);
    const std::vector<std::uint64_t>& held = witness_.keys();
    if (request.op == kInsert && free.empty()) request.op = kFind;
    if (request.op == kInsert) request.slot = random_.pick(free);
    if (request.op != kInsert && !held.empty() && random_.percent(60)) {
      request.key = random_.pick(held);
    }
    last_ = request.key;
    return request;
  }

  void meet(const DsIndexBlock::Out& out, bool takes, bool no_place) {
    using namespace coverage;
    if (g_ != kRootPort && g_ != kLeastCrowded) return;
    const IndexTakes taken = !takes                    ? IndexTakes::Nothing
                             : request_->op == kInsert ? IndexTakes::Insert
                             : request_->op == kDelete ? IndexTakes::Delete
                                                       : IndexTakes::Find;
    const IndexAnswers answer = !out.rsp_valid ? IndexAnswers::No
                                : no_place     ? IndexAnswers::NoPlace
                                : out.found    ? IndexAnswers::Found
                                               : IndexAnswers::NotFound;
    const IndexLevel level = out.count == 0            ? IndexLevel::Empty
                             : out.count == 1          ? IndexLevel::One
                             : out.count == depth_     ? IndexLevel::Full
                             : out.count == depth_ - 1 ? IndexLevel::OneFree
                                                       : IndexLevel::Some;
    pairs_.hit({g_ == kRootPort ? 0u : 1u, static_cast<unsigned>(taken),
                static_cast<unsigned>(answer), static_cast<unsigned>(level)});
  }
  void count_insert(const DsIndexBlock::Out& out, bool no_place) {
    using namespace coverage;
    const std::uint64_t moves = twin_.index().moves() - moves_before_;
    const IndexInserts did = no_place                     ? IndexInserts::NoPlace
                             : out.found && there_before_ ? IndexInserts::There
                             : twin_.index().aside()      ? IndexInserts::Aside
                             : moves == 0                 ? IndexInserts::AtOnce
                             : moves == 1                 ? IndexInserts::OneMove
                             : moves < kMostMoves         ? IndexInserts::Moves
                                                          : IndexInserts::MostMoves;
    asides_ += did == IndexInserts::Aside;
    inserts_.hit({aside_before_, static_cast<unsigned>(did)});
  }

  Lockstep& lockstep_;
  Random& random_;
  unsigned g_, depth_;
  Port port_;
  DsIndexBlock twin_;
  Witness witness_;
  Keys keys_;
  std::optional<unsigned> constant_pause_;
  std::optional<Request> request_, asked_;
  unsigned pause_ = 0, cycles_ = 0, most_keys_ = 0;
  std::uint64_t last_ = 0, moves_before_ = 0, asides_ = 0;
  bool aside_before_ = false, there_before_ = false;
  std::uint64_t done_[4] = {};
  test::TestCoverage pairs_{coverage::ds_index_pairs()}, inserts_{coverage::ds_index_inserts()};
};

void run_in_lockstep(Lockstep& lockstep, Clocked<Vds_index>& rtl,
                     std::vector<std::unique_ptr<Caller>>& callers,
                     const std::function<std::unique_ptr<Caller>(unsigned)>& make) {
  rtl.reset();
  while (lockstep.next()) {
    for (auto& caller : callers) caller->drive();
    rtl.settle();
    for (auto& caller : callers) caller->check_and_clock();
    rtl.edge();
    // In the middle of whatever it does, and of the sweep.
    if (lockstep.cycle() == 9000 || lockstep.cycle() == 9100) {
      rtl.reset();
      for (unsigned n = 0; n < callers.size(); ++n) callers[n] = make(n);
    }
  }
}

TEST(DsIndex, LockstepWithRtl) {
  test::shows(
      "ds",
      "The index finds each deferred line in its slot, moved or aside, and answers within the "
      "page's cycles",
      "docs/blocks/root_port/ds_index.md");
  Lockstep lockstep("root_port/ds_index", 11, 3'000'000);
  Random random(lockstep.seed());
  Clocked<Vds_index> rtl;
  const unsigned instances[] = {0, 1, 3, 4, 5};
  const auto make = [&](unsigned n) {
    return std::make_unique<Caller>(rtl, lockstep, random, instances[n]);
  };
  std::vector<std::unique_ptr<Caller>> callers;
  for (unsigned n = 0; n < std::size(instances); ++n) callers.push_back(make(n));
  run_in_lockstep(lockstep, rtl, callers, make);
  if (!lockstep.ok() || lockstep.cycle() <= 100'000) return;
  for (unsigned n = 0; n < callers.size(); ++n) {
    const Caller& caller = *callers[n];
    EXPECT_EQ(caller.most_keys(), kDepths[instances[n]]);
    for (unsigned op = 0; op < 4; ++op) EXPECT_GT(caller.done(op), 100u) << "op " << op;
    if (kDepths[instances[n]] < 16) continue;  // two buckets hold all that these have slots for
    EXPECT_GT(caller.asides(), 0u) << instances[n];
    EXPECT_GT(caller.witness().refused(), 0u) << instances[n];
    EXPECT_GT(caller.witness().most_cycles(), kFullChain) << instances[n];
  }
}

// As many lines as a root port can be built with: filled to the last slot, the others stand still.
TEST(DsIndex, GreatestInLockstepWithRtl) {
  Lockstep lockstep("root_port/ds_index", 0xd55, 850'000);
  Random random(lockstep.seed());
  Clocked<Vds_index> rtl;
  const auto make = [&](unsigned) {
    return std::make_unique<Caller>(rtl, lockstep, random, kGreatest);
  };
  std::vector<std::unique_ptr<Caller>> callers;
  callers.push_back(make(0));
  run_in_lockstep(lockstep, rtl, callers, make);
  if (!lockstep.ok() || lockstep.cycle() <= 800'000) return;
  EXPECT_EQ(callers[0]->most_keys(), kDepths[kGreatest]);
  EXPECT_GT(callers[0]->asides(), 0u);
  EXPECT_GT(callers[0]->witness().refused(), 0u);
  for (unsigned op = 0; op < 4; ++op) EXPECT_GT(callers[0]->done(op), 100u) << "op " << op;
}

// A caller that never changes its pace: the next request in the cycle of the answer, or always as
// many cycles later.
TEST(DsIndex, LockstepAtConstantRates) {
  Random random(0xd56);
  for (const unsigned pause : {0u, 1u, 2u, 5u}) {
    Lockstep lockstep("root_port/ds_index", 0xd56, 30'000);
    Clocked<Vds_index> rtl;
    const unsigned instances[] = {0, 1, 3, 4, 5};
    const auto make = [&](unsigned n) {
      return std::make_unique<Caller>(rtl, lockstep, random, instances[n], pause);
    };
    std::vector<std::unique_ptr<Caller>> callers;
    for (unsigned n = 0; n < std::size(instances); ++n) callers.push_back(make(n));
    run_in_lockstep(lockstep, rtl, callers, make);
    if (!lockstep.ok()) return;
  }
}

// ---- one operation after another, on the RTL and on the twin alike ------------------------------

struct Rtl {
  explicit Rtl(unsigned instance) : port(top, instance) {}
  void reset() {
    port.offer(std::nullopt);
    top.reset();
  }
  DsIndexBlock::Out offer(const std::optional<Request>& request) {
    port.offer(request);
    top.settle();
    return port.read();
  }
  void edge() { top.edge(); }

  Clocked<Vds_index> top;
  Port port;
};

struct Twin {
  explicit Twin(unsigned instance) : depth(kDepths[instance]), block(depth) {}
  void reset() { block = DsIndexBlock(depth); }
  DsIndexBlock::Out offer(const std::optional<Request>& request) {
    const Request now = request.value_or(Request{});
    in = {request.has_value(), now.op, now.key, now.slot};
    return block.eval();
  }
  void edge() { block.clock(in); }

  unsigned depth;
  DsIndexBlock block;
  DsIndexBlock::In in;
};

struct Result {
  bool found = false;
  unsigned slot = 0, cycles = 0;
  bool operator==(const Result&) const = default;
};
void PrintTo(const Result& r, std::ostream* to) {
  *to << "{" << r.found << ", slot " << r.slot << ", " << r.cycles << " cycles}";
}

template <typename Side>
class DsIndexRules : public testing::Test {
 public:
  void SetUp() override { start(kRootPort); }
  // Reset, then swept. The cycles until it is ready.
  unsigned start(unsigned instance) {
    depth_ = kDepths[instance];
    side_.emplace(instance);
    return restart();
  }
  unsigned restart() {
    side_->reset();
    next_slot_ = 0;
    unsigned cycles = 0;
    for (; !side_->offer(std::nullopt).req_ready && cycles < 2 * depth_; ++cycles) side_->edge();
    return cycles;
  }
  Result operate(unsigned op, std::uint64_t key, unsigned slot = 0) {
    EXPECT_TRUE(side_->offer(Request{op, key, slot}).req_ready);
    side_->edge();
    for (unsigned cycles = 1; cycles <= kMostCycles; ++cycles) {
      const DsIndexBlock::Out out = side_->offer(std::nullopt);
      EXPECT_EQ(out.req_ready, out.rsp_valid);
      if (out.rsp_valid) return {out.found, out.slot, cycles};
      side_->edge();
    }
    ADD_FAILURE() << "no answer";
    return {};
  }
  Result find(std::uint64_t key) { return operate(kFind, key); }
  // Into the next slot.
  Result insert(std::uint64_t key) {
    const unsigned slot = next_slot_++ % depth_;
    const Result result = operate(kInsert, key, slot);
    if (!result.found) slot_of_[key] = slot;
    return result;
  }
  // Cycles of an insert that must find no such key.
  unsigned inserted(std::uint64_t key) {
    const Result result = insert(key);
    EXPECT_FALSE(result.found);
    return result.cycles;
  }
  void erase(std::uint64_t key) {
    EXPECT_EQ(operate(kDelete, key), (Result{true, slot_of_[key], kKeyCycles}));
  }
  void expect_all(const std::vector<std::uint64_t>& keys) {
    for (const std::uint64_t key : keys) {
      EXPECT_EQ(find(key), (Result{true, slot_of_[key], kKeyCycles})) << "key " << key;
    }
  }
  // The n-th key with these buckets, which are among the first eight.
  static std::uint64_t key(unsigned low, unsigned high, unsigned n = 0) {
    return families()[low][high].at(n);
  }
  // Both buckets, four keys each: by turns side 0 first, as the sides are equally full each time.
  std::vector<std::uint64_t> fill(unsigned low, unsigned high) {
    std::vector<std::uint64_t> some;
    for (unsigned n = 0; n < 2 * kPlaces; ++n) some.push_back(key(low, high, n));
    for (const std::uint64_t k : some) EXPECT_EQ(inserted(k), kKeyCycles);
    return some;
  }

  std::optional<Side> side_;
  std::map<std::uint64_t, unsigned> slot_of_;

 private:
  using Families = std::array<std::array<std::vector<std::uint64_t>, 8>, 8>;
  static const Families& families() {
    static const Families all = [] {
      Families some;
      for (std::uint64_t k = 0; k < 2'000'000; ++k) {
        const unsigned low = bucket(k, 0, kDepths[kRootPort]),
                       high = bucket(k, 1, kDepths[kRootPort]);
        if (low < 8 && high < 8) some[low][high].push_back(k);
      }
      return some;
    }();
    return all;
  }
  unsigned depth_ = 0, next_slot_ = 0;
};

using Sides = testing::Types<Rtl, Twin>;
struct SideNames {
  template <typename Side>
  static std::string GetName(int) {
    return std::is_same_v<Side, Rtl> ? "Rtl" : "Twin";
  }
};
TYPED_TEST_SUITE(DsIndexRules, Sides, SideNames);

// Each as early as the answer to the one before.
TYPED_TEST(DsIndexRules, AnAnswerComesInThreeCycles) {
  EXPECT_EQ(this->find(7), (Result{false, 0, 3}));
  EXPECT_EQ(this->operate(kInsert, 7, 9), (Result{false, 9, 3}));
  EXPECT_EQ(this->operate(kInsert, 7, 5), (Result{true, 9, 3}));
  EXPECT_EQ(this->find(7), (Result{true, 9, 3}));
  EXPECT_EQ(this->operate(3, 7), (Result{true, 9, 3}));
  EXPECT_EQ(this->operate(kDelete, 8), (Result{false, 0, 3}));
  EXPECT_EQ(this->operate(kDelete, 7), (Result{true, 9, 3}));
  EXPECT_EQ(this->operate(kDelete, 7), (Result{false, 0, 3}));
  EXPECT_EQ(this->find(7), (Result{false, 0, 3}));
}

TYPED_TEST(DsIndexRules, CountChangesWithTheAnswer) {
  auto& side = *this->side_;
  const auto counts = [&](unsigned op, unsigned before, unsigned after) {
    side.offer(Request{op, 77, 3});
    side.edge();
    for (unsigned cycle = 1; cycle <= 4; ++cycle) {
      const DsIndexBlock::Out out = side.offer(std::nullopt);
      EXPECT_EQ(out.count, cycle < 3 ? before : after) << "cycle " << cycle;
      EXPECT_EQ(out.rsp_valid, cycle == 3);
      if (!out.rsp_valid) {
        EXPECT_FALSE(out.found);
        EXPECT_EQ(out.slot, 0u);
      }
      side.edge();
    }
  };
  counts(kInsert, 0, 1);
  counts(kInsert, 1, 1);
  counts(kFind, 1, 1);
  counts(kDelete, 1, 0);
  counts(kDelete, 0, 0);
}

// Where a key went is seen by the next one that needs that bucket: it moves nobody if it finds a
// place. Bucket 2 of side 1 is full of others.
TYPED_TEST(DsIndexRules, EquallyManyFreePlacesAreSideZeros) {
  this->fill(1, 2);
  const auto pair = this->fill(3, 4);
  this->erase(pair[0]);  // the first, the third ... went to side 0
  EXPECT_EQ(this->inserted(this->key(3, 2)), 3u);
  this->fill(5, 6);
  this->erase(pair[7]);
  EXPECT_EQ(this->inserted(this->key(5, 4)), 3u);
}

TYPED_TEST(DsIndexRules, MoreFreePlacesWin) {
  this->fill(1, 2);
  auto pair = this->fill(3, 4);
  for (const unsigned n : {0, 1, 3}) this->erase(pair[n]);  // one free of side 0, two of side 1
  EXPECT_EQ(this->inserted(this->key(3, 4, 8)), 3u);
  EXPECT_EQ(this->inserted(this->key(3, 2)), 3u) << "that of side 0 is free still";
  this->restart();
  this->fill(1, 2);
  pair = this->fill(3, 4);
  for (const unsigned n : {0, 2, 1}) this->erase(pair[n]);  // two of side 0, one of side 1
  EXPECT_EQ(this->inserted(this->key(3, 4, 8)), 3u);
  EXPECT_EQ(this->inserted(this->key(1, 4)), 3u) << "that of side 1 is free still";
}

// The key in place 0 is the first to be moved, and this one alone has another place.
TYPED_TEST(DsIndexRules, TheLowestFreePlaceIsTaken) {
  this->fill(1, 2);
  const auto pair = this->fill(3, 4), other = this->fill(6, 5);
  this->erase(pair[6]);  // place 3 of bucket 3
  this->erase(pair[0]);  // place 0
  EXPECT_EQ(this->inserted(this->key(3, 5)), 3u);
  EXPECT_EQ(this->inserted(this->key(3, 4, 8)), 3u);
  this->erase(other[1]);
  EXPECT_EQ(this->inserted(this->key(3, 2)), 6u);
}

// Four keys in bucket 3, each with another second bucket, all full: who is moved is seen by where a
// place is free.
TYPED_TEST(DsIndexRules, KeysAreMovedByTurns) {
  this->fill(1, 2);
  const unsigned lows[] = {0, 4, 5, 6};
  std::vector<std::uint64_t> others[4], all;
  for (unsigned n = 0; n < 4; ++n) others[n] = this->fill(lows[n], 4 + n);
  for (unsigned n = 0; n < 4; ++n) {
    EXPECT_EQ(this->inserted(this->key(3, 4 + n)), 3u);
    all.push_back(this->key(3, 4 + n));
  }
  // Place 0; its second bucket is full: place 1 there, whose other bucket has a place.
  this->erase(others[0][0]);
  EXPECT_EQ(this->inserted(this->key(3, 2, 0)), 9u);
  // Place 2, whose second bucket has a place.
  this->erase(others[2][1]);
  EXPECT_EQ(this->inserted(this->key(3, 2, 1)), 6u);
  // Place 3.
  this->erase(others[3][1]);
  EXPECT_EQ(this->inserted(this->key(3, 2, 2)), 6u);
  // Place 0 again: the key that came first, whose second bucket got a place.
  this->erase(this->key(1, 2, 1));
  EXPECT_EQ(this->inserted(this->key(3, 7, 1)), 6u);
  all.push_back(this->key(3, 7, 1));
  for (unsigned n = 0; n < 3; ++n) all.push_back(this->key(3, 2, n));
  for (unsigned n = 1; n < 8; ++n) all.push_back(others[0][n]);
  this->expect_all(all);
}

// Nine keys of the same two buckets, and those to come.
template <typename Rules>
class Crowd {
 public:
  explicit Crowd(Rules& rules) : rules_(rules), keys_(rules.fill(3, 4)) {
    for (unsigned n = 0; n < kPlaces; ++n) {
      sides_[0][n] = keys_[2 * n];
      sides_[1][n] = keys_[2 * n + 1];
    }
    EXPECT_EQ(rules_.inserted(next()), kFullChain) << "a place for the ninth";
    move(keys_.back());
  }
  std::uint64_t next() {
    keys_.push_back(rules_.key(3, 4, static_cast<unsigned>(keys_.size())));
    return keys_.back();
  }
  // That key has come, with both full: sixteen moves, side by side, places by turns.
  void move(std::uint64_t key) {
    for (unsigned n = 0; n < kMostMoves; ++n) std::swap(key, sides_[n % 2][n % kPlaces]);
    aside = key;
  }
  [[nodiscard]] std::uint64_t in_place(unsigned n, unsigned side = 0) const {
    return sides_[side][n];
  }
  [[nodiscard]] const std::vector<std::uint64_t>& keys() const { return keys_; }
  std::uint64_t aside = 0;

 private:
  Rules& rules_;
  std::vector<std::uint64_t> keys_;
  std::uint64_t sides_[2][kPlaces];
};

TYPED_TEST(DsIndexRules, TheSixteenthMovedKeyIsKeptAside) {
  Crowd crowd(*this);
  this->expect_all(crowd.keys());
  EXPECT_EQ(this->side_->offer(std::nullopt).count, 9u);
  this->erase(crowd.aside);
  EXPECT_EQ(this->find(crowd.aside), (Result{false, 0, 3}));
  EXPECT_EQ(this->side_->offer(std::nullopt).count, 8u);
  // None is aside, both are full.
  EXPECT_EQ(this->inserted(crowd.next()), kFullChain);
}

TYPED_TEST(DsIndexRules, AnInsertIsRefusedWhileAKeyStaysAside) {
  Crowd crowd(*this);
  const auto held = crowd.keys();
  const std::uint64_t more = crowd.next();
  EXPECT_EQ(this->operate(kInsert, more, 200), (Result{true, 200, kFullChain}));
  crowd.move(crowd.aside);
  EXPECT_EQ(this->find(more), (Result{false, 0, 3}));
  EXPECT_EQ(this->side_->offer(std::nullopt).count, 9u);
  this->expect_all(held);
  // Whether the key is there or not, and whatever its buckets.
  EXPECT_EQ(this->operate(kInsert, held[1], 200), (Result{true, 200, kFullChain}));
  crowd.move(crowd.aside);
  EXPECT_EQ(this->operate(kInsert, crowd.aside, 200), (Result{true, 200, kFullChain}));
  crowd.move(crowd.aside);
  EXPECT_EQ(this->operate(kInsert, this->key(7, 7), 200), (Result{true, 200, kFullChain}));
  crowd.move(crowd.aside);
  this->expect_all(held);
  this->erase(crowd.aside);
  EXPECT_EQ(this->inserted(this->key(7, 7)), 3u);
}

TYPED_TEST(DsIndexRules, AnInsertBringsTheKeyAsideIn) {
  Crowd crowd(*this);
  const std::uint64_t was_aside = crowd.aside;
  this->erase(crowd.in_place(0));
  // Found and deleted are others only.
  EXPECT_EQ(this->find(was_aside).cycles, 3u);
  EXPECT_EQ(this->operate(kDelete, 12345), (Result{false, 0, 3}));
  // It has the place; the new one has none.
  EXPECT_EQ(this->inserted(crowd.next()), 3u + kFullChain);
  this->erase(crowd.in_place(1));
  this->erase(crowd.in_place(2));
  // Another aside is in with the first place, the key is there.
  const Result there = this->operate(kInsert, was_aside, 200);
  EXPECT_EQ(there, (Result{true, this->slot_of_[was_aside], 6}));
  EXPECT_EQ(this->inserted(crowd.next()), 3u) << "one place is free";
  EXPECT_EQ(this->inserted(crowd.next()), kFullChain) << "none is free, none aside";
}

TYPED_TEST(DsIndexRules, ResetEmptiesTheTable) {
  for (unsigned g = 0; g < kInstances; ++g) EXPECT_EQ(this->start(g), kDepths[g] / 4) << g;
  this->start(kRootPort);
  this->fill(1, 2);
  Crowd crowd(*this);
  const auto held = crowd.keys();
  // One move more, so that turn is 1; then one aside again.
  this->erase(crowd.aside);
  this->erase(crowd.in_place(0, 1));
  EXPECT_EQ(this->inserted(this->key(3, 2)), 6u);
  EXPECT_EQ(this->inserted(crowd.next()), kFullChain);
  EXPECT_EQ(this->restart(), kDepths[kRootPort] / 4);
  EXPECT_EQ(this->side_->offer(std::nullopt).count, 0u);
  for (const std::uint64_t k : held) EXPECT_EQ(this->find(k), (Result{false, 0, 3}));
  // As after the first reset: none aside, turn is 0.
  Crowd again(*this);
  this->erase(again.aside);
  EXPECT_EQ(this->inserted(again.next()), kFullChain);
}

// ---- a map -------------------------------------------------------------------------------------

// The RTL against a plain map; no twin. Keys in order, in the opposite order, from both ends
// inwards, and at random; found, missing, doubled; filled to the last slot, then emptied in another
// order; none of these is refused. Then keys of the same two buckets, of which some must be.
class Map {
 public:
  explicit Map(unsigned instance) : depth_(kDepths[instance]), side_(instance), witness_(depth_) {
    side_.reset();
    for (unsigned n = 0; n <= depth_ / 4; ++n) clock(std::nullopt);
  }
  void find(std::uint64_t key) { operate({random_.percent(20) ? 3 : unsigned{kFind}, key, 0}); }
  void insert(std::uint64_t key) { operate({kInsert, key, witness_.free().back()}); }
  void erase(std::uint64_t key) { operate({kDelete, key, 0}); }
  [[nodiscard]] bool full() const { return witness_.free().empty(); }
  [[nodiscard]] std::size_t size() const { return witness_.map().size(); }
  [[nodiscard]] unsigned refused() const { return witness_.refused(); }

 private:
  DsIndexBlock::Out clock(const std::optional<Request>& request) {
    const DsIndexBlock::Out out = side_.offer(request);
    side_.edge();
    return out;
  }
  void operate(const Request& request) {
    EXPECT_TRUE(clock(request).req_ready);
    DsIndexBlock::Out out;
    unsigned cycles = 0;
    while (!out.rsp_valid && ++cycles <= kMostCycles) out = clock(std::nullopt);
    EXPECT_EQ(witness_.hear(request, {out.found, out.slot}, cycles), "");
    EXPECT_EQ(out.count, size());
  }

  const unsigned depth_;
  Random random_{0xd53};
  Rtl side_;
  Witness witness_;
};

TEST(DsIndex, IsAMap) {
  test::shows("ds",
              "The index is a map from line to slot, in any order of keys, from empty to the last "
              "slot and back, within the page's cycles",
              "docs/blocks/root_port/ds_index.md");
  Random random(0xd54);
  for (unsigned g = 0; g < kInstances; ++g) {
    Map map(g);
    const std::uint64_t n = kDepths[g], step = g == 5 ? 37 : 0x9e37;
    const auto key_of = [&](unsigned way, std::uint64_t i) -> std::uint64_t {
      const std::uint64_t from_ends = i % 2 == 0 ? i / 2 : n - 1 - i / 2;
      const std::uint64_t at[] = {i, n - 1 - i, from_ends, i * 5 % n};
      return at[way] * step;
    };
    for (unsigned way = 0; way < 4 && !HasFailure(); ++way) {
      for (std::uint64_t i = 0; i < n; ++i) {
        map.insert(key_of(way, i));
        map.find(key_of(way, i / 2));
        map.find(key_of(way, i) + 1);
        if (!map.full()) map.insert(key_of(way, i / 3));
      }
      EXPECT_TRUE(map.full());
      for (std::uint64_t i = 0; i < n; ++i) map.find(key_of(way, i));
      for (std::uint64_t i = 0; i < n; ++i) {
        map.erase(key_of(3 - way, i));
        map.erase(key_of(3 - way, i / 2));
      }
      EXPECT_EQ(map.size(), 0u);
    }
    EXPECT_EQ(map.refused(), 0u) << g;
    const std::vector<std::uint64_t>& pair = keys_that_meet(n, kKeyBits[g], 1, 14);
    for (unsigned i = 0; i < 20'000 && !HasFailure(); ++i) {
      const bool meets = i / 4096 % 2 == 0 && random.percent(80);
      const std::uint64_t key = meets ? random.pick(pair) : random.below(2 * n) * step;
      const std::uint64_t op = random.below(4);
      if (op == 0) map.find(key);
      if ((op == 1 || op == 2) && !map.full()) map.insert(key);
      if (op == 3) map.erase(key);
    }
    EXPECT_EQ(map.refused() > 0, n >= 16) << g;
  }
}

// CXLGPU_CYCLES counts operations here.
TEST(DsIndex, TwinIsAMap) {
  Random random(test::from_environment("CXLGPU_SEED", 0xd52));
  const std::uint64_t operations = test::from_environment("CXLGPU_CYCLES", 1'000'000);
  for (const unsigned depth : {4u, 16u, 256u, 1024u}) {
    DsIndex twin(depth);
    Witness witness(depth);
    Keys keys(random, depth, 46);
    for (std::uint64_t n = 0; n < operations / 4; ++n) {
      if (random.below(3 * depth) == 0) keys.new_pattern();
      Request request{static_cast<unsigned>(random.below(3)), keys.next(), 0};
      if (request.op != kInsert && !witness.keys().empty() &&
          random.percent(n >> 12 & 1 ? 20 : 60)) {
        request.key = random.pick(witness.keys());
      }
      if (request.op == kInsert && witness.free().empty()) continue;
      if (request.op == kInsert) request.slot = witness.free().back();
      const DsIndex::Answer answer = request.op == kFind ? twin.find(request.key)
                                     : request.op == kInsert
                                         ? twin.insert(request.key, request.slot)
                                         : twin.erase(request.key);
      ASSERT_EQ(witness.hear(request, {answer.found, answer.slot}, answer.cycles), "")
          << "operation " << n;
      ASSERT_EQ(twin.size(), witness.map().size());
    }
    EXPECT_EQ(witness.refused() > 0, depth >= 16);
  }
}

// ---- how it fills ------------------------------------------------------------------------------

// A pattern of lines fills every slot. What its inserts needed.
struct Fill {
  std::uint64_t inserts = 0, moved = 0, most_moves = 0, refused = 0;
  void add(const Fill& other) {
    inserts += other.inserts;
    moved += other.moved;
    most_moves = std::max(most_moves, other.most_moves);
    refused += other.refused;
  }
};

Fill fill_with(unsigned depth, const std::function<std::uint64_t(unsigned)>& line) {
  DsIndex index(depth);
  Fill fill{.inserts = depth};
  for (unsigned n = 0; n < depth; ++n) {
    const std::uint64_t before = index.moves();
    fill.refused += index.insert(line(n), n).found;
    const std::uint64_t moves = index.moves() - before;
    fill.moved += moves != 0;
    fill.most_moves = std::max(fill.most_moves, moves);
  }
  return fill;
}

TEST(DsIndex, PatternsOfProgramsFillEverySlot) {
  constexpr std::uint64_t kAll = (std::uint64_t{1} << 46) - 1;
  for (const unsigned depth : {256u, 1024u, 4096u}) {
    const unsigned bits = static_cast<unsigned>(std::bit_width(depth)) - 1;
    std::map<std::string, Fill> seen;
    unsigned patterns = 0, worst = 0;
    const auto run = [&](const char* kind, const std::function<std::uint64_t(unsigned)>& line) {
      for (const std::uint64_t base :
           {0ull, 0x12'3456'789aull, 0x3'ff00'0000ull, 0x2'aaaa'aaaaull}) {
        const Fill fill = fill_with(depth, [&](unsigned n) { return (base + line(n)) & kAll; });
        seen[kind].add(fill);
        ++patterns;
        worst = std::max(worst, static_cast<unsigned>(fill.moved));
        EXPECT_EQ(fill.refused, 0u) << kind << ", pattern " << patterns << ", base " << base;
        // Of few lines some meet by chance.
        EXPECT_LE(fill.moved, std::max(8u, depth / 100)) << kind << ", pattern " << patterns;
      }
    };
    for (unsigned k = 0; k + bits <= 46; ++k) {
      run("strides 2^k", [&](unsigned n) { return std::uint64_t{n} << k; });
    }
    for (std::uint64_t k = 3; k < 200; k += 2) {
      run("strides", [&](unsigned n) { return n * k; });
    }
    for (const std::uint64_t k : {1000, 1023, 1025, 1920, 4095, 4097, 4160, 65535, 65537}) {
      run("strides", [&](unsigned n) { return n * k; });
    }
    for (unsigned w = 1; w < bits; ++w) {  // 32 x 32 is one of these
      const auto in_row = [&](unsigned n) { return std::uint64_t{n & ((1u << w) - 1)}; };
      for (unsigned k = w; k + bits - w <= 46; ++k) {
        run("tiles, pitch 2^k",
            [&](unsigned n) { return (std::uint64_t{n >> w} << k) + in_row(n); });
      }
      for (const std::uint64_t pitch :
           {48, 60, 80, 120, 127, 240, 300, 480, 625, 1000, 1920, 4097}) {
        if (pitch >> w != 0) run("tiles", [&](unsigned n) { return (n >> w) * pitch + in_row(n); });
      }
      for (unsigned k = bits; w <= 6 && k + w <= 46; ++k) {
        run("streams, 2^k apart", [&](unsigned n) { return (in_row(n) << k) + (n >> w); });
      }
    }
    Random random(0xd58);
    for (unsigned n = 0; n < 50; ++n) {
      run("random", [&](unsigned) { return random.bits(46); });
    }
    if (std::getenv("CXLGPU_SHOW") == nullptr) continue;
    std::cout << depth << " slots, " << patterns << " patterns, at most " << worst
              << " inserts of one moved others\n";
    for (const auto& [kind, fill] : seen) {
      std::cout << "  " << kind << ": " << fill.inserts << " inserts, " << fill.moved
                << " moved others, at most " << fill.most_moves << ", refused " << fill.refused
                << '\n';
    }
  }
}

}  // namespace
}  // namespace cxlgpu
