// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/internal_dram.hpp"

#include "common/registers.hpp"
#include "sim/firmware/io_port.hpp"

namespace cxlgpu {

std::optional<InternalDramCounters> read_internal_dram(RegisterBus& bus,
                                                       const EndpointInfo& endpoint) {
  namespace ep = regs::ep;
  IoPort io(bus, endpoint.port);
  bool answered = true;
  const auto read = [&](std::uint32_t offset) -> std::uint32_t {
    if (!answered) return 0;
    const IoResponse response = io.request({.op = IoOp::kMemRd,
                                            .addr = endpoint.vendor_base + (offset - ep::kBlock),
                                            .enables = IoPort::kAllBytes});
    answered = response.status == CplStatus::kSuccess;
    return response.data;
  };
  const InternalDramCounters counters{.demand_hits = read(ep::kDemandHits),
                                      .demand_merges = read(ep::kDemandMerges),
                                      .demand_fills = read(ep::kDemandFills),
                                      .spec_fills = read(ep::kSpecFills),
                                      .spec_needless = read(ep::kSpecNeedless),
                                      .spec_dropped = read(ep::kSpecDropped),
                                      .spec_evicted_unused = read(ep::kSpecEvictedUnused),
                                      .spec_displaced = read(ep::kSpecDisplaced),
                                      .opened = read(ep::kOpened),
                                      .filled_behind = read(ep::kFilledBehind),
                                      .made_whole = read(ep::kMadeWhole)};
  if (!answered) return std::nullopt;
  return counters;
}

}  // namespace cxlgpu
