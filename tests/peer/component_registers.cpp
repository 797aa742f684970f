// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "component_registers.hpp"

namespace peer {
namespace {

constexpr uint32_t kCachemem = 0x1000;
constexpr uint32_t kUncorrectable = 0x1cfff;
constexpr uint32_t kCorrectable = 0x7f;

constexpr uint32_t header(uint32_t id, uint32_t version, uint32_t offset) {
  return id | version << 16 | offset << 20;
}
constexpr uint32_t count_code(unsigned decoders) {
  return decoders == 1 ? 0 : decoders / 2;
}

}  // namespace

ComponentRegisters::ComponentRegisters(unsigned decoders, unsigned commit_cycles)
    : decoders_(decoders), commit_cycles_(commit_cycles) {
  RegisterFile& r = registers_;
  r.define(0x0, 1 | 1U << 16 | 1U << 20 | 3U << 24);
  r.define(0x4, header(2, 2, kRas));
  r.define(0x8, header(4, 2, kLink));
  r.define(0xc, header(5, 1, kHdm));

  r.define(kRas + 0x00, 0, 0, kUncorrectable, kUncorrectable);
  r.define(kRas + 0x04, kUncorrectable, kUncorrectable, 0, kUncorrectable);
  r.define(kRas + 0x08, kUncorrectable, kUncorrectable, 0, kUncorrectable);
  r.define(kRas + 0x0c, 0, 0, kCorrectable, kCorrectable);
  r.define(kRas + 0x10, kCorrectable, kCorrectable, 0, kCorrectable);
  r.define(kRas + 0x14, 1U << 13, 0, 0, 0x3f);  // Poison_Enabled is 1 in a device
  for (uint32_t i = 0; i < 16; ++i) r.define(kRas + 0x18 + 4 * i, 0, 0, 0, 0xffff'ffff);

  r.define(kLink + 0x00, 2);
  r.define(kLink + 0x04, 1U << 26);  // no LL_Reset
  r.define(kLink + 0x08, 3U << 3, 6, 0, 6);
  r.define(kLink + 0x28, 0x10 | 0x20U << 8, 0x3ffff, 0, 0x3ffff);
  r.define(kLink + 0x30, 0, 1, 0, 1);

  // Interleaving on address bits 14:8, poison on decode error.
  r.define(kHdm, count_code(decoders) | 1U << 8 | 1U << 9 | 1U << 10);
  r.define(kHdm + 4, 0, 3);
  for (unsigned n = 0; n < decoders; ++n) {
    r.define(at_decoder(n, 0x00), 0, 0xf000'0000);
    r.define(at_decoder(n, 0x04), 0, 0xffff'ffff);
    r.define(at_decoder(n, 0x08), 0, 0xf000'0000);
    r.define(at_decoder(n, 0x0c), 0, 0xffff'ffff);
    r.define(at_decoder(n, 0x10), 0, 0x13ff);
    r.define(at_decoder(n, 0x14), 0, 0xf000'0000);
    r.define(at_decoder(n, 0x18), 0, 0xffff'ffff);
  }
}

void ComponentRegisters::credits(uint64_t requests, uint64_t data) {
  constexpr uint64_t kFields = uint64_t{0xfffff} << 30;  // requests 39:30, data 49:40
  const uint64_t value = requests << 30 | data << 40;
  for (const unsigned half : {0U, 1U}) {
    const auto mask = static_cast<uint32_t>(kFields >> 32 * half);
    registers_.define(kLink + 0x10 + 4 * half, static_cast<uint32_t>(value >> 32 * half), mask, 0,
                      mask);
  }
}

void ComponentRegisters::reset(bool cold) {
  registers_.reset(cold);
  busy_.fill(0);
}

uint32_t ComponentRegisters::read(uint32_t at) const {
  return at >= kCachemem && at < 0x2000 ? registers_.read(at - kCachemem) : 0;
}

void ComponentRegisters::write(uint32_t at, uint32_t value, unsigned byte_enable) {
  if (at < kCachemem || at >= 0x2000) return;
  at -= kCachemem;
  const uint32_t first = kHdm + 0x10;
  if (at < first || at >= first + 0x20 * decoders_) {
    registers_.write(at, value, byte_enable);
    return;
  }
  const unsigned n = (at - first) / 0x20;
  const uint32_t control = registers_.read(at_decoder(n, 0x10));
  const bool locked = (control & kLockOnCommit) != 0 && (control & kCommitted) != 0;
  if (locked || busy_[n] != 0) return;
  registers_.write(at, value, byte_enable);
  if (at != at_decoder(n, 0x10)) return;
  const uint32_t now = registers_.read(at);
  if ((now & kCommit) != 0 && (control & kCommit) == 0) {
    registers_.set(at, now & ~(kCommitted | kNotCommitted));
    busy_[n] = commit_cycles_ + 1;
  } else if ((now & kCommit) == 0) {
    registers_.set(at, now & ~(kCommitted | kNotCommitted));
  }
}

void ComponentRegisters::tick() {
  for (unsigned n = 0; n < decoders_; ++n) {
    if (busy_[n] != 0 && --busy_[n] == 0) settle(n);
  }
}

void ComponentRegisters::settle(unsigned n) {
  const uint32_t at = at_decoder(n, 0x10);
  const bool checked = (registers_.read(at) & kLockOnCommit) != 0;
  registers_.raise(at, !checked || consistent(n) ? kCommitted : kNotCommitted);
}

ComponentRegisters::Decoder ComponentRegisters::decoder(unsigned n) const {
  const auto wide = [&](uint32_t low) {
    return static_cast<uint64_t>(registers_.read(at_decoder(n, low + 4))) << 32 |
           registers_.read(at_decoder(n, low));
  };
  Decoder d;
  d.base = wide(0x00);
  d.size = wide(0x08);
  d.skip = wide(0x14);
  d.control = registers_.read(at_decoder(n, 0x10));
  d.granularity = 8 + (d.control & 0xf);
  d.ways = 1U << (d.control >> 4 & 3);
  return d;
}

// S20 8.2.5.12.20.
bool ComponentRegisters::consistent(unsigned n) const {
  const Decoder d = decoder(n);
  if (d.base + d.size < d.base) return false;
  if ((d.control & 0xf) > 6 || (d.control >> 4 & 0xf) > 3) return false;
  if (n == 0) return true;
  const Decoder below = decoder(n - 1);
  return (below.control & kCommitted) != 0 && d.base >= below.base + below.size;
}

std::optional<uint64_t> ComponentRegisters::hdm_decode(uint64_t hpa) const {
  uint64_t dpa_base = 0;
  for (unsigned n = 0; n < decoders_; ++n) {
    const Decoder d = decoder(n);
    if ((d.control & kCommitted) == 0) continue;
    dpa_base += d.skip;
    if (hpa >= d.base && hpa - d.base < d.size) {
      const uint64_t offset = hpa - d.base;
      const uint64_t low = offset & ((uint64_t{1} << d.granularity) - 1);
      const uint64_t high = (offset >> d.granularity) / d.ways;
      return dpa_base + (high << d.granularity | low);
    }
    dpa_base += d.size / d.ways;
  }
  return std::nullopt;
}

void ComponentRegisters::log_uncorrectable(unsigned bit, uint32_t first_log_word) {
  if ((registers_.read(kRas + 0x04) >> bit & 1) != 0) return;
  if (registers_.read(kRas) == 0) {
    registers_.set(kRas + 0x14, (registers_.read(kRas + 0x14) & ~0x3fU) | bit);
    registers_.set(kRas + 0x18, first_log_word);
  }
  registers_.raise(kRas, 1U << bit);
}

void ComponentRegisters::log_correctable(unsigned bit) {
  if ((registers_.read(kRas + 0x10) >> bit & 1) == 0) registers_.raise(kRas + 0x0c, 1U << bit);
}

}  // namespace peer
