// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/paging/drive_store.hpp"

#include <cassert>

namespace cxlgpu {

namespace {

PathCosts io_costs(const DirectIoConfig& io) {
  PathCosts costs;
  costs.registration = Time{io.register_ps};
  costs.software = Time{io.io_ps};
  costs.deregistration = Time{io.deregister_ps};
  costs.max_io_bytes = io.max_io_bytes;
  costs.threads = io.threads;
  return costs;
}

// The request that ends where the page begins, or a new one.
StorageRequest& request_for(std::vector<StorageRequest>& requests, std::uint64_t page) {
  const std::uint64_t at = page * kPageBytes;
  if (requests.empty() || requests.back().address + requests.back().bytes != at) {
    requests.push_back({at, 0, {}});
  }
  requests.back().bytes += kPageBytes;
  return requests.back();
}

}  // namespace

DriveStore::DriveStore(const DirectIoConfig& io, StripedDrives& drives)
    : drives_(drives), path_(io_costs(io), drives) {}

void DriveStore::begin_in(std::span<const std::uint64_t> pages, Time now) {
  assert(!moving_);
  std::vector<StorageRequest> requests;
  for (const std::uint64_t page : pages) request_for(requests, page);
  moving_ = true;
  began_ = now;
  path_.start(false, std::move(requests), now);
}

void DriveStore::begin_out(std::span<const PageOut> pages, Time now) {
  assert(!moving_);
  std::vector<StorageRequest> requests;
  for (const PageOut& out : pages) {
    std::vector<std::uint8_t>& data = request_for(requests, out.page).data;
    data.insert(data.end(), out.bytes.begin(), out.bytes.end());
  }
  moving_ = true;
  began_ = now;
  path_.start(true, std::move(requests), now);
}

bool DriveStore::advance(Time now) {
  if (!moving_ || !path_.advance(now)) return false;
  moving_ = false;
  storage_ += now - began_;
  return true;
}

StoreStats DriveStore::stats() const {
  StoreStats all = path_.stats();
  all.storage = storage_;
  all.queued = drives_.queued();
  return all;
}

}  // namespace cxlgpu
