// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Policy and granularity of a root port's speculative reads.
//
// Purpose: the two encodings that the root port's blocks share (vendor registers at +0x800).
// Units:   a granule is 256 B (address[51:8]), a line 64 B (address[51:6]).
// Source:  docs/blocks/root_port/load_control.md; docs/registers.md, "Root port vendor block".
#pragma once

#include <cstdint>

namespace cxlgpu {

enum class SrPolicy : std::uint8_t {
  Off = 0,      // plain CXL
  Naive = 1,    // 64 B for every load, no ring buffer
  Dyn = 2,      // DevLoad sets the size, the window starts at the load
  SrPaper = 3,  // address window, every queue entry counts
  Sr = 4,       // address window, only entries inside it and on their side
  Stream = 5,   // streams told apart by region, next region ahead
  // Published prefetchers, in the event-driven model alone (model/prefetch). They are no values of
  // the register, which says off for them.
  Stride = 6,
  BestOffset = 7,
  AccessMap = 8,
  Footprint = 9,
  Own = 10  // of a program that links the library (api/), by the name that it gave it
};

[[nodiscard]] constexpr bool is_model_only(SrPolicy policy) {
  return policy > SrPolicy::Stream;
}

// Which MemSpecRd cover a load: any that reached its granule, or those made for this granule.
enum class RingMatch : std::uint8_t { Coverage, Start };

// Where the window of policy sr aims: ahead, or where the queues say that the loads go.
enum class SrWindow : std::uint8_t { Ahead, Around };

enum class Gran : std::uint8_t { B64 = 0, B256 = 1, B512 = 2, B768 = 3, B1024 = 4, Halted = 5 };

// 256 B granules that a state asks for; 64 B counts as one, halted as none.
[[nodiscard]] constexpr unsigned granules_of(Gran gran) {
  if (gran == Gran::Halted) return 0;
  return gran == Gran::B64 ? 1u : static_cast<unsigned>(gran);
}

// A run of granules: what one MemSpecRd asks for.
struct GranuleRun {
  std::uint64_t first = 0;
  unsigned len = 0;  // granules - 1
  bool operator==(const GranuleRun&) const = default;
};
inline constexpr unsigned kMaxRun = 4;  // granules

// At most `cap` granules of it: the upper ones, as far as `own`, which it holds, is among them.
[[nodiscard]] constexpr GranuleRun shorten(GranuleRun run, std::uint64_t own, unsigned cap) {
  if (run.len < cap) return run;
  const std::uint64_t upper = run.first + run.len + 1 - cap;
  return {upper < own ? upper : own, cap - 1};
}

}  // namespace cxlgpu
