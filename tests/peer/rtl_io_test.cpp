// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// CXL.io of the endpoint against the strict host: what the standard lets a host send, of which a
// host of this design sends a part: CXL PM messages, writes of Max_Payload_Size, 8-byte accesses.
#include <gtest/gtest.h>

#include <functional>

#include "Vrtl_io.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/peer/io_host.hpp"

namespace cxlgpu::test {
namespace {

constexpr std::uint64_t kBar = 0x12'3458'0000;  // 256 KiB aligned, above 4 GiB
constexpr std::uint32_t kBar0 = 0x10, kCommand = 0x04, kDeviceControl = 0x08;
constexpr std::uint64_t kArray = kBar + 0x1000, kHdm = kBar + 0x1800, kDevice = kBar + 0x2'0000;

class Bench {
 public:
  peer::IoHost host;

  explicit Bench(const peer::IoLinkConfig& config = {}) : host(config) {
    rtl_.reset();
    rtl_->link_up_i = 1;
    rtl_->tx_ready_i = 1;
    host.link().active(true);
  }
  void cycle() {
    peer::IoLink& link = host.link();
    host.violations().at(++now_);
    link.tick();
    const auto sent = link.tx();
    rtl_->rx_valid_i = sent.has_value();
    if (sent) {
      LineBytes line{};
      std::copy(sent->begin(), sent->begin() + 64, line.begin());
      set_line(rtl_->rx_data_i, 0, line);
    }
    rtl_.settle();
    if (rtl_->tx_valid_o) {
      const LineBytes line = get_line(rtl_->tx_data_o, 0);
      peer::Flit flit{};
      std::copy(line.begin(), line.end(), flit.begin());
      link.rx(flit);
    }
    rtl_.edge();
    host.cycle();
  }
  void run(unsigned cycles) {
    for (; cycles > 0; --cycles) cycle();
  }
  // To the end of the task.
  void run(peer::Task<> task, unsigned most = 400'000) {
    task.start();
    while (!task.done() && most-- > 0) cycle();
    EXPECT_TRUE(task.done());
    for (unsigned i = 0; i < 5'000 && !host.quiet(); ++i) cycle();
    EXPECT_TRUE(host.quiet());
    for (const std::string& line : host.violations().lines()) ADD_FAILURE() << line;
  }
  bool mem_enable() { return rtl_->mem_enable_o; }

 private:
  Clocked<Vrtl_io> rtl_;
  std::uint64_t now_ = 0;
};

peer::Task<> enumerate(Bench& bench) {
  peer::IoHost& host = bench.host;
  while (!host.link().up()) co_await host.sleep(10);
  host.start_power_management();
  EXPECT_EQ(co_await host.read_config(0), 0xc801'1234u);
  EXPECT_TRUE(co_await host.write_config(kBar0, static_cast<std::uint32_t>(kBar)));
  EXPECT_TRUE(co_await host.write_config(kBar0 + 4, static_cast<std::uint32_t>(kBar >> 32)));
  EXPECT_TRUE(co_await host.write_config16(kCommand, 6));
}

// The PM message comes first (CXL 2.0 3.1.2). It must not be in the way of what follows.
peer::Task<> power_management(Bench& bench) {
  co_await enumerate(bench);
  EXPECT_EQ(co_await bench.host.read32(kArray), 0x0311'0001u);
  EXPECT_EQ(co_await bench.host.read_config(kDeviceControl) >> 8, 0x05'0210u);
}
TEST(RtlIo, PowerManagementMessageFirst) {
  Bench bench;
  bench.run(power_management(bench));
  EXPECT_EQ(bench.host.link().counts().naks_received, 0u);
}

// CXL 2.0 8.2.8: 64-bit registers are read and written by 8 bytes.
peer::Task<> eight_bytes(Bench& bench) {
  peer::IoHost& host = bench.host;
  co_await enumerate(bench);
  EXPECT_EQ(co_await host.read64(kArray), 0x8001'0005'0311'0001u);
  EXPECT_EQ(co_await host.read64(kArray + 8), 0x3002'0004'2002'0002u);
  EXPECT_EQ(co_await host.read64(kHdm + 0x10), 0x0000'0014'0000'0010u);
  const std::uint64_t capabilities = co_await host.read64(kDevice);
  EXPECT_EQ(capabilities & 0xffff, 0u) << "CXL Device Capabilities Array Register, ID 0";
  EXPECT_GE(capabilities >> 32 & 0xffff, 2u) << "capabilities";
  // As software finds the mailbox: the array's entries of 16 bytes.
  std::uint64_t mailbox = 0;
  for (unsigned n = 1; n <= (capabilities >> 32 & 0xffff); ++n) {
    if ((co_await host.read64(kDevice + 16 * n) & 0xffff) == 2)
      mailbox = kDevice + (co_await host.read64(kDevice + 16 * n) >> 32);
  }
  EXPECT_NE(mailbox, 0u);
  // Identify Memory Device (4000h), by one write of 8 bytes, as Linux does.
  host.write64(mailbox + 8, 0x4000);
  EXPECT_EQ(co_await host.read64(mailbox + 8) & 0xffff, 0x4000u);
  host.write32(mailbox + 4, 1);
  while ((co_await host.read32(mailbox + 4) & 1) != 0) {
  }
  EXPECT_EQ(co_await host.read64(mailbox + 16) >> 32 & 0xffff, 0u) << "return code: success";
  EXPECT_EQ(co_await host.read64(mailbox + 8) >> 16 & 0x1f'ffff, 0x43u) << "bytes of Identify";
  // Three DW are no register: Completer Abort (PCIe 5.0 2.3.1).
  const auto refused = co_await host.request(peer::IoHost::memory_read(kDevice, 3));
  EXPECT_EQ(refused.status, peer::CplStatus::Abort);
}
TEST(RtlIo, RegistersByEightBytes) {
  Bench bench;
  bench.run(eight_bytes(bench));
}

// PCIe 5.0 2.6.1: credits for a write of Max_Payload_Size, and they come back. No register takes
// such a write; its sender does not hear of it.
peer::Task<> long_writes(Bench& bench, unsigned writes) {
  peer::IoHost& host = bench.host;
  co_await enumerate(bench);
  for (unsigned i = 0; i < writes; ++i) {
    host.post(peer::IoHost::memory_write(kHdm, std::vector<std::uint32_t>(1 + i % 32, 0x5555)));
    if (i % 8 == 0) host.start_power_management();
  }
  EXPECT_EQ(co_await host.read32(kArray), 0x0311'0001u);
  EXPECT_EQ(co_await host.read32(kHdm + 0x10), 0x10u);
}
TEST(RtlIo, WritesOfMaxPayloadSize) {
  Bench bench;
  bench.run(long_writes(bench, 100));
  EXPECT_EQ(bench.host.link().counts().naks_received, 0u);
}

// Damaged on its way, every kind is sent again and arrives once.
TEST(RtlIo, DamagedPacketsAreSentAgain) {
  peer::IoLinkConfig config;
  config.tlp_damage = config.dllp_damage = 65536 / 8;
  Bench bench(config);
  bench.run(long_writes(bench, 100));
  EXPECT_GT(bench.host.link().counts().naks_received, 2u);
}

// A nullified TLP is as if it had not been sent (PCIe 5.0 3.6.3.1): no Nak, the number is used
// again.
TEST(RtlIo, NullifiedTlp) {
  Bench bench;
  bench.run(enumerate(bench));
  bench.host.link().do_wrong(peer::LinkWrong::NullifiedTlp);
  bench.run(power_management(bench));
  EXPECT_TRUE(bench.host.link().wrong_done());
  EXPECT_EQ(bench.host.link().counts().naks_received, 0u);
}

// Vendor-defined messages that the device does not know: type 1 is dropped, type 0 is an
// Unsupported Request (PCIe 5.0 2.2.8.6), which Device Status tells of.
peer::Task<> vendor_message(Bench& bench, std::uint8_t code, bool* unsupported) {
  peer::IoHost& host = bench.host;
  co_await enumerate(bench);
  // PCI Express capability, Device Control and Status.
  std::uint32_t at = co_await host.read_config(0x34) & 0xff;
  while ((co_await host.read_config(at) & 0xff) != 0x10)
    at = co_await host.read_config(at) >> 8 & 0xff;
  EXPECT_TRUE(co_await host.write_config(at + 8, 0x000f'0000));  // RW1C
  EXPECT_EQ(co_await host.read_config(at + 8) >> 16 & 0xf, 0u);
  peer::Tlp message;
  message.kind = peer::TlpKind::Message;
  message.type = 0x14;  // to the end of the link
  message.code = code;
  message.message = {0, 0, 0x80, 0x86, 0, 0, 0, 0};
  message.data = {1, 2, 3, 4, 5, 6};
  message.length = 6;
  host.post(message);
  EXPECT_EQ(co_await host.read32(kArray), 0x0311'0001u);
  *unsupported = (co_await host.read_config(at + 8) >> 19 & 1) != 0;
}
TEST(RtlIo, UnknownVendorMessages) {
  for (const auto& [code, expected] : {std::pair{0x7e, true}, std::pair{0x7f, false}}) {
    Bench bench;
    bool unsupported = !expected;
    bench.run(vendor_message(bench, static_cast<std::uint8_t>(code), &unsupported));
    EXPECT_EQ(unsupported, expected) << std::hex << code;
  }
}

}  // namespace
}  // namespace cxlgpu::test
