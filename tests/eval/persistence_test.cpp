// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// eval/persistence.py: its rows, what it judges, and the page that it renews.
#include "tests/eval/study.hpp"

namespace cxlgpu {
namespace {

class PersistenceStudy : public StudyTest {
 protected:
  PersistenceStudy() : StudyTest("persistence", "--jobs 2") {}
};

TEST_F(PersistenceStudy, ThreadsOfHostAndGpuAndThePageThatHasThem) {
  write("page.md",
        "<!-- figures: figure 3 -->\nold\n<!-- end -->\n"
        "<!-- figures: judged -->\n<!-- end -->\n");
  ASSERT_EQ(study("--part figure3 --page page.md"), 0) << wrong_;
  const auto threads = rows("figure 3");
  ASSERT_EQ(threads.size(), 11U) << said_;
  EXPECT_EQ(threads[0][3], "1.00x");
  double gpu = 1e9;
  for (const auto& row : threads) {
    const double us = std::stod(row[2]);
    EXPECT_GT(us, 0);
    if (row[0] != "GPU") continue;
    EXPECT_LT(us, gpu) << row[1];  // more threads, less time
    gpu = us;
  }
  EXPECT_EQ(rows("judged").size(), 2U);
  const std::string page = read_text(dir_ / "page.md");
  EXPECT_EQ(page.find("old"), std::string::npos);
  EXPECT_NE(page.find("| GPU | 512 | "), std::string::npos) << page;
}

// A host that takes as long as it likes changes the factor: it is worked out, not written down.
TEST_F(PersistenceStudy, ARowThatIsFurtherAwayIsMarked) {
  ASSERT_EQ(study("--part figure3 -- --set cap.sync_ps=10000000000"), 0) << wrong_;
  const auto judged = rows("judged");
  ASSERT_EQ(judged.size(), 2U) << said_;
  EXPECT_TRUE(judged[1][4].ends_with('*')) << said_;
}

TEST_F(PersistenceStudy, WhatTheCommandRefusesIsOneLine) {
  EXPECT_EQ(study("--part figure3 -- --set cap.threads=3"), 2);
  EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
  EXPECT_NE(wrong_.find("cap.threads"), std::string::npos) << wrong_;
}

}  // namespace
}  // namespace cxlgpu
