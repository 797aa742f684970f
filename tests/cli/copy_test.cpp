// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workload copy in the command: names, figures, what is refused, what a run leaves.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class Copy : public Cli {
 protected:
  static double of(const json& s, const std::string& name) {
    return value(s, ("/copy/" + name).c_str());
  }
  json copied(const std::string& way, const Args& sets) {
    Args args = {"run",   "copy-dram-" + way,         "--out", "o", "--no-report",
                 "--set", "workload.copy_bytes=64MiB"};
    for (const std::string& set : sets) args.insert(args.end(), {"--set", set});
    accepted(args);
    return stats();
  }
};

TEST_F(Copy, EachWayCopiesEveryByte) {
  for (const std::string way : {"direct", "static", "mma"}) {
    for (const std::string direction : {"h2d", "d2h"}) {
      SCOPED_TRACE(way + " " + direction);
      const json s = copied(way, {"workload.copy_bytes=32MiB", "workload.copy_gpus=0,5",
                                  "workload.size=2", "workload.copy_direction=" + direction});
      const double bytes = 4.0 * (32 << 20);
      EXPECT_EQ(s.at("status"), "clean");
      EXPECT_EQ(s.at("workload"), "copy");
      EXPECT_EQ(s.at("engine"), "model");
      EXPECT_EQ(of(s, "copies"), 4);
      EXPECT_EQ(of(s, "bytes"), bytes);
      EXPECT_EQ(of(s, "bytes_checked"), bytes);
      EXPECT_EQ(of(s, "bytes_wrong") + of(s, "bytes_twice") + of(s, "failed"), 0);
      EXPECT_EQ(value(s, "/data_set"), bytes / 2);
      EXPECT_EQ(of(s, "chunks"), way == "direct" ? 0 : 4 * 7);
      double carried = 0;
      for (std::size_t gpu = 0; gpu < 8; ++gpu) {
        const std::string link = "links/" + std::to_string(gpu);
        carried += of(s, link + "/direct") + of(s, link + "/relayed");
        const bool own = gpu == 0 || gpu == 5;
        EXPECT_TRUE(way != "direct" || (of(s, link + "/direct") != 0) == own) << gpu;
        EXPECT_TRUE(way != "mma" || of(s, link + "/most_outstanding") <= 2) << gpu;
      }
      EXPECT_EQ(carried, bytes);
    }
  }
}

// The measured figures that configs/host/multipath.yaml has none of: two and three paths.
TEST_F(Copy, PathsAddUpUpToWhatTheirNodeCarries) {
  const auto gb_s = [this](unsigned paths) {
    return of(copied("mma", {"multipath.paths=" + std::to_string(paths),
                             "multipath.chunk_bytes=8MiB", "workload.copy_bytes=240MiB"}),
              "bandwidth");
  };
  EXPECT_NEAR(gb_s(2), 105.1, 5);
  EXPECT_NEAR(gb_s(3), 153.6, 8);
}

TEST_F(Copy, ALostLinkIsSaidAndCostsNoByte) {
  const Result clean = run({"run", "copy-dram-mma", "--out", "o", "--set",
                            "workload.copy_bytes=64MiB", "--set", "workload.size=2", "--set",
                            "multipath.down_at_us=150", "--set", "multipath.down_gpu=1"});
  EXPECT_EQ(clean.status, 0) << clean.err;
  EXPECT_NE(clean.out.find("links lost / chunks copied again"), std::string::npos);
  const json s = stats();
  EXPECT_EQ(of(s, "bytes_checked"), 2.0 * (64 << 20));
  EXPECT_EQ(of(s, "links_lost"), 1);
  EXPECT_GE(of(s, "chunks_again"), 1);
  const Result failed = run({"run", "copy-dram-direct", "--set", "workload.copy_bytes=64MiB",
                             "--set", "multipath.down_at_us=300"});
  EXPECT_EQ(failed.status, 1);
  EXPECT_NE(failed.err.find("copy 1 of GPU 0: 67108864 of 67108864 bytes are not copied"),
            std::string::npos)
      << failed.err;
  EXPECT_NE(failed.err.find("replay: "), std::string::npos);
}

TEST_F(Copy, TrafficOfOthersAndTwoPrograms) {
  const json shared = copied("mma", {"multipath.paths=2", "workload.copy_background=0,100"});
  EXPECT_GT(of(shared, "links/1/others"), 20);
  EXPECT_GT(of(shared, "links/0/direct"), 1.6 * of(shared, "links/1/relayed"));
  const json two = copied("mma", {"workload.copy_gpus=0,1", "workload.copy_engines=each"});
  EXPECT_NEAR(of(two, "streams/0/bandwidth"), of(two, "streams/1/bandwidth"), 10);
  const json peer = copied("direct", {"workload.copy_peer=2,3"});
  EXPECT_NEAR(of(peer, "peer_bandwidth"), 398, 0.1);
}

TEST_F(Copy, WhatItCannotDoIsRefused) {
  refused({"run", "copy-dram-cxl"}, {"copy-dram-cxl", "workload 'copy'", "mma, static or direct"});
  refused({"run", "vadd-dram-mma"}, {"vadd-dram-mma", "'mma'", "workload copy"});
  refused({"run", "copy-pram-mma"}, {"media.part", "pram", "choose dram"});
  refused({"run", "copy-dram-mma", "--engine", "rtl"}, {"run.engine", "rtl", "--engine model"});
  refused({"run", "copy-dram-mma", "--timeline", "t"}, {"--timeline", "'copy'"});
  const auto no = [this](const std::string& set, const std::vector<std::string>& parts) {
    refused({"run", "copy-dram-mma", "--set", set}, parts);
  };
  no("workload.copy_gpus=0,8", {"--set", "workload.copy_gpus", "GPU 8", "multipath.gpus"});
  no("workload.copy_peer=0,9", {"--set", "workload.copy_peer", "GPU 9"});
  no("workload.copy_background=0,0,0,0,0,0,0,0,1", {"workload.copy_background", "GPU 8"});
  no("multipath.pcie_percent=1,1,1,1,1,1,1,1,1", {"multipath.pcie_percent", "GPU 8"});
  no("multipath.priority_gpu=8", {"multipath.priority_gpu", "GPU 8"});
  no("multipath.down_gpu=3", {"multipath.down_gpu", "multipath.down_at_us"});
  no("workload.copy_node=2", {"workload.copy_node", "2 nodes"});
  no("workload.copy_background_from_us=2 ", {"workload.copy_background_from_us", "'2 '"});
  no("multipath.static_split=0,0", {"multipath.static_split", "share"});
  no("workload.copy_bytes=9GiB", {"workload.copy_bytes", "lower it"});
  no("workload.size=0x200000", {"workload.size", "1..1048576"});
  no("multipath.queue_depth=0", {"multipath.queue_depth", "1..1024"});
  refused({"run", "copy-dram-mma", "--set", "workload.copy_background_from_us=5", "--set",
           "workload.copy_background_until_us=4"},
          {"--set", "workload.copy_background_until_us", "5"});
}

TEST_F(Copy, ARunThatIsGivenUpSaysWhatIsLeft) {
  const Result result =
      run({"run", "copy-dram-direct", "--set", "run.limit_us=1000", "--set", "workload.size=100",
           "--set", "workload.copy_bytes=5MiB", "--out", "o"});
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.err.find("copies unfinished; raise run.limit_us"), std::string::npos)
      << result.err;
  const json s = stats();
  EXPECT_EQ(of(s, "copies") + value(s, "/unfinished/items_left"), 100);
  EXPECT_GT(of(s, "copies"), 0);
}

TEST_F(Copy, IsInTheListTheTableAndTheReport) {
  EXPECT_NE(accepted({"list"}).out.find("  copy      programs that copy"), std::string::npos);
  const Result one = accepted({"run", "copy-dram-mma", "--out", "o"});
  for (const char* row : {"bytes checked / wrong / written twice      268435456 / 0 / 0",
                          "link of GPU 3: direct / relayed / others",
                          "result                                     clean"}) {
    EXPECT_NE(one.out.find(row), std::string::npos) << row;
  }
  EXPECT_NE(read_text(dir_ / "o/report.html").find("chunks_again"), std::string::npos);
}

}  // namespace
}  // namespace cxlgpu
