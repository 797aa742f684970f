#include "tb/replaying_engine.hpp"

#include <algorithm>

namespace cxlgpu {

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
    if (is_kept(sent, *response)) {
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
    const Time before = inner_->now();
    inner_->advance_to(can_issue() ? std::min(t, before + kCycle) : t);
    collect();
    if (refused_ || !answers_.empty() || inner_->now() == before) break;
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
