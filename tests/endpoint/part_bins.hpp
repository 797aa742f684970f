// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Counts what meets in one cycle of dram_cache while stores do not wait (coverage/pairs_parts.hpp).
//
// Purpose: told of every cycle of the lockstep before its edge; those in which stores wait are
//          passed over.
#pragma once

#include "refmodel/endpoint/dram_cache.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_endpoint.hpp"
#include "tests/coverage/pairs_parts.hpp"

namespace cxlgpu::test {

class PartBins {
 public:
  [[nodiscard]] bool on() const { return pairs_.on(); }
  // `drains`: the MSHR of the line that is a HIT while its waiters drain, or -1. `was_there`: the
  // slot of the lookup has held a line before.
  void look(const DramCache& twin, const DramCache::In& in, const DramCache::Out& out, int drains,
            bool was_there) {
    if (!on() || !in.early) return;
    const LookupOutcome& o = out.outcome;
    const auto looked = look_of(twin, in, o, drains >= 0, was_there);
    const auto asker = in.spec    ? coverage::DramAsker::Spec
                       : in.write ? coverage::DramAsker::Write
                                  : coverage::DramAsker::Read;
    const bool counts = in.lookup_valid && in.lookup_commit;
    const bool waited = in.fill_done && twin.waiters(in.fill_mshr) > 0;
    const bool own_fill = counts && in.fill_done && is_line_of(twin, in.fill_mshr, o);
    const bool last = in.wait_dec && twin.waiters(in.wait_mshr) == 1;
    const bool own_wake = counts && in.wait_dec && drains == static_cast<int>(in.wait_mshr);
    pairs_.hit({number(looked), number(asker), number(fill_of(in.fill_done, own_fill, waited)),
                number(wake_of(in.wait_dec, own_wake, last))});

    const DramCache::Check check = twin.look_at_check();
    const auto before = before_of(twin, in, check);
    const bool own_store =
        counts && before != coverage::PartBefore::None && in.granule == granule_of_store_;
    before_.hit({number(looked), number(asker), own_store, number(before)});

    const auto behind = !in.behind_take ? coverage::PartBehind::No
                        : check.valid && check.mshr == out.behind.mshr
                            ? coverage::PartBehind::OfTheStore
                            : coverage::PartBehind::Other;
    const auto lookup = !in.lookup_valid ? coverage::PartLookup::None
                        : counts         ? coverage::PartLookup::Committed
                                         : coverage::PartLookup::NotCommitted;
    behind_.hit({number(behind), number(lookup), number(before), in.fill_done, in.wait_dec});

    const bool whole = (out.events & event_bit(DramEvent::Whole)) != 0;
    const bool fill_frees =
        in.fill_done && !waited && !(own_fill && o.result == CacheResult::Merge && !in.spec);
    const auto frees = static_cast<unsigned>(fill_frees) + 2u * static_cast<unsigned>(last);
    const auto taken = counts && o.result == CacheResult::Miss   ? coverage::PartTaken::Miss
                       : counts && o.result == CacheResult::Open ? coverage::PartTaken::Open
                                                                 : coverage::PartTaken::No;
    levels_.hit({number(taken), frees, whole, level(out.mshr_used)});
    const bool start = counts && o.result == CacheResult::Start;
    const auto leaves = start            ? coverage::PartLeaves::Start
                        : in.behind_take ? coverage::PartLeaves::Behind
                                         : coverage::PartLeaves::None;
    open_.hit({taken == coverage::PartTaken::Open, number(leaves), whole, level(out.open_count)});

    stored_ =
        counts && in.write && (o.result == CacheResult::Held || o.result == CacheResult::Open);
    granule_of_store_ = in.granule;
  }
  void reset() { stored_ = false; }

 private:
  template <typename Value>
  static unsigned number(Value value) {
    return static_cast<unsigned>(value);
  }
  static unsigned level(unsigned n) {
    return n < 2 ? n : n < kDefaultRtl.mshrs - 1 ? 2 : n < kDefaultRtl.mshrs ? 3 : 4;
  }
  static bool is_line_of(const DramCache& twin, unsigned mshr, const LookupOutcome& o) {
    return (o.result == CacheResult::Merge || o.result == CacheResult::Held) &&
           twin.slot_of(mshr) == o.slot;
  }
  static coverage::DramFill fill_of(bool done, bool own, bool waited) {
    if (!done) return coverage::DramFill::None;
    if (own) return waited ? coverage::DramFill::OwnWaited : coverage::DramFill::OwnIdle;
    return waited ? coverage::DramFill::OtherWaited : coverage::DramFill::OtherIdle;
  }
  static coverage::DramWake wake_of(bool woken, bool own, bool last) {
    if (!woken) return coverage::DramWake::None;
    if (own) return last ? coverage::DramWake::OwnLast : coverage::DramWake::OwnMore;
    return last ? coverage::DramWake::OtherLast : coverage::DramWake::OtherMore;
  }
  [[nodiscard]] coverage::PartBefore before_of(const DramCache& twin, const DramCache::In& in,
                                               const DramCache::Check& check) const {
    if (!stored_) return coverage::PartBefore::None;
    if (!check.valid) return coverage::PartBefore::Done;
    if (twin.is_open(check.mshr)) {
      return check.whole ? coverage::PartBefore::Whole : coverage::PartBefore::Open;
    }
    return in.fill_done && in.fill_mshr == check.mshr ? coverage::PartBefore::FillEnds
                                                      : coverage::PartBefore::Filling;
  }
  // Of a line that is HELD: it has an MSHR, which is open or not.
  [[nodiscard]] static bool held_open(const DramCache& twin, std::uint32_t slot) {
    for (unsigned m = 0; m < kDefaultRtl.mshrs; ++m) {
      if (twin.is_open(m) && twin.slot_of(m) == slot) return true;
    }
    return false;
  }
  static coverage::PartLook miss_of(const LookupOutcome& o, bool was_there,
                                    coverage::PartLook first) {
    return static_cast<coverage::PartLook>(number(first) + (o.write_back ? 2 : was_there ? 1 : 0));
  }
  static coverage::PartLook look_of(const DramCache& twin, const DramCache::In& in,
                                    const LookupOutcome& o, bool drains, bool was_there) {
    using coverage::PartLook;
    if (!in.lookup_valid) return PartLook::None;
    if (!in.lookup_commit) return PartLook::NotCommitted;
    switch (o.result) {
      case CacheResult::Hit:
        return drains ? PartLook::HitDraining : PartLook::Hit;
      case CacheResult::Held:
        return held_open(twin, o.slot) ? PartLook::HeldOpen : PartLook::HeldFilling;
      case CacheResult::Start:
        return PartLook::Start;
      case CacheResult::Open:
        return miss_of(o, was_there, PartLook::OpenEmpty);
      case CacheResult::Merge:
        return PartLook::Merge;
      case CacheResult::Miss:
        return miss_of(o, was_there, PartLook::MissEmpty);
      case CacheResult::Blocked:
        return PartLook::Blocked;
      default:
        break;
    }
    return PartLook::Drop;
  }

  bool stored_ = false;  // in the cycle before, by a write that did not wait
  std::uint64_t granule_of_store_ = 0;
  TestCoverage pairs_{coverage::dram_cache_parts()}, before_{coverage::dram_cache_store_before()},
      behind_{coverage::dram_cache_behind()}, levels_{coverage::dram_cache_parts_levels()},
      open_{coverage::dram_cache_open_lines()};
};

}  // namespace cxlgpu::test
