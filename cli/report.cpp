// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/report.hpp"

#include "report_page.hpp"

namespace cxlgpu {

std::string report_page(const nlohmann::json& stats) {
  std::string page(kReportPage);
  // Inside <script> a "</" would end the element; JSON allows the escaped slash.
  std::string data = stats.dump();
  for (std::size_t at = data.find("</"); at != std::string::npos; at = data.find("</", at + 3)) {
    data.replace(at, 2, "<\\/");
  }
  const std::string mark = "__STATS__";
  page.replace(page.find(mark), mark.size(), data);
  return page;
}

}  // namespace cxlgpu
