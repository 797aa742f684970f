// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/host/fixed_latency_engine.hpp"

#include <algorithm>

namespace cxlgpu {

FixedLatencyEngine::FixedLatencyEngine(const FixedLatencyParams& params)
    : params_(params), random_(params.seed) {}

Time FixedLatencyEngine::next_event() const {
  const Time due = due_.empty() ? Time::never() : due_.top().at;
  // A refusal, or the one request of this edge, may look different at the next edge.
  if (refused_ == now_) return std::min(due, now_ + kCycle);
  return due;
}

void FixedLatencyEngine::advance_to(Time t) {
  t = std::min(t, next_event());
  if (t != Time::never()) now_ = std::max(now_, t);
}

bool FixedLatencyEngine::submit(const MemRequest& request) {
  if (due_.size() >= params_.max_outstanding) return false;  // an answer will be the next event
  if (last_taken_ == now_ ||
      (params_.refuse_percent != 0 && random_.below(100) < params_.refuse_percent)) {
    refused_ = now_;
    return false;
  }
  last_taken_ = now_;
  std::uint32_t slot;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  MemResponse& response = slots_[slot];
  response.id = request.id;
  response.is_write = request.is_write;
  if (request.is_write) {
    memory_.write_line(request.addr, request.data, request.byte_enable);
    response.data = {};
  } else {
    response.data = memory_.read_line(request.addr);
  }
  Time at = now_ + params_.latency;
  if (params_.jitter.ps != 0) at += Time{random_.below(params_.jitter.ps + 1)};
  due_.push({std::max(ceil_to_cycle(at), now_ + kCycle), order_++, slot});
  return true;
}

std::optional<MemResponse> FixedLatencyEngine::take() {
  if (due_.empty() || due_.top().at > now_) return std::nullopt;
  const std::uint32_t slot = due_.top().slot;
  due_.pop();
  free_.push_back(slot);
  return slots_[slot];
}

}  // namespace cxlgpu
