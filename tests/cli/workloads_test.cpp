// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Every workload in the whole system: run by the command, its result compared with the CPU's.
#include <fmt/format.h>

#include "sim/workloads/workload.hpp"
#include "tests/cli/cli.hpp"

namespace cxlgpu {

// GoogleTest prints the bytes of what it cannot print, padding as well.
static void PrintTo(const WorkloadKind& kind, std::ostream* out) {
  *out << kind.name;
}

namespace {

class Workloads : public Cli, public ::testing::WithParamInterface<WorkloadKind> {
 protected:
  // stats.json of a run at half the default size.
  json stats(const std::string& rest, const std::string& engine) {
    const WorkloadKind& kind = GetParam();
    const std::uint64_t size = std::max(kind.min_size, kind.default_size / 2);
    accepted({"run", fmt::format("{}-{}", kind.name, rest), "--engine", engine, "--set",
              fmt::format("workload.size={}", size), "--out", "o"});
    return json::parse(read_text(dir_ / "o" / "stats.json"));
  }
};

TEST_P(Workloads, VerifiedOnEveryConfiguration) {
  std::set<double> ends;
  for (const char* media : {"znand", "dram"}) {
    for (const char* configuration : {"cxl", "sr", "ds"}) {
      const json s = stats(fmt::format("{}-{}", media, configuration), "model");
      EXPECT_EQ(s["status"], "clean");
      EXPECT_EQ(s["checks"]["mismatches"]["value"], 0);
      ends.insert(s["end_to_end"]["value"].get<double>());
    }
  }
  EXPECT_GE(ends.size(), 3U) << "configurations make no difference";
}

TEST_P(Workloads, RtlAndModelAgree) {
  const json s = stats("znand-sr", "cosim");
  EXPECT_GT(s["cosim"]["compared"]["value"], 100);
  for (const char* what : {"data_mismatches", "path_mismatches", "time_differences"}) {
    EXPECT_EQ(s["cosim"][what]["value"], 0) << what;
  }
}

TEST_P(Workloads, InstructionMixIsInTheResults) {
  const json g = stats("dram-cxl", "model")["gpu"];
  const auto value = [&](const char* name) { return g[name]["value"].get<double>(); };
  const double memory = value("loads") + value("stores") + value("atomics");
  EXPECT_NEAR(value("compute_ratio"), 100 * value("compute") / (value("compute") + memory), 1e-6);
  EXPECT_NEAR(value("load_ratio"), 100 * value("loads") / memory, 1e-6);
}

TEST_P(Workloads, SizesOutOfRangeAreRefused) {
  const std::string scenario = std::string(GetParam().name) + "-dram-cxl";
  refused({"run", scenario, "--engine", "model", "--out", "o", "--set",
           fmt::format("workload.size={}", GetParam().max_size + 1)},
          {"workload.size", std::to_string(GetParam().max_size + 1)});
}

INSTANTIATE_TEST_SUITE_P(All, Workloads, ::testing::ValuesIn(workload_kinds()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(Cli, AWorkloadThatDoesNotFitIsRefused) {
  refused({"run", "vadd-dram-cxl", "--engine", "model", "--out", "o", "--set",
           "workload.size=67108864"},
          {"workload.size", "makes a data set of 805306368 bytes", "lower it"});
  refused({"run", "seq-dram-cxl", "--set", "workload.store_percent=101"},
          {"workload.store_percent", "101"});
}

}  // namespace
}  // namespace cxlgpu
