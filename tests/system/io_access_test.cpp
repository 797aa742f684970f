// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// CXL.io of the whole system after bring-up: registers of endpoints read and written over links
// that carry CXL.mem traffic, a link that is gone, and the silence of a CXL.io that nobody uses.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "common/registers.hpp"
#include "flits/flit_log.hpp"
#include "model/engine.hpp"
#include "sim/firmware/enumerate.hpp"
#include "sim/firmware/function.hpp"
#include "tb/rtl_engine.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBase = 0x100000000;
constexpr unsigned kPorts = 2;
constexpr std::uint64_t kWeightIo = 0xe180, kWeightCm = 0xe1c0;  // component registers

class IoAccess : public ::testing::Test {
 protected:
  void SetUp() override {
    config_.engine = "rtl";
    config_.ports = kPorts;
    config_.hdm = {{kBase, 512 << 20, 1024, {0, 1}}};
    log_ = fs::temp_directory_path() / ("io_access_test_" + std::to_string(getpid()) + ".log");
    make({});
  }
  void TearDown() override { fs::remove(log_); }

  void make(const LinkFaults& faults) {
    EngineOptions options;
    options.flit_log = log_.string();
    options.faults = faults;
    engine_.reset();
    engine_ = std::make_unique<RtlEngine>(
        config_, EngineParts{{false, 3}, {&media_[0], &media_[1]}, {}, nullptr}, options);
  }
  // Base of the component registers, as bring-up placed them.
  std::uint64_t component(IoPort& io) {
    return std::uint64_t{endpoint_function(io).read(0x14)} << 32 |
           (endpoint_function(io).read(0x10) & ~0xfu);
  }
  void expect_clean() {
    engine_->finish();
    for (const std::string& problem : engine_->problems()) ADD_FAILURE() << problem;
  }
  // CXL.io flits in the log from a cycle on and before another.
  std::uint64_t io_flits(std::uint64_t from_cycle, std::uint64_t to_cycle) {
    flits::FlitLogReader log(log_.string());
    flits::FlitRecord r;
    std::uint64_t found = 0;
    while (log.read(r)) {
      if (r.recovery || r.time_ps < from_cycle * kCycle.ps || r.time_ps >= to_cycle * kCycle.ps) {
        continue;
      }
      found += r.flit.protocol_id().id == flits::ProtocolId::Io;
    }
    return found;
  }

  RunConfig config_;
  fs::path log_;
  std::array<SimpleMedia, kPorts> media_ = {SimpleMedia(1, Time{20000}, Time{60000}),
                                            SimpleMedia(2, Time{20000}, Time{60000})};
  std::unique_ptr<RtlEngine> engine_;
};

TEST_F(IoAccess, RegistersUnderTraffic) {
  constexpr std::uint32_t kRequests = 2000;
  std::uint32_t sent = 0, answered = 0, accesses = 0;
  std::array<std::uint32_t, kPorts> weight{};
  std::array<std::uint64_t, kPorts> block{};
  for (unsigned port = 0; port < kPorts; ++port) {
    IoPort io(*engine_, port);
    block[port] = component(io);
    EXPECT_EQ(io.read(block[port] + kWeightIo), 0x10u);
    EXPECT_EQ(io.read(block[port] + kWeightCm), 0x10u);
    EXPECT_EQ(endpoint_function(io).read(0), 0xc801'1234u);
  }
  EXPECT_NE(block[0], block[1]);
  while (answered < kRequests) {
    while (const auto answer = engine_->take()) {
      EXPECT_FALSE(answer->error);
      ++answered;
    }
    MemRequest request;
    request.id = sent % 256;  // none is as slow as 256 others
    request.addr = kBase + sent * 64;
    request.is_write = sent % 3 == 0;
    if (sent < kRequests && engine_->submit(request)) ++sent;
    if (sent % 50 == 25) {
      const unsigned port = accesses++ % kPorts;
      IoPort io(*engine_, port);
      EXPECT_EQ(io.read(block[port] + kWeightIo), weight[port] == 0 ? 0x10u : weight[port]);
      weight[port] = (1 + accesses % 15) << 4;
      io.write(block[port] + kWeightIo, weight[port] | 0xf);
      EXPECT_EQ(io.read(block[port] + kWeightIo), weight[port]);
    }
    engine_->advance_to(engine_->now() + kCycle);
  }
  EXPECT_GT(accesses, 20u);
  expect_clean();
}

// Structures of an endpoint's component registers by capability ID, as its array names them.
std::map<unsigned, std::uint64_t> capabilities(RegisterBus& bus, unsigned port) {
  IoPort io(bus, port);
  const std::uint64_t block = (std::uint64_t{endpoint_function(io).read(0x14)} << 32 |
                               (endpoint_function(io).read(0x10) & ~0xfu)) +
                              0x1000;
  std::map<unsigned, std::uint64_t> found;
  const unsigned entries = io.read(block) >> 24;
  for (unsigned n = 1; n <= entries; ++n) {
    const std::uint32_t entry = io.read(block + 4 * std::uint64_t{n});
    found[entry & 0xffff] = block + (entry >> 20);
  }
  EXPECT_EQ(found.size(), entries);
  return found;
}

// The structures of a root port stand in its page and, as its array names them, in its BAR0; what
// is behind other ports is not reached through it.
void expect_own_registers(RegisterBus& bus) {
  namespace component = regs::component;
  namespace timeout = regs::timeout;
  std::map<unsigned, std::uint64_t> blocks;
  for (unsigned port = 0; port < kPorts; ++port) {
    IoPort io(bus, port);
    Function function = root_port_function(io);
    EXPECT_EQ(function.read(0), 0xc800'1234u);
    EXPECT_EQ(function.read(0x4c) >> 24, port);
    EXPECT_EQ(function.read(0x18), (port + 1) * 0x0101'00u);
    EXPECT_NE(function.read(0x50) & 1u << 29, 0u);
    const std::uint64_t block = blocks[port] =
        (std::uint64_t{function.read(0x14)} << 32 | (function.read(0x10) & ~0xfu)) + 0x1000;
    std::map<unsigned, std::uint64_t> found;
    EXPECT_EQ(io.read(block) >> 24, 5u);
    for (unsigned n = 1; n <= 5; ++n) {
      const std::uint32_t entry = io.read(block + 4 * std::uint64_t{n});
      found[entry & 0xffff] = block + (entry >> 20);
    }
    constexpr struct {
      unsigned id;
      std::uint32_t page, bytes;
    } kStructures[] = {{2, 0x100, 0x58}, {4, 0x200, 0x40}, {9, 0x000, 0x10}};
    for (const auto& s : kStructures) {
      ASSERT_EQ(found.count(s.id), 1u) << s.id;
      for (std::uint32_t at = 0; at < s.bytes; at += 4) {
        EXPECT_EQ(io.read(found[s.id] + at), bus.read(RegisterSpace::RootPort, port, s.page + at))
            << s.id << std::hex << " at " << at;
      }
    }
    for (const unsigned id : {6u, 8u}) {  // extended security, snoop filter: nothing to set
      ASSERT_EQ(found.count(id), 1u) << id;
      EXPECT_EQ(io.read(found[id]), 0u) << id;
    }
    EXPECT_EQ(io.read(found[9]), timeout::kCapabilityReset);
    // As bring-up has set it; a write through BAR0 shows in the page, and the other way round.
    constexpr std::uint32_t kSet = 0x0003'0012;
    EXPECT_EQ(io.read(found[9] + timeout::kControl), kSet);
    io.write(found[9] + timeout::kControl, kSet | 0x4);
    EXPECT_EQ(bus.read(RegisterSpace::RootPort, port, timeout::kControl), kSet | 0x4);
    bus.write(RegisterSpace::RootPort, port, timeout::kControl, kSet);
    EXPECT_EQ(io.read(found[9] + timeout::kControl), kSet);
  }
  const IoResponse other =
      IoPort(bus, 0).request({.op = IoOp::kMemRd, .addr = blocks[1], .enables = IoPort::kAllBytes});
  EXPECT_EQ(other, (IoResponse{CplStatus::kUnsupported, 0xffff'ffff}));
}

TEST_F(IoAccess, OwnRegistersOfRootPorts) {
  expect_own_registers(*engine_);
  expect_clean();
}

TEST_F(IoAccess, OwnRegistersOfRootPortsOfTheModel) {
  config_.engine = "model";
  ModelEngine model(config_, {}, {&media_[0], &media_[1]}, nullptr);
  expect_own_registers(model);
}

constexpr std::uint32_t kPortLink = 0x200;  // in the root port's page

// The link registers of both ends of a link at rest, word by word.
struct LinkEnds {
  RegisterBus& bus;
  unsigned port;
  std::uint64_t device_base = capabilities(bus, port)[4];

  std::uint32_t word(bool host, std::uint32_t offset) const {
    if (host) return bus.read(RegisterSpace::RootPort, port, kPortLink + offset);
    return IoPort(bus, port).read(device_base + offset);
  }
  std::uint64_t get(bool host, std::uint32_t offset) const {
    return word(host, offset) | std::uint64_t{word(host, offset + 4)} << 32;
  }
};

void expect_sensible_links(RegisterBus& bus) {
  namespace link = regs::link;
  for (unsigned port = 0; port < kPorts; ++port) {
    const auto found = capabilities(bus, port);
    ASSERT_EQ(found.size(), 3u);
    const std::uint64_t block = found.at(5) - 0x800;
    EXPECT_EQ(found.at(2), block + 0x200);
    EXPECT_EQ(found.at(4), block + 0x300);
    const LinkEnds ends{bus, port};
    for (const bool host : {false, true}) {
      SCOPED_TRACE(host ? "host" : "device");
      const std::uint64_t capability = ends.get(host, link::kCapability);
      EXPECT_EQ(capability & 0xff'ffff, 0x80'8022u);  // version 2, 128 entries, here and there
      EXPECT_EQ(capability >> 24,
                std::uint64_t{1} << 34);  // no retries, no reset of the link layer
      const std::uint64_t control = ends.get(host, link::kControl);
      EXPECT_EQ(link::kControlInitState.get(control), 3u);
      EXPECT_LE(link::kControlLlrbConsumed.get(control), 1u);
      EXPECT_EQ(control & 7, 0u);
      EXPECT_EQ(ends.get(host, link::kRxCreditReturn), 0u);
      EXPECT_EQ(ends.word(host, link::kAckTimer), 0x2010u);
      EXPECT_EQ(ends.word(host, link::kDefeature), 0u);
      // At rest each end has all the credits that the other hands out.
      const std::uint64_t credits = ends.get(host, link::kTxCredit);
      EXPECT_GT(link::kTxCreditMemNd.get(credits), 0u);
      EXPECT_GT(link::kTxCreditMemData.get(credits), 0u);
      EXPECT_EQ(credits, ends.get(!host, link::kRxCredit));
    }
  }
}

TEST_F(IoAccess, LinkRegistersOfBothEnds) {
  expect_sensible_links(*engine_);
  expect_clean();
}

TEST_F(IoAccess, LinkRegistersOfTheModel) {
  config_.engine = "model";
  ModelEngine model(config_, {}, {&media_[0], &media_[1]}, nullptr);
  model.advance_to(kCycle * 1000);
  expect_sensible_links(model);
}

// Software stalls the credits of one root port: its endpoint answers as long as it has some.
TEST_F(IoAccess, StalledCredits) {
  namespace link = regs::link;
  constexpr std::uint32_t kRequests = 100;
  const LinkEnds ends{*engine_, 0};
  const auto credits = [&] {
    return static_cast<std::uint32_t>(link::kTxCreditMemData.get(ends.get(false, link::kTxCredit)));
  };
  const std::uint32_t at_rest = credits();
  EXPECT_GT(at_rest, 0u);
  EXPECT_LT(at_rest, kRequests);
  const auto stall = [&](bool on) {
    engine_->write(RegisterSpace::RootPort, 0, kPortLink + link::kControl,
                   static_cast<std::uint32_t>(link::kControlCrdStall.put(on)));
  };
  std::uint32_t sent = 0, answered = 0;
  const auto run = [&](std::uint64_t cycles) {
    for (std::uint64_t n = 0; n < cycles; ++n) {
      while (engine_->take()) ++answered;
      MemRequest request;
      request.id = sent;
      request.addr = kBase + sent / 16 * 2048 + sent % 16 * 64;  // all behind port 0
      if (sent < kRequests && engine_->submit(request)) ++sent;
      engine_->advance_to(engine_->now() + kCycle);
    }
  };
  stall(true);
  EXPECT_EQ(link::kControlInitState.get(ends.word(true, link::kControl)), 2u);
  run(5000);
  EXPECT_EQ(answered, at_rest);
  EXPECT_EQ(credits(), 0u);
  EXPECT_EQ(link::kRxCreditReturnMemData.get(ends.get(true, link::kRxCreditReturn)), at_rest);
  stall(false);
  run(5000);
  EXPECT_EQ(answered, kRequests);
  EXPECT_EQ(credits(), at_rest);
  expect_clean();
}

// What software may set at either end of a link, at random: the words read back as the model's do,
// and every request between is answered.
TEST_F(IoAccess, SettingsOfBothEnds) {
  namespace link = regs::link;
  namespace ras = regs::ras;
  constexpr unsigned kRas = 2, kLink = 4;  // capability IDs
  struct Setting {
    unsigned capability;
    std::uint32_t offset, written;  // bits
  };
  constexpr std::array kSettings = {
      Setting{kLink, link::kControl, link::kControlInitStall.mask()},
      Setting{kLink, link::kAckTimer, ~0u},
      Setting{kLink, link::kDefeature, ~0u},
      Setting{kRas, ras::kUncorMask, ~0u},
      Setting{kRas, ras::kUncorSeverity, ~0u},
      Setting{kRas, ras::kCorMask, ~0u},
  };
  constexpr unsigned kRounds = 160, kRequests = 30;
  test::Random random(test::from_environment("CXLGPU_SEED", 7));
  ModelEngine model(config_, {}, {&media_[0], &media_[1]}, nullptr);
  std::array<std::map<unsigned, std::uint64_t>, kPorts> structures;
  std::array<std::uint64_t, kPorts> block{};
  for (unsigned port = 0; port < kPorts; ++port) {
    structures[port] = capabilities(*engine_, port);
    IoPort io(*engine_, port);
    block[port] = component(io);
  }
  for (unsigned round = 0; round < kRounds; ++round) {
    const Setting& setting = random.pick(kSettings);
    const auto port = static_cast<unsigned>(random.below(kPorts));
    const bool host = random.percent(40), weight = !host && random.percent(20);
    const auto value = static_cast<std::uint32_t>(random.bits(32)) & setting.written;
    const std::uint32_t page = (setting.capability == kRas ? 0x100 : kPortLink) + setting.offset;
    const std::uint64_t address = weight
                                      ? block[port] + (random.percent(50) ? kWeightIo : kWeightCm)
                                      : structures[port].at(setting.capability) + setting.offset;
    std::uint32_t read[2];
    for (RegisterBus* bus :
         {static_cast<RegisterBus*>(engine_.get()), static_cast<RegisterBus*>(&model)}) {
      std::uint32_t& back = read[bus == &model];
      if (host) {
        bus->write(RegisterSpace::RootPort, port, page, value);
        back = bus->read(RegisterSpace::RootPort, port, page);
      } else {
        IoPort(*bus, port).write(address, value);
        back = IoPort(*bus, port).read(address);
      }
      if (setting.offset == link::kControl && setting.capability == kLink && !weight) {
        back &= setting.written;  // the rest tells how the link is
      }
    }
    EXPECT_EQ(read[0], read[1]) << "round " << round << " capability " << setting.capability
                                << " offset " << setting.offset << " host " << host << " weight "
                                << weight;
    std::uint32_t sent = 0, answered = 0;
    for (unsigned cycle = 0; cycle < 5000 && answered < kRequests; ++cycle) {
      while (const auto answer = engine_->take()) {
        EXPECT_FALSE(answer->error);
        ++answered;
      }
      MemRequest request;
      request.id = sent;
      request.addr = kBase + random.below(4096) * 64;
      request.is_write = random.percent(40);
      if (sent < kRequests && engine_->submit(request)) ++sent;
      engine_->advance_to(engine_->now() + kCycle);
    }
    ASSERT_EQ(answered, kRequests) << "round " << round;
  }
  expect_clean();
}

TEST_F(IoAccess, DeviceIsGone) {
  LinkFaults faults;
  faults.down_port = 1;
  faults.down_at = engine_->cycles() + 500;
  make(faults);
  IoPort gone(*engine_, 1);
  EXPECT_EQ(endpoint_function(gone).read(0), 0xc801'1234u);
  engine_->advance_to(kCycle * 1000);
  const IoResponse response = gone.request(
      {.op = IoOp::kCfgRd0, .addr = endpoint_function(gone).address(0), .enables = 0xf});
  EXPECT_EQ(response, (IoResponse{CplStatus::kNoAnswer, 0xffff'ffff}));
  EXPECT_EQ(endpoint_function({*engine_, 0}).read(0), 0xc801'1234u);
  expect_clean();
}

// Nothing is refreshed, in over three times the 30 us that PCIe gives finite credits.
TEST_F(IoAccess, NobodyUsesIt) {
  const std::uint64_t begin = engine_->cycles();
  engine_->advance_to(kCycle * 100'000);
  const std::uint64_t end = engine_->cycles();
  expect_clean();  // reads counters of the endpoints over CXL.io
  EXPECT_EQ(io_flits(begin, end), 0u);
  const std::uint64_t flits = io_flits(0, begin);
  EXPECT_GT(flits, 100u);  // bring-up
  RecordProperty("bring_up_cycles", static_cast<int>(begin));
  RecordProperty("bring_up_io_flits", static_cast<int>(flits));
}

}  // namespace
}  // namespace cxlgpu
