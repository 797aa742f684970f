// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Time of a host with several GPUs: what is due, and the links.
//
// Order:   of what is due at one time, flows that have ended come first, then events as they were
//          put in.
// Rules:   next_event() and advance() as of a part; everything runs from within advance() alone.
//          Whoever watches is told of each write of memory, once it is whole.
// Errors:  none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "common/time.hpp"
#include "sim/media/event_queue.hpp"
#include "sim/multipath/flow_network.hpp"
#include "sim/multipath/topology.hpp"

namespace cxlgpu {

class CopyHost {
 public:
  using Event = std::function<void()>;

  explicit CopyHost(const MultipathConfig& config) : topology_(config, network_) {}
  CopyHost(const CopyHost&) = delete;
  CopyHost& operator=(const CopyHost&) = delete;

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] FlowNetwork& network() { return network_; }
  [[nodiscard]] const FlowNetwork& network() const { return network_; }
  [[nodiscard]] const Topology& topology() const { return topology_; }

  // That long from now.
  void after(Time wait, Event event);
  void watch(std::function<void(std::span<const std::uint8_t>)> watcher) {
    watcher_ = std::move(watcher);
  }
  void written(std::span<const std::uint8_t> memory) const {
    if (watcher_) watcher_(memory);
  }
  [[nodiscard]] Time next_event() const { return std::min(due_.next(), network_.next_event()); }
  void advance(Time now);

 private:
  FlowNetwork network_;
  Topology topology_;
  Time now_;
  EventQueue<std::uint32_t> due_;  // of events_
  std::vector<Event> events_;
  std::vector<std::uint32_t> free_;
  std::function<void(std::span<const std::uint8_t>)> watcher_;
};

}  // namespace cxlgpu
