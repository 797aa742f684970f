// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Between the vendor block of a root port and the parts that it sets and shows.
//
// Purpose: what the port's twin and its event-driven model have in common of the block.
// Units:   as in regs/root_port.yaml.
// Errors:  none.
// Source:  regs/root_port.yaml.
#pragma once

#include <array>
#include <cstdint>

#include "common/counters.hpp"
#include "common/register_types.hpp"
#include "refmodel/root_port/ds_engine.hpp"
#include "refmodel/root_port/sr_reader.hpp"

namespace cxlgpu {

[[nodiscard]] inline SrModes modes_of(const regs::rp::PolicyReg& policy) {
  return {.length_enabled = policy.len_enable,
          .match_start = policy.match_start,
          .spec_64b = policy.spec_64b,
          .around = policy.around,
          .clip_log2 = policy.clip_log2,
          .other_ways = policy.ways};
}

inline void show(const SrCounters& counters, regs::rp::Regs& regs) {
  regs.loads_seen.count = counters.loads_seen;
  regs.issued.count = counters.issued;
  regs.ring_suppressed.count = counters.ring_suppressed;
  regs.halt_suppressed.count = counters.halt_suppressed;
  regs.spec_requested.count = counters.requested;
  regs.spec_lines_used.count = counters.lines_used;
  regs.spec_useful_granules.count = counters.useful_granules;
  regs.spec_useless_granules.count = counters.useless_granules;
  regs.spec_issued_late.count = counters.issued_late;
  regs.score_suppressed.count = counters.score_suppressed;
}

inline void show(const HintCounters& counters, regs::rp::Regs& regs) {
  regs.hint_granules.count = counters.granules;
  regs.hint_issued.count = counters.issued;
  regs.hint_dropped.count = counters.dropped;
}

inline void count(const DsEvents& events, regs::rp::Regs& regs) {
  regs.ds_direct.count += events.direct ? 1 : 0;
  regs.ds_deferred.count += events.deferred ? 1 : 0;
  regs.ds_in_place.count += events.in_place ? 1 : 0;
  regs.ds_flushed.count += events.flushed ? 1 : 0;
  regs.ds_load_hit.count += events.hit ? 1 : 0;
  regs.ds_load_merged.count += events.merge ? 1 : 0;
  regs.ds_filter_false.count += events.false_hit ? 1 : 0;
  regs.ds_no_slot.count += events.full ? 1 : 0;
  regs.ds_write_errors.count += events.error ? 1 : 0;
  regs.ds_refused.count += events.refused ? 1 : 0;
}

// By DevLoad, as DsPace (DsIntervalReg) and HintQueue (HintControlReg) take them.
template <typename Register>
[[nodiscard]] std::array<std::uint8_t, 4> intervals(const Register& r) {
  const auto log2 = [](std::uint32_t field) { return static_cast<std::uint8_t>(field); };
  return {log2(r.light), log2(r.optimal), log2(r.moderate), log2(r.severe)};
}

// Byte address of the region in local memory.
[[nodiscard]] inline std::uint64_t region_base(const regs::rp::Regs& regs) {
  return std::uint64_t{regs.ds_base_high.word()} << 32 | regs.ds_base_low.word();
}

}  // namespace cxlgpu
