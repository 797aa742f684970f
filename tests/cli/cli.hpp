// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The cxlgpu command as a person meets it: exit status, messages, files.
//
// Purpose: runs the built command in a folder of its own; refused() is what all bad input owes:
//          status 2 and one line that names file, line and key, with nothing left behind.
// Errors:  test failures.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace cxlgpu {

namespace fs = std::filesystem;
using nlohmann::json;
using Args = std::vector<std::string>;

std::string read_text(const fs::path& path);
std::vector<std::string> lines_of(const std::string& text);
std::string joined(const Args& args);
void write_gzip(const fs::path& path, const std::string& text);
double value(const json& document, const char* path);

struct Result {
  int status = -1;  // 128 + signal for a crash, as a shell has it
  std::string out, err;
  // Lines of it, which are not in `err`: a slow machine has some.
  std::vector<std::string> progress;
};

// A folder of its own for each test; the command runs in it.
class Cli : public ::testing::Test {
 protected:
  Cli();
  ~Cli() override;

  fs::path write(const std::string& name, const std::string& text);

  // What is particular about one run of the command.
  struct Setting {
    std::string out = {};                             // in place of what Result::out has
    std::function<void()> before = {};                // in the child
    std::function<void(pid_t child)> meanwhile = {};  // in the test, while it runs
  };

  Result run(const Args& args, const std::string& input = "");
  Result run(const Args& args, const std::string& input, const Setting& setting);
  Result accepted(const Args& args, const std::string& input = "");
  // Status 2, one line on stderr that holds every one of `parts`, nothing on stdout, no file more.
  void refused(const Args& args, const std::vector<std::string>& parts);

  std::set<std::string> files() const;
  json stats(const std::string& out = "o");
  // Every key that may be given; fields of hdm.ranges are not among them.
  std::vector<std::string> keys();

  fs::path base_, dir_;
};

// One test on every engine.
class CliEngine : public Cli, public ::testing::WithParamInterface<const char*> {};
inline std::string engine_name(const ::testing::TestParamInfo<const char*>& info) {
  return info.param;
}

}  // namespace cxlgpu
