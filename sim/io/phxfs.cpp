// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/phxfs.hpp"

#include <algorithm>

namespace cxlgpu {

Task<int> Phxfs::phxfs_open(int device_id) {
  if (device_id != kDevice) co_return -ENODEV;
  co_await kernel_.host().work(IoStep::DriverOpen, Time{costs_.setup.open_ps});
  ++opens_;
  co_return 0;
}

Task<int> Phxfs::phxfs_close(int device_id) {
  if (device_id != kDevice || opens_ == 0) co_return -1;
  co_await kernel_.host().work(IoStep::DriverClose, Time{costs_.setup.close_ps});
  if (--opens_ > 0) co_return 0;
  for (const auto& [addr, registration] : registered_) {
    for (const std::uint64_t mapping : registration.mappings) kernel_.memory().unmap(mapping);
  }
  registered_.clear();
  co_return 0;
}

bool Phxfs::overlaps(std::uint64_t addr, std::uint64_t len) const {
  return std::any_of(registered_.begin(), registered_.end(), [&](const auto& one) {
    return addr < one.first + one.second.bytes && one.first < addr + len;
  });
}

Task<int> Phxfs::phxfs_regmem(int device_id, std::uint64_t addr, std::uint64_t len,
                              std::span<std::uint64_t> target_addr) {
  if (device_id != kDevice || opens_ == 0 || len == 0) co_return -EINVAL;
  if (addr % costs_.page_bytes != 0 || len % costs_.page_bytes != 0) co_return -EINVAL;
  const std::uint64_t mappings = (len + costs_.mapping_bytes - 1) / costs_.mapping_bytes;
  const auto memory = gpu_.find(addr, len);
  if (target_addr.size() < mappings || !memory) co_return -EINVAL;
  if (const auto same = registered_.find(addr);
      same != registered_.end() && same->second.bytes == len) {
    ++same->second.references;
    std::copy(same->second.mappings.begin(), same->second.mappings.end(), target_addr.begin());
    co_return 0;
  }
  if (overlaps(addr, len)) co_return -EINVAL;
  Registration& made = registered_[addr];
  made.bytes = len;
  for (std::uint64_t at = 0; at < len; at += costs_.mapping_bytes) {
    const std::uint64_t bytes = std::min(costs_.mapping_bytes, len - at);
    made.mappings.push_back(kernel_.memory().map(memory->subspan(at, bytes)));
  }
  std::copy(made.mappings.begin(), made.mappings.end(), target_addr.begin());
  for (std::uint64_t at = 0; at < len; at += costs_.mapping_bytes) {
    const std::uint64_t bytes = std::min(costs_.mapping_bytes, len - at);
    co_await kernel_.host().work(IoStep::Register, costs_.setup.registering(bytes));
  }
  co_return 0;
}

Task<int> Phxfs::phxfs_deregmem(int device_id, std::uint64_t addr, std::uint64_t len) {
  const auto found = registered_.find(addr);
  if (device_id != kDevice || found == registered_.end() || found->second.bytes != len) {
    co_return -1;
  }
  if (--found->second.references > 0) co_return 0;
  for (const std::uint64_t mapping : found->second.mappings) kernel_.memory().unmap(mapping);
  registered_.erase(found);
  for (std::uint64_t at = 0; at < len; at += costs_.mapping_bytes) {
    const std::uint64_t bytes = std::min(costs_.mapping_bytes, len - at);
    co_await kernel_.host().work(IoStep::Deregister, costs_.setup.deregistering(bytes));
  }
  co_return 0;
}

}  // namespace cxlgpu
