// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/speculation.hpp"

#include "common/registers.hpp"

namespace cxlgpu {

SrCounters read_speculation(RegisterBus& bus, unsigned port) {
  namespace rp = regs::rp;
  const auto read = [&](std::uint32_t offset) {
    return bus.read(RegisterSpace::RootPort, port, offset);
  };
  return {.loads_seen = read(rp::kLoadsSeen),
          .issued = read(rp::kIssued),
          .ring_suppressed = read(rp::kRingSuppressed),
          .halt_suppressed = read(rp::kHaltSuppressed),
          .requested = read(rp::kSpecRequested),
          .lines_used = read(rp::kSpecLinesUsed),
          .useful_granules = read(rp::kSpecUsefulGranules),
          .useless_granules = read(rp::kSpecUselessGranules),
          .issued_late = read(rp::kSpecIssuedLate),
          .score_suppressed = read(rp::kScoreSuppressed)};
}

}  // namespace cxlgpu
