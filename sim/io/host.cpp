// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/host.hpp"

#include <algorithm>
#include <cassert>

namespace cxlgpu {

HostThread Host::watched(HostThread thread) {
  try {
    co_await thread;
  } catch (...) {
    failed_ = std::current_exception();
  }
  --running_;
  co_return Done{};
}

void Host::start(HostThread thread) {
  threads_.remove_if([](const HostThread& one) { return one.done(); });
  threads_.push_back(watched(std::move(thread)));
  ++running_;
  wake(threads_.back().handle());
}

void Host::advance(Time now) {
  for (Time next = next_event(); next <= now; next = next_event()) {
    now_ = std::max(now_, next);
    device_.advance(now_);
    while (const auto token = device_.take()) part_done(*token);
    while (events_.next() <= now_) events_.pop().resume();
    if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
  }
}

void Host::submit(DriveIo io, Completions& to, std::uint64_t tag) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(under_.size()));
    under_.emplace_back();
  }
  io.token = free_.back();
  free_.pop_back();
  under_[io.token] = {&to, tag, 0, now_};
  under_[io.token].parts_left = device_.submit(io, now_);
}

void Host::part_done(std::uint32_t token) {
  Under& under = under_[token];
  if (--under.parts_left > 0) return;
  steps_.add(IoStep::Transfer, now_ - under.since);
  under.to->done.push_back(under.tag);
  if (under.to->waiter) wake(std::exchange(under.to->waiter, nullptr));
  free_.push_back(token);
}

void Meeting::arrive() {
  assert(left_ > 0);
  if (--left_ > 0) return;
  for (const std::coroutine_handle<> waiter : waiting_) host_.wake(waiter);
  waiting_.clear();
}

// The next has it from now on, so that nobody comes between.
void HostLock::release() {
  assert(taken_);
  if (waiting_.empty()) {
    taken_ = false;
    return;
  }
  host_.wake(waiting_.front());
  waiting_.pop_front();
}

}  // namespace cxlgpu
