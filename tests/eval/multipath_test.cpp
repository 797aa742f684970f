// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// eval/multipath.py: its rows, what it judges, and the page that it renews.
#include "tests/eval/study.hpp"

namespace cxlgpu {
namespace {

class Multipath : public StudyTest {
 protected:
  Multipath() : StudyTest("multipath", "--jobs 1 --long 60000000") {}
};

TEST_F(Multipath, DynamicAgainstStaticIsInThePapersOrder) {
  write("page.md",
        "<!-- figures: figure 11 -->\nold\n<!-- end -->\n"
        "<!-- figures: judged -->\n<!-- end -->\n");
  ASSERT_EQ(study("--figure 11 --page page.md"), 0) << wrong_;
  EXPECT_TRUE(says("| 11 | best split, idle | 1:1 | 1:1 | yes |")) << said_;
  EXPECT_TRUE(says("| 11 | best split, shared | 1:2 | 1:2 | yes |")) << said_;
  const std::string page = read_text(dir_ / "page.md");
  EXPECT_EQ(page.find("old"), std::string::npos);
  EXPECT_NE(page.find("| way | idle, GB/s"), std::string::npos) << page;
}

// A queue of one leaves the pull scheduler behind a split: worked out, not written down.
TEST_F(Multipath, ARowThatIsNotInOrderIsMarked) {
  ASSERT_EQ(study("--figure 11 -- --set multipath.queue_depth=1 --set multipath.sync_ps=100000000"),
            0)
      << wrong_;
  EXPECT_TRUE(says("| no * |")) << said_;
}

TEST_F(Multipath, WhatTheCommandRefusesIsOneLine) {
  EXPECT_EQ(study("--figure 12 -- --set multipath.queue_depth=none"), 2);
  EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
  EXPECT_NE(wrong_.find("multipath.queue_depth"), std::string::npos) << wrong_;
}

}  // namespace
}  // namespace cxlgpu
