// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The root complex in RTL against the strict device, one thing after the other by hand: what
// software may set in the port's registers, and what comes in the very cycle in which the data link
// asks for Recovery.
#include <optional>

#include "Vrtl_host.h"
#include "tests/common/requirement.hpp"
#include "tests/peer/knob.hpp"
#include "tests/peer/rtl_host_pair.hpp"

namespace cxlgpu::test {
namespace {

constexpr std::uint32_t kLink = 0x200;  // of the port's page

class RtlHostStep : public ::testing::Test {
 protected:
  void start() {
    setting_.phy.seed = setting_.device.seed = setting_.io.seed = peer_seed();
    setting_.traffic.requests = 400;
    bench_.emplace(setting_);
    ASSERT_TRUE(bench_->bring_up());
    ASSERT_TRUE(host().run(setting_.traffic));
  }
  BasicRtlHost<Vrtl_host>& host() { return bench_->host; }
  IoPort port() { return {host(), 0}; }

  Setting setting_;
  std::optional<Bench<Vrtl_host>> bench_;
};

// What the alternate ranges of DVSEC 3 hold goes down though Memory Space Enable is 0 (8.1.5.2, bit
// 2), and the ordinary windows do not. Alternate buses lie from base to limit (8.1.5.3).
TEST_F(RtlHostStep, AlternateRanges) {
  test::shows("link",
              "Alternate bus and memory ranges of a port decode whether Memory Space Enable is set "
              "or not, from base to limit",
              "CXL 2.0, 8.1.5.2, 8.1.5.3");
  namespace dp = regs::dvsec_port;
  ASSERT_NO_FATAL_FAILURE(start());
  Function root = root_port_function(port());
  root.find_dvsecs();
  const std::uint32_t dvsec = root.require_dvsec(3, "CXL extensions for ports");
  const std::uint64_t registers = host().system.endpoints.at(0).hdm_base;
  const std::uint32_t expected = port().read(registers);
  const auto memory = [&] {
    return port().request({.op = IoOp::kMemRd, .addr = registers, .enables = 0xf});
  };
  const auto device_at = [&](unsigned bus) {
    return port().request({.op = IoOp::kCfgRd0, .addr = std::uint64_t{bus} << 20, .enables = 0xf});
  };
  const std::uint32_t id = endpoint_function(port()).read(config_header::kId);
  const auto mib = static_cast<std::uint32_t>(registers >> 20);
  ASSERT_LT(registers >> 32, 1u);

  // No ordinary window, no ordinary bus; then Memory Space Enable both ways.
  root.write(0x20, 0x0000'fff0);
  root.write(0x18, 0);
  root.write(dvsec + dp::kAltMemBase, mib << 20 | mib << 4);
  for (const bool alternates : {false, true}) {
    root.write(dvsec + dp::kControl, 0x0905'0000 | (alternates ? 4u : 0));  // buses 5 to 9
    for (const bool space : {true, false}) {
      root.write(config_header::kCommand,
                 config_header::kBusMaster | (space ? config_header::kMemorySpace : 0));
      SCOPED_TRACE(testing::Message() << "alternates " << alternates << ", space " << space);
      EXPECT_EQ(memory().status, alternates ? CplStatus::kSuccess : CplStatus::kUnsupported);
      EXPECT_EQ(memory().data, alternates ? expected : ~0u);
      EXPECT_EQ(device_at(5).data, alternates ? id : ~0u);
      EXPECT_EQ(device_at(4).status, CplStatus::kUnsupported);
      EXPECT_EQ(device_at(10).status, CplStatus::kUnsupported);
    }
  }
  // A limit below the base: no bus at all.
  root.write(dvsec + dp::kControl, 0x0405'0004);
  EXPECT_EQ(device_at(5).status, CplStatus::kUnsupported);
  EXPECT_EQ(device_at(4).status, CplStatus::kUnsupported);
  // The prefetchable one alone.
  root.write(dvsec + dp::kAltMemBase, 0x0000'fff0);
  EXPECT_EQ(memory().status, CplStatus::kUnsupported);
  root.write(dvsec + dp::kAltPreBase, mib << 20 | mib << 4);
  root.write(dvsec + dp::kAltPreBaseHigh, 0);
  root.write(dvsec + dp::kAltPreLimitHigh, 0);
  EXPECT_EQ(memory().data, expected);
  expect_no_violation(bench_->device);
}

// Bits 0 and 3 of Port Control Extensions are RW (8.1.5.2).
TEST_F(RtlHostStep, PortControlExtensions) {
  test::shows("link", "Unmask SBR and Alt BME of a port read as written", "CXL 2.0, 8.1.5.2");
  ASSERT_NO_FATAL_FAILURE(start());
  Function root = root_port_function(port());
  root.find_dvsecs();
  const std::uint32_t at =
      root.require_dvsec(3, "CXL extensions for ports") + regs::dvsec_port::kControl;
  for (const std::uint32_t bits : {0x1u, 0x8u, 0x9u, 0x0u}) {
    root.write(at, bits);
    EXPECT_EQ(root.read16(at), bits);
  }
  ASSERT_TRUE(host().run(setting_.traffic)) << "no traffic is to be touched by it";
  expect_no_violation(bench_->device);
}

// All of the link registers are written, a hot reset follows; they read as written, and then act
// (8.2.5.11): the order of the compliance test for sticky registers.
TEST_F(RtlHostStep, LinkRegisters) {
  test::shows("link",
              "The link registers of a port read as written, and the credits to give act with the "
              "next hot reset",
              "CXL 2.0, 8.2.5.11.1 to 8.2.5.11.7");
  namespace lnk = regs::link;
  constexpr std::uint32_t kNdr = 5, kDrs = 3;
  const auto word = [&](std::uint32_t offset) { return host().port_register(kLink + offset); };
  const auto set = [&](std::uint32_t offset, std::uint32_t value) {
    host().port_register(kLink + offset, value);
  };
  const auto state = [&] { return word(lnk::kControl) >> 3 & 3; };
  const auto granted = [&](peer::MessageKind kind) {
    return bench_->device.mem().wire().link().credits(kind);
  };
  ASSERT_NO_FATAL_FAILURE(start());
  host().idle_for(2000);
  const std::uint32_t high = word(lnk::kRxCredit + 4);
  const std::uint32_t ndr = word(lnk::kRxCredit) >> 30 | (high & 0xff) << 2,
                      drs = high >> 8 & 0x3ff;
  EXPECT_EQ(granted(peer::MessageKind::Ndr), ndr) << "by default as the register says";
  EXPECT_EQ(granted(peer::MessageKind::Drs), drs);

  set(lnk::kCapability, 2 | 0xff << 8);
  set(lnk::kRxCredit, (kNdr & 3) << 30);
  set(lnk::kRxCredit + 4, kNdr >> 2 | kDrs << 8);
  set(lnk::kAckTimer, 0x20 | 0x40 << 8);
  set(lnk::kDefeature, 1);
  host().idle_for(2000);
  EXPECT_EQ(granted(peer::MessageKind::Ndr), ndr) << "nothing is taken back";
  EXPECT_EQ(granted(peer::MessageKind::Drs), drs);
  ASSERT_TRUE(host().run(setting_.traffic)) << "they act with the next hot reset";
  set(lnk::kControl, 6);  // LL_Init_Stall, LL_Crd_Stall
  const auto expect_held = [&] {
    EXPECT_EQ(word(lnk::kCapability) & 0xff0f, 0xff02u);
    EXPECT_EQ(word(lnk::kRxCredit) >> 30, kNdr & 3);
    EXPECT_EQ(word(lnk::kRxCredit + 4), kNdr >> 2 | kDrs << 8);
    EXPECT_EQ(word(lnk::kAckTimer), 0x4020u);
    EXPECT_EQ(word(lnk::kDefeature), 1u);
    EXPECT_EQ(word(lnk::kControl) & 6, 6u);
  };
  expect_held();
  host().phy.take_down();
  for (unsigned i = 0; i < 2000 && !host().phy.down(); ++i) host().cycle();
  for (unsigned i = 0; i < 2000 && !host().phy.up(); ++i) host().cycle();
  host().idle_for(3000);
  expect_held();
  EXPECT_EQ(state(), 0u) << "LL_Init_Stall holds back INIT.Param";
  EXPECT_FALSE(bench_->device.mem().wire().link().initialised());
  set(lnk::kControl, 4);
  host().idle_for(3000);
  EXPECT_EQ(state(), 2u);
  EXPECT_TRUE(bench_->device.mem().wire().link().initialised());
  EXPECT_EQ(granted(peer::MessageKind::Ndr), 0u) << "LL_Crd_Stall";
  EXPECT_EQ(granted(peer::MessageKind::Drs), 0u);
  set(lnk::kControl, 0);
  host().idle_for(3000);
  EXPECT_EQ(state(), 3u);
  EXPECT_EQ(granted(peer::MessageKind::Ndr), kNdr);
  EXPECT_EQ(granted(peer::MessageKind::Drs), kDrs);
  host().forget_all();
  ASSERT_TRUE(bench_->bring_up());
  ASSERT_TRUE(host().run(setting_.traffic));
  host().idle_for(2000);
  EXPECT_EQ(granted(peer::MessageKind::Ndr), kNdr) << "none is lost, none added";
  EXPECT_EQ(granted(peer::MessageKind::Drs), kDrs);
  expect_no_violation(bench_->device);
}

// A device that masters the bus reads and writes memory of the host, which lets no device into it.
TEST_F(RtlHostStep, RequestsOfTheDevice) {
  test::shows("link",
              "Each memory read of a device is completed with Unsupported Request by the root port",
              "PCI Express 5.0, 2.3.1");
  setting_.io.requests_per_64k = 4000;
  ASSERT_NO_FATAL_FAILURE(start());
  peer::IoDevice& device = bench_->device.io();
  bench_->use_io(100);
  ASSERT_TRUE(host().run(setting_.traffic));
  device.stop_requests();
  host().idle_for(2000);
  EXPECT_GT(device.own_requests().refused, 100u);
  EXPECT_GT(device.own_requests().writes, 20u);
  EXPECT_EQ(device.own_requests().open, 0u) << "reads without a completion";
  bench_->use_io(5);
  expect_no_violation(bench_->device);
}

// ALMPs of the CXL.io vLSM that ask for nothing but an answer which need not come: the device would
// enter L1, the host does not (5.1.2.5.1). They arrive while the data link asks for Recovery.
void ask_for_l1(peer::StandardDevice& device, unsigned times) {
  const peer::Almp almp{.request = true, .state = static_cast<std::uint8_t>(peer::VlsmState::L1)};
  for (unsigned i = 0; i < times; ++i) {
    device.mem().wire().arb().send_raw(peer::FlitKind::Almp, peer::make_almp(almp));
  }
}

// A framing error takes the link through Recovery (PCIe 5.0, 4.2.2.3.3), whatever comes behind it.
TEST_F(RtlHostStep, FramingErrorBesideAlmps) {
  test::shows("link",
              "A framing error of CXL.io ends in Recovery, also when ALMPs of its vLSM come right "
              "behind it",
              "PCI Express 5.0, 4.2.2.3.3; CXL 2.0, 5.1.2.5.2");
  ASSERT_NO_FATAL_FAILURE(start());
  for (unsigned round = 0; round < 16; ++round) {
    // Alone they are no reason for Recovery.
    const std::uint64_t before = host().phy.recoveries;
    if (round != 0) ask_for_l1(bench_->device, 12);
    host().idle_for(300);
    ASSERT_EQ(host().phy.recoveries, before);
    bench_->device.io().do_wrong(peer::LinkWrong::FramingToken);
    for (unsigned i = 0; i < 2000 && !bench_->device.io().link().wrong_done(); ++i) host().cycle();
    ASSERT_TRUE(bench_->device.io().link().wrong_done());
    if (round != 0) ask_for_l1(bench_->device, 3 + round);
    host().idle_for(300);
    // The request stands until Recovery begins, which the physical layer may take for another one.
    EXPECT_GT(host().phy.recoveries, before) << "round " << round;
    bench_->use_io(2);
  }
  ASSERT_TRUE(host().run(setting_.traffic));
  expect_no_violation(bench_->device);
}

// The fourth replay of a TLP in a row takes the link through Recovery (PCIe 5.0, 3.6.2.1).
TEST_F(RtlHostStep, ReplayRolloverBesideAlmps) {
  test::shows("link",
              "A TLP that is replayed four times takes the link through Recovery, also when ALMPs "
              "of the CXL.io vLSM come all the while",
              "PCI Express 5.0, 3.6.2.1; CXL 2.0, 5.1.2.5.2");
  constexpr unsigned kDamaged = 5;
  ASSERT_NO_FATAL_FAILURE(start());
  peer::IoDevice& device = bench_->device.io();
  const std::uint64_t before = host().phy.recoveries;
  device.find_damaged(kDamaged);
  std::uint64_t quiet_from = 0;
  host().each_cycle = [&] {
    if (device.link().still_to_damage() == 0 && quiet_from == 0) quiet_from = host().now() + 40;
    if (quiet_from == 0 || host().now() < quiet_from) ask_for_l1(bench_->device, 1);
  };
  // The read comes to its end once the link has recovered, or with the replay after that.
  EXPECT_EQ(endpoint_function(port()).read(config_header::kId) & 0xffff,
            host().system.endpoints[0].vendor);
  while (quiet_from == 0 || host().now() < quiet_from + 500) host().cycle();
  host().each_cycle = nullptr;
  EXPECT_EQ(device.link().still_to_damage(), 0u);
  EXPECT_GT(host().phy.recoveries, before);
  ASSERT_TRUE(host().run(setting_.traffic));
  expect_no_violation(bench_->device);
}

}  // namespace
}  // namespace cxlgpu::test
