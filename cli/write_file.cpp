// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/write_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "common/input_error.hpp"
#include "flits/output_file.hpp"

namespace cxlgpu {

void write_file(const std::filesystem::path& path, std::string_view text) {
  flits::OutputFile file(path);
  file.write(text);
  file.publish();
}

std::string json_text(const nlohmann::json& document, int indent) {
  return document.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_utf8(const std::string& text) {
  return json_text(text, -1) ==
         nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::ignore);
}

void write_files(const std::vector<std::pair<std::filesystem::path, std::string>>& files) {
  std::vector<flits::OutputFile> open;
  open.reserve(files.size());
  for (const auto& [path, text] : files) {
    open.emplace_back(path);
    open.back().write(text);
    open.back().finish();
  }
  for (flits::OutputFile& file : open) file.publish();
}

ResultFolder::ResultFolder(const std::string& out) {
  if (out.empty()) return;
  std::error_code error;
  std::vector<std::filesystem::path> missing;
  for (std::filesystem::path at = std::filesystem::absolute(out, error).lexically_normal();
       !at.empty() && !std::filesystem::exists(at, error) && at != at.parent_path();
       at = at.parent_path()) {
    if (!at.filename().empty()) missing.push_back(at);
  }
  made_.assign(missing.rbegin(), missing.rend());
  std::filesystem::create_directories(out, error);
  if (error || !std::filesystem::is_directory(out)) {
    throw InputError(
        fmt::format("{}: is no folder and cannot be made one; choose another place", out));
  }
}

ResultFolder::~ResultFolder() {
  std::error_code ignored;  // a folder that holds something stays
  for (auto at = made_.rbegin(); at != made_.rend(); ++at) std::filesystem::remove(*at, ignored);
}

}  // namespace cxlgpu
