// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/speculation.hpp"

#include "common/registers.hpp"

namespace cxlgpu {

SrCounters read_speculation(RegisterBus& bus, unsigned port) {
  namespace rp = regs::rp;
  const auto read = [&](std::uint32_t offset) {
    return bus.read(RegisterSpace::RootPort, port, offset);
  };
  return {.loads = read(rp::kSeen),
          .issued = read(rp::kIssued),
          .covered = read(rp::kRingSuppressed),
          .halted = read(rp::kHaltSuppressed),
          .asked = read(rp::kSpecAsked),
          .used = read(rp::kSpecUsed),
          .useful = read(rp::kSpecUseful),
          .useless = read(rp::kSpecUseless),
          .late = read(rp::kSpecLate),
          .held = read(rp::kScoreSuppressed)};
}

}  // namespace cxlgpu
