// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Drives that read into GPU memory and write out of it themselves (gds, phoenix).
//
// Timing:  pages that follow each other are one request of a StoragePath. The GPU's own link, which
//          is wider than the drives' together, costs nothing more.
// Errors:  preconditions are asserted.
#pragma once

#include "sim/paging/page_store.hpp"
#include "sim/paging/paging_config.hpp"
#include "sim/paging/storage_path.hpp"

namespace cxlgpu {

class DriveStore : public PageStore {
 public:
  // `drives` outlives the store.
  DriveStore(const DirectIoConfig& io, StripedDrives& drives);

  void begin_in(std::span<const std::uint64_t> pages, Time now) override;
  void begin_out(std::span<const PageOut> pages, Time now) override;
  [[nodiscard]] Time next_event() const override {
    return moving_ ? path_.next_event() : Time::never();
  }
  bool advance(Time now) override;
  [[nodiscard]] StoreStats stats() const override;
  void poke(std::uint64_t address, std::span<const std::uint8_t> bytes) override {
    drives_.poke(address, bytes);
  }
  void peek(std::uint64_t address, std::span<std::uint8_t> bytes) const override {
    drives_.peek(address, bytes);
  }

 private:
  StripedDrives& drives_;
  StoragePath path_;
  bool moving_ = false;
  Time began_, storage_;
};

}  // namespace cxlgpu
