// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// config_space: three parameter sets of the RTL in lockstep with their twins, and what software
// does with the space by hand: sizing BAR0, walking the chains, locking.
#include "refmodel/cxl_io/config_space.hpp"

#include <map>
#include <vector>

#include "Vconfig_space.h"
#include "common/registers.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/cxl_io/config_offsets.hpp"

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

using Header = std::array<std::uint8_t, 16>;

template <typename Port>
void set_header(Port& port, const Header& header) {
  for (unsigned byte = 0; byte < header.size(); ++byte) set_bits(port, 8 * byte, 8, header[byte]);
}

class Devices {
 public:
  Lockstep run{"cxl_io/config_space", 0xC5};
  ConfigSpace::In in;      // of the next step
  bool hot_reset = false;  // in the next step
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
    if (hot_reset) {
      for (ConfigSpace& twin : twins_) twin.hot_reset();
    }
    compare();  // no output follows an input but a reset
    rtl_.edge();
    for (ConfigSpace& twin : twins_) {
      if (!hot_reset) twin.clock(in);
    }
    compare();
  }
  // Cycles of hot reset, whatever comes in them.
  void reset_hot(unsigned cycles = 1) {
    hot_reset = true;
    for (; cycles > 0; --cycles) step();
    hot_reset = false;
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
    rtl_->hot_reset_i = hot_reset;
    rtl_->mem_active_i = in.mem_active;
    rtl_->port_status_i = static_cast<std::uint8_t>(in.port_status);
    rtl_->ts_data_i = in.ts_data;
    rtl_->id_error_i = static_cast<std::uint8_t>(in.id_error);
    rtl_->io_err_i = static_cast<std::uint16_t>(in.io_err);
    set_header(rtl_->io_err_hdr_i, in.io_err_hdr);
    rtl_->event_i = static_cast<std::uint8_t>(in.event);
    rtl_->event_posted_i = in.event_posted;
    set_header(rtl_->event_hdr_i, in.event_hdr);
    rtl_->ras_i = static_cast<std::uint8_t>(in.ras);
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
  constexpr unsigned kAer = 0x1c0;
  const std::uint64_t kind = random.below(100);
  if (kind < 40) return random.pick(kWritable) / 4;
  if (kind < 60) return kAer / 4 + static_cast<unsigned>(random.below(12));
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
  const auto some = [&](unsigned bits) {
    if (!event) return 0u;
    return static_cast<unsigned>(random.bits(bits) & random.bits(bits) & random.bits(bits));
  };
  in.io_err = some(9);
  in.event = some(4);
  in.event_posted = random.percent(50);
  in.ras = some(3);
  for (unsigned byte = 0; byte < 16; ++byte) {
    in.io_err_hdr[byte] = static_cast<std::uint8_t>(random.bits(8));
    in.event_hdr[byte] = static_cast<std::uint8_t>(random.bits(8));
  }
  in.id_error = event ? static_cast<unsigned>(random.bits(3) & random.bits(3)) : 0;
  in.viral_peer = event && random.percent(10);
  in.viral_own = event && random.percent(10);
}

TEST(ConfigSpace, LockstepWithRtl) {
  Devices devices;
  Random random(devices.run.seed());
  Rates rates(random);
  std::uint64_t locked = 0, mapped = 0, enabled = 0, nonzero = 0, announces = 0, changes = 0;
  std::uint64_t resets = 0;  // hot ones that meet a write
  bool announced = false, lock = false;
  while (devices.run.next()) {
    const std::uint64_t cycle = devices.run.cycle();
    if (cycle % 200 == 0) rates = Rates(random);
    // The one reset, the other, neither; each meets writes and events.
    if (cycle % 2000 == 0) {
      devices.reset();
      lock = false;
    }
    devices.hot_reset = random.below(devices.hot_reset ? 3 : 700) == 0;
    if (devices.hot_reset) lock = false;
    randomise(random, rates, cycle % 2000 > 1000, devices.in);
    devices.step();
    const CfgAccess& access = devices.in.access;
    resets += devices.hot_reset && access.valid && access.write;
    lock |= !devices.hot_reset && access.valid && access.write && access.word == kCxlLock / 4 &&
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
    EXPECT_GT(resets, 50u);
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

// The values of docs/blocks/cxl_io/config_space.md, written out.
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
      {0x1a8, 0x0000'0005}, {0x1b0, 0x1c01'0003}, {0x1b4, 0x0000'0001}, {0x1c0, 0x0002'0001},
      {0x1c8, 0x0040'0000}, {0x1cc, 0x0046'0010}, {0x1d4, 0x0000'6000}, {0x180, 0x1a01'0023},
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

// ---- AER ---------------------------------------------------------------------------------------

// Expected values are those of PCI Express 5.0: 6.2.3.2.4 (advisory errors), 6.2.4 (logging),
// figure 6-2 (Device Status), 7.8.4 (registers).
constexpr unsigned kUncorStatus = 0x1c4, kUncorMask = 0x1c8, kUncorSeverity = 0x1cc,
                   kCorStatus = 0x1d0, kCorMask = 0x1d4, kAerControl = 0x1d8, kHeaderLog = 0x1dc;
constexpr std::uint32_t kUncorBits = 0x0057'9010, kCorBits = 0x71c1;

// What came in one cycle.
struct Errors {
  unsigned io_err = 0, event = 0, ras = 0;
  bool posted = false;
};
constexpr Header kLinkHeader{0x60, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr Header kRequestHeader{0x20, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7,
                                0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff};
void raise(Devices& devices, const Errors& errors) {
  devices.in.io_err = errors.io_err;
  devices.in.event = errors.event;
  devices.in.ras = errors.ras;
  devices.in.event_posted = errors.posted;
  if ((errors.io_err & 0xc0) != 0) devices.in.io_err_hdr = kLinkHeader;
  if (errors.event != 0) devices.in.event_hdr = kRequestHeader;
  devices.step();
  devices.in.io_err = devices.in.event = devices.in.ras = 0;
  devices.in.event_posted = false;
  devices.in.io_err_hdr = devices.in.event_hdr = {};
}
using Words = std::array<std::uint32_t, 4>;
Words header_log(Devices& devices) {
  Words words;
  for (unsigned n = 0; n < 4; ++n) words[n] = devices.read(kHeaderLog + 4 * n);
  return words;
}
constexpr Words kNoLog{}, kLinkLog{0x6001'0203, 0x0405'0607, 0x0809'0a0b, 0x0c0d'0e0f},
    kRequestLog{0x20f1'f2f3, 0xf4f5'f6f7, 0xf8f9'fafb, 0xfcfd'feff};

// Device Status: 1 correctable, 2 non-fatal, 4 fatal, 8 unsupported request.
struct ErrorRow {
  const char* what;
  Errors errors;
  std::uint32_t uncor, cor, device;
  unsigned first;
  Words log;
};
void expect_row(Devices& devices, const ErrorRow& row) {
  SCOPED_TRACE(row.what);
  raise(devices, row.errors);
  EXPECT_EQ(devices.read(kUncorStatus), row.uncor);
  EXPECT_EQ(devices.read(kCorStatus), row.cor);
  EXPECT_EQ(devices.read(0x048) >> 16, row.device);
  EXPECT_EQ(devices.read(kAerControl), row.first);
  EXPECT_EQ(header_log(devices), row.log);
}

TEST(ConfigSpaceAer, EachErrorHasItsBit) {
  test::shows("link",
              "A device logs each error of CXL.io in AER, with its header, and in Device Status",
              "PCI Express 5.0, 6.2, 7.8.4; CXL 2.0, 3.1.4");
  const ErrorRow rows[] = {
      {"bad TLP", {.io_err = 1 << 0}, 0, 1u << 6, 1, 0, kNoLog},
      {"bad DLLP", {.io_err = 1 << 1}, 0, 1u << 7, 1, 0, kNoLog},
      {"replay for a Nak", {.io_err = 1 << 2}, 0, 0, 0, 0, kNoLog},
      {"replay timer", {.io_err = 1 << 3}, 0, 1u << 12, 1, 0, kNoLog},
      {"rollover", {.io_err = 1 << 4}, 0, 1u << 8, 1, 0, kNoLog},
      {"DLLP protocol", {.io_err = 1 << 5}, 1u << 4, 0, 4, 4, kNoLog},
      {"malformed", {.io_err = 1 << 6}, 1u << 18, 0, 4, 18, kLinkLog},
      {"overflow", {.io_err = 1 << 7}, 1u << 17, 0, 4, 17, kNoLog},
      {"framing", {.io_err = 1 << 8}, 0, 1, 1, 0, kNoLog},
      {"posted UR", {.event = 1, .posted = true}, 1u << 20, 0, 2 | 8, 20, kRequestLog},
      {"posted CA", {.event = 2, .posted = true}, 1u << 15, 0, 2, 15, kRequestLog},
      {"posted poison", {.event = 4, .posted = true}, 1u << 12, 0, 2, 12, kRequestLog},
      // The requester's completion says it: advisory, and masked after reset.
      {"UR", {.event = 1}, 0, 1u << 13, 1 | 8, 0, kNoLog},
      {"CA", {.event = 2}, 0, 1u << 13, 1, 0, kNoLog},
      {"poisoned configuration write", {.event = 5}, 0, 1u << 13, 1, 0, kNoLog},
      {"unexpected completion", {.event = 8, .posted = true}, 0, 1u << 13, 1, 0, kNoLog},
      {"two TLPs at once",
       {.io_err = 1 << 6, .event = 1, .posted = true},
       1u << 18 | 1u << 20,
       0,
       2 | 4 | 8,
       18,
       kLinkLog}};
  for (const ErrorRow& row : rows) {
    Devices devices;
    expect_row(devices, row);
  }
}

// With the advisory mask off they are in the uncorrectable status and in the log, still as
// correctable; with their severity fatal they are none.
TEST(ConfigSpaceAer, AdvisoryErrors) {
  test::shows("link",
              "Unsupported and aborted non-posted requests are advisory errors unless fatal",
              "PCI Express 5.0, 6.2.3.2.4, 6.2.4.3");
  const ErrorRow unmasked[] = {
      {"UR", {.event = 1}, 1u << 20, 1u << 13, 1 | 8, 20, kRequestLog},
      {"CA", {.event = 2}, 1u << 15, 1u << 13, 1, 15, kRequestLog},
      {"poisoned configuration write", {.event = 5}, 1u << 12, 1u << 13, 1, 12, kRequestLog},
      {"unexpected completion",
       {.event = 8, .posted = true},
       1u << 16,
       1u << 13,
       1,
       16,
       kRequestLog}};
  for (const ErrorRow& row : unmasked) {
    Devices devices;
    devices.write(kCorMask, 0);
    expect_row(devices, row);
  }
  const ErrorRow fatal[] = {
      {"UR", {.event = 1}, 1u << 20, 0, 4 | 8, 20, kRequestLog},
      {"CA", {.event = 2}, 1u << 15, 0, 4, 15, kRequestLog},
      {"poisoned configuration write", {.event = 5}, 1u << 12, 0, 4, 12, kRequestLog},
      {"unexpected completion", {.event = 8, .posted = true}, 1u << 16, 0, 4, 16, kRequestLog}};
  for (const ErrorRow& row : fatal) {
    Devices devices;
    devices.write(kUncorSeverity, ~0u);
    expect_row(devices, row);
  }
  // Severity the other way.
  Devices devices;
  devices.write(kUncorSeverity, 0);
  expect_row(devices, {"malformed", {.io_err = 1 << 6}, 1u << 18, 0, 2, 18, kLinkLog});
}

// CXL.cachemem's errors are internal ones; which of them is fatal the RAS structure says.
TEST(ConfigSpaceAer, InternalErrors) {
  test::shows("link", "Errors of the RAS structure are internal errors in AER", "CXL 2.0, 12.2");
  const ErrorRow rows[] = {{"correctable", {.ras = 1}, 0, 1u << 14, 1, 0, kNoLog},
                           {"non-fatal", {.ras = 2}, 1u << 22, 0, 2, 0, kNoLog},
                           {"fatal", {.ras = 4}, 1u << 22, 0, 4, 0, kNoLog}};
  for (const ErrorRow& row : rows) {
    Devices devices;
    expect_row(devices, row);
  }
  Devices devices;
  devices.write(kUncorMask, 0);
  expect_row(devices, {"not masked", {.ras = 4}, 1u << 22, 0, 4, 22, kNoLog});
}

// Status is set behind a mask; the first error and the log are not.
TEST(ConfigSpaceAer, MaskedErrors) {
  Devices devices;
  devices.write(kUncorMask, 1u << 20);
  devices.write(kCorMask, ~0u);
  expect_row(
      devices,
      {"masked", {.io_err = 1, .event = 1, .posted = true}, 1u << 20, 1u << 6, 11, 0, kNoLog});
  expect_row(
      devices,
      {"another", {.event = 2, .posted = true}, 1u << 20 | 1u << 15, 1u << 6, 11, 15, kRequestLog});
}

// The first error keeps the log until its own status bit is cleared.
TEST(ConfigSpaceAer, FirstErrorKeepsTheLog) {
  test::shows("link",
              "The header log keeps the first uncorrectable error until its status is cleared",
              "PCI Express 5.0, 6.2.4.2");
  Devices devices;
  raise(devices, {.io_err = 1 << 6});
  raise(devices, {.event = 1, .posted = true});
  EXPECT_EQ(devices.read(kUncorStatus), 1u << 18 | 1u << 20);
  EXPECT_EQ(devices.read(kAerControl), 18u);
  EXPECT_EQ(header_log(devices), kLinkLog);
  devices.write(kUncorStatus, 1u << 20);
  raise(devices, {.event = 1, .posted = true});
  EXPECT_EQ(header_log(devices), kLinkLog);
  devices.write(kUncorStatus, 1u << 18, 0b1011);  // not its byte
  raise(devices, {.event = 2, .posted = true});
  EXPECT_EQ(header_log(devices), kLinkLog);
  devices.write(kUncorStatus, 1u << 18);
  EXPECT_EQ(devices.read(kUncorStatus), 1u << 20 | 1u << 15);
  raise(devices, {.event = 4, .posted = true});
  EXPECT_EQ(devices.read(kAerControl), 12u);
  EXPECT_EQ(header_log(devices), kRequestLog);
  // Cleared in the cycle of the next: that is the first now, and nothing is lost.
  devices.in.io_err = 1 << 6;
  devices.in.io_err_hdr = kLinkHeader;
  devices.write(kUncorStatus, ~0u);
  devices.in.io_err = 0;
  EXPECT_EQ(devices.read(kUncorStatus), 1u << 18);
  EXPECT_EQ(devices.read(kAerControl), 18u);
  EXPECT_EQ(header_log(devices), kLinkLog);
}

// Bits that no error here can set are not to be written either.
TEST(ConfigSpaceAer, WhatIsWritable) {
  Devices devices;
  for (unsigned offset = kUncorStatus; offset < 0x200; offset += 4) devices.write(offset, ~0u);
  EXPECT_EQ(devices.read(kUncorStatus), 0u);
  EXPECT_EQ(devices.read(kUncorMask), kUncorBits);
  EXPECT_EQ(devices.read(kUncorSeverity), kUncorBits);
  EXPECT_EQ(devices.read(kCorStatus), 0u);
  EXPECT_EQ(devices.read(kCorMask), kCorBits);
  for (unsigned offset = kAerControl; offset < 0x200; offset += 4)
    EXPECT_EQ(devices.read(offset), 0u) << offset;
  for (unsigned bit = 0; bit < 32; ++bit) {
    const std::uint32_t one = 1u << bit;
    for (const unsigned offset : {kUncorMask, kUncorSeverity, kCorMask}) devices.write(offset, one);
    EXPECT_EQ(devices.read(kUncorMask), one & kUncorBits);
    EXPECT_EQ(devices.read(kUncorSeverity), one & kUncorBits);
    EXPECT_EQ(devices.read(kCorMask), one & kCorBits);
  }
}

// PCI Express 5.0, 7.4: a hot reset leaves what is sticky, AER and the error bits of CXL, as it is,
// and nothing that comes while it lasts changes it; all else is as after a cold one.
TEST(ConfigSpace, HotResetKeepsWhatIsSticky) {
  constexpr unsigned kSticky[] = {kUncorStatus,   kUncorMask,     kUncorSeverity, kCorStatus,
                                  kCorMask,       kAerControl,    kHeaderLog,     kHeaderLog + 4,
                                  kHeaderLog + 8, kHeaderLog + 12};
  Devices devices;
  std::map<unsigned, std::uint32_t> cold, kept;
  for (unsigned offset = 0; offset < 0x200; offset += 4) cold[offset] = devices.read(offset);
  devices.write(0x10c, 1u << 14 | 1u << 2);  // viral and CXL.mem enabled
  devices.write(kUncorMask, 1u << 12);
  devices.write(kUncorSeverity, 0x0001'0010);
  devices.write(kCorMask, 0x41);
  raise(devices, {.io_err = 1 << 6 | 1 << 1, .event = 1, .posted = true});
  devices.in.id_error = 5;
  devices.in.viral_own = true;
  devices.step();
  devices.in.id_error = 0;
  devices.in.viral_own = false;
  for (const unsigned offset : kSticky) kept[offset] = devices.read(offset);
  for (unsigned offset = 0; offset < 0x1c0; offset += 4) {
    if (offset == 0x114) continue;  // the lock comes last
    if (offset != 0x10c && offset != 0x14c) devices.write(offset, ~0u);
  }
  devices.write(0x114, 1);
  EXPECT_TRUE(devices.out[0].viral && devices.out[0].viral_state && devices.out[0].mem_enable);
  EXPECT_EQ(devices.read(0x10c), 1u << 30 | 1u << 14 | 1u << 2 | 1u << 1);

  // Errors, and a write that would clear what is kept.
  devices.in.io_err = 0x1ff;
  devices.in.event = 0xf;
  devices.in.ras = 7;
  devices.in.id_error = 2;
  devices.in.viral_peer = true;
  for (const unsigned offset : {kUncorStatus, kUncorMask, 0x10cu, 0x14cu}) {
    devices.in.access = {
        .valid = true, .write = true, .word = offset / 4, .enables = 0xf, .data = ~0u};
    devices.reset_hot();
  }
  devices.in = {};
  devices.step();
  EXPECT_FALSE(devices.out[0].viral || devices.out[0].viral_state || devices.out[0].mem_enable);
  for (unsigned offset = 0; offset < 0x1c0; offset += 4) {
    std::uint32_t right = cold[offset];
    if (offset == 0x10c) right |= 1u << 30;
    if (offset == 0x14c) right |= 0x0500'0000;
    EXPECT_EQ(devices.read(offset), right) << "offset " << std::hex << offset;
  }
  for (const unsigned offset : kSticky) EXPECT_EQ(devices.read(offset), kept[offset]) << offset;
  // The first error still holds the log.
  raise(devices, {.event = 2, .posted = true});
  EXPECT_EQ(header_log(devices), kLinkLog);
  devices.reset();
  for (const unsigned offset : kSticky) EXPECT_EQ(devices.read(offset), cold[offset]) << offset;
  EXPECT_EQ(devices.read(0x10c), cold[0x10c]);
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

// Link control of an endpoint: ASPM control (bits 1:0) and the read completion boundary (3) may be
// written, as common clock (6) and extended synch (7); link disable and retrain may not.
// [PCIe 5.0, 7.5.3.7]
TEST(ConfigSpace, LinkControl) {
  Devices devices;
  devices.write(0x050, 0xffff'ffff);
  EXPECT_EQ(devices.read(0x050), 0x1085'00cbu);
  devices.write(0x050, 0);
  EXPECT_EQ(devices.read(0x050), 0x1085'0000u);
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

  // Completer abort and poison of posted requests, an unsupported request, a malformed TLP, a
  // damaged one.
  devices.in.event_posted = true;
  devices.in.io_err = 0x41;
  devices.in.event = 1;
  devices.step();
  devices.in.event = 6;
  devices.in.id_error = 7;
  devices.step();
  EXPECT_EQ(devices.read(0x004), 0x8810'0000u);
  EXPECT_EQ(devices.read(0x048), 0x000f'0000u);
  EXPECT_EQ(devices.read(0x14c), 0x0700'0000u);
  devices.write(0x048, 0xffff'ffff);  // what comes in the same cycle wins: all but bit 19
  EXPECT_EQ(devices.read(0x048), 0x0007'000fu);
  devices.in.io_err = devices.in.event = devices.in.id_error = 0;
  devices.write(0x048, 0x000d'0000, 0b0100);
  EXPECT_EQ(devices.read(0x048), 0x0002'000fu);
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
  EXPECT_EQ(read16(0x140 + flex::kControl), flex::kControlDeviceReset);

  ASSERT_EQ(at, 0x160u);
  at = header(at, loc::kCapHeaderNext, loc::kCapHeaderReset,
              loc::kDvsecHeaderReset | loc::kDvsecHeaderLength.put(loc::kBlockBytes),
              loc::kDvsecIdReset);
  EXPECT_EQ(devices.read(0x160 + loc::kEntry + loc::kEntryLow), loc::kEntryLowReset);
  EXPECT_EQ(devices.read(0x160 + loc::kEntry + loc::kEntryHigh), loc::kEntryHighReset);
  const unsigned second = 0x160 + loc::kDeviceEntry;
  EXPECT_EQ(devices.read(second + loc::kDeviceEntryLow), loc::kDeviceEntryLowDeviceReset);
  EXPECT_EQ(devices.read(second + loc::kDeviceEntryHigh), loc::kDeviceEntryHighDeviceReset);

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
