// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/port_config_space.hpp"

namespace cxlgpu {

using namespace port_config_offset;

namespace {

constexpr std::uint32_t kMemorySpace = 1u << 1;  // command
constexpr std::uint32_t kAlternates = 1u << 2;   // port control
constexpr std::uint32_t kUnmaskDisable = 1u << 1;
constexpr std::uint32_t kKeptOnly = 1u << 0 | 1u << 3;  // Unmask SBR, Alt BME
constexpr std::uint32_t kLinkDisable = 1u << 4;         // link control
constexpr std::uint32_t kLinkActive = 1u << 29;         // link status
constexpr std::uint32_t kBothLimits = 0xfff0'fff0;      // of a window: 31:20 limit, 15:4 base
constexpr std::uint32_t kWide = 0x0001'0001;            // both are of 64 bits

}  // namespace

PortConfigSpace::PortConfigSpace(const Parameters& p) {
  header(p);
  pcie(p);
  dvsecs();
}

void PortConfigSpace::header(const Parameters& p) {
  at(kId).value = std::uint32_t{p.device_id} << 16 | p.vendor_id;
  at(kCommand) = {.value = 1u << 20, .rw = 1u << 1 | 1u << 2 | 1u << 6 | 1u << 8 | 1u << 10};
  at(kClass).value = 0x0604'0000u | p.revision_id;
  at(kCacheLine) = {.value = 0x0001'0000, .rw = 0xff};
  at(kBar0) = {.value = 4, .rw = 0xffff'0000};
  at(kBar0High).rw = 0xffff'ffff;
  at(kBuses).rw = 0x00ff'ffff;
  at(kMemory).rw = kBothLimits;
  at(kPrefetchable) = {.value = kWide, .rw = kBothLimits};
  at(kPreBaseHigh).rw = at(kPreLimitHigh).rw = 0xffff'ffff;
  at(kCapabilities).value = kPcie;
  at(kInterrupt).rw = 0x0003'00ff;
}

void PortConfigSpace::pcie(const Parameters& p) {
  const std::uint32_t link = 0x10 * p.link_width + p.link_speed;
  at(kPcie).value = 0x0042'0010;
  at(kDeviceCapability).value = 0x8000;
  at(kDeviceControl).rw = 0xf;
  at(kLinkCapability).value = 0x0050'0000 + link;
  at(kLinkControl) = {.value = (0x1000 + link) << 16,
                      .rw = 1u << 3 | kLinkDisable | 1u << 6 | 1u << 7};
  at(kLinkCapability2).value = ((2u << p.link_speed) - 2) & 0xff;
  at(kLinkControl2).value = p.link_speed;
}

void PortConfigSpace::dvsecs() {
  at(kCxlPort).value = 0x1301'0023;
  at(kCxlPort + 0x4).value = 0x0280'1e98;
  at(kPortStatus).value = 3;
  at(kPortControl).rw = kUnmaskDisable | kAlternates | kKeptOnly | 0xffff'0000;
  at(kAltMemory).rw = kBothLimits;
  at(kAltPrefetchable) = {.value = kWide, .rw = kBothLimits};
  at(kAltPreBaseHigh).rw = at(kAltPreLimitHigh).rw = 0xffff'ffff;
  at(kFlexBus).value = 0x1501'0023;
  at(kFlexBus + 0x4).value = 0x0141'1e98;
  at(kFlexBus + 0x8).value = 0x0026'0007;
  at(kFlexBusStatus) = {.value = 0x26, .rw = 1u << 2 | 1u << 5, .rw1c = 0x0700'0000};
  at(kLocator).value = 0x1701'0023;
  at(kLocator + 0x4).value = 0x0140'1e98;
  at(kLocator + 0x8).value = 0x0000'0008;
  at(kLocator + 0xc).value = 0x0000'0100;
  at(kGpf).value = 0x0001'0023;
  at(kGpf + 0x4).value = 0x0100'1e98;
  at(kGpf + 0x8).value = 0x0000'0004;
  at(kGpfControl).rw = 0x0f0f'0f0f;
}

std::uint32_t PortConfigSpace::read(const In& in) const {
  if (in.access.word >= registers_.size()) return 0;
  const std::uint32_t value = registers_[in.access.word].value;
  switch (4 * in.access.word) {
    case kLinkCapability:
      return value | std::uint32_t{in.device} << 24;
    case kLinkControl:
      return value | (in.link_up ? kLinkActive : 0);
    case kFlexBusStatus:
      return value | in.port_status << 16;
    case kTrainingData:
      return in.ts_data;
    default:
      return value;
  }
}

bool PortConfigSpace::link_disable() const {
  return (value(kLinkControl) & kLinkDisable) != 0 && (value(kPortControl) & kUnmaskDisable) != 0;
}

BridgeWindows PortConfigSpace::windows(unsigned memory, unsigned prefetchable,
                                       unsigned base_high) const {
  const auto base = [&](unsigned at) { return std::uint64_t{value(at) >> 4 & 0xfff}; };
  const auto limit = [&](unsigned at) { return std::uint64_t{value(at) >> 20}; };
  return {.mem_base = base(memory),
          .mem_limit = limit(memory),
          .pre_base = std::uint64_t{value(base_high)} << 12 | base(prefetchable),
          .pre_limit = std::uint64_t{value(base_high + 4)} << 12 | limit(prefetchable)};
}

Bridge PortConfigSpace::bridge() const {
  const std::uint32_t control = value(kPortControl);
  return {.mem_space = (value(kCommand) & kMemorySpace) != 0,
          .bar0 = std::uint64_t{value(kBar0High)} << 16 | value(kBar0) >> 16,
          .secondary = value(kBuses) >> 8 & 0xff,
          .subordinate = value(kBuses) >> 16 & 0xff,
          .windows = windows(kMemory, kPrefetchable, kPreBaseHigh),
          .alt = (control & kAlternates) != 0,
          .alt_bus_base = control >> 16 & 0xff,
          .alt_bus_limit = control >> 24,
          .alt_windows = windows(kAltMemory, kAltPrefetchable, kAltPreBaseHigh)};
}

void PortConfigSpace::clock(const In& in) {
  rdata_ = in.access.valid && !in.access.write ? read(in) : 0;
  if (in.access.valid && in.access.write && in.access.word < registers_.size()) {
    ConfigRegister& r = registers_[in.access.word];
    r.value = r.written(in.access);
  }
  // After the write: an event wins.
  at(kFlexBusStatus).value |= in.id_error << 24;
}

}  // namespace cxlgpu
