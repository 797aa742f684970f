// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Where everything of a key-value run lies, and what is to come of it.
//
// Purpose: the one page that kernel, host and controller agree on: made by the workload when its
//          arrays are placed, read by the machine that brings the controller up.
// Shapes:  host memory is the window [host_base, host_base + kHostBytes); its first 64 KiB are the
//          host's own (admin queue, pages of Identify), then what kernels have there.
// Errors:  check() names what overlaps, in one line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/gpu/device_array.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/nvme/kv_config.hpp"
#include "sim/nvme/nvme_queue.hpp"

namespace cxlgpu::nvme {

struct KvPlan {
  static constexpr std::uint64_t kHostBytes = 4ULL << 30, kHostOwn = 64 * 1024;
  struct Value {
    Key key;
    std::vector<std::uint8_t> bytes;
  };

  std::vector<QueueRings> rings;
  std::uint64_t shadow = 0;  // doorbell words of a bridge
  FlatMemory host;           // its memory
  bool blocks = false;       // blocks, number i from i times a value's bytes on, in place of keys
  std::vector<Value> before, after;  // what the store has
  StageBook book;

  // Queues of this machine against all that is elsewhere.
  [[nodiscard]] std::optional<std::string> problem(const NvmeConfig& config,
                                                   const SystemMapParams& map) const;
};

// Takes places in the host window one after the other, each at a page.
class HostAllocator {
 public:
  explicit HostAllocator(std::uint64_t base) : next_(base + KvPlan::kHostOwn) {}
  template <typename T>
  DeviceArray<T> alloc(std::uint64_t elements) {
    const DeviceArray<T> array{next_, elements};
    next_ += (array.bytes() + kPage - 1) / kPage * kPage;
    return array;
  }

 private:
  std::uint64_t next_;
};

}  // namespace cxlgpu::nvme
