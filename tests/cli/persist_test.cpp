// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Persistence as a person meets it: what is refused, losing power and going on, the walk.
#include "sim/workloads/workload.hpp"
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

TEST_F(Cli, PersistenceIsTheSameInRtlAndModel) {
  const auto same = [&](const std::string& scenario, const std::string& domain) {
    SCOPED_TRACE(scenario + ", " + domain);
    accepted({"run", scenario, "--engine", "cosim", "--set", "persist.domain=" + domain, "--set",
              "workload.size=4", "--out", "c"});
    const json run = stats("c");
    EXPECT_GT(value(run, "/cosim/compared"), 20);
    for (const char* what : {"/cosim/data_mismatches", "/cosim/path_mismatches",
                             "/cosim/time_differences", "/cosim/internal_dram_differences"}) {
      EXPECT_EQ(value(run, what), 0) << what;
    }
  };
  for (const std::string domain : {"media", "buffer", "device", "host"})
    same("ps-pram-gpm", domain);
  for (const std::string domain : {"buffer", "device"}) same("ps-znand-gpm", domain);
  same("ps-dram-gpm", "device");
  const Result walked = accepted(
      {"crash", "ps-pram-gpm", "--engine", "rtl", "--set", "workload.size=4", "--states", "4"});
  EXPECT_NE(walked.out.find("each recovered"), std::string::npos) << walked.out;
  accepted({"run", "ps-pram-gpm", "--set", "workload.size=4", "--out", "m"});
  EXPECT_FALSE(stats("m").contains("rtl_cycles")) << "the model if none is named";
}

TEST_F(Cli, DomainsThatAPartCannotKeepAreRefused) {
  for (const std::string domain : {"media", "buffer"}) {
    refused({"run", "ps-dram-gpm", "--engine", "model", "--set", "persist.domain=" + domain},
            {"persist.domain", "dram"});
  }
  // By its name a configuration goes with any medium: of DRAM it is the whole device that survives.
  accepted({"run", "ps-dram-gpm", "--engine", "model", "--set", "workload.size=64"});
}

TEST_F(Cli, RangesThatPersistComeLastAndWithoutDeterministicStore) {
  const std::string first = "{base: 4GiB, size: 256MiB, ports: [0], persistent: true}";
  const std::string second = "{base: 8GiB, size: 256MiB, ports: [1]}";
  refused({"run", "ps-pram-cxl", "--engine", "model", "--set",
           "hdm.ranges=[" + first + ", " + second + "]"},
          {"hdm.ranges[1].persistent", "last"});
  refused({"run", "ps-pram-gpm", "--engine", "model", "--set", "root_port.ds=true"},
          {"persistent", "root_port.ds"});
  refused({"run", "ps-pram-uvm", "--engine", "model", "--set", "hdm.ranges=[" + first + "]"},
          {"hdm.ranges[0].persistent", "CXL"});
}

TEST_F(Cli, LossesOfPowerNeedAWorkloadARangeAndAFolder) {
  const Args model = {"--engine", "model"};
  const auto with = [&](Args args, const Args& more) {
    args.insert(args.end(), more.begin(), more.end());
    return args;
  };
  refused(with({"run", "vadd-pram-gpm", "--crash-at", "3"}, model),
          {"vadd", "choose one that does", "gpkvs95, hcl", "ps"});
  refused({"crash", "vadd-pram-gpm"}, {"vadd"});
  refused(with({"run", "ps-pram-cxl", "--crash-at", "3"}, model), {"persistent range", "gpm"});
  refused(with({"run", "ps-pram-gpm", "--crash-at", "3"}, model), {"endpoint.image_out"});
  refused(with({"run", "ps-pram-gpm", "--recover"}, model), {"endpoint.image_in"});
  refused(with({"run", "ps-pram-gpm", "--crash-at", "x"}, model), {"--crash-at", "'x'"});
  refused(with({"run", "ps-pram-gpm", "--crash-at", "3", "--recover"}, model), {"--crash-at"});
  refused({"crash", "ps-pram-gpm", "--states", "0"}, {"--states"});
}

TEST_F(Cli, ARunSaysWhatItsPersistsCost) {
  accepted({"run", "ps-pram-gpm", "--engine", "model", "--set", "workload.size=64", "--out", "o"});
  const json run = stats();
  EXPECT_EQ(value(run, "/gpu/persist/count"), 64 * 4 + 3);
  EXPECT_GT(value(run, "/gpu/persist/latency"), 500);
  EXPECT_GE(value(run, "/gpu/persist/longest"), value(run, "/gpu/persist/latency"));
  EXPECT_EQ(value(run, "/gpu/persist/refused"), 0);
  EXPECT_GE(value(run, "/gpu/persist/bytes"), 64 * 2 * (128 + 8));
  EXPECT_EQ(run.at("config").at("hdm").at("ranges").at(1).at("persistent"), true);
  EXPECT_NE(accepted({"run", "ps-pram-gpm", "--engine", "model", "--set", "workload.size=64"})
                .out.find("persists, latency mean / longest"),
            std::string::npos);
  // One that persists nothing says nothing of it.
  accepted({"run", "ps-pram-cxl", "--engine", "model", "--set", "workload.size=64", "--out", "p"});
  EXPECT_EQ(value(stats("p"), "/gpu/persist/lines"), 0);
  accepted(
      {"run", "vadd-pram-cxl", "--engine", "model", "--set", "workload.size=64", "--out", "v"});
  EXPECT_FALSE(stats("v").at("gpu").contains("persist"));
}

TEST_F(Cli, PowerIsLostAndTheNextRunGoesOn) {
  const Args base = {"run", "ps-pram-gpm", "--engine", "model", "--set", "workload.size=32"};
  const auto with = [&](const Args& more) {
    Args args = base;
    args.insert(args.end(), more.begin(), more.end());
    return args;
  };
  std::map<std::string, double> lines;
  for (const std::string at : {"0", "150", "400"}) {
    const Result lost = accepted(with({"--crash-at", at, "--set", "endpoint.image_out=left" + at}));
    EXPECT_NE(lost.out.find("power lost after event " + at + " of "), std::string::npos);
    accepted(with({"--recover", "--set", "endpoint.image_in=left" + at, "--out", "r" + at}));
    lines[at] = value(stats("r" + at), "/gpu/persist/lines");
  }
  EXPECT_GT(lines["0"], lines["150"]);
  EXPECT_GT(lines["150"], lines["400"]);
  const Result within = accepted({"crash", "ps-pram-gpm", "--set", "workload.size=32", "--recover",
                                  "--set", "endpoint.image_in=left150", "--points", "5"});
  EXPECT_NE(within.out.find("5 points"), std::string::npos);
  EXPECT_EQ(run(with({"--crash-at", "1000000", "--set", "endpoint.image_out=x"})).status, 2);
}

// Of each that persists a small one, whose name may hold a dash.
TEST_F(Cli, WorkloadsThatPersistAreWalked) {
  const std::map<std::string, std::string> sizes = {
      {"bfsp", "16"},       {"blk", "64"},     {"cfdcp", "16"},    {"dnn", "2"},
      {"gpdb-insert", "8"}, {"hs", "8"},       {"hcl", "1"},       {"gpdb-update", "64"},
      {"gpkvs", "8"},       {"gpkvs95", "20"}, {"persist", "256"}, {"ps", "4"},
      {"srad", "8"}};
  std::vector<std::string> names;
  for (const auto& [name, size] : sizes) names.push_back(name);
  EXPECT_EQ(names, persistent_workload_names());
  for (const auto& [name, size] : sizes) {
    SCOPED_TRACE(name);
    const Result walked = accepted({"crash", name + "-pram-gpm", "--set", "workload.size=" + size,
                                    "--points", "6", "--states", "2"});
    EXPECT_NE(walked.out.find(name + "-pram-gpm: "), std::string::npos) << walked.out;
    EXPECT_NE(walked.out.find("each recovered"), std::string::npos) << walked.out;
  }
  for (const std::string name : {"gpdb-update", "hs"}) {
    SCOPED_TRACE(name);
    accepted({"run", name + "-pram-gpm", "--engine", "cosim", "--set",
              "workload.size=" + sizes.at(name), "--set", "workload.checkpoint_every=2", "--out",
              "c"});
    const json run = stats("c");
    EXPECT_GT(value(run, "/cosim/compared"), 20);
    for (const char* what :
         {"/cosim/data_mismatches", "/cosim/path_mismatches", "/cosim/time_differences"}) {
      EXPECT_EQ(value(run, what), 0) << what;
    }
  }
  accepted({"run", "hcl-pram-gpm", "--engine", "model", "--set", "workload.log=conventional",
            "--set", "workload.log_partitions=3", "--set", "workload.size=1"});
  refused({"run", "hcl-pram-gpm", "--set", "workload.log=undo"}, {"workload.log", "hcl"});
  refused({"run", "gpdb-pram-gpm"}, {"gpdb"});
}

// Every workload, when the host persists; and every loss of power of one. What the GPU stored to
// host memory has no order before the host's flush has ended: the walk finds that.
TEST_F(Cli, TheHostPersistsForEachWorkload) {
  const std::map<std::string, std::string> sizes = {
      {"bfsp", "16"},       {"blk", "64"},     {"cfdcp", "16"},    {"dnn", "2"},
      {"gpdb-insert", "8"}, {"hs", "8"},       {"hcl", "1"},       {"gpdb-update", "64"},
      {"gpkvs", "8"},       {"gpkvs95", "20"}, {"persist", "256"}, {"ps", "4"},
      {"srad", "8"}};
  for (const std::string configuration : {"cap-fs", "cap-mm", "cap-eadr", "gpm-ndp"}) {
    for (const std::string& name : persistent_workload_names()) {
      SCOPED_TRACE(name + " " + configuration);
      accepted({"run", name + "-pram-" + configuration, "--set", "workload.size=" + sizes.at(name),
                "--no-report", "--out", "h"});
      const json run = stats("h");
      EXPECT_GE(value(run, "/host_persist/turns"), 2);
      EXPECT_GT(value(run, "/host_persist/written"), 0);
      EXPECT_EQ(value(run, "/host_persist/journal") > 0, configuration == "cap-fs");
    }
    const Result walked = run({"crash", "ps-pram-" + configuration, "--set", "workload.size=4",
                               "--set", "gpu.cores=2", "--states", "4", "--points", "400"});
    const bool recovers = configuration != "gpm-ndp";
    EXPECT_EQ(walked.status, recovers ? 0 : 1) << configuration << walked.out << walked.err;
    EXPECT_EQ(walked.out.find("each recovered") != std::string::npos, recovers) << walked.out;
    // The end of the last flush is a durable moment of each.
    accepted({"crash", "ps-pram-" + configuration, "--set", "workload.size=4", "--set",
              "gpu.cores=2", "--point", "1000000"});
  }
}

// What the host kept is found again by the next run, on the machine itself.
TEST_F(Cli, ARunGoesOnFromWhatTheHostKept) {
  for (const std::string configuration : {"cap-fs", "cap-mm", "cap-eadr"}) {
    SCOPED_TRACE(configuration);
    const std::vector<std::string> scenario = {"run", "gpkvs-pram-" + configuration, "--set",
                                               "workload.size=8"};
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.begin(), scenario.begin(), scenario.end());
      return more;
    };
    accepted(with({"--out", "whole"}));
    const Result walk = accepted({"crash", "gpkvs-pram-" + configuration, "--set",
                                  "workload.size=8", "--points", "2", "--states", "1"});
    const std::string after = walk.out.substr(walk.out.find(": ") + 2);
    const std::string half = std::to_string(std::stoul(after) / 2);
    accepted(with({"--crash-at", half, "--set", "endpoint.image_out=" + configuration}));
    accepted(with({"--recover", "--set", "endpoint.image_in=" + configuration, "--out", "rest"}));
    EXPECT_LT(value(stats("rest"), "/host_persist/turns"),
              value(stats("whole"), "/host_persist/turns"));
  }
}

TEST_F(Cli, TheWalkGoesOverEveryEvent) {
  const Result walked =
      accepted({"crash", "ps-pram-gpm", "--set", "workload.size=4", "--states", "8"});
  EXPECT_NE(walked.out.find("each recovered"), std::string::npos) << walked.out;
  const Result one =
      accepted({"crash", "ps-pram-gpm", "--set", "workload.size=4", "--point", "10"});
  EXPECT_NE(one.out.find(" 1 points"), std::string::npos) << one.out;
  const Result looked =
      accepted({"crash", "ps-znand-gpm-eadr", "--set", "workload.size=4", "--invariant-only"});
  EXPECT_NE(looked.out.find("the invariant holds in each"), std::string::npos) << looked.out;
}

}  // namespace
}  // namespace cxlgpu
