// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the command does, on standard error, for who asks with -v.
//
// Purpose: a line each, "info: ..." with -v, "debug: ..." besides with -vv. What went wrong is no
//          matter of levels: it is always said.
// Errors:  none: what cannot be written is lost.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace cxlgpu {

// 0: nothing, 1: info, 2 and more: debug too.
void set_log_level(int level);
[[nodiscard]] int log_level();
void log_line(std::string_view level, std::string_view text);

template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  if (log_level() >= 1) log_line("info", fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  if (log_level() >= 2) log_line("debug", fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace cxlgpu
