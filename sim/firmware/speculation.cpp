// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/speculation.hpp"

#include "common/register_types.hpp"

namespace cxlgpu {

void set_up_hints(RegisterBus& bus, unsigned port, const RootPortConfig& config) {
  namespace rp = regs::rp;
  const auto code = [&](std::size_t level) {
    return static_cast<std::uint32_t>(config.hint_interval[level]);
  };
  bus.write(RegisterSpace::RootPort, port, rp::kHintControl,
            rp::HintControlReg{.light = code(0),
                               .optimal = code(1),
                               .moderate = code(2),
                               .severe = code(3),
                               .enable = config.hints}
                .word());
}

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

HintCounters read_hints(RegisterBus& bus, unsigned port) {
  namespace rp = regs::rp;
  const auto read = [&](std::uint32_t offset) {
    return bus.read(RegisterSpace::RootPort, port, offset);
  };
  return {.granules = read(rp::kHintGranules),
          .issued = read(rp::kHintIssued),
          .dropped = read(rp::kHintDropped)};
}

BridgeHintCounters read_bridge_hints(RegisterBus& bus) {
  namespace hb = regs::hb;
  const auto read = [&](std::uint32_t offset) {
    return bus.read(RegisterSpace::HostBridge, 0, offset);
  };
  return {.hints = read(hb::kHints),
          .lost = read(hb::kHintsLost),
          .misses = read(hb::kHintMisses)};
}

}  // namespace cxlgpu
