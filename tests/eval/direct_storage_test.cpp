// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// eval/direct_storage.py: its rows, what it judges, and the page that it renews.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class DirectStorage : public Cli {
 protected:
  // Exit status; what was printed is in said_, what went to standard error in wrong_.
  int study(const std::string& options) {
    const std::string out = (base_ / "said").string(), err = (base_ / "wrong").string();
    const std::string command = "cd '" + dir_.string() +
                                "' && python3 '" CXLGPU_SOURCE_DIR
                                "/eval/direct_storage.py' --cxlgpu '" CXLGPU_BINARY "' " +
                                options + " > '" + out + "' 2> '" + err + "'";
    const int status = std::system(command.c_str());
    said_ = read_text(out);
    wrong_ = read_text(err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  // Cells of the rows of a table.
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
