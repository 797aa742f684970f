// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The root complex in RTL against a strict device: every choice that the standard leaves a device,
// and every wrong thing that a device could do, each alone.
//
// The project's firmware brings the device up by registers; AXI traffic is checked byte by byte.
// Between the two ends lies the physical layer (physical_layer.hpp).
#include <ostream>
#include <string>
#include <vector>

#include "Vrtl_host.h"
#include "Vrtl_host_wrap.h"
#include "common/input_error.hpp"
#include "tests/peer/knob.hpp"
#include "tests/peer/rtl_host_bench.hpp"
#include "tests/peer/standard_device.hpp"

namespace cxlgpu::test {
namespace {

namespace ras = regs::ras;
namespace rp = regs::rp;
namespace timeout = regs::timeout;

constexpr std::uint32_t kRas = 0x100, kLink = 0x200;  // of the port's page
constexpr std::uint32_t kAlwaysPolicy = 1, kDynPolicy = 2;
constexpr unsigned kFalls = 20;  // cycles until both ends are down, at most
constexpr unsigned kPieces = 8;  // of a knob's requests, with an event in each

struct Setting {
  peer::DeviceKnobs device;
  peer::IoDeviceKnobs io;
  PhyOptions phy;
  HostTraffic traffic;
  std::uint32_t policy = kDynPolicy;
  unsigned io_requests = 20;  // of CXL.io, beside each piece of the traffic
  bool isolation = false;     // enabled: a link down isolates until software ends it
  bool loses_memory = false;  // what the link down or the reset takes from the device
  bool device_resets = false, host_resets = false, link_downs = false;
};
struct Legal {
  const char* name;
  const char* what;
  const char* clause;
  std::function<void(Setting&)> set;
};
void PrintTo(const Legal& legal, std::ostream* out) {
  *out << legal.name;
}

// What the physical layer, resets and the traffic add to the device's own knobs.
std::vector<Legal> legal_knobs() {
  std::vector<Legal> all;
  for (const peer::DeviceKnob& knob : peer::legal_device_knobs()) {
    const bool speculation =
        knob.clause == std::string_view("3.3.3");  // a MemSpecRd for every load
    all.push_back({knob.name, knob.what, knob.clause, [&knob, speculation](Setting& s) {
                     s.device = knob.set;
                     if (speculation) s.policy = kAlwaysPolicy;
                   }});
  }
  all.insert(
      all.end(),
      {{"wire_damage", "Flits are damaged on their way, both directions", "4.2.8.5",
        [](Setting& s) {
          s.phy.damaged = {50, 50};
        }},
       {"wrap_inclusive", "The wrap value of INIT.Param is the last sequence number, at both ends",
        "4.2.8.1",
        [](Setting& s) {
          s.device.wrap_inclusive = true;
          s.phy.damaged = {50, 50};
        }},
       {"silent", "The device is silent until the first ALMP; its port comes up 500 cycles apart",
        "5.1.2.2", [](Setting& s) { s.phy.skew = 500; }},
       {"wire_recovery", "The physical layer recovers at any moment", "5.1.2.4",
        [](Setting& s) { s.phy.recovery_every = 2000; }},
       {"wire_x8", "The link has 8 lanes", "6.2", [](Setting& s) { s.phy.width = 8; }},
       {"wire_x4", "The link has 4 lanes", "6.2", [](Setting& s) { s.phy.width = 4; }},
       {"wire_x2", "The link has 2 lanes", "6.2", [](Setting& s) { s.phy.width = 2; }},
       {"wire_x1", "The link has 1 lane", "6.2", [](Setting& s) { s.phy.width = 1; }},
       {"wire_long", "A flit takes 60 cycles", "6.2",
        [](Setting& s) {
          s.phy.flight = {60, 60};
        }},
       {"io_damage", "CXL.io flits are damaged on their way, both directions", "PCIe 3.6",
        [](Setting& s) {
          s.phy.io_damaged = {200, 200};
          s.io.clean_line = false;
          s.io_requests = 200;
        }},
       {"io_bad_crc", "TLPs and DLLPs of the device have a wrong CRC now and then", "PCIe 3.6",
        [](Setting& s) {
          s.io.dllp_damage = s.io.tlp_damage = 3000;
          s.io_requests = 200;
        }},
       {"io_late", "A completion takes up to 2000 cycles", "PCIe 2.8",
        [](Setting& s) {
          s.io.latency_max = 2000;
          s.io_requests = 25;
        }},
       {"io_retry_status", "Configuration requests after reset get Request Retry Status",
        "PCIe 2.3.1", [](Setting& s) { s.io.retry_status_cycles = 20000; }},
       {"io_smallest_credits", "The device grants the smallest credits that the standard allows",
        "PCIe 2.6.1",
        [](Setting& s) {
          s.io.smallest_credits = true;
          s.io_requests = 200;
        }},
       {"io_infinite_credits", "The device grants infinite credits", "PCIe 2.6.1",
        [](Setting& s) {
          s.io.infinite_credits = true;
          s.io_requests = 200;
        }},
       {"io_no_feature", "The device begins without the Data Link Feature exchange", "PCIe 3.3",
        [](Setting& s) { s.io.data_link_feature = false; }},
       {"io_joint_update", "UpdateFC returns several credits at once", "PCIe 2.6.1",
        [](Setting& s) {
          s.io.single_update = false;
          s.io_requests = 200;
        }},
       {"io_spread", "Each packet has a symbol time of its own", "PCIe 4.2.2",
        [](Setting& s) {
          s.io.spread = true;
          s.io_requests = 200;
        }},
       {"io_late_ack", "An Ack is held back for up to 1000 cycles", "PCIe 3.6.3",
        [](Setting& s) {
          s.io.ack_delay_max = 1000;
          s.io_requests = 60;
        }},
       {"device_requests", "The device reads and writes the memory of the host, which lets it not",
        "PCIe 2.3.1",
        [](Setting& s) {
          s.io.requests_per_64k = 2000;
          s.io_requests = 200;
        }},
       {"device_requests_late", "The same, beside late completions and the smallest credits",
        "PCIe 2.3.1; 2.4.1",
        [](Setting& s) {
          s.io.requests_per_64k = 20000;
          s.io.latency_max = 200;
          s.io.smallest_credits = true;
          s.io_requests = 50;
        }},
       {"ten_decoders", "The device has ten HDM decoders, which commit late", "8.2.5.12",
        [](Setting& s) {
          s.io.decoders = 10;
          s.io.commit_cycles = 2000;
        }},
       {"large_memory", "The device has 64 GiB", "8.1.3.8",
        [](Setting& s) { s.io.memory_size = std::uint64_t{64} << 30; }},
       {"host_stalls", "The system takes an answer in a third of the cycles", "4.2.8.1",
        [](Setting& s) { s.traffic.ready = 33; }},
       {"one_line", "All requests have one line", "3.3", [](Setting& s) { s.traffic.lines = 1; }},
       {"reads", "Reads alone", "3.3.5", [](Setting& s) { s.traffic.writes = 0; }},
       {"writes", "Writes alone", "3.3.6", [](Setting& s) { s.traffic.writes = 100; }},
       {"link_down", "The link falls at any moment and comes back", "5.1; 9.9",
        [](Setting& s) { s.link_downs = true; }},
       {"link_down_isolated", "The same, and the port isolates until software ends it",
        "CXL 3.1, 8.2.4.24", [](Setting& s) { s.link_downs = s.isolation = true; }},
       {"link_down_lost", "The same, and the memory of the device is lost with the link", "9.8",
        [](Setting& s) { s.link_downs = s.loses_memory = s.isolation = true; }},
       {"device_reset", "The device is reset at any moment", "9.8",
        [](Setting& s) { s.device_resets = true; }},
       {"host_reset", "The host is reset at any moment", "9.8",
        [](Setting& s) { s.host_resets = true; }}});
  return all;
}

template <typename Top>
struct Bench {
  explicit Bench(const Setting& setting)
      : setting(setting), device(setting.device, setting.io), host(device, setting.phy) {
    host.may_fail = [this](std::uint64_t addr) { return device.mem().may_fail(addr); };
  }
  // False: it did not come up.
  bool bring_up() {
    if (!host.train()) {
      ADD_FAILURE() << "the link does not come up";
      return false;
    }
    try {
      host.bring_up();
    } catch (const InputError& error) {
      ADD_FAILURE() << error.what();
      return false;
    }
    host.port_register(rp::kPolicy,
                       rp::kPolicySelect.put(setting.policy) | rp::kPolicyClipLog2.put(15));
    if (setting.io.requests_per_64k != 0) {
      endpoint_function(IoPort(host, 0))
          .write(config_header::kCommand, config_header::kMemorySpace | config_header::kBusMaster);
    }
    if (setting.isolation) isolate(true);
    return true;
  }
  void isolate(bool on) {
    host.port_register(timeout::kControl, on ? timeout::kControlMemValue.put(1) |
                                                   timeout::kControlMemEnable.mask() |
                                                   timeout::kControlMemIsolation.mask()
                                             : 0);
  }
  // As an operating system does it: isolation ends once the port is not busy any more.
  void end_isolation() {
    for (unsigned i = 0; i < 100000; ++i) {
      const std::uint32_t status = host.port_register(timeout::kStatus);
      if (!timeout::kStatusMemIsolation.is_set(status)) return;
      if (timeout::kStatusBusy.is_set(status)) continue;
      host.port_register(timeout::kStatus, timeout::kStatusMemIsolation.mask() |
                                               timeout::kStatusMemTimeout.mask() |
                                               timeout::kStatusMemLinkDown.mask());
    }
    ADD_FAILURE() << "isolation does not end";
  }

  // Reads of what does not change, and a register that keeps what is written.
  void use_io(unsigned requests) {
    constexpr std::uint32_t kInterruptLine = 0x3c;
    Function function = endpoint_function(IoPort(host, 0));
    for (unsigned i = 0; i < requests; ++i) {
      EXPECT_EQ(function.read(config_header::kId) & 0xffff, host.system.endpoints[0].vendor);
      EXPECT_EQ(regs::hdm::kGlobalControlEnable.is_set(function.io().read(
                    host.system.endpoints[0].hdm_base + regs::hdm::kGlobalControl)),
                true);
      const auto value = static_cast<std::uint32_t>(host.random.below(256));
      function.write(kInterruptLine, value);
      EXPECT_EQ(function.read(kInterruptLine) & 0xff, value);
    }
  }

  Setting setting;
  peer::StandardDevice device;
  BasicRtlHost<Top> host;
};

void expect_no_violation(peer::StandardDevice& device) {
  const auto show = [](const char* who, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size() && i < 5; ++i) ADD_FAILURE() << who << lines[i];
  };
  show("", device.mem().violations());
  show("CXL.io: ", device.io().violations());
}

// Each read of the device has had its completion (PCIe 5.0, 2.3.1); writes get none.
template <typename Top>
void expect_requests_refused(Bench<Top>& bench) {
  peer::IoDevice& device = bench.device.io();
  device.stop_requests();
  const peer::IoDevice::OwnRequests& own = device.own_requests();
  for (unsigned i = 0; i < 20000 && own.open != 0; ++i) bench.host.cycle();
  EXPECT_EQ(own.open, 0u) << "reads of the device without a completion, of " << own.reads;
  EXPECT_GT(own.refused, 0u);
  EXPECT_GT(own.writes, 0u);
}

template <typename Top>
void run_legal(const Legal& knob, Setting setting) {
  Bench<Top> bench(setting);
  auto& host = bench.host;
  const bool up = bench.bring_up();
  if (!up) expect_no_violation(bench.device);
  ASSERT_TRUE(up);
  const std::uint64_t requests = peer_requests();
  setting.traffic.requests = (requests + kPieces - 1) / kPieces;
  const bool events = setting.link_downs || setting.device_resets || setting.host_resets;
  const bool forgets = setting.loses_memory || !setting.link_downs;
  for (unsigned piece = 0; piece < kPieces; ++piece) {
    std::uint64_t at = events ? host.now() + host.random.below(2 * setting.traffic.requests) : 0;
    host.each_cycle = [&] {
      if (at == 0 || host.now() < at) return;
      at = 0;
      // Firmware brings the device up again before another request is made: with the link its
      // registers are lost.
      host.hold_back = true;
      if (setting.isolation) host.hostile = true;
      if (setting.device_resets) {
        bench.device.reset();
        host.phy.reset_end(1);
      }
      if (setting.host_resets) host.reset();
      if (setting.loses_memory) bench.device.mem().memory().clear();
      if (forgets) host.forget_all();
      // What is open then has no outcome that the standard states, unless the port isolates: it may
      // reach the device before firmware has brought that up again.
      if (!setting.isolation) host.forget_open();
      host.phy.take_down();
    };
    host.begin(setting.traffic);
    if (!events && setting.io_requests != 0) bench.use_io(setting.io_requests);
    ASSERT_TRUE(host.finish());
    host.each_cycle = nullptr;
    if (!events) continue;
    // Every second time it falls once more while it comes up.
    if (piece % 2 != 0) {
      host.idle_for(static_cast<unsigned>(host.random.below(600)));
      host.phy.take_down();
      host.idle_for(kFalls);
    }
    if (setting.isolation) bench.end_isolation();
    ASSERT_TRUE(bench.bring_up());
    if (forgets) host.forget_all();
    host.hold_back = host.hostile = false;
  }
  if (setting.io.requests_per_64k != 0) expect_requests_refused(bench);
  expect_no_violation(bench.device);
  const BusCounts& c = host.counts;
  ran(c.reads + c.writes, c.cycles);
  std::printf(
      "%s: %llu reads (%llu errors), %llu writes (%llu errors), %llu cycles, flits %llu down, %llu "
      "up, "
      "%llu damaged, %llu Recoveries, %llu link downs\n",
      knob.name, static_cast<unsigned long long>(c.reads),
      static_cast<unsigned long long>(c.read_errors), static_cast<unsigned long long>(c.writes),
      static_cast<unsigned long long>(c.write_errors), static_cast<unsigned long long>(c.cycles),
      static_cast<unsigned long long>(host.phy.flits[0]),
      static_cast<unsigned long long>(host.phy.flits[1]),
      static_cast<unsigned long long>(host.phy.bad[0] + host.phy.bad[1]),
      static_cast<unsigned long long>(host.phy.recoveries),
      static_cast<unsigned long long>(host.phy.downs));
}

class RtlHostKnobs : public ::testing::TestWithParam<Legal> {};
TEST_P(RtlHostKnobs, Legal) {
  const Legal& knob = GetParam();
  says("root complex", knob.name, knob.what, knob.clause);
  Setting setting;
  setting.phy.seed = peer_seed();
  knob.set(setting);
  setting.device.seed = setting.io.seed = peer_seed();
  if (setting.device.wrap_inclusive) {
    run_legal<Vrtl_host_wrap>(knob, setting);
  } else {
    run_legal<Vrtl_host>(knob, setting);
  }
}
INSTANTIATE_TEST_SUITE_P(Peer, RtlHostKnobs, ::testing::ValuesIn(legal_knobs()), Named<Legal>());

// ---------------------------------------------------------------------- one thing after the other

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
    EXPECT_EQ(host().phy.recoveries, before + 1) << "round " << round;
    bench_->use_io(2);
  }
  ASSERT_TRUE(host().run(setting_.traffic));
  expect_no_violation(bench_->device);
}

// The fourth replay of a TLP in a row takes the link through Recovery (PCIe 5.0, 3.6.2.1).
TEST_F(RtlHostStep, ReplayRolloverBesideAlmps) {
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
  EXPECT_EQ(host().phy.recoveries, before + 1);
  ASSERT_TRUE(host().run(setting_.traffic));
  expect_no_violation(bench_->device);
}

// ------------------------------------------------------------------------------------ what it must
// not do

class RtlHostWrongs : public ::testing::TestWithParam<peer::WrongEntry> {
 protected:
  static constexpr std::uint64_t kSome = 400;  // requests before, with and after it

  std::uint32_t ras_register(std::uint32_t offset) {
    return bench_->host.port_register(kRas + offset);
  }
  // Both masks are ones after reset, and what is masked is not logged (8.2.5.9.2, 8.2.5.9.4).
  void clear_ras() {
    bench_->host.port_register(kRas + ras::kUncorMask, 0);
    bench_->host.port_register(kRas + ras::kCorMask, 0);
    bench_->host.port_register(kRas + ras::kUncorStatus, ~0u);
    bench_->host.port_register(kRas + ras::kCorStatus, ~0u);
    EXPECT_EQ(ras_register(ras::kUncorStatus), 0u);
    EXPECT_EQ(ras_register(ras::kCorStatus), 0u);
  }
  bool log_is_a_flit() {
    peer::Flit log{};
    for (unsigned word = 0; word < 16; ++word) {
      const std::uint32_t value = ras_register(ras::kHeaderLog + 4 * word);
      std::memcpy(&log[4 * word], &value, 4);
    }
    return std::ranges::any_of(bench_->host.heard, [&](const peer::Flit& flit) {
      return std::equal(flit.begin(), flit.begin() + 64, log.begin());
    });
  }
  // Another link that begins with the wrong; the registers of the port stay as they are, the
  // device has lost its own.
  void link_again(const peer::WrongEntry& entry) {
    auto& host = bench_->host;
    host.phy.held = true;
    host.phy.take_down();
    for (unsigned i = 0; i < 200 && !host.phy.down(); ++i) host.cycle();
    ASSERT_TRUE(host.phy.down());
    bench_->device.mem().do_wrong(entry.wrong);
    host.phy.held = false;
    const bool up = host.train();
    ASSERT_TRUE(up || entry.expect.fatal_allowed) << "the link does not come up";
    bench_->end_isolation();
    if (up) {
      ASSERT_TRUE(bench_->bring_up());
    }
  }
  // After a reset and another link all is as before.
  void back_to_normal() {
    auto& host = bench_->host;
    host.reset();
    host.forget_all();
    host.phy.take_down();
    ASSERT_TRUE(bench_->bring_up());
    bench_->isolate(true);
  }

  std::optional<Bench<Vrtl_host>> bench_;
};

TEST_P(RtlHostWrongs, Reaction) {
  const peer::WrongEntry& entry = GetParam();
  const peer::Expect& expect = entry.expect;
  says("root complex", entry.name, entry.what, entry.clause, entry.reaction);
  Setting setting;
  setting.phy.seed = setting.device.seed = peer_seed();
  setting.policy = kAlwaysPolicy;
  setting.traffic.requests = kSome;
  bench_.emplace(setting);
  auto& host = bench_->host;
  ASSERT_TRUE(bench_->bring_up());
  bench_->isolate(true);
  ASSERT_TRUE(host.run(setting.traffic));
  clear_ras();
  const std::uint64_t recoveries = host.phy.recoveries;
  const std::uint64_t retries = bench_->device.mem().wire().link().retries_served();

  host.hostile = expect.fatal_allowed || expect.concerned_may_fail || !expect.unharmed;
  host.record = true;
  if (begins_a_link(entry.wrong)) {
    ASSERT_NO_FATAL_FAILURE(link_again(entry));
  } else {
    bench_->device.mem().do_wrong(entry.wrong);
    for (unsigned round = 0; round < 10 && !bench_->device.mem().wrong_done(); ++round) {
      ASSERT_TRUE(host.run(setting.traffic));
    }
  }
  ASSERT_TRUE(bench_->device.mem().wrong_done()) << "the peer has had no chance";
  ASSERT_TRUE(host.run(setting.traffic));
  host.idle_for(3000);
  host.record = false;

  const std::uint32_t uncorrectable = ras_register(ras::kUncorStatus);
  const std::uint32_t correctable = ras_register(ras::kCorStatus);
  const bool stopped = host.top().abort_o != 0;
  const bool recovery = host.phy.recoveries != recoveries;
  const bool retry = bench_->device.mem().wire().link().retries_served() != retries;
  std::printf(
      "%s: RAS uncorrectable %05x, correctable %02x, log %08x%s%s%s; %llu errors at the bus\n",
      entry.name, uncorrectable, correctable, ras_register(ras::kHeaderLog),
      stopped ? ", link stopped" : "", recovery ? ", Recovery" : "", retry ? ", retry" : "",
      static_cast<unsigned long long>(host.counts.read_errors + host.counts.write_errors));
  EXPECT_EQ(uncorrectable & ~expect.uncorrectable, 0u) << "what is logged has another name";
  if (expect.stated) {
    const bool fatal = expect.fatal_allowed && stopped;
    EXPECT_TRUE(fatal || expect.uncorrectable == 0 || (uncorrectable & expect.uncorrectable) != 0);
    EXPECT_TRUE(fatal || !expect.recovery || recovery);
    EXPECT_TRUE(fatal || !expect.retry || retry);
    if (expect.ignored) {
      EXPECT_EQ(uncorrectable, 0u);
      EXPECT_EQ(correctable, 0u);
      EXPECT_FALSE(recovery || retry || stopped);
    }
  }
  EXPECT_TRUE(!expect.flit_logged || uncorrectable == 0 || log_is_a_flit());
  if (expect.overflow_code >= 0 && (uncorrectable & expect.uncorrectable) != 0) {
    EXPECT_EQ(ras_register(ras::kHeaderLog) & 7, static_cast<unsigned>(expect.overflow_code));
  }
  EXPECT_TRUE(!stopped || expect.fatal_allowed);

  back_to_normal();
  host.hostile = false;
  ASSERT_TRUE(host.run(setting.traffic));
}
INSTANTIATE_TEST_SUITE_P(Peer, RtlHostWrongs,
                         ::testing::ValuesIn(peer::device_wrongs().begin(),
                                             peer::device_wrongs().end()),
                         Named<peer::WrongEntry>());

}  // namespace
}  // namespace cxlgpu::test
