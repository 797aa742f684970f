// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/event_log.hpp"

#include <fmt/format.h>

namespace cxlgpu {

EventLog::EventLog() : stages_(kPorts * kStages), cells_(kIds * kAddressed) {}

void EventLog::open(const std::string& path) {
  file_.emplace(path, "time_ps,stage,port,id,addr,info");
}

[[gnu::always_inline]] inline void EventLog::Cells::set(std::uint64_t address) {
  addr = address;
  const std::size_t digits = RowFile::Row::hexadecimal(text.data() + before_digits, address);
  text[before_digits + digits] = ',';
  size = static_cast<std::uint8_t>(before_digits + digits + 1);
}

// Calls nothing that it comes back from: no register has to be saved, which would be a fifth of it.
void EventLog::on_event(const TraceEvent& event) {
  const StageCells& stage = of_stage(event);
  const std::uint64_t ps = event.at.ps - microsecond_;
  Cells& cells = of_id(event, stage.addressed);
  if (cells.id != event.id || ps >= kMicrosecond || event.info >= kThousand) [[unlikely]] {
    return write_whole(event);
  }
  if (cells.addr != event.addr) cells.set(event.addr);
  RowFile::Row row = file_->row();
  row.piece(begin_, begin_size_);
  row.six(static_cast<std::uint32_t>(ps));
  row.piece(stage.text, stage.size);
  row.piece(cells.text, cells.size);
  row.below_thousand(event.info);
  if (file_->end_full(row)) [[unlikely]]
    return flush(event);
  next_->on_event(event);
}

[[gnu::noinline]] void EventLog::flush(const TraceEvent& event) {
  file_->flush();
  next_->on_event(event);
}

// A row of which something is new, or longer than most.
[[gnu::noinline]] void EventLog::write_whole(const TraceEvent& event) {
  if (event.at.ps - microsecond_ >= kMicrosecond) begin_microsecond(event.at.ps);
  StageCells& stage = of_stage(event);
  if (stage.addressed == Addressed::Unmade) make_stage(event, stage);
  Cells& cells = of_id(event, stage.addressed);
  if (cells.id != event.id) make_id(event, cells);
  if (cells.addr != event.addr) cells.set(event.addr);
  RowFile::Row row = file_->row();
  row.number(event.at.ps);
  row.piece(stage.text, stage.size);
  row.piece(cells.text, cells.size);
  row.number(event.info);
  file_->end(row);
  next_->on_event(event);
}

// The first of a run has none: what its times begin with is not always as long.
void EventLog::begin_microsecond(std::uint64_t ps) {
  const std::uint64_t number = ps / kMicrosecond;
  if (number == 0) return;
  microsecond_ = number * kMicrosecond;
  const std::string digits = fmt::to_string(number);
  begin_size_ = static_cast<std::uint8_t>(digits.copy(begin_.data(), begin_.size()));
}

void EventLog::make_stage(const TraceEvent& event, StageCells& stage) {
  const std::string text =
      fmt::format("{},{}", kStageNames[static_cast<std::size_t>(event.stage)], event.port);
  stage.size = static_cast<std::uint8_t>(text.copy(stage.text.data(), stage.text.size()));
  stage.addressed = Addressed::BySystem;
  if (event.stage >= Stage::EpLookup && event.stage <= Stage::EpRespond) {
    stage.addressed = Addressed::ByDevice;
  } else if (event.stage == Stage::SysRespond) {
    stage.addressed = Addressed::Answer;
  }
}

void EventLog::make_id(const TraceEvent& event, Cells& cells) {
  cells.id = event.id;
  const std::string text = fmt::format(",{},0x", event.id);
  cells.before_digits = static_cast<std::uint8_t>(text.copy(cells.text.data(), text.size()));
  cells.set(event.addr);
}

}  // namespace cxlgpu
