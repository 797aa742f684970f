// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Graphs given to the command.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

TEST_F(Cli, GraphFilesRunInEveryEngine) {
  std::string text = "# from\tto\n";
  for (unsigned i = 0; i < 400; ++i) {
    text += std::to_string(i) + "\t" + std::to_string(i * 7 % 400) + "\n" + std::to_string(i) +
            " " + std::to_string((i + 1) % 400) + "\n";
  }
  write("edges.txt", text);
  for (const char* workload :
       {"bfs-znand-sr", "gnn-znand-sr", "pagerank-znand-sr", "spmv-znand-sr"}) {
    accepted(
        {"run", workload, "--engine", "cosim", "--set", "workload.file=edges.txt", "--out", "o"});
    const json s = json::parse(read_text(dir_ / "o" / "stats.json"));
    EXPECT_EQ(s["status"], "clean");
    EXPECT_EQ(s["cosim"]["time_differences"]["value"], 0);
  }
}

TEST_F(Cli, BadGraphFilesAreRefused) {
  const auto refuse = [&](const std::string& scenario, const std::vector<std::string>& sets,
                          const std::vector<std::string>& parts) {
    std::vector<std::string> args = {"run", scenario, "--engine", "model", "--out", "o"};
    for (const std::string& set : sets) args.insert(args.end(), {"--set", set});
    refused(args, parts);
  };
  write("short.mtx", "%%MatrixMarket matrix coordinate pattern general\n4 4 3\n1 2\n2 3\n");
  refuse("bfs-dram-cxl", {"workload.file=short.mtx"}, {"short.mtx:5:", "2 of 3"});
  write("huge.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 99999999999\n1 2 1\n");
  refuse("gnn-dram-cxl", {"workload.file=huge.mtx"}, {"huge.mtx:2:"});
  refuse("spmv-dram-cxl", {"workload.file=huge.mtx"}, {"huge.mtx:2:"});
  refuse("bfs-dram-cxl", {"workload.file=none.mtx"}, {"none.mtx", "cannot be opened"});
  write("edges.txt", "0 1\n");
  refuse("vadd-dram-cxl", {"workload.file=edges.txt"}, {"workload.file", "vadd"});
  refuse("bfs-dram-cxl", {"workload.file=edges.txt", "workload.size=2"}, {"workload.size"});
  refuse("sort-dram-cxl", {"workload.iterations=2"}, {"workload.iterations", "sort"});
  refuse("path-dram-cxl", {"workload.iterations=1"}, {"workload.iterations", "2..1000"});
}

}  // namespace
}  // namespace cxlgpu
