// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxl_io: both ends of CXL.io over a wire that damages and loses flits, seen as a host sees them.
//
// Independent of the RTL: flits are checked by io_wire.hpp, and register values are written out by
// hand from the CXL 2.0 layout (DVSECs, component registers, HDM decoder).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/cxl_io/io_enumeration.hpp"

namespace cxlgpu::test {
namespace {

void check_header(Bench& bench) {
  EXPECT_EQ(bench.config_read(0x00), 0xc801'1234u);
  EXPECT_EQ(bench.config_read(0x04), 0x0010'0006u);       // capabilities list
  EXPECT_EQ(bench.config_read(0x08), 0x0502'1001u);       // CXL memory device, revision 1
  EXPECT_EQ(bench.config_read(0x0c) & 0x00ff'0000u, 0u);  // one function
  EXPECT_EQ(walk_capabilities(bench), (std::vector<unsigned>{0x10, 0x01}));  // PCIe, power
}

// DVSEC 0: revision 1, 38h bytes; ranges of 2 GiB and 4.5 GiB.
void check_device_dvsec(Bench& bench, unsigned at) {
  EXPECT_EQ(bench.config_read(at + 0x04), 0x0381'1e98u);
  // Capability: io 1, mem 2, memory initialised by hardware 3, two ranges 5:4, viral 14,
  // PM initialisation reported 15; and over (status 2).
  EXPECT_EQ(bench.config_read(at + 0x08), 0xc02e'0000u);
  EXPECT_EQ(bench.config_read(at + 0x10), 0x8000'0000u);
  EXPECT_EQ(bench.config_read(at + 0x0c), 0x0000'0002u);  // control: io
  EXPECT_EQ(bench.config_read(at + 0x14), 0u);            // not locked
  bench.set_mem_active(false);
  EXPECT_EQ(bench.config_read(at + 0x1c), 0x8000'0049u);  // Memory_Info_Valid, CDAT describes it
  bench.set_mem_active(true);
  EXPECT_EQ(bench.config_read(at + 0x18), 0u);
  EXPECT_EQ(bench.config_read(at + 0x1c), 0x8000'004bu);  // and Memory_Active
  EXPECT_EQ(bench.config_read(at + 0x28), 1u);
  EXPECT_EQ(bench.config_read(at + 0x2c), 0x2000'004bu);
}

// DVSEC 7: what the port is capable of, what was negotiated, training data.
void check_flex_bus_dvsec(Bench& bench, unsigned at) {
  EXPECT_EQ(bench.config_read(at + 0x04), 0x0141'1e98u);
  EXPECT_EQ(bench.config_read(at + 0x08), 0x0026'0007u);  // io 1, mem 2, 68B flits of 2.0 5
  EXPECT_EQ(bench.config_read(at + 0x0c), 0x002e'0000u);
  EXPECT_EQ(bench.config_read(at + 0x10), 0x0000'0436u);
}

// DVSEC 8: block 1 (component registers) in BAR0 at 0, block 3 (CXL device registers) at 20000h.
void check_locator_dvsec(Bench& bench, unsigned at) {
  EXPECT_EQ(bench.config_read(at + 0x04), 0x01c0'1e98u);
  EXPECT_EQ(bench.config_read(at + 0x08), 0x0000'0008u);
  EXPECT_EQ(bench.config_read(at + 0x0c), 0x0000'0100u);
  EXPECT_EQ(bench.config_read(at + 0x10), 0u);
  EXPECT_EQ(bench.config_read(at + 0x14), 0x0002'0300u);
  EXPECT_EQ(bench.config_read(at + 0x18), 0u);
}

// DVSEC 5, mandatory in a device (CXL 2.0, table 124): 10h bytes; phase 2 takes no time, no power.
void check_gpf_dvsec(Bench& bench, unsigned at) {
  EXPECT_EQ(bench.config_read(at + 0x04), 0x0100'1e98u);
  EXPECT_EQ(bench.config_read(at + 0x08), 0x0000'0005u);
  EXPECT_EQ(bench.config_read(at + 0x0c), 0u);
}

void check_vendor_dvsec(Bench& bench, unsigned at) {
  EXPECT_EQ(bench.config_read(at + 0x04), 0x0140'1234u);
  // MemSpecRd with a length: granule 2^8 B, at most 4 of them; ID 1.
  EXPECT_EQ(bench.config_read(at + 0x08), 0x0481'0001u);
  EXPECT_EQ(bench.config_read(at + 0x0c), 0x0001'0000u);
  EXPECT_EQ(bench.config_read(at + 0x10), 0u);
}

// ------------------------------------------------------------------------------------------------
// Tests
// ------------------------------------------------------------------------------------------------

Flit flit_of(const std::vector<std::uint8_t>& bytes) {
  Flit flit{};
  std::copy(bytes.begin(), bytes.end(), flit.begin());
  return flit;
}

std::optional<Flit> first_tlp(const std::vector<Flit>& flits) {
  for (const Flit& flit : flits)
    if (decode(flit).is_tlp) return flit;
  return std::nullopt;
}

TEST(IoPair, GoldenFlits) {
  Bench bench({});
  bench.bring_up();
  ASSERT_GE(bench.rp_first.size(), 3u);
  EXPECT_EQ(bench.rp_first[0], flit_of({0xf0, 0xac, 0x40, 0x01, 0x00, 0x08, 0xf2, 0x7e}));
  EXPECT_EQ(decode(bench.rp_first[1]).type, 0x50u);
  EXPECT_EQ(bench.rp_first[2], flit_of({0xf0, 0xac, 0x60, 0x00, 0x00, 0x00, 0xd8, 0x92}));
  EXPECT_EQ(bench.config_read(0), 0xc801'1234u);
  EXPECT_EQ(first_tlp(bench.rp_first),
            flit_of({0x5f, 0x00, 0x60, 0x00, 0x04, 0x00, 0x00, 0x01, 0x00, 0x08,
                     0x00, 0x0f, 0x01, 0x00, 0x00, 0x00, 0x28, 0xe8, 0xc5, 0xcc}));
  // The completion, without the framing: completer 0:0.0 (no write yet), 4 bytes, requester
  // 00:01.0, tag 0.
  const std::vector<std::uint8_t> completion{0x4a, 0,    0, 1, 0,    0,    0,    4,
                                             0,    0x08, 0, 0, 0x34, 0x12, 0x01, 0xc8};
  const Flit flit = first_tlp(bench.ep_first).value_or(Flit{});
  EXPECT_EQ(std::vector<std::uint8_t>(flit.begin() + 4, flit.begin() + 20), completion);
  expect_quiet(bench, 0);
}

TEST(IoPair, Enumeration) {
  for (const std::uint64_t bar0 : {kBar0, kHighBar0}) {
    Bench bench({});
    bench.bring_up();
    const Device device = enumerate(bench, bar0);
    ASSERT_EQ(device.dvsec.size(), 5u);
    check_header(bench);
    check_device_dvsec(bench, device.dvsec.at(0));
    check_flex_bus_dvsec(bench, device.dvsec.at(7));
    check_locator_dvsec(bench, device.dvsec.at(8));
    check_vendor_dvsec(bench, device.dvsec.at(kVendorDvsec));
    check_gpf_dvsec(bench, device.dvsec.at(5));
    EXPECT_EQ(device.component, bar0);
    EXPECT_EQ(device.vendor, bar0 + 0x1'0000);
    EXPECT_EQ(device.registers, bar0 + 0x2'0000);
    // Array: ID 1, versions 1 and 1, two entries.
    EXPECT_EQ(bench.read(device.component + 0x1000), 0x0311'0001u);
    EXPECT_EQ(bench.read(device.component + 0x1008), 0x2002'0002u);
    EXPECT_EQ(bench.read(device.component + 0x100c), 0x3002'0004u);
    expect_quiet(bench, 0);
  }
}

TEST(IoPair, RequestsNobodyClaims) {
  Bench bench({});
  EXPECT_EQ(bench.request(Op::kCfgRd0, function_address(1, 0, 0)), kNoAnswer);  // no link yet
  bench.bring_up();
  // Only device 0 is at the end of a link: answered by the requester.
  EXPECT_EQ(bench.request(Op::kCfgRd0, function_address(1, 1, 0)), kUnsupportedRead);
  expect_quiet(bench, 0);
  EXPECT_EQ(bench.request(Op::kCfgRd0, function_address(1, 0, 1)), kUnsupportedRead);
  EXPECT_EQ(bench.request(Op::kCfgRd1, function_address(2, 0, 0)), kUnsupportedRead);
  EXPECT_EQ(bench.request(Op::kCfgWr1, function_address(2, 0, 0), 5), kUnsupportedWrite);
  EXPECT_EQ(bench.request(Op::kMemRd, kBar0 + 0x1000), kUnsupportedRead);  // BAR0 not on yet
  map_bar0(bench, kBar0);
  EXPECT_EQ(bench.read(kBar0 + 0x1000), 0x0311'0001u);
  EXPECT_EQ(bench.request(Op::kMemRd, kBar0 + 0x4'0000), kUnsupportedRead);
  EXPECT_EQ(bench.request(Op::kMemRd, kBar0 - 4), kUnsupportedRead);
  EXPECT_EQ(bench.request(Op::kMemRd, kBar0 + (std::uint64_t{1} << 32)), kUnsupportedRead);
  EXPECT_EQ(bench.request(Op::kMemWr, kBar0 + 0x4'0000, 1), kDone);  // posted
  EXPECT_EQ(bench.read(kBar0 + 0x4000), 0u);                         // nothing there, but BAR0's
  expect_quiet(bench, 8);
}

TEST(IoPair, HdmDecoderCommits) {
  Bench bench({});
  bench.bring_up();
  const Device device = enumerate(bench, kBar0);
  bench.config_write(device.dvsec.at(0) + 0x0c, 0x04, 0x1);  // Mem_Enable
  // Four decoders, no targets, both interleave groups, 3/6/12 and 16 ways.
  EXPECT_EQ(bench.read(device.hdm), 0x0000'1b02u);
  constexpr std::uint64_t kBase = 0x10'3000'0000, kSize = 0x8000'0000;
  bench.write(device.hdm + 0x10, 0x3000'0000);
  bench.write(device.hdm + 0x14, 0x10);
  bench.write(device.hdm + 0x18, 0x8000'0000);
  bench.write(device.hdm + 0x1c, 0);
  bench.write(device.hdm + 0x20, 0x1000);  // Type 3
  EXPECT_EQ(bench.read(device.hdm + 0x20), 0x1000u);
  EXPECT_FALSE(bench.translate(kBase));
  bench.write(device.hdm + 0x20, 0x1200);  // Commit
  EXPECT_EQ(bench.read(device.hdm + 0x20), 0x1600u);
  bench.write(device.hdm + 0x04, 2);  // enable
  EXPECT_EQ(bench.read(device.hdm + 0x04), 2u);
  EXPECT_EQ(bench.read(device.hdm + 0x10), 0x3000'0000u);
  EXPECT_EQ(bench.read(device.hdm + 0x14), 0x10u);
  EXPECT_FALSE(bench.translate(kBase - 64));
  EXPECT_EQ(bench.translate(kBase), 0u);
  EXPECT_EQ(bench.translate(kBase + kSize - 64), kSize - 64);
  EXPECT_FALSE(bench.translate(kBase + kSize));
  expect_quiet(bench, 0);
}

TEST(IoPair, ConfigLock) {
  Bench bench({});
  bench.bring_up();
  const unsigned at = enumerate(bench, kBar0).dvsec.at(0);
  bench.config_write(at + 0x20, 0x77);       // range 1 base
  bench.config_write(at + 0x0c, 0x04, 0x1);  // mem enable
  EXPECT_EQ(bench.config_read(at + 0x20), 0x77u);
  EXPECT_EQ(bench.config_read(at + 0x0c), 0x06u);
  EXPECT_TRUE(bench.mem_enable());
  bench.config_write(at + 0x14, 1);
  for (const unsigned offset : {0x20u, 0x0cu, 0x14u}) bench.config_write(at + offset, 0);
  EXPECT_EQ(bench.config_read(at + 0x20), 0x77u);
  EXPECT_EQ(bench.config_read(at + 0x0c), 0x06u);
  EXPECT_EQ(bench.config_read(at + 0x14), 1u);
  EXPECT_TRUE(bench.mem_enable());
  expect_quiet(bench, 0);
}

// CXL 2.0, 8.1.3.8: the ranges decode once Mem_Enable is set and until HDM Decoder Enable is; 2
// GiB, then 4.5 GiB in the device.
TEST(IoPair, DvsecRangesDecodeUntilTheDecodersDo) {
  Bench bench({});
  bench.bring_up();
  const Device device = enumerate(bench, kBar0);
  const unsigned at = device.dvsec.at(0);
  constexpr std::uint64_t kBase1 = 0x12'3000'0000, kSize1 = 0x8000'0000;
  constexpr std::uint64_t kBase2 = 0x40'1000'0000, kSize2 = 0x1'2000'0000;
  bench.config_write(at + 0x20, 0x12);
  bench.config_write(at + 0x24, 0x3000'0000);
  bench.config_write(at + 0x30, 0x40);
  bench.config_write(at + 0x34, 0x1000'0000);
  for (const std::uint64_t hpa : {std::uint64_t{0}, kBase1, kBase2}) {
    EXPECT_FALSE(bench.translate(hpa)) << "Mem_Enable is 0";
  }
  bench.config_write(at + 0x0c, 0x04, 0x1);
  EXPECT_FALSE(bench.translate(0));
  EXPECT_FALSE(bench.translate(kBase1 - 64));
  EXPECT_EQ(bench.translate(kBase1), 0u);
  EXPECT_EQ(bench.translate(kBase1 + 0x1234'5640), 0x1234'5640u);
  EXPECT_EQ(bench.translate(kBase1 + kSize1 - 64), kSize1 - 64);
  EXPECT_FALSE(bench.translate(kBase1 + kSize1));
  EXPECT_FALSE(bench.translate(kBase2 - 64));
  EXPECT_EQ(bench.translate(kBase2), kSize1);
  EXPECT_EQ(bench.translate(kBase2 + kSize2 - 64), kSize1 + kSize2 - 64);
  EXPECT_FALSE(bench.translate(kBase2 + kSize2));
  bench.write(device.hdm + 0x04, 2);  // HDM Decoder Enable: no decoder is committed
  bench.read(device.hdm + 0x04);
  for (const std::uint64_t hpa : {kBase1, kBase2}) EXPECT_FALSE(bench.translate(hpa));
  bench.write(device.hdm + 0x04, 0);
  bench.read(device.hdm + 0x04);
  EXPECT_EQ(bench.translate(kBase2), kSize1);
  bench.config_write(at + 0x0c, 0, 0x1);
  for (const std::uint64_t hpa : {kBase1, kBase2}) EXPECT_FALSE(bench.translate(hpa));
  expect_quiet(bench, 0);
}

// The host is Active and the endpoint is not, since the InitFC2 of the host, and the UpdateFC that
// follow, were lost: the first TLP is what the endpoint hears. It is answered.
TEST(IoPair, FirstTlpEndsFlowControlInitialisation) {
  for (const bool damaged : {false, true}) {
    for (std::uint64_t wait = 0; wait < 40; ++wait) {
      SCOPED_TRACE(wait);
      Bench bench({.seed = 1 + wait, .damage_percent = damaged ? 10u : 0u, .down_delay = 1});
      bool any_tlp = false;
      bench.to_ep.set_loss([&any_tlp](const Flit& flit) {
        const Packet packet = decode(flit);
        any_tlp |= packet.is_tlp;
        return !any_tlp && !packet.is_tlp && (packet.type & 0x80) != 0;  // InitFC2, UpdateFC
      });
      bench.root_port_up();
      bench.steps(wait);
      EXPECT_FALSE(bench.endpoint_is_up());
      EXPECT_EQ(bench.config_read(0x00), 0xc801'1234u);
      EXPECT_TRUE(bench.endpoint_is_up());
      EXPECT_EQ(bench.config_read(0x08), 0x0502'1001u);
      expect_quiet(bench, 0);
    }
  }
}

// One InitFC2 damaged, whichever it is: enumeration does not notice.
TEST(IoPair, AnyInitFc2MayBeLost) {
  for (unsigned lost = 0; lost < 9; ++lost) {
    SCOPED_TRACE(lost);
    Bench bench({});
    unsigned seen = 0;
    bench.to_ep.set_loss([&seen, lost](const Flit& flit) {
      const Packet packet = decode(flit);
      return !packet.is_tlp && (packet.type & 0xc0) == 0xc0 && seen++ == lost;
    });
    bench.root_port_up();
    EXPECT_EQ(bench.config_read(0x00), 0xc801'1234u);
    expect_quiet(bench, 0);
  }
}

// A driver's first steps: capabilities, memory device status, Identify (CXL 2.0, 8.2.8, 8.2.9.5.1).
TEST(IoPair, IdentifyThroughTheMailbox) {
  Bench bench({});
  bench.bring_up();
  const Device device = enumerate(bench, kBar0);
  const std::uint64_t block = device.registers;
  EXPECT_EQ(bench.read(block), 0x0001'0000u);
  ASSERT_EQ(bench.read(block + 0x4), 3u);
  std::map<unsigned, std::uint64_t> found;
  for (unsigned n = 1; n <= 3; ++n) {
    const std::uint64_t entry = block + 0x10 * std::uint64_t{n};
    found[bench.read(entry) & 0xffff] = block + bench.read(entry + 4);
  }
  bench.set_mem_active(false);
  EXPECT_EQ(bench.read(found.at(0x4000)), 0x10u);
  bench.set_mem_active(true);
  EXPECT_EQ(bench.read(found.at(0x4000)), 0x14u);
  const std::uint64_t mailbox = found.at(2);
  EXPECT_EQ(bench.read(mailbox) & 0x1f, 8u);
  EXPECT_EQ(bench.read(mailbox + 0x4), 0u);
  bench.write(mailbox + 0x8, 0x4000);
  bench.write(mailbox + 0x4, 1);
  while ((bench.read(mailbox + 0x4) & 1) != 0) continue;
  EXPECT_EQ(bench.read(mailbox + 0x14), 0u);
  EXPECT_EQ(bench.read(mailbox + 0x8), 0x0043'4000u);
  EXPECT_EQ(bench.read(mailbox + 0x30), 0x1au);  // 6.5 GiB
  EXPECT_EQ(bench.read(mailbox + 0x34), 0u);
  // A structure of each kind keeps to itself: link and RAS have none here, decoders do.
  EXPECT_EQ(bench.read(device.hdm), 0x0000'1b02u);
  expect_quiet(bench, 0);
}

TEST(IoPair, VendorBlockAndWeights) {
  Bench bench({});
  bench.bring_up();
  const Device device = enumerate(bench, kBar0);
  EXPECT_EQ(bench.read(device.vendor + 0x8), 0x0018'0c04u);  // DevLoad thresholds 24, 12, 4
  bench.write(device.vendor, 3);
  bench.write(device.vendor, 0, 0x1);  // not all bytes: aborted, not written
  bench.write(device.vendor, 0, 0x0);  // no byte: nothing
  EXPECT_EQ(bench.read(device.vendor), 3u);
  EXPECT_EQ(bench.events(1), 1u);
  bench.write(device.component + 0xe180, 0x50);
  bench.write(device.component + 0xe1c0, 0x90);
  EXPECT_EQ(bench.read(device.component + 0xe180), 0x50u);
  EXPECT_EQ(bench.read(device.component + 0xe1c0), 0x90u);
  expect_quiet(bench, 0);
}

TEST(IoPair, CompletionTimeout) {
  Bench bench({});
  bench.bring_up();
  const Device device = enumerate(bench, kBar0);
  bench.to_ep.set_cut(true);
  const std::uint64_t start = bench.cycle();
  EXPECT_EQ(bench.request(Op::kMemRd, device.hdm), kNoAnswer);
  EXPECT_GE(bench.cycle() - start, kCplTimeout);
  EXPECT_LT(bench.cycle() - start, kCplTimeout + 100);
  bench.to_ep.set_cut(false);
  // The replay brings the answer to the first one: dropped, not taken for the second's.
  EXPECT_EQ(bench.read(device.vendor + 0x8), 0x0018'0c04u);
  expect_quiet(bench, 0, 1);
}

TEST(IoPair, LinkBounce) {
  Bench bench({.seed = 5});
  bench.bring_up();
  const Device device = enumerate(bench, kBar0);
  for (unsigned i = 0; i < 40; ++i) {
    // A bounce while posted writes, and a read, are in flight.
    for (std::uint64_t n = bench.random.below(4); n > 0; --n)
      bench.write(device.vendor + 0x8, static_cast<std::uint32_t>(bench.random.bits(32)));
    bench.start(Op::kMemRd, device.hdm);
    bench.steps(bench.random.below(30));
    bench.bounce(1 + bench.random.below(5));
    EXPECT_EQ(bench.finish(), kNoAnswer);
    // Registers are as they were, and the link as new.
    const auto value = static_cast<std::uint32_t>(bench.random.bits(32));
    bench.write(device.vendor + 0x8, value);
    EXPECT_EQ(bench.read(device.vendor + 0x8), value & 0x7f7f'7f7f);
  }
  expect_quiet(bench, 0);
}

// Registers of all kinds and what they hold, under random reads and writes.
class RegisterTraffic {
 public:
  RegisterTraffic(Bench& bench, const Device& device) : bench_(bench), bar0_(device.bar0) {
    const unsigned dvsec = device.dvsec.at(0);
    registers_ = {{true, 0x3c, 0xff, 0},
                  {true, 0x0c, 0xff, 0},
                  {true, dvsec + 0x20, kOnes, 0},
                  {true, dvsec + 0x24, 0xf000'0000, 0},
                  {false, device.vendor + 0x8, 0x7f7f'7f7f, 0x0018'0c04},
                  {false, device.vendor + 0xc, 0x7f7f'7f7f, 0x0030'2010},
                  {false, device.hdm + 0x30, 0xf000'0000, 0},
                  {false, device.hdm + 0x34, 0x000f'ffff, 0},  // addresses of 52 bits
                  {false, device.component + 0xe180, 0xf0, 0x10}};
  }

  [[nodiscard]] std::uint64_t unsupported() const { return unsupported_; }

  void step() {
    Random& random = bench_.random;
    Register& r = registers_[random.below(registers_.size())];
    const std::uint64_t kind = random.below(100);
    if (kind < 50) {
      write(r, static_cast<std::uint32_t>(random.bits(32)));
    } else if (kind < 90) {
      EXPECT_EQ(r.config ? bench_.config_read(static_cast<unsigned>(r.at)) : bench_.read(r.at),
                r.value)
          << "register at 0x" << std::hex << r.at;
    } else if (kind < 95) {
      ++unsupported_;
      EXPECT_EQ(bench_.request(Op::kMemRd, bar0_ + 0x4'0000), kUnsupportedRead);
    } else {
      ++unsupported_;
      EXPECT_EQ(bench_.request(Op::kMemWr, bar0_ + 0x4'0000, 1), kDone);
    }
  }

 private:
  struct Register {
    bool config;  // else in BAR0
    std::uint64_t at;
    std::uint32_t writable;
    std::uint32_t value;
  };

  void write(Register& r, std::uint32_t data) {
    std::uint32_t mask = r.writable;
    if (r.config) {
      const auto enables = static_cast<unsigned>(bench_.random.bits(4));
      for (unsigned byte = 0; byte < 4; ++byte)
        if ((enables >> byte & 1) == 0) mask &= ~(0xffu << (8 * byte));
      bench_.config_write(static_cast<unsigned>(r.at), data, enables);
    } else {
      bench_.write(r.at, data);
    }
    r.value = (r.value & ~mask) | (data & mask);
  }

  Bench& bench_;
  std::uint64_t bar0_;
  std::vector<Register> registers_;
  std::uint64_t unsupported_ = 0;
};

// Every request is answered once, rightly, however bad the wire: 0 to 40 % of the flits.
TEST(IoPair, DamagingWire) {
  const std::uint64_t base = from_environment("CXLGPU_SEED", 100);
  for (unsigned i = 0; i < 10; ++i) {
    const unsigned damage = 40 * i / 9;
    SCOPED_TRACE("CXLGPU_SEED=" + std::to_string(base) + ", run " + std::to_string(i) + ", " +
                 std::to_string(damage) + " % damaged");
    Bench bench({.seed = base + i,
                 .damage_percent = damage,
                 .ready_percent = 10 + 9 * (7 * i % 10),
                 .down_delay = 1 + 13 * i % 60,
                 .up_delay = 1 + 29 * i % 60});
    bench.bring_up();
    RegisterTraffic traffic(bench, enumerate(bench, i % 2 == 0 ? kBar0 : kHighBar0));
    for (unsigned n = 0; n < 150; ++n) traffic.step();
    bench.config_read(0);  // behind every posted write
    expect_quiet(bench, traffic.unsupported());
    if (damage > 0) {
      EXPECT_GT(bench.to_ep.damaged(), 10u);
      EXPECT_GT(bench.to_rp.damaged(), 10u);
      EXPECT_GT(bench.rp_sent.replayed(), 0u);
      EXPECT_GT(bench.ep_sent.replayed(), 0u);
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test
