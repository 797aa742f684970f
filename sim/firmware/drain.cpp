// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/drain.hpp"

#include <fmt/format.h>

#include "common/register_types.hpp"

namespace cxlgpu {

namespace rp = regs::rp;

namespace {

constexpr Time kBetweenReads = kCycle * 256;

void set_fence(RegisterBus& bus, unsigned ports, bool fence) {
  for (unsigned port = 0; port < ports; ++port) {
    auto control = rp::DsControlReg::from(bus.read(RegisterSpace::RootPort, port, rp::kDsControl));
    control.fence = fence;
    bus.write(RegisterSpace::RootPort, port, rp::kDsControl, control.word());
  }
}

// The first port that is not empty, and its status.
std::optional<std::string> what_is_left(RegisterBus& bus, unsigned ports) {
  for (unsigned port = 0; port < ports; ++port) {
    const auto status =
        rp::DsStatusReg::from(bus.read(RegisterSpace::RootPort, port, rp::kDsStatus));
    if (status.empty) continue;
    return fmt::format("port {}: {} deferred stores are not at their endpoint{}", port,
                       status.count, status.error ? ", which has refused a write" : "");
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> drain_stores(RegisterBus& bus, Engine& engine, unsigned ports,
                                        Time limit) {
  set_fence(bus, ports, true);
  const Time end = engine.now() + limit;
  std::optional<std::string> left = what_is_left(bus, ports);
  for (bool moves = true; left && moves && engine.now() < end; left = what_is_left(bus, ports)) {
    const Time before = engine.now();
    engine.advance_to(before + kBetweenReads);
    moves = engine.now() != before;
  }
  set_fence(bus, ports, false);
  return left;
}

}  // namespace cxlgpu
