// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// eval/moe.py: its rows, and that no hints go beyond the bound that it prints.
#include <sys/wait.h>

#include <map>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class MoeSweep : public Cli {
 protected:
  // Exit status; what was printed is in said_, what went to standard error in wrong_.
  int sweep(const std::string& options) {
    const std::string out = (base_ / "said").string(), err = (base_ / "wrong").string();
    const std::string command = "cd '" + dir_.string() +
                                "' && python3 '" CXLGPU_SOURCE_DIR
                                "/eval/moe.py' --cxlgpu '" CXLGPU_BINARY "' --json points.json " +
                                options + " > '" + out + "' 2> '" + err + "'";
    const int status = std::system(command.c_str());
    said_ = read_text(out);
    wrong_ = read_text(err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  nlohmann::json points() { return nlohmann::json::parse(read_text(dir_ / "points.json")); }
  std::string said_, wrong_;
};

// Where the bound is near: few layers, so that the first is much of it, and wrong names.
TEST_F(MoeSweep, NoGainIsBeyondItsBound) {
  std::map<std::string, unsigned> by;
  for (const char* options : {"--media znand --share 0.1 --compute 0 --compute 400 --layers 3",
                              "--media nand --share 0.05 --compute 0 --layers 6"}) {
    ASSERT_EQ(sweep(std::string(options) + " --accuracy 50 --accuracy 100 --seed 1 --seed 2"), 0)
        << wrong_;
    for (const auto& point : points()) {
      for (const char* name : {"hint", "hint + stream"}) {
        for (const char* accuracy : {"50", "100"}) {
          const auto& hinted = point.at(name).at(accuracy);
          EXPECT_LE(hinted.at("gain"), hinted.at("bound")) << point.dump() << name;
          EXPECT_GE(hinted.at("bytes"), point.at("least_bytes"));
          ++by[hinted.at("by")];
        }
        EXPECT_LE(point.at(name).at("50").at("bound"), point.at(name).at("100").at("bound"));
      }
      for (const char* policy : {"off", "sr", "stream"}) {
        EXPECT_GE(point.at(policy).at("bytes"), point.at("least_bytes"));
        EXPECT_GT(point.at(policy).at("busy"), 0.01);
        EXPECT_LT(point.at(policy).at("busy"), 1.0);
        EXPECT_LE(point.at(point.at("best")).at("ns"), point.at(policy).at("ns"));
      }
    }
  }
  EXPECT_GT(by["t"], 0U);
}

TEST_F(MoeSweep, HasARowForEachPoint) {
  ASSERT_EQ(sweep("--media znand --share 0.1 --share 0.2 --compute 0 --accuracy 100 --layers 2"), 0)
      << wrong_;
  const std::vector<std::string> lines = lines_of(said_);
  ASSERT_EQ(lines.size(), 2U * (2 + 2) + 1);
  for (const std::size_t row : {2U, 3U, 7U, 8U}) {
    EXPECT_EQ(
        lines[row].rfind(row % 5 == 2 ? "| znand | 0 | 0.1 | 2 |" : "| znand | 0 | 0.2 | 2 |", 0),
        0U)
        << said_;
    const auto cells = std::count(lines[row].begin(), lines[row].end(), '|');
    EXPECT_EQ(cells, std::count(lines[row < 5 ? 0 : 5].begin(), lines[row < 5 ? 0 : 5].end(), '|'));
  }
  ASSERT_EQ(sweep("--workload kvdecode --media znand --share 0.5 --compute 0 --pages 16"), 0)
      << wrong_;
  EXPECT_LE(points()[0].at("hint").at("100").at("gain"),
            points()[0].at("hint").at("100").at("bound"));
  EXPECT_NE(said_.find("| znand | 0 | 0.5 | 1 |"), std::string::npos) << said_;
}

TEST_F(MoeSweep, WhatTheCommandRefusesIsOneLine) {
  EXPECT_EQ(sweep("--media znand --share 0.1 --compute 0 --layers 129 --accuracy 100"), 2);
  EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
  EXPECT_NE(wrong_.find("workload.layers"), std::string::npos) << wrong_;
}

}  // namespace
}  // namespace cxlgpu
