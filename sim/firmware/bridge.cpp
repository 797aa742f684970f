// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/bridge.hpp"

#include <fmt/format.h>

namespace cxlgpu {

using namespace config_header;

namespace {

constexpr std::uint32_t kBuses = 0x18, kMemoryWindow = 0x20, kPrefetchable = 0x24,
                        kPreBaseHigh = 0x28, kPreLimitHigh = 0x2c;
constexpr std::uint32_t kBridgeClass = 0x060400;
constexpr unsigned kBridgeHeader = 1;
constexpr std::uint8_t kPcieCapability = 0x10;
constexpr unsigned kRootPortType = 4;        // of PCI Express capabilities
constexpr std::uint32_t kLinkStatus = 0x12;  // in the capability
constexpr std::uint32_t kDataLinkActive = 1u << 13;
// A read takes some ten cycles, a link that is there comes up within microseconds.
constexpr unsigned kLinkPolls = 5000;

constexpr std::uint16_t kCxlPort = 3, kTimeoutId = 9;

// Limit below base: closed.
constexpr std::uint32_t kClosed = 0x0000'fff0;
constexpr std::uint32_t window(std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return kClosed;
  const std::uint64_t base = begin >> 20, limit = (end - 1) >> 20;
  return static_cast<std::uint32_t>(limit << 20 | base << 4);
}

}  // namespace

void BridgeSetUp::identify() {
  if (!function_.identify()) {
    function_.refuse(fmt::format("nobody answers at bus 0, device {}", function_.io().number()),
                     "lower system.ports");
  }
  const std::uint32_t kind = function_.class_code();
  const unsigned header = function_.header_type();
  if (kind != kBridgeClass || header != kBridgeHeader) {
    function_.refuse(
        fmt::format("device {} of class {:06x}h with a type {} header is no bridge",
                    function_.name(), kind, header),
        fmt::format("it has to be of class {:06x}h, type {}", kBridgeClass, kBridgeHeader));
  }
}

void BridgeSetUp::wait_for_link() {
  const auto pcie = function_.capability(kPcieCapability);
  if (!pcie) function_.refuse("it has no PCI Express capability");
  const unsigned type = function_.read16(*pcie + 2) >> 4 & 0xf;
  if (type != kRootPortType) {
    function_.refuse(fmt::format("it is no root port (PCI Express type {})", type));
  }
  for (unsigned poll = 0; poll < kLinkPolls; ++poll) {
    if ((function_.read16(*pcie + kLinkStatus) & kDataLinkActive) != 0) return;
  }
  function_.refuse("no endpoint (the CXL.io link does not come up)",
                   "connect one or lower system.ports");
}

void BridgeSetUp::set_up(MmioSpace& space) {
  identify();
  function_.find_dvsecs();
  (void)function_.require_dvsec(kCxlPort, "CXL extensions for ports");
  wait_for_link();
  function_.require_cxl_mem();
  function_.write(kCommand, 0);  // nothing decodes while BARs are sized
  const std::uint32_t below = bus_below(function_.io().number());
  function_.write(kBuses, below << 16 | below << 8);
  block_ = function_.component_block(space);
}

RootPortInfo BridgeSetUp::open(std::uint64_t begin, std::uint64_t end) {
  function_.write(kMemoryWindow, window(begin, end));
  function_.write(kPrefetchable, kClosed);
  function_.write(kPreBaseHigh, 0xffff'ffff);
  function_.write(kPreLimitHigh, 0);
  function_.write(kCommand, kMemorySpace | kBusMaster);
  return {function_.io().number(), function_.vendor(), function_.device(),
          function_.structure(block_, kTimeoutId, "time-out and isolation")};
}

}  // namespace cxlgpu
