// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/config/yaml_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "common/input_error.hpp"

namespace cxlgpu {

namespace {

thread_local std::optional<std::map<std::string, YAML::Node>> kept;

YAML::Node read(const std::string& file);

}  // namespace

YamlFilesKept::YamlFilesKept() {
  kept.emplace();
}

YamlFilesKept::~YamlFilesKept() {
  kept.reset();
}

YAML::Node parse_yaml(const std::string& file) {
  if (!kept) return read(file);
  const auto found = kept->find(file);
  return found != kept->end() ? found->second : kept->emplace(file, read(file)).first->second;
}

std::string yaml_place(const std::string& file, const YAML::Node& node) {
  return fmt::format("{}:{}", file, node.Mark().line + 1);
}

namespace {

YAML::Node read(const std::string& file) {
  const std::filesystem::path path = file;
  if (!std::filesystem::is_regular_file(path)) {
    throw InputError(fmt::format("{}: is not a file that can be read; check the path", file));
  }
  YAML::Node root;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAllFromFile(file);
    if (documents.size() > 1) {
      throw InputError(
          fmt::format("{}: holds {} YAML documents; keep one in a file", file, documents.size()));
    }
    if (!documents.empty()) root = documents.front();
  } catch (const YAML::BadFile&) {
    throw InputError(fmt::format("{}: cannot be read; check the path", file));
  } catch (const YAML::Exception& e) {
    throw InputError(
        fmt::format("{}:{}: key '(syntax)': {}; mend the YAML", file, e.mark.line + 1, e.msg));
  }
  return root;
}

}  // namespace

}  // namespace cxlgpu
