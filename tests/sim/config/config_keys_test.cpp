// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The table of keys: complete, each row bound to a member of its own, each range what is accepted.
#include "sim/config/config_keys.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/input_error.hpp"
#include "sim/config/hdm_ranges.hpp"

namespace cxlgpu {
namespace {

using Type = KeyRange::Type;

RunConfig defaults() {
  return ConfigLoader(CXLGPU_SOURCE_DIR "/configs", {}).defaults();
}

bool accepts(const ConfigKey& key, const std::string& text) {
  RunConfig config = defaults();
  try {
    key.set(config, text, "here", key.path);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

// What a refusal owes: place, key, what may be given.
void refused(const ConfigKey& key, const std::string& text) {
  RunConfig config = defaults();
  try {
    key.set(config, text, "here", key.path);
    ADD_FAILURE() << key.path << " takes " << text;
  } catch (const InputError& e) {
    const std::string said = e.what();
    EXPECT_TRUE(said.starts_with(fmt::format("here: key '{}': ", key.path))) << said;
    EXPECT_NE(said.find(range_text(key)), std::string::npos) << said;
    EXPECT_TRUE(said.find("use ") != std::string::npos || said.find("give ") != std::string::npos ||
                said.find("write ") != std::string::npos)
        << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

// The nearest outside that only the bound refuses.
std::uint64_t next_above(const KeyRange& range) {
  return range.power_of_two ? range.high * 2 : range.high + range.step;
}
std::string next_below(const KeyRange& range) {
  if (range.low == 0) return "-1";
  return std::to_string(range.power_of_two ? range.low / 2 : range.low - range.step);
}

std::string list_text(const KeyRange& range, std::uint64_t value) {
  std::vector<std::uint64_t> values(range.lengths.back(), value);
  return fmt::format("{}", fmt::join(values, ","));
}

TEST(ConfigKeys, EveryRowIsComplete) {
  std::set<std::string> paths;
  const auto complete = [&paths](const KeyFacts& facts) {
    EXPECT_TRUE(paths.insert(facts.path).second) << facts.path << " stands twice";
    EXPECT_NE(facts.path.find('.'), std::string::npos) << facts.path;
    EXPECT_GT(facts.meaning.size(), 10u) << facts.path;
    EXPECT_TRUE(facts.meaning.ends_with(".")) << facts.path;
    EXPECT_FALSE(facts.source.empty()) << facts.path;
    EXPECT_FALSE(range_text(facts).empty()) << facts.path;
    for (const std::string& text : {facts.meaning, facts.source, facts.unit, range_text(facts)}) {
      EXPECT_EQ(text.find_first_of("|\n"), std::string::npos) << facts.path;  // a row of a page
    }
    for (const auto& [end, unit] : {std::pair{"_ps", "ps"},
                                    {"_us", "us"},
                                    {"_bytes", "bytes"},
                                    {"_cycles", "cycles"},
                                    {"_percent", "%"}}) {
      if (!facts.path.ends_with(end)) continue;
      EXPECT_EQ(facts.unit, unit) << facts.path;
    }
  };
  for (const ConfigKey& key : config_keys()) complete(key);
  for (const KeyFacts& field : hdm_fields()) complete(field);
  EXPECT_GT(paths.size(), 130u);
}

// The same key of two configurations of the host: other figures cannot have the same source.
TEST(ConfigKeys, OtherDefaultsHaveOtherSources) {
  const RunConfig config = defaults();
  const auto name_of = [](const std::string& path) { return path.substr(path.find('.')); };
  unsigned others = 0;
  for (const ConfigKey& a : config_keys()) {
    if (!a.path.starts_with("gds.")) continue;
    const ConfigKey* b = find_key("phoenix" + name_of(a.path));
    ASSERT_NE(b, nullptr) << a.path;
    if (value_text(a, a.get(config)) == value_text(*b, b->get(config))) continue;
    EXPECT_NE(a.source, b->source) << a.path;
    ++others;
  }
  EXPECT_GT(others, 4u);
}

// Sizes of the hardware: the range is the model's, and says what an RTL can be built with.
TEST(ConfigKeys, SizesOfTheRtlSayBothRanges) {
  const std::map<std::string, std::string> both = {
      {"system.ports", "1..8, a power of two; rtl and cosim as built"},
      {"root_port.sr_queue_entries", "1..64; rtl and cosim as built, 4..64"},
      {"root_port.memory_queue_entries", "3..64; rtl and cosim as built, 4..64"},
      {"root_port.ring_entries", "16..4096, a power of two; rtl and cosim as built"},
      {"root_port.spec_cap_bytes", "256..1KiB, a multiple of 256; rtl and cosim as built, 1KiB"},
      {"root_port.ds_lines", "16..4096, a power of two; rtl and cosim as built"},
      {"root_port.ds_writes", "1..64; rtl and cosim as built"},
      {"endpoint.mshrs", "16..256, a power of two; rtl and cosim as built"},
      {"endpoint.line_bytes", "64..16KiB, a power of two; rtl and cosim as built, 64..1KiB"}};
  ASSERT_EQ(both.size(), static_cast<std::size_t>(
                             std::count_if(kRtlSizes.begin(), kRtlSizes.end(),
                                           [](const RtlSize& size) { return !size.key.empty(); })));
  unsigned found = 0;
  for (const ConfigKey& key : config_keys()) {
    const auto at = both.find(key.path);
    EXPECT_EQ(key.range.rtl_most != 0, at != both.end()) << key.path;
    if (at == both.end()) continue;
    EXPECT_EQ(range_text(key), at->second);
    ++found;
  }
  EXPECT_EQ(found, both.size());
}

// The parser knows no key but those of the table; each has its default in a file, but for the two
// that a scenario says.
TEST(ConfigKeys, EveryDefaultStandsInAFile) {
  const RunConfig config = defaults();
  const std::set<std::string> of_a_scenario = {"media.part", "workload.name"};
  for (const ConfigKey& key : config_keys()) {
    EXPECT_EQ(config.places.count(key.path), 1 - of_a_scenario.count(key.path)) << key.path;
  }
}

// What a rig in a test begins with is what a scenario begins with.
TEST(ConfigKeys, StructsHaveTheDefaultsOfTheFiles) {
  const std::map<std::string, const char*> others = {
      {"hdm.ranges", "a list that no struct has"},
      {"run.limit_us", "0 of the file stands for two"},
      {"endpoint.cache_bytes", "0 takes cache_percent, as rigs do"},
      {"gpu.fabric_cycles", "a rig has no fabric"},
      {"gpu.machine", "a name of a file"},
      {"system.machine", "a name of a file"}};
  const RunConfig files = defaults(), structs;
  for (const ConfigKey& key : config_keys()) {
    const std::string section = key.path.substr(0, key.path.find('.'));
    if (std::set<std::string>{"pcie", "uvm", "gds", "phoenix", "io", "multipath", "cap", "kv"}
            .count(section) != 0)
      continue;
    const bool same = value_text(key, key.get(files)) == value_text(key, key.get(structs));
    EXPECT_EQ(same, others.count(key.path) == 0)
        << key.path << ": file " << value_text(key, key.get(files)) << ", struct "
        << value_text(key, key.get(structs));
  }
}

// The files of configs/rtl: default.yaml has every size, another changes what it names.
TEST(ConfigKeys, AConfigurationOfTheRtlIsALayer) {
  const RunConfig plain = defaults();
  for (const RtlSize& size : kRtlSizes) {
    EXPECT_EQ(plain.rtl.count(std::string(size.key)), size.key.empty() ? 0u : 1u) << size.name;
  }
  const RunConfig small = ConfigLoader(CXLGPU_SOURCE_DIR "/configs", {}, "small").defaults();
  EXPECT_EQ(small.root_port.sr_queue_entries, 8u);
  EXPECT_EQ(small.rtl.at("root_port.sr_queue_entries"), 8u);
  EXPECT_NE(small.place("root_port.sr_queue_entries", "").find("rtl/small.yaml:"),
            std::string::npos);
  EXPECT_EQ(small.ports, plain.ports);
  EXPECT_NO_THROW(check_build(small));
  EXPECT_THROW((void)ConfigLoader(CXLGPU_SOURCE_DIR "/configs", {}, "smal").defaults(), InputError);
}

// Set to another value: the row reads that back, and no other row changes.
TEST(ConfigKeys, EachRowHasAMemberOfItsOwn) {
  const RunConfig before = defaults();
  for (const ConfigKey& key : config_keys()) {
    const KeyRange& range = key.range;
    std::vector<std::string> candidates = range.choices;
    if (range.type == Type::Text) candidates = {"other"};
    if (range.type == Type::Decimal) candidates = {"0.25"};
    if (range.type == Type::Ranges) candidates = {"[{base: 8GiB, size: 256MiB, ports: [1]}]"};
    for (const std::uint64_t value : {range.low, range.high}) {
      if (range.type == Type::Number) candidates.push_back(std::to_string(value));
      if (range.type == Type::List) candidates.push_back(list_text(range, value));
    }
    bool changed = false;
    for (const std::string& text : candidates) {
      RunConfig after = before;
      key.set(after, text, "here", key.path);
      if (value_text(key, key.get(after)) == value_text(key, key.get(before))) continue;
      changed = true;
      for (const ConfigKey& other : config_keys()) {
        if (other.path == key.path) continue;
        EXPECT_EQ(value_text(other, other.get(after)), value_text(other, other.get(before)))
            << key.path << " changes " << other.path;
      }
    }
    EXPECT_TRUE(changed) << key.path;
  }
}

TEST(ConfigKeys, AValueIsReadBackAsItIsShown) {
  const RunConfig before = defaults();
  for (const ConfigKey& key : config_keys()) {
    const std::string text = value_text(key, key.get(before));
    if (text == "\"\"") continue;  // an empty text, as YAML has it
    RunConfig after = before;
    key.set(after, text, "here", key.path);
    EXPECT_EQ(value_text(key, key.get(after)), text) << key.path;
  }
}

TEST(ConfigKeys, BoundsAreAcceptedAndWhatLiesBeyondIsRefused) {
  for (const ConfigKey& key : config_keys()) {
    const KeyRange& range = key.range;
    switch (range.type) {
      case Type::Number:
        EXPECT_TRUE(accepts(key, std::to_string(range.low))) << key.path;
        EXPECT_TRUE(accepts(key, std::to_string(range.high))) << key.path;
        refused(key, std::to_string(next_above(range)));
        refused(key, next_below(range));
        if (range.power_of_two) refused(key, "3");
        if (range.step != 1) refused(key, std::to_string(range.high - 1));
        refused(key, "many");
        break;
      case Type::Decimal:
        EXPECT_TRUE(accepts(key, fmt::format("{}", range.least))) << key.path;
        EXPECT_EQ(accepts(key, fmt::format("{}", range.most)), !range.below_most) << key.path;
        EXPECT_TRUE(accepts(key, fmt::format("{}", range.most * 0.999999))) << key.path;
        refused(key, fmt::format("{}", range.most * 1.000001));
        refused(key, fmt::format("{}", range.least - 0.000001));
        refused(key, "nan");
        refused(key, "many");
        break;
      case Type::Flag:
      case Type::Choice:
        for (const std::string& name : range.choices) EXPECT_TRUE(accepts(key, name)) << key.path;
        refused(key, range.choices.front() + "x");
        refused(key, "");
        break;
      case Type::List:
        EXPECT_TRUE(accepts(key, list_text(range, range.low))) << key.path;
        EXPECT_TRUE(accepts(key, "[" + list_text(range, range.high) + "]")) << key.path;
        refused(key, list_text(range, range.high + 1));
        refused(key, list_text(range, range.high) + ",0");
        refused(key, "many");
        break;
      case Type::Text:
      case Type::Ranges:
        break;
    }
  }
}

std::string hdm(const std::string& field, const std::string& value) {
  std::map<std::string, std::string> fields = {
      {"base", "4GiB"}, {"size", "2GiB"}, {"ports", "[0]"}};
  fields[field] = value;
  std::string text;
  for (const auto& [name, given] : fields) text += (text.empty() ? "" : ", ") + name + ": " + given;
  return "[{" + text + "}]";
}

TEST(ConfigKeys, FieldsOfHdmRangesHaveTheirBounds) {
  const ConfigKey& key = *find_key("hdm.ranges");
  for (const KeyFacts& field : hdm_fields()) {
    const std::string name = field.path.substr(field.path.rfind('.') + 1);
    const KeyRange& range = field.range;
    if (range.type == Type::Flag) {
      EXPECT_TRUE(accepts(key, hdm(name, "true")) && accepts(key, hdm(name, "false")));
      EXPECT_FALSE(accepts(key, hdm(name, "perhaps")));
      continue;
    }
    const auto one = [&](std::uint64_t value) {
      return hdm(name,
                 range.type == Type::List ? fmt::format("[{}]", value) : std::to_string(value));
    };
    EXPECT_TRUE(accepts(key, one(range.low))) << field.path;
    EXPECT_TRUE(accepts(key, one(range.high))) << field.path;
    RunConfig config;
    for (const std::string& text :
         {one(next_above(range)), hdm(name, name == "ports" ? "[-1]" : next_below(range))}) {
      try {
        key.set(config, text, "--set", key.path);
        ADD_FAILURE() << text;
      } catch (const InputError& e) {
        const std::string said = e.what();
        EXPECT_TRUE(said.starts_with("--set: key 'hdm.ranges[0]." + name + "'")) << said;
        EXPECT_NE(said.find(range_text(field)), std::string::npos) << said;
      }
    }
  }
}

TEST(ConfigKeys, HdmRangesAreReadFromText) {
  RunConfig config = defaults();
  find_key("hdm.ranges")
      ->set(config,
            "[{base: 4GiB, size: 1GiB, ports: [1, 0], granularity: 512}, {base: 0x200000000, size: "
            "256MiB, ports: [1]}]",
            "--set", "hdm.ranges");
  ASSERT_EQ(config.hdm.size(), 2u);
  EXPECT_EQ(config.hdm[0].base, 4ull << 30);
  EXPECT_EQ(config.hdm[0].size, 1ull << 30);
  EXPECT_EQ(config.hdm[0].ports, (std::vector<unsigned>{1, 0}));
  EXPECT_EQ(config.hdm[0].granularity, 512u);
  EXPECT_EQ(config.hdm[1].base, 8ull << 30);
  EXPECT_EQ(config.hdm[1].granularity, 256u);
  // A text that is refused leaves what was there.
  EXPECT_THROW(parse_hdm_ranges(config, "[{base: 4GiB}]", "--set"), InputError);
  EXPECT_EQ(config.hdm.size(), 2u);
}

}  // namespace
}  // namespace cxlgpu
