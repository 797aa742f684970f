// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The model as a whole: random traffic, data checked, nothing lost, under every policy and fault.
#include "model/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/register_types.hpp"
#include "common/registers.hpp"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "tests/model/model_machine.hpp"
#include "tests/system/random_traffic.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBase = 0x100000000;

RunConfig two_ports(SrPolicy policy) {
  RunConfig config;
  config.ports = 2;
  config.hdm = {{kBase, 512ull << 20, 1024, {0, 1}}};
  config.root_port.policy = policy;
  return config;
}

struct Outcome {
  Time end;
  std::uint64_t flits = 0;
};

Outcome run_traffic(const RunConfig& config, bool cached, RandomTraffic::Options options) {
  SimpleMedia media0(7, Time{500000}, Time{3000000});
  SimpleMedia media1(8, Time{500000}, Time{3000000});
  ModelEngine engine(config, {cached, 3}, {&media0, &media1}, nullptr);
  CheckedEngine checked(engine);
  options.base = kBase;
  RandomTraffic traffic(options);
  const RunResult result = run(traffic, checked, Time{1000000000000});
  EXPECT_EQ(result.status, RunStatus::Done) << to_string(result.status);
  EXPECT_EQ(checked.mismatches(), 0u)
      << (checked.records().empty() ? "" : to_string(checked.records()[0]));
  EXPECT_TRUE(checked.clean());
  EXPECT_EQ(traffic.answered(), options.requests);
  return {result.end, engine.link(0).m2s.all};
}

class ModelEngineTest : public ::testing::TestWithParam<SrPolicy> {};

TEST_P(ModelEngineTest, CachedRandomTrafficKeepsItsData) {
  RandomTraffic::Options options;
  options.requests = 20000;
  run_traffic(two_ports(GetParam()), true, options);
}

TEST_P(ModelEngineTest, UncachedRandomTrafficKeepsItsData) {
  RandomTraffic::Options options;
  options.requests = 20000;
  options.lines = 64;
  run_traffic(two_ports(GetParam()), false, options);
}

INSTANTIATE_TEST_SUITE_P(Policies, ModelEngineTest,
                         ::testing::Values(SrPolicy::Off, SrPolicy::Naive, SrPolicy::Dyn,
                                           SrPolicy::SrPaper, SrPolicy::Sr, SrPolicy::Stream,
                                           SrPolicy::Stride, SrPolicy::BestOffset,
                                           SrPolicy::AccessMap, SrPolicy::Footprint));

TEST(ModelEngine, BitErrorsCostTimeNotData) {
  // One request at a time: with more, another order at the media can outweigh the retries.
  RandomTraffic::Options options;
  options.outstanding = 1;
  options.requests = 2000;
  const Outcome clean = run_traffic(two_ports(SrPolicy::Off), false, options);
  RunConfig noisy = two_ports(SrPolicy::Off);
  noisy.link.bit_error_rate_m2s = noisy.link.bit_error_rate_s2m = 1e-4;
  const Outcome worse = run_traffic(noisy, false, options);
  EXPECT_GT(worse.end, clean.end);
}

TEST(ModelEngine, LostMemSpecRdChangesNoData) {
  RandomTraffic::Options options;
  RunConfig config = two_ports(SrPolicy::Sr);
  config.link.drop_spec_every = 4;
  run_traffic(config, true, options);
}

TEST(ModelEngine, UnmappedAddressIsAnsweredWithAnError) {
  SimpleMedia media0(1, Time{1000}, Time{1000});
  SimpleMedia media1(2, Time{1000}, Time{1000});
  ModelEngine engine(two_ports(SrPolicy::Off), {false, 0}, {&media0, &media1}, nullptr);
  MemRequest request;
  request.id = 5;
  request.addr = 0x1000;
  ASSERT_TRUE(engine.submit(request));
  engine.advance_to(Time{100000});
  const auto response = engine.take();
  ASSERT_TRUE(response.has_value());
  EXPECT_TRUE(response->error);
  EXPECT_EQ(response->data[0], 0xff);
}

// A decoder goes away while requests are on their way to the ports: each raises SysAccept once,
// before its answer, whichever way it goes at last. Bring-up locks the first decoder; this is the
// second.
TEST(ModelEngine, EachRequestIsAcceptedOnceWhileDecodersChange) {
  using namespace regs::hdm;
  constexpr std::uint64_t kRange = kModelBase + 2 * kModelPortBytes;
  const DecControlReg two_ways{.iw = 1, .commit = 1, .host_only = 1};
  unsigned locally = 0, to_ports = 0;
  for (unsigned before = 0; before < 6; ++before) {
    for (unsigned count = 1; count < 4; ++count) {
      SCOPED_TRACE(before);
      SCOPED_TRACE(count);
      ModelMachine machine(interleaved(2, 256));
      ModelEngine& engine = *machine.engine;
      const auto decoder = [&](std::uint32_t offset, std::uint32_t value) {
        engine.write(RegisterSpace::HostBridge, 0, kDec + kDecStride + offset, value);
      };
      decoder(kDecBaseLow, static_cast<std::uint32_t>(kRange));
      decoder(kDecBaseHigh, static_cast<std::uint32_t>(kRange >> 32));
      decoder(kDecSizeLow, 1u << 28);
      decoder(kDecListLow, 0x1110);
      decoder(kDecControl, two_ways.word());
      machine.log.events.clear();
      for (std::uint32_t id = 0; id < count; ++id) {
        engine.advance_to(engine.now() + kCycle);
        MemRequest request;
        request.id = id;
        request.addr = kRange + 256ull * (id / 2);
        ASSERT_TRUE(engine.submit(request));
      }
      for (unsigned i = 0; i < before; ++i) engine.advance_to(engine.now() + kCycle);
      decoder(kDecControl, 0);
      std::vector<std::uint32_t> answered;
      while (answered.size() < count) {
        engine.advance_to(engine.now() + Time{10'000'000});
        while (const auto response = engine.take()) answered.push_back(response->id);
        ASSERT_LT(engine.now(), kModelLimit);
      }
      for (std::uint32_t id = 0; id < count; ++id) {
        std::vector<Stage> stages;
        for (const TraceEvent& event : machine.log.events) {
          if (event.id == id && event.stage <= Stage::SysRespond) stages.push_back(event.stage);
        }
        ASSERT_FALSE(stages.empty());
        EXPECT_EQ(std::ranges::count(answered, id), 1);
        EXPECT_EQ(std::ranges::count(stages, Stage::SysAccept), 1);
        EXPECT_EQ(stages.front(), Stage::SysAccept);
        EXPECT_EQ(stages.back(), Stage::SysRespond);
        ++(std::ranges::count(stages, Stage::PortEnqueue) != 0 ? to_ports : locally);
      }
    }
  }
  EXPECT_GT(locally, 5u);
  EXPECT_GT(to_ports, 5u);
}

}  // namespace
}  // namespace cxlgpu
