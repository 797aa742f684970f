// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/endpoint/dram_cache.hpp"

#include <algorithm>
#include <cassert>

namespace cxlgpu {

using Result = CacheResult;
using Event = DramEvent;

namespace {

constexpr std::uint64_t kAllHeld = ~std::uint64_t{0};
constexpr std::uint16_t bit(unsigned line) {
  return static_cast<std::uint16_t>(1u << line);
}

}  // namespace

DramCache::DramCache(unsigned sets_log2, unsigned ways, unsigned mshrs, unsigned lines)
    : sets_log2_(sets_log2),
      ways_(ways),
      mshr_count_(mshrs),
      lines_per_granule_(lines),
      granules_(std::size_t{ways} << sets_log2, kNone),
      lines_(granules_.size()),
      trees_(std::size_t{1} << sets_log2),
      mshrs_(mshrs),
      held_(std::size_t{mshrs} * lines) {}

std::uint64_t& DramCache::held(unsigned mshr, unsigned line) {
  return held_[mshr * lines_per_granule_ + line];
}
std::uint64_t DramCache::held(unsigned mshr, unsigned line) const {
  return held_[mshr * lines_per_granule_ + line];
}

std::uint32_t DramCache::first_slot(std::uint64_t granule) const {
  const std::uint64_t hash = granule ^ granule >> 5 ^ granule >> 10 ^ granule >> 15;
  return static_cast<std::uint32_t>(hash & ((std::uint64_t{1} << sets_log2_) - 1)) * ways_;
}

std::uint32_t DramCache::slot_of_line(std::uint64_t granule) const {
  const std::uint32_t first = first_slot(granule);
  for (std::uint32_t slot = first; slot < first + ways_; ++slot) {
    if (granules_[slot] == granule) return slot;
  }
  return static_cast<std::uint32_t>(granules_.size());
}

// A bit of 0 says left, the lower ways.
unsigned DramCache::tree_choice(std::uint32_t first) const {
  const std::uint64_t tree = trees_[first / ways_];
  unsigned node = 0;
  while (node < ways_ - 1) node = 2 * node + 1 + (tree >> node & 1);
  return node - (ways_ - 1);
}

void DramCache::touch(std::uint32_t slot) {
  std::uint64_t& tree = trees_[slot / ways_];
  for (unsigned node = slot % ways_ + ways_ - 1; node != 0;) {
    const unsigned parent = (node - 1) / 2;
    const bool from_left = node == 2 * parent + 1;
    tree = (tree & ~(std::uint64_t{1} << parent)) | std::uint64_t{from_left} << parent;
    node = parent;
  }
}

DramCache::Victim DramCache::victim(std::uint32_t first) const {
  const auto lowest = [&](auto fits) -> Victim {
    for (std::uint32_t way = 0; way < ways_; ++way) {
      if (fits(first + way)) return {.way = way};
    }
    return {.none = true};
  };
  const Victim empty = lowest([&](auto slot) { return granules_[slot] == kNone; });
  if (!empty.none) return empty;
  const Victim choice{.way = tree_choice(first)};
  const LineState& chosen = lines_[first + choice.way];
  if (!chosen.pinned && !chosen.is_protected) return choice;
  Victim other =
      lowest([&](auto slot) { return !lines_[slot].pinned && !lines_[slot].is_protected; });
  if (!other.none) {
    other.spares = !chosen.pinned;
    return other;
  }
  if (!chosen.pinned) return choice;
  return lowest([&](auto slot) { return !lines_[slot].pinned; });
}

// The line is there, filled or not.
LookupOutcome DramCache::find(const Lookup& what, std::uint32_t slot) const {
  LookupOutcome out{.slot = slot};
  const LineState& line = lines_[slot];
  const Mshr& mshr = mshrs_[line.mshr];
  if (!line.pinned || mshr.filled) {
    out.result = Result::Hit;
  } else if (what.write ? what.early || open_.has(line.mshr)
                        : !what.spec && (mshr.complete >> what.offset & 1) != 0) {
    out.result = Result::Held;
  } else {
    out.result = open_.has(line.mshr) ? Result::Start : Result::Merge;
    out.mshr = line.mshr;
  }
  const bool served = out.result == Result::Hit || out.result == Result::Held;
  const bool starts = out.result == Result::Start;
  if (what.spec) {
    out.events = event_bit(starts ? Event::SpecFill : Event::SpecNeedless);
  } else {
    out.events = event_bit(served   ? Event::DemandHit
                           : starts ? Event::DemandFill
                                    : Event::DemandMerge);
  }
  return out;
}

LookupOutcome DramCache::replace(const Lookup& what, const Victim& victim) const {
  const unsigned mshr = live_.lowest_missing();
  if (victim.none || mshr >= mshr_count_) {
    if (!what.spec) return {.result = Result::Blocked};
    return {.result = Result::Drop, .events = event_bit(Event::SpecDrop)};
  }
  const bool opens = what.write && what.early;
  LookupOutcome out{.result = opens ? Result::Open : Result::Miss,
                    .slot = first_slot(what.granule) + victim.way,
                    .mshr = static_cast<std::uint8_t>(mshr)};
  out.events = event_bit(opens ? Event::Opened : what.spec ? Event::SpecFill : Event::DemandFill);
  if (granules_[out.slot] == kNone) return out;
  const LineState& goes = lines_[out.slot];
  out.write_back = goes.dirty;
  if (goes.dirty) out.victim_granule = granules_[out.slot];
  if (goes.unused) {
    out.events |= event_bit(Event::Unwanted);
  } else if (what.spec) {
    out.events |= event_bit(Event::Displaced);
  }
  return out;
}

LookupOutcome DramCache::peek(const Lookup& what) const {
  const std::uint32_t slot = slot_of_line(what.granule);
  return slot < lines_.size() ? find(what, slot) : replace(what, victim(first_slot(what.granule)));
}

LookupOutcome DramCache::lookup(const Lookup& what) {
  const std::uint32_t slot = slot_of_line(what.granule);
  if (slot < lines_.size()) {
    const LookupOutcome out = find(what, slot);
    use(what, out);
    return out;
  }
  const Victim goes = victim(first_slot(what.granule));
  const LookupOutcome out = replace(what, goes);
  if (out.result == Result::Miss || out.result == Result::Open) take(what, out, goes);
  return out;
}

void DramCache::use(const Lookup& what, const LookupOutcome& outcome) {
  LineState& line = lines_[outcome.slot];
  if (what.write) line.dirty = true;
  if (!what.spec && outcome.result != Result::Start) line.unused = line.is_protected = false;
  touch(outcome.slot);
  if (outcome.result == Result::Start) open_.erase(line.mshr);
  if (outcome.result == Result::Held && what.write) hold(what, line.mshr);
  const bool waits = outcome.result == Result::Merge || outcome.result == Result::Start;
  if (waits && !what.spec) ++mshrs_[line.mshr].waiters;
}

void DramCache::take(const Lookup& what, const LookupOutcome& outcome, const Victim& victim) {
  if (victim.spares) {
    const std::uint32_t first = first_slot(what.granule), spared = first + tree_choice(first);
    lines_[spared].is_protected = false;
    touch(spared);
  }
  touch(outcome.slot);
  granules_[outcome.slot] = what.granule;
  lines_[outcome.slot] = {.dirty = what.write,
                          .unused = what.spec,
                          .is_protected = what.spec,
                          .pinned = true,
                          .mshr = outcome.mshr};
  live_.insert(outcome.mshr);
  const bool opens = outcome.result == Result::Open;
  mshrs_[outcome.mshr] = {.slot = outcome.slot,
                          .waiters = static_cast<std::uint8_t>(!opens && !what.spec)};
  for (unsigned line = 0; line < lines_per_granule_; ++line) held(outcome.mshr, line) = 0;
  if (opens) {
    open_.insert(outcome.mshr);
    hold(what, outcome.mshr);
  }
}

void DramCache::hold(const Lookup& what, unsigned mshr) {
  held(mshr, what.offset) |= what.byte_enable;
  if (what.byte_enable == kAllHeld) mshrs_[mshr].complete |= bit(what.offset);
  written_ = Write{mshr, what.offset};
}

DramCache::Check DramCache::look_at_check() const {
  if (!written_ || !live_.has(written_->mshr) || mshrs_[written_->mshr].filled) return {};
  return {.valid = true,
          .complete = held(written_->mshr, written_->offset) == kAllHeld,
          .whole = held(written_->mshr, missing_line(written_->mshr)) == kAllHeld,
          .mshr = written_->mshr,
          .offset = written_->offset};
}

DramCache::Check DramCache::begin_check() {
  const Check check = look_at_check();
  written_.reset();
  return check;
}

bool DramCache::end_check(const Check& check) {
  if (!check.valid) return false;
  if (check.complete) {
    mshrs_[check.mshr].complete |= bit(check.offset);
  }
  if (!check.whole || !open_.has(check.mshr)) return false;
  free(check.mshr);
  return true;
}

unsigned DramCache::missing_line(unsigned mshr) const {
  unsigned line = 0;
  while (line + 1 < lines_per_granule_ && held(mshr, line) == kAllHeld) ++line;
  return line;
}

DramCache::Behind DramCache::behind() const {
  if (open_.size() == 0) return {};
  unsigned mshr = open_.lowest(behind_from_);
  if (mshr == kMaxMshrs) mshr = open_.lowest(0);
  const std::uint32_t slot = mshrs_[mshr].slot;
  return {true, static_cast<std::uint8_t>(mshr), slot, granules_[slot]};
}

void DramCache::take_behind() {
  const unsigned mshr = behind().mshr;
  open_.erase(mshr);
  behind_from_ = mshr + 1;
}

void DramCache::fill_done(unsigned mshr) {
  assert(live_.has(mshr) && !open_.has(mshr) && !mshrs_[mshr].filled);
  mshrs_[mshr].filled = true;
  free_if_done(mshr);
}

void DramCache::wake(unsigned mshr) {
  assert(live_.has(mshr) && mshrs_[mshr].filled && mshrs_[mshr].waiters != 0);
  --mshrs_[mshr].waiters;
  free_if_done(mshr);
}

void DramCache::free_if_done(unsigned mshr) {
  if (mshrs_[mshr].filled && mshrs_[mshr].waiters == 0) free(mshr);
}

void DramCache::free(unsigned mshr) {
  live_.erase(mshr);
  if (open_.has(mshr)) open_.erase(mshr);
  lines_[mshrs_[mshr].slot].pinned = false;
}

DramCache::Out DramCache::eval(const In& in) const {
  Out out;
  if (in.lookup_valid) {
    out.outcome = peek({in.granule, in.write, in.spec, in.offset, in.byte_enable, in.early});
  }
  out.mshr_used = mshr_used();
  out.open_count = open_count();
  out.behind = behind();
  const bool commit = in.lookup_valid && in.lookup_commit;
  if (commit) out.events = out.outcome.events;
  if (in.behind_take) out.events |= event_bit(Event::Behind);
  const Check check = look_at_check();
  const bool started =
      (commit && out.outcome.result == Result::Start && out.outcome.mshr == check.mshr) ||
      (in.behind_take && out.behind.mshr == check.mshr);
  if (check.whole && open_.has(check.mshr) && !started) out.events |= event_bit(Event::Whole);
  return out;
}

void DramCache::clock(const In& in) {
  const Check check = begin_check();
  if (in.lookup_valid && in.lookup_commit) {
    lookup({in.granule, in.write, in.spec, in.offset, in.byte_enable, in.early});
  }
  if (in.behind_take) take_behind();
  if (in.fill_done) fill_done(in.fill_mshr);
  if (in.wait_dec) wake(in.wait_mshr);
  end_check(check);
}

}  // namespace cxlgpu
