// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/config_space.hpp"

namespace cxlgpu {

namespace {

// Where the blocks are.
constexpr unsigned kPcie = 0x040, kPower = 0x080, kDevice = 0x100, kFlexBus = 0x140,
                   kLocator = 0x160, kVendor = 0x180, kGpf = 0x1a0, kSerial = 0x1b0, kAer = 0x1c0;
constexpr unsigned kEnd = kAer + Aer::kBytes;

constexpr std::uint32_t kD0 = 0, kD3Hot = 3;
constexpr std::uint32_t kSeeCdat = 2;  // memory class, media type

constexpr bool is_aer(const CfgAccess& access) {
  return 4 * access.word >= kAer && 4 * access.word < kEnd;
}

constexpr bool bit(unsigned pulses, unsigned n) {
  return (pulses >> n & 1) != 0;
}

}  // namespace

ConfigSpace::ConfigSpace(const Parameters& p) : parameters_(p) {
  identify(p);
  link(p);
  memory(p);
  chain();
}

void ConfigSpace::identify(const Parameters& p) {
  regs_.header.vendor.id = regs_.header.subsystem_vendor.id = p.vendor_id;
  regs_.header.device.id = regs_.header.subsystem.id = p.device_id;
  regs_.header.revision.id = p.revision_id;
  regs_.vendor.dvsec_header.vendor = p.vendor_id;
  regs_.vendor.capability.max = p.max_spec_granules;
  regs_.serial.low.number = static_cast<std::uint32_t>(p.serial_number);
  regs_.serial.high.number = static_cast<std::uint32_t>(p.serial_number >> 32);
}

void ConfigSpace::link(const Parameters& p) {
  regs_.pcie.link_capabilities.speed = regs_.pcie.link_status.speed = p.link_speed;
  regs_.pcie.link_capabilities.width = regs_.pcie.link_status.width = p.link_width;
  regs_.pcie.link_capabilities2.speeds = (1u << p.link_speed) - 1;
  regs_.pcie.link_control2.target_speed = p.link_speed;
}

void ConfigSpace::memory(const Parameters& p) {
  regs_.device.capability.hdm_count = p.range2_size != 0 ? 2 : 1;
  const auto describe = [](regs::dvsec_device::RangeSet& range, std::uint64_t size) {
    if (size == 0) return;
    range.size_high.size = static_cast<std::uint32_t>(size >> 4);
    range.size_low.size = static_cast<std::uint32_t>(size & 0xf);
    range.size_low.info_valid = true;
    range.size_low.media_type = range.size_low.memory_class = kSeeCdat;
  };
  describe(regs_.device.range[0], p.range1_size);
  describe(regs_.device.range[1], p.range2_size);
}

// What the parameters of the blocks are in this function: the lists, and how long a DVSEC is.
void ConfigSpace::chain() {
  regs_.pcie.cap_header.next = kPower;
  regs_.device.cap_header.next = kFlexBus;
  regs_.flex_bus.cap_header.next = kLocator;
  regs_.locator.cap_header.next = kVendor;
  regs_.vendor.cap_header.next = kGpf;
  regs_.gpf.cap_header.next = kSerial;
  regs_.serial.cap_header.next = kAer;
  regs_.locator.dvsec_header.length = 0x1c;
}

void ConfigSpace::hot_reset() {
  ConfigSpace fresh(parameters_);
  fresh.aer_ = aer_;
  fresh.regs_.device.status.viral = regs_.device.status.viral;
  const regs::dvsec_flex_bus::StatusReg& sticky = regs_.flex_bus.status;
  regs::dvsec_flex_bus::StatusReg& status = fresh.regs_.flex_bus.status;
  status.id_correctable = sticky.id_correctable;
  status.id_uncorrectable = sticky.id_uncorrectable;
  status.id_unexpected = sticky.id_unexpected;
  *this = fresh;
}

ConfigSpace::Out ConfigSpace::eval() const {
  const bool d0 = regs_.power.control.power_state == kD0;
  return {.rdata = rdata_,
          .mem_space_en = d0 && regs_.header.command.memory_space,
          .bar0 = std::uint64_t{regs_.header.bar0_high.base} << 14 | regs_.header.bar0_low.base,
          .mem_enable = regs_.device.control.mem,
          .range1_base = range_base(0),
          .range2_base = range_base(1),
          .viral = viral_,
          .viral_state = viral_state_};
}

std::uint64_t ConfigSpace::range_base(unsigned range) const {
  const regs::dvsec_device::RangeSet& r = regs_.device.range[range];
  return std::uint64_t{r.base_high.base} << 4 | r.base_low.base;
}

std::uint32_t ConfigSpace::read(const In& in) const {
  const unsigned offset = 4 * in.access.word;
  if (offset < kPcie) return regs_.header.word_at(offset);
  if (offset < kPower) return regs_.pcie.word_at(offset - kPcie);
  if (offset < kDevice) return regs_.power.word_at(offset - kPower);
  if (offset < kFlexBus) {
    regs::dvsec_device::Regs device = regs_.device;
    for (regs::dvsec_device::RangeSet& range : device.range) {
      range.size_low.active = range.size_low.info_valid && in.mem_active;
    }
    return device.word_at(offset - kDevice);
  }
  if (offset < kLocator) {
    regs::dvsec_flex_bus::Regs flex_bus = regs_.flex_bus;
    flex_bus.status =
        regs::dvsec_flex_bus::StatusReg::from(flex_bus.status.word() | in.port_status);
    flex_bus.ts_data.received = in.ts_data;
    return flex_bus.word_at(offset - kFlexBus);
  }
  if (offset < kVendor) return regs_.locator.word_at(offset - kLocator);
  if (offset < kGpf) return regs_.vendor.word_at(offset - kVendor);
  if (offset < kSerial) return regs_.gpf.word_at(offset - kGpf);
  if (offset < kAer) return regs_.serial.word_at(offset - kSerial);
  return is_aer(in.access) ? aer_.read(offset - kAer) : 0;
}

// States that the function does not have change nothing.
void ConfigSpace::write_power(unsigned offset, const CfgAccess& access) {
  regs::pci_pm::Regs next = regs_.power;
  next.write_at(offset, access.data, access.enables);
  const std::uint32_t state = next.control.power_state;
  if (state == kD0 || state == kD3Hot) regs_.power = next;
}

// A range that is not there has no base, but for the first.
void ConfigSpace::write_device(unsigned offset, const CfgAccess& access) {
  const bool locked = regs_.device.lock.config_lock;
  const regs::dvsec_device::RangeSet range2 = regs_.device.range[1];
  regs_.device.write_at(offset, access.data, access.enables, locked);
  if (parameters_.range2_size == 0) regs_.device.range[1] = range2;
}

void ConfigSpace::write(const CfgAccess& access) {
  const unsigned offset = 4 * access.word;
  if (offset < kPcie) {
    regs_.header.write_at(offset, access.data, access.enables);
  } else if (offset < kPower) {
    regs_.pcie.write_at(offset - kPcie, access.data, access.enables, kSide);
  } else if (offset < kDevice) {
    write_power(offset - kPower, access);
  } else if (offset < kFlexBus) {
    write_device(offset - kDevice, access);
  } else if (offset < kLocator) {
    regs_.flex_bus.write_at(offset - kFlexBus, access.data, access.enables, kSide);
  }
}

void ConfigSpace::events(const In& in) {
  Aer::In errors{.io_err = in.io_err,
                 .io_err_hdr = in.io_err_hdr,
                 .event = in.event,
                 .event_posted = in.event_posted,
                 .event_hdr = in.event_hdr,
                 .ras = in.ras};
  if (in.access.valid && in.access.write && is_aer(in.access)) {
    errors.write = in.access;
    errors.write.word -= kAer / 4;
  }
  const unsigned found = aer_.clock(errors);
  regs::pcie::DeviceStatusReg& device = regs_.pcie.device_status;
  device.correctable |= bit(found, 0);
  device.nonfatal |= bit(found, 1);
  device.fatal |= bit(found, 2);
  device.unsupported |= bit(found, 3);
  regs_.header.status.signaled_target_abort |= bit(in.event, 1);
  regs_.header.status.detected_parity_error |= bit(in.event, 2);
  regs::dvsec_flex_bus::StatusReg& flex_bus = regs_.flex_bus.status;
  flex_bus.id_correctable |= bit(in.id_error, 0);
  flex_bus.id_uncorrectable |= bit(in.id_error, 1);
  flex_bus.id_unexpected |= bit(in.id_error, 2);
}

// A device that only heard of its host's viral does not announce its own. Clearing the status bit
// takes nothing back.
void ConfigSpace::viral(const In& in, bool enabled) {
  const bool begins = enabled && (in.viral_peer || in.viral_own);
  if (begins) regs_.device.status.viral = true;
  viral_state_ |= begins;
  viral_ |= enabled && in.viral_own;
}

void ConfigSpace::clock(const In& in) {
  const bool write_now = in.access.valid && in.access.write;
  const bool viral_enabled = regs_.device.control.viral;
  rdata_ = in.access.valid && !in.access.write ? read(in) : 0;
  if (write_now) write(in.access);
  events(in);  // after the write: an event wins
  viral(in, viral_enabled);
}

}  // namespace cxlgpu
