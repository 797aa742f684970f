// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Firmware gives a port back whose link has gone down: the endpoint, which has lost its registers,
// is programmed as bring-up did, the port is isolated until then, and what does not hold is said in
// one line.
#include "sim/firmware/port_recovery.hpp"

#include <functional>
#include <string>

#include "common/registers.hpp"
#include "sim/firmware/function.hpp"
#include "sim/firmware/io_port.hpp"
#include "tests/sim/firmware/fake_system.hpp"

namespace cxlgpu::test {
namespace {

namespace hdm = regs::hdm;
namespace timeout = regs::timeout;

constexpr std::uint64_t kBase = 0x1'0000'0000, kChunk = std::uint64_t{256} << 20;
constexpr unsigned kPort = 1;

class Recovery : public ::testing::Test {
 protected:
  RunConfig config_;
  FakeSystem system_{std::vector<FakeEndpoint>(2, FakeEndpoint{.size = 8})};
  SystemInfo info_;

  Recovery() {
    config_.ports = 2;
    // The endpoint has two decoders in use.
    config_.hdm = {{kBase, 8 * kChunk, 1024, {0, 1}}, {2 * kBase, 2 * kChunk, 256, {1}}};
    info_ = bring_up(system_, config_, {.internal_dram = true, .cache_sets_log2 = 4});
  }
  [[nodiscard]] std::uint32_t status() {
    return system_.read(RegisterSpace::RootPort, kPort, timeout::kStatus);
  }
  [[nodiscard]] std::optional<std::uint64_t> dpa(std::uint64_t address) {
    return system_.translation().translate(kPort, address);
  }
  // Its line, at last. `look` is called before each of its accesses; the link comes up in the
  // `up_after`-th pause.
  std::string recover(const std::function<void(const FirmwareWish&)>& look = {},
                      unsigned up_after = 3) {
    PortRecovery recovery(kPort, info_, config_.hdm);
    unsigned pauses = 0;
    for (unsigned n = 0; n < 100000 && !recovery.done(); ++n) {
      const FirmwareWish wish = *recovery.wish();
      if (look) look(wish);
      std::uint32_t answer = 0;
      if (wish.is_pause) {
        if (++pauses == up_after) system_.set_link(kPort, true);
      } else if (wish.write) {
        system_.write(wish.space, wish.index, wish.offset, wish.value);
      } else {
        answer = system_.read(wish.space, wish.index, wish.offset);
      }
      recovery.grant(answer);
    }
    EXPECT_TRUE(recovery.done());
    return recovery.done() ? recovery.problem() : "it does not end";
  }
};

TEST_F(Recovery, GivesTheEndpointBackWhatItHad) {
  IoPort io(system_, kPort);
  const EndpointInfo& endpoint = info_.endpoints[kPort];
  const auto config = [&] {
    std::vector<std::uint32_t> all;
    Function function = endpoint_function(io);
    for (std::uint32_t at = 0; at < 0x1c0; at += 4) all.push_back(function.read(at));
    return all;
  };
  const auto decoders = [&] {
    std::vector<std::uint32_t> all;
    for (std::uint32_t at = 0; at < 0x60; at += 4) all.push_back(io.read(endpoint.hdm_base + at));
    return all;
  };
  const auto config_before = config(), decoders_before = decoders();
  const std::uint32_t control = system_.read(RegisterSpace::RootPort, kPort, timeout::kControl);
  const EndpointRegs::Out vendor = system_.vendor(kPort);
  EXPECT_EQ(dpa(kBase + 1024 + 5), 5u);
  EXPECT_EQ(dpa(2 * kBase), 4 * kChunk);

  system_.set_link(kPort, false);
  EXPECT_FALSE(dpa(kBase + 1024 + 5));
  EXPECT_TRUE(timeout::kStatusMemIsolation.is_set(status()));
  bool decodes = false;
  const std::string problem = recover([&](const FirmwareWish&) {
    decodes = dpa(2 * kBase).has_value();
    if (!timeout::kStatusMemIsolation.is_set(status())) {
      EXPECT_TRUE(decodes) << "isolation ended too early";
    }
  });
  EXPECT_EQ(problem, "");
  EXPECT_EQ(config(), config_before);
  EXPECT_EQ(decoders(), decoders_before);
  EXPECT_EQ(status(), 0u);
  EXPECT_EQ(system_.read(RegisterSpace::RootPort, kPort, timeout::kControl), control);
  EXPECT_EQ(system_.root(kPort, regs::rp::kDsStatus), regs::rp::kDsStatusError.mask());
  EXPECT_EQ(dpa(kBase + 1024 + 5), 5u);
  EXPECT_EQ(dpa(2 * kBase), 4 * kChunk);
  EXPECT_EQ(system_.vendor(kPort).sets_log2, vendor.sets_log2);
  EXPECT_TRUE(system_.vendor(kPort).dram_enable);
}

// Sticky registers are not written: not the vendor block, and nothing of the other port.
TEST_F(Recovery, WritesNothingElse) {
  const std::uint64_t vendor = info_.endpoints[kPort].vendor_base;
  std::uint32_t low = 0;
  system_.set_link(kPort, false);
  const std::string problem = recover([&](const FirmwareWish& wish) {
    if (wish.is_pause || !wish.write) return;
    EXPECT_EQ(wish.space, RegisterSpace::RootPort);
    EXPECT_EQ(wish.index, kPort);
    if (wish.offset == regs::io_access::kAddrLow) low = wish.value;
    if (wish.offset != regs::io_access::kCommand) return;
    const auto op = static_cast<IoOp>(regs::io_access::kCommandOp.get(wish.value));
    if (op == IoOp::kMemWr) {
      EXPECT_LT(low, vendor);
    }
    if (op == IoOp::kCfgWr0) {
      EXPECT_LT(low & 0xfff, 0x1c0u) << "AER";
    }
  });
  EXPECT_EQ(problem, "");
}

// The link comes up again only if the port does not hold it down, isolated or not.
TEST_F(Recovery, LetsTheLinkTrain) {
  system_.set_link(kPort, false);
  EXPECT_TRUE(system_.holds_down(kPort));
  const std::string problem = recover([&](const FirmwareWish& wish) {
    if (wish.is_pause) {
      EXPECT_FALSE(system_.holds_down(kPort));
    }
  });
  EXPECT_EQ(problem, "");
}

struct Lie {
  const char* name;
  std::map<std::uint32_t, std::uint32_t> config, memory;
  std::vector<std::string> line;
};
TEST_F(Recovery, SaysWhatDoesNotHold) {
  const std::uint32_t decoder = 0x1800 + hdm::kDec + hdm::kDecControl;
  const Lie lies[] = {
      {"another device", {{0x00, 0xc801'5678}}, {}, {"another"}},
      {"no BAR", {{0x10, 4}}, {}, {"BAR 0"}},
      {"no reset", {}, {{decoder, hdm::kDecControlCommitted.mask()}}, {"decoder 0", "committed"}},
      {"refused", {}, {{decoder, hdm::kDecControlError.mask()}}, {"decoder 0", "did not commit"}},
      {"not enabled", {}, {{0x1800 + hdm::kGlobalControl, 0}}, {"does not enable its HDM"}},
      {"locked", {{0x10c, 2}}, {}, {"does not enable CXL.mem"}}};
  for (const Lie& lie : lies) {
    SCOPED_TRACE(lie.name);
    system_.set_link(kPort, false);
    system_.lie(kPort, lie.config, lie.memory);
    const std::string line = recover();
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_NE(line.find("port 1"), std::string::npos) << line;
    for (const std::string& part : lie.line) {
      EXPECT_NE(line.find(part), std::string::npos) << line;
    }
    EXPECT_TRUE(timeout::kStatusMemIsolation.is_set(status())) << "the port is used";
    system_.lie(kPort, {}, {});
    // As new for the next.
    system_.set_link(kPort, false);
    EXPECT_EQ(recover(), "");
  }
}

}  // namespace
}  // namespace cxlgpu::test
