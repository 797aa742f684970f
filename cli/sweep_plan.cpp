// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "cli/config_json.hpp"
#include "cli/session.hpp"
#include "cli/sweep_digest.hpp"
#include "cli/sweep_draw.hpp"
#include "cli/sweep_point.hpp"
#include "cli/version.hpp"
#include "cli/write_file.hpp"
#include "common/input_error.hpp"
#include "common/nearest.hpp"
#include "sim/config/config_keys.hpp"
#include "sim/config/yaml_file.hpp"
#include "sim/machine/run_checks.hpp"
#include "tb/system_engine.hpp"

namespace cxlgpu {

namespace {

const std::vector<std::string> kArguments = {"scenario", "engine", "machine", "seed", "trace"};
const std::vector<std::string> kKinds = {"grid", "list", "random"};
const std::vector<std::string> kEngines = {"rtl", "model", "cosim"};

bool is_argument(const std::string& name) {
  return std::find(kArguments.begin(), kArguments.end(), name) != kArguments.end();
}

// What is given for a name, as written.
struct Given {
  std::string name, text, where;
};
using Assignment = std::vector<Given>;

// Keys that have a word of their own in a sweep.
std::string argument_of(const std::string& key) {
  if (key == "run.engine") return "engine";
  if (key == "run.seed") return "seed";
  if (key == "system.machine") return "machine";
  return "";
}

class Reader {
 public:
  Reader(const std::string& file, const std::filesystem::path& config_dir)
      : config_dir_(config_dir), names_(scenario_names(config_dir)) {
    plan_.file = file;
  }
  SweepPlan read();

 private:
  [[nodiscard]] std::string at(const YAML::Node& node) const {
    return yaml_place(plan_.file, node);
  }
  std::string word(const YAML::Node& node, const std::string& name) const;
  std::vector<std::pair<std::string, YAML::Node>> entries(const YAML::Node& map,
                                                          const std::string& name) const;
  std::string value(const YAML::Node& node, const std::string& name) const;
  void check(const std::string& name, const std::string& text, const std::string& where);
  std::vector<Given> values(const YAML::Node& node, const std::string& name);
  Given one(const YAML::Node& node, const std::string& name);

  void read_arguments();
  void read_set(const YAML::Node& node);
  std::vector<Assignment> read_kind();
  std::vector<Assignment> read_grid(const YAML::Node& node);
  std::vector<Assignment> read_list(const YAML::Node& node);
  std::vector<Assignment> read_random(const YAML::Node& node);
  Draw read_draw(const YAML::Node& node, const std::string& name);
  void read_objective();
  void column(const std::string& name);
  void not_above(std::size_t points) const;
  void once(const std::string& name, const std::string& where);

  void make_points(const std::vector<Assignment>& own);
  void finish(SweepPoint& point, const Assignment& given, const std::string& common);

  std::filesystem::path config_dir_;
  ScenarioNames names_;
  YAML::Node root_;
  SweepPlan plan_;
  RunConfig scratch_;
  Assignment fixed_;
  std::vector<std::vector<Given>> axes_;        // of the arguments that are lists
  std::map<std::string, std::string> told_;     // where a name was given
  std::map<std::string, std::size_t> columns_;  // place in plan_.columns
};

std::string Reader::word(const YAML::Node& node, const std::string& name) const {
  if (!node.IsDefined() || node.IsNull()) fail(at(node), name, "has no value; give one");
  if (!node.IsScalar()) fail(at(node), name, "is no single value; give one");
  const auto text = node.as<std::string>();
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      fail(at(node), name, "holds a control character; leave it out");
    }
  }
  if (!is_utf8(text)) fail(at(node), name, "is no UTF-8; choose another name");
  return text;
}

// A value as `--set` takes it.
std::string Reader::value(const YAML::Node& node, const std::string& name) const {
  if (!node.IsSequence()) return word(node, name);
  const ConfigKey* key = find_key(name);
  if (key != nullptr && key->range.type == KeyRange::Type::Ranges) {
    YAML::Emitter text;
    text.SetSeqFormat(YAML::Flow);
    text.SetMapFormat(YAML::Flow);
    text << node;
    std::string line = text.c_str();
    std::replace(line.begin(), line.end(), '\n', ' ');  // the emitter wraps
    return line;
  }
  std::vector<std::string> parts;
  for (const auto& part : node) parts.push_back(word(part, name));
  return fmt::format("{}", fmt::join(parts, ","));
}

std::vector<std::pair<std::string, YAML::Node>> Reader::entries(const YAML::Node& map,
                                                                const std::string& name) const {
  if (!map.IsMap()) fail(at(map), name, "is no map; write key: value");
  std::vector<std::pair<std::string, YAML::Node>> all;
  std::set<std::string> seen;
  for (const auto& item : map) {
    if (!item.first.IsScalar()) fail(at(item.first), name, "has a key that is not a word");
    all.emplace_back(word(item.first, name), item.second);
    if (!seen.insert(all.back().first).second) {
      fail(at(item.first), all.back().first, "is given twice; keep one");
    }
  }
  return all;
}

void Reader::check(const std::string& name, const std::string& text, const std::string& where) {
  if (name == "seed") {
    set_key(scratch_, "run.seed", text, where);
  } else if (name == "engine") {
    (void)parse_choice(text, where, name, kEngines);
  } else if (name == "scenario") {
    if (text.starts_with('-')) fail(where, name, "begins like an option; write ./ before it");
  } else if (name == "trace") {
    if (!std::filesystem::is_regular_file(text)) {
      fail(where, name, fmt::format("'{}' is not a file that can be read; check the path", text));
    }
  } else if (const std::string argument = argument_of(name); !argument.empty()) {
    fail(where, name, fmt::format("has a word of its own in a sweep; give it as {}", argument));
  } else if (!is_argument(name)) {
    set_key(scratch_, name, text, where);
  }
}

Given Reader::one(const YAML::Node& node, const std::string& name) {
  // What is no key is said before what is wrong with its value.
  if (!is_argument(name) && find_key(name) == nullptr) set_key(scratch_, name, "", at(node));
  Given given{name, value(node, name), at(node)};
  check(name, given.text, given.where);
  return given;
}

std::vector<Given> Reader::values(const YAML::Node& node, const std::string& name) {
  if (!is_argument(name) && find_key(name) == nullptr) set_key(scratch_, name, "", at(node));
  if (!node.IsSequence()) fail(at(node), name, "is no list; write [a, b, ...]");
  if (node.size() == 0) fail(at(node), name, "is an empty list; give a value or more");
  not_above(node.size());
  std::vector<Given> all;
  std::set<std::string> seen;
  for (const auto& item : node) {
    all.push_back(one(item, name));
    if (!seen.insert(all.back().text).second) {
      fail(all.back().where, name, fmt::format("has '{}' twice; keep one", all.back().text));
    }
  }
  return all;
}

void Reader::not_above(std::size_t points) const {
  if (points <= kMostSweepPoints) return;
  throw InputError(
      fmt::format("{}: comes to more than {} points; leave some out, or draw them with 'random'",
                  plan_.file, kMostSweepPoints));
}

void Reader::once(const std::string& name, const std::string& where) {
  const auto [found, is_new] = told_.emplace(name, where);
  if (!is_new) fail(where, name, fmt::format("is given at {} too; keep one", found->second));
}

void Reader::column(const std::string& name) {
  if (columns_.contains(name)) return;
  columns_[name] = plan_.columns.size();
  const ConfigKey* key = find_key(name);
  plan_.columns.push_back({name, key != nullptr ? key->unit : ""});
}

void Reader::read_arguments() {
  for (const std::string& name : kArguments) {
    const YAML::Node node = root_[name];
    if (!node.IsDefined()) continue;
    once(name, at(node));
    if (!node.IsSequence()) {
      fixed_.push_back(one(node, name));
      continue;
    }
    axes_.push_back(values(node, name));
    if (axes_.back().size() == 1) {
      fixed_.push_back(axes_.back().front());
      axes_.pop_back();
    } else {
      column(name);
    }
  }
}

void Reader::read_set(const YAML::Node& node) {
  if (!node.IsDefined()) return;
  for (const auto& [key, given] : entries(node, "set")) {
    if (is_argument(key)) fail(at(given), key, "is no key of a configuration; give it beside set");
    if (find_key(key) == nullptr) set_key(scratch_, key, "", at(given));
    once(key, at(given));
    fixed_.push_back(one(given, key));
  }
}

std::vector<Assignment> Reader::read_grid(const YAML::Node& node) {
  std::vector<Assignment> all = {{}};
  const auto keys = entries(node, "grid");
  if (keys.empty()) fail(at(node), "grid", "is empty; give a key and its values");
  for (const auto& [key, given] : keys) {
    once(key, at(given));
    const std::vector<Given> axis = values(given, key);
    column(key);
    not_above(all.size() * axis.size());
    std::vector<Assignment> more;
    for (const Assignment& before : all) {
      for (const Given& value : axis) {
        more.push_back(before);
        more.back().push_back(value);
      }
    }
    all = std::move(more);
  }
  return all;
}

std::vector<Assignment> Reader::read_list(const YAML::Node& node) {
  if (!node.IsSequence() || node.size() == 0) {
    fail(at(node), "list", "is no list of points; write - {key: value, ...} for each");
  }
  not_above(node.size());
  std::vector<Assignment> all;
  for (const auto& point : node) {
    all.emplace_back();
    for (const auto& [key, given] : entries(point, "list")) {
      if (const auto before = told_.find(key); before != told_.end()) {
        fail(at(given), key, fmt::format("is given at {} too; keep one", before->second));
      }
      all.back().push_back(one(given, key));
      column(key);
    }
  }
  return all;
}

Draw Reader::read_draw(const YAML::Node& node, const std::string& name) {
  const std::vector<std::string> kinds = {"int", "real", "log", "choice"};
  const auto all = entries(node, name);
  if (all.size() != 1) {
    fail(at(node), name, fmt::format("is drawn in one way; use one of {}", fmt::join(kinds, ", ")));
  }
  const auto& [kind, range] = all.front();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    fail(at(range), name,
         fmt::format("'{}' is no way to draw; {}use {}", kind, did_you_mean(kind, kinds),
                     fmt::join(kinds, ", ")));
  }
  if (kind == "choice") {
    std::vector<std::string> choices;
    for (const Given& choice : values(range, name)) choices.push_back(choice.text);
    return Draw(std::move(choices));
  }
  if (!range.IsSequence() || range.size() != 2) {
    fail(at(range), name, fmt::format("'{}' takes two values; write [low, high]", kind));
  }
  const ConfigKey* key = find_key(name == "seed" ? "run.seed" : name);
  if (key == nullptr) fail(at(range), name, "is no number; draw it with 'choice'");
  KeyFacts facts = *key;
  facts.path = name;
  const std::string low = word(range[0], name), high = word(range[1], name);
  const Draw::Kind how = kind == "int"    ? Draw::Kind::Int
                         : kind == "real" ? Draw::Kind::Real
                                          : Draw::Kind::Log;
  return Draw(how, facts, low, high, at(range));
}

std::vector<Assignment> Reader::read_random(const YAML::Node& node) {
  std::vector<std::pair<std::string, Draw>> draws;
  std::map<std::string, std::string> places;
  std::uint64_t points = 0, seed = 1;
  const std::vector<std::string> words = {"points", "seed", "keys"};
  for (const auto& [name, given] : entries(node, "random")) {
    if (name == "points") {
      points = parse_range(word(given, "points"), at(given), "points", 1, kMostSweepPoints);
    } else if (name == "seed") {
      seed = parse_range(word(given, "seed"), at(given), "seed", 0, UINT64_MAX);
    } else if (name == "keys") {
      for (const auto& [key, range] : entries(given, "keys")) {
        if (!is_argument(key) && find_key(key) == nullptr) set_key(scratch_, key, "", at(range));
        if (const std::string argument = argument_of(key); !argument.empty()) {
          check(key, "", at(range));
        }
        once(key, at(range));
        draws.emplace_back(key, read_draw(range, key));
        places[key] = at(range);
        column(key);
      }
    } else {
      fail(at(given), "random",
           fmt::format("has no '{}'; {}use {}", name, did_you_mean(name, words),
                       fmt::join(words, ", ")));
    }
  }
  if (points == 0) fail(at(node), "random", "does not say how many; give points: N");
  if (draws.empty()) fail(at(node), "random", "has no keys; give keys: {key: {int: [1, 8]}}");
  std::vector<Assignment> all;
  std::set<std::vector<std::string>> seen;
  for (std::uint64_t point = 0; point < points; ++point) {
    Assignment drawn;
    std::vector<std::string> texts;
    for (const auto& [key, draw] : draws) {
      texts.push_back(draw.value(seed, point, key));
      drawn.push_back({key, texts.back(), places[key]});
      check(key, texts.back(), places[key]);
    }
    if (seen.insert(texts).second) {
      all.push_back(std::move(drawn));
    } else {
      ++plan_.drawn_again;
    }
  }
  return all;
}

std::vector<Assignment> Reader::read_kind() {
  for (const std::string& kind : kKinds) {
    if (!root_[kind].IsDefined()) continue;
    if (!plan_.kind.empty()) {
      fail(at(root_[kind]), kind, fmt::format("stands beside {}; keep one of them", plan_.kind));
    }
    plan_.kind = kind;
  }
  if (plan_.kind == "grid") return read_grid(root_["grid"]);
  if (plan_.kind == "list") return read_list(root_["list"]);
  if (plan_.kind == "random") return read_random(root_["random"]);
  return {{}};
}

void Reader::read_objective() {
  if (const YAML::Node node = root_["objective"]; node.IsDefined()) {
    plan_.objective = word(node, "objective");
  }
  if (const YAML::Node node = root_["better"]; node.IsDefined()) {
    plan_.higher_is_better =
        parse_choice(word(node, "better"), at(node), "better", {"lower", "higher"}) == "higher";
  }
  if (const YAML::Node node = root_["title"]; node.IsDefined()) plan_.title = word(node, "title");
}

// What the engine of the point would refuse before it begins.
void check_point(const RunConfig& config) {
  if (config.memory == MemoryKind::Cxl) {
    if (config.engine != "model" && !rtl_is_built()) {
      throw InputError(fmt::format("engine '{}' takes the RTL, and this build has none; use model",
                                   config.engine));
    }
    check_machine(config);
  } else if (config.engine != "model") {
    throw InputError(fmt::format("engine '{}' is of CXL systems; use model", config.engine));
  }
}

void Reader::finish(SweepPoint& point, const Assignment& given, const std::string& common) {
  point.cells.resize(plan_.columns.size());
  point.numbers.resize(plan_.columns.size());
  const std::array<std::pair<const char*, std::string*>, 5> arguments = {
      {{"scenario", &point.scenario},
       {"engine", &point.engine},
       {"machine", &point.machine},
       {"seed", &point.seed},
       {"trace", &point.trace}}};
  for (const Given& one : given) {
    if (const auto at = columns_.find(one.name); at != columns_.end()) {
      point.cells[at->second] = one.text;
    }
    const auto argument = std::find_if(arguments.begin(), arguments.end(),
                                       [&](const auto& entry) { return one.name == entry.first; });
    if (argument == arguments.end()) {
      point.sets[one.name] = one.text;
    } else {
      *argument->second = one.text;
    }
  }
  if (point.engine.empty()) point.engine = "model";
  const std::string about = point_text(plan_, point);
  if (point.scenario.empty()) {
    throw InputError(fmt::format("{}: {} has no scenario; give scenario: NAME", plan_.file,
                                 about.empty() ? "it" : "point " + about));
  }
  RunConfig config;
  try {
    std::vector<std::string> sets;
    for (const auto& [key, text] : point.sets) sets.push_back(key + "=" + text);
    const ConfigLoader loader(config_dir_, names_, rtl_configuration(), point.machine);
    config = loader.load(point.scenario, sets, point.seed);
    config.engine = point.engine;
    check_point(config);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}{}", plan_.file,
                                 about.empty() ? "" : fmt::format("point {}: ", about), e.what()));
  }
  for (std::size_t i = 0; i < plan_.columns.size(); ++i) {
    if (point.cells[i].empty()) continue;
    const std::string& name = plan_.columns[i].name;
    const ConfigKey* key = find_key(name == "seed" ? "run.seed" : name);
    if (key == nullptr) continue;
    const ConfigValue value = key->get(config);
    if (const auto* whole = std::get_if<std::uint64_t>(&value)) {
      point.numbers[i] = static_cast<double>(*whole);
    } else if (const auto* decimal = std::get_if<double>(&value)) {
      point.numbers[i] = *decimal;
    }
  }
  Digest digest;
  digest.add(common).add(point.scenario).add(point.engine).add(point.machine).add(point.seed);
  digest.add(point.trace).add_file(point.trace);
  for (const auto& [key, text] : point.sets) {
    digest.add(key).add(text);
    const ConfigKey* facts = find_key(key);
    if (facts != nullptr && facts->range.type == KeyRange::Type::Text) digest.add_file(text);
  }
  digest.add(json_text(config_json(config), -1));
  point.id = digest.hex();
}

void Reader::make_points(const std::vector<Assignment>& own) {
  std::vector<Assignment> all = {fixed_};
  for (const std::vector<Given>& axis : axes_) {
    not_above(all.size() * axis.size());
    std::vector<Assignment> more;
    for (const Assignment& before : all) {
      for (const Given& value : axis) {
        more.push_back(before);
        more.back().push_back(value);
      }
    }
    all = std::move(more);
  }
  not_above(all.size() * own.size());
  const YamlFilesKept kept;  // all points have the same layers
  const std::string common = Digest().add(sweep_version()).add_file(config_dir_ / "media").hex();
  std::map<std::string, std::string> seen;
  for (const Assignment& base : all) {
    for (const Assignment& more : own) {
      Assignment given = base;
      given.insert(given.end(), more.begin(), more.end());
      SweepPoint point;
      finish(point, given, common);
      if (!seen.emplace(point.id, "").second) {
        throw InputError(fmt::format("{}: point {} is there twice; keep one", plan_.file,
                                     point_text(plan_, point)));
      }
      plan_.points.push_back(std::move(point));
    }
  }
}

SweepPlan Reader::read() {
  root_ = parse_yaml(plan_.file);
  std::ifstream in(plan_.file, std::ios::binary);
  plan_.text.assign(std::istreambuf_iterator<char>(in), {});
  if (!root_.IsDefined() || root_.IsNull()) {
    throw InputError(
        fmt::format("{}: is empty; give a scenario, and grid, list or random", plan_.file));
  }
  const std::vector<std::string> words = {"scenario", "engine", "machine",   "seed",
                                          "trace",    "set",    "grid",      "list",
                                          "random",   "title",  "objective", "better"};
  for (const auto& [name, node] : entries(root_, "(top)")) {
    if (std::find(words.begin(), words.end(), name) != words.end()) continue;
    if (find_key(name) != nullptr) {
      fail(at(node), name, "is a key of a configuration; give it under set, grid, list or random");
    }
    fail(at(node), name,
         fmt::format("is not known in a sweep; {}use {}", did_you_mean(name, words),
                     fmt::join(words, ", ")));
  }
  read_objective();
  read_arguments();
  read_set(root_["set"]);
  make_points(read_kind());
  for (const Given& given : fixed_) plan_.fixed.emplace_back(given.name, given.text);
  return std::move(plan_);
}

}  // namespace

SweepPlan read_sweep(const std::string& file, const std::filesystem::path& config_dir) {
  return Reader(file, config_dir).read();
}

std::vector<std::string> run_words(const SweepPoint& point) {
  // In one word each, so that no value is taken for an option.
  std::vector<std::string> words = {point.scenario, "--engine=" + point.engine};
  if (!point.machine.empty()) words.push_back("--machine=" + point.machine);
  if (!point.seed.empty()) words.push_back("--seed=" + point.seed);
  if (!point.trace.empty()) words.push_back("--trace=" + point.trace);
  for (const auto& [key, text] : point.sets) words.push_back("--set=" + key + "=" + text);
  return words;
}

std::string point_text(const SweepPlan& plan, const SweepPoint& point) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < plan.columns.size(); ++i) {
    if (!point.cells[i].empty()) parts.push_back(plan.columns[i].name + "=" + point.cells[i]);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace cxlgpu
