// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A link that goes down under load and comes back, in every engine: nothing is lost, doubled or
// wrong, and RTL and model agree.
#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <set>

#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/machine/memory_map.hpp"
#include "tb/system_engine.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/system/random_traffic.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBase = 0x100000000, kSize = 512ull << 20;
constexpr Time kLimit{10'000'000'000};  // 10 ms
constexpr std::uint64_t kUs = 1'000'000;

struct Case {
  std::string engine = {};
  SrPolicy policy = SrPolicy::Off;
  bool cached = false, stores = false;
  std::uint64_t down_at = 0, down_for = 0;  // us
  unsigned port = 0;
};

std::string text(const Case& c) {
  return c.engine + (c.cached ? " cached" : "") + (c.stores ? " ds" : "") + " policy " +
         std::to_string(static_cast<int>(c.policy)) + " down at " + std::to_string(c.down_at) +
         " for " + std::to_string(c.down_for) + " port " + std::to_string(c.port);
}

// Answers each request once, without an error: both are held by who sees every answer.
class OneAnswerEach : public Engine {
 public:
  explicit OneAnswerEach(Engine& engine) : engine_(engine) {}
  [[nodiscard]] Time now() const override { return engine_.now(); }
  bool submit(const MemRequest& request) override {
    const bool taken = engine_.submit(request);
    if (taken) {
      EXPECT_TRUE(open_.insert(request.id).second) << "id in use";
    }
    return taken;
  }
  std::optional<MemResponse> take() override {
    const auto response = engine_.take();
    if (response) {
      EXPECT_EQ(open_.erase(response->id), 1u) << "answered twice, or never asked";
      EXPECT_FALSE(response->error);
    }
    return response;
  }
  void advance_to(Time t) override { engine_.advance_to(t); }
  [[nodiscard]] std::size_t open() const { return open_.size(); }

 private:
  Engine& engine_;
  std::set<std::uint32_t> open_;
};

struct Seen {
  LinkOutage outage;
  std::uint64_t compared = 0;
};

Seen check(const Case& c, std::uint64_t seed) {
  SCOPED_TRACE(text(c) + " seed " + std::to_string(seed));
  RunConfig config;
  config.engine = c.engine;
  config.ports = 2;
  config.hdm = {{kBase, kSize, 1024, {0, 1}}};
  config.root_port.policy = c.policy;
  config.root_port.ds = c.stores;
  config.seed = seed;
  config.link.down_at_us = c.down_at;
  config.link.down_for_us = c.down_for;
  config.link.port = c.port;

  std::vector<std::unique_ptr<Media>> media;
  EngineParts parts{{c.cached, 2}, {}, {}, nullptr};
  const auto add = [&](std::vector<Media*>& side, unsigned port) {
    media.push_back(std::make_unique<SimpleMedia>(seed + port, Time{200000}, Time{900000}));
    side.push_back(media.back().get());
  };
  for (unsigned port = 0; port < config.ports; ++port) {
    add(parts.media, port);
    if (c.engine == "cosim") add(parts.model_media, port);
  }
  const auto engine = make_engine(config, parts, {});
  OneAnswerEach each(*engine);
  CheckedEngine checked(each);
  RandomTraffic::Options params;
  params.seed = seed;
  params.base = kBase;
  params.requests = 3000;
  params.lines = 384;  // many requests of one line, of either kind
  RandomTraffic traffic(params);
  const RunResult result = run(traffic, checked, kLimit);
  EXPECT_EQ(result.status, RunStatus::Done);
  const auto left = engine->drain();
  EXPECT_FALSE(left) << left.value_or("");
  engine->finish();
  EXPECT_EQ(each.open(), 0u);
  EXPECT_TRUE(checked.clean());
  EXPECT_EQ(checked.mismatches(), 0u);
  for (const std::string& problem : engine->problems()) ADD_FAILURE() << problem;
  if (!c.cached) {  // else the endpoint's internal DRAM holds the newest lines
    for (const auto& side : {parts.media, parts.model_media}) {
      if (side.empty()) continue;
      const MemoryMap map(config.hdm, side);
      for (const std::string& line : map.differences(checked.shadow())) ADD_FAILURE() << line;
    }
  }
  Seen seen;
  EXPECT_NE(engine->outage(), nullptr);
  if (engine->outage() != nullptr) seen.outage = *engine->outage();
  const LinkOutage& outage = seen.outage;
  EXPECT_TRUE(outage.recovered());
  EXPECT_GE(outage.down_at.ps, c.down_at * kUs);
  EXPECT_GE(outage.up_at.ps, (c.down_at + c.down_for) * kUs);
  EXPECT_GT(outage.recovered_at, outage.up_at);
  EXPECT_GT(outage.replayed_reads + outage.replayed_writes, 0u);
  if (engine->cosim() != nullptr) {
    const CosimReport& report = *engine->cosim();
    seen.compared = report.compared;
    EXPECT_EQ(report.compared, params.requests);
    EXPECT_EQ(report.data_mismatches, 0u);
    EXPECT_EQ(report.path_mismatches, 0u);
    EXPECT_EQ(report.time_mismatches, 0u);
    EXPECT_GT(report.time_differences, 0u);
  }
  return seen;
}

class LinkOutageRun : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Engines, LinkOutageRun, ::testing::Values("rtl", "model", "cosim"));

TEST_P(LinkOutageRun, NothingIsLostDoubledOrWrong) {
  test::shows("order",
              "A link that goes down under load and comes back loses, doubles and spoils nothing",
              "CXL 3.x, 8.2.4.24; PCI Express Base 5.0, 2.9.1");
  const std::uint64_t seeds = test::from_environment("CXLGPU_SEEDS", 1);
  std::uint64_t reads = 0, writes = 0, held = 0;
  double slowest = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const std::uint64_t down_at : {2u, 4u}) {
      for (Case c : {Case{.policy = SrPolicy::Off}, Case{.policy = SrPolicy::Sr, .cached = true},
                     Case{.policy = SrPolicy::Stream, .cached = true, .stores = true},
                     Case{.policy = SrPolicy::Off, .stores = true}}) {
        c.engine = GetParam();
        c.down_at = down_at;
        c.down_for = 1 + seed % 3;
        c.port = static_cast<unsigned>((seed + down_at) % 2);
        const Seen seen = check(c, seed);
        reads += seen.outage.replayed_reads;
        writes += seen.outage.replayed_writes;
        held += seen.outage.held;
        slowest = std::max(slowest, (seen.outage.recovered_at - seen.outage.up_at).ns());
      }
    }
  }
  std::cout << GetParam() << ": " << reads << " loads and " << writes << " stores issued again, "
            << held << " requests delayed; slowest recovery " << slowest
            << " ns after the PHY was up" << std::endl;
  EXPECT_GT(reads, 100u);
  EXPECT_GT(writes, 20u);
  EXPECT_GT(held, 100u);
}

}  // namespace
}  // namespace cxlgpu
