// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// eval/key_value.py: its tables add up, and say what they are to show.
#include "tests/eval/study.hpp"

namespace cxlgpu {
namespace {

class KeyValue : public StudyTest {
 protected:
  KeyValue() : StudyTest("key_value") {}
};

TEST_F(KeyValue, StagesAddUpAndThePageIsRenewed) {
  write("page.md", "<!-- figures: stages -->\nold\n<!-- end -->\n");
  ASSERT_EQ(study("--table stages --page page.md"), 0) << wrong_;
  const auto stages = rows("stages");
  ASSERT_EQ(stages.size(), 9U) << said_;
  for (std::size_t column = 1; column < stages[0].size(); ++column) {
    double sum = 0;
    for (std::size_t row = 0; row < 8; ++row) sum += std::stod(stages[row][column]);
    EXPECT_NEAR(sum, std::stod(stages[8][column]), 0.06) << column;
  }
  // Host memory costs where it is in the way: the SQE's fetch, and the completion's sight.
  EXPECT_GT(std::stod(stages[2][3]), std::stod(stages[2][1]) + 0.5);
  EXPECT_GT(std::stod(stages[7][3]), std::stod(stages[7][1]) + 0.5);
  EXPECT_EQ(read_text(dir_ / "page.md").find("old"), std::string::npos);
}

TEST_F(KeyValue, WhatTheCommandRefusesIsOneLine) {
  EXPECT_EQ(study("--table media -- --set kv.controller_ps=none"), 2);
  EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
}

}  // namespace
}  // namespace cxlgpu
