// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Requests that RTL and model answer alike, but at other times: a mismatch, unless the link of a
// port was disturbed before.
#include <gtest/gtest.h>

#include <memory>

#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "tb/system_engine.hpp"
#include "tests/system/random_traffic.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBase = 0x100000000, kSize = 512ull << 20;
constexpr Time kLimit{10'000'000'000};  // 10 ms
constexpr double kRate = 1e-6;          // of bit errors

struct Seen {
  CosimReport report;
  std::vector<std::string> problems;
  LinkOutage outage;
};

// Uncached: the order in which media answer does not depend on when they are asked.
Seen run_cosim(RunConfig config, Time rtl_flight_more) {
  config.engine = "cosim";
  config.ports = 2;
  config.hdm = {{kBase, kSize, 1024, {0, 1}}};
  config.seed = 1;
  std::vector<std::unique_ptr<Media>> media;
  EngineParts parts{{false, 2}, {}, {}, nullptr};
  for (unsigned port = 0; port < config.ports; ++port) {
    for (auto* side : {&parts.media, &parts.model_media}) {
      media.push_back(std::make_unique<SimpleMedia>(port + 1, Time{200000}, Time{900000}));
      side->push_back(media.back().get());
    }
  }
  EngineOptions options;
  options.replay = "this again";
  const auto make_rtl = [rtl_flight_more](const RunConfig& whole, const EngineParts& rtl_parts,
                                          const EngineOptions& rtl_options) {
    RunConfig rtl = whole;
    rtl.link.flight_ps += rtl_flight_more.ps;
    return make_rtl_engine(rtl, rtl_parts, rtl_options);
  };
  const auto engine = make_engine(config, parts, options, make_rtl);
  CheckedEngine checked(*engine);
  RandomTraffic::Options traffic;
  traffic.seed = 1;
  traffic.base = kBase;
  traffic.requests = 1500;
  traffic.lines = 384;
  RandomTraffic initiator(traffic);
  EXPECT_EQ(run(initiator, checked, kLimit).status, RunStatus::Done);
  EXPECT_EQ(engine->drain(), std::nullopt);
  engine->finish();
  EXPECT_EQ(checked.mismatches(), 0u);
  EXPECT_EQ(engine->cosim()->compared, traffic.requests);
  EXPECT_EQ(engine->cosim()->data_mismatches + engine->cosim()->path_mismatches, 0u);
  Seen seen{*engine->cosim(), engine->problems(), {}};
  if (engine->outage() != nullptr) seen.outage = *engine->outage();
  return seen;
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << text << "\n  without: " << part;
  }
}

RunConfig with_outage() {
  RunConfig config;
  config.link.down_at_us = 5;
  config.link.down_for_us = 1;
  return config;
}

RunConfig with_bit_errors() {
  RunConfig config;
  config.link.bit_error_rate_m2s = config.link.bit_error_rate_s2m = kRate;
  return config;
}

TEST(CosimTimes, OtherTimesAloneAreAMismatch) {
  const Seen seen = run_cosim({}, kCycle);
  EXPECT_GT(seen.report.time_mismatches, 1000u);
  EXPECT_EQ(seen.report.time_mismatches, seen.report.time_differences);
  EXPECT_EQ(seen.report.disturbance.at, Time::never());
  ASSERT_EQ(seen.problems.size(), 1u);
  // How many, the first request with the stages' times of both sides, and the command.
  expect_parts(seen.problems[0],
               {std::to_string(seen.report.time_mismatches) + " of 1500 requests differ in time",
                "without an outage", "the first: request ", "rtl: port", "model: port", "wire_m2s@",
                "replay: this again"});
  EXPECT_EQ(seen.problems[0].find('\n'), std::string::npos);
}

TEST(CosimTimes, SameTimesAreNone) {
  const Seen seen = run_cosim({}, Time{0});
  EXPECT_EQ(seen.report.time_differences, 0u);
  EXPECT_TRUE(seen.problems.empty()) << seen.problems[0];
}

TEST(CosimTimes, AfterAnOutageTheyAreCounted) {
  const Seen seen = run_cosim(with_outage(), Time{0});
  EXPECT_GT(seen.report.time_differences, 100u);
  EXPECT_EQ(seen.report.time_mismatches, 0u);
  EXPECT_EQ(seen.report.disturbance.by, std::string("link outage"));
  EXPECT_LE(seen.report.disturbance.at, seen.outage.down_at);
  EXPECT_GE(seen.report.disturbance.at + kCycle, seen.outage.down_at);
  EXPECT_TRUE(seen.problems.empty()) << seen.problems[0];
}

TEST(CosimTimes, BeforeAnOutageTheyAreAMismatch) {
  const Seen seen = run_cosim(with_outage(), kCycle);
  EXPECT_GT(seen.report.time_mismatches, 50u);
  EXPECT_LT(seen.report.time_mismatches + 100, seen.report.time_differences);
  ASSERT_EQ(seen.problems.size(), 1u);
  expect_parts(seen.problems[0], {"before the first link outage, at 5000.000 ns"});
}

TEST(CosimTimes, AfterADamagedFlitTheyAreCounted) {
  const Seen seen = run_cosim(with_bit_errors(), Time{0});
  EXPECT_GT(seen.report.time_differences, 0u);
  EXPECT_EQ(seen.report.time_mismatches, 0u);
  EXPECT_EQ(seen.report.disturbance.by, std::string("damaged flit"));
  EXPECT_GT(seen.report.disturbance.at, Time{0}) << "in bring-up: choose another rate";
  EXPECT_TRUE(seen.problems.empty()) << seen.problems[0];
}

TEST(CosimTimes, BeforeADamagedFlitTheyAreAMismatch) {
  const Seen seen = run_cosim(with_bit_errors(), kCycle);
  EXPECT_GT(seen.report.time_mismatches, 0u);
  EXPECT_LT(seen.report.time_mismatches, seen.report.time_differences);
  ASSERT_EQ(seen.problems.size(), 1u);
  expect_parts(seen.problems[0], {"before the first damaged flit, at "});
}

}  // namespace
}  // namespace cxlgpu
