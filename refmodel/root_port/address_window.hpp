// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The address window: which 256 B granules to speculate on around one load.
//
// Purpose: start = load - granularity, moved up by what the memory queue already fetches; end =
//          load + granularity, moved down by what the SR queue will ask for itself; rounded to
//          granules and clamped to four of them, the load's own granule always inside; last,
//          clipped to the load's interleave chunk, since what lies beyond belongs to another port.
//          Around: the same mirrored if the loads fall, and to both sides if they do neither.
// Units:   lines (address[51:6]) in, granules (address[51:8]) out.
// Shapes:  entries come either as dense lists or as a table with a valid mask (bit i: line[i] is
//          valid), as the queues keep them.
// Errors:  none; granularity Halted counts as 256 B.
// Source:  docs/blocks/root_port/address_window.md.
#pragma once

#include <cstdint>
#include <span>

#include "common/policy.hpp"

namespace cxlgpu {

// Chunk of 2^clip_log2 granules; kNoClip: no interleave.
inline constexpr unsigned kNoClip = 15;
[[nodiscard]] constexpr GranuleRun clip_to_chunk(GranuleRun run, std::uint64_t line,
                                                 unsigned clip_log2) {
  if (clip_log2 >= kNoClip) return run;
  const std::uint64_t chunk = line / 4 >> clip_log2 << clip_log2;
  const std::uint64_t first = run.first < chunk ? chunk : run.first;
  const std::uint64_t chunk_last = chunk + (std::uint64_t{1} << clip_log2) - 1;
  const std::uint64_t last = run.first + run.len;
  return {first, static_cast<unsigned>((last < chunk_last ? last : chunk_last) - first)};
}

// Which entries move the ends: all (policy sr-paper), those inside and on their side (sr), or those
// by the direction of the loads (sr, around).
enum class WindowRule : std::uint8_t { Paper, Ahead, Around };

struct LineTable {
  const std::uint64_t* line = nullptr;
  std::uint64_t valid = 0;
};

// Untimed and cycle-exact at once: the block is combinational.
[[nodiscard]] GranuleRun compute_window(std::uint64_t line, Gran gran, WindowRule rule,
                                        std::span<const std::uint64_t> mem_lines,
                                        std::span<const std::uint64_t> sr_lines,
                                        unsigned clip_log2 = kNoClip);
[[nodiscard]] GranuleRun compute_window(std::uint64_t line, Gran gran, WindowRule rule,
                                        LineTable mem, LineTable sr, unsigned clip_log2 = kNoClip);

}  // namespace cxlgpu
