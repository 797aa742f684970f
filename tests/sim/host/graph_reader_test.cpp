// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Graph files: both formats, plain and gzip, and a one-line error for everything malformed.
#include "sim/host/graph_reader.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

namespace cxlgpu {
namespace {

using Words = std::vector<std::uint32_t>;

class GraphFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = testing::TempDir() + "cxlgpu_graph_" + info->name();
  }
  void TearDown() override { std::filesystem::remove(path_); }

  Graph plain(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return read_graph(path_);
  }
  Graph zipped(const std::string& text, std::size_t keep = std::string::npos) {
    gzFile file = gzopen(path_.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    if (keep != std::string::npos) std::filesystem::resize_file(path_, keep);
    return read_graph(path_);
  }
  // Refused in one line that begins with the place and says what and what to do.
  void refused(const std::string& text, const std::string& line, const std::string& what) {
    try {
      plain(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const InputError& e) {
      const std::string message = e.what();
      EXPECT_EQ(message.rfind(path_ + ":" + line + ": ", 0), 0U) << message;
      EXPECT_NE(message.find(what), std::string::npos) << message;
      EXPECT_NE(message.find("; "), std::string::npos) << "says not what to do: " << message;
      EXPECT_EQ(message.find('\n'), std::string::npos);
    }
  }
  std::string path_;
};

const std::string kPattern = "%%MatrixMarket matrix coordinate pattern general\n";
const std::string kSymmetric = "%%MatrixMarket matrix coordinate pattern symmetric\n";

void expect_graph(const Graph& graph, const Words& first, const Words& targets) {
  EXPECT_EQ(graph.first_edges, first);
  EXPECT_EQ(graph.targets, targets);
}

TEST_F(GraphFile, MatrixMarketPlainAndGzip) {
  const std::string text = kPattern + "% a comment\n\n4 4 5\n3 1\n1 2\r\n1 4\n  3   3 \n3 1";
  expect_graph(plain(text), {0, 2, 2, 5, 5}, {1, 3, 0, 2, 0});
  expect_graph(zipped(text), {0, 2, 2, 5, 5}, {1, 3, 0, 2, 0});
}

TEST_F(GraphFile, SymmetricHasBothDirectionsAndTheDiagonalOnce) {
  expect_graph(plain(kSymmetric + "3 3 3\n2 1\n2 2\n3 1\n"), {0, 2, 4, 5}, {1, 2, 0, 1, 0});
}

TEST_F(GraphFile, ValuesAreCheckedAndDropped) {
  const std::string real = "%%MatrixMarket Matrix Coordinate REAL General\n2 2 2\n";
  expect_graph(plain(real + "1 2 -3.5e-2\n2 1 +1\n"), {0, 1, 2}, {1, 0});
  expect_graph(plain("%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 1 -7\n"),
               {0, 0, 1}, {0});
  refused(real + "1 2 0.5\n2 1 much\n", "4", "'much'");
  refused(real + "1 2\n2 1 1\n", "3", "'1 2' is not 3 fields");
  refused("%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 1 0.5\n", "3", "'0.5'");
}

TEST_F(GraphFile, EdgeListIsRenumberedInOrder) {
  expect_graph(plain("# Nodes: 3 Edges: 4\n# FromNodeId\tToNodeId\n30\t10\n10 4000000000\n\n10 30"),
               {0, 2, 3, 3}, {2, 1, 0});
  expect_graph(zipped("0 1\n1 0\n"), {0, 1, 2}, {1, 0});
}

TEST_F(GraphFile, HeadersThatAreNoGraph) {
  refused("%%MatrixMarket matrix coordinate pattern\n", "1", "five words");
  refused("%%MatrixMarket vector coordinate pattern general\n", "1", "'vector'");
  refused("%%MatrixMarket matrix array real general\n", "1", "'array'");
  refused("%%MatrixMarket matrix coordinate complex general\n", "1", "'complex'");
  refused("%%MatrixMarket matrix coordinate real skew-symmetric\n", "1", "'skew-symmetric'");
}

TEST_F(GraphFile, CountsThatDoNotMatch) {
  refused(kPattern + "% nothing else\n", "3", "counts is missing");
  refused(kPattern + "3 3\n", "2", "counts is missing");
  refused(kPattern + "3 4 1\n1 1\n", "2", "3 by 4");
  refused(kPattern + "0 0 0\n", "2", "0 nodes");
  refused(kPattern + "3 3 -1\n", "2", "'-1'");
  refused(kPattern + "3 3 3\n1 2\n2 3\n", "5", "after 2 of 3");
  refused(kPattern + "3 3 1\n1 2\n2 3\n", "4", "more than the 1 entries");
}

TEST_F(GraphFile, IndicesOutOfRange) {
  refused(kPattern + "3 3 1\n0 2\n", "3", "row 0");
  refused(kPattern + "3 3 1\n2 4\n", "3", "column 4");
  refused(kPattern + "3 3 1\n2 99999999999999999999\n", "3", "99999999999999999999");
  refused(kPattern + "3 3 1\n2 x\n", "3", "'x'");
  refused(kPattern + "3 3 1\n2 3 1\n", "3", "not 2 fields");
  refused(kSymmetric + "3 3 1\n1 2\n", "3", "above the diagonal");
  refused("0 1\n1 4294967296\n", "2", "'4294967296'");
  refused("0 1\n-1 1\n", "2", "'-1'");
}

// Were the counts believed, the first two would ask for terabytes and the third for 32 GiB.
TEST_F(GraphFile, CountsAloneAllocateNothing) {
  refused(kPattern + "1000000000000 1000000000000 1\n1 1\n", "2", "1000000000000 nodes");
  refused(kPattern + "10 10 1000000000000\n1 1\n", "2", "more than 4294967295 edges");
  refused(kPattern + "134217728 134217728 4294967295\n1 1\n", "4", "after 1 of 4294967295");
  refused(kPattern + "18446744073709551616 1 1\n", "2", "18446744073709551616");
}

TEST_F(GraphFile, EdgeListsThatAreNone) {
  refused("", "1", "no edge");
  refused("# only a comment\n", "2", "no edge");
  refused("0 1\n2\n", "2", "'2' is not two");
  refused("0 1\n1 2 3\n", "2", "'1 2 3' is not two");
  refused("from to\n", "1", "'from'");
  refused("\x01\xff 1\n", "1", "'?");
  refused(std::string(100'000, '7') + "\n", "1", "4096");
}

TEST_F(GraphFile, FilesThatCannotBeRead) {
  EXPECT_THROW(read_graph(path_ + ".none"), InputError);
  EXPECT_THROW(read_graph(testing::TempDir()), InputError);
  std::string text = kPattern + "5000 5000 5000\n";
  for (unsigned i = 1; i <= 5000; ++i) {
    text += std::to_string(i) + " " + std::to_string(i * i % 5000 + 1) + "\n";
  }
  EXPECT_EQ(zipped(text).edges(), 5000U);
  try {
    zipped(text, 6000);
    ADD_FAILURE() << "a cut file is accepted";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("cut short"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace cxlgpu
