// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workload io in the command: names, figures, what is refused, what a run leaves.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class Io : public Cli {
 protected:
  static double of(const json& s, const std::string& name) {
    return value(s, ("/io/" + name).c_str());
  }
};

TEST_F(Io, EachStackMovesEveryByte) {
  for (const std::string stack : {"phoenix", "gds", "posix"}) {
    for (const std::string operation : {"read", "write"}) {
      SCOPED_TRACE(stack + " " + operation);
      accepted({"run", "io-pram-" + stack, "--set", "workload.size=48", "--set",
                "workload.io_operation=" + operation, "--set", "workload.io_threads=3", "--out",
                "o"});
      const json s = stats();
      EXPECT_EQ(s.at("status"), "clean");
      EXPECT_EQ(s.at("workload"), "io");
      EXPECT_EQ(s.at("engine"), "model");
      EXPECT_EQ(of(s, "ios"), 48);
      EXPECT_EQ(of(s, "failed"), 0);
      EXPECT_EQ(of(s, "bytes_checked"), 48 * 65536);
      EXPECT_EQ(of(s, "bytes_wrong"), 0);
      EXPECT_EQ(value(s, "/data_set"), 48 * 65536);
      EXPECT_EQ(value(s, "/local_memory"), 3 * 65536);
      EXPECT_EQ(of(s, "steps/copy/count"), stack == "posix" ? 48 : 0);
      EXPECT_EQ(of(s, "steps/state/count"), stack == "gds" ? 96 : 0);
      EXPECT_EQ(s.at("media_counters").size(), 1U);
    }
  }
}

// One thread and all steps beside each other: they are the whole run.
TEST_F(Io, StepsAddUpToTheRun) {
  for (const std::string stack : {"phoenix", "gds", "posix"}) {
    accepted({"run", "io-pram-" + stack, "--set", "workload.size=16", "--out", stack});
    const json s = stats(stack);
    double sum = 0;
    for (const auto& [name, step] : s.at("io").at("steps").items()) {
      sum += step.at("time").at("value").get<double>();
    }
    EXPECT_NEAR(value(s, "/end_to_end"), sum, 1.0) << stack;  // a run ends at a clock edge
  }
}

TEST_F(Io, PhoenixIsAheadOfGpuDirectStorage) {
  const auto figure = [&](const std::string& stack, const Args& sets, const char* name) {
    Args args = {"run",   "io-pram-" + stack,      "--out", "o", "--no-report",
                 "--set", "workload.io_bytes=4096"};
    for (const std::string& set : sets) args.insert(args.end(), {"--set", set});
    accepted(args);
    return of(stats(), name);
  };
  for (const Args& sets : {Args{"workload.size=64"},
                           {"workload.size=128", "workload.io_threads=16"},
                           {"workload.size=64", "workload.io_mode=batch"},
                           {"workload.size=64", "workload.io_mode=stream"},
                           {"workload.size=16", "workload.io_registration=each"},
                           {"workload.size=64", "io.remote=nvmeof"},
                           {"workload.size=64", "io.remote=nfs"}}) {
    EXPECT_GT(figure("phoenix", sets, "bandwidth"), figure("gds", sets, "bandwidth"))
        << sets.back();
  }
  // The lock: more threads bring GDS no more.
  const Args four = {"workload.size=256", "workload.io_threads=4"},
             many = {"workload.size=256", "workload.io_threads=64"};
  EXPECT_LT(figure("gds", many, "rate"), 1.02 * figure("gds", four, "rate"));
  EXPECT_GT(figure("phoenix", many, "rate"), 2.5 * figure("phoenix", four, "rate"));
}

// What knows nothing of direct I/O has no alignment to keep, and is slower.
TEST_F(Io, AMappedFileIsCopiedFromAnyPlace) {
  accepted({"run", "io-pram-posix", "--set", "workload.io_mode=mmap", "--set",
            "workload.io_bytes=1000000", "--set", "workload.size=5", "--out", "o"});
  const json mapped = stats();
  EXPECT_EQ(of(mapped, "bytes_checked"), 5000000);
  EXPECT_EQ(of(mapped, "bytes_wrong"), 0);
  EXPECT_GT(of(mapped, "steps/page_fault/count"), 5000000 / 65536);
  EXPECT_EQ(of(mapped, "steps/register/count"), 0);
  accepted({"run", "io-pram-posix", "--set", "workload.io_bytes=1MiB", "--set", "workload.size=5",
            "--out", "p"});
  EXPECT_GT(of(stats("p"), "bandwidth"), 1.2 * of(mapped, "bandwidth"));
  for (const std::string stack : {"phoenix", "gds"}) {
    refused({"run", "io-pram-" + stack, "--set", "workload.io_mode=mmap"},
            {"--set", "workload.io_mode", stack, "use posix"});
  }
}

TEST_F(Io, AnErrorOfTheInterfaceFailsTheRun) {
  for (const auto& [stack, error] :
       {std::pair{"phoenix", "-22"}, {"gds", "-5022"}, {"posix", "-22"}}) {
    const Result result = run({"run", std::string("io-pram-") + stack, "--set",
                               "workload.io_bytes=6KiB", "--set", "workload.size=2"});
    EXPECT_EQ(result.status, 1);
    const std::vector<std::string> said = lines_of(result.err);
    ASSERT_EQ(said.size(), 2U) << result.err;
    EXPECT_NE(said[0].find(std::string("read of 6144 bytes at 0 returned ") + error),
              std::string::npos)
        << said[0];
    EXPECT_NE(said[0].find("replay: "), std::string::npos);
  }
  // A batch of cuFile has no I/O of over 16 MiB.
  const Result result = run({"run", "io-pram-gds", "--set", "workload.io_bytes=32MiB", "--set",
                             "workload.size=2", "--set", "workload.io_mode=batch"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("returned -5022"), std::string::npos) << result.err;
}

TEST_F(Io, WhatItCannotDoIsRefused) {
  refused({"run", "io-pram-cxl"}, {"io-pram-cxl", "workload 'io'", "phoenix, gds or posix"});
  refused({"run", "io-pram-uvm"}, {"workload 'io'", "uvm"});
  refused({"run", "vadd-pram-posix"}, {"vadd-pram-posix", "posix", "workload io"});
  refused({"run", "io-pram-gds", "--engine", "rtl"}, {"run.engine", "rtl", "--engine model"});
  refused({"run", "io-pram-gds", "--set", "workload.io_mode=async"},
          {"--set", "workload.io_mode", "gds", "stream or batch"});
  refused({"run", "io-pram-posix", "--set", "workload.io_mode=stream"},
          {"--set", "workload.io_mode", "posix", "sync or batch"});
  refused({"run", "io-pram-gds", "--set", "workload.io_threads=300"},
          {"--set", "workload.io_threads", "300", "256", "workload.size"});
  refused({"run", "io-pram-gds", "--set", "workload.size=200000000"},
          {"--set", "workload.size", "1..134217728"});
  refused({"run", "io-pram-gds", "--set", "workload.io_bytes=1GiB"},
          {"--set", "workload.io_bytes", "lower it"});
  refused({"run", "io-pram-gds", "--set", "workload.io_bytes=100"},
          {"--set", "workload.io_bytes", "512"});
  refused({"run", "io-pram-gds", "--set", "io.gds_lock_ps=3400001"},
          {"--set", "io.gds_lock_ps", "io.gds_state_ps"});
  refused({"run", "io-pram-gds", "--requests", "r.csv"}, {"--requests", "'io'"});
  refused({"run", "io-pram-gds", "--timeline", "t"}, {"--timeline", "'io'"});
  refused({"run", "io-pram-gds", "--waves", "w.fst"}, {"--waves", "gds"});
  refused({"run", "io-pram-gds", "--crash-at", "1", "--set", "endpoint.image_out=i"},
          {"endpoint.image_out"});
}

TEST_F(Io, ARunThatIsGivenUpSaysWhatIsLeft) {
  const Result result = run({"run", "io-pram-gds", "--set", "run.limit_us=108500", "--set",
                             "workload.size=100", "--out", "o"});
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.err.find("I/Os unfinished; raise run.limit_us"), std::string::npos)
      << result.err;
  const json s = stats();
  EXPECT_EQ(of(s, "ios") + value(s, "/unfinished/items_left"), 100);
  EXPECT_GT(of(s, "ios"), 0);
}

TEST_F(Io, TheSameSeedIsTheSameRun) {
  const auto end = [&](const std::string& seed) {
    accepted({"run", "io-znand-phoenix", "--seed", seed, "--set", "workload.io_order=random",
              "--set", "workload.io_bytes=4KiB", "--set", "workload.size=64", "--set",
              "workload.io_threads=8", "--out", "o"});
    return value(stats(), "/end_to_end");
  };
  EXPECT_EQ(end("5"), end("5"));
  EXPECT_NE(end("5"), end("6"));
}

TEST_F(Io, IsInTheListAndInTheTable) {
  const Result list = run({"list"});
  EXPECT_NE(list.out.find("  io        a program that reads a file"), std::string::npos);
  EXPECT_NE(list.out.find(" posix"), std::string::npos);
  const Result one = run({"run", "io-pram-gds", "--set", "workload.size=4"});
  for (const char* row :
       {"software's share of an I/O's way", "step: lock wait", "step: register",
        "step: driver close", "result                                     clean"}) {
    if (std::string(row) == "step: lock wait") {
      EXPECT_EQ(one.out.find(row), std::string::npos) << "one thread waits for none";
    } else {
      EXPECT_NE(one.out.find(row), std::string::npos) << row;
    }
  }
}

}  // namespace
}  // namespace cxlgpu
