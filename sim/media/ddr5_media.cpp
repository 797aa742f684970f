// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/ddr5_media.hpp"

#include <algorithm>
#include <cassert>

namespace cxlgpu {

Ddr5Media::Ddr5Media(const DramConfig& config, std::uint64_t capacity)
    : config_(config),
      capacity_(capacity),
      dram_(config),
      status_(dram_.banks()),
      pool_(config.queue_depth) {
  for (std::uint32_t i = config.queue_depth; i > 0; --i) free_.push_back(i - 1);
}

bool Ddr5Media::can_accept(Time /*now*/, MediaOp /*op*/) const {
  return free_.size() > failed_.size();
}

void Ddr5Media::submit(const MediaCommand& command, Time now) {
  assert(can_accept(now, command.op));
  const bool read = command.op == MediaOp::Read;
  MediaResponse response;
  response.op = command.op;
  response.id = command.id;
  const bool served = read || command.op == MediaOp::Write;
  if (!served || command.dpa % kLineBytes != 0 || command.dpa >= capacity_) {
    response.error = true;
    failed_.push_back({now + config_.front + config_.back, response});
    return;
  }
  DramAccess access = DramAccess::Read;
  if (read) {
    response.data = store_.read_line(command.dpa);
    response.poison = store_.poisoned(command.dpa);
    ++counters_.reads;
  } else {
    store_.write_line(command.dpa, command.data, command.byte_enable, command.poison);
    access = command.byte_enable == kAllBytes ? DramAccess::Write : DramAccess::MaskedWrite;
    ++counters_.writes;
  }
  const std::uint32_t token = free_.back();
  free_.pop_back();
  pool_[token] = response;
  dram_.submit(command.dpa, access, token, now);
}

std::optional<MediaResponse> Ddr5Media::take(Time now) {
  if (!failed_.empty() && failed_.front().at <= now && failed_.front().at <= dram_.next_event()) {
    const MediaResponse response = failed_.front().response;
    failed_.pop_front();
    return response;
  }
  if (now < dram_.next_event()) return std::nullopt;
  const std::optional<std::uint32_t> token = dram_.take(now);
  if (!token) {
    if (failed_.empty() || failed_.front().at > now) return std::nullopt;
    const MediaResponse response = failed_.front().response;
    failed_.pop_front();
    return response;
  }
  free_.push_back(*token);
  return pool_[*token];
}

Time Ddr5Media::next_event() const {
  return failed_.empty() ? dram_.next_event() : std::min(failed_.front().at, dram_.next_event());
}

const MediaCounters& Ddr5Media::counters() const {
  const DramCounters rows = dram_.counters();
  counters_.row_hits = rows.row_hits;
  counters_.row_misses = rows.row_misses;
  counters_.row_conflicts = rows.row_conflicts;
  return counters_;
}

}  // namespace cxlgpu
