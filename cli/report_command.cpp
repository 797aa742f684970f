// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/report_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/report.hpp"
#include "cli/write_file.hpp"
#include "common/input_error.hpp"

namespace cxlgpu {

namespace {

constexpr int kSchema = 2;                      // of cli/summary.hpp
constexpr std::size_t kMost = 8;                // runs that a chart can tell apart
constexpr std::uintmax_t kLargest = 64u << 20;  // of a stats.json

LabelledRun read_run(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path file = folder;
  if (fs::is_directory(file, error)) file /= "stats.json";
  if (!fs::is_regular_file(file, error)) {
    throw InputError(
        fmt::format("{}: has no stats.json; give a folder that `cxlgpu run --out` made", folder));
  }
  if (fs::file_size(file, error) > kLargest) {
    throw InputError(
        fmt::format("{}: is longer than any stats.json; give the folder of a run", file.string()));
  }
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  nlohmann::json stats = nlohmann::json::parse(text, nullptr, false);
  if (!stats.is_object() || !stats.contains("scenario") || !stats.contains("end_to_end")) {
    throw InputError(
        fmt::format("{}: is no stats.json of a run; run it again with --out", file.string()));
  }
  const nlohmann::json schema = stats.contains("schema") ? stats.at("schema") : nullptr;
  if (schema != kSchema) {
    throw InputError(fmt::format("{}: is of schema {}, this command reads {}; run it again",
                                 file.string(), json_text(schema, -1), kSchema));
  }
  return {folder, std::move(stats)};
}

}  // namespace

void add_report_command(CLI::App& command, ReportArguments& arguments) {
  command.add_option("dirs", arguments.folders, "folders that `run --out` made, two to eight");
  command.add_option("--out", arguments.out, "the page; comparison.html if it is left out");
}

int report_command(const ReportArguments& arguments) {
  const std::vector<std::string>& folders = arguments.folders;
  if (folders.empty()) {
    throw InputError("command line: report compares runs; give two folders that `run --out` made");
  }
  if (folders.size() < 2) {
    throw InputError(fmt::format(
        "command line: report compares runs; give two folders or more (the page of '{}' alone is "
        "its report.html)",
        folders.front()));
  }
  if (folders.size() > kMost) {
    throw InputError(
        fmt::format("command line: report compares up to {} runs, not {}", kMost, folders.size()));
  }
  std::vector<LabelledRun> runs;
  for (const std::string& folder : folders) runs.push_back(read_run(folder));
  write_file(arguments.out, comparison_page(runs));
  fmt::print("{}\n", arguments.out);
  return 0;
}

}  // namespace cxlgpu
