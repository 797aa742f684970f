// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/event_log.hpp"

#include <fmt/format.h>

#include <iterator>

namespace cxlgpu {

namespace {

constexpr std::size_t kBlockBytes = 1u << 18;

}  // namespace

EventLog::EventLog(const std::string& path) : file_(path) {
  buffer_ = "time_ps,stage,port,id,addr,info\n";
  flush();
}

void EventLog::on_event(const TraceEvent& event) {
  fmt::format_to(std::back_inserter(buffer_), "{},{},{},{},0x{:x},{}\n", event.at.ps,
                 kStageNames[static_cast<std::size_t>(event.stage)], event.port, event.id,
                 event.addr, event.info);
  if (buffer_.size() >= kBlockBytes) flush();
}

void EventLog::close() {
  flush();
  file_.publish();
}

void EventLog::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

}  // namespace cxlgpu
