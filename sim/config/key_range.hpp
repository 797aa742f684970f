// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a configuration key takes: type, unit and range, and how a value is read from its text.
//
// Purpose: a range stands in one place; the reader, its messages, `cxlgpu list --keys`, the guide's
//          page and the JSON Schema all take it from there.
// Units:   numbers in the key's unit; "bytes" are shown as KiB, MiB, GiB, "address" in hex.
// Errors:  InputError of one line: where, key, what is wrong, what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cxlgpu {

struct KeyRange {
  enum class Type : std::uint8_t { Flag, Number, Decimal, Choice, Text, List, Ranges };
  Type type = Type::Text;
  std::uint64_t low = 0, high = 0;  // of a Number, of each entry of a List
  std::uint64_t step = 1;           // a Number is a multiple of it
  bool power_of_two = false;
  double least = 0, most = 0;  // of a Decimal
  bool below_most = false;     // ... which `most` itself is not
  std::vector<std::string> choices;
  std::vector<std::size_t> lengths;  // of a List, any of these
  std::string what;                  // a Text is
  // A Number that is a size of the RTL (configs/rtl): what it can be built with. The range above is
  // the model's; rtl and cosim take the one value that the build has. 0 rtl_most: no such size.
  std::uint64_t rtl_least = 0, rtl_most = 0;
};

KeyRange between(std::uint64_t low, std::uint64_t high);
KeyRange multiple_of(std::uint64_t step, std::uint64_t low, std::uint64_t high);
KeyRange power_of_two(std::uint64_t low, std::uint64_t high);
KeyRange decimal(double low, double high);
KeyRange probability();
KeyRange flag();
KeyRange one_of(std::vector<std::string> names);  // in the order of the enumeration
KeyRange text(std::string what);
KeyRange list_of(std::vector<std::size_t> lengths, std::uint64_t low, std::uint64_t high);
KeyRange ranges();

// A key as people read of it.
struct KeyFacts {
  std::string path;
  std::string unit;  // empty: a count, a name or a switch
  KeyRange range;
  std::string meaning;
  std::string source;  // of the default
};

[[nodiscard]] std::string type_name(const KeyRange& range);
// A number of this unit: 64KiB, 0x100000000, 8.
[[nodiscard]] std::string number_text(std::uint64_t value, const std::string& unit);
// "1..64", "1..16, a power of two", "lrr, gto", "1..64; rtl and cosim as built, 4..64".
[[nodiscard]] std::string range_text(const KeyFacts& facts);

[[noreturn]] void fail(const std::string& where, const std::string& key, const std::string& what);
// 123, 0x7b, 64KiB, 1MiB, 4GiB; within low..high.
std::uint64_t parse_range(const std::string& text, const std::string& where, const std::string& key,
                          std::uint64_t low, std::uint64_t high);
// One of `choices`.
std::string parse_choice(const std::string& text, const std::string& where, const std::string& key,
                         const std::vector<std::string>& choices);

// Values of a key, `key` as the message names it.
std::uint64_t parse_number(const KeyFacts& facts, const std::string& text, const std::string& where,
                           const std::string& key);
double parse_decimal(const KeyFacts& facts, const std::string& text, const std::string& where,
                     const std::string& key);
// The place among the choices; of a Flag 0 or 1.
std::size_t parse_index(const KeyFacts& facts, const std::string& text, const std::string& where,
                        const std::string& key);
std::vector<std::uint64_t> parse_list(const KeyFacts& facts, const std::string& text,
                                      const std::string& where, const std::string& key);

}  // namespace cxlgpu
