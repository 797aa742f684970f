// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/bridge.hpp"

#include <fmt/format.h>

namespace cxlgpu {

namespace header = regs::pci_header1;
namespace pcie = regs::pcie;
using namespace config_header;

namespace {

constexpr std::uint32_t kBridgeClass = 0x060400;
constexpr unsigned kBridgeHeader = 1;
constexpr std::uint8_t kPcieCapability = pcie::CapHeaderReg{}.id;
constexpr unsigned kRootPortType = 4;  // of PCI Express capabilities
// A read takes some ten cycles, a link that is there comes up within microseconds.
constexpr unsigned kLinkPolls = 5000;

constexpr std::uint16_t kCxlPort = 3, kTimeoutId = 9;

// Limit below base: closed.
// Closed: the limit is below the base.
constexpr header::Regs windows(std::uint64_t begin, std::uint64_t end) {
  header::Regs regs;
  regs.mem_base.base = regs.pre_base.base = 0xfff;
  regs.pre_base.wide = regs.pre_limit.wide = false;  // read-only
  regs.pre_base_high.base = 0xffff'ffff;
  if (begin == end) return regs;
  regs.mem_base.base = static_cast<std::uint32_t>(begin >> 20);
  regs.mem_limit.limit = static_cast<std::uint32_t>((end - 1) >> 20);
  return regs;
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
  const auto at = function_.capability(kPcieCapability);
  if (!at) function_.refuse("it has no PCI Express capability");
  const auto capabilities =
      pcie::CapabilitiesReg::from(function_.read16(*at + pcie::kCapabilities));
  const unsigned type = capabilities.port_kind;
  if (type != kRootPortType) {
    function_.refuse(fmt::format("it is no root port (PCI Express type {})", type));
  }
  for (unsigned poll = 0; poll < kLinkPolls; ++poll) {
    if (pcie::LinkStatusReg::from(function_.read16(*at + pcie::kLinkStatus)).active) return;
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
  header::Regs buses;
  buses.secondary.bus = buses.subordinate.bus = bus_below(function_.io().number());
  function_.write(header::kPrimary, buses.word_at(header::kPrimary));
  block_ = function_.component_block(space);
}

RootPortInfo BridgeSetUp::open(std::uint64_t begin, std::uint64_t end) {
  const header::Regs regs = windows(begin, end);
  for (const std::uint32_t at :
       {header::kMemBase, header::kPreBase, header::kPreBaseHigh, header::kPreLimitHigh}) {
    function_.write(at, regs.word_at(at));
  }
  function_.write(kCommand, kMemorySpace | kBusMaster);
  return {function_.io().number(), function_.vendor(), function_.device(),
          function_.structure(block_, kTimeoutId, "time-out and isolation")};
}

}  // namespace cxlgpu
