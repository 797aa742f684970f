// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the command does, on standard error, for who asks with -v.
//
// Purpose: a line each, "info: ..." with -v, "debug: ..." besides with -vv. What went wrong is no
//          matter of levels: it is always said.
// Errors:  none: what cannot be written is lost.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

namespace cxlgpu {

enum class LogLevel : std::uint8_t { Info, Debug };

// 0: nothing, 1: info, 2 and more: debug too.
void set_log_level(int level);
[[nodiscard]] bool logs(LogLevel level);
// spdlog is behind these two, so that not every file that says a line compiles it.
void log_line(LogLevel level, const std::string& text);

template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  if (logs(LogLevel::Info)) {
    log_line(LogLevel::Info, fmt::format(format, std::forward<Args>(args)...));
  }
}
template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  if (logs(LogLevel::Debug)) {
    log_line(LogLevel::Debug, fmt::format(format, std::forward<Args>(args)...));
  }
}

}  // namespace cxlgpu
