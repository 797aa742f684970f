// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Host memory behind unified virtual memory.
//
// Purpose: pages come out of host memory over the GPU's link and go back into it.
// Timing:  a move takes what GpuLink says. With drives behind it, whose file the data is: blocks of
//          `readahead_bytes` that host memory does not have yet are read first, each a page fault
//          of the host, one after the other. Host memory has room for all, and keeps what it has.
// Errors:  preconditions are asserted.
#pragma once

#include <optional>
#include <vector>

#include "sim/host/scoreboard.hpp"
#include "sim/paging/gpu_link.hpp"
#include "sim/paging/page_store.hpp"
#include "sim/paging/storage_path.hpp"

namespace cxlgpu {

class HostStore : public PageStore {
 public:
  // `drives`: null if all data is in host memory from the start; else outlives the store.
  HostStore(const PcieConfig& pcie, const HostFillConfig& fill, std::uint64_t bytes,
            StripedDrives* drives);

  void begin_in(std::span<const std::uint64_t> pages, Time now) override;
  void begin_out(std::span<const PageOut> pages, Time now) override;
  [[nodiscard]] Time next_event() const override;
  bool advance(Time now) override;
  [[nodiscard]] StoreStats stats() const override;
  void poke(std::uint64_t address, std::span<const std::uint8_t> bytes) override;
  void peek(std::uint64_t address, std::span<std::uint8_t> bytes) const override;

 private:
  [[nodiscard]] bool there(std::uint64_t address) const {
    return drives_ == nullptr || in_memory_[address / block_bytes_];
  }
  void copy(const GpuLink::Copy& copy, Time now);

  GpuLink link_;
  std::uint64_t bytes_, block_bytes_;
  StripedDrives* drives_;
  std::optional<StoragePath> path_;
  FlatMemory memory_;
  std::vector<bool> in_memory_;         // by block; with drives
  std::vector<std::uint64_t> reading_;  // blocks
  GpuLink::Copy after_reading_;
  Time began_, copied_ = Time::never();
  StoreStats stats_;
};

}  // namespace cxlgpu
