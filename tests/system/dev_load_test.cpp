// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// DevLoad of whole systems: each measure of an endpoint's load in turn, then all of them with
// margins; RTL and model tell the same in every response.
#include <iostream>
#include <limits>

#include "tests/common/requirement.hpp"
#include "tests/system/random_traffic.hpp"
#include "tests/system/test_system.hpp"

namespace cxlgpu {
namespace {

using Levels = std::vector<std::uint64_t>;

// One measure, or all: the others are out of the way.
struct Case {
  const char* name;
  Levels ingress, mshr, backlog, tasks;
  bool egress;
  bool has_optimal;     // congestion of the egress port has no such level
  bool narrow;          // the slowest link: responses wait for it
  std::uint64_t lines;  // few: all are hits
  unsigned sets_log2;   // of the internal DRAM; few: lookups are blocked
  unsigned idle;        // per cent of the cycles
  unsigned writes;      // per cent of the requests
};

const Levels kOff = {127, 127, 127};

const std::vector<Case> kCases = {
    {"ingress", {2, 3, 4}, kOff, kOff, kOff, false, true, false, 4096, 1, 40, 20},
    {"mshr", kOff, {10, 16, 22}, kOff, kOff, false, true, false, 4096, 3, 70, 20},
    {"backlog", kOff, kOff, {20, 30, 44}, kOff, false, true, false, 4096, 3, 70, 20},
    {"tasks", kOff, kOff, kOff, {8, 24, 48}, false, true, false, 4096, 3, 20, 20},
    {"egress", kOff, kOff, kOff, kOff, true, false, true, 64, 3, 0, 0},
    {"all",
     {2, 6, 24},
     {14, 20, 24},
     {28, 40, 56},
     {32, 48, 64},
     true,
     true,
     true,
     1024,
     3,
     70,
     20},
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class DevLoadSystem : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Measures, DevLoadSystem, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(DevLoadSystem, IsTheSameInEveryResponse) {
  test::shows("qos",
              "With margins, announced reductions and egress congestion the model gives the RTL's "
              "DevLoad in every response",
              "docs/blocks/endpoint/dev_load.md");
  const Case& c = GetParam();
  TestSystemOptions options;
  RunConfig& config = options.config;
  config.engine = "cosim";
  config.ports = 2;
  config.hdm = {{0x100000000, 512ull << 20, 1024, {0, 1}}};
  config.root_port.policy = SrPolicy::SrPaper;  // DevLoad decides what is speculated
  if (c.narrow) {
    config.link.lanes = 2;
    config.link.lane_mbit_s = 8000;
  }
  config.endpoint.ingress_thresholds = c.ingress;
  config.endpoint.mshr_thresholds = c.mshr;
  config.endpoint.backlog_thresholds = c.backlog;
  config.endpoint.task_thresholds = c.tasks;
  config.endpoint.load_margins = {1, 3, 5};
  config.endpoint.egress_congestion = c.egress;
  config.endpoint.egress_percent = {10, 40};
  config.endpoint.egress_interval = 3;
  options.cached = true;
  options.sets_log2 = c.sets_log2;
  options.low = Time{100'000};
  options.high = Time{1'500'000};
  TestSystem system(options);
  RandomTraffic::Options wishes;
  wishes.base = config.hdm[0].base;
  wishes.requests = c.narrow ? 10000 : 2500;  // responses seldom wait for long
  wishes.lines = c.lines;
  wishes.write_share = c.writes / 100.0;
  wishes.outstanding = 200;
  wishes.idle_share = c.idle / 100.0;
  RandomTraffic traffic(wishes);
  ASSERT_TRUE(system.run_all(traffic));
  system.finish();
  const DevLoadCounts seen =
      system.stats().dev_loads({Time{std::numeric_limits<std::int64_t>::max()}, 1}).at(0);
  std::cout << c.name << ": " << ::testing::PrintToString(seen) << " responses by level\n";
  for (unsigned level = 0; level < seen.size(); ++level) {
    if (level == 1 && !c.has_optimal) {
      EXPECT_EQ(seen[level], 0u);
    } else {
      EXPECT_GT(seen[level], 50u) << "level " << level;
    }
  }
}

}  // namespace
}  // namespace cxlgpu
