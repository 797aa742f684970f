// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the command does, on standard error, for who asks with -v.
//
// Purpose: a line each, "info: ..." with -v, "debug: ..." besides with -vv. What went wrong is no
//          matter of levels: it is always said.
// Errors:  none: what cannot be written is lost.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

namespace spdlog {
class logger;
}  // namespace spdlog

namespace cxlgpu {

class Log {
 public:
  // 0: nothing, 1: info, 2 and more: debug too.
  explicit Log(int verbosity = 0);

  template <typename... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) const {
    if (verbosity_ >= 1) line(1, fmt::format(format, std::forward<Args>(args)...));
  }
  template <typename... Args>
  void debug(fmt::format_string<Args...> format, Args&&... args) const {
    if (verbosity_ >= 2) line(2, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  // spdlog is behind this, so that not every file that says a line compiles it.
  void line(int level, const std::string& text) const;

  int verbosity_;
  std::shared_ptr<spdlog::logger> logger_;  // null: nothing is said
};

}  // namespace cxlgpu
