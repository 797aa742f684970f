// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Documents of a command, and the folder they go to.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cxlgpu {

// Whole or not there (flits/output_file.hpp). Errors: flits::OutputError.
void write_file(const std::filesystem::path& path, std::string_view text);
// All of them or none: no name is taken before every byte of each is on the disk.
void write_files(const std::vector<std::pair<std::filesystem::path, std::string>>& files);

// `indent` -1: in one line. Bytes that are no UTF-8, of a path for example, become U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::json& document, int indent);

// What JSON can hold as it is.
[[nodiscard]] bool is_utf8(const std::string& text);

// The folder for results, made before anything is simulated. What was made goes again if it is
// still empty at the end.
// Errors: InputError when there can be none.
class ResultFolder {
 public:
  // Empty: no folder.
  explicit ResultFolder(const std::string& out);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  // outermost first
};

}  // namespace cxlgpu
