// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// config_space: three parameter sets of the RTL in lockstep with their twins, and what software
// does with the space by hand: sizing BAR0, walking the chains, locking.
#include "refmodel/cxl_io/config_space.hpp"

#include <map>
#include <vector>

#include "Vconfig_space.h"
#include "refmodel/common/registers.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"

namespace cxlgpu::test {
namespace {

using namespace config_offset;

constexpr unsigned kDevices = 3;
// As in config_space_tb.sv.
ConfigSpace::Parameters parameters(unsigned device) {
  if (device == 0) return {};
  if (device == 2) return {.range1_size = 0};
  return {.vendor_id = 0xabcd,
          .device_id = 0x5a96,
          .revision_id = 0xe7,
          .link_speed = 3,
          .link_width = 16,
          .range1_size = 0xA'9876'5432,
          .range2_size = 0x5'0123'4567,
          .serial_number = 0x0123'4567'89ab'cdef,
          .max_spec_granules = 3};
}

class Devices {
 public:
  Lockstep run{"cxl_io/config_space", 0xC5};
  ConfigSpace::In in;  // of the next step
  std::array<ConfigSpace::Out, kDevices> out;

  Devices() { reset(); }
  void reset() {
    twins_.clear();
    for (unsigned d = 0; d < kDevices; ++d) twins_.emplace_back(parameters(d));
    rtl_.reset();
    compare();
  }
  // An edge, and the comparison of what it made.
  void step() {
    drive();
    rtl_.settle();
    compare();  // no output follows an input
    rtl_.edge();
    for (ConfigSpace& twin : twins_) twin.clock(in);
    compare();
  }

  // Accesses by hand; the other inputs stay.
  std::uint32_t read(unsigned offset, unsigned device = 0) {
    in.access = {.valid = true, .word = offset / 4};
    step();
    in.access = {};
    return static_cast<std::uint32_t>(get_bits(rtl_->cfg_rdata_o, 32 * device, 32));
  }
  void write(unsigned offset, std::uint32_t data, unsigned enables = 0xf) {
    in.access = {
        .valid = true, .write = true, .word = offset / 4, .enables = enables, .data = data};
    step();
    in.access = {};
    EXPECT_EQ(out[0].rdata, 0u);
  }

 private:
  void drive() {
    std::uint64_t request = in.access.data;
    request |= std::uint64_t{in.access.enables} << 32 | std::uint64_t{in.access.word} << 36;
    request |= std::uint64_t{in.access.write} << 46 | std::uint64_t{in.access.valid} << 47;
    rtl_->cfg_req_i = request;
    rtl_->mem_active_i = in.mem_active;
    rtl_->port_status_i = static_cast<std::uint8_t>(in.port_status);
    rtl_->ts_data_i = in.ts_data;
    rtl_->id_error_i = static_cast<std::uint8_t>(in.id_error);
    rtl_->event_i = static_cast<std::uint8_t>(in.event);
    rtl_->viral_peer_i = in.viral_peer;
    rtl_->viral_own_i = in.viral_own;
  }
  void compare() {
    for (unsigned d = 0; d < kDevices; ++d) {
      out[d] = twins_[d].eval();
      run.check("cfg_rdata_o", get_bits(rtl_->cfg_rdata_o, 32 * d, 32), out[d].rdata);
      run.check("mem_space_en_o", get_bits(rtl_->mem_space_en_o, d, 1), out[d].mem_space_en);
      run.check("bar0_o", get_bits(rtl_->bar0_o, 64 * d, 46), out[d].bar0);
      run.check("mem_enable_o", get_bits(rtl_->mem_enable_o, d, 1), out[d].mem_enable);
      run.check("range1_base_o", get_bits(rtl_->range1_base_o, 64 * d, 36), out[d].range1_base);
      run.check("range2_base_o", get_bits(rtl_->range2_base_o, 64 * d, 36), out[d].range2_base);
      run.check("viral_o", get_bits(rtl_->viral_o, d, 1), out[d].viral);
      run.check("viral_state_o", get_bits(rtl_->viral_state_o, d, 1), out[d].viral_state);
      if (!run.ok()) {
        ADD_FAILURE() << "device " << d << ", access to " << std::hex << 4 * in.access.word
                      << (in.access.write ? " write" : " read");
        return;
      }
    }
  }

  Clocked<Vconfig_space> rtl_;
  std::vector<ConfigSpace> twins_;
};

// Mostly registers that can be written, or where something is; sometimes anything.
unsigned random_word(Random& random) {
  static constexpr unsigned kWritable[] = {
      kCommand,      kCacheLine,     kBar0,         kBar0High,     kInterrupt,    kDeviceControl,
      kLinkControl,  kPowerControl,  kCxlControl,   kRange1 + 0x8, kRange1 + 0xc, kRange2 + 0x8,
      kRange2 + 0xc, kFlexBusStatus, kTrainingData, kRange1 + 0x4, kRange2 + 0x4};
  const std::uint64_t kind = random.below(100);
  if (kind < 60) return random.pick(kWritable) / 4;
  if (kind < 90) return static_cast<unsigned>(random.bits(7));
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

void randomise(Random& random, const Rates& rates, bool lock, ConfigSpace::In& in) {
  in.access = {.valid = random.percent(rates.accesses),
               .write = random.percent(rates.writes),
               .word = random_word(random),
               .enables = static_cast<unsigned>(random.percent(50) ? 0xf : random.bits(4)),
               .data = static_cast<std::uint32_t>(random.bits(32))};
  if (random.percent(rates.zeros)) in.access.data = random.percent(50) ? 0 : 0xffff'ffff;
  // The lock bit stays until reset: not before there was traffic without it.
  if (lock && random.percent(2)) in.access.word = kCxlLock / 4;
  if (!lock && in.access.word == kCxlLock / 4) in.access.data &= ~1u;
  in.mem_active = random.percent(50);
  in.port_status = static_cast<unsigned>(random.bits(7));
  in.ts_data = static_cast<std::uint32_t>(random.bits(24));
  const bool event = random.percent(rates.events);
  in.event = event ? static_cast<unsigned>(random.bits(6) & random.bits(6)) : 0;
  in.id_error = event ? static_cast<unsigned>(random.bits(3) & random.bits(3)) : 0;
  in.viral_peer = event && random.percent(10);
  in.viral_own = event && random.percent(10);
}

TEST(ConfigSpace, LockstepWithRtl) {
  Devices devices;
  Random random(devices.run.seed());
  Rates rates(random);
  std::uint64_t locked = 0, mapped = 0, enabled = 0, nonzero = 0, announces = 0, changes = 0;
  bool announced = false, lock = false;
  while (devices.run.next()) {
    const std::uint64_t cycle = devices.run.cycle();
    if (cycle % 200 == 0) rates = Rates(random);
    if (cycle % 2000 == 0) {
      devices.reset();
      lock = false;
    }
    randomise(random, rates, cycle % 2000 > 1000, devices.in);
    devices.step();
    const CfgAccess& access = devices.in.access;
    lock |= access.valid && access.write && access.word == kCxlLock / 4 &&
            (access.enables & access.data & 1) != 0;
    locked += lock;
    mapped += devices.out[0].mem_space_en;
    enabled += devices.out[0].mem_enable;
    nonzero += devices.out[1].rdata != 0;
    changes += devices.out[0].viral != announced;
    announced = devices.out[0].viral;
    announces += announced;
  }
  if (devices.run.cycle() > 100000) {
    EXPECT_GT(locked, 5000u);
    EXPECT_GT(mapped, 5000u);
    EXPECT_GT(enabled, 5000u);
    EXPECT_GT(nonzero, 5000u);
    EXPECT_GT(announces, 5000u);
    EXPECT_LT(announces, devices.run.cycle() - 5000);
    EXPECT_GT(changes, 50u);
  }
}

// Every register after reset and after all ones: what is writable, and nothing else.
TEST(ConfigSpace, EveryRegister) {
  Devices devices;
  for (const std::uint32_t data : {0u, 0xffff'ffffu, 0x5555'5555u, 0u}) {
    for (unsigned offset = 0; offset < 0x1000 && devices.run.ok(); offset += 4) {
      if (offset == kCxlLock) continue;
      devices.read(offset);
      for (unsigned byte = 0; byte < 4; ++byte) devices.write(offset, data, 1u << byte);
      devices.read(offset);
    }
  }
}

// The values of docs/blocks.md, written out.
TEST(ConfigSpace, ValuesAfterReset) {
  Devices devices;
  const std::map<unsigned, std::uint32_t> values{
      {0x000, 0xc801'1234}, {0x004, 0x0010'0000}, {0x008, 0x0502'1001}, {0x010, 0x0000'0004},
      {0x02c, 0xc801'1234}, {0x034, 0x0000'0040}, {0x040, 0x0002'8010}, {0x044, 0x0000'8000},
      {0x04c, 0x0040'0085}, {0x050, 0x1085'0000}, {0x064, 0x0001'0000}, {0x06c, 0x0000'003e},
      {0x070, 0x0000'0005}, {0x080, 0x0003'0001}, {0x084, 0x0000'0008}, {0x100, 0x1401'0023},
      {0x104, 0x0381'1e98}, {0x108, 0xc01e'0000}, {0x10c, 0x0000'0002}, {0x110, 0x8000'0000},
      {0x118, 0x0000'0001}, {0x11c, 0x0000'0049}, {0x140, 0x1601'0023}, {0x144, 0x0141'1e98},
      {0x148, 0x0026'0007}, {0x160, 0x1801'0023}, {0x164, 0x01c0'1e98}, {0x168, 0x0000'0008},
      {0x16c, 0x0000'0100}, {0x174, 0x0002'0300}, {0x1a0, 0x1b01'0023}, {0x1a4, 0x0100'1e98},
      {0x1a8, 0x0000'0005}, {0x1b0, 0x0001'0003}, {0x1b4, 0x0000'0001}, {0x180, 0x1a01'0023},
      {0x184, 0x0140'1234}, {0x188, 0x0481'0001}, {0x18c, 0x0001'0000}};
  for (unsigned offset = 0; offset < 0x1000; offset += 4) {
    const auto found = values.find(offset);
    EXPECT_EQ(devices.read(offset), found == values.end() ? 0 : found->second)
        << "offset " << std::hex << offset;
  }
  EXPECT_EQ(devices.read(0x108, 1), 0xc02e'0000u);
  EXPECT_EQ(devices.read(0x118, 1), 0xa987'6543u);
  EXPECT_EQ(devices.read(0x11c, 1), 0x2000'0049u);
  EXPECT_EQ(devices.read(0x128, 1), 0x5012'3456u);
  EXPECT_EQ(devices.read(0x12c, 1), 0x7000'0049u);
  devices.in.mem_active = true;
  EXPECT_EQ(devices.read(0x11c, 0), 0x0000'004bu);
  EXPECT_EQ(devices.read(0x12c, 0), 0u);  // no such range
  EXPECT_EQ(devices.read(0x11c, 2), 0u);
  EXPECT_EQ(devices.read(0x12c, 1), 0x7000'004bu);
}

// All capabilities are found from their heads, each DVSEC with its ID, length and vendor.
TEST(ConfigSpace, DvsecWalk) {
  Devices devices;
  std::vector<unsigned> capabilities;
  for (unsigned at = devices.read(0x34) & 0xff; at != 0 && capabilities.size() < 8;) {
    const std::uint32_t head = devices.read(at);
    capabilities.push_back(head & 0xff);
    at = head >> 8 & 0xff;
  }
  EXPECT_EQ(capabilities, (std::vector<unsigned>{0x10, 0x01}));

  struct Dvsec {
    unsigned at, vendor, id, bytes;
    bool operator==(const Dvsec&) const = default;
  };
  std::vector<Dvsec> found;
  for (unsigned at = 0x100; at != 0 && found.size() < 8;) {
    const std::uint32_t head = devices.read(at);
    if ((head & 0xffff) != 0x23) break;
    EXPECT_EQ(head & 0xf'ffff, 0x1'0023u);  // DVSEC, version 1
    const std::uint32_t vendor = devices.read(at + 4);
    found.push_back({at, vendor & 0xffff, devices.read(at + 8) & 0xffff, vendor >> 20});
    at = head >> 20;
  }
  EXPECT_EQ(found, (std::vector<Dvsec>{{0x100, 0x1e98, 0, 0x38},
                                       {0x140, 0x1e98, 7, 0x14},
                                       {0x160, 0x1e98, 8, 0x1c},
                                       {0x180, 0x1234, 1, 0x14},
                                       {0x1a0, 0x1e98, 5, 0x10}}));
  for (std::size_t i = 1; i < found.size(); ++i)
    EXPECT_LE(found[i - 1].at + found[i - 1].bytes, found[i].at) << "DVSECs overlap";
}

// PCI Express 5.0, 7.9.3: capability 3, version 1, the lower half of the number first.
TEST(ConfigSpace, SerialNumber) {
  test::shows("link", "A memory device has a Device Serial Number capability in its chain",
              "CXL 2.0, 8.1.12.2; PCI Express 5.0, 7.9.3");
  Devices devices;
  for (unsigned device = 0; device < 2; ++device) {
    unsigned at = 0x100, steps = 0;
    while (at != 0 && (devices.read(at, device) & 0xf'ffff) != 0x1'0003 && ++steps < 16)
      at = devices.read(at, device) >> 20;
    EXPECT_EQ(at, 0x1b0u);
    EXPECT_EQ(devices.read(at + 4, device), device == 0 ? 1u : 0x89ab'cdefu);
    EXPECT_EQ(devices.read(at + 8, device), device == 0 ? 0u : 0x0123'4567u);
    devices.write(at + 4, ~0u);
    devices.write(at + 8, ~0u);
    EXPECT_EQ(devices.read(at + 4, device), device == 0 ? 1u : 0x89ab'cdefu);
    EXPECT_EQ(devices.read(at + 8, device), device == 0 ? 0u : 0x0123'4567u);
  }
}

// CXL 2.0, 8.1.3.8.2: of a CXL 2.0 device with memory bits 4:2 and 7:5 read 010b, whatever it is.
TEST(ConfigSpace, RangesAreDescribedByCdat) {
  test::shows("link", "Media_Type and Memory_Class of a range of a CXL 2.0 device are 010b",
              "CXL 2.0, 8.1.3.8.2");
  Devices devices;
  for (const bool active : {false, true}) {
    devices.in.mem_active = active;
    for (const unsigned offset : {0x11cu, 0x12cu}) {
      const std::uint32_t low = devices.read(offset, 1);
      EXPECT_EQ(low >> 2 & 7, 2u);
      EXPECT_EQ(low >> 5 & 7, 2u);
      EXPECT_EQ(low >> 8 & 0x1f, 0u);
      EXPECT_EQ(low & 3, active ? 3u : 1u);
    }
  }
}

TEST(ConfigSpace, BarSizing) {
  Devices devices;
  devices.write(0x10, 0xffff'ffff);
  devices.write(0x14, 0xffff'ffff);
  const std::uint64_t mask =
      std::uint64_t{devices.read(0x14)} << 32 | (devices.read(0x10) & ~std::uint32_t{0xf});
  EXPECT_EQ(~mask + 1, 256u * 1024);
  EXPECT_EQ(devices.read(0x10) & 0xf, 4u);  // 64-bit, not prefetchable
  devices.write(0x14, 0x1234'5678);
  devices.write(0x10, 0x9abd'ffff, 0b0100);
  EXPECT_EQ(devices.out[0].bar0, 0x1234'5678'ffbc'0000 >> 18);
  EXPECT_FALSE(devices.out[0].mem_space_en);
  devices.write(0x04, 2);
  EXPECT_TRUE(devices.out[0].mem_space_en);
  devices.write(0x84, 3);  // D3hot
  EXPECT_FALSE(devices.out[0].mem_space_en);
  for (const std::uint32_t state : {1u, 2u}) {
    devices.write(0x84, state);
    EXPECT_EQ(devices.read(0x84), 0xbu);
  }
  devices.write(0x84, 0);
  EXPECT_TRUE(devices.out[0].mem_space_en);
}

TEST(ConfigSpace, LockAndErrorBits) {
  Devices devices;
  devices.write(0x10c, 0xffff'ffff);
  EXPECT_EQ(devices.read(0x10c), 0x4006u);
  EXPECT_TRUE(devices.out[0].mem_enable);
  devices.write(0x120, 0x1111'1111);
  devices.write(0x124, 0xffff'ffff);
  devices.write(0x114, 1, 0b1110);
  devices.write(0x120, 0x2222'2222);  // not locked yet
  EXPECT_EQ(devices.out[0].range1_base, 0x2'2222'222fu);
  devices.write(0x114, 1, 0b0001);
  for (const unsigned offset : {0x10cu, 0x114u, 0x120u, 0x124u}) devices.write(offset, 0);
  EXPECT_EQ(devices.read(0x10c), 0x4006u);
  EXPECT_EQ(devices.read(0x114), 1u);
  EXPECT_EQ(devices.read(0x120), 0x2222'2222u);
  EXPECT_EQ(devices.read(0x124), 0xf000'0000u);
  EXPECT_TRUE(devices.out[0].mem_enable);
  EXPECT_EQ(devices.out[0].range1_base, 0x2'2222'222fu);

  devices.in.event = 0x3f;
  devices.in.id_error = 7;
  devices.step();
  EXPECT_EQ(devices.read(0x004), 0x8810'0000u);
  EXPECT_EQ(devices.read(0x048), 0x000f'0000u);
  EXPECT_EQ(devices.read(0x14c), 0x0700'0000u);
  devices.write(0x048, 0xffff'ffff);  // the event wins
  EXPECT_EQ(devices.read(0x048), 0x000f'000fu);
  devices.in.event = devices.in.id_error = 0;
  devices.write(0x048, 0x0005'0000, 0b0100);
  EXPECT_EQ(devices.read(0x048), 0x000a'000fu);
  devices.write(0x14c, 0x0300'0000, 0b0111);
  EXPECT_EQ(devices.read(0x14c), 0x0700'0000u);
  devices.write(0x14c, 0x0300'0000);
  EXPECT_EQ(devices.read(0x14c), 0x0400'0000u);
  devices.write(0x004, 0x8000'0000);
  EXPECT_EQ(devices.read(0x004), 0x0810'0000u);
}

// Status bit 30 is set by either end's viral, but only while software allows it; what is announced
// is the device's own viral. Clearing the status takes nothing back (CXL 2.0, 12.4): a reset does.
TEST(ConfigSpace, Viral) {
  constexpr std::uint32_t kStatus = 1u << 30, kEnable = 1u << 14, kIo = 1u << 1;
  Devices devices;
  const auto event = [&](bool peer, bool own) {
    devices.in.viral_peer = peer;
    devices.in.viral_own = own;
    devices.step();
    devices.in.viral_peer = devices.in.viral_own = false;
  };
  const auto announces = [&] { return devices.out[0].viral; };
  const auto viral = [&] { return devices.out[0].viral_state; };
  event(true, true);  // not enabled
  EXPECT_EQ(devices.read(0x10c), kIo);
  EXPECT_FALSE(announces());
  // Enabled from the edge of the write on.
  devices.in.viral_peer = devices.in.viral_own = true;
  devices.write(0x10c, kEnable);
  devices.in.viral_peer = devices.in.viral_own = false;
  EXPECT_EQ(devices.read(0x10c), kEnable | kIo);
  EXPECT_FALSE(announces());
  // The host's: noted, not announced.
  event(true, false);
  EXPECT_EQ(devices.read(0x10c), kStatus | kEnable | kIo);
  EXPECT_FALSE(announces());
  EXPECT_TRUE(viral());
  devices.write(0x10c, kEnable | kStatus);
  EXPECT_EQ(devices.read(0x10c), kEnable | kIo);
  EXPECT_TRUE(viral());
  EXPECT_FALSE(announces());
  event(true, false);
  // Its own, while the bit stands already.
  event(false, true);
  EXPECT_TRUE(announces());
  event(true, false);
  EXPECT_TRUE(announces());
  devices.write(0x10c, kEnable | kStatus, 0b0111);  // not its byte
  EXPECT_TRUE(announces());
  devices.write(0x10c, 0);  // without enable what stands stays
  EXPECT_EQ(devices.read(0x10c), kStatus | kIo);
  EXPECT_TRUE(announces());
  devices.write(0x10c, kStatus);
  EXPECT_EQ(devices.read(0x10c), kIo);
  EXPECT_TRUE(announces() && viral());
  devices.reset();
  EXPECT_FALSE(announces() || viral());
  // An event of the cycle wins over the clearing one; the last cycle with enable counts.
  devices.write(0x10c, kEnable);
  event(false, true);
  devices.in.viral_peer = true;
  devices.write(0x10c, kEnable | kStatus);
  devices.in.viral_peer = false;
  EXPECT_EQ(devices.read(0x10c), kStatus | kEnable | kIo);
  EXPECT_TRUE(announces());
  devices.in.viral_own = true;
  devices.write(0x10c, kStatus);
  devices.in.viral_own = false;
  EXPECT_EQ(devices.read(0x10c), kStatus | kIo);
  EXPECT_TRUE(announces());
  devices.write(0x10c, kStatus);
  EXPECT_EQ(devices.read(0x10c), kIo);
  EXPECT_TRUE(announces());
}

// What regs/ says of the DVSECs is what is here; parameters aside.
TEST(ConfigSpace, DvsecsAsInTheRegisterMap) {
  namespace dev = regs::dvsec_device;
  namespace flex = regs::dvsec_flex_bus;
  namespace loc = regs::dvsec_locator;
  namespace own = regs::dvsec_vendor;
  namespace gpf = regs::dvsec_gpf_device;
  Devices devices;
  devices.in.mem_active = true;
  const auto read16 = [&](unsigned offset) {
    return devices.read(offset & ~3u) >> (8 * (offset & 2)) & 0xffff;
  };
  const auto header = [&](unsigned at, const regs::Field& next, std::uint32_t head,
                          std::uint32_t second, std::uint32_t id) {
    EXPECT_EQ(devices.read(at) & ~next.mask(), head & ~next.mask());
    EXPECT_EQ(devices.read(at + 4), second);
    EXPECT_EQ(read16(at + 8), id);
    return next.get(devices.read(at));
  };
  unsigned at = header(0x100, dev::kCapHeaderNext, dev::kCapHeaderReset, dev::kDvsecHeaderReset,
                       dev::kDvsecIdReset);
  EXPECT_EQ(read16(0x100 + dev::kCapability) & ~dev::kCapabilityHdmCount.mask(),
            dev::kCapabilityReset);
  EXPECT_EQ(read16(0x100 + dev::kControl), dev::kControlReset);
  EXPECT_EQ(read16(0x100 + dev::kStatus), dev::kStatusReset);
  EXPECT_EQ(read16(0x100 + dev::kControl2), dev::kControl2Reset);
  EXPECT_EQ(read16(0x100 + dev::kStatus2), dev::kStatus2Reset);
  EXPECT_EQ(read16(0x100 + dev::kLock), dev::kLockReset);
  const std::uint32_t low = devices.read(0x100 + dev::kRange + dev::kRangeSizeLow);
  EXPECT_TRUE(dev::kRangeSizeLowInfoValid.is_set(low));
  EXPECT_TRUE(dev::kRangeSizeLowActive.is_set(low));
  devices.write(0x100 + dev::kControl, 0xffff'ffff);
  EXPECT_EQ(read16(0x100 + dev::kControl),
            dev::kControlIo.mask() | dev::kControlMem.mask() | dev::kControlViral.mask());

  ASSERT_EQ(at, 0x140u);
  at = header(at, flex::kCapHeaderNext, flex::kCapHeaderReset, flex::kDvsecHeaderReset,
              flex::kDvsecIdReset);
  EXPECT_EQ(read16(0x140 + flex::kCapability), flex::kCapabilityReset);
  devices.write(0x140 + flex::kControl, 0x0000'ffff, 0b0011);
  EXPECT_EQ(read16(0x140 + flex::kControl), flex::kControlReset);

  ASSERT_EQ(at, 0x160u);
  at = header(at, loc::kCapHeaderNext, loc::kCapHeaderReset,
              loc::kDvsecHeaderReset | loc::kDvsecHeaderLength.put(loc::kBlockBytes),
              loc::kDvsecIdReset);
  EXPECT_EQ(devices.read(0x160 + loc::kEntry + loc::kEntryLow), loc::kEntryLowReset);
  EXPECT_EQ(devices.read(0x160 + loc::kEntry + loc::kEntryHigh), loc::kEntryHighReset);
  const unsigned second = 0x160 + loc::kDeviceEntry;
  EXPECT_EQ(devices.read(second + loc::kDeviceEntryLow), loc::kDeviceEntryLowReset);
  EXPECT_EQ(devices.read(second + loc::kDeviceEntryHigh), loc::kDeviceEntryHighReset);

  ASSERT_EQ(at, 0x180u);
  const std::uint32_t vendor = devices.read(0) & 0xffff;
  at = header(at, own::kCapHeaderNext, own::kCapHeaderReset, own::kDvsecHeaderReset | vendor,
              own::kDvsecIdReset);
  EXPECT_EQ(read16(0x180 + own::kCapability) & ~own::kCapabilityMax.mask(), own::kCapabilityReset);
  EXPECT_EQ(devices.read(0x180 + own::kBlockLow), own::kBlockLowReset);
  EXPECT_EQ(devices.read(0x180 + own::kBlockHigh), own::kBlockHighReset);

  ASSERT_EQ(at, 0x1a0u);
  at = header(at, gpf::kCapHeaderNext, gpf::kCapHeaderReset, gpf::kDvsecHeaderReset,
              gpf::kDvsecIdReset);
  EXPECT_EQ(read16(0x1a0 + gpf::kDuration), gpf::kDurationReset);
  EXPECT_EQ(devices.read(0x1a0 + gpf::kPower), gpf::kPowerReset);

  ASSERT_EQ(at, 0x1b0u);
  EXPECT_EQ(devices.read(at) & ~regs::serial_number::kCapHeaderNext.mask(),
            regs::serial_number::kCapHeaderReset);
}

}  // namespace
}  // namespace cxlgpu::test
