// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/port_config_space.hpp"

namespace cxlgpu {

namespace {

// Where the blocks are.
constexpr unsigned kPcie = 0x040, kPort = 0x100, kFlexBus = 0x130, kLocator = 0x150, kGpf = 0x170;

constexpr bool bit(unsigned pulses, unsigned n) {
  return (pulses >> n & 1) != 0;
}

// A bound of a window, in MiB.
constexpr std::uint64_t wide(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 12 | low;
}

}  // namespace

PortConfigSpace::PortConfigSpace(const Parameters& p) {
  identify(p);
  link(p);
  chain();
}

void PortConfigSpace::identify(const Parameters& p) {
  regs_.header.vendor.id = p.vendor_id;
  regs_.header.device.id = p.device_id;
  regs_.header.revision.id = p.revision_id;
  constexpr unsigned kRootPort = 4;
  regs_.pcie.capabilities.port_kind = kRootPort;
}

void PortConfigSpace::link(const Parameters& p) {
  regs_.pcie.link_capabilities.speed = regs_.pcie.link_status.speed = p.link_speed;
  regs_.pcie.link_capabilities.width = regs_.pcie.link_status.width = p.link_width;
  regs_.pcie.link_capabilities2.speeds = (1u << p.link_speed) - 1;
  regs_.pcie.link_control2.target_speed = p.link_speed;
}

// What the parameters of the blocks are in this function: the list, and how long a DVSEC is.
void PortConfigSpace::chain() {
  regs_.port.cap_header.next = kFlexBus;
  regs_.flex_bus.cap_header.next = kLocator;
  regs_.locator.cap_header.next = kGpf;
  regs_.locator.dvsec_header.length = 0x14;
}

std::uint32_t PortConfigSpace::read(const In& in) const {
  const unsigned offset = 4 * in.access.word;
  if (offset < kPcie) return regs_.header.word_at(offset);
  if (offset < kPort) {
    regs::pcie::Regs pcie = regs_.pcie;
    pcie.link_capabilities.port = in.device;
    pcie.link_status.active = in.link_up;
    return pcie.word_at(offset - kPcie);
  }
  if (offset < kFlexBus) return regs_.port.word_at(offset - kPort);
  if (offset < kLocator) {
    regs::dvsec_flex_bus::Regs flex_bus = regs_.flex_bus;
    flex_bus.status =
        regs::dvsec_flex_bus::StatusReg::from(flex_bus.status.word() | in.port_status);
    flex_bus.ts_data.received = in.ts_data;
    return flex_bus.word_at(offset - kFlexBus);
  }
  if (offset < kGpf) return regs_.locator.word_at(offset - kLocator);
  return regs_.gpf.word_at(offset - kGpf);
}

void PortConfigSpace::write(const CfgAccess& access) {
  const unsigned offset = 4 * access.word;
  if (offset < kPcie) {
    regs_.header.write_at(offset, access.data, access.enables);
  } else if (offset < kPort) {
    regs_.pcie.write_at(offset - kPcie, access.data, access.enables, kSide);
  } else if (offset < kFlexBus) {
    regs_.port.write_at(offset - kPort, access.data, access.enables);
  } else if (offset < kLocator) {
    regs_.flex_bus.write_at(offset - kFlexBus, access.data, access.enables, kSide);
  } else if (offset >= kGpf) {
    regs_.gpf.write_at(offset - kGpf, access.data, access.enables);
  }
}

bool PortConfigSpace::link_disable() const {
  return regs_.pcie.link_control.link_disable && regs_.port.control.unmask_link_disable;
}

Bridge PortConfigSpace::bridge() const {
  const regs::pci_header1::Regs& h = regs_.header;
  const regs::dvsec_port::Regs& p = regs_.port;
  return {.mem_space = h.command.memory_space,
          .bar0 = std::uint64_t{h.bar0_high.base} << 16 | h.bar0_low.base,
          .secondary = h.secondary.bus,
          .subordinate = h.subordinate.bus,
          .windows = {.mem_base = h.mem_base.base,
                      .mem_limit = h.mem_limit.limit,
                      .pre_base = wide(h.pre_base_high.base, h.pre_base.base),
                      .pre_limit = wide(h.pre_limit_high.limit, h.pre_limit.limit)},
          .alt = p.control.alt_memory,
          .alt_bus_base = p.alt_bus_base.bus,
          .alt_bus_limit = p.alt_bus_limit.bus,
          .alt_windows = {.mem_base = p.alt_mem_base.base,
                          .mem_limit = p.alt_mem_limit.limit,
                          .pre_base = wide(p.alt_pre_base_high.base, p.alt_pre_base.base),
                          .pre_limit = wide(p.alt_pre_limit_high.limit, p.alt_pre_limit.limit)}};
}

void PortConfigSpace::clock(const In& in) {
  rdata_ = in.access.valid && !in.access.write ? read(in) : 0;
  if (in.access.valid && in.access.write) write(in.access);
  // After the write: an event wins.
  regs::dvsec_flex_bus::StatusReg& status = regs_.flex_bus.status;
  status.id_correctable |= bit(in.id_error, 0);
  status.id_uncorrectable |= bit(in.id_error, 1);
  status.id_unexpected |= bit(in.id_error, 2);
}

}  // namespace cxlgpu
