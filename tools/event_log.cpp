#include "tools/event_log.hpp"

#include <fmt/format.h>

#include <iterator>

#include "refmodel/common/input_error.hpp"

namespace cxlgpu {

namespace {

constexpr std::size_t kBlockBytes = 1u << 18;

}  // namespace

EventLog::EventLog(const std::filesystem::path& path) : path_(path), part_(path) {
  if (std::filesystem::is_directory(path_)) fail();
  part_ += ".part";
  out_.open(part_, std::ios::binary | std::ios::trunc);
  buffer_ = "time_ps,stage,port,id,addr,info\n";
  flush();
}

EventLog::~EventLog() {
  if (closed_) return;
  out_.close();
  std::error_code ignored;
  std::filesystem::remove(part_, ignored);
}

void EventLog::on_event(const TraceEvent& event) {
  fmt::format_to(std::back_inserter(buffer_), "{},{},{},{},0x{:x},{}\n", event.at.ps,
                 kStageNames[static_cast<std::size_t>(event.stage)], event.port, event.id,
                 event.addr, event.info);
  if (buffer_.size() >= kBlockBytes) flush();
}

void EventLog::close() {
  flush();
  out_.close();
  if (!out_) fail();
  std::error_code error;
  std::filesystem::rename(part_, path_, error);
  if (error) fail();
  closed_ = true;
}

void EventLog::fail() {
  throw InputError(fmt::format("{}:0: cannot be written; choose another --events", path_.string()));
}

void EventLog::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  if (!out_) fail();
}

}  // namespace cxlgpu
