// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the whole RTL system puts on its links: opcodes, slot formats and data that roll over, from
// the flit log of runs in which every flit passed the link checker, every load gave the right data
// and the model took the same way.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "flits/codec.hpp"
#include "flits/flit_log.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/coverage/flit_bins.hpp"
#include "tests/system/random_traffic.hpp"
#include "tests/system/test_system.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBase = 0x100000000;

class WireFormats : public ::testing::Test {
 protected:
  WireFormats()
      : log_(std::filesystem::temp_directory_path() /
             ("wire_formats_" + std::to_string(::getpid()) + ".log.gz")) {}
  ~WireFormats() override { std::filesystem::remove(log_); }

  // All through one of the two ports: its link is the bottleneck.
  void run_traffic(SrPolicy policy, double writes, double partial) {
    TestSystemOptions options;
    options.config.engine = "cosim";
    options.config.ports = 2;
    options.config.hdm = {{kBase, 512 << 20, 1024, {0}}};
    options.config.root_port.policy = policy;
    options.cached = policy != SrPolicy::Off;
    options.low = Time{20'000};
    options.high = Time{60'000};
    options.flit_log = log_.string();
    TestSystem system(options);
    RandomTraffic traffic({.seed = test::from_environment("CXLGPU_SEED", 1),
                           .requests = 4000,
                           .base = kBase,
                           .lines = 2048,
                           .outstanding = 250,
                           .write_share = writes,
                           .partial_share = partial,
                           .idle_share = 0});
    ASSERT_TRUE(system.run_all(traffic));
    system.finish();
    if (!HasFailure()) count();
  }

 private:
  void count() {
    std::array<flits::Decoder, 2> decoders{flits::Decoder(flits::Direction::M2S),
                                           flits::Decoder(flits::Direction::S2M)};
    flits::FlitLogReader log(log_.string());
    flits::FlitRecord record;
    while (log.read(record)) {
      ASSERT_FALSE(record.recovery || record.down) << "a clean link";
      if (record.link != "link0") continue;
      if (record.flit.protocol_id().id != flits::ProtocolId::CacheMem) continue;
      const std::size_t way = flits::index(record.direction);
      Payload payload;
      std::copy(record.flit.payload().begin(), record.flit.payload().end(), payload.begin());
      bins_[way].look(coverage::Side::Wire, payload, decoders[way].owed());
      const flits::Decoded decoded = decoders[way].decode(record.flit);
      ASSERT_TRUE(decoded.findings.empty()) << describe(decoded.findings[0]);
      messages_ += decoded.items.size();
    }
    EXPECT_GE(messages_, 8000u) << "a request or an answer is missing";
  }

  std::filesystem::path log_;
  std::array<test::FlitBins, 2> bins_{test::FlitBins(flits::Direction::M2S),
                                      test::FlitBins(flits::Direction::S2M)};
  std::uint64_t messages_ = 0;
};

TEST_F(WireFormats, LoadsAndStores) {
  run_traffic(SrPolicy::Off, 0.5, 0.5);
}
TEST_F(WireFormats, Speculation) {
  run_traffic(SrPolicy::Naive, 0.4, 0.5);
}
TEST_F(WireFormats, Loads) {
  run_traffic(SrPolicy::Naive, 0.1, 0.5);
}
TEST_F(WireFormats, Stores) {
  run_traffic(SrPolicy::Off, 0.9, 0.3);
}

}  // namespace
}  // namespace cxlgpu
