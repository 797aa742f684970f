// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/paging/host_store.hpp"

#include <algorithm>
#include <cassert>

namespace cxlgpu {

namespace {

// As the kernel does it: no buffer to register, one fault after the other.
PathCosts fill_costs(const HostFillConfig& fill) {
  PathCosts costs;
  costs.software = Time{fill.page_fault_ps};
  costs.max_io_bytes = fill.readahead_bytes;
  return costs;
}

}  // namespace

HostStore::HostStore(const PcieConfig& pcie, const HostFillConfig& fill, std::uint64_t bytes,
                     StripedDrives* drives)
    : link_(pcie), bytes_(bytes), block_bytes_(fill.readahead_bytes), drives_(drives) {
  if (drives == nullptr) return;
  path_.emplace(fill_costs(fill), *drives);
  in_memory_.resize((bytes + block_bytes_ - 1) / block_bytes_);
}

void HostStore::begin_in(std::span<const std::uint64_t> pages, Time now) {
  assert(copied_ == Time::never() && reading_.empty());
  const GpuLink::Copy moves = link_.copy(
      pages, [](std::uint64_t page) { return page; }, true);
  std::vector<StorageRequest> reads;
  for (const std::uint64_t page : pages) {
    const std::uint64_t block = page * kPageBytes / block_bytes_;
    if (there(page * kPageBytes) || (!reading_.empty() && reading_.back() == block)) continue;
    reading_.push_back(block);
    const std::uint64_t from = block * block_bytes_;
    reads.push_back({from, std::min(block_bytes_, bytes_ - from), {}});
  }
  if (reads.empty()) {
    copy(moves, now);
    return;
  }
  after_reading_ = moves;
  began_ = now;
  path_->start(false, std::move(reads), now);
}

void HostStore::begin_out(std::span<const PageOut> pages, Time now) {
  assert(copied_ == Time::never() && reading_.empty());
  for (const PageOut& out : pages) {
    assert(there(out.page * kPageBytes));  // it came from there
    memory_.poke(out.page * kPageBytes, out.bytes);
  }
  copy(link_.copy(
           pages, [](const PageOut& out) { return out.page; }, false),
       now);
}

void HostStore::copy(const GpuLink::Copy& copy, Time now) {
  stats_.transfer += copy.time;
  stats_.pushes += copy.pushes;
  stats_.pushed_bytes += copy.bytes;
  copied_ = now + copy.time;
}

Time HostStore::next_event() const {
  return reading_.empty() ? copied_ : path_->next_event();
}

bool HostStore::advance(Time now) {
  if (!reading_.empty()) {
    if (!path_->advance(now)) return false;
    std::vector<std::uint8_t> bytes;
    for (const std::uint64_t block : reading_) {
      const std::uint64_t from = block * block_bytes_;
      bytes.resize(std::min(block_bytes_, bytes_ - from));
      drives_->peek(from, bytes);
      memory_.poke(from, bytes);
      in_memory_[block] = true;
    }
    reading_.clear();
    stats_.storage += now - began_;
    copy(after_reading_, now);
  }
  if (copied_ > now) return false;
  copied_ = Time::never();
  return true;
}

StoreStats HostStore::stats() const {
  StoreStats all = stats_;
  if (!path_) return all;
  const StoreStats& path = path_->stats();
  all.requests = path.requests;
  all.ios = path.ios;
  all.bytes_read = path.bytes_read;
  all.bytes_written = path.bytes_written;
  all.software = path.software;
  all.drive = path.drive;
  all.queued = drives_->queued();
  return all;
}

void HostStore::poke(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  if (drives_ == nullptr) {
    memory_.poke(address, bytes);
  } else {
    drives_->poke(address, bytes);
  }
}

void HostStore::peek(std::uint64_t address, std::span<std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const std::size_t n =
        std::min<std::uint64_t>(bytes.size(), block_bytes_ - address % block_bytes_);
    const Backdoor& from = there(address) ? static_cast<const Backdoor&>(memory_) : *drives_;
    from.peek(address, bytes.first(n));
    address += n;
    bytes = bytes.subspan(n);
  }
}

}  // namespace cxlgpu
