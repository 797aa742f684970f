// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// bfs, bfsp, gnn, pagerank and spmv on graphs from files.
#include <filesystem>
#include <fstream>

#include "sim/workloads/graph_search.hpp"
#include "tests/sim/workloads/workload_rig.hpp"

namespace cxlgpu {
namespace {

class GraphFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = testing::TempDir() + "cxlgpu_graph_file_" + info->name();
  }
  void TearDown() override { std::filesystem::remove(path_); }
  void write(const std::string& text) { std::ofstream(path_) << text; }
  [[nodiscard]] WorkloadParams params() const {
    WorkloadParams p;
    p.file = path_;
    return p;
  }
  std::string path_;
};

// A ring of n nodes, of which every tenth has an edge to each of the first nine.
std::string ring(unsigned n) {
  std::string text = "# ring\n";
  for (unsigned i = 0; i < n; ++i) {
    text += std::to_string(i) + "\t" + std::to_string((i + 1) % n) + "\n";
    for (unsigned k = 0; i % 10 == 0 && k < 9; ++k) {
      text += std::to_string(i) + " " + std::to_string(k) + "\n";
    }
  }
  return text;
}

TEST_F(GraphFiles, LevelsAreDistances) {
  // 4 -> 1 -> 0 -> 2, 4 -> 0; node 3 alone.
  write("%%MatrixMarket matrix coordinate pattern general\n5 5 4\n5 2\n2 1\n1 3\n5 1\n");
  const Graph graph = graph_of(params());
  EXPECT_EQ(root_of(graph, params()), 4U);
  EXPECT_EQ(levels_of(graph, 4), (std::vector<std::int32_t>{1, 1, 2, -1, 0}));
  verified("bfs", params());
  verified("bfsp", params());
  verified("gnn", params());
  verified("pagerank", params());  // nodes 0, 2 and 3 push nothing
  verified("spmv", params());
}

TEST_F(GraphFiles, SizeIsTheFilesOwn) {
  write(ring(1003));
  EXPECT_EQ(make_workload("bfs", params())->size(), 1003U);
  const GpuStats s = verified("bfs", params());
  EXPECT_GT(s.barriers, 2 * 9U) << "a ring with short cuts to its begin is ten levels deep";
  verified("gnn", params());
  verified("pagerank", params());
  EXPECT_EQ(make_workload("spmv", params())->size(), 1003U);
  EXPECT_EQ(verified("spmv", params()).stores, 126U);
  write("0 0\n");
  verified("bfs", params());
  verified("bfsp", params());
}

TEST_F(GraphFiles, OtherWorkloadsReadNone) {
  write(ring(20));
  for (const WorkloadKind& kind : workload_kinds()) {
    const std::string text = refusal(kind.name, params());
    EXPECT_EQ(text == "taken", kind.reads_file) << kind.name << ": " << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
  WorkloadParams both = params();
  both.size = 20;
  EXPECT_NE(refusal("bfs", both).find("leave one of the two out"), std::string::npos);
  write("0 1\n1\n");
  EXPECT_NE(refusal("bfs", params()).find(path_ + ":2:"), std::string::npos);
  std::filesystem::remove(path_);
  EXPECT_NE(refusal("gnn", params()).find("cannot be opened"), std::string::npos);
}

}  // namespace
}  // namespace cxlgpu
