// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/key_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "cli/config_json.hpp"
#include "cli/version.hpp"
#include "common/input_error.hpp"
#include "common/nearest.hpp"
#include "sim/config/hdm_ranges.hpp"

namespace cxlgpu {

namespace {

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

std::string section_of(const std::string& path) {
  return path.substr(0, path.find('.'));
}

// hdm.ranges[0].size and hdm.ranges.size are hdm.ranges[].size.
std::string without_indices(const std::string& path) {
  std::string plain;
  bool inside = false;
  for (const char c : path) {
    inside = inside || c == '[';
    if (!inside) plain += c;
    inside = inside && c != ']';
  }
  return plain;
}

void print_table(const std::vector<ListedKey>& keys) {
  std::vector<std::array<std::string, 5>> rows = {{"key", "default", "unit", "range", "meaning"}};
  for (const ListedKey& key : keys) {
    rows.push_back({key.facts.path, or_dash(key.default_text), or_dash(key.facts.unit),
                    range_text(key.facts), key.facts.meaning});
  }
  constexpr std::size_t kMost = 48;  // a longer cell moves its own line only
  std::array<std::size_t, 4> width{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < width.size(); ++i) {
      if (row[i].size() <= kMost) width[i] = std::max(width[i], row[i].size());
    }
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < width.size(); ++i) fmt::print("{:<{}}  ", row[i], width[i]);
    fmt::print("{}\n", row.back());
  }
}

void print_json(const std::vector<ListedKey>& keys) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ListedKey& key : keys) {
    all.push_back({{"key", key.facts.path},
                   {"type", type_name(key.facts.range)},
                   {"unit", key.facts.unit},
                   {"range", range_text(key.facts)},
                   {"default", key.default_value},
                   {"meaning", key.facts.meaning},
                   {"source", key.facts.source}});
  }
  fmt::print("{}\n", all.dump(2));
}

const char* const kPageHead =
    R"(# Configuration keys

Made by `cxlgpu list --keys --markdown`; do not edit. `cxlgpu explain KEY` prints one of them, or those of a section.
How files and `--set` override each other is in [the guide](../guide.md#configuration). *Source* is where the default
comes from: the CXL-GPU paper, a standard, a measurement, Vortex, or a decision of this design.
)";

void print_page(const std::vector<ListedKey>& keys, const std::filesystem::path& configs) {
  fmt::print("{}", kPageHead);
  std::string section;
  for (const ListedKey& key : keys) {
    if (section_of(key.facts.path) != section) {
      section = section_of(key.facts.path);
      std::vector<std::string> files;
      for (const ListedKey& other : keys) {
        if (section_of(other.facts.path) != section || other.place.empty()) continue;
        const std::string path = other.place.substr(0, other.place.rfind(':'));
        const std::string file =
            "`configs/" + std::filesystem::path(path).lexically_relative(configs).string() + "`";
        if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
      }
      fmt::print("\n## {}\n\n", section);
      if (!files.empty()) fmt::print("Defaults are in {}.\n\n", fmt::join(files, " and "));
      fmt::print("| key | default | unit | range | meaning | source |\n");
      fmt::print("|---|---|---|---|---|---|\n");
    }
    fmt::print("| `{}` | {} | {} | {} | {} | {} |\n", key.facts.path,
               key.default_text.empty() ? "" : "`" + key.default_text + "`", key.facts.unit,
               range_text(key.facts), key.facts.meaning, key.facts.source);
  }
}

void print_one(const ListedKey& key) {
  const KeyFacts& facts = key.facts;
  fmt::print("{}: {}\n", facts.path, facts.meaning);
  fmt::print("  type     {}\n", type_name(facts.range));
  if (!facts.unit.empty()) fmt::print("  unit     {}\n", facts.unit);
  fmt::print("  range    {}\n", range_text(facts));
  if (!key.default_text.empty()) {
    fmt::print("  default  {}{}\n", key.default_text,
               key.place.empty() ? "" : " (" + key.place + ")");
  }
  fmt::print("  source   {}\n", facts.source);
  const bool field = facts.path.find('[') != std::string::npos;
  if (!field && !key.default_text.empty()) {
    fmt::print("  write    --set '{}={}'\n", facts.path, key.default_text);
  }
}

}  // namespace

std::vector<ListedKey> listed_keys(const std::filesystem::path& configs) {
  const RunConfig config = ConfigLoader(configs, {}, rtl_configuration()).defaults();
  std::vector<ListedKey> all;
  for (const ConfigKey& key : config_keys()) {
    ListedKey listed;
    listed.facts = key;
    listed.place = config.place(key.path, "");
    if (!listed.place.empty()) {
      listed.default_text = value_text(key, key.get(config));
      listed.default_value = value_json(key.get(config));
    }
    all.push_back(std::move(listed));
    if (key.range.type != KeyRange::Type::Ranges) continue;
    for (const KeyFacts& field : hdm_fields()) {
      nlohmann::json value;
      if (field.path == "hdm.ranges[].persistent") value = HdmRange{}.persistent;
      if (field.path == "hdm.ranges[].granularity") value = HdmRange{}.granularity;
      all.push_back({field, value.is_null() ? "" : value.dump(), value, ""});
    }
  }
  return all;
}

void add_key_options(CLI::App& list, CLI::App& explain, KeyArguments& a) {
  CLI::Option* keys = list.add_flag(
      "--keys", a.keys, "every configuration key instead: default, unit, range, meaning");
  CLI::Option* json = list.add_flag("--json", a.json, "... as JSON")->needs(keys);
  CLI::Option* page = list.add_flag("--markdown", a.markdown, "... as docs/guide/keys.md");
  page->needs(keys)->excludes(json);
  list.add_flag("--schema", a.schema, "... as configs/schema.json, for editors")
      ->needs(keys)
      ->excludes(json)
      ->excludes(page);
  explain.add_option("key", a.name, "a key, such as gpu.cores, or a section, such as gpu.l1")
      ->required();
}

int list_keys_command(const KeyArguments& a, const std::filesystem::path& configs) {
  const std::vector<ListedKey> keys = listed_keys(configs);
  if (a.json) {
    print_json(keys);
  } else if (a.markdown) {
    print_page(keys, configs);
  } else if (a.schema) {
    fmt::print("{}\n", key_schema(keys).dump(2));
  } else {
    print_table(keys);
  }
  return 0;
}

int explain_command(const KeyArguments& a, const std::filesystem::path& configs) {
  const std::string name = without_indices(a.name);
  std::vector<ListedKey> below;
  std::vector<std::string> names = key_sections();
  for (const ListedKey& key : listed_keys(configs)) {
    const std::string path = without_indices(key.facts.path);
    if (path == name) print_one(key);
    if (path.starts_with(name + ".")) below.push_back(key);
    if (path == name) names.clear();
    if (!names.empty()) names.push_back(key.facts.path);
  }
  if (names.empty()) {
    if (!below.empty()) fmt::print("\n");
  } else if (below.empty()) {
    const std::string section = a.name.substr(0, a.name.find('.'));
    const std::vector<std::string> sections = key_sections();
    const bool known = std::find(sections.begin(), sections.end(), section) != sections.end();
    throw InputError(
        fmt::format("command line: key '{}' is not known; {}`cxlgpu {}` names them all", a.name,
                    did_you_mean(a.name, names), known ? "explain " + section : "list --keys"));
  }
  if (!below.empty()) print_table(below);
  return 0;
}

}  // namespace cxlgpu
