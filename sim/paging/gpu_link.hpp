// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Copies over the GPU's PCIe link.
//
// Purpose: how long a set of pages takes in one direction.
// Timing:  pages of one aligned block of push_bytes go in one push: one set-up, then their bytes at
//          the measured bandwidth times lanes over measured lanes. Pushes go one after the other.
// Errors:  none.
#pragma once

#include <cstdint>

#include "common/time.hpp"
#include "sim/paging/paging_config.hpp"

namespace cxlgpu {

class GpuLink {
 public:
  struct Copy {
    Time time;
    std::uint64_t pushes = 0, bytes = 0;
  };

  explicit GpuLink(const PcieConfig& config) : config_(config) {}

  // `page_of(item)`: the pages, rising.
  template <typename Items, typename PageOf>
  [[nodiscard]] Copy copy(const Items& items, PageOf page_of, bool to_gpu) const {
    Copy all;
    std::uint64_t block = ~std::uint64_t{0};
    for (const auto& item : items) {
      const std::uint64_t its = page_of(item) * kPageBytes / config_.push_bytes;
      all.pushes += its != block;
      all.bytes += kPageBytes;
      block = its;
    }
    all.time = time(all.pushes, all.bytes, to_gpu);
    return all;
  }
  // One copy, of bytes that follow each other.
  [[nodiscard]] Time contiguous(std::uint64_t bytes, bool to_gpu) const {
    return time(1, bytes, to_gpu);
  }

 private:
  [[nodiscard]] Time time(std::uint64_t pushes, std::uint64_t bytes, bool to_gpu) const {
    const double gb_s = (to_gpu ? config_.to_gpu_gb_s : config_.from_gpu_gb_s) * config_.lanes /
                        config_.measured_lanes;
    return Time{pushes * (to_gpu ? config_.to_gpu_setup_ps : config_.from_gpu_setup_ps) +
                static_cast<std::uint64_t>(static_cast<double>(bytes) * 1000 / gb_s)};
  }

  PcieConfig config_;
};

}  // namespace cxlgpu
