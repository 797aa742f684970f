// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Viral and RAS in the whole system: software makes a root port viral under traffic, and the host
// passes it on: the endpoints behind all ports say so in their status; and the endpoints' RAS
// structures, found by the capability array, on clean and noisy links.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <memory>

#include "common/registers.hpp"
#include "flits/control.hpp"
#include "flits/flit_log.hpp"
#include "sim/firmware/function.hpp"
#include "sim/host/scoreboard.hpp"
#include "tb/rtl_engine.hpp"
#include "tests/common/requirement.hpp"
#include "tests/system/random_traffic.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {
namespace {

namespace fs = std::filesystem;
namespace ras = regs::ras;
using flits::Direction;

constexpr std::uint64_t kBase = 0x100000000;
constexpr unsigned kPorts = 2;
constexpr std::uint32_t kControl = 0x10c;  // CXL control in 15:0, status in 31:16
constexpr std::uint32_t kViralEnable = 1u << 14, kViralStatus = 1u << 30;
constexpr std::uint32_t kPortViral = 0x840;

class Viral : public ::testing::Test {
 protected:
  void SetUp() override {
    config_.engine = "rtl";
    config_.ports = kPorts;
    config_.hdm = {{kBase, 512 << 20, 1024, {0, 1}}};
    log_ = fs::temp_directory_path() / ("viral_test_" + std::to_string(getpid()) + ".log");
  }
  void TearDown() override { fs::remove(log_); }

  void make(std::uint64_t requests) {
    EngineOptions options;
    options.flit_log = log_.string();
    engine_ = std::make_unique<RtlEngine>(
        config_, EngineParts{{false, 3}, {&media_[0], &media_[1]}, {}, nullptr}, options);
    checked_ = std::make_unique<CheckedEngine>(*engine_);
    make_traffic(requests, 16);  // a register access lasts: what answers meanwhile the engine keeps
  }
  void make_traffic(std::uint64_t requests, unsigned outstanding) {
    RandomTraffic::Options traffic;
    traffic.requests = requests;
    traffic.base = kBase;
    traffic.idle_share = 0;
    traffic.outstanding = outstanding;
    traffic_ = std::make_unique<RandomTraffic>(traffic);
  }
  // Traffic until so many requests of the run are answered, every load checked.
  void answered(std::uint64_t n) {
    while (traffic_->answered() < n) {
      traffic_->step(*checked_);
      ASSERT_LT(engine_->cycles(), 2'000'000u) << "no answers any more";
      checked_->advance_to(checked_->now() + kCycle);
    }
  }
  void expect_right() {
    engine_->finish();
    EXPECT_EQ(checked_->id_errors(), 0u);
    EXPECT_EQ(checked_->error_responses(), 0u);
    EXPECT_EQ(checked_->mismatches(), 0u)
        << (checked_->records().empty() ? "" : to_string(checked_->records()[0]));
    EXPECT_GT(checked_->reads(), 100u);
    for (const std::string& problem : engine_->problems()) ADD_FAILURE() << problem;
  }

  [[nodiscard]] IoPort io(unsigned port) { return {*engine_, port}; }
  [[nodiscard]] Function config(unsigned port) { return endpoint_function(io(port)); }
  std::uint32_t status(unsigned port) { return config(port).read(kControl); }
  void enable_viral(unsigned port) { config(port).write(kControl, status(port) | kViralEnable); }
  void make_viral(unsigned port) { engine_->write(RegisterSpace::RootPort, port, kPortViral, 1); }
  std::uint32_t port_viral(unsigned port) {
    return engine_->read(RegisterSpace::RootPort, port, kPortViral);
  }
  // A structure of the component registers by its capability ID; 0 if there is none.
  std::uint64_t structure(unsigned port, unsigned id) {
    IoPort bus = io(port);
    const std::uint64_t block =
        (std::uint64_t{config(port).read(0x14)} << 32 | (config(port).read(0x10) & ~0xfu)) + 0x1000;
    const unsigned entries = bus.read(block) >> 24;
    for (unsigned n = 1; n <= entries; ++n) {
      const std::uint32_t entry = bus.read(block + 4 * std::uint64_t{n});
      if ((entry & 0xffff) == id) return block + (entry >> 20);
    }
    return 0;
  }

  // What the log of the wires says of viral on a link.
  struct OnWire {
    unsigned announced = 0;             // flits with their CRC inverted
    unsigned acks = 0, viral_acks = 0;  // RETRY.Ack
    bool operator==(const OnWire&) const = default;
  };
  std::array<OnWire, 2> on_wire(unsigned port) {
    std::array<OnWire, 2> found;
    flits::FlitLogReader log(log_.string());
    flits::FlitRecord r;
    const std::string link = "link" + std::to_string(port);
    while (log.read(r)) {
      if (r.recovery || r.link != link) continue;
      if (r.flit.protocol_id().id != flits::ProtocolId::CacheMem) continue;
      OnWire& wire = found[flits::index(r.direction)];
      wire.announced += r.flit.crc_inverted();
      const auto retry = flits::classify_retry(r.flit);
      const auto* ack = retry ? std::get_if<flits::RetryAck>(&*retry) : nullptr;
      if (ack == nullptr || !r.flit.crc_ok()) continue;
      ++wire.acks;
      wire.viral_acks += ack->viral;
    }
    return found;
  }

  RunConfig config_;
  fs::path log_;
  std::array<SimpleMedia, kPorts> media_ = {SimpleMedia(1, Time{20000}, Time{60000}),
                                            SimpleMedia(2, Time{20000}, Time{60000})};
  std::unique_ptr<RtlEngine> engine_;
  std::unique_ptr<CheckedEngine> checked_;
  std::unique_ptr<RandomTraffic> traffic_;
};

TEST_F(Viral, TheDevicesBehindAllPortsSaySo) {
  test::shows(
      "link",
      "A host that is viral at one port signals viral to the devices below all of its ports",
      "CXL 2.0, 12.4");
  make(3000);
  for (unsigned port = 0; port < kPorts; ++port) {
    enable_viral(port);
    EXPECT_EQ(status(port) & (kViralEnable | kViralStatus), kViralEnable);
  }
  answered(1000);
  for (unsigned port = 0; port < kPorts; ++port) EXPECT_EQ(status(port) & kViralStatus, 0u);
  make_viral(0);
  answered(2000);
  for (unsigned port = 0; port < kPorts; ++port) {
    EXPECT_EQ(status(port) & kViralStatus, kViralStatus);
    // The device only heard of it, and says nothing itself.
    EXPECT_EQ(port_viral(port), 1u);
    // Software cannot take it back.
    engine_->write(RegisterSpace::RootPort, port, kPortViral, 0);
    EXPECT_EQ(port_viral(port), 1u);
    // Cleared in the device, it stays so: each announcement is told once.
    config(port).write(kControl, (status(port) & 0xffff) | kViralStatus);
  }
  answered(3000);
  for (unsigned port = 0; port < kPorts; ++port) EXPECT_EQ(status(port) & kViralStatus, 0u);
  expect_right();
  for (unsigned port = 0; port < kPorts; ++port) {
    EXPECT_EQ(engine_->link(port).m2s.damaged, 1u);
    EXPECT_EQ(engine_->link(port).s2m.damaged, 0u);
  }
  engine_.reset();
  for (unsigned port = 0; port < kPorts; ++port) {
    EXPECT_EQ(on_wire(port)[0], (OnWire{1, 1, 1}));
    EXPECT_EQ(on_wire(port)[1], OnWire{});
  }
}

// The wire is the same, but the device was not told to mind.
TEST_F(Viral, NotEnabled) {
  make(1500);
  answered(500);
  for (unsigned port = 0; port < kPorts; ++port) make_viral(port);
  answered(1500);
  for (unsigned port = 0; port < kPorts; ++port) {
    EXPECT_EQ(status(port) & (kViralEnable | kViralStatus), 0u);
    EXPECT_EQ(engine_->link(port).m2s.damaged, 1u);
  }
  expect_right();
}

// No traffic: the port makes a flit for it.
TEST_F(Viral, OnAnIdleLink) {
  make(300);
  enable_viral(1);
  make_viral(1);
  engine_->advance_to(engine_->now() + kCycle * 500);
  EXPECT_EQ(status(1) & kViralStatus, kViralStatus);
  answered(300);
  expect_right();
}

TEST_F(Viral, RasOfTheEndpoints) {
  make(2000);
  std::array<std::uint64_t, kPorts> at{};
  for (unsigned port = 0; port < kPorts; ++port) {
    at[port] = structure(port, 2);
    ASSERT_NE(at[port], 0u);
    EXPECT_EQ(at[port] & 0x1'ffff, 0x1200u);
    EXPECT_EQ(structure(port, 5) & 0x1'ffff, 0x1800u);
    EXPECT_EQ(structure(port, 4) & 0x1'ffff, 0x1300u);
    EXPECT_EQ(structure(port, 9), 0u);
  }
  EXPECT_NE(at[0], at[1]);
  answered(2000);
  for (unsigned port = 0; port < kPorts; ++port) {
    IoPort bus = io(port);
    EXPECT_EQ(bus.read(at[port] + ras::kUncorStatus), 0u);
    EXPECT_EQ(bus.read(at[port] + ras::kUncorMask), 0x1'cfffu);
    EXPECT_EQ(bus.read(at[port] + ras::kUncorSeverity), 0x1'cfffu);
    EXPECT_EQ(bus.read(at[port] + ras::kCorStatus), 0u);
    EXPECT_EQ(bus.read(at[port] + ras::kCorMask), 0x7fu);
    EXPECT_EQ(bus.read(at[port] + ras::kControl), ras::kControlPoisonEnabled.mask());
    EXPECT_EQ(bus.read(at[port] + 0x7c), 0u);  // the last of the window
    EXPECT_EQ(bus.read(at[port] + 0x80), 0u);
  }
  // Each end has its own.
  io(0).write(at[0] + ras::kUncorMask, 0x101);
  EXPECT_EQ(io(0).read(at[0] + ras::kUncorMask), 0x101u);
  EXPECT_EQ(io(1).read(at[1] + ras::kUncorMask), 0x1'cfffu);
  EXPECT_EQ(engine_->read(RegisterSpace::RootPort, 0, 0x100 + ras::kUncorMask), 0x1'cfffu);
  expect_right();
}

// CRC errors and retries at the endpoint, counted up to their thresholds; the host's end of the
// link, where nothing is damaged, has none.
TEST_F(Viral, RasOnNoisyLinks) {
  config_.link.bit_error_rate_m2s = 2.5e-5;
  make(0);
  const std::uint64_t at = structure(0, 2);
  ASSERT_NE(at, 0u);
  // A masked error would set no status (CXL 2.0, 8.2.5.9.4).
  io(0).write(at + ras::kCorMask, 0);
  engine_->write(RegisterSpace::RootPort, 0, 0x100 + ras::kCorMask, 0);
  EXPECT_EQ(io(0).read(at + ras::kCorStatus), 0u);
  io(0).write(at + ras::kCorMask, 0);  // masked errors are not kept
  const std::uint32_t both =
      ras::kCorStatusCrcThreshold.mask() | ras::kCorStatusRetryThreshold.mask();
  std::uint32_t seen = 0, only_retry = 0;
  for (unsigned round = 0; round < 60 && (seen & both) != both; ++round) {
    make_traffic(2000, 128);  // over before the next register access
    answered(2000);
    if (HasFatalFailure()) return;
    seen = io(0).read(at + ras::kCorStatus);
    only_retry |= (seen & both) == ras::kCorStatusRetryThreshold.mask();
    if (engine_->link(0).m2s.damaged < 16) {
      EXPECT_EQ(seen & both, 0u);
    }
  }
  EXPECT_EQ(seen & both, both);
  EXPECT_NE(only_retry, 0u);  // 16 retries come long before 256 CRC errors
  EXPECT_GE(engine_->link(0).m2s.damaged, 256u);
  EXPECT_EQ(io(0).read(at + ras::kUncorStatus), 0u);
  EXPECT_EQ(engine_->read(RegisterSpace::RootPort, 0, 0x100 + ras::kCorStatus) & both, 0u);
  io(0).write(at + ras::kCorStatus, both);
  EXPECT_EQ(io(0).read(at + ras::kCorStatus) & ras::kCorStatusCrcThreshold.mask(), 0u);
  EXPECT_TRUE(checked_->clean());
  for (const std::string& problem : engine_->problems()) ADD_FAILURE() << problem;
}

}  // namespace
}  // namespace cxlgpu
