// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// kvput and kvget by the command: what runs, what it says, what is refused in one line.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class KvCli : public Cli {
 protected:
  json stats_of(Args args) {
    static int number = 0;
    const std::string out = "o" + std::to_string(++number);
    for (const char* more : {"--no-report", "--out"}) args.emplace_back(more);
    args.push_back(out);
    accepted(args);
    return stats(out);
  }
  double of(const nlohmann::json& stats, const std::string& path) const {
    return stats.at(nlohmann::json::json_pointer("/kv" + path)).at("value").get<double>();
  }
};

TEST_F(KvCli, FourKeysOneDoorbell) {
  for (const char* scenario : {"kvget-znand-kv", "kvput-znand-kv", "kvget-dram-kv-block"}) {
    const auto stats = stats_of({"run", scenario});
    EXPECT_EQ(stats.at("status"), "clean") << scenario;
    EXPECT_EQ(stats.at("engine"), "model");
    EXPECT_EQ(of(stats, "/commands"), 4);
    EXPECT_EQ(of(stats, "/doorbells"), 1);
    EXPECT_EQ(of(stats, "/failed"), 0);
    double sum = 0;
    for (const auto& stage : stats.at("kv").at("stages")) {
      sum += stage.at("mean").at("value").get<double>();
    }
    EXPECT_NEAR(sum, of(stats, "/latency/mean"), 0.001);
  }
}

// A flash read lies in the stage of the medium, and in it alone.
TEST_F(KvCli, TheMediumCounts) {
  const auto stage = [&](const char* scenario, std::size_t which) {
    return stats_of({"run", scenario, "--set", "workload.size=1"})
        .at("kv")
        .at("stages")
        .at(which)
        .at("mean")
        .at("value")
        .get<double>();
  };
  EXPECT_GT(stage("kvget-znand-kv", 5), 3000);  // tR is 3 us
  EXPECT_LT(stage("kvget-dram-kv", 5), 1000);
  EXPECT_EQ(stage("kvget-znand-kv", 3), stage("kvget-dram-kv", 3));
}

TEST_F(KvCli, WhatIsRefused) {
  refused({"run", "kvget-znand-kv", "--engine", "rtl"}, {"kv.interface", "--engine model"});
  refused({"run", "kvget-znand-kv", "--engine", "cosim"}, {"kv.interface", "--engine model"});
  refused({"run", "kvget-znand-cxl"}, {"kvget", "configuration kv"});
  refused({"run", "kvget-znand-uvm"}, {"kvget", "configuration kv"});
  refused({"run", "vadd-znand-kv"}, {"kvput or kvget"});
  refused({"run", "kvget-dram-kv", "--set", "kv.ring_base=0xc0000000"},
          {"SQ 1 (0xc0000000", "neither in GPU memory", "kv.ring_base"});
  refused({"run", "kvget-dram-kv", "--set", "kv.host_base=0x100000000"},
          {"host window", "overlaps"});
  refused({"run", "kvget-dram-kv", "--set", "kv.max_entries=256"}, {"1024 entries, 256"});
  refused({"run", "kvget-dram-kv-block", "--set", "workload.kv_value_bytes=100"}, {"whole blocks"});
  refused({"run", "kvget-dram-kv", "--set", "kv.memory_mode=16"}, {"kv.memory_mode"});
}

// Forced all the same: the kernel gives up, the run ends and says why.
TEST_F(KvCli, ARingInAnotherRange) {
  const Result result = run({"run", "kvget-dram-kv", "--set", "kv.ring_base=0xc0000000", "--set",
                             "kv.place_check=false", "--set", "kv.wait_us=50"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("no completion came within kv.wait_us"), std::string::npos);
}

}  // namespace
}  // namespace cxlgpu
