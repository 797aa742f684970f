// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "config_space.hpp"

namespace peer {
namespace {

constexpr uint32_t kVendor = 0x1dee;
constexpr uint32_t kDevice = 0x2003;
constexpr uint32_t kClass = 0x05'02'10;
constexpr uint32_t kBarFlags = 0xc;  // memory, 64 bits, prefetchable (S20 8.2.8)
constexpr uint32_t kCxlVendor = 0x1e98;

constexpr uint32_t extended(uint32_t id, uint32_t version, uint32_t next) {
  return id | version << 16 | next << 20;
}

}  // namespace

ConfigSpace::ConfigSpace(uint64_t memory_size) : memory_size_(memory_size) {
  define_header();
  define_pcie();
  define_aer();
  define_dvsecs(memory_size);
  define_speeds();
}

void ConfigSpace::define_header() {
  RegisterFile& r = registers_;
  r.define(0x00, kDevice << 16 | kVendor);
  // Memory Space, Bus Master, Parity Error Response, SERR, Interrupt Disable; Capabilities List.
  r.define(0x04, 1U << 20, 0x0546, 0xf900'0000);
  r.define(0x08, kClass << 8 | 1);
  r.define(0x0c, 0, 0xff);
  r.define(0x10, kBarFlags, ~static_cast<uint32_t>(kBarSize - 1));
  r.define(0x14, 0, 0xffff'ffff);
  r.define(0x2c, kDevice << 16 | kVendor);
  r.define(0x34, kPm);
  r.define(0x3c, 0, 0xff);
  r.define(kPm, 0x01 | kPcie << 8 | 3U << 16);
  r.define(kPm + 4, 1U << 3, 3);  // No_Soft_Reset, PowerState
}

void ConfigSpace::define_pcie() {
  RegisterFile& r = registers_;
  r.define(kPcie, 0x10 | 0x0002U << 16);  // version 2, PCI Express endpoint, the last capability
  r.define(kPcie + 0x04,
           1U << 15 | 1U << 5);  // role-based error reporting, extended tags, 128 bytes
  r.define(kPcie + 0x08, 0x2810, 0x7bff & ~0x0600, 0x000f'0000);
  r.define(kPcie + 0x0c, 5 | 8U << 4);  // 32 GT/s, x8
  r.define(kPcie + 0x10, (5U | 8U << 4) << 16, 0x00cb);
  r.define(kPcie + 0x24,
           1U << 16 | 1U << 4);  // ten-bit tags as a completer, completion time-out disable
  r.define(kPcie + 0x28, 0, 0x1f);
  r.define(kPcie + 0x2c, 0x3eU);
  r.define(kPcie + 0x30, 5, 0xf, 0, 0xf);
}

void ConfigSpace::define_aer() {
  RegisterFile& r = registers_;
  constexpr uint32_t kUncorrectable = 0x01ff'f030;  // the bits of a function that checks them
  r.define(kAer, extended(1, 2, kSerial));
  r.define(kAer + 0x04, 0, 0, kUncorrectable, kUncorrectable);
  r.define(kAer + 0x08, 1U << 22, kUncorrectable, 0, kUncorrectable);
  r.define(kAer + 0x0c, 0x0046'2030, kUncorrectable, 0, kUncorrectable);
  r.define(kAer + 0x10, 0, 0, 0xf1c1, 0xf1c1);
  r.define(kAer + 0x14, 0xe000, 0xf1c1, 0, 0xf1c1);
  r.define(kAer + 0x18, 0, 0, 0, 0x1f);
  r.define(kSerial, extended(3, 1, kDvsecDevice));
  r.define(kSerial + 4, 0x1234'5678);
  r.define(kSerial + 8, 0x0005'0210);
}

void ConfigSpace::dvsec(uint32_t at, uint32_t next, uint32_t id, uint32_t revision, uint32_t length,
                        uint32_t upper_half) {
  registers_.define(at, extended(0x23, 1, next));
  registers_.define(at + 4, kCxlVendor | revision << 16 | length << 20);
  registers_.define(at + 8, id | upper_half << 16);
}

void ConfigSpace::define_dvsecs(uint64_t memory_size) {
  RegisterFile& r = registers_;
  // IO and Mem capable, hardware initialises the memory, one range, Viral, PM init completion
  // reporting.
  dvsec(kDvsecDevice, kDvsecGpf, 0, 1, 0x38, 0xc01e);
  r.define(kDvsecDevice + 0x0c, 0x0002, 0x4ffd & ~1U, 1U << 30, 1U << 30);
  r.define(kDvsecDevice + 0x10, 0, 0);
  r.define(kDvsecDevice + 0x14, 0, 1);
  r.define(kDvsecDevice + 0x18, static_cast<uint32_t>(memory_size >> 32));
  // Info valid, active, media type and class 010 (described by CDAT).
  r.define(kDvsecDevice + 0x1c, (static_cast<uint32_t>(memory_size) & 0xf000'0000) | 0x4b);
  r.define(kDvsecDevice + 0x20, 0, 0xffff'ffff);
  r.define(kDvsecDevice + 0x24, 0, 0xf000'0000);
  // Range 2 is not there (HDM_Count is one).
  dvsec(kDvsecGpf, kDvsecFlexBus, 5, 0, 0x10, 0x0301);  // one times 1 ms
  r.define(kDvsecGpf + 0x0c, 5000);
  dvsec(kDvsecFlexBus, kDvsecLocator, 7, 1, 0x14, 0x0026);
  r.define(kDvsecFlexBus + 0x0c, 0x0026'0026, 0, 0x0700'0000, 0x0700'0000);
  dvsec(kDvsecLocator, kSecondary, 8, 0, 0x1c, 0);
  r.define(kDvsecLocator + 0x0c, 0x0000'0100);  // component registers at the start of BAR 0
  r.define(kDvsecLocator + 0x10, 0);
  r.define(kDvsecLocator + 0x14, 0x0001'0300);  // memory device registers
  r.define(kDvsecLocator + 0x18, 0);
}

void ConfigSpace::define_speeds() {
  RegisterFile& r = registers_;
  r.define(kSecondary, extended(0x19, 1, kSpeed16));
  r.define(kSpeed16, extended(0x26, 1, kSpeed32));
  r.define(kSpeed32, extended(0x2a, 1, kMargining));
  r.define(kMargining, extended(0x27, 1, kFeature));
  r.define(kFeature, extended(0x25, 1, 0));
  r.define(kFeature + 4, 1U << 31 | 1);  // scaled flow control, the exchange is enabled
  r.define(kFeature + 8, 0);
}

void ConfigSpace::reset(bool cold) {
  registers_.reset(cold);
}

uint64_t ConfigSpace::bar_base() const {
  return static_cast<uint64_t>(registers_.read(0x14)) << 32 | (registers_.read(0x10) & ~0xfU);
}

void ConfigSpace::write(uint32_t at, uint32_t value, unsigned byte_enable) {
  const uint32_t lock = kDvsecDevice + 0x14;
  const bool locked = (registers_.read(lock) & 1) != 0;
  const bool is_rwl =
      at == kDvsecDevice + 0x0c || at == kDvsecDevice + 0x20 || at == kDvsecDevice + 0x24;
  if (locked && at == lock) return;  // written once
  if (locked && is_rwl) {
    if (at != kDvsecDevice + 0x0c) return;
    byte_enable &= 0xc;  // the status half is not locked
  }
  registers_.write(at, value, byte_enable);
}

bool ConfigSpace::range_hit(uint64_t hpa, uint64_t& dpa) const {
  const uint64_t base = static_cast<uint64_t>(registers_.read(kDvsecDevice + 0x20)) << 32 |
                        registers_.read(kDvsecDevice + 0x24);
  if (hpa < base || hpa - base >= memory_size_) return false;
  dpa = hpa - base;
  return true;
}

// PCIe 5.0, 6.2.3.2 and Figure 6-2: Device Status always, AER status always, the AER mask holds
// back messages only.
void ConfigSpace::log_uncorrectable(uint32_t aer_bit, bool unsupported_request) {
  const bool fatal = (registers_.read(kAer + 0x0c) >> aer_bit & 1) != 0;
  registers_.raise(kPcie + 0x08, (fatal ? 4U : 2U) << 16);
  if (unsupported_request) registers_.raise(kPcie + 0x08, 8U << 16);
  if (registers_.read(kAer + 0x04) == 0) registers_.set(kAer + 0x18, aer_bit);
  registers_.raise(kAer + 0x04, 1U << aer_bit);
}

void ConfigSpace::log_correctable(uint32_t aer_bit) {
  registers_.raise(kPcie + 0x08, 1U << 16);
  registers_.raise(kAer + 0x10, 1U << aer_bit);
}

}  // namespace peer
