// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A study of eval/ as `make results` calls it: exit status, tables, the page that it renews.
//
// Purpose: runs eval/NAME.py with the built command, in a folder of the test's own.
// Errors:  test failures.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/cli.hpp"

namespace cxlgpu {

class StudyTest : public Cli {
 protected:
  // `script`: of eval/, without its ending; `always`: options of each of its runs.
  explicit StudyTest(std::string script, std::string always = "")
      : script_(std::move(script)), always_(std::move(always)) {}

  // Exit status; what was printed is in said_, what went to standard error in wrong_.
  int study(const std::string& options) {
    const std::string out = (base_ / "said").string(), err = (base_ / "wrong").string();
    const std::string command = "cd '" + dir_.string() +
                                "' && python3 '" CXLGPU_SOURCE_DIR "/eval/" + script_ +
                                ".py' --cxlgpu '" CXLGPU_BINARY "' " + always_ + " " + options +
                                " > '" + out + "' 2> '" + err + "'";
    const int status = std::system(command.c_str());
    said_ = read_text(out);
    wrong_ = read_text(err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] bool says(const std::string& text) const {
    return said_.find(text) != std::string::npos;
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

 private:
  std::string script_, always_;
};

}  // namespace cxlgpu
