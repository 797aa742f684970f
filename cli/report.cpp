// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/report.hpp"

#include "cli/page.hpp"
#include "report_page_parts.hpp"

namespace cxlgpu {

namespace {

std::string page(const nlohmann::json& data) {
  return html_page({kReportPage, kReportStyle, kChartLibrary, kReportScript}, data);
}

}  // namespace

std::string report_page(const nlohmann::json& stats, const nlohmann::json& samples) {
  return page(
      {{"runs", {{{"label", stats.at("scenario")}, {"stats", stats}}}}, {"samples", samples}});
}

std::string comparison_page(const std::vector<LabelledRun>& runs) {
  nlohmann::json all = nlohmann::json::array();
  for (const LabelledRun& run : runs) all.push_back({{"label", run.label}, {"stats", run.stats}});
  return page({{"runs", all}, {"samples", nullptr}});
}

}  // namespace cxlgpu
