// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Links that flows share: each flow runs over some of them at the rate that all of these leave it.
//
// Purpose: what PCIe, memory and peer links carry at once, without a packet of it.
// Rules:   max-min fair: a flow has as much as any other over the link that limits it, or its own
//          most; no link carries more than its rate. Rates change when a flow begins or ends.
// Timing:  a flow of n bytes at r GB/s ends n / r ns after it began, rounded up to a picosecond.
// Order:   flows that end at one time, by when they began.
// Errors:  none.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "common/time.hpp"

namespace cxlgpu {

class FlowNetwork {
 public:
  using LinkId = std::uint32_t;
  using FlowId = std::uint64_t;
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  static constexpr double kEndless = std::numeric_limits<double>::infinity();  // bytes

  LinkId add_link(double gb_s);
  // From now on. `ended` is called from within advance(); it may start and stop flows.
  FlowId start(std::vector<LinkId> over, double bytes, double most_gb_s,
               std::function<void()> ended);
  // Takes a flow away before its end; false: there is none.
  bool stop(FlowId flow);

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] Time next_event() const;
  // Precondition: not past next_event(). Calls what has ended.
  void advance(Time now);

  [[nodiscard]] double rate(FlowId flow) const;     // GB/s
  [[nodiscard]] double carried(LinkId link) const;  // bytes so far
  [[nodiscard]] double moved(FlowId flow) const;    // bytes so far

 private:
  struct Flow {
    std::vector<LinkId> over;
    double left = 0, moved = 0, most = kNoLimit;
    std::function<void()> ended;
    double rate = 0;  // bytes a picosecond
    Time end = Time::never();
  };
  struct Link {
    double rate = 0, carried = 0;
  };
  // Gives every flow its rate, if a flow has begun or ended since.
  void share() const;
  void settle(Time now);

  std::vector<Link> links_;
  mutable std::map<FlowId, Flow> flows_;
  mutable bool shared_ = true;
  FlowId next_ = 1;
  Time now_;
};

}  // namespace cxlgpu
