// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxlgpu report: runs side by side.
//
// Purpose: one page from the stats.json of folders that `run --out` made.
// Errors:  InputError, one line: which folder or file, what is wrong, what to do.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cxlgpu {

struct ReportArguments {
  std::vector<std::string> folders;
  std::string out = "comparison.html";
};

void add_report_command(CLI::App& command, ReportArguments& arguments);
int report_command(const ReportArguments& arguments);

}  // namespace cxlgpu
