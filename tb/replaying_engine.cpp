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

void ReplayedTrace::pass(const TraceEvent& answer, bool is_kept) {
  if (is_kept) {
    again_.insert(answer.id);
  } else {
    sink_->on_event(answer);
    again_.erase(answer.id);
  }
}

bool ReplayingEngine::submit(const MemRequest& request) {
  const bool faulted = faulted_.contains(request.addr / kLineBytes);
  if (!faulted && !inner_->submit(request)) {
    refused_ = true;
    return false;
  }
  remember(request);
  if (faulted) keep(sent_.at(request.id));
  return true;
}

void ReplayingEngine::remember(const MemRequest& request) {
  sent_[request.id] = {request, next_number_++, !inner_->outage()->recovered()};
}

void ReplayingEngine::keep(const Sent& sent) {
  kept_[sent.number] = sent.request.id;
  ++faulted_[sent.request.addr / kLineBytes];
}

bool ReplayingEngine::is_kept(const Sent& sent, const MemResponse& response) const {
  if (sent.again) return false;
  if (faulted_.contains(sent.request.addr / kLineBytes)) return true;
  return response.error && sent.old && is_behind_(sent.request.addr);
}

void ReplayingEngine::collect() {
  while (const auto response = inner_->take()) {
    const auto at = sent_.find(response->id);
    if (at == sent_.end()) {  // nobody asked: the initiator's checks see it
      answers_.push_back(*response);
      continue;
    }
    const Sent& sent = at->second;
    const bool kept = is_kept(sent, *response);
    trace_.settle(response->id, kept);
    if (kept) {
      keep(sent);
      continue;
    }
    if (sent.again) {
      const auto line = faulted_.find(sent.request.addr / kLineBytes);
      if (--line->second == 0) faulted_.erase(line);
    }
    answers_.push_back(*response);
    sent_.erase(at);
  }
}

void ReplayingEngine::issue_kept() {
  while (can_issue()) {
    Sent& sent = sent_.at(kept_.begin()->second);
    if (!inner_->submit(sent.request)) return;
    sent.again = true;
    ++(sent.request.is_write ? replayed_writes_ : replayed_reads_);
    kept_.erase(kept_.begin());
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
    issue_kept();
    const Time until = can_issue() ? std::min(t, inner_->now() + kCycle) : t;
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
  return &report_;
}

}  // namespace cxlgpu
