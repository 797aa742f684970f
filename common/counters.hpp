// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What engines count of a run, each in the same way: speculation and hints of a
// root port, hints of the host bridge, flits of a link.
//
// Purpose: handed from the engines to the report; a run on RTL and one on the model fill the same.
// Units:   SrCounters: loads, MemSpecRd, granules (256 B), lines (64 B), 32 bits that wrap;
//          LinkCounters: flits.
#pragma once

#include <cstdint>

namespace cxlgpu {

// Named as the registers, ports and stats.json name them.
struct SrCounters {
  std::uint32_t loads_seen = 0, issued = 0;
  std::uint32_t ring_suppressed = 0, halt_suppressed = 0;  // loads without a MemSpecRd
  std::uint32_t requested = 0;                             // granules
  std::uint32_t lines_used = 0;        // lines of them that a load used, each once
  std::uint32_t useful_granules = 0;   // that left the ring, with a line used
  std::uint32_t useless_granules = 0;  // or with none
  std::uint32_t issued_late = 0;       // MemSpecRd for a load's own granule after it had left
  std::uint32_t score_suppressed = 0;  // predictions that the stream table did not request
  bool operator==(const SrCounters&) const = default;
};

// Hints of kernels, at a root port: granules of 256 B, MemSpecRd, granules.
struct HintCounters {
  std::uint32_t granules = 0, issued = 0, dropped = 0;
  bool operator==(const HintCounters&) const = default;
};
// At the host bridge: hints, hints, granules that no root port serves.
struct BridgeHintCounters {
  std::uint32_t hints = 0, lost = 0, misses = 0;
  bool operator==(const BridgeHintCounters&) const = default;
};

// Flits of one direction from the run's time 0 until the link is quiet after its last request. Each
// is of one class, so that the classes add up to `all`.
struct LinkCounters {
  std::uint64_t all = 0;
  std::uint64_t protocol = 0, all_data = 0, llcrd = 0;  // accepted
  std::uint64_t retry = 0;                              // RETRY.Idle, Req, Ack, Frame
  std::uint64_t damaged = 0;                            // of any kind
  std::uint64_t discarded = 0;     // undamaged, behind a damaged one; they come once more
  std::uint64_t io = 0, almp = 0;  // CXL.io; messages of the ARB/MUXes
  std::uint64_t other = 0;         // INIT.Param, null flits and what is not known
  // Not of the run: before its time 0, and while its counters are read at the end.
  std::uint64_t bring_up = 0, read_out = 0;
};

// Flits of one link, both directions, as every engine counts them.
struct LinkTotals {
  LinkCounters m2s, s2m;
};

}  // namespace cxlgpu
