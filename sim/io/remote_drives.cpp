// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/remote_drives.hpp"

#include <algorithm>

namespace cxlgpu {

Time RemoteDrives::cross(Time at, std::uint64_t bytes, Time& free) const {
  free = std::max(at, free) +
         Time{static_cast<std::uint64_t>(static_cast<double>(bytes) * 1000 / network_.gb_s)};
  return free;
}

std::uint32_t RemoteDrives::submit(const DriveIo& io, Time now) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(under_.size()));
    under_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  under_[index] = {io, 0};
  const Time sent = io.is_write ? cross(now, io.bytes, to_server_free_) : now;
  events_.push(sent + half() + server_, {true, index});
  return 1;
}

void RemoteDrives::advance(Time now) {
  for (bool moved = true; moved;) {
    moved = false;
    for (; events_.next() <= now; moved = true) {
      const Due due = events_.pop();
      Under& under = under_[due.index];
      if (due.at_drives) {
        DriveIo io = under.io;
        io.token = due.index;
        under.parts_left = drives_.submit(io, now);
      } else {
        finished_.push_back(under.io.token);
        free_.push_back(due.index);
      }
    }
    drives_.advance(now);
    while (const auto index = drives_.take()) {
      moved = true;
      Under& under = under_[*index];
      if (--under.parts_left > 0) continue;
      const Time sent = under.io.is_write ? now : cross(now, under.io.bytes, from_server_free_);
      events_.push(sent + half(), {false, *index});
    }
  }
}

std::optional<std::uint32_t> RemoteDrives::take() {
  if (finished_.empty()) return std::nullopt;
  const std::uint32_t token = finished_.front();
  finished_.pop_front();
  return token;
}

}  // namespace cxlgpu
