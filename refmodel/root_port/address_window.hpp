// The address window: which 256 B granules to speculate on around one load.
//
// Purpose: start = load - granularity, moved up by what the memory queue already fetches; end =
// load
//          + granularity, moved down by what the SR queue will ask for itself; rounded to granules
//          and clamped to four of them, the load's own granule always inside.
// Units:   lines (address[51:6]) in, granules (address[51:8]) out.
// Shapes:  entries come either as dense lists or as a table with a valid mask (bit i: line[i] is
//          valid), as the queues keep them.
// Errors:  none; granularity Halted counts as 256 B.
// Source:  docs/blocks.md, "address_window"; design page, "Address window".
#pragma once

#include <cstdint>
#include <span>

#include "refmodel/root_port/policy.hpp"

namespace cxlgpu {

struct LineTable {
  const std::uint64_t* line = nullptr;
  std::uint64_t valid = 0;
};

// Untimed and cycle-exact at once: the block is combinational.
[[nodiscard]] GranuleRun compute_window(std::uint64_t line, Gran gran, bool directional,
                                        std::span<const std::uint64_t> mem_lines,
                                        std::span<const std::uint64_t> sr_lines);
[[nodiscard]] GranuleRun compute_window(std::uint64_t line, Gran gran, bool directional,
                                        LineTable mem, LineTable sr);

}  // namespace cxlgpu
