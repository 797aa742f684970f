// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/report.hpp"

#include "cli/write_file.hpp"
#include "report_page_parts.hpp"

namespace cxlgpu {

namespace {

// Inside <script> a "</script" or a "<!--" would change what the browser reads as data; JSON allows
// any character by its number.
std::string data_text(const nlohmann::json& data) {
  const std::string plain = json_text(data, -1);
  std::string text;
  text.reserve(plain.size());
  for (const char c : plain) c == '<' ? text += "\\u003c" : text += c;
  return text;
}

// The parts stand in the page in this order, so that a mark in one of them is no mark.
std::string page(const nlohmann::json& data) {
  const std::string_view whole = kReportPage;
  std::string text;
  std::size_t from = 0;
  const auto put = [&](std::string_view mark, std::string_view part) {
    const std::size_t at = whole.find(mark, from);
    text.append(whole.substr(from, at - from)).append(part);
    from = at + mark.size();
  };
  put("__STYLE__", kReportStyle);
  put("__DATA__", data_text(data));
  put("__LIBRARY__", kChartLibrary);
  put("__SCRIPT__", kReportScript);
  return text.append(whole.substr(from));
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
