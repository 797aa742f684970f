// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_tables.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/page.hpp"
#include "cli/sweep_point.hpp"
#include "cli/write_file.hpp"
#include "sweep_page_parts.hpp"

namespace cxlgpu {

namespace {

// Seven digits are what a chart can show, and half the length.
nlohmann::json number(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  if (*value == std::floor(*value) && std::fabs(*value) < 1e15) {
    return static_cast<std::int64_t>(*value);
  }
  return std::stod(fmt::format("{:.7g}", *value));
}

bool differ(const StoredFigure& figure) {
  for (const std::optional<double>& value : figure.values) {
    if (value != figure.values.front()) return true;
  }
  return false;
}

// Single requests, and times of this machine, are no figures to choose a point by.
bool of_page(const StoredFigure& figure, const std::string& objective) {
  if (figure.path == objective) return true;
  if (figure.path.starts_with("slowest_loads.") || figure.path == "wall") return false;
  return differ(figure) || figure.path == "end_to_end";
}

std::string number_text(double value) {
  return fmt::format("{}", value);
}

}  // namespace

std::string sweep_page(const SweepPlan& plan, const std::vector<StoredPoint>& points,
                       const std::vector<StoredFigure>& figures, const std::string& command) {
  using nlohmann::json;
  json data = {
      {"file", plan.file},           {"text", plan.text},
      {"title", plan.title},         {"kind", plan.kind},
      {"command", command},          {"version", sweep_version()},
      {"objective", plan.objective}, {"better", plan.higher_is_better ? "higher" : "lower"},
      {"keys", json::array()},       {"points", json::array()},
      {"figures", json::array()},    {"fixed", json::array()}};
  for (const auto& [name, value] : plan.fixed) data["fixed"].push_back({name, value});
  for (std::size_t i = 0; i < plan.columns.size(); ++i) {
    json key = {{"name", plan.columns[i].name}, {"unit", plan.columns[i].unit}};
    for (const SweepPoint& point : plan.points) {
      key["texts"].push_back(point.cells[i]);
      key["numbers"].push_back(number(point.numbers[i]));
    }
    data["keys"].push_back(std::move(key));
  }
  for (const StoredPoint& point : points) {
    data["points"].push_back({point.id, point.status, point.message, point.report ? 1 : 0});
  }
  for (const StoredFigure& figure : figures) {
    if (!of_page(figure, plan.objective)) continue;
    json one = {{"path", figure.path}, {"unit", figure.unit}, {"values", json::array()}};
    for (const std::optional<double>& value : figure.values) one["values"].push_back(number(value));
    data["figures"].push_back(std::move(one));
  }
  return html_page({kSweepPage, kSweepStyle, kSweepLibrary, kSweepScript}, data);
}

std::string csv_cell(const std::string& text) {
  std::string cell = text;
  if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos) {
    char* end = nullptr;
    (void)std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0') cell = "'" + cell;
  }
  if (cell.find_first_of("\",\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string sweep_csv(const SweepPlan& plan, const std::vector<StoredPoint>& points,
                      const std::vector<StoredFigure>& figures) {
  std::string text = "number,id,status";
  for (const SweepColumn& column : plan.columns) text += "," + csv_cell(column.name);
  for (const StoredFigure& figure : figures) text += "," + csv_cell(figure.path);
  text += ",message\n";
  for (std::size_t i = 0; i < points.size(); ++i) {
    text += fmt::format("{},{},{}", i + 1, points[i].id, points[i].status);
    for (const std::string& cell : plan.points[i].cells) text += "," + csv_cell(cell);
    for (const StoredFigure& figure : figures) {
      text += "," + (figure.values[i] ? number_text(*figure.values[i]) : std::string());
    }
    text += "," + csv_cell(points[i].message) + "\n";
  }
  return text;
}

}  // namespace cxlgpu
