// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/multipath/flow_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cxlgpu {

namespace {

constexpr double kPerPs = 1e-3;     // GB/s in bytes a picosecond
constexpr double kFarthest = 9e18;  // picoseconds, within Time

}  // namespace

FlowNetwork::LinkId FlowNetwork::add_link(double gb_s) {
  links_.push_back({gb_s * kPerPs, 0});
  return static_cast<LinkId>(links_.size() - 1);
}

FlowNetwork::FlowId FlowNetwork::start(std::vector<LinkId> over, double bytes, double most_gb_s,
                                       std::function<void()> ended) {
  Flow flow;
  flow.over = std::move(over);
  flow.left = bytes;
  flow.most = most_gb_s * kPerPs;
  flow.ended = std::move(ended);
  flows_.emplace(next_, std::move(flow));
  shared_ = false;
  return next_++;
}

bool FlowNetwork::stop(FlowId flow) {
  shared_ = false;
  return flows_.erase(flow) == 1;
}

// The link, or the flow's own most, that leaves least is full first; what it limits is settled, and
// the rest shares what is left of the other links.
void FlowNetwork::share() const {
  if (shared_) return;
  shared_ = true;
  std::vector<double> room(links_.size());
  std::vector<unsigned> users(links_.size(), 0);
  for (std::size_t i = 0; i < links_.size(); ++i) room[i] = links_[i].rate;
  std::vector<Flow*> open;
  for (auto& [id, flow] : flows_) {
    open.push_back(&flow);
    for (const LinkId link : flow.over) ++users[link];
  }
  while (!open.empty()) {
    double least = kNoLimit;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (users[i] != 0) least = std::min(least, room[i] / users[i]);
    }
    double most = kNoLimit;
    for (const Flow* flow : open) most = std::min(most, flow->most);
    const double rate = std::min(least, most);
    std::vector<bool> full(links_.size(), false);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      full[i] = users[i] != 0 && room[i] / users[i] <= rate;
    }
    std::erase_if(open, [&](Flow* flow) {
      const bool limited =
          flow->most <= rate || std::any_of(flow->over.begin(), flow->over.end(),
                                            [&](LinkId link) { return full[link]; });
      if (!limited) return false;
      flow->rate = rate;
      for (const LinkId link : flow->over) {
        room[link] = std::max(0.0, room[link] - rate);
        --users[link];
      }
      return true;
    });
  }
  for (auto& [id, flow] : flows_) {
    const double takes = flow.rate > 0 ? std::ceil(flow.left / flow.rate) : kFarthest;
    flow.end = takes < kFarthest ? now_ + Time{static_cast<std::uint64_t>(takes)} : Time::never();
  }
}

Time FlowNetwork::next_event() const {
  share();
  Time next = Time::never();
  for (const auto& [id, flow] : flows_) next = std::min(next, flow.end);
  return next;
}

void FlowNetwork::settle(Time now) {
  share();
  const auto passed = static_cast<double>((now - now_).ps);
  for (auto& [id, flow] : flows_) {
    const double bytes = std::min(flow.left, flow.rate * passed);
    flow.left -= bytes;
    flow.moved += bytes;
    for (const LinkId link : flow.over) links_[link].carried += bytes;
  }
  now_ = now;
}

void FlowNetwork::advance(Time now) {
  settle(now);
  std::vector<std::function<void()>> ended;
  for (auto at = flows_.begin(); at != flows_.end();) {
    if (at->second.end > now) {
      ++at;
      continue;
    }
    ended.push_back(std::move(at->second.ended));
    at = flows_.erase(at);
    shared_ = false;
  }
  for (const auto& call : ended) call();
}

double FlowNetwork::rate(FlowId flow) const {
  share();
  const auto at = flows_.find(flow);
  return at == flows_.end() ? 0 : at->second.rate / kPerPs;
}

double FlowNetwork::carried(LinkId link) const {
  return links_[link].carried;
}

double FlowNetwork::moved(FlowId flow) const {
  const auto at = flows_.find(flow);
  return at == flows_.end() ? 0 : at->second.moved;
}

}  // namespace cxlgpu
