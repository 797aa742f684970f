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

// By result, Hit first.
constexpr DramEvents kOfDemand[kCacheResults] = {
    event_bit(Event::DemandHit), event_bit(Event::DemandMerge), event_bit(Event::DemandFill), 0, 0,
    event_bit(Event::DemandHit), event_bit(Event::DemandFill),  event_bit(Event::Opened)};
constexpr DramEvents kOfSpec[kCacheResults] = {
    event_bit(Event::SpecNeedless), event_bit(Event::SpecNeedless),
    event_bit(Event::SpecFill),     0,
    event_bit(Event::SpecDrop),     0,
    event_bit(Event::SpecFill),     0};

}  // namespace

DramCache::DramCache(unsigned sets_log2, unsigned ways, unsigned mshrs, unsigned lines)
    : ways_(ways),
      mshr_count_(mshrs),
      lines_per_granule_(lines),
      granules_(std::size_t{ways} << sets_log2, kNone),
      lines_(granules_.size()),
      trees_(std::size_t{1} << sets_log2),
      mshrs_(mshrs),
      held_(std::size_t{mshrs} * lines),
      complete_(held_.size()) {
  for (unsigned mshr = 0; mshr < mshrs; ++mshr) free_.insert(mshr);
}

std::uint32_t DramCache::first_slot(std::uint64_t granule) const {
  const std::uint64_t hash = granule ^ granule >> 5 ^ granule >> 10 ^ granule >> 15;
  return static_cast<std::uint32_t>(hash & (trees_.size() - 1)) * ways_;
}

// A bit of 0 says left, the lower ways.
std::uint32_t DramCache::tree_choice(std::uint32_t first) const {
  const std::uint64_t tree = trees_[first / ways_];
  unsigned node = 0;
  while (node < ways_ - 1) node = 2 * node + 1 + (tree >> node & 1);
  return first + node - (ways_ - 1);
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

std::optional<std::uint32_t> DramCache::victim(std::uint32_t first) const {
  const auto lowest = [&](auto fits) -> std::optional<std::uint32_t> {
    for (std::uint32_t slot = first; slot < first + ways_; ++slot) {
      if (fits(slot)) return slot;
    }
    return std::nullopt;
  };
  const auto unpinned = [this](auto slot) { return !lines_[slot].pinned; };
  const auto free_to_go = [&](auto slot) { return unpinned(slot) && !lines_[slot].is_protected; };
  if (const auto slot = lowest([&](auto s) { return granules_[s] == kNone; })) return slot;
  const std::uint32_t choice = tree_choice(first);
  if (free_to_go(choice)) return choice;
  if (const auto slot = lowest(free_to_go)) return slot;
  return unpinned(choice) ? choice : lowest(unpinned);
}

// Of a line that is there.
CacheResult DramCache::result(const Lookup& what, const LineState& line) const {
  const Mshr& mshr = mshrs_[line.mshr];
  if (!line.pinned || mshr.filled) return Result::Hit;
  const bool open = open_.has(line.mshr);
  const bool held =
      what.write ? what.early || open
                 : !what.spec && complete_[line.mshr * lines_per_granule_ + what.offset] != 0;
  if (held) return Result::Held;
  return open ? Result::Start : Result::Merge;
}

LookupOutcome DramCache::peek(const Lookup& what) const {
  LookupOutcome out;
  const std::uint32_t first = first_slot(what.granule);
  std::uint32_t slot = first;
  while (slot < first + ways_ && granules_[slot] != what.granule) ++slot;
  const DramEvents* events = what.spec ? kOfSpec : kOfDemand;
  if (slot < first + ways_) {
    out.slot = slot;
    out.result = result(what, lines_[slot]);
    out.events = events[static_cast<std::size_t>(out.result)];
    if (out.result == Result::Merge || out.result == Result::Start) out.mshr = lines_[slot].mshr;
    return out;
  }
  const auto goes = victim(first);
  if (!goes || free_.size() == 0) {
    out.result = what.spec ? Result::Drop : Result::Blocked;
    out.events = events[static_cast<std::size_t>(out.result)];
    return out;
  }
  out.slot = *goes;
  out.result = what.write && what.early ? Result::Open : Result::Miss;
  out.mshr = static_cast<std::uint8_t>(free_.lowest());
  out.events = events[static_cast<std::size_t>(out.result)];
  const LineState& line = lines_[out.slot];
  out.write_back = line.dirty;
  if (line.dirty) out.victim_granule = granules_[out.slot];
  if (line.unused) {
    out.events |= event_bit(Event::Unwanted);
  } else if (what.spec && granules_[out.slot] != kNone) {
    out.events |= event_bit(Event::Displaced);
  }
  return out;
}

LookupOutcome DramCache::lookup(const Lookup& what) {
  const LookupOutcome out = peek(what);
  if (out.result == Result::Blocked || out.result == Result::Drop) return out;
  LineState& line = lines_[out.slot];
  if (out.result == Result::Miss || out.result == Result::Open) {
    evict(out.slot);
    granules_[out.slot] = what.granule;
    line = {.unused = what.spec, .is_protected = what.spec, .pinned = true, .mshr = out.mshr};
    mshrs_[out.mshr] = {.slot = out.slot};
    free_.erase(out.mshr);
    std::fill_n(&held_[out.mshr * lines_per_granule_], lines_per_granule_, 0);
    std::fill_n(&complete_[out.mshr * lines_per_granule_], lines_per_granule_, 0);
  }
  touch(out.slot);
  if (what.write) line.dirty = true;
  if (!what.spec) line.unused = line.is_protected = false;
  if (out.result == Result::Open) open_.insert(out.mshr);
  if (out.result == Result::Start) open_.erase(out.mshr);
  if (out.result == Result::Open || (out.result == Result::Held && what.write)) {
    hold(what, line.mshr);
  } else if (out.result != Result::Hit && out.result != Result::Held && !what.spec) {
    ++mshrs_[out.mshr].waiters;
  }
  return out;
}

// The tree's choice is spared if another line goes because it is protected.
void DramCache::evict(std::uint32_t slot) {
  if (granules_[slot] == kNone) return;
  const std::uint32_t choice = tree_choice(slot - slot % ways_);
  if (choice == slot || lines_[choice].pinned) return;
  lines_[choice].is_protected = false;
  touch(choice);
}

void DramCache::hold(const Lookup& what, unsigned mshr) {
  held_[mshr * lines_per_granule_ + what.offset] |= what.byte_enable;
  if (what.byte_enable == kAllHeld) complete_[mshr * lines_per_granule_ + what.offset] = 1;
  written_ = Write{mshr, what.offset};
}

DramCache::Check DramCache::look_at_check() const {
  if (!written_ || free_.has(written_->mshr) || mshrs_[written_->mshr].filled) return {};
  return {.valid = true,
          .complete = held_[written_->mshr * lines_per_granule_ + written_->offset] == kAllHeld,
          .whole =
              held_[written_->mshr * lines_per_granule_ + missing_line(written_->mshr)] == kAllHeld,
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
    complete_[check.mshr * lines_per_granule_ + check.offset] = 1;
  }
  if (!check.whole || !open_.has(check.mshr)) return false;
  free(check.mshr);
  return true;
}

unsigned DramCache::missing_line(unsigned mshr) const {
  unsigned line = 0;
  while (line + 1 < lines_per_granule_ && held_[mshr * lines_per_granule_ + line] == kAllHeld)
    ++line;
  return line;
}

DramCache::Behind DramCache::behind() const {
  if (open_.size() == 0) return {};
  unsigned mshr = open_.lowest(behind_from_);
  if (mshr == kMaxMshrs) mshr = open_.lowest();
  const std::uint32_t slot = mshrs_[mshr].slot;
  return {true, static_cast<std::uint8_t>(mshr), slot, granules_[slot]};
}

void DramCache::take_behind() {
  const unsigned mshr = behind().mshr;
  open_.erase(mshr);
  behind_from_ = mshr + 1;
}

void DramCache::fill_done(unsigned mshr) {
  assert(!free_.has(mshr) && !open_.has(mshr) && !mshrs_[mshr].filled);
  mshrs_[mshr].filled = true;
  free_if_done(mshr);
}

void DramCache::wake(unsigned mshr) {
  assert(!free_.has(mshr) && mshrs_[mshr].filled && mshrs_[mshr].waiters != 0);
  --mshrs_[mshr].waiters;
  free_if_done(mshr);
}

void DramCache::free_if_done(unsigned mshr) {
  if (mshrs_[mshr].filled && mshrs_[mshr].waiters == 0) free(mshr);
}

void DramCache::free(unsigned mshr) {
  free_.insert(mshr);
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
