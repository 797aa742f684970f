// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// port_config_space: two parameter sets of the RTL in lockstep with their twins, and what software
// does with the space by hand: buses, windows, BAR0, walking the chains, Link Disable.
#include "refmodel/cxl_io/port_config_space.hpp"

#include <map>
#include <vector>

#include "Vport_config_space.h"
#include "common/registers.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/cxl_io/bridge_bits.hpp"
#include "tests/cxl_io/config_offsets.hpp"

namespace cxlgpu::test {
namespace {

using namespace port_config_offset;

constexpr unsigned kPorts = 2;
// As in port_config_space_tb.sv.
PortConfigSpace::Parameters parameters(unsigned port) {
  if (port == 0) return {};
  return {.vendor_id = 0xabcd,
          .device_id = 0x5a96,
          .revision_id = 0xe7,
          .link_speed = 3,
          .link_width = 16};
}

class Ports {
 public:
  Lockstep run{"cxl_io/port_config_space", 0xB1};
  PortConfigSpace::In in;  // of the next step
  std::array<PortConfigSpace::Out, kPorts> out;

  Ports() { reset(); }
  void reset() {
    twins_.clear();
    for (unsigned p = 0; p < kPorts; ++p) twins_.emplace_back(parameters(p));
    rtl_.reset();
    compare();
  }
  // An edge, and the comparison of what it made.
  void step() {
    drive();
    rtl_.settle();
    compare();  // no output follows an input
    rtl_.edge();
    for (PortConfigSpace& twin : twins_) twin.clock(in);
    compare();
  }

  // Accesses by hand; the other inputs stay.
  std::uint32_t read(unsigned offset, unsigned port = 0) {
    in.access = {.valid = true, .word = offset / 4};
    step();
    in.access = {};
    return out[port].rdata;
  }
  void write(unsigned offset, std::uint32_t data, unsigned enables = 0xf) {
    in.access = {
        .valid = true, .write = true, .word = offset / 4, .enables = enables, .data = data};
    step();
    in.access = {};
    EXPECT_EQ(out[0].rdata, 0u);
  }
  [[nodiscard]] const Bridge& bridge() const { return out[0].bridge; }

 private:
  void drive() {
    std::uint64_t request = in.access.data;
    request |= std::uint64_t{in.access.enables} << 32 | std::uint64_t{in.access.word} << 36;
    request |= std::uint64_t{in.access.write} << 46 | std::uint64_t{in.access.valid} << 47;
    rtl_->cfg_req_i = request;
    rtl_->device_i = static_cast<std::uint8_t>(in.device);
    rtl_->link_up_i = in.link_up;
    rtl_->port_status_i = static_cast<std::uint8_t>(in.port_status);
    rtl_->ts_data_i = in.ts_data;
    rtl_->id_error_i = static_cast<std::uint8_t>(in.id_error);
  }
  void compare() {
    for (unsigned p = 0; p < kPorts; ++p) {
      out[p] = twins_[p].eval();
      run.check("cfg_rdata_o", get_bits(rtl_->cfg_rdata_o, 32 * p, 32), out[p].rdata);
      run.check("link_disable_o", get_bits(rtl_->link_disable_o, p, 1), out[p].link_disable);
      check_bridge(run, rtl_->bridge_o, kBridgeBits * p, out[p].bridge);
      if (!run.ok()) {
        ADD_FAILURE() << "port " << p << ", access to " << std::hex << 4 * in.access.word
                      << (in.access.write ? " write" : " read");
        return;
      }
    }
  }

  Clocked<Vport_config_space> rtl_;
  std::vector<PortConfigSpace> twins_;
};

// Mostly registers that can be written, or where something is; sometimes anything.
unsigned random_word(Random& random) {
  static constexpr unsigned kNamed[] = {kCommand,         kCacheLine,      kBar0,
                                        kBar0High,        kBuses,          kMemory,
                                        kPrefetchable,    kPreBaseHigh,    kPreLimitHigh,
                                        kInterrupt,       kDeviceControl,  kLinkControl,
                                        kPortStatus,      kPortControl,    kAltMemory,
                                        kAltPrefetchable, kAltPreBaseHigh, kAltPreLimitHigh,
                                        kFlexBusStatus,   kTrainingData,   kLinkCapability};
  const std::uint64_t kind = random.below(100);
  if (kind < 70) return random.pick(kNamed) / 4;
  if (kind < 92) return static_cast<unsigned>(random.below(0x170 / 4));
  return static_cast<unsigned>(random.bits(10));
}

struct Rates {
  unsigned accesses, writes, events, zeros;
  explicit Rates(Random& random)
      : accesses(static_cast<unsigned>(random.below(101))),
        writes(static_cast<unsigned>(random.below(101))),
        events(random.percent(30) ? 0 : static_cast<unsigned>(random.below(101))),
        zeros(static_cast<unsigned>(random.below(60))) {}
};

void randomise(Random& random, const Rates& rates, PortConfigSpace::In& in) {
  in.access = {.valid = random.percent(rates.accesses),
               .write = random.percent(rates.writes),
               .word = random_word(random),
               .enables = static_cast<unsigned>(random.percent(50) ? 0xf : random.bits(4)),
               .data = static_cast<std::uint32_t>(random.bits(32))};
  if (random.percent(rates.zeros)) in.access.data = random.percent(50) ? 0 : 0xffff'ffff;
  in.device = static_cast<unsigned>(random.bits(5));
  in.link_up = random.percent(50);
  in.port_status = static_cast<unsigned>(random.bits(7));
  in.ts_data = static_cast<std::uint32_t>(random.bits(24));
  const bool event = random.percent(rates.events);
  in.id_error = event ? static_cast<unsigned>(random.bits(3) & random.bits(3)) : 0;
}

TEST(PortConfigSpace, LockstepWithRtl) {
  Ports ports;
  Random random(ports.run.seed());
  Rates rates(random);
  std::uint64_t mapped = 0, alt = 0, disabled = 0, nonzero = 0, windows = 0;
  while (ports.run.next()) {
    const std::uint64_t cycle = ports.run.cycle();
    if (cycle % 200 == 0) rates = Rates(random);
    if (cycle % 4000 == 0) ports.reset();
    randomise(random, rates, ports.in);
    ports.step();
    mapped += ports.bridge().mem_space;
    alt += ports.bridge().alt;
    disabled += ports.out[0].link_disable;
    nonzero += ports.out[1].rdata != 0;
    windows += ports.bridge().windows.pre_base < ports.bridge().windows.pre_limit;
  }
  if (ports.run.cycle() > 100000) {
    for (const std::uint64_t seen : {mapped, alt, disabled, nonzero, windows}) {
      EXPECT_GT(seen, 5000u);
      EXPECT_LT(seen, ports.run.cycle() - 5000);
    }
  }
}

// Every register after reset and after all ones: what is writable, and nothing else.
TEST(PortConfigSpace, EveryRegister) {
  Ports ports;
  ports.in.device = 0x15;
  for (const std::uint32_t data : {0u, 0xffff'ffffu, 0x5555'5555u, 0u}) {
    for (unsigned offset = 0; offset < 0x1000 && ports.run.ok(); offset += 4) {
      ports.read(offset);
      for (unsigned byte = 0; byte < 4; ++byte) ports.write(offset, data, 1u << byte);
      ports.read(offset);
    }
  }
}

// The values of docs/blocks/cxl_io/port_config_space.md, written out.
TEST(PortConfigSpace, ValuesAfterReset) {
  Ports ports;
  const std::map<unsigned, std::uint32_t> values{
      {0x000, 0xc800'1234}, {0x004, 0x0010'0000}, {0x008, 0x0604'0001}, {0x00c, 0x0001'0000},
      {0x010, 0x0000'0004}, {0x024, 0x0001'0001}, {0x034, 0x0000'0040}, {0x040, 0x0042'0010},
      {0x044, 0x0000'8000}, {0x04c, 0x0050'0085}, {0x050, 0x1085'0000}, {0x06c, 0x0000'003e},
      {0x070, 0x0000'0005}, {0x100, 0x1301'0023}, {0x104, 0x0280'1e98}, {0x108, 0x0000'0003},
      {0x114, 0x0001'0001}, {0x130, 0x1501'0023}, {0x134, 0x0141'1e98}, {0x138, 0x0026'0007},
      {0x13c, 0x0000'0026}, {0x150, 0x1701'0023}, {0x154, 0x0140'1e98}, {0x158, 0x0000'0008},
      {0x15c, 0x0000'0100}, {0x170, 0x0001'0023}, {0x174, 0x0100'1e98}, {0x178, 0x0000'0004}};
  for (unsigned offset = 0; offset < 0x1000; offset += 4) {
    const auto found = values.find(offset);
    EXPECT_EQ(ports.read(offset), found == values.end() ? 0 : found->second)
        << "offset " << std::hex << offset;
  }
  EXPECT_EQ(ports.bridge(), Bridge{});
  EXPECT_EQ(ports.read(0x000, 1), 0x5a96'abcdu);
  EXPECT_EQ(ports.read(0x008, 1), 0x0604'00e7u);
  EXPECT_EQ(ports.read(0x04c, 1), 0x0050'0103u);
  EXPECT_EQ(ports.read(0x050, 1), 0x1103'0000u);
  EXPECT_EQ(ports.read(0x06c, 1), 0x0000'000eu);
  EXPECT_EQ(ports.read(0x070, 1), 0x0000'0003u);
  ports.in = {.device = 0x13, .link_up = true, .port_status = 0x5a, .ts_data = 0x9a'bcde};
  EXPECT_EQ(ports.read(0x04c), 0x1350'0085u);
  EXPECT_EQ(ports.read(0x050), 0x3085'0000u);
  EXPECT_EQ(ports.read(0x13c), 0x005a'0026u);
  EXPECT_EQ(ports.read(0x140), 0x009a'bcdeu);
}

// The DVSECs are found from their heads, and end where the next begins.
TEST(PortConfigSpace, DvsecWalk) {
  Ports ports;
  struct Dvsec {
    unsigned at, vendor, id, bytes;
    bool operator==(const Dvsec&) const = default;
  };
  std::vector<Dvsec> found;
  for (unsigned at = 0x100; at != 0 && found.size() < 8;) {
    const std::uint32_t head = ports.read(at);
    EXPECT_EQ(head & 0xf'ffff, 0x1'0023u);  // DVSEC, version 1
    const std::uint32_t vendor = ports.read(at + 4);
    found.push_back({at, vendor & 0xffff, ports.read(at + 8) & 0xffff, vendor >> 20});
    at = head >> 20;
  }
  EXPECT_EQ(found, (std::vector<Dvsec>{{0x100, 0x1e98, 3, 0x28},
                                       {0x130, 0x1e98, 7, 0x14},
                                       {0x150, 0x1e98, 8, 0x14},
                                       {0x170, 0x1e98, 4, 0x10}}));
  for (std::size_t i = 1; i < found.size(); ++i)
    EXPECT_LE(found[i - 1].at + found[i - 1].bytes, found[i].at) << "DVSECs overlap";
}

TEST(PortConfigSpace, WhatTheRouteIsTold) {
  Ports ports;
  ports.write(0x004, 0x0000'0006);
  ports.write(0x018, 0xff05'0300);
  ports.write(0x020, 0xc12f'c10f);
  ports.write(0x024, 0x9870'6540);
  ports.write(0x028, 0x1111'2222);
  ports.write(0x02c, 0x3333'4444);
  Bridge expected{.mem_space = true,
                  .secondary = 3,
                  .subordinate = 5,
                  .windows = {0xc10, 0xc12, 0x1111'2222'654, 0x3333'4444'987}};
  EXPECT_EQ(ports.bridge(), expected);
  EXPECT_EQ(ports.read(0x018), 0x0005'0300u);
  EXPECT_EQ(ports.read(0x020), 0xc120'c100u);
  EXPECT_EQ(ports.read(0x024), 0x9871'6541u);
  ports.write(0x10c, 0x0807'0004);
  ports.write(0x110, 0xabc0'1230);
  ports.write(0x114, 0x1230'abc0);
  ports.write(0x118, 0x5555'6666);
  ports.write(0x11c, 0x7777'8888);
  expected.alt = true;
  expected.alt_bus_base = 7;
  expected.alt_bus_limit = 8;
  expected.alt_windows = {0x123, 0xabc, 0x5555'6666'abc, 0x7777'8888'123};
  EXPECT_EQ(ports.bridge(), expected);
  // BAR0: sized, then placed byte by byte.
  ports.write(0x010, 0xffff'ffff);
  ports.write(0x014, 0xffff'ffff);
  const std::uint64_t mask =
      std::uint64_t{ports.read(0x014)} << 32 | (ports.read(0x010) & ~std::uint32_t{0xf});
  EXPECT_EQ(~mask + 1, 64u * 1024);
  EXPECT_EQ(ports.read(0x010) & 0xf, 4u);  // 64 bits, not prefetchable
  ports.write(0x014, 0x1234'5678);
  ports.write(0x010, 0x9abd'ffff, 0b0100);
  expected.bar0 = 0x1234'5678'ffbd;
  EXPECT_EQ(ports.bridge(), expected);
  // Without alternates and memory space the rest stays as it is.
  ports.write(0x10c, 0, 0b0001);
  ports.write(0x004, 0);
  expected.alt = expected.mem_space = false;
  EXPECT_EQ(ports.bridge(), expected);
}

// Link Disable acts only unmasked; viral status and enable are not of a root port.
TEST(PortConfigSpace, LinkDisableViralAndErrors) {
  Ports ports;
  const auto disabled = [&] { return ports.out[0].link_disable; };
  ports.write(0x050, 0x10);
  EXPECT_EQ(ports.read(0x050) & 0xffff, 0x10u);
  EXPECT_FALSE(disabled());
  ports.write(0x10c, 0x2);
  EXPECT_TRUE(disabled());
  EXPECT_EQ(ports.read(0x10c), 0x2u);
  ports.write(0x050, 0, 0b0010);  // not its byte
  EXPECT_TRUE(disabled());
  ports.write(0x050, 0);
  EXPECT_FALSE(disabled());
  ports.write(0x050, 0xffff'ffff);
  // ASPM control (bits 1:0) may be written though there is none; the boundary (3) of a root port
  // may not, and says 64 bytes. [PCIe 5.0, 7.5.3.7]
  EXPECT_EQ(ports.read(0x050) & 0xffff, 0xd3u);
  EXPECT_TRUE(disabled());
  ports.write(0x10c, 0);
  EXPECT_FALSE(disabled());

  ports.write(0x10c, 0xffff'ffff);
  EXPECT_EQ(ports.read(0x10c), 0xffff'000fu);
  ports.write(0x108, 0xffff'ffff);
  EXPECT_EQ(ports.read(0x108), 3u);

  ports.write(0x17c, 0xffff'ffff);
  EXPECT_EQ(ports.read(0x17c), 0x0f0f'0f0fu);
  ports.write(0x17c, 0x0102'0304, 0b1010);
  EXPECT_EQ(ports.read(0x17c), 0x010f'030fu);

  ports.in.id_error = 7;
  ports.step();
  ports.write(0x13c, 0x0700'0000);
  EXPECT_EQ(ports.read(0x13c), 0x0700'0002u);  // control was written too: io alone stays
  ports.in.id_error = 0;
  ports.write(0x13c, 0x0500'ffff);
  EXPECT_EQ(ports.read(0x13c), 0x0200'0026u);
}

// What regs/ says of the DVSECs is what is here; parameters aside.
TEST(PortConfigSpace, DvsecsAsInTheRegisterMap) {
  namespace dp = regs::dvsec_port;
  namespace flex = regs::dvsec_flex_bus;
  namespace loc = regs::dvsec_locator;
  namespace gpf = regs::dvsec_gpf_port;
  constexpr unsigned kGpf = 0x170;
  Ports ports;
  const auto read16 = [&](unsigned offset) {
    return ports.read(offset & ~3u) >> (8 * (offset & 2)) & 0xffff;
  };
  EXPECT_EQ(ports.read(kCxlPort + dp::kDvsecHeader), dp::kDvsecHeaderReset);
  EXPECT_EQ(read16(kCxlPort + dp::kDvsecId), dp::kDvsecIdReset);
  EXPECT_EQ(read16(kCxlPort + dp::kStatus), dp::kStatusReset);
  EXPECT_EQ(read16(kCxlPort + dp::kControl), dp::kControlReset);
  EXPECT_EQ(read16(kCxlPort + dp::kAltPreBase), dp::kAltPreBaseReset);
  EXPECT_EQ(read16(kCxlPort + dp::kAltPreLimit), dp::kAltPreLimitReset);
  EXPECT_EQ(ports.read(kFlexBus + flex::kDvsecHeader), flex::kDvsecHeaderReset);
  EXPECT_EQ(read16(kFlexBus + flex::kCapability), flex::kCapabilityReset);
  EXPECT_EQ(ports.read(kLocator + loc::kDvsecHeader),
            loc::kDvsecHeaderReset | loc::kDvsecHeaderLength.put(loc::kDeviceEntry));
  EXPECT_EQ(ports.read(kLocator + loc::kEntry), loc::kEntryLowReset);
  EXPECT_EQ(ports.read(kGpf), gpf::kCapHeaderReset);
  EXPECT_EQ(ports.read(kGpf + gpf::kDvsecHeader), gpf::kDvsecHeaderReset);
  EXPECT_EQ(read16(kGpf + gpf::kDvsecId), gpf::kDvsecIdReset);
  EXPECT_EQ(read16(kGpf + gpf::kPhase1), gpf::kPhase1Reset);
  EXPECT_EQ(read16(kGpf + gpf::kPhase2), gpf::kPhase2Reset);
  ports.write(kPortControl, 0xffff'ffff);
  const std::uint32_t control = read16(kCxlPort + dp::kControl);
  EXPECT_EQ(control, dp::kControlUnmaskSbr.mask() | dp::kControlUnmaskLinkDisable.mask() |
                         dp::kControlAltMemory.mask() | dp::kControlAltBme.mask());
}

}  // namespace
}  // namespace cxlgpu::test
