// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Typed access to one YAML file in which every key must be used.
//
// Purpose: the error rules of configs/media in one place.
// Shapes:  nested maps of scalars and of lists of scalars; keys are named by path, "timing.tCL_ps".
//          A list of maps is as many sections: "published[0].value".
// Errors:  InputError with one line: "FILE:LINE: key 'x.y': what is wrong; what to do".
// Missing: a key that is missing is reported by finish(), or by fail() before that, so that all
//          others have been read: if the file has one in its place that nobody knows, that
//          one, with what it may mean. Until then its value is the least that may be given.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cxlgpu {

class ConfigReader {
 public:
  explicit ConfigReader(std::filesystem::path file);

  [[nodiscard]] std::uint64_t number(const std::string& key, std::uint64_t low, std::uint64_t high);
  [[nodiscard]] std::uint64_t power_of_two(const std::string& key, std::uint64_t low,
                                           std::uint64_t high);
  // A number with a decimal point or without, low <= value <= high.
  [[nodiscard]] double decimal(const std::string& key, double low, double high);
  [[nodiscard]] bool flag(const std::string& key);
  [[nodiscard]] std::string text(const std::string& key);
  [[nodiscard]] std::string choice(const std::string& key, const std::vector<std::string>& choices);
  [[nodiscard]] std::vector<std::string> list(const std::string& key);
  [[nodiscard]] bool has(const std::string& section) {
    asked_.insert(section);
    return sections_.count(section) != 0;
  }
  // A key with a value of any kind, or a section.
  [[nodiscard]] bool given(const std::string& key) { return has(key) || entries_.count(key) != 0; }
  // Sections of a list of maps.
  [[nodiscard]] std::size_t items(const std::string& key) const;
  // Names of a section's sections, in the order of the file.
  [[nodiscard]] std::vector<std::string> sections(const std::string& key) const;
  // Fails on a section that nobody has read: what is read next depends on which there are.
  void check_sections() const;
  // Fails on the first key that nobody has read, or that is missing.
  void finish() const;

  [[nodiscard]] int line(const std::string& key_or_section) const;
  [[noreturn]] void fail(const std::string& key, const std::string& what) const;
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  struct Entry {
    std::vector<std::string> values;
    bool is_list = false;
    int line = 0;
    bool used = false;
  };
  class Flattener;

  // Null: missing.
  [[nodiscard]] const Entry* get(const std::string& key);
  [[nodiscard]] std::optional<std::string> scalar(const std::string& key);
  [[nodiscard]] std::vector<std::pair<int, std::string>> unknown() const;
  [[nodiscard]] std::set<std::string> known_sections() const;
  [[noreturn]] void refuse_unknown(const std::string& key) const;
  void report_missing() const;
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;

  std::filesystem::path file_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, int> sections_;
  std::set<std::string> asked_;       // keys and sections
  std::vector<std::string> missing_;  // keys, in the order in which they were looked up
};

}  // namespace cxlgpu
