// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Every workload in the whole system: run by the command, its result compared with the CPU's.
#include <fmt/format.h>

#include "sim/workloads/workload.hpp"
#include "tests/cli/cli.hpp"
#include "tests/sim/workloads/kernel_kinds.hpp"

namespace cxlgpu {

// GoogleTest prints the bytes of what it cannot print, padding as well.
static void PrintTo(const WorkloadKind& kind, std::ostream* out) {
  *out << kind.name;
}

namespace {

class Workloads : public Cli, public ::testing::WithParamInterface<WorkloadKind> {
 protected:
  // stats.json of a run at half the default size, or less.
  json stats(const std::string& rest, const std::string& engine, std::uint64_t part = 2,
             std::uint64_t iterations = 0) {
    const WorkloadKind& kind = GetParam();
    const std::uint64_t size = std::max(kind.min_size, kind.default_size / part);
    accepted({"run", fmt::format("{}-{}", kind.name, rest), "--engine", engine, "--set",
              fmt::format("workload.size={}", size), "--set",
              fmt::format("workload.iterations={}", iterations), "--out", "o"});
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
  // RTL has every cycle, also of steps that wait for few requests.
  const std::map<std::string_view, std::uint64_t> slow = {
      {"bfs", 4}, {"bfsp", 20}, {"btree", 4}, {"cfd", 6}, {"cfdcp", 8},
      {"dnn", 4}, {"gauss", 4}, {"gemm", 4},  {"gnn", 6}, {"radix", 6}};
  const auto part = slow.find(GetParam().name);
  const bool again = make_workload(GetParam().name)->persists() && GetParam().iterations.max != 0;
  const json s = stats("znand-sr", "cosim", part == slow.end() ? 2 : part->second, again ? 2 : 0);
  EXPECT_GT(s["cosim"]["compared"]["value"], 100);
  for (const char* what : {"data_mismatches", "path_mismatches", "time_differences"}) {
    EXPECT_EQ(s["cosim"][what]["value"], 0) << what;
  }
}

TEST_P(Workloads, InstructionMixIsInTheResults) {
  const json g = stats("dram-cxl", "model")["gpu"];
  const auto value = [&](const char* name) { return g[name]["value"].get<double>(); };
  const double memory = value("loads") + value("stores") + value("atomics");
  const double all = value("compute") + memory + value("prefetches");
  EXPECT_NEAR(value("compute_ratio"), 100 * value("compute") / all, 1e-6);
  EXPECT_NEAR(value("load_ratio"), 100 * value("loads") / memory, 1e-6);
}

TEST_P(Workloads, SizesOutOfRangeAreRefused) {
  const std::string scenario = std::string(GetParam().name) + "-dram-cxl";
  refused({"run", scenario, "--engine", "model", "--out", "o", "--set",
           fmt::format("workload.size={}", GetParam().max_size + 1)},
          {"workload.size", std::to_string(GetParam().max_size + 1)});
}

INSTANTIATE_TEST_SUITE_P(All, Workloads, ::testing::ValuesIn(kernel_kinds()),
                         [](const auto& tested) {
                           std::string name(tested.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// More of a warp's loads are in flight, so that the run ends sooner; 2 unless it is said.
TEST_F(Cli, UnrolledLoopsKeepMoreLoadsInFlight) {
  const auto of = [this](const std::string& workload, const Args& more) {
    Args args = {
        "run",   workload + "-znand-cxl", "--engine", "model", "--set", "workload.size=4096",
        "--set", "gpu.warps=1",           "--out",    "o"};
    args.insert(args.end(), more.begin(), more.end());
    accepted(args);
    return std::pair{stats().at("end_to_end").at("value").get<double>(),
                     stats().at("gpu").at("outstanding_misses").at("value").get<double>()};
  };
  for (const std::string workload : {"vadd", "saxpy", "seq"}) {
    const auto plain = of(workload, {});
    const auto one = of(workload, {"--set", "workload.unroll=1"});
    const auto two = of(workload, {"--set", "workload.unroll=2"});
    const auto eight = of(workload, {"--set", "workload.unroll=8"});
    EXPECT_EQ(plain, two) << workload;
    EXPECT_GT(one.first, two.first) << workload;
    EXPECT_LT(eight.first, two.first) << workload;
    EXPECT_GT(eight.second, one.second) << workload;
    // A warp's limit holds it.
    EXPECT_NEAR(of(workload, {"--set", "workload.unroll=8", "--set", "gpu.loads_per_warp=1"}).first,
                of(workload, {"--set", "workload.unroll=1", "--set", "gpu.loads_per_warp=1"}).first,
                0.2 * one.first)
        << workload;
  }
}

// Every store of a write-through LLC is a write of its own; contents come out right.
TEST_F(Cli, WriteThroughSendsEachStoreByItself) {
  const auto writes = [this](const std::string& scenario, const char* engine, const char* write) {
    accepted({"run", scenario, "--engine", engine, "--set", "workload.size=1024", "--set",
              std::string("gpu.llc.write=") + write, "--set", "local_memory.percent_of_data=0",
              "--out", "o"});
    EXPECT_EQ(stats().at("status"), "clean");
    const json gpu = stats().at("gpu");
    return std::pair{gpu.at("hdm_writes_full").at("value").get<double>(),
                     gpu.at("hdm_writes_partial").at("value").get<double>()};
  };
  const std::pair<double, double> back(64, 0), through(0, 128);  // of 8 lanes, 32 B each
  EXPECT_EQ(writes("vadd-dram-cxl", "model", "back"), back);
  for (const char* config : {"cxl", "sr", "ds"}) {
    EXPECT_EQ(writes(std::string("vadd-znand-") + config, "cosim", "through"), through) << config;
  }
}

TEST_F(Cli, AWorkloadThatDoesNotFitIsRefused) {
  refused({"run", "vadd-dram-cxl", "--engine", "model", "--out", "o", "--set",
           "workload.size=67108864"},
          {"workload.size", "makes a data set of 805306368 bytes", "lower it"});
  refused({"run", "seq-dram-cxl", "--set", "workload.store_percent=101"},
          {"workload.store_percent", "101"});
  for (const char* unroll : {"0", "9"}) {
    refused({"run", "vadd-dram-cxl", "--set", std::string("workload.unroll=") + unroll},
            {"--set", "'workload.unroll'", "1..8"});
  }
}

}  // namespace
}  // namespace cxlgpu
