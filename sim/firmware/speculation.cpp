// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/speculation.hpp"

#include "common/register_types.hpp"

namespace cxlgpu {

namespace {

constexpr Time kBetweenReads = kCycle * 256;
constexpr Time kMostHeld = kCycle * 65 * 4096;  // granules of what the largest host bridge holds

}  // namespace

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

void end_hints(RegisterBus& bus, Engine& engine, unsigned ports, Time access) {
  namespace rp = regs::rp;
  for (unsigned port = 0; port < ports; ++port) {
    engine.advance_to(engine.now() + access);
    bus.write(RegisterSpace::RootPort, port, rp::kHintControl, rp::HintControlReg{}.word());
  }
  // A granule a cycle leaves the host bridge.
  const auto gone = [&] {
    std::uint32_t all = read_bridge_hints(bus).misses;
    for (unsigned port = 0; port < ports; ++port) all += read_hints(bus, port).granules;
    return all;
  };
  const Time limit = engine.now() + kMostHeld;
  for (std::uint32_t before = gone(); engine.now() < limit;) {
    engine.advance_to(engine.now() + kBetweenReads);
    const std::uint32_t now = gone();
    if (now == before) return;
    before = now;
  }
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
  return {.hints = read(hb::kHints), .lost = read(hb::kHintsLost), .misses = read(hb::kHintMisses)};
}

}  // namespace cxlgpu
