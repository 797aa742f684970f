// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/config_space.hpp"

namespace cxlgpu {

using namespace config_offset;

namespace {

constexpr std::uint32_t kMemorySpace = 1u << 1;  // command
constexpr std::uint32_t kMemEnable = 1u << 2;    // CXL control
constexpr std::uint32_t kViralEnable = 1u << 14;
constexpr std::uint32_t kViralStatus = 1u << 30;  // CXL status
constexpr std::uint32_t kIdErrors = 7u << 24;     // Flex Bus status
constexpr std::uint32_t kPowerState = 3;
constexpr std::uint32_t kD0 = 0, kD3Hot = 3;
constexpr std::uint32_t kSeeCdat = 2;  // memory class, media type

constexpr bool is_aer(const CfgAccess& access) {
  return 4 * access.word >= kAer && 4 * access.word < kAer + Aer::kBytes;
}

}  // namespace

ConfigSpace::ConfigSpace(const Parameters& p)
    : parameters_(p), range1_(p.range1_size != 0), range2_(p.range2_size != 0) {
  header(p);
  pcie(p);
  cxl_device(p);
  other_dvsecs(p);
}

void ConfigSpace::header(const Parameters& p) {
  const std::uint32_t id = std::uint32_t{p.device_id} << 16 | p.vendor_id;
  at(kId).value = at(kSubsystem).value = id;
  at(kCommand) = {.value = 1u << 20,
                  .rw = 1u << 1 | 1u << 2 | 1u << 6 | 1u << 8 | 1u << 10,
                  .rw1c = 1u << 27 | 1u << 31};
  at(kClass).value = 0x0502'1000u | p.revision_id;
  at(kCacheLine).rw = 0xff;
  at(kBar0) = {.value = 4, .rw = 0xfffc'0000};
  at(kBar0High).rw = 0xffff'ffff;
  at(kCapabilities).value = kPcie;
  at(kInterrupt).rw = 0xff;
}

void ConfigSpace::pcie(const Parameters& p) {
  at(kPcie).value = 0x0002'8010;
  at(kDeviceCapability).value = 0x8000;
  at(kDeviceControl) = {.rw = 0xf, .rw1c = 0xf'0000};
  const std::uint32_t link = 0x10 * p.link_width + p.link_speed;
  at(kLinkCapability).value = 0x0040'0000 + link;
  at(kLinkControl) = {.value = (0x1000 + link) << 16, .rw = 1u << 3 | 1u << 6 | 1u << 7};
  at(kDeviceCapability2).value = 0x0001'0000;
  at(kLinkCapability2).value = ((2u << p.link_speed) - 2) & 0xff;
  at(kLinkControl2).value = p.link_speed;
  at(kPower).value = 0x0003'0001;
  at(kPowerControl) = {.value = 1u << 3, .rw = kPowerState};
}

void ConfigSpace::cxl_device(const Parameters& p) {
  at(kCxlDevice).value = 0x1401'0023;
  at(kCxlDevice + 0x4).value = 0x0381'1e98;
  at(kCxlDevice + 0x8).value = range2_ ? 0xc02e'0000 : 0xc01e'0000;
  at(kCxlControl) = {.value = 1u << 1, .rwl = kMemEnable | kViralEnable, .rw1c = kViralStatus};
  at(kCxlStatus2).value = 0x8000'0000;
  at(kCxlLock).rwo = 1;
  range(kRange1, p.range1_size, true);
  range(kRange2, p.range2_size, range2_);
}

void ConfigSpace::range(unsigned offset, std::uint64_t size, bool base) {
  if (size != 0) {
    at(offset).value = static_cast<std::uint32_t>(size >> 4);
    at(offset + 0x4).value =
        static_cast<std::uint32_t>(size & 0xf) << 28 | kSeeCdat << 5 | kSeeCdat << 2 | 1;
  }
  if (base) {
    at(offset + 0x8).rwl = 0xffff'ffff;
    at(offset + 0xc).rwl = 0xf000'0000;
  }
}

void ConfigSpace::other_dvsecs(const Parameters& p) {
  at(kFlexBus).value = 0x1601'0023;
  at(kFlexBus + 0x4).value = 0x0141'1e98;
  at(kFlexBus + 0x8).value = 0x0026'0007;
  at(kFlexBusStatus).rw1c = kIdErrors;
  at(kLocator).value = 0x1801'0023;
  at(kLocator + 0x4).value = 0x01c0'1e98;
  at(kLocator + 0x8).value = 0x0000'0008;
  at(kLocator + 0xc).value = 0x0000'0100;
  at(kLocator + 0x14).value = 0x0002'0300;
  at(kVendor).value = 0x1a01'0023;
  at(kVendor + 0x4).value = 0x0140'0000u | p.vendor_id;
  at(kVendor + 0x8).value = p.max_spec_granules << 24 | 8u << 20 | 1u << 16 | 1;
  at(kVendor + 0xc).value = 0x0001'0000;
  at(kGpf).value = 0x1b01'0023;
  at(kGpf + 0x4).value = 0x0100'1e98;
  at(kGpf + 0x8).value = 0x0000'0005;
  at(kSerial).value = 0x1c01'0003;
  at(kSerial + 0x4).value = static_cast<std::uint32_t>(p.serial_number);
  at(kSerial + 0x8).value = static_cast<std::uint32_t>(p.serial_number >> 32);
}

void ConfigSpace::hot_reset() {
  ConfigSpace fresh(parameters_);
  fresh.aer_ = aer_;
  fresh.at(kCxlControl).value |= at(kCxlControl).value & kViralStatus;
  fresh.at(kFlexBusStatus).value |= at(kFlexBusStatus).value & kIdErrors;
  *this = fresh;
}

ConfigSpace::Out ConfigSpace::eval() const {
  const bool d0 = (at(kPowerControl).value & kPowerState) == kD0;
  return {.rdata = rdata_,
          .mem_space_en = d0 && (at(kCommand).value & kMemorySpace) != 0,
          .bar0 = std::uint64_t{at(kBar0High).value} << 14 | at(kBar0).value >> 18,
          .mem_enable = (at(kCxlControl).value & kMemEnable) != 0,
          .range1_base = range_base(kRange1),
          .range2_base = range_base(kRange2),
          .viral = viral_,
          .viral_state = viral_state_};
}

std::uint64_t ConfigSpace::range_base(unsigned offset) const {
  return std::uint64_t{at(offset + 0x8).value} << 4 | at(offset + 0xc).value >> 28;
}

std::uint32_t ConfigSpace::read(const In& in) const {
  if (in.access.word >= registers_.size()) return 0;
  if (is_aer(in.access)) return aer_.read(4 * in.access.word - kAer);
  const std::uint32_t active = in.mem_active ? 2 : 0;
  switch (const std::uint32_t value = registers_[in.access.word].value; 4 * in.access.word) {
    case kRange1 + 4:
      return value | (range1_ ? active : 0);
    case kRange2 + 4:
      return value | (range2_ ? active : 0);
    case kFlexBusStatus:
      return value | in.port_status << 16;
    case kTrainingData:
      return in.ts_data;
    default:
      return value;
  }
}

void ConfigSpace::write(const CfgAccess& access) {
  if (access.word >= registers_.size()) return;
  ConfigRegister& r = registers_[access.word];
  const std::uint32_t value = r.written(access, at(kCxlLock).value != 0);
  const std::uint32_t state = value & kPowerState;
  if (4 * access.word == kPowerControl && state != kD0 && state != kD3Hot) return;
  r.value = value;
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
  at(kDeviceControl).value |= aer_.clock(errors) << 16;
  at(kCommand).value |= (in.event >> 1 & 1) << 27 | (in.event >> 2 & 1) << 31;
  at(kFlexBusStatus).value |= in.id_error << 24;
}

// A device that only heard of its host's viral does not announce its own. Clearing the status bit
// takes nothing back.
void ConfigSpace::viral(const In& in, bool enabled) {
  const bool begins = enabled && (in.viral_peer || in.viral_own);
  if (begins) at(kCxlControl).value |= kViralStatus;
  viral_state_ |= begins;
  viral_ |= enabled && in.viral_own;
}

void ConfigSpace::clock(const In& in) {
  const bool write_now = in.access.valid && in.access.write;
  const bool viral_enabled = (at(kCxlControl).value & kViralEnable) != 0;
  rdata_ = in.access.valid && !in.access.write ? read(in) : 0;
  if (write_now) write(in.access);
  events(in);  // after the write: an event wins
  viral(in, viral_enabled);
}

}  // namespace cxlgpu
