// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// YAML files that people write: one document, with the place of each node for messages.
//
// Errors:  InputError of one line: file and line, what is wrong, what to do.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

namespace cxlgpu {

// While it lives, a file that parse_yaml() reads on this thread is read once: for many
// configurations after each other, which have the same layers.
class YamlFilesKept {
 public:
  YamlFilesKept();
  ~YamlFilesKept();
  YamlFilesKept(const YamlFilesKept&) = delete;
  YamlFilesKept& operator=(const YamlFilesKept&) = delete;
};

// Null for an empty file. The caller only reads it.
[[nodiscard]] YAML::Node parse_yaml(const std::string& file);
// "file:line".
[[nodiscard]] std::string yaml_place(const std::string& file, const YAML::Node& node);

}  // namespace cxlgpu
