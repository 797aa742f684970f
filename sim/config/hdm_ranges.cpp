// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/config/hdm_ranges.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <utility>

#include "common/nearest.hpp"
#include "sim/config/config_keys.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kMultiple = 256 * 1024 * 1024;
constexpr const char* kKey = "hdm.ranges";
constexpr const char* kExample = "[{base: 4GiB, size: 1GiB, ports: [0, 1], granularity: 1024}]";

enum Field : std::size_t { kBase, kSize, kPorts, kPersistent, kGranularity };

HdmRange read_range(RunConfig& config, const YAML::Node& node, const std::string& key,
                    const std::function<std::string(const YAML::Node&)>& place) {
  if (!node.IsMap()) fail(place(node), key, "is not a map; give base, size, ports, granularity");
  const std::vector<KeyFacts>& fields = hdm_fields();
  std::vector<std::string> names;
  for (const KeyFacts& field : fields)
    names.push_back(field.path.substr(field.path.rfind('.') + 1));
  HdmRange range;
  std::set<std::string> seen;
  for (const auto& item : node) {
    const std::string where = place(item.first);
    if (!item.first.IsScalar()) fail(where, key, "has a key that is not a word");
    const auto name = item.first.as<std::string>();
    const std::string path = key + "." + name;
    config.places[path] = where;
    if (!seen.insert(name).second) fail(where, path, "is given twice; keep one");
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      fail(where, path,
           fmt::format("is not a known key; {}use {}", did_you_mean(name, names),
                       fmt::join(names, ", ")));
    }
    const auto field = static_cast<std::size_t>(at - names.begin());
    if (field == kPorts) {
      if (!item.second.IsSequence()) fail(where, path, "is not a list; write e.g. [0, 1]");
      std::vector<std::string> ports;
      for (const auto& port : item.second) {
        if (!port.IsScalar()) fail(where, path, "is not a list of numbers; write e.g. [0, 1]");
        ports.push_back(port.as<std::string>());
      }
      const auto ways = ports.size();
      if (ways != 1 && ways != 2 && ways != 4 && ways != 8) {
        fail(where, path, fmt::format("{} ways; a host bridge interleaves 1, 2, 4 or 8", ways));
      }
      const std::string joined = fmt::format("{}", fmt::join(ports, ","));
      for (const std::uint64_t port : parse_list(fields[kPorts], joined, where, path)) {
        range.ports.push_back(static_cast<unsigned>(port));
      }
      continue;
    }
    if (!item.second.IsScalar()) fail(where, path, "is not a number; write e.g. 512MiB");
    if (field == kPersistent) {
      range.persistent =
          parse_index(fields[field], item.second.as<std::string>(), where, path) != 0;
      continue;
    }
    std::uint64_t& to = field == kBase   ? range.base
                        : field == kSize ? range.size
                                         : range.granularity;
    to = parse_number(fields[field], item.second.as<std::string>(), where, path);
  }
  for (const Field need : {kBase, kSize, kPorts}) {
    if (seen.count(names[need]) == 0) {
      fail(place(node), key, fmt::format("'{}' is missing; write e.g. {}", names[need], kExample));
    }
  }
  if (range.size % (kMultiple * range.ports.size()) != 0) {
    fail(config.place(key + ".size", ""), key + ".size",
         fmt::format("{} is not a multiple of {} x 256MiB, one for each port; raise it",
                     number_text(range.size, "bytes"), range.ports.size()));
  }
  return range;
}

}  // namespace

const std::vector<KeyFacts>& hdm_fields() {
  static const std::vector<KeyFacts> all = {
      {"hdm.ranges[].base", "address", multiple_of(kMultiple, 0, kAddressEnd - kMultiple),
       "First host physical address of the range.", "CXL 2.0, 8.2.5.12"},
      {"hdm.ranges[].size", "bytes", multiple_of(kMultiple, kMultiple, kAddressEnd),
       "Size of the range, a multiple of 256 MiB for each of its ports.", "CXL 2.0, 8.2.5.12"},
      {"hdm.ranges[].ports", "", list_of({1, 2, 4, 8}, 0, 31),
       "Root ports that the range is interleaved over, in this order; each once.",
       "CXL 2.0, 8.2.5.12"},
      {"hdm.ranges[].persistent", "", flag(),
       "Survives a loss of power, as far as persist.domain says; false if it is left out.",
       "this design"},
      {"hdm.ranges[].granularity", "bytes", power_of_two(256, 16384),
       "Bytes on one port before the next; 256 if it is left out.",
       "CXL 2.0, 8.2.5.12, the least that there is"}};
  return all;
}

void read_hdm_ranges(RunConfig& config, const YAML::Node& list, const std::string& where,
                     const std::function<std::string(const YAML::Node&)>& place) {
  if (!list.IsSequence()) {
    fail(where, kKey, fmt::format("is not a list of ranges; write e.g. {}", kExample));
  }
  std::vector<HdmRange> all;
  for (const auto& range : list) {
    all.push_back(read_range(config, range, fmt::format("{}[{}]", kKey, all.size()), place));
  }
  config.hdm = std::move(all);
}

void parse_hdm_ranges(RunConfig& config, const std::string& text, const std::string& where) {
  YAML::Node list;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1) fail(where, kKey, "holds several YAML documents; keep one");
    if (!documents.empty()) list = documents.front();
  } catch (const YAML::Exception& e) {
    fail(where, kKey, fmt::format("{}; write e.g. {}", e.msg, kExample));
  }
  read_hdm_ranges(config, list, where, [&where](const YAML::Node&) { return where; });
}

}  // namespace cxlgpu
