// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/config/key_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "common/input_error.hpp"
#include "common/nearest.hpp"

namespace cxlgpu {

namespace {

constexpr std::array<std::pair<const char*, std::uint64_t>, 3> kSuffixes = {
    {{"GiB", 1ull << 30}, {"MiB", 1ull << 20}, {"KiB", 1ull << 10}}};

bool read_unsigned(const std::string& text, std::uint64_t& value) {
  std::string digits = text;
  std::uint64_t scale = 1;
  for (const auto& [suffix, factor] : kSuffixes) {
    if (digits.size() > 3 && digits.ends_with(suffix)) {
      digits.resize(digits.size() - 3);
      scale = factor;
      break;
    }
  }
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  const char* first = digits.data() + (hex ? 2 : 0);
  const char* last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(first, last, value, hex ? 16 : 10);
  if (error != std::errc{} || end != last || first == last || value > UINT64_MAX / scale) {
    return false;
  }
  value *= scale;
  return true;
}

KeyRange whole(std::uint64_t low, std::uint64_t high) {
  KeyRange range;
  range.type = KeyRange::Type::Number;
  range.low = low;
  range.high = high;
  return range;
}

}  // namespace

KeyRange between(std::uint64_t low, std::uint64_t high) {
  return whole(low, high);
}

KeyRange multiple_of(std::uint64_t step, std::uint64_t low, std::uint64_t high) {
  KeyRange range = whole(low, high);
  range.step = step;
  return range;
}

KeyRange power_of_two(std::uint64_t low, std::uint64_t high) {
  KeyRange range = whole(low, high);
  range.power_of_two = true;
  return range;
}

KeyRange decimal(double low, double high) {
  KeyRange range;
  range.type = KeyRange::Type::Decimal;
  range.least = low;
  range.most = high;
  return range;
}

KeyRange probability() {
  KeyRange range = decimal(0, 1);
  range.below_most = true;
  return range;
}

KeyRange flag() {
  KeyRange range;
  range.type = KeyRange::Type::Flag;
  range.choices = {"false", "true"};
  return range;
}

KeyRange one_of(std::vector<std::string> names) {
  KeyRange range;
  range.type = KeyRange::Type::Choice;
  range.choices = std::move(names);
  return range;
}

KeyRange text(std::string what) {
  KeyRange range;
  range.what = std::move(what);
  return range;
}

KeyRange list_of(std::vector<std::size_t> lengths, std::uint64_t low, std::uint64_t high) {
  KeyRange range = whole(low, high);
  range.type = KeyRange::Type::List;
  range.lengths = std::move(lengths);
  return range;
}

KeyRange ranges() {
  KeyRange range;
  range.type = KeyRange::Type::Ranges;
  return range;
}

std::string type_name(const KeyRange& range) {
  switch (range.type) {
    case KeyRange::Type::Flag:
      return "switch";
    case KeyRange::Type::Number:
      return "whole number";
    case KeyRange::Type::Decimal:
      return "number";
    case KeyRange::Type::Choice:
      return "word";
    case KeyRange::Type::Text:
      return "text";
    case KeyRange::Type::List:
      return "list of whole numbers";
    case KeyRange::Type::Ranges:
      break;
  }
  return "list of maps";
}

std::string number_text(std::uint64_t value, const std::string& unit) {
  if (unit == "address") return fmt::format("0x{:x}", value);
  if (unit == "bytes" && value != 0) {
    for (const auto& [suffix, factor] : kSuffixes) {
      if (value % factor == 0) return fmt::format("{}{}", value / factor, suffix);
    }
  }
  return fmt::format("{}", value);
}

namespace {

// What rtl and cosim take of a range that is the model's.
std::string rtl_text(const KeyFacts& facts) {
  const KeyRange& range = facts.range;
  if (range.rtl_most == 0) return "";
  const std::uint64_t least = std::max(range.low, range.rtl_least);
  const std::uint64_t most = std::min(range.high, range.rtl_most);
  const std::string text = "; rtl and cosim as built";
  if (least == range.low && most == range.high) return text;
  const std::string low = number_text(least, facts.unit);
  return text + ", " + (least == most ? low : low + ".." + number_text(most, facts.unit));
}

}  // namespace

std::string range_text(const KeyFacts& facts) {
  const KeyRange& range = facts.range;
  const std::string bounds = fmt::format("{}..{}", number_text(range.low, facts.unit),
                                         number_text(range.high, facts.unit));
  switch (range.type) {
    case KeyRange::Type::Flag:
    case KeyRange::Type::Choice:
      return fmt::format("{}", fmt::join(range.choices, ", "));
    case KeyRange::Type::Number:
      if (range.power_of_two) return bounds + ", a power of two" + rtl_text(facts);
      if (range.step != 1) {
        return bounds + ", a multiple of " + number_text(range.step, "bytes") + rtl_text(facts);
      }
      return bounds + rtl_text(facts);
    case KeyRange::Type::Decimal:
      return fmt::format("{:g}..{:g}{}", range.least, range.most,
                         range.below_most ? fmt::format(", less than {:g}", range.most) : "");
    case KeyRange::Type::Text:
      return range.what;
    case KeyRange::Type::List:
      if (range.lengths.size() > 3) {  // all there are between the first and the last
        return fmt::format("{} to {} values of {}", range.lengths.front(), range.lengths.back(),
                           bounds);
      }
      return fmt::format("{} values of {}", fmt::join(range.lengths, " or "), bounds);
    case KeyRange::Type::Ranges:
      break;
  }
  return "maps of base, size, ports and granularity";
}

void fail(const std::string& where, const std::string& key, const std::string& what) {
  throw InputError(fmt::format("{}: key '{}': {}", where, key, what));
}

std::uint64_t parse_range(const std::string& text, const std::string& where, const std::string& key,
                          std::uint64_t low, std::uint64_t high) {
  return parse_number({key, "", between(low, high), "", ""}, text, where, key);
}

std::string parse_choice(const std::string& text, const std::string& where, const std::string& key,
                         const std::vector<std::string>& choices) {
  return choices[parse_index({key, "", one_of(choices), "", ""}, text, where, key)];
}

std::uint64_t parse_number(const KeyFacts& facts, const std::string& text, const std::string& where,
                           const std::string& key) {
  const KeyRange& range = facts.range;
  std::uint64_t value = 0;
  if (!read_unsigned(text, value)) {
    fail(where, key,
         fmt::format("'{}' is not an unsigned number; write e.g. 128, 0x80 or 64KiB, of {}", text,
                     range_text(facts)));
  }
  const char* wrong = nullptr;
  if (value < range.low || value > range.high) {
    wrong = "is out of range";
  } else if (range.power_of_two && (value & (value - 1)) != 0) {
    wrong = "is not a power of two";
  } else if (value % range.step != 0) {
    wrong = "is not a multiple";
  }
  if (wrong != nullptr)
    fail(where, key, fmt::format("{} {}; use {}", text, wrong, range_text(facts)));
  return value;
}

double parse_decimal(const KeyFacts& facts, const std::string& text, const std::string& where,
                     const std::string& key) {
  const KeyRange& range = facts.range;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    fail(where, key, fmt::format("'{}' is not a number; write one of {}", text, range_text(facts)));
  }
  if (!(value >= range.least && value <= range.most) || (range.below_most && value == range.most)) {
    fail(where, key, fmt::format("{} is out of range; use {}", text, range_text(facts)));
  }
  return value;
}

std::size_t parse_index(const KeyFacts& facts, const std::string& text, const std::string& where,
                        const std::string& key) {
  const std::vector<std::string>& names = facts.range.choices;
  const auto at = std::find(names.begin(), names.end(), text);
  if (at == names.end()) {
    fail(where, key,
         fmt::format("'{}' is not known; {}use {}", text, did_you_mean(text, names),
                     fmt::join(names, ", ")));
  }
  return static_cast<std::size_t>(at - names.begin());
}

std::vector<std::uint64_t> parse_list(const KeyFacts& facts, const std::string& text,
                                      const std::string& where, const std::string& key) {
  std::string items = text;
  if (items.size() > 1 && items.front() == '[' && items.back() == ']') {
    items = items.substr(1, items.size() - 2);
  }
  std::vector<std::uint64_t> values;
  const auto use = [&facts] { return range_text(facts); };
  for (std::size_t start = 0; start <= items.size();) {
    const std::size_t comma = std::min(items.find(',', start), items.size());
    std::string item = items.substr(start, comma - start);
    std::erase(item, ' ');
    std::uint64_t value = 0;
    if (!read_unsigned(item, value)) {
      fail(where, key, fmt::format("'{}' is not an unsigned number; give {}", item, use()));
    }
    if (value < facts.range.low || value > facts.range.high) {
      fail(where, key, fmt::format("{} is out of range; give {}", item, use()));
    }
    values.push_back(value);
    start = comma + 1;
  }
  const auto& lengths = facts.range.lengths;
  if (std::find(lengths.begin(), lengths.end(), values.size()) == lengths.end()) {
    fail(where, key, fmt::format("has {} values; give {}", values.size(), use()));
  }
  return values;
}

}  // namespace cxlgpu
