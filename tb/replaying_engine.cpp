// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/replaying_engine.hpp"

#include <algorithm>

namespace cxlgpu {

void ReplayedTrace::on_event(const TraceEvent& event) {
  if (sink_ == nullptr) return;
  TraceEvent passed = event;
  if (event.stage == Stage::SysAccept) {
    if (again_.contains(event.id)) {
      passed.at = accepted_.at(event.id);
    } else {
      accepted_[event.id] = event.at;
    }
  } else if (event.stage == Stage::SysRespond) {
    if (const auto settled = settled_.extract(event.id)) {
      pass(event, settled.mapped());
    } else {
      answers_[event.id] = event;
    }
    return;
  }
  sink_->on_event(passed);
}

void ReplayedTrace::settle(std::uint32_t id, bool is_kept) {
  if (sink_ == nullptr) return;
  if (const auto answer = answers_.extract(id)) {
    pass(answer.mapped(), is_kept);
  } else {
    settled_[id] = is_kept;
  }
}

void ReplayedTrace::keep(std::uint32_t id, Time at) {
  if (sink_ == nullptr) return;
  accepted_[id] = at;
  again_.insert(id);
}

void ReplayedTrace::pass(const TraceEvent& answer, bool is_kept) {
  if (is_kept) {
    again_.insert(answer.id);
  } else {
    sink_->on_event(answer);
    again_.erase(answer.id);
  }
}

bool ReplayingEngine::submit(const MemRequest& request) {
  LineState& line = lines_[request.addr / kLineBytes];
  const bool goes = line.waiting.empty() && may_go(line, request.is_write);
  const bool kept = goes && is_offline(request.addr);
  // What is ready goes first.
  if (goes && !kept && (!ready_.empty() || !inner_->submit(request))) {
    refused_ = true;
    return false;
  }
  open_[request.id] = {.request = request,
                       .number = next_number_++,
                       .old = !inner_->outage()->recovered(),
                       .sent = goes && !kept};
  if (goes) {
    enter(line, request.is_write);
  } else {
    line.waiting.push_back(request.id);
  }
  if (kept) keep(request.id);
  return true;
}

// One that was never issued.
void ReplayingEngine::keep(std::uint32_t id) {
  kept_[open_.at(id).number] = id;
  trace_.keep(id, inner_->now());
  ++held_;
}

bool ReplayingEngine::is_kept(const Request& request, const MemResponse& response) const {
  return response.error && request.old && !request.again && is_behind_(request.request.addr);
}

// The next of the line may go.
void ReplayingEngine::answered(std::uint64_t at) {
  const auto found = lines_.find(at);
  if (found == lines_.end()) return;  // answered once too often: the initiator's checks see it
  LineState& line = found->second;
  if (--line.unanswered != 0) return;
  line.store = false;
  while (!line.waiting.empty()) {
    const std::uint32_t id = line.waiting.front();
    const bool is_write = open_.at(id).request.is_write;
    if (!may_go(line, is_write)) return;
    enter(line, is_write);
    ready_.push_back(id);
    line.waiting.pop_front();
  }
  if (line.unanswered == 0) lines_.erase(found);
}

void ReplayingEngine::collect() {
  while (const auto response = inner_->take()) {
    const auto at = open_.find(response->id);
    if (at == open_.end()) {  // nobody asked: the initiator's checks see it
      answers_.push_back(*response);
      continue;
    }
    const Request& request = at->second;
    const bool kept = is_kept(request, *response);
    trace_.settle(response->id, kept);
    if (kept) {
      kept_[request.number] = response->id;
      continue;
    }
    const std::uint64_t line = request.request.addr / kLineBytes;
    answers_.push_back(*response);
    open_.erase(at);
    answered(line);
  }
}

bool ReplayingEngine::send(std::uint32_t id) {
  Request& request = open_.at(id);
  if (!inner_->submit(request.request)) return false;
  request.old = !inner_->outage()->recovered();
  request.again = request.sent;
  request.sent = true;
  if (request.again) ++(request.request.is_write ? replayed_writes_ : replayed_reads_);
  return true;
}

void ReplayingEngine::issue() {
  while (can_issue_kept()) {
    if (!send(kept_.begin()->second)) return;
    kept_.erase(kept_.begin());
  }
  while (!ready_.empty()) {
    const std::uint32_t id = ready_.front();
    if (is_offline(open_.at(id).request.addr)) {
      keep(id);
    } else if (!send(id)) {
      return;
    }
    ready_.pop_front();
  }
}

std::optional<MemResponse> ReplayingEngine::take() {
  collect();
  if (answers_.empty()) return std::nullopt;
  const MemResponse response = answers_.front();
  answers_.pop_front();
  return response;
}

void ReplayingEngine::advance_to(Time t) {
  while (inner_->now() < t) {
    issue();
    const bool more = can_issue_kept() || !ready_.empty();
    const Time until = more ? std::min(t, inner_->now() + kCycle) : t;
    inner_->advance_to(until);
    collect();
    if (refused_ || !answers_.empty() || inner_->now() < until) break;
  }
  refused_ = false;
}

const LinkOutage* ReplayingEngine::outage() const {
  report_ = *inner_->outage();
  report_.replayed_reads = replayed_reads_;
  report_.replayed_writes = replayed_writes_;
  report_.held = held_;
  return &report_;
}

}  // namespace cxlgpu
