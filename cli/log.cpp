// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "common/input_error.hpp"

namespace cxlgpu {

Log::Log(int verbosity) : verbosity_(verbosity) {
  if (verbosity == 0) return;
  logger_ = std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::stderr_sink_st>());
  logger_->set_pattern("%l: %v");
  logger_->set_level(spdlog::level::debug);
}

void Log::line(int level, const std::string& text) const {
  logger_->log(level == 1 ? spdlog::level::info : spdlog::level::debug, "{}", one_line(text));
}

}  // namespace cxlgpu
