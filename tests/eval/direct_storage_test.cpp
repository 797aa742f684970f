// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// eval/direct_storage.py: its rows, what it judges, and the page that it renews.
#include "tests/eval/study.hpp"

namespace cxlgpu {
namespace {

class DirectStorage : public StudyTest {
 protected:
  DirectStorage() : StudyTest("direct_storage") {}
};

TEST_F(DirectStorage, BatchesAndTheReadOfTableOneAreAsNearAsThePageSays) {
  write("page.md",
        "<!-- figures: figure 7 -->\nold\n<!-- end -->\n"
        "<!-- figures: judged -->\n<!-- end -->\n");
  ASSERT_EQ(study("--figure 1 --figure 7 --page page.md"), 0) << wrong_;
  const auto batches = rows("figure 7");
  ASSERT_EQ(batches.size(), 9U) << said_;
  double before_gds = 0, before_phoenix = 0;
  for (const auto& row : batches) {
    const double gds = std::stod(row[1]), phoenix = std::stod(row[2]);
    EXPECT_GT(gds, phoenix) << row[0];
    EXPECT_GT(gds, before_gds);
    EXPECT_GT(phoenix, before_phoenix);
    before_gds = gds;
    before_phoenix = phoenix;
  }
  const auto judged = rows("judged");
  ASSERT_EQ(judged.size(), 4U);  // three of table 1
  for (const auto& row : judged) {
    EXPECT_LE(std::stod(row[4]), 1.3) << row[0] << row[1];
    EXPECT_EQ(row[4].find('*'), std::string::npos);
  }
  const std::string page = read_text(dir_ / "page.md");
  EXPECT_EQ(page.find("old"), std::string::npos);
  EXPECT_NE(page.find("| batch | GDS, us"), std::string::npos) << page;
}

// Each trace's request is a run of three blocks, and one alone.
TEST_F(DirectStorage, TracesAreReadAndEachGainIsWorkedOut) {
  for (const char* name : {"paper_assit", "gsm100", "quality", "sharegpt-sample-200"}) {
    write(std::string(name) + ".txt", "Seq1:\nRound 1-human: [0, 1, 2]\nRound 2-gpt: [9]\n");
  }
  ASSERT_EQ(study("--figure 11 --traces ."), 0) << wrong_;
  const auto traces = rows("table 3");
  ASSERT_EQ(traces.size(), 4U) << said_;
  EXPECT_EQ(traces[0],
            (std::vector<std::string>{"Paper Assistant", "23, 15708", "1, 4", "no", "2"}));
  const auto figure = rows("figure 11");
  ASSERT_EQ(figure.size(), 12U);
  for (const auto& row : figure) {  // a gain is that of the two before it
    for (const std::size_t gds : {3U, 7U}) {
      const double gain = 100 * (std::stod(row[gds + 1]) / std::stod(row[gds]) - 1);
      EXPECT_NEAR(std::stod(row[gds + 2]), gain, 2) << row[0] << row[1];
      EXPECT_GT(gain, 0);
    }
  }
  const auto judged = rows("figure 11 judged");
  ASSERT_EQ(judged.size(), 6U);
  for (const auto& row : judged) {
    for (const std::size_t gain : {1U, 3U, 5U}) {
      const double theirs = gain == 1 ? 246 : gain == 3 ? 101 : 5;
      const double ratio = (100 + std::stod(row[gain])) / (100 + theirs);
      EXPECT_NEAR(std::stod(row[gain + 1]), std::max(ratio, 1 / ratio), 0.02) << row[0];
      if (std::abs(std::stod(row[gain + 1]) - 1.3) > 0.01) {
        EXPECT_EQ(row[gain + 1].ends_with('*'), std::stod(row[gain + 1]) > 1.3) << row[0];
      }
    }
  }
  EXPECT_EQ(study("--figure 11"), 2);
  EXPECT_EQ(study("--figure 11 --traces missing"), 2);
  EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
}

// Without a file system io_uring is much further ahead: the factor is worked out, not written down.
TEST_F(DirectStorage, ARowThatIsFurtherAwayIsMarked) {
  ASSERT_EQ(study("--figure 7 -- --set io.file_system_ps=0"), 0) << wrong_;
  const auto judged = rows("judged");
  ASSERT_EQ(judged.size(), 1U) << said_;
  EXPECT_TRUE(judged[0][4].ends_with('*')) << said_;
}

TEST_F(DirectStorage, WhatTheCommandRefusesIsOneLine) {
  EXPECT_EQ(study("--figure 1 -- --set io.block_ps=none"), 2);
  EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
  EXPECT_NE(wrong_.find("io.block_ps"), std::string::npos) << wrong_;
}

}  // namespace
}  // namespace cxlgpu
