// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "model/prefetch/prefetch_reader.hpp"

#include <algorithm>

#include "model/prefetch/access_map.hpp"
#include "model/prefetch/best_offset.hpp"
#include "model/prefetch/footprint.hpp"
#include "model/prefetch/stride.hpp"

namespace cxlgpu {

std::unique_ptr<Prefetcher> make_prefetcher(SrPolicy policy) {
  switch (policy) {
    case SrPolicy::Stride:
      return std::make_unique<StridePrefetcher>();
    case SrPolicy::BestOffset:
      return std::make_unique<BestOffsetPrefetcher>();
    case SrPolicy::AccessMap:
      return std::make_unique<AccessMapPrefetcher>();
    case SrPolicy::Footprint:
      return std::make_unique<FootprintPrefetcher>();
    default:
      return nullptr;
  }
}

void PrefetchReader::look(const Load& load, const SrModes& modes, RingBuffer& ring) {
  const std::uint64_t granule = load.line >> 2;
  const bool there = ring.contains(granule);
  bool first = true;
  for (std::uint64_t line = granule << 2; there && line < (granule + 1) << 2; ++line) {
    first &= !ring.line_used(line);
  }
  const bool covered = modes.spec_64b ? ring.line_used(load.line) : there;
  counters_.lines_used += ring.use(load.line);
  ++counters_.loads_seen;
  if (!there) time(load.line, load.cycle);
  const PortSpace space(modes.clip_log2, modes.other_ways);
  policy_->learn(
      {.line = space.to_port(granule) << 2 | (load.line & 3), .first = first, .cycle = load.cycle});
  line_ = load.line;
  slot_ = load.slot;
  slot_held_ = true;
  if (load.halted) {
    ++counters_.halt_suppressed;
    return;
  }
  gather(load, modes, ring, !covered && !load.at_head);
  make_runs(modes);
  counters_.ring_suppressed += runs_.empty();
}

// The own granule first, then what is predicted and new.
void PrefetchReader::gather(const Load& load, const SrModes& modes, const RingBuffer& ring,
                            bool own) {
  const std::uint64_t granule = load.line >> 2;
  wanted_.clear();
  if (!modes.spec_64b) {
    policy_->predict(wanted_);
    const PortSpace space(modes.clip_log2, modes.other_ways);
    for (std::uint64_t& there : wanted_) there = space.to_bus(there, granule);
    std::erase_if(wanted_, [&](std::uint64_t there) {
      return there == granule || there >= kGranules || ring.contains(there);
    });
  }
  if (own) wanted_.insert(wanted_.begin(), granule);
}

// The most wanted and its neighbours, then the most wanted that is left.
void PrefetchReader::make_runs(const SrModes& modes) {
  const unsigned log2 = modes.clip_log2 >= kNoClip ? kGranuleBits : modes.clip_log2;
  const unsigned cap = modes.with_length() ? cap_ : 1;
  while (!wanted_.empty()) {
    const std::uint64_t chunk = wanted_.front() >> log2;
    GranuleRun run{wanted_.front(), 0};
    wanted_.erase(wanted_.begin());
    const auto take = [&](std::uint64_t granule) {
      return granule >> log2 == chunk && run.len + 1 < cap && std::erase(wanted_, granule) != 0;
    };
    while (take(run.first + run.len + 1)) ++run.len;
    while (take(run.first - 1)) run = {run.first - 1, run.len + 1};
    runs_.push_back(run);
  }
}

void PrefetchReader::issued(bool halted, RingBuffer& ring) {
  const GranuleRun taken = run();
  const RingBuffer::Recorded told = ring.record(taken, line_);
  ++counters_.issued;
  counters_.requested += taken.len + 1;
  counters_.lines_used += told.own_use;
  counters_.useful_granules += told.useful;
  counters_.useless_granules += told.useless;
  counters_.issued_late += !slot_held_ && holds_own(taken);
  runs_.erase(runs_.begin());
  if (halted) runs_.clear();
  rests_ = issuing();
}

// One load at a time: what answers none is given up when it can be told no more.
void PrefetchReader::time(std::uint64_t line, std::uint64_t cycle) {
  if (!timed_ || cycle - timed_->cycle > kLongest) timed_ = {line, cycle};
}

void PrefetchReader::answered(std::uint64_t line, std::uint64_t cycle) {
  if (!timed_ || timed_->line != line) return;
  if (cycle - timed_->cycle <= kLongest) policy_->fetch_took(cycle - timed_->cycle);
  timed_.reset();
}

}  // namespace cxlgpu
