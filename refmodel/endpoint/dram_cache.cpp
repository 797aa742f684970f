// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/endpoint/dram_cache.hpp"

#include <bit>
#include <cassert>

namespace cxlgpu {

DramCache::DramCache(unsigned sets_log2, unsigned ways, unsigned mshrs)
    : ways_(ways),
      ways_log2_(static_cast<unsigned>(std::countr_zero(ways))),
      set_mask_((std::uint64_t{1} << sets_log2) - 1),
      mshr_count_(mshrs),
      lines_((std::size_t{1} << sets_log2) * ways),
      plru_(std::size_t{1} << sets_log2) {
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

LookupOutcome DramCache::peek(std::uint64_t granule, bool spec) const {
  LookupOutcome out;
  const std::uint32_t first = first_slot(granule);
  for (std::uint32_t slot = first; slot < first + ways_; ++slot) {
    const LineState& line = lines_[slot];
    if (!line.valid || line.granule != granule) continue;
    const bool pending = line.mshr != kNoMshr && !mshrs_[line.mshr].filled;
    out.result = pending ? CacheResult::Merge : CacheResult::Hit;
    out.slot = slot;
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
  out.result = CacheResult::Miss;
  out.slot = first + static_cast<std::uint32_t>(way);
  out.mshr = static_cast<std::uint8_t>(lowest_free_mshr());
  const LineState& old = lines_[out.slot];
  out.write_back = old.valid && old.dirty;
  if (out.write_back) out.victim_granule = old.granule;
  out.events = event_bit(spec ? DramEvent::SpecFill : DramEvent::DemandFill);
  if (old.valid && old.unwanted) out.events |= event_bit(DramEvent::Unwanted);
  if (old.valid && !old.unwanted && spec) out.events |= event_bit(DramEvent::Displaced);
  return out;
}

LookupOutcome DramCache::lookup(std::uint64_t granule, bool write, bool spec) {
  const LookupOutcome out = peek(granule, spec);
  if (out.result == CacheResult::Blocked || out.result == CacheResult::Drop) return out;
  LineState& line = lines_[out.slot];
  if (out.result == CacheResult::Miss) {
    const std::uint32_t first = out.slot & ~(ways_ - 1);
    if (const int old = victim(first).passed_over; old >= 0) {
      const std::uint32_t slot = first + static_cast<std::uint32_t>(old);
      lines_[slot].fresh = false;
      touch(slot);
    }
    line = {granule, true, false, spec, spec, out.mshr};
    mshrs_[out.mshr] = {out.slot, 0, false};
    live_[out.mshr] = true;
    ++used_;
  }
  if (out.result != CacheResult::Hit && !spec) ++mshrs_[out.mshr].waiters;
  if (!spec) line.fresh = line.unwanted = false;
  line.dirty |= write;
  touch(out.slot);
  return out;
}

void DramCache::free_if_done(unsigned mshr) {
  if (!mshrs_[mshr].filled || mshrs_[mshr].waiters != 0) return;
  lines_[mshrs_[mshr].slot].mshr = kNoMshr;
  live_[mshr] = false;
  --used_;
}

void DramCache::fill_done(unsigned mshr) {
  assert(live_[mshr] && !mshrs_[mshr].filled);
  mshrs_[mshr].filled = true;
  free_if_done(mshr);
}

void DramCache::wake(unsigned mshr) {
  assert(live_[mshr] && mshrs_[mshr].waiters > 0);
  --mshrs_[mshr].waiters;
  free_if_done(mshr);
}

DramCache::Out DramCache::eval(const In& in) const {
  const LookupOutcome found = in.lookup_valid ? peek(in.granule, in.spec) : LookupOutcome{};
  return {found, used_, in.lookup_commit ? found.events : DramEvents{0}};
}

void DramCache::clock(const In& in) {
  // The lookup sees the state before the edge: first.
  if (in.lookup_valid && in.lookup_commit) lookup(in.granule, in.write, in.spec);
  if (in.fill_done) fill_done(in.fill_mshr);
  if (in.wait_dec) wake(in.wait_mshr);
}

}  // namespace cxlgpu
