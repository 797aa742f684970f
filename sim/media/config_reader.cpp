// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/config_reader.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/input_error.hpp"
#include "common/nearest.hpp"

namespace cxlgpu {

// Turns the tree into paths; a class so that yaml-cpp stays out of the header.
class ConfigReader::Flattener {
 public:
  explicit Flattener(ConfigReader& reader) : reader_(reader) {}

  void map(const YAML::Node& node, const std::string& path) {
    reader_.sections_.emplace(path, node.Mark().line + 1);
    for (const auto& pair : node) {
      const std::string name = pair.first.IsScalar() ? pair.first.Scalar() : "?";
      const std::string key = path.empty() ? name : path + "." + name;
      const int line = pair.first.Mark().line + 1;
      Entry entry;
      entry.line = line;
      if (reader_.entries_.count(key) != 0 || reader_.sections_.count(key) != 0) {
        throw InputError(fmt::format("{}:{}: key '{}': is given twice; keep one of the two",
                                     reader_.file_.string(), line, key));
      }
      if (pair.second.IsMap()) {
        map(pair.second, key);
        reader_.sections_[key] = line;
        continue;
      }
      if (pair.second.IsSequence()) {
        if (pair.second.size() > 0 && pair.second[0].IsMap()) {
          items(pair.second, key, line);
          continue;
        }
        entry.is_list = true;
        for (const auto& item : pair.second)
          entry.values.push_back(item.IsScalar() ? item.Scalar() : "?");
      } else if (pair.second.IsScalar()) {
        entry.values.push_back(pair.second.Scalar());
      }
      reader_.entries_.emplace(key, std::move(entry));
    }
  }

  void items(const YAML::Node& list, const std::string& key, int line) {
    reader_.sections_[key] = line;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const int at = list[i].Mark().line + 1;
      if (!list[i].IsMap()) {
        throw InputError(
            fmt::format("{}:{}: key '{}': has an item without keys; write each as "
                        "'- {{key: value, ...}}'",
                        reader_.file_.string(), at, key));
      }
      map(list[i], item_of(key, i));
    }
  }
  static std::string item_of(const std::string& key, std::size_t i) {
    return fmt::format("{}[{}]", key, i);
  }

 private:
  ConfigReader& reader_;
};

ConfigReader::ConfigReader(std::filesystem::path file) : file_(std::move(file)) {
  YAML::Node root;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAllFromFile(file_.string());
    if (documents.size() > 1) {
      throw InputError(fmt::format("{}: holds {} YAML documents; keep one in a file",
                                   file_.string(), documents.size()));
    }
    if (!documents.empty()) root = documents.front();
  } catch (const YAML::BadFile&) {
    throw InputError(fmt::format("{}:1: key '': the file cannot be read; check its path and name",
                                 file_.string()));
  } catch (const YAML::Exception& error) {
    throw InputError(fmt::format("{}:{}: key '': not valid YAML ({}); correct the line",
                                 file_.string(), error.mark.line + 1, error.msg));
  }
  if (!root.IsMap()) {
    throw InputError(fmt::format(
        "{}:1: key '': the file has no keys; start from another part's file", file_.string()));
  }
  Flattener(*this).map(root, "");
}

void ConfigReader::refuse(const std::string& key, const std::string& what) const {
  throw InputError(fmt::format("{}:{}: key '{}': {}", file_.string(), line(key), key, what));
}

void ConfigReader::fail(const std::string& key, const std::string& what) const {
  report_missing();
  refuse(key, what);
}

// Line of the key; of the section it belongs in if it is not there.
int ConfigReader::line(const std::string& key) const {
  if (const auto entry = entries_.find(key); entry != entries_.end()) return entry->second.line;
  if (const auto section = sections_.find(key); section != sections_.end()) return section->second;
  const auto dot = key.rfind('.');
  return dot == std::string::npos ? 1 : line(key.substr(0, dot));
}

const ConfigReader::Entry* ConfigReader::get(const std::string& key) {
  asked_.insert(key);
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    if (sections_.count(key) != 0) fail(key, "is a section, not a value; give it one value");
    missing_.push_back(key);
    return nullptr;
  }
  found->second.used = true;
  return &found->second;
}

std::optional<std::string> ConfigReader::scalar(const std::string& key) {
  const Entry* entry = get(key);
  if (entry == nullptr) return std::nullopt;
  if (entry->is_list) fail(key, "is a list; give it one value");
  if (entry->values.empty()) fail(key, "has no value; give it one");
  return entry->values.front();
}

std::uint64_t ConfigReader::number(const std::string& key, std::uint64_t low, std::uint64_t high) {
  const std::optional<std::string> digits = scalar(key);
  if (!digits) return low;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits->data(), digits->data() + digits->size(), value);
  if (error != std::errc{} || end != digits->data() + digits->size()) {
    if (digits->starts_with('-'))
      fail(key, fmt::format("{} is negative; use {}..{}", *digits, low, high));
    fail(key,
         fmt::format("'{}' is not a whole number; write digits only, {}..{}", *digits, low, high));
  }
  if (value < low || value > high) {
    if (!missing_.empty()) return low;  // the bound may be of what is missing
    fail(key, fmt::format("{} is out of range; use {}..{}", value, low, high));
  }
  return value;
}

double ConfigReader::decimal(const std::string& key, double low, double high) {
  const std::optional<std::string> digits = scalar(key);
  if (!digits) return low;
  double value = 0;
  const auto [end, error] = std::from_chars(digits->data(), digits->data() + digits->size(), value);
  if (error != std::errc{} || end != digits->data() + digits->size() || !std::isfinite(value)) {
    fail(key, fmt::format("'{}' is not a number; write one such as 3.5", *digits));
  }
  if (value < low || value > high) {
    fail(key, fmt::format("{} is out of range; use {:g}..{:g}", *digits, low, high));
  }
  return value;
}

std::uint64_t ConfigReader::power_of_two(const std::string& key, std::uint64_t low,
                                         std::uint64_t high) {
  const std::uint64_t value = number(key, low, high);
  if ((value & (value - 1)) != 0) {
    fail(key, fmt::format("{} is not a power of two; use 1, 2, 4, 8, ...", value));
  }
  return value;
}

bool ConfigReader::flag(const std::string& key) {
  return choice(key, {"true", "false"}) == "true";
}

std::string ConfigReader::text(const std::string& key) {
  const std::optional<std::string> value = scalar(key);
  if (!value) return "";
  if (value->empty()) fail(key, "is empty; write a name");
  return *value;
}

std::string ConfigReader::choice(const std::string& key, const std::vector<std::string>& choices) {
  const std::optional<std::string> value = scalar(key);
  if (!value) return choices.front();
  if (std::find(choices.begin(), choices.end(), *value) == choices.end()) {
    fail(key, fmt::format("'{}' is not known; {}use one of: {}", *value,
                          did_you_mean(*value, choices), fmt::join(choices, ", ")));
  }
  return *value;
}

std::vector<std::string> ConfigReader::list(const std::string& key) {
  const Entry* entry = get(key);
  if (entry == nullptr) return {};
  if (!entry->is_list) fail(key, "is not a list; write [a, b, ...]");
  return entry->values;
}

std::size_t ConfigReader::items(const std::string& key) const {
  std::size_t count = 0;
  while (sections_.count(Flattener::item_of(key, count)) != 0) ++count;
  return count;
}

std::vector<std::string> ConfigReader::sections(const std::string& key) const {
  std::vector<std::pair<int, std::string>> found;
  for (const auto& [path, line] : sections_) {
    if (!path.starts_with(key + ".")) continue;
    const std::string name = path.substr(key.size() + 1);
    if (name.find_first_of(".[") == std::string::npos) found.emplace_back(line, name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (const auto& [line, name] : found) names.push_back(name);
  return names;
}

// Keys that nobody has read, by line.
std::vector<std::pair<int, std::string>> ConfigReader::unknown() const {
  std::vector<std::pair<int, std::string>> keys;
  for (const auto& [key, entry] : entries_) {
    if (!entry.used) keys.emplace_back(entry.line, key);
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return keys;
}

// All that somebody has read, and what that stands in.
std::set<std::string> ConfigReader::known_sections() const {
  std::set<std::string> sections = asked_;
  for (const std::string& name : asked_) {
    for (std::size_t end = name.find_first_of(".["); end != std::string::npos;
         end = name.find_first_of(".[", end + 1)) {
      sections.insert(name.substr(0, end));
    }
  }
  return sections;
}

// The key, or the section that it stands in, if nobody has read that.
void ConfigReader::refuse_unknown(const std::string& key) const {
  constexpr const char* kDo = "remove it or correct its spelling";
  const std::set<std::string> sections = known_sections();
  for (std::size_t dot = key.find_first_of(".["); dot != std::string::npos;
       dot = key.find_first_of(".[", dot + 1)) {
    const std::string section = key.substr(0, dot);
    if (sections.contains(section)) continue;
    refuse(section, fmt::format("is not known; {}{}",
                                did_you_mean(section, {sections.begin(), sections.end()}), kDo));
  }
  std::string meant = did_you_mean(key, missing_);
  if (meant.empty()) meant = did_you_mean(key, {asked_.begin(), asked_.end()});
  refuse(key, fmt::format("is not known; {}{}", meant, kDo));
}

void ConfigReader::check_sections() const {
  report_missing();
  const std::set<std::string> sections = known_sections();
  for (const auto& [line, key] : unknown()) {
    const std::size_t end = key.find_first_of(".[");
    if (end != std::string::npos && !sections.contains(key.substr(0, end))) refuse_unknown(key);
  }
}

void ConfigReader::report_missing() const {
  if (missing_.empty()) return;
  for (const auto& [line, key] : unknown()) {
    if (!nearest(key, missing_).empty()) refuse_unknown(key);
  }
  refuse(missing_.front(), "is missing; add it (see the other files in configs/media)");
}

void ConfigReader::finish() const {
  report_missing();
  const auto keys = unknown();
  if (!keys.empty()) refuse_unknown(keys.front().second);
}

}  // namespace cxlgpu
