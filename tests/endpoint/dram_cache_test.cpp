// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// dram_cache: the twin in lockstep with the RTL, and its rules by hand.
#include "refmodel/endpoint/dram_cache.hpp"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <vector>

#include "Vdram_cache.h"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_endpoint.hpp"
#include "tests/endpoint/part_bins.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr unsigned kMaxSetsLog2 = 10;

// Built again with other sizes of the block by tests/CMakeLists.txt.
#ifdef CXLGPU_MSHRS
constexpr unsigned kMshrs = CXLGPU_MSHRS;
constexpr unsigned kLineBytesOfDram = CXLGPU_LINE_BYTES;
#else
constexpr unsigned kMshrs = kDefaultRtl.mshrs;
constexpr unsigned kLineBytesOfDram = kDefaultRtl.line_bytes;
#endif
constexpr unsigned kLines = kLineBytesOfDram / 64;
constexpr std::uint64_t kGranules = (std::uint64_t{1} << 52) / kLineBytesOfDram;

DramCache make_twin(unsigned sets_log2) {
  return DramCache(sets_log2, 8, kMshrs, kLines);
}

// How one stretch of the random test behaves; drawn again after every reset.
struct Phase {
  explicit Phase(Random& random)
      : crowd(random.percent(15)),
        gather(!crowd && random.percent(45)),
        sets_log2(
            crowd ? 10 : static_cast<unsigned>(random.pick(std::vector{0, 0, 1, 2, 3, 5, 10, 12}))),
        used_log2(std::min(sets_log2, kMaxSetsLog2)),
        tags(2 + random.below(20)),
        sets_touched(crowd ? 256 : 1 + random.below(1ull << std::min(used_log2, 4u))),
        tag_base(random.bits(20)),
        tag_step(random.percent(50) ? 1 : 1ull << random.below(24)),
        lookups(crowd ? 100 : static_cast<unsigned>(random.below(101))),
        commits(random.percent(50) ? 100 : static_cast<unsigned>(random.below(101))),
        writes(static_cast<unsigned>(random.below(101))),
        specs(gather ? 40 : static_cast<unsigned>(random.below(101))),
        fills((crowd ? 20 : 1) + static_cast<unsigned>(random.below(gather ? 25 : 60))),
        wakes((crowd ? 20 : 1) + static_cast<unsigned>(random.below(gather ? 25 : 60))),
        early(random.percent(60)),
        parts(early && random.percent(35)),
        behind(static_cast<unsigned>(random.below(40))),
        whole_stores(random.percent(50) ? 100 : static_cast<unsigned>(random.below(101))),
        aims(early ? static_cast<unsigned>(random.pick(std::vector{0, 30, 60})) : 0),
        length(50 + random.below(3000)) {
    if (early && crowd && random.percent(50)) {  // until every MSHR is of an open line
      writes = 90;
      specs = 30;
      fills = wakes = 50;
      behind = static_cast<unsigned>(random.below(5));
      aims = 40;
      return;
    }
    if (early && !parts) {  // stores are no waiters, nor are MemSpecRd
      writes = static_cast<unsigned>(random.below(60));
      specs = static_cast<unsigned>(random.below(50));
    }
    if (!parts) return;
    writes = 99;
    specs = behind = 0;
    commits = 100;
    sets_touched = std::min<std::uint64_t>(sets_touched, 2);
    tags = 2 + random.below(8);
  }
  bool crowd;   // so many lines that the MSHRs stay about full
  bool gather;  // fills so late that lines have several waiters
  unsigned sets_log2, used_log2;
  std::uint64_t tags, sets_touched, tag_base, tag_step;
  unsigned lookups, commits, writes, specs, fills, wakes;  // percent
  bool early;                                              // stores do not wait for fills
  bool parts;  // little but stores, to few lines, so that they become whole
  unsigned behind, whole_stores;
  unsigned aims;  // percent of the cycles, in which what is rare is looked up
  std::uint64_t length;

  std::uint64_t granule(Random& random) const {
    const std::uint64_t tag = tag_base + random.below(tags) * tag_step;
    return (tag << used_log2 | random.below(sets_touched)) % kGranules;
  }
};

// A random MSHR of those that `want` approves, or -1.
template <typename Want>
int random_mshr(const DramCache& twin, Random& random, Want want) {
  std::vector<int> found;
  for (unsigned m = 0; m < kMshrs; ++m) {
    if (twin.is_live(m) && want(m)) found.push_back(static_cast<int>(m));
  }
  return found.empty() ? -1 : random.pick(found);
}

// The fill of some line is answered: of one that nobody waits for, or of any.
void answer_fill(DramCache::In& in, const DramCache& twin, Random& random) {
  const auto pending = [&](bool idle) {
    return random_mshr(twin, random, [&](unsigned i) {
      return !twin.is_filled(i) && !twin.is_open(i) && (!idle || twin.waiters(i) == 0);
    });
  };
  int m = random.percent(40) ? pending(true) : -1;
  if (m < 0) m = pending(false);
  in.fill_done = m >= 0;
  in.fill_mshr = static_cast<unsigned>(std::max(m, 0));
}

// Someone that waits is woken: of several, or any.
void wake_one(DramCache::In& in, const DramCache& twin, Random& random) {
  const auto with_more_than = [&](unsigned waiters) {
    return random_mshr(twin, random,
                       [&](unsigned i) { return twin.is_filled(i) && twin.waiters(i) > waiters; });
  };
  int m = random.percent(60) ? with_more_than(1) : -1;
  if (m < 0) m = with_more_than(0);
  in.wait_dec = m >= 0;
  in.wait_mshr = static_cast<unsigned>(std::max(m, 0));
}

// What there was so far.
struct Past {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::vector<std::uint64_t> lines;  // by slot: the granule that it holds
  std::uint64_t last = 0;            // granule looked up last, and its 64 bytes
  unsigned last_offset = 0;

  void clear() { lines.assign(1u << 14, kNone); }
  void add(const DramCache::In& in, const LookupOutcome& o) {
    if (!in.lookup_valid || !in.lookup_commit) return;
    last = in.granule;
    last_offset = in.offset;
    if (o.result == CacheResult::Miss || o.result == CacheResult::Open) lines[o.slot] = in.granule;
  }
};

// What is rare while stores do not wait: the line of the cycle before, one being filled, an open
// line's missing bytes, by a store or not.
void aim(DramCache::In& in, const DramCache& twin, const Past& past, Random& random) {
  in.lookup_valid = in.lookup_commit = true;
  const auto who = random.below(4);
  in.spec = who == 0;
  in.write = who == 1;
  if (random.percent(30)) {
    in.granule = past.last;
    if (random.percent(50)) in.offset = past.last_offset;
    return;
  }
  const bool filling = random.percent(10);
  // Few MSHRs half of the time, so that their lines become whole.
  const unsigned most = random.percent(50) ? kMshrs / 16 : kMshrs;
  const int found = random_mshr(twin, random, [&](unsigned m) {
    return m < most && (filling ? !twin.is_open(m) && !twin.is_filled(m) : twin.is_open(m));
  });
  if (found < 0) return;
  const auto mshr = static_cast<unsigned>(found);
  in.granule = past.lines[twin.slot_of(mshr)];
  in.offset = filling ? 0 : twin.missing_line(mshr);
  if (!filling && random.percent(70)) {
    in.spec = false;
    in.write = true;
    in.byte_enable = random.percent(50)   ? kAllBytes
                     : random.percent(50) ? 0xffff'ffff
                                          : ~std::uint64_t{0xffff'ffff};
  }
}

DramCache::In random_input(const DramCache& twin, const Phase& phase, const Past& past,
                           Random& random) {
  DramCache::In in;
  in.lookup_valid = random.percent(phase.lookups);
  in.lookup_commit = random.percent(phase.commits);
  in.granule = phase.granule(random);
  in.spec = random.percent(phase.specs);
  in.early = phase.early;
  in.offset = static_cast<unsigned>(random.below(kLines));
  in.byte_enable = random.percent(phase.whole_stores) ? kAllBytes : random.bits(64);
  // Complementary halves now and then, so that lines become whole by parts.
  if (in.byte_enable != kAllBytes && random.percent(50)) {
    in.byte_enable = random.percent(50) ? 0xffff'ffff : ~std::uint64_t{0xffff'ffff};
  }
  in.write = !in.spec && random.percent(phase.writes);
  if (random.percent(phase.aims)) aim(in, twin, past, random);
  // A transaction table has no more than 63 entries to wait with.
  const LookupOutcome found =
      twin.peek({.granule = in.granule, .spec = in.spec, .offset = in.offset});
  if ((found.result == CacheResult::Merge || found.result == CacheResult::Start) &&
      twin.waiters(found.mshr) >= 63) {
    in.spec = true;
    in.write = false;
  }
  if (phase.parts && in.write && found.result == CacheResult::Start && random.percent(60)) {
    in.offset = twin.missing_line(found.mshr);
  }
  if (random.percent(phase.fills)) answer_fill(in, twin, random);
  if (random.percent(phase.wakes)) wake_one(in, twin, random);
  return in;
}

// The MSHR that pins a slot and is filled: its waiters drain. -1: none.
int draining(const DramCache& twin, std::uint32_t slot) {
  for (unsigned m = 0; m < kMshrs; ++m) {
    if (twin.is_live(m) && twin.is_filled(m) && twin.slot_of(m) == slot) return static_cast<int>(m);
  }
  return -1;
}

// The MSHR of the line of a slot that is being filled, or -1.
int filling(const DramCache& twin, std::uint32_t slot) {
  for (unsigned m = 0; m < kMshrs; ++m) {
    if (twin.is_live(m) && !twin.is_filled(m) && !twin.is_open(m) && twin.slot_of(m) == slot) {
      return static_cast<int>(m);
    }
  }
  return -1;
}

// Fill and wake-up of the very line that is looked up, on purpose.
void meet(DramCache::In& in, const DramCache& twin, Random& random) {
  // In the cycle after a store too.
  if (const DramCache::Check check = twin.look_at_check(); check.valid) {
    if (random.percent(check.whole ? 50 : 25)) wake_one(in, twin, random);
    if (!twin.is_open(check.mshr) && random.percent(20)) {
      in.fill_done = true;
      in.fill_mshr = check.mshr;
    } else if (random.percent(check.whole ? 50 : 15)) {
      answer_fill(in, twin, random);
    }
  }
  if (!in.lookup_valid) return;
  const LookupOutcome found = twin.peek({.granule = in.granule,
                                         .write = in.write,
                                         .spec = in.spec,
                                         .offset = in.offset,
                                         .byte_enable = in.byte_enable,
                                         .early = in.early});
  if (found.result == CacheResult::Merge && random.percent(6)) {
    in.fill_done = true;
    in.fill_mshr = found.mshr;
  }
  if (found.result == CacheResult::Held && random.percent(6)) {
    if (const int m = filling(twin, found.slot); m >= 0) {
      in.fill_done = true;
      in.fill_mshr = static_cast<unsigned>(m);
    }
  }
  if (found.result != CacheResult::Hit || !random.percent(40)) return;
  if (const int m = draining(twin, found.slot); m >= 0) {
    in.wait_dec = true;
    in.wait_mshr = static_cast<unsigned>(m);
  }
}

// The fill of an open line, more often in the cycle after a store.
void fill_behind(DramCache::In& in, const DramCache& twin, const Phase& phase, Random& random) {
  if (twin.open_count() == 0) return;
  const DramCache::Check check = twin.look_at_check();
  const bool own = check.valid && twin.behind().mshr == check.mshr;
  if (twin.check_due() && random.percent(own && check.whole ? 30 : phase.aims / 4)) {
    in.lookup_commit = false;
    if (random.percent(50)) in.lookup_valid = false;
    in.behind_take = true;
  }
  in.behind_take |= random.percent(phase.behind) && !(in.lookup_valid && in.lookup_commit);
}

class Pairs {
 public:
  void look(const DramCache& twin, const DramCache::In& in, const DramCache::Out& out,
            bool victim) {
    // What meets while stores do not wait has bins of its own (part_bins.hpp).
    if (!pairs_.on() || in.early) return;
    const auto number = [](auto value) { return static_cast<unsigned>(value); };
    const LookupOutcome& o = out.outcome;
    const int drains = o.result == CacheResult::Hit ? draining(twin, o.slot) : -1;
    auto fill = coverage::DramFill::None;
    bool fill_frees = false;
    if (in.fill_done) {
      const bool waited = twin.waiters(in.fill_mshr) > 0;
      const bool own = in.lookup_valid && o.result == CacheResult::Merge && o.mshr == in.fill_mshr;
      fill_frees = !waited && !(own && in.lookup_commit && !in.spec);
      fill = own ? (waited ? coverage::DramFill::OwnWaited : coverage::DramFill::OwnIdle)
                 : (waited ? coverage::DramFill::OtherWaited : coverage::DramFill::OtherIdle);
    }
    auto wake = coverage::DramWake::None;
    bool wake_frees = false;
    if (in.wait_dec) {
      wake_frees = twin.waiters(in.wait_mshr) == 1;
      const bool own = in.lookup_valid && drains == static_cast<int>(in.wait_mshr);
      wake = own ? (wake_frees ? coverage::DramWake::OwnLast : coverage::DramWake::OwnMore)
                 : (wake_frees ? coverage::DramWake::OtherLast : coverage::DramWake::OtherMore);
    }
    const auto asker = in.spec    ? coverage::DramAsker::Spec
                       : in.write ? coverage::DramAsker::Write
                                  : coverage::DramAsker::Read;
    const auto what = look_of(in, o, drains >= 0, victim);
    // One not committed: own and other lines are not told apart.
    if (what == coverage::DramLook::NotCommitted) {
      if (fill > coverage::DramFill::OtherWaited) fill = coverage::DramFill::OtherWaited;
      if (wake > coverage::DramWake::OtherLast) wake = coverage::DramWake::OtherLast;
    }
    pairs_.hit({number(what), number(asker), number(fill), number(wake)});
    const bool taken = in.lookup_valid && in.lookup_commit && o.result == CacheResult::Miss;
    const auto freed = fill_frees
                           ? (wake_frees ? coverage::DramFrees::Both : coverage::DramFrees::Fill)
                           : (wake_frees ? coverage::DramFrees::Wake : coverage::DramFrees::None);
    const unsigned live = out.mshr_used;
    const auto level = live == 0     ? coverage::DramLevel::Empty
                       : live == 1   ? coverage::DramLevel::One
                       : live < 127  ? coverage::DramLevel::Some
                       : live == 127 ? coverage::DramLevel::OneFree
                                     : coverage::DramLevel::Full;
    levels_.hit({taken, number(freed), number(level)});
  }

 private:
  static coverage::DramLook look_of(const DramCache::In& in, const LookupOutcome& o, bool drains,
                                    bool victim) {
    if (!in.lookup_valid) return coverage::DramLook::None;
    if (!in.lookup_commit) return coverage::DramLook::NotCommitted;
    switch (o.result) {
      case CacheResult::Hit:
        return drains ? coverage::DramLook::HitDraining : coverage::DramLook::Hit;
      case CacheResult::Merge:
        return coverage::DramLook::Merge;
      case CacheResult::Miss:
        if (o.write_back) return coverage::DramLook::MissDirty;
        return victim ? coverage::DramLook::MissClean : coverage::DramLook::MissEmpty;
      case CacheResult::Blocked:
        return coverage::DramLook::Blocked;
      default:
        break;
    }
    return coverage::DramLook::Drop;
  }

  test::TestCoverage pairs_{coverage::dram_cache_pairs()}, levels_{coverage::dram_cache_levels()};
};

TEST(DramCache, LockstepWithRtl) {
  Pairs pairs;
  test::PartBins parts;
  Past past;
  past.clear();
  // Long where what it meets is counted, at the product's size.
#ifdef CXLGPU_MSHRS
  constexpr std::uint64_t kCounted = 3000000;
#else
  constexpr std::uint64_t kCounted = 12000000;
#endif
  Lockstep lockstep("endpoint/dram_cache", 0xca5, parts.on() ? kCounted : 3000000);
  Random random(lockstep.seed());
  Clocked<Vdram_cache> rtl;
  Phase phase(random);
  DramCache twin = make_twin(phase.used_log2);
  std::uint64_t left = 0;
  std::array<std::uint64_t, kCacheResults> seen{};
  std::array<std::uint64_t, kDramEvents> events{};
  unsigned most = 0;
  while (lockstep.next()) {
    if (left-- == 0) {
      phase = Phase(random);
      left = phase.length;
      twin = make_twin(phase.used_log2);
      rtl->behind_take_i = 0;
      rtl->lookup_valid_i = rtl->lookup_commit_i = rtl->fill_done_i = rtl->wait_dec_i = 0;
      rtl->sets_log2_i = phase.sets_log2;
      rtl.reset();
      past.clear();
      parts.reset();
    }
    DramCache::In in = random_input(twin, phase, past, random);
    meet(in, twin, random);
    fill_behind(in, twin, phase, random);
    rtl->lookup_valid_i = in.lookup_valid;
    rtl->lookup_commit_i = in.lookup_commit;
    rtl->lookup_granule_i = in.granule;
    rtl->lookup_write_i = in.write;
    rtl->lookup_spec_i = in.spec;
    rtl->lookup_offset_i = in.offset;
    rtl->lookup_be_i = in.byte_enable;
    rtl->early_i = in.early;
    rtl->behind_take_i = in.behind_take;
    rtl->fill_done_i = in.fill_done;
    rtl->fill_mshr_i = in.fill_mshr;
    rtl->wait_dec_i = in.wait_dec;
    rtl->wait_mshr_i = in.wait_mshr;
    rtl.settle();
    const DramCache::Out out = twin.eval(in);
    const LookupOutcome& o = out.outcome;
    lockstep.check("mshr_used_o", rtl->mshr_used_o, out.mshr_used);
    lockstep.check("open_count_o", rtl->open_count_o, out.open_count);
    lockstep.check("behind_valid_o", rtl->behind_valid_o, out.behind.valid);
    lockstep.check("behind_mshr_o", rtl->behind_mshr_o, out.behind.mshr);
    lockstep.check("behind_slot_o", rtl->behind_slot_o, out.behind.slot);
    lockstep.check("behind_granule_o", rtl->behind_granule_o, out.behind.granule);
    lockstep.check("result_o", rtl->result_o,
                   in.lookup_valid ? static_cast<unsigned>(o.result) : 0);
    lockstep.check("slot_o", rtl->slot_o, o.slot);
    lockstep.check("mshr_o", rtl->mshr_o, o.mshr);
    lockstep.check("victim_dirty_o", rtl->victim_dirty_o, o.write_back);
    lockstep.check("victim_o", rtl->victim_o, o.victim_granule);
    lockstep.check("event_o", rtl->event_o, out.events);
    for (unsigned e = 0; e < kDramEvents; ++e) events[e] += out.events >> e & 1u;
    if (in.lookup_valid) ++seen[static_cast<std::size_t>(o.result)];
    most = std::max(most, out.mshr_used);
    const bool was_there = past.lines[o.slot] != Past::kNone;
    pairs.look(twin, in, out, was_there);
    if (parts.on() && in.early) {
      parts.look(twin, in, out, o.result == CacheResult::Hit ? draining(twin, o.slot) : -1,
                 was_there);
    }
    past.add(in, o);
    twin.clock(in);
    rtl.edge();
  }
  if (lockstep.cycle() > 100000) {
    for (std::uint64_t n : seen) EXPECT_GT(n, 500u) << "the stimulus misses a result";
    for (unsigned e = 0; e < kDramEvents; ++e) {
      // A line of 1024 bytes takes sixteen stores and no load in between.
      const bool rare = kLines > 4 && e == static_cast<unsigned>(DramEvent::Whole);
      EXPECT_GT(events[e], rare ? 100u : 500u) << "the stimulus misses an event";
    }
    if (kMshrs <= 128) {
      EXPECT_EQ(most, kMshrs);
    }
  }
}

// The RTL alone, asked one thing a cycle; what is expected of it below is written by hand.
class RtlCache {
 public:
  explicit RtlCache(unsigned sets_log2) {
    top()->sets_log2_i = sets_log2;
    rtl_->reset();
  }
  LookupOutcome peek(std::uint64_t granule, bool spec) {
    return eval({.lookup_valid = true, .granule = granule, .spec = spec}).outcome;
  }
  LookupOutcome lookup(std::uint64_t granule, bool write, bool spec) {
    DramCache::In in{.lookup_valid = true, .lookup_commit = true, .granule = granule, .spec = spec};
    in.write = write;
    const LookupOutcome outcome = eval(in).outcome;
    clock(in);
    return outcome;
  }
  // Early: stores do not wait. Returns result, slot and MSHR; `bytes` 0: a read.
  LookupOutcome early(std::uint64_t granule, unsigned offset, std::uint64_t bytes,
                      bool spec = false) {
    const DramCache::In in = early_in(granule, offset, bytes, spec);
    const LookupOutcome outcome = eval(in).outcome;
    clock(in);
    return outcome;
  }
  static DramCache::In early_in(std::uint64_t granule, unsigned offset, std::uint64_t bytes,
                                bool spec = false) {
    DramCache::In in{.lookup_valid = true, .lookup_commit = true, .granule = granule};
    in.write = bytes != 0;
    in.spec = spec;
    in.offset = offset;
    in.byte_enable = bytes;
    in.early = true;
    return in;
  }
  DramEvents idle() { return act({}); }
  DramEvents act(const DramCache::In& in) {
    const DramEvents events = eval(in).events;
    clock(in);
    return events;
  }
  unsigned take_behind() {
    DramCache::In in;
    in.behind_take = true;
    drive(in);
    const unsigned mshr = top()->behind_mshr_o;
    EXPECT_TRUE(top()->behind_valid_o);
    clock(in);
    return mshr;
  }
  unsigned open_count() {
    drive({});
    return top()->open_count_o;
  }
  void fill_done(unsigned mshr) {
    DramCache::In in;
    in.fill_done = true;
    in.fill_mshr = mshr;
    clock(in);
  }
  void wake(unsigned mshr) {
    DramCache::In in;
    in.wait_dec = true;
    in.wait_mshr = mshr;
    clock(in);
  }
  unsigned mshr_used() {
    drive({});
    return top()->mshr_used_o;
  }
  DramCache::Out eval(const DramCache::In& in) {
    drive(in);
    DramCache::Out out;
    out.events = static_cast<DramEvents>(top()->event_o);
    out.outcome = {.result = static_cast<CacheResult>(top()->result_o),
                   .slot = top()->slot_o,
                   .mshr = static_cast<std::uint8_t>(top()->mshr_o),
                   .write_back = top()->victim_dirty_o != 0,
                   .victim_granule = top()->victim_o,
                   .events = out.events};
    return out;
  }
  void clock(const DramCache::In& in) {
    drive(in);
    rtl_->edge();
  }

 private:
  Clocked<Vdram_cache>& top() { return *rtl_; }
  void drive(const DramCache::In& in) {
    auto& t = *rtl_;
    t->lookup_valid_i = in.lookup_valid;
    t->lookup_commit_i = in.lookup_commit;
    t->lookup_granule_i = in.granule;
    t->lookup_write_i = in.write;
    t->lookup_spec_i = in.spec;
    t->lookup_offset_i = in.offset;
    t->lookup_be_i = in.byte_enable;
    t->early_i = in.early;
    t->behind_take_i = in.behind_take;
    t->fill_done_i = in.fill_done;
    t->fill_mshr_i = in.fill_mshr;
    t->wait_dec_i = in.wait_dec;
    t->wait_mshr_i = in.wait_mshr;
    t.settle();
  }

  std::unique_ptr<Clocked<Vdram_cache>> rtl_ = std::make_unique<Clocked<Vdram_cache>>();
};

void fill(RtlCache& cache, std::uint64_t granule, bool spec, std::uint32_t slot) {
  const LookupOutcome o = cache.lookup(granule, false, spec);
  EXPECT_EQ(o.result, CacheResult::Miss) << granule;
  EXPECT_EQ(o.slot, slot) << granule;
  cache.fill_done(o.mshr);
  if (!spec) cache.wake(o.mshr);
}

// One set of eight ways, every line filled by a demand: granules 0..7 in ways 0..7.
RtlCache full_set() {
  RtlCache cache(0);
  for (std::uint32_t g = 0; g < 8; ++g) fill(cache, g, false, g);
  return cache;
}

TEST(DramCache, PlruByHand) {
  // Ways touched in order 0..7 leave every node pointing left; each victim is touched in turn.
  RtlCache cache = full_set();
  std::uint64_t granule = 100;
  for (std::uint32_t way : {0u, 4u, 2u, 6u, 1u, 5u, 3u, 7u}) {
    fill(cache, granule++, false, way);
  }
  // A hit on the way that is next (0) sends the choice to the other half: node 2 points left, 4.
  EXPECT_EQ(cache.peek(1, false).slot, 0u);
  EXPECT_EQ(cache.lookup(100, false, false).result, CacheResult::Hit);
  EXPECT_EQ(cache.peek(1, false).slot, 4u);
  EXPECT_EQ(cache.lookup(106, false, false).slot, 3u);  // left half again: root still right
  EXPECT_EQ(cache.peek(1, false).slot, 4u);
}

TEST(DramCache, PinnedChoiceGivesLowestUnpinned) {
  RtlCache cache = full_set();
  ASSERT_EQ(cache.lookup(10, false, false).slot, 0u);  // pins way 0, next 4
  ASSERT_EQ(cache.lookup(11, false, false).slot, 4u);  // next 2
  ASSERT_EQ(cache.lookup(12, false, false).slot, 2u);  // next 6
  ASSERT_EQ(cache.lookup(6, false, false).slot, 6u);   // touch 6: next 1
  ASSERT_EQ(cache.lookup(1, false, false).slot, 1u);  // touch 1: right, node 2 left: 5 (4 was last)
  ASSERT_EQ(cache.lookup(5, false, false).slot, 5u);  // touch 5: left, node 1 right: node 4: 3
  ASSERT_EQ(cache.lookup(3, false, false).slot, 3u);  // touch 3: right half, node 2 right: 7
  ASSERT_EQ(cache.lookup(7, false, false).slot, 7u);  // left half, node 1 left, node 3: 0, pinned
  EXPECT_EQ(cache.peek(13, false).slot, 1u);          // lowest unpinned
}

TEST(DramCache, BlockedAndDroppedWhenTheSetIsPinned) {
  RtlCache cache(0);
  for (std::uint64_t g = 0; g < 8; ++g) cache.lookup(g, false, false);
  EXPECT_EQ(cache.lookup(8, false, false).result, CacheResult::Blocked);
  EXPECT_EQ(cache.lookup(8, false, true).result, CacheResult::Drop);
  EXPECT_EQ(cache.mshr_used(), 8u);
  EXPECT_EQ(cache.lookup(3, false, true).result, CacheResult::Merge);
  cache.fill_done(3);
  cache.wake(3);  // one waiter: a MemSpecRd does not wait
  EXPECT_EQ(cache.mshr_used(), 7u);
}

TEST(DramCache, NoMshr) {
  RtlCache cache(7);
  std::uint64_t granule = 0;
  for (; granule < kMshrs; ++granule) {
    ASSERT_EQ(cache.lookup(granule, false, granule < 100).mshr, granule);
  }
  EXPECT_EQ(cache.peek(granule, false).result, CacheResult::Blocked);
  EXPECT_EQ(cache.peek(granule, true).result, CacheResult::Drop);
  EXPECT_EQ(cache.peek(0, true).result, CacheResult::Merge);
  cache.fill_done(90);  // a MemSpecRd: nobody waits, it frees
  EXPECT_EQ(cache.lookup(granule, false, false).mshr, 90u);
}

TEST(DramCache, FreshLinesLiveTwice) {
  test::shows("sr",
              "A line that MemSpecRd brought is passed over once as a victim until a demand "
              "request uses it",
              "docs/blocks/endpoint/dram_cache.md");
  RtlCache cache(0);
  for (std::uint32_t g = 0; g < 8; ++g) fill(cache, g, g == 0, g);  // way 0 is fresh, and next
  EXPECT_EQ(cache.peek(8, false).slot, 1u);  // passed over: the lowest that is not fresh
  fill(cache, 8, false, 1);                  // 0 and then 1 are touched: next 4
  fill(cache, 9, false, 4);
  fill(cache, 10, false, 2);
  fill(cache, 11, false, 6);
  fill(cache, 12, false, 0);  // its second life is over
  EXPECT_EQ(cache.peek(0, false).result, CacheResult::Miss);
}

TEST(DramCache, WantedLinesAreFreshNoMore) {
  for (const bool demand : {true, false}) {
    RtlCache cache(0);
    for (std::uint32_t g = 0; g < 8; ++g) fill(cache, g, true, g);
    cache.lookup(0, false, !demand);  // next 4
    for (std::uint32_t g : {4u, 2u, 6u, 1u, 5u, 3u, 7u}) cache.lookup(g, false, true);
    // 0 is next. All the others are fresh: it goes, wanted or not.
    EXPECT_EQ(cache.peek(8, false).slot, 0u);
    cache.lookup(7, false, false);                           // now 7 is not fresh either
    cache.lookup(3, false, true);                            // next: right half, 4
    EXPECT_EQ(cache.peek(8, false).slot, demand ? 0u : 7u);  // 4 is fresh
  }
}

TEST(DramCache, PinnedChoiceGivesLowestThatWasWanted) {
  RtlCache cache(0);
  for (std::uint32_t g = 0; g < 8; ++g) fill(cache, g, g < 4, g);
  ASSERT_EQ(cache.lookup(8, false, false).slot, 4u);  // 0 is fresh and passed over; pins 4
  for (std::uint32_t g : {2u, 6u, 1u, 5u, 3u, 7u, 0u}) cache.lookup(g, false, true);
  EXPECT_EQ(cache.peek(9, false).slot, 0u);  // next is 4, pinned; 0 is the lowest not fresh
  cache.lookup(0, false, true);
  EXPECT_EQ(cache.peek(9, true).slot, 0u);
}

DramEvents events_of(RtlCache& cache, std::uint64_t granule, bool spec) {
  DramCache::In in{.lookup_valid = true, .lookup_commit = true, .granule = granule, .spec = spec};
  const DramCache::Out out = cache.eval(in);
  cache.clock(in);
  if (out.outcome.result == CacheResult::Miss) {
    cache.fill_done(out.outcome.mshr);
    if (!spec) cache.wake(out.outcome.mshr);
  }
  return out.events;
}

constexpr DramEvents bits(std::initializer_list<DramEvent> events) {
  DramEvents all = 0;
  for (const DramEvent e : events) all |= event_bit(e);
  return all;
}

TEST(DramCache, EventsOfLookups) {
  test::shows("sr", "Counters report what MemSpecRd did in the internal DRAM",
              "docs/blocks/endpoint/dram_cache.md");
  RtlCache cache(0);
  EXPECT_EQ(events_of(cache, 0, true), bits({DramEvent::SpecFill}));  // no victim
  EXPECT_EQ(events_of(cache, 0, true), bits({DramEvent::SpecNeedless}));
  EXPECT_EQ(events_of(cache, 1, false), bits({DramEvent::DemandFill}));
  EXPECT_EQ(events_of(cache, 0, false), bits({DramEvent::DemandHit}));
  DramCache::In in{.lookup_valid = true, .granule = 1};
  EXPECT_EQ(cache.eval(in).events, 0u);  // not committed
  RtlCache pinned(0);
  for (std::uint64_t g = 0; g < 8; ++g) pinned.lookup(g, false, false);
  EXPECT_EQ(events_of(pinned, 0, false), bits({DramEvent::DemandMerge}));
  EXPECT_EQ(events_of(pinned, 0, true), bits({DramEvent::SpecNeedless}));
  EXPECT_EQ(events_of(pinned, 9, true), bits({DramEvent::SpecDrop}));
  EXPECT_EQ(events_of(pinned, 9, false), 0u);  // BLOCKED
}

TEST(DramCache, EventsOfVictims) {
  using enum DramEvent;
  RtlCache wanted = full_set();
  EXPECT_EQ(events_of(wanted, 8, false), bits({DemandFill}));
  EXPECT_EQ(events_of(wanted, 9, true), bits({SpecFill, Displaced}));
  // A MERGE makes a line wanted as a HIT does; a second MemSpecRd does not.
  RtlCache cache(0);
  for (std::uint64_t g = 0; g < 8; ++g) cache.lookup(g, false, true);
  cache.lookup(0, false, false);
  cache.fill_done(0);
  cache.wake(0);
  for (unsigned m = 1; m < 8; ++m) cache.fill_done(m);
  for (std::uint64_t g : {4, 2, 6, 1, 5, 3, 7}) cache.lookup(g, false, true);
  ASSERT_EQ(cache.peek(8, true).slot, 0u);
  EXPECT_EQ(cache.peek(8, false).slot, 0u);
  EXPECT_EQ(events_of(cache, 8, true), bits({SpecFill, Displaced}));
  EXPECT_EQ(events_of(cache, 9, true), bits({SpecFill, Unwanted}));
  EXPECT_EQ(events_of(cache, 10, false), bits({DemandFill, Unwanted}));
}

TEST(DramCache, PassedOverIsStillUnwanted) {
  RtlCache cache(0);
  for (std::uint32_t g = 0; g < 8; ++g) fill(cache, g, g == 0, g);
  fill(cache, 8, false, 1);  // passes over 0
  fill(cache, 9, false, 4);
  fill(cache, 10, false, 2);
  fill(cache, 11, false, 6);
  ASSERT_EQ(cache.peek(12, false).slot, 0u);
  EXPECT_EQ(events_of(cache, 12, false), bits({DramEvent::DemandFill, DramEvent::Unwanted}));
  EXPECT_EQ(events_of(cache, 0, false) & event_bit(DramEvent::Unwanted), 0u);
}

TEST(DramCache, WaitersKeepTheMshr) {
  RtlCache cache(4);
  const LookupOutcome miss = cache.lookup(5, false, false);
  EXPECT_EQ(cache.lookup(5, true, false).result, CacheResult::Merge);
  cache.fill_done(miss.mshr);
  EXPECT_EQ(cache.mshr_used(), 1u);
  const LookupOutcome hit = cache.lookup(5, false, false);  // filled, still draining
  EXPECT_EQ(hit.result, CacheResult::Hit);
  EXPECT_EQ(hit.slot, miss.slot);
  cache.wake(miss.mshr);
  EXPECT_EQ(cache.mshr_used(), 1u);
  cache.wake(miss.mshr);
  EXPECT_EQ(cache.mshr_used(), 0u);
}

// As many as a transaction table has entries, and more than any has.
TEST(DramCache, EveryWaiterKeepsTheMshr) {
  for (const unsigned waiters : {1u, 2u, 31u, 32u, 33u, 63u}) {
    RtlCache cache(4);
    const LookupOutcome miss = cache.lookup(5, false, false);
    for (unsigned i = 1; i < waiters; ++i) {
      ASSERT_EQ(cache.lookup(5, false, false).result, CacheResult::Merge);
    }
    cache.fill_done(miss.mshr);
    for (unsigned i = 0; i < waiters; ++i) {
      ASSERT_EQ(cache.mshr_used(), 1u) << i << " of " << waiters << " woken";
      cache.wake(miss.mshr);
    }
    EXPECT_EQ(cache.mshr_used(), 0u) << waiters;
  }
}

TEST(DramCache, MergeInTheCycleOfTheFillKeepsTheMshr) {
  RtlCache cache(4);
  const LookupOutcome miss = cache.lookup(5, false, true);
  DramCache::In in;
  in.lookup_valid = in.lookup_commit = in.fill_done = true;
  in.granule = 5;
  in.fill_mshr = miss.mshr;
  EXPECT_EQ(cache.eval(in).outcome.result, CacheResult::Merge);
  cache.clock(in);
  EXPECT_EQ(cache.mshr_used(), 1u);
  EXPECT_EQ(cache.peek(5, false).result, CacheResult::Hit);
  cache.wake(miss.mshr);
  EXPECT_EQ(cache.mshr_used(), 0u);
}

TEST(DramCache, DirtyVictimIsNamed) {
  test::shows("order", "A dirty line that is displaced is written back",
              "docs/blocks/endpoint/dram_cache.md");
  RtlCache cache = full_set();
  cache.lookup(0, true, false);  // dirty, next victim 4
  cache.lookup(4, false, false);
  for (std::uint64_t g : {2, 6, 1, 5, 3, 7}) cache.lookup(g, false, false);
  const LookupOutcome miss = cache.lookup(64, false, true);
  EXPECT_EQ(miss.slot, 0u);
  EXPECT_TRUE(miss.write_back);
  EXPECT_EQ(miss.victim_granule, 0u);
  cache.fill_done(miss.mshr);
  for (std::uint64_t g : {4, 2, 6, 1, 5, 3, 7}) cache.lookup(g, false, false);
  EXPECT_FALSE(cache.peek(65, false).write_back);  // the miss cleaned the slot
}

// Lines in part: docs/blocks/endpoint/README.md, each row of its table by hand.

TEST(DramCache, OpenLineTakesStoresWithoutAFill) {
  test::shows("order", "A store is answered without the fill of its line",
              "docs/blocks/endpoint/README.md");
  RtlCache cache(0);
  const LookupOutcome open = cache.early(5, 1, 0xff);
  EXPECT_EQ(open.result, CacheResult::Open);
  EXPECT_EQ(cache.open_count(), 1u);
  const LookupOutcome second = cache.early(5, 2, 0xff00);
  EXPECT_EQ(second.result, CacheResult::Held);
  EXPECT_EQ(second.slot, open.slot);
  EXPECT_EQ(second.mshr, 0u);
  EXPECT_EQ(cache.mshr_used(), 1u);
}

TEST(DramCache, OpenLineIsWholeWithAllItsBytes) {
  RtlCache cache(0);
  for (unsigned line = 0; line < 4; ++line) cache.early(5, line, line == 2 ? 0xff : kAllBytes);
  EXPECT_EQ(cache.idle(), 0u);
  cache.early(5, 2, ~std::uint64_t{0xff});
  EXPECT_EQ(cache.mshr_used(), 1u);
  EXPECT_EQ(cache.idle(), bits({DramEvent::Whole}));
  EXPECT_EQ(cache.mshr_used(), 0u);
  EXPECT_EQ(cache.open_count(), 0u);
  EXPECT_EQ(cache.early(5, 0, 0).result, CacheResult::Hit);
}

TEST(DramCache, OpenLineServesLoadsOfWhatItHolds) {
  RtlCache cache(0);
  cache.early(5, 1, kAllBytes);
  EXPECT_EQ(cache.early(5, 1, 0).result, CacheResult::Held);  // the very next cycle
  cache.early(5, 2, 0xffff'ffff);
  EXPECT_EQ(cache.peek(5, true).result, CacheResult::Start);
  cache.early(5, 2, ~std::uint64_t{0xffff'ffff});
  cache.idle();
  EXPECT_EQ(cache.early(5, 2, 0).result, CacheResult::Held);  // two parts make 64 bytes
  EXPECT_EQ(cache.open_count(), 1u);
}

TEST(DramCache, OpenLineIsFilledForALoadOfWhatIsMissing) {
  test::shows("order", "A load of bytes that no store has brought waits for the fill",
              "docs/blocks/endpoint/README.md");
  RtlCache cache(0);
  const LookupOutcome open = cache.early(5, 1, 0xff);
  const LookupOutcome load = cache.early(5, 1, 0);
  EXPECT_EQ(load.result, CacheResult::Start);
  EXPECT_EQ(load.mshr, open.mshr);
  EXPECT_EQ(cache.open_count(), 0u);
  EXPECT_EQ(cache.early(5, 0, 0).result, CacheResult::Merge);
  EXPECT_EQ(cache.early(5, 3, kAllBytes).result, CacheResult::Held);  // while it is filled
  EXPECT_EQ(cache.early(5, 3, 0).result, CacheResult::Held);
  cache.fill_done(open.mshr);
  EXPECT_EQ(cache.early(5, 0, 0).result, CacheResult::Hit);
  cache.wake(open.mshr);
  EXPECT_EQ(cache.mshr_used(), 1u);
  cache.wake(open.mshr);
  EXPECT_EQ(cache.mshr_used(), 0u);
}

TEST(DramCache, OpenLineIsFilledForAMemSpecRd) {
  RtlCache cache(0);
  const LookupOutcome open = cache.early(5, 1, kAllBytes);
  const DramCache::In in = RtlCache::early_in(5, 0, 0, true);
  EXPECT_EQ(cache.eval(in).outcome.result, CacheResult::Start);
  EXPECT_EQ(cache.act(in), bits({DramEvent::SpecFill}));
  EXPECT_EQ(cache.act(in), bits({DramEvent::SpecNeedless}));
  cache.fill_done(open.mshr);  // nobody waits
  EXPECT_EQ(cache.mshr_used(), 0u);
}

TEST(DramCache, OpenLineThatIsStartedOrTakenIsNotWhole) {
  for (const bool behind : {false, true}) {
    RtlCache cache(0);
    for (unsigned line = 1; line < 4; ++line) cache.early(5, line, kAllBytes);
    cache.early(5, 0, 0xff);
    cache.early(5, 0, ~std::uint64_t{0xff});  // whole, and looked at in this next cycle:
    DramCache::In in = RtlCache::early_in(5, 0, 0);
    if (behind) {
      in = {};
      in.behind_take = true;
    }
    EXPECT_EQ(cache.act(in), bits({behind ? DramEvent::Behind : DramEvent::DemandFill}));
    EXPECT_EQ(cache.idle(), 0u);
    EXPECT_EQ(cache.mshr_used(), 1u);
    EXPECT_EQ(cache.open_count(), 0u);
  }
}

TEST(DramCache, OpenLinesAreNeverEvicted) {
  test::shows("order", "No line is evicted while it is there in part",
              "docs/blocks/endpoint/README.md");
  RtlCache cache(0);
  for (std::uint64_t g = 0; g < 8; ++g) {
    ASSERT_EQ(cache.early(g, 0, 1).result, CacheResult::Open);
  }
  EXPECT_EQ(cache.early(8, 0, 0).result, CacheResult::Blocked);
  EXPECT_EQ(cache.early(8, 0, 1).result, CacheResult::Blocked);
  EXPECT_EQ(cache.early(8, 0, 0, true).result, CacheResult::Drop);
  EXPECT_EQ(cache.take_behind(), 0u);
  EXPECT_EQ(cache.early(8, 0, 1).result, CacheResult::Blocked);
  cache.fill_done(0);
  const LookupOutcome next = cache.early(8, 0, 1);
  EXPECT_EQ(next.result, CacheResult::Open);
  EXPECT_TRUE(next.write_back);  // what stores brought is dirty
  EXPECT_EQ(next.victim_granule, 0u);
}

TEST(DramCache, OpenLinesAreFilledBehindInTurn) {
  RtlCache cache(3);
  for (std::uint64_t g = 0; g < 4; ++g) cache.early(g, 0, 1);
  EXPECT_EQ(cache.take_behind(), 0u);
  EXPECT_EQ(cache.take_behind(), 1u);
  cache.fill_done(0);
  cache.early(20, 0, 1);  // MSHR 0 again
  EXPECT_EQ(cache.take_behind(), 2u);
  EXPECT_EQ(cache.take_behind(), 3u);
  EXPECT_EQ(cache.take_behind(), 0u);
  EXPECT_EQ(cache.open_count(), 0u);
}

TEST(DramCache, OpenLinesAreNoneWhileStoresWait) {
  RtlCache cache(0);
  EXPECT_EQ(cache.lookup(5, true, false).result, CacheResult::Miss);
  EXPECT_EQ(cache.lookup(5, true, false).result, CacheResult::Merge);
  EXPECT_EQ(cache.open_count(), 0u);
}

// An MSHR that is used again knows nothing of the bytes of the line before.
TEST(DramCache, OpenLineStartsWithNothing) {
  RtlCache cache(0);
  const LookupOutcome first = cache.early(5, 1, kAllBytes);
  cache.take_behind();
  cache.fill_done(first.mshr);
  EXPECT_EQ(cache.early(6, 0, 1).mshr, first.mshr);
  EXPECT_EQ(cache.early(6, 1, 0).result, CacheResult::Start);
  // Nor of half of it.
  RtlCache halves(0);
  halves.early(5, 1, 0xffff'ffff);
  halves.take_behind();
  halves.fill_done(0);
  halves.early(6, 1, ~std::uint64_t{0xffff'ffff});
  halves.idle();
  EXPECT_EQ(halves.early(6, 1, 0).result, CacheResult::Start);
}

}  // namespace
}  // namespace cxlgpu
