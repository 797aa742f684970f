// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// eval/persistence.py: its rows, what it judges, and the page that it renews.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class PersistenceStudy : public Cli {
 protected:
  // Exit status; what was printed is in said_, what went to standard error in wrong_.
  int study(const std::string& options) {
    const std::string out = (base_ / "said").string(), err = (base_ / "wrong").string();
    const std::string command = "cd '" + dir_.string() +
                                "' && python3 '" CXLGPU_SOURCE_DIR
                                "/eval/persistence.py' --cxlgpu '" CXLGPU_BINARY "' --jobs 2 " +
                                options + " > '" + out + "' 2> '" + err + "'";
    const int status = std::system(command.c_str());
    said_ = read_text(out);
    wrong_ = read_text(err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  // Cells of the rows of a table of what was printed.
  [[nodiscard]] std::vector<std::vector<std::string>> rows(const std::string& name) const {
    std::vector<std::vector<std::string>> all;
    bool inside = false;
    for (const std::string& line : lines_of(said_)) {
      if (line == name) inside = true;
      if (inside && line.empty() && !all.empty()) break;
      if (!inside || !line.starts_with("| ")) continue;
      all.emplace_back();
      std::istringstream in(line.substr(2));
      for (std::string cell; std::getline(in, cell, '|');) {
        if (cell.ends_with(' ')) cell.pop_back();
        if (cell.starts_with(' ')) cell.erase(0, 1);
        all.back().push_back(cell);
      }
    }
    if (!all.empty()) all.erase(all.begin());  // the header
    return all;
  }
  std::string said_, wrong_;
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
