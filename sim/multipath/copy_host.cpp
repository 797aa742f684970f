// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/multipath/copy_host.hpp"

#include <utility>

namespace cxlgpu {

void CopyHost::after(Time wait, Event event) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(events_.size()));
    events_.emplace_back();
  }
  events_[free_.back()] = std::move(event);
  due_.push(now_ + wait, free_.back());
  free_.pop_back();
}

void CopyHost::advance(Time now) {
  for (Time next = next_event(); next <= now; next = next_event()) {
    now_ = std::max(now_, next);
    network_.advance(now_);
    while (due_.next() <= now_) {
      const std::uint32_t at = due_.pop();
      const Event event = std::move(events_[at]);
      free_.push_back(at);
      event();
    }
  }
}

}  // namespace cxlgpu
