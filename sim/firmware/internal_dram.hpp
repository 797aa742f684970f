// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the internal DRAM of an endpoint has counted, by its vendor registers.
//
// Purpose: what became of MemSpecRd at the far end, from every engine in the same way.
// Units:   demand accesses (64 B), granules of MemSpecRd and lines (256 B); 32 bits, they wrap.
// Errors:  none if the endpoint does not answer: its link may be down.
// Source:  docs/blocks/endpoint/dram_cache.md, endpoint/endpoint_regs.md.
#pragma once

#include <cstdint>
#include <optional>

#include "common/register_bus.hpp"
#include "sim/firmware/enumerate.hpp"

namespace cxlgpu {

struct InternalDramCounters {
  std::uint32_t demand_hits = 0, demand_merges = 0, demand_fills = 0;
  std::uint32_t spec_fills = 0, spec_needless = 0, spec_dropped = 0;
  std::uint32_t spec_evicted_unused = 0;  // lines filled for MemSpecRd, evicted before any demand
  std::uint32_t spec_displaced = 0;       // other lines evicted by fills for MemSpecRd
  // Lines that stores opened; of them filled without a load, and made whole without a fill.
  std::uint32_t opened = 0, filled_behind = 0, made_whole = 0;
  bool operator==(const InternalDramCounters&) const = default;

  [[nodiscard]] std::uint64_t demands() const {
    return std::uint64_t{demand_hits} + demand_merges + demand_fills + opened;
  }
};

[[nodiscard]] std::optional<InternalDramCounters> read_internal_dram(RegisterBus& bus,
                                                                     const EndpointInfo& endpoint);

}  // namespace cxlgpu
