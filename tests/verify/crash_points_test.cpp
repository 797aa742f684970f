// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// verify/crash_points.py: as many losses of power as --points says, and what it says of a failure.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class CrashPoints : public Cli {
 protected:
  int walk(const std::string& options) {
    const std::string out = (base_ / "said").string(), err = (base_ / "wrong").string();
    const std::string command = "cd '" + dir_.string() +
                                "' && python3 '" CXLGPU_SOURCE_DIR
                                "/verify/crash_points.py' --cxlgpu '" CXLGPU_BINARY "' --jobs 1 " +
                                options + " > '" + out + "' 2> '" + err + "'";
    const int status = std::system(command.c_str());
    said_ = read_text(out);
    wrong_ = read_text(err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string said_, wrong_;
};

// A run of few events: every point, in more than one state.
TEST_F(CrashPoints, EachIsRecoveredAndThereAreAsManyAsWereAskedFor) {
  ASSERT_EQ(walk("--points 150 --set workload.size=4 ps"), 0) << wrong_;
  const auto lines = lines_of(said_);
  ASSERT_EQ(lines.size(), 3U) << said_;
  std::istringstream in(lines[2]);
  std::string bar, name;
  int events = 0, points = 0, states = 0;
  in >> bar >> name >> bar >> events >> bar >> points >> bar >> states;
  EXPECT_EQ(name, "`ps`");
  EXPECT_EQ(points, events + 1);
  EXPECT_LT(points, 150);
  EXPECT_GE(states, 150);
  EXPECT_NE(lines[2].find("each recovered"), std::string::npos);
}

TEST_F(CrashPoints, WhatIsNotRecoveredEndsItWithOne) {
  EXPECT_EQ(walk("--points 2000 --set workload.size=4 --set persist.by=ndp --set gpu.cores=2 ps"),
            1)
      << said_;
  EXPECT_NE(wrong_.find("replay: "), std::string::npos) << wrong_;
  EXPECT_EQ(walk("--points 20 --set persist.domain=none ps"), 2) << said_;
}

}  // namespace
}  // namespace cxlgpu
