// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/paging/storage_path.hpp"

#include <algorithm>
#include <cassert>

namespace cxlgpu {

void StoragePath::start(bool is_write, std::vector<StorageRequest> requests, Time now) {
  assert(ended_ == requests_.size() && !requests.empty());
  is_write_ = is_write;
  requests_ = std::move(requests);
  states_.assign(requests_.size(), {});
  begun_ = ended_ = 0;
  for (unsigned i = 0; i < costs_.threads && begun_ < requests_.size(); ++i) begin_next(now);
}

void StoragePath::begin_next(Time now) {
  ++stats_.requests;
  stats_.registering += costs_.registration + costs_.deregistration;
  events_.push(now + costs_.registration, {Step::Registered, begun_++});
}

bool StoragePath::advance(Time now) {
  if (ended_ == requests_.size()) return false;
  for (bool moved = true; moved;) {
    moved = false;
    for (; events_.next() <= now; moved = true) step(events_.pop(), now);
    drives_.advance(now);
    while (const auto request = drives_.take()) {
      part_done(*request, now);
      moved = true;
    }
  }
  return ended_ == requests_.size();
}

void StoragePath::step(const Due& due, Time now) {
  const StorageRequest& request = requests_[due.request];
  State& state = states_[due.request];
  switch (due.step) {
    case Step::Registered:
      stats_.software += costs_.software;
      events_.push(now + costs_.software, {Step::Issue, due.request});
      break;
    case Step::Issue: {
      DriveIo io;
      io.token = due.request;
      io.is_write = is_write_;
      io.address = request.address + state.sent;
      io.bytes = std::min(costs_.max_io_bytes, request.bytes - state.sent);
      if (is_write_) io.data = request.data.data() + state.sent;
      ++stats_.ios;
      (is_write_ ? stats_.bytes_written : stats_.bytes_read) += io.bytes;
      state.sent += io.bytes;
      state.issued = now;
      state.parts_left = drives_.submit(io, now);
      break;
    }
    case Step::Deregistered:
      ++ended_;
      if (begun_ < requests_.size()) begin_next(now);
      break;
  }
}

void StoragePath::part_done(std::uint32_t index, Time now) {
  State& state = states_[index];
  if (--state.parts_left > 0) return;
  stats_.drive += now - state.issued;
  if (state.sent < requests_[index].bytes) {
    step({Step::Registered, index}, now);
  } else {
    events_.push(now + costs_.deregistration, {Step::Deregistered, index});
  }
}

}  // namespace cxlgpu
