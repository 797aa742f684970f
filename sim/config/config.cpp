// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/config/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/input_error.hpp"
#include "common/nearest.hpp"
#include "sim/config/config_keys.hpp"
#include "sim/config/configurations.hpp"
#include "sim/config/hdm_ranges.hpp"
#include "sim/config/yaml_file.hpp"

namespace cxlgpu {

namespace {

void read_map(RunConfig& config, const YAML::Node& node, const std::string& file,
              const std::string& prefix) {
  if (!node.IsMap()) {
    fail(yaml_place(file, node), prefix.empty() ? "(top)" : prefix,
         "is not a map of keys; write key: value");
  }
  std::set<std::string> seen;
  for (const auto& item : node) {
    if (!item.first.IsScalar())
      fail(yaml_place(file, item.first), prefix, "has a key that is not a word");
    const auto name = item.first.as<std::string>();
    const std::string key = prefix.empty() ? name : prefix + "." + name;
    const std::string where = yaml_place(file, item.first);
    if (!seen.insert(name).second) fail(where, key, "is given twice; keep one");
    if (key == "hdm.ranges") {
      read_hdm_ranges(config, item.second, where,
                      [&file](const YAML::Node& at_node) { return yaml_place(file, at_node); });
      config.places[key] = where;
    } else if (item.second.IsMap()) {
      const std::vector<std::string> sections = key_sections();
      if (std::find(sections.begin(), sections.end(), key) == sections.end()) {
        const bool scalar = find_key(key) != nullptr;
        fail(where, key,
             scalar ? "is not a section; give it one value"
                    : fmt::format("is not a known section; {}`cxlgpu list --keys` names them all",
                                  did_you_mean(key, sections)));
      }
      read_map(config, item.second, file, key);
    } else if (item.second.IsSequence()) {
      std::vector<std::string> parts;
      for (const auto& part : item.second) {
        if (!part.IsScalar()) fail(where, key, "has a part that is not a number");
        parts.push_back(part.as<std::string>());
      }
      set_key(config, key, fmt::format("{}", fmt::join(parts, ",")), where);
    } else {
      set_key(config, key, item.second.IsNull() ? "" : item.second.as<std::string>(), where);
    }
  }
}

// The keys of the file are those of `section`; empty: as they stand there.
void read_root(RunConfig& config, const YAML::Node& root, const std::string& file,
               const std::string& section = "") {
  if (root.IsDefined() && !root.IsNull()) read_map(config, root, file, section);
}

void read_file(RunConfig& config, const std::filesystem::path& path,
               const std::string& section = "") {
  read_root(config, parse_yaml(path.string()), path.string(), section);
}

// Files of configs/host, each a section of its own in which no key may be missing.
void read_host_files(RunConfig& config, const std::filesystem::path& dir) {
  for (const std::string section :
       {"pcie", "uvm", "gds", "phoenix", "io", "multipath", "cap", "kv"}) {
    const std::filesystem::path file = dir / (section + ".yaml");
    read_file(config, file, section);
    for (const ConfigKey& field : config_keys()) {
      if (!field.path.starts_with(section + ".")) continue;
      if (config.places.count(field.path) == 0) {
        fail(file.string() + ":1", field.path, "is missing; add it, as the project's file has it");
      }
    }
  }
}

// A file of configs/rtl: sizes of the RTL by their names, each a value or a row that has one.
void read_sizes(RunConfig& config, const std::filesystem::path& path) {
  const std::string file = path.string();
  const YAML::Node root = parse_yaml(file);
  if (!root.IsDefined() || root.IsNull()) return;
  if (!root.IsMap())
    fail(yaml_place(file, root), "(top)", "is not a map of sizes; write size: value");
  std::set<std::string> seen;
  for (const auto& item : root) {
    const std::string where = yaml_place(file, item.first);
    if (!item.first.IsScalar()) fail(where, "(top)", "has a size that is not a word");
    const auto name = item.first.as<std::string>();
    if (!seen.insert(name).second) fail(where, name, "is given twice; keep one");
    const auto* size = std::find_if(kRtlSizes.begin(), kRtlSizes.end(),
                                    [&name](const RtlSize& one) { return one.name == name; });
    if (size == kRtlSizes.end()) {
      std::vector<std::string> names;
      for (const RtlSize& one : kRtlSizes) names.emplace_back(one.name);
      fail(where, name,
           fmt::format("is no size of the RTL; {}use {}", did_you_mean(name, names),
                       fmt::join(names, ", ")));
    }
    const YAML::Node value = item.second.IsMap() ? item.second["value"] : item.second;
    if (!value.IsDefined() || !value.IsScalar()) fail(where, name, "has no value; give a number");
    const std::string key(size->key);
    if (key.empty()) {  // of the RTL alone
      (void)parse_range(value.as<std::string>(), where, name, size->least, size->greatest);
      continue;
    }
    set_key(config, key, value.as<std::string>(), where);
    config.rtl[key] = std::get<std::uint64_t>(find_key(key)->get(config));
  }
}

// A file that system.machine or gpu.machine names lies below the layers that may name it: what
// `file`, or a --set, says of `section`.machine is taken before its turn. Whether it says anything.
bool find_machine(RunConfig& config, const std::string& section, const YAML::Node& root,
                  const std::string& file) {
  if (!root.IsDefined() || !root.IsMap()) return false;
  const YAML::Node keys = root[section];
  if (!keys.IsDefined() || !keys.IsMap()) return false;
  const YAML::Node machine = keys["machine"];
  if (!machine.IsDefined() || !machine.IsScalar()) return false;
  set_key(config, section + ".machine", machine.as<std::string>(), yaml_place(file, machine));
  return true;
}

bool find_machine(RunConfig& config, const std::string& section,
                  const std::vector<std::string>& sets) {
  const std::string key = section + ".machine";
  bool found = false;
  for (const std::string& set : sets) {
    if (!set.starts_with(key + "=")) continue;
    set_key(config, key, set.substr(key.size() + 1), "--set");
    found = true;
  }
  return found;
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_yaml(const std::string& name) {
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

// What a machine has: hardware, and not what a scenario's name or a run says.
bool of_machine(const std::string& key) {
  for (const std::string other :
       {"system.machine", "system.memory", "media.part", "root_port.policy", "root_port.ds",
        "root_port.spec_length", "endpoint.image_in", "endpoint.image_out", "kv.interface"}) {
    if (key == other) return false;
  }
  return !key.starts_with("run.") && !key.starts_with("workload.") && !key.starts_with("trace.");
}

// The file that gpu.machine names: of a GPU and its memory alone.
void read_gpu(RunConfig& config, const std::filesystem::path& folder) {
  const std::vector<std::string> names = names_in(folder);
  const std::filesystem::path path =
      folder / (parse_choice(config.gpu_machine, config.place("gpu.machine", "default"),
                             "gpu.machine", names) +
                ".yaml");
  read_file(config, path);
  for (const auto& [key, place] : config.places) {
    if (!place.starts_with(path.string() + ":")) continue;
    if (key == "gpu.machine" || !(key.starts_with("gpu.") || key.starts_with("local_memory."))) {
      fail(place, key, "is not of a GPU; a file of gpu.machine has gpu and local_memory alone");
    }
  }
}

// Of configuration names, which may hold dashes, the longest that ends the scenario's name after a
// dash; else what stands after the last dash.
std::string configuration_of(const std::string& scenario, const std::vector<std::string>& names) {
  std::string found;
  for (const std::string& name : names) {
    if (scenario.ends_with("-" + name) && name.size() > found.size()) found = name;
  }
  return found.empty() ? scenario.substr(scenario.rfind('-') + 1) : found;
}

// Where the workload's name ends, which may hold dashes: of those known, the longest that a dash
// follows; else what stands before the first dash.
std::size_t end_of_workload(const std::string& scenario, const std::vector<std::string>& names) {
  std::size_t end = scenario.find('-');
  for (const std::string& name : names) {
    if (scenario.starts_with(name + "-")) end = std::max(end, name.size());
  }
  return end;
}

}  // namespace

void set_key(RunConfig& config, const std::string& key, const std::string& text,
             const std::string& where) {
  if (const ConfigKey* known = find_key(key)) {
    known->set(config, text, where, key);
    config.places[key] = where;
    return;
  }
  const std::vector<std::string> sections = key_sections();
  if (std::find(sections.begin(), sections.end(), key) != sections.end()) {
    fail(where, key,
         fmt::format("is a section; give its keys, which `cxlgpu explain {}` names", key));
  }
  if (key.starts_with("hdm.ranges")) {
    fail(
        where, key,
        "is not a key of its own; give hdm.ranges whole, as `cxlgpu explain hdm.ranges` writes it");
  }
  fail(where, key,
       fmt::format("is not a known key; {}`cxlgpu list --keys` names them all",
                   did_you_mean(key, key_names())));
}

Time LinkConfig::flit_time() const {
  // 68 bytes over the lanes; lane_mbit_s bits a microsecond a lane.
  return Time{68ull * 8 * 1000000 / (lanes * lane_mbit_s)};
}

std::vector<std::string> machine_names(const std::filesystem::path& config_dir) {
  return names_in(config_dir / "machines");
}

ConfigLoader::ConfigLoader(std::filesystem::path config_dir, ScenarioNames names, std::string rtl,
                           std::string machine)
    : dir_(std::move(config_dir)),
      names_(std::move(names)),
      rtl_(std::move(rtl)),
      machine_(std::move(machine)) {}

void ConfigLoader::read_layers(RunConfig& config) const {
  read_file(config, dir_ / "system" / "default.yaml");
  read_host_files(config, dir_ / "host");
  read_sizes(config, dir_ / "rtl" / "default.yaml");
  if (rtl_ != "default") read_sizes(config, rtl_file());
}

void ConfigLoader::read_machine(RunConfig& config) const {
  std::filesystem::path path = config.machine;
  if (!is_yaml(config.machine)) {
    const std::vector<std::string> names = machine_names(dir_);
    if (std::find(names.begin(), names.end(), config.machine) == names.end()) {
      fail(config.place("system.machine", "default"), "system.machine",
           fmt::format("'{}' is not known; {}use {} or a file that ends in .yaml", config.machine,
                       did_you_mean(config.machine, names), fmt::join(names, ", ")));
    }
    path = dir_ / "machines" / (config.machine + ".yaml");
  }
  const YAML::Node root = parse_yaml(path.string());
  find_machine(config, "gpu", root, path.string());
  read_gpu(config, dir_ / "gpu");
  read_root(config, root, path.string());
  for (const auto& [key, place] : config.places) {
    if (place.starts_with(path.string() + ":") && !of_machine(key)) {
      fail(place, key,
           "is not of a machine; leave it to the scenario, which is of any machine, or to --set");
    }
  }
}

std::filesystem::path ConfigLoader::rtl_file() const {
  if (is_yaml(rtl_)) return rtl_;
  std::filesystem::path path = dir_ / "rtl" / (rtl_ + ".yaml");
  if (std::filesystem::is_regular_file(path)) return path;
  const std::vector<std::string> names = names_in(dir_ / "rtl");
  throw InputError(fmt::format("configuration of the RTL '{}': is not known; {}use {} or a file",
                               rtl_, did_you_mean(rtl_, names), fmt::join(names, ", ")));
}

RunConfig ConfigLoader::load(const std::string& scenario, const std::vector<std::string>& sets,
                             const std::string& seed) const {
  RunConfig config;
  config.own_policies = names_.policies;
  read_layers(config);
  const std::string engine_place = config.place("run.engine", "");
  const auto known = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const bool is_file = is_yaml(scenario);
  const std::filesystem::path own =
      is_file ? std::filesystem::path(scenario) : dir_ / "scenarios" / (scenario + ".yaml");
  const YAML::Node own_root =
      is_file || std::filesystem::exists(own) ? parse_yaml(own.string()) : YAML::Node();
  find_machine(config, "system", own_root, own.string());
  find_machine(config, "system", sets);
  if (!machine_.empty()) set_key(config, "system.machine", machine_, "--machine");
  const std::string machine = config.machine, machine_place = config.places["system.machine"];
  read_machine(config);
  const RunConfig as_machine = config;
  const bool in_file = find_machine(config, "gpu", own_root, own.string());
  if (find_machine(config, "gpu", sets) || in_file) read_gpu(config, dir_ / "gpu");
  config.scenario = is_file ? std::filesystem::path(scenario).stem().string() : scenario;
  if (!is_file) {
    const std::string kind = configuration_of(scenario, names_.configs);
    const std::size_t first = end_of_workload(scenario, names_.workloads);
    const std::size_t last = scenario.size() - kind.size() - 1;
    if (first == std::string::npos || first >= last) {
      throw InputError(
          fmt::format("scenario '{}': is not <workload>-<media>-<config> nor a .yaml file; `cxlgpu "
                      "list` names all parts",
                      scenario));
    }
    config.workload.name = scenario.substr(0, first);
    config.media = scenario.substr(first + 1, last - first - 1);
    if (!known(names_.configs, kind)) {
      throw InputError(fmt::format("scenario '{}': configuration '{}' is not known; {}use {}",
                                   scenario, kind, did_you_mean(kind, names_.configs),
                                   fmt::join(names_.configs, ", ")));
    }
    apply_configuration(config, kind);
    // So that what refuses it names who chose it.
    if (is_model_only(config.root_port.policy)) config.places["root_port.policy"] = scenario;
    if (config.nvme.on()) config.places["kv.interface"] = scenario;
  }
  read_root(config, own_root, own.string());
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError(
          fmt::format("--set '{}': is not key=value; write e.g. --set gpu.warps=4", set));
    }
    set_key(config, set.substr(0, equals), set.substr(equals + 1), "--set");
  }
  if (!seed.empty()) set_key(config, "run.seed", seed, "--seed");
  config.machine = machine;  // of which --machine has the last word
  config.places["system.machine"] = machine_place;
  for (const ConfigKey& key : config_keys()) {
    if (of_machine(key.path) && key.get(config) != key.get(as_machine)) {
      config.machine_changed.push_back(key.path);
    }
  }
  // The machine's default is no choice of the user's; one that is, is refused by the session. What
  // persists runs in each, but long: a persist may wait until a page is programmed.
  const bool of_model = config.memory != MemoryKind::Cxl ||
                        is_model_only(config.root_port.policy) || config.persistent() != nullptr ||
                        config.nvme.on();
  if (of_model && config.place("run.engine", "") == engine_place) {
    config.engine = "model";
  }
  if (!known(names_.workloads, config.workload.name) && config.workload.name != "trace") {
    throw InputError(fmt::format("scenario '{}': key 'workload.name': '{}' is not known; {}use {}",
                                 scenario, config.workload.name,
                                 did_you_mean(config.workload.name, names_.workloads),
                                 fmt::join(names_.workloads, ", ")));
  }
  if (!known(names_.media, config.media)) {
    throw InputError(fmt::format("scenario '{}': key 'media.part': '{}' is not known; {}use {}",
                                 scenario, config.media, did_you_mean(config.media, names_.media),
                                 fmt::join(names_.media, ", ")));
  }
  config.gpu.seed = config.seed;
  // A fault of a page costs the host's runtime a thousand times what a CXL access takes.
  const bool host = paged(config.memory) || !runs_kernels(config.memory);
  if (config.limit_us == 0) config.limit_us = host ? 1'000'000'000 : 1'000'000;
  check(config, is_file ? scenario : fmt::format("scenario '{}'", scenario));
  return config;
}

RunConfig ConfigLoader::defaults() const {
  RunConfig config;
  read_layers(config);
  if (!machine_.empty()) set_key(config, "system.machine", machine_, "--machine");
  read_machine(config);
  return config;
}

}  // namespace cxlgpu
