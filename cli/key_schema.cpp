// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// JSON Schema of the keys: key_schema() of key_command.hpp.
#include <fmt/format.h>

#include "cli/key_command.hpp"

namespace cxlgpu {

namespace {

using Json = nlohmann::ordered_json;

Json object() {
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
}

// Digits, or text as the loader reads it: 0x80, 64KiB. A text's value is the loader's to check.
Json number(const KeyRange& range) {
  Json digits = {{"type", "integer"}};
  if (range.power_of_two) {
    digits["enum"] = Json::array();
    for (std::uint64_t value = range.low; value <= range.high; value *= 2) {
      digits["enum"].push_back(value);
    }
  } else {
    digits["minimum"] = range.low;
    digits["maximum"] = range.high;
    if (range.step != 1) digits["multipleOf"] = range.step;
  }
  return {{"anyOf", {digits, {{"$ref", "#/$defs/number_text"}}}}};
}

Json value(const KeyRange& range) {
  switch (range.type) {
    case KeyRange::Type::Flag:
      return {{"type", "boolean"}};
    case KeyRange::Type::Number:
      return number(range);
    case KeyRange::Type::Decimal: {
      // 1e-5 is a text to readers of YAML 1.1.
      const char* most = range.below_most ? "exclusiveMaximum" : "maximum";
      const Json digits = {{"type", "number"}, {"minimum", range.least}, {most, range.most}};
      const Json text = {{"type", "string"}, {"pattern", "^[0-9.]+([eE][-+]?[0-9]+)?$"}};
      return {{"anyOf", {digits, text}}};
    }
    case KeyRange::Type::Choice:
      return {{"type", "string"}, {"enum", range.choices}};
    case KeyRange::Type::Text:
      return {{"type", "string"}};
    case KeyRange::Type::List: {
      Json lengths = Json::array();
      for (const std::size_t length : range.lengths) {
        lengths.push_back({{"minItems", length}, {"maxItems", length}});
      }
      return {{"type", "array"}, {"items", number(range)}, {"anyOf", lengths}};
    }
    case KeyRange::Type::Ranges:
      break;
  }
  Json map = object();
  map["required"] = {"base", "size", "ports"};
  return {{"type", "array"}, {"minItems", 1}, {"items", map}};
}

std::string description(const KeyFacts& facts) {
  std::string text = facts.meaning + " Range: " + range_text(facts) + ".";
  if (!facts.unit.empty()) text += " Unit: " + facts.unit + ".";
  return text + " Source: " + facts.source + ".";
}

}  // namespace

Json key_schema(const std::vector<ListedKey>& keys) {
  Json root = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
               {"$comment", "Made by `cxlgpu list --keys --schema`; do not edit."},
               {"title", "cxlgpu configuration"}};
  root["$defs"]["number_text"] = {{"type", "string"},
                                  {"pattern", "^(0[xX][0-9a-fA-F]+|[0-9]+)(KiB|MiB|GiB)?$"}};
  root.update(object());
  for (const ListedKey& key : keys) {
    Json* at = &root;
    std::string name;
    for (const char c : key.facts.path + ".") {
      if (c != '.') {
        name += c;
        continue;
      }
      const bool items = name.ends_with("[]");
      if (items) name.resize(name.size() - 2);
      Json& next = (*at)["properties"][name];
      if (next.is_null()) next = object();
      at = items ? &next["items"] : &next;
      name.clear();
    }
    *at = value(key.facts.range);
    (*at)["description"] = description(key.facts);
    if (!key.default_value.is_null()) (*at)["default"] = key.default_value;
  }
  return root;
}

}  // namespace cxlgpu
