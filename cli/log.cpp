// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <string>

#include "common/input_error.hpp"

namespace cxlgpu {

namespace {

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> one = [] {
    auto made = spdlog::stderr_logger_st("cxlgpu");
    made->set_pattern("%l: %v");
    made->set_level(spdlog::level::off);
    return made;
  }();
  return *one;
}

}  // namespace

void set_log_level(int level) {
  logger().set_level(level >= 2   ? spdlog::level::debug
                     : level == 1 ? spdlog::level::info
                                  : spdlog::level::off);
}

bool logs(LogLevel level) {
  return logger().should_log(level == LogLevel::Debug ? spdlog::level::debug : spdlog::level::info);
}

void log_line(LogLevel level, const std::string& text) {
  logger().log(level == LogLevel::Debug ? spdlog::level::debug : spdlog::level::info, "{}",
               one_line(text));
}

}  // namespace cxlgpu
