// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/paging/striped_drives.hpp"

#include <algorithm>
#include <cassert>

namespace cxlgpu {

StripedDrives::StripedDrives(const MediaConfig& part, std::uint64_t capacity, unsigned drives,
                             std::uint64_t stripe_bytes, const HostInterface& host, unsigned depth)
    : stripe_bytes_(stripe_bytes) {
  const std::uint64_t row = stripe_bytes * drives;
  const std::uint64_t each = (capacity + row - 1) / row * stripe_bytes;
  for (unsigned i = 0; i < drives; ++i) {
    drives_.push_back(std::make_unique<Drive>(part, each, host, depth));
  }
}

StripedDrives::Place StripedDrives::place(std::uint64_t address) const {
  const std::uint64_t stripe = address / stripe_bytes_, within = address % stripe_bytes_;
  return {stripe % drives_.size(), stripe / drives_.size() * stripe_bytes_ + within,
          stripe_bytes_ - within};
}

std::uint32_t StripedDrives::submit(const DriveIo& io, Time now) {
  std::uint32_t parts = 0;
  for (std::uint64_t done = 0; done < io.bytes; ++parts) {
    const Place at = place(io.address + done);
    DriveIo part = io;
    part.address = at.address;
    part.bytes = std::min(at.left, io.bytes - done);
    if (io.data != nullptr) part.data = io.data + done;
    drives_[at.drive]->submit(part, now);
    done += part.bytes;
  }
  return parts;
}

Time StripedDrives::next_event() const {
  Time next = Time::never();
  for (const auto& drive : drives_) next = std::min(next, drive->next_event());
  return next;
}

void StripedDrives::advance(Time now) {
  for (auto& drive : drives_) drive->advance(now);
}

std::optional<std::uint32_t> StripedDrives::take() {
  for (auto& drive : drives_) {
    if (const auto token = drive->take()) return token;
  }
  return std::nullopt;
}

Time StripedDrives::queued() const {
  Time all;
  for (const auto& drive : drives_) all += drive->queued();
  return all;
}

std::vector<MediaCounters> StripedDrives::counters() const {
  std::vector<MediaCounters> all;
  for (const auto& drive : drives_) all.push_back(drive->counters());
  return all;
}

void StripedDrives::poke(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const Place at = place(address);
    const std::size_t n = std::min<std::uint64_t>(at.left, bytes.size());
    drives_[at.drive]->poke(at.address, bytes.first(n));
    address += n;
    bytes = bytes.subspan(n);
  }
}

void StripedDrives::peek(std::uint64_t address, std::span<std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const Place at = place(address);
    const std::size_t n = std::min<std::uint64_t>(at.left, bytes.size());
    drives_[at.drive]->peek(at.address, bytes.first(n));
    address += n;
    bytes = bytes.subspan(n);
  }
}

}  // namespace cxlgpu
