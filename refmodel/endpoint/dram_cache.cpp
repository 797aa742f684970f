// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/endpoint/dram_cache.hpp"

#include <bit>
#include <cassert>

namespace cxlgpu {

DramCache::DramCache(unsigned sets_log2, unsigned ways, unsigned mshrs, unsigned lines)
    : ways_(ways),
      ways_log2_(static_cast<unsigned>(std::countr_zero(ways))),
      set_mask_((std::uint64_t{1} << sets_log2) - 1),
      mshr_count_(mshrs),
      lines_((std::size_t{1} << sets_log2) * ways),
      plru_(std::size_t{1} << sets_log2),
      last_behind_(mshrs - 1),
      lines_of_granule_(lines),
      held_(std::size_t{mshrs} * lines),
      complete_(std::size_t{mshrs} * lines) {
  assert(std::has_single_bit(ways) && ways >= 2 && ways <= 16 && mshrs <= kMaxMshrs);
  // Heap order: children of node n are 2n + 1 (lower ways) and 2n + 2.
  for (unsigned way = 0; way < ways; ++way) {
    unsigned node = 0;
    for (unsigned level = ways_log2_; level-- > 0;) {
      const unsigned right = (way >> level) & 1;
      path_[way] |= static_cast<std::uint16_t>(1u << node);
      if (right == 0) away_[way] |= static_cast<std::uint16_t>(1u << node);
      node = 2 * node + 1 + right;
    }
  }
}

unsigned DramCache::plru_way(std::uint32_t set) const {
  unsigned node = 0;
  for (unsigned level = 0; level < ways_log2_; ++level) {
    node = 2 * node + 1 + ((plru_[set] >> node) & 1u);
  }
  return node - (ways_ - 1);
}

void DramCache::touch(std::uint32_t slot) {
  const std::uint32_t way = slot & (ways_ - 1);
  std::uint16_t& tree = plru_[slot >> ways_log2_];
  tree = static_cast<std::uint16_t>((tree & ~path_[way]) | away_[way]);
}

DramCache::Victim DramCache::victim(std::uint32_t first) const {
  const unsigned choice = plru_way(first >> ways_log2_);
  int wanted = -1, unpinned = -1;  // lowest way that may go: one that was wanted, any
  for (unsigned way = ways_; way-- > 0;) {
    const LineState& line = lines_[first + way];
    if (pinned(first + way)) continue;
    unpinned = static_cast<int>(way);
    if (!line.fresh) wanted = unpinned;
  }
  for (unsigned way = 0; way < ways_; ++way) {
    if (!lines_[first + way].valid) return {static_cast<int>(way), -1};
  }
  if (pinned(first + choice)) return {wanted >= 0 ? wanted : unpinned, -1};
  const int chosen = static_cast<int>(choice);
  if (!lines_[first + choice].fresh || wanted < 0) return {chosen, -1};
  return {wanted, chosen};
}

unsigned DramCache::lowest_free_mshr() const {
  unsigned mshr = 0;
  while (live_[mshr]) ++mshr;
  return mshr;
}

LookupOutcome DramCache::peek(const Lookup& what) const {
  const std::uint64_t granule = what.granule;
  const bool spec = what.spec;
  LookupOutcome out;
  const std::uint32_t first = first_slot(granule);
  for (std::uint32_t slot = first; slot < first + ways_; ++slot) {
    const LineState& line = lines_[slot];
    if (!line.valid || line.granule != granule) continue;
    const bool pending = line.mshr != kNoMshr && !mshrs_[line.mshr].filled;
    out.slot = slot;
    if (pending) {
      const bool open = open_[line.mshr];
      const bool held = what.write
                            ? what.early || open
                            : !spec && complete_[line.mshr * lines_of_granule_ + what.offset];
      if (held || open) {
        out.result = held ? CacheResult::Held : CacheResult::Start;
        if (!held) out.mshr = static_cast<std::uint8_t>(line.mshr);
        out.events = event_bit(spec   ? DramEvent::SpecFill
                               : held ? DramEvent::DemandHit
                                      : DramEvent::DemandFill);
        return out;
      }
    }
    out.result = pending ? CacheResult::Merge : CacheResult::Hit;
    if (pending) out.mshr = static_cast<std::uint8_t>(line.mshr);
    out.events = event_bit(spec      ? DramEvent::SpecNeedless
                           : pending ? DramEvent::DemandMerge
                                     : DramEvent::DemandHit);
    return out;
  }
  const int way = used_ < mshr_count_ ? victim(first).way : -1;
  if (way < 0) {
    out.result = spec ? CacheResult::Drop : CacheResult::Blocked;
    if (spec) out.events = event_bit(DramEvent::SpecDrop);
    return out;
  }
  const bool opens = what.write && what.early;
  out.result = opens ? CacheResult::Open : CacheResult::Miss;
  out.slot = first + static_cast<std::uint32_t>(way);
  out.mshr = static_cast<std::uint8_t>(lowest_free_mshr());
  const LineState& old = lines_[out.slot];
  out.write_back = old.valid && old.dirty;
  if (out.write_back) out.victim_granule = old.granule;
  out.events = event_bit(opens  ? DramEvent::Opened
                         : spec ? DramEvent::SpecFill
                                : DramEvent::DemandFill);
  if (old.valid && old.unwanted) out.events |= event_bit(DramEvent::Unwanted);
  if (old.valid && !old.unwanted && spec) out.events |= event_bit(DramEvent::Displaced);
  return out;
}

void DramCache::hold(unsigned mshr, unsigned offset, std::uint64_t byte_enable) {
  const std::size_t at = std::size_t{mshr} * lines_of_granule_ + offset;
  held_[at] |= byte_enable;
  if (byte_enable == kAllBytes) complete_[at] = true;
  check_ = {.valid = true, .mshr = mshr, .offset = offset};
}

DramCache::Check DramCache::look_at_check() const {
  Check check = check_;
  check.valid = check.valid && live_[check.mshr] && !mshrs_[check.mshr].filled;
  if (!check.valid) return {};
  const std::size_t first = std::size_t{check.mshr} * lines_of_granule_;
  check.complete = held_[first + check.offset] == kAllBytes;
  check.whole = open_[check.mshr];
  for (std::size_t i = first; i < first + lines_of_granule_; ++i) {
    check.whole &= held_[i] == kAllBytes;
  }
  return check;
}

DramCache::Check DramCache::begin_check() {
  const Check check = look_at_check();
  check_ = {};
  return check;
}

bool DramCache::end_check(const Check& check) {
  if (!check.valid) return false;
  if (check.complete) complete_[check.mshr * lines_of_granule_ + check.offset] = true;
  if (!check.whole || !open_[check.mshr]) return false;
  release(check.mshr);
  return true;
}

DramCache::Behind DramCache::behind() const {
  if (opened_ == 0) return {};
  unsigned mshr = last_behind_;
  do {
    mshr = mshr + 1 == mshr_count_ ? 0 : mshr + 1;
  } while (!open_[mshr]);
  const std::uint32_t slot = mshrs_[mshr].slot;
  return {true, static_cast<std::uint8_t>(mshr), slot, lines_[slot].granule};
}

void DramCache::take_behind() {
  last_behind_ = behind().mshr;
  set_open(last_behind_, false);
}

LookupOutcome DramCache::lookup(const Lookup& what) {
  const std::uint64_t granule = what.granule;
  const bool write = what.write, spec = what.spec;
  const LookupOutcome out = peek(what);
  if (out.result == CacheResult::Blocked || out.result == CacheResult::Drop) return out;
  LineState& line = lines_[out.slot];
  if (out.result == CacheResult::Miss || out.result == CacheResult::Open) {
    const std::uint32_t first = out.slot & ~(ways_ - 1);
    if (const int old = victim(first).passed_over; old >= 0) {
      const std::uint32_t slot = first + static_cast<std::uint32_t>(old);
      lines_[slot].fresh = false;
      touch(slot);
    }
    line = {granule, true, false, spec, spec, out.mshr};
    mshrs_[out.mshr] = {out.slot, 0, false};
    live_[out.mshr] = true;
    set_open(out.mshr, out.result == CacheResult::Open);
    for (std::size_t i = 0; i < lines_of_granule_; ++i) {
      held_[out.mshr * std::size_t{lines_of_granule_} + i] = 0;
      complete_[out.mshr * std::size_t{lines_of_granule_} + i] = false;
    }
    ++used_;
  }
  if (out.result == CacheResult::Start) set_open(out.mshr, false);
  if (write && (out.result == CacheResult::Held || out.result == CacheResult::Open)) {
    hold(line.mshr, what.offset, what.byte_enable);
  }
  const bool waits = out.result == CacheResult::Merge || out.result == CacheResult::Miss ||
                     out.result == CacheResult::Start;
  if (waits && !spec) ++mshrs_[out.mshr].waiters;
  if (!spec) line.fresh = line.unwanted = false;
  line.dirty |= write;
  touch(out.slot);
  return out;
}

void DramCache::free_if_done(unsigned mshr) {
  if (mshrs_[mshr].filled && mshrs_[mshr].waiters == 0) release(mshr);
}

void DramCache::set_open(unsigned mshr, bool open) {
  if (open_[mshr] == open) return;
  open_[mshr] = open;
  open ? ++opened_ : --opened_;
}

void DramCache::release(unsigned mshr) {
  set_open(mshr, false);
  lines_[mshrs_[mshr].slot].mshr = kNoMshr;
  live_[mshr] = false;
  --used_;
}

void DramCache::fill_done(unsigned mshr) {
  assert(live_[mshr] && !open_[mshr] && !mshrs_[mshr].filled);
  mshrs_[mshr].filled = true;
  free_if_done(mshr);
}

void DramCache::wake(unsigned mshr) {
  assert(live_[mshr] && mshrs_[mshr].waiters > 0);
  --mshrs_[mshr].waiters;
  free_if_done(mshr);
}

DramCache::Out DramCache::eval(const In& in) const {
  const LookupOutcome found = in.lookup_valid ? peek(lookup_of(in)) : LookupOutcome{};
  const Behind next = behind();
  DramEvents events = in.lookup_commit ? found.events : DramEvents{0};
  if (in.behind_take) events |= event_bit(DramEvent::Behind);
  if (const Check check = look_at_check(); check.whole) {
    const bool started = in.lookup_valid && in.lookup_commit &&
                         found.result == CacheResult::Start && found.mshr == check.mshr;
    const bool taken = in.behind_take && next.mshr == check.mshr;
    if (!started && !taken) events |= event_bit(DramEvent::Whole);
  }
  return {found, used_, open_count(), next, events};
}

void DramCache::clock(const In& in) {
  // The lookup sees the state before the edge: first.
  const Check check = begin_check();
  if (in.lookup_valid && in.lookup_commit) lookup(lookup_of(in));
  if (in.behind_take) take_behind();
  end_check(check);
  if (in.fill_done) fill_done(in.fill_mshr);
  if (in.wait_dec) wake(in.wait_mshr);
}

}  // namespace cxlgpu
