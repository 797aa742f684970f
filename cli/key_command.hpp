// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// `cxlgpu list --keys` and `cxlgpu explain`: the table of keys as people, pages and editors read
// it.
//
// Purpose: everything here is made from config_keys() and the files of configs/.
// Errors:  InputError of one line for a name that is none.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/config/config_keys.hpp"

namespace CLI {
class App;
}

namespace cxlgpu {

// A key, or a field of hdm.ranges, with what a scenario begins with.
struct ListedKey {
  KeyFacts facts;
  std::string default_text;      // as in a file; empty: none
  nlohmann::json default_value;  // null: none
  std::string place;             // file:line of the default
};
// The scenario's name or file gives media.part and workload.name, which have no default.
std::vector<ListedKey> listed_keys(const std::filesystem::path& configs);

struct KeyArguments {
  bool keys = false, json = false, markdown = false, schema = false;  // of `list`
  std::string name;                                                   // of `explain`
};
void add_key_options(CLI::App& list, CLI::App& explain, KeyArguments& arguments);

int list_keys_command(const KeyArguments& arguments, const std::filesystem::path& configs);
int explain_command(const KeyArguments& arguments, const std::filesystem::path& configs);

// JSON Schema (2020-12) of a scenario's file; files of configs/host are a property of it each.
nlohmann::ordered_json key_schema(const std::vector<ListedKey>& keys);

}  // namespace cxlgpu
