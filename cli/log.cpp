// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/log.hpp"

#include <cstdio>
#include <string>

#include "common/input_error.hpp"

namespace cxlgpu {

namespace {

int level = 0;  // of the process, as its standard error is

}  // namespace

void set_log_level(int to) {
  level = to;
}

int log_level() {
  return level;
}

void log_line(std::string_view name, std::string_view text) {
  const std::string line = fmt::format("{}: {}\n", name, one_line(std::string(text)));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace cxlgpu
