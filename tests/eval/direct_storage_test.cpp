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
