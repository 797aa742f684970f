// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A host with drives, GPU memory and a stack of I/O, on which a program runs.
//
// Purpose: its parts in their order of life.
// Errors:  InputError of the drives' part.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/io/io_job.hpp"
#include "sim/media/host_interface.hpp"
#include "sim/media/media_config.hpp"
#include "sim/paging/paging_config.hpp"

namespace cxlgpu {

struct IoRunParams {
  MemoryKind stack = MemoryKind::Phoenix;  // or Gds, Posix
  IoHostConfig host;
  IoWork work;
  // Which I/Os it has; empty: those of workload io.
  std::function<std::unique_ptr<IoPlan>()> plan = {};
  PcieConfig pcie;
  MediaConfig part;
  HostInterface interface;  // of a drive
};

class IoSystem {
 public:
  // Of params.work the mode; the drives hold file_bytes.
  IoSystem(const IoRunParams& params, std::uint64_t file_bytes);

  [[nodiscard]] IoDevice& device() { return *device_; }
  [[nodiscard]] Host& host() { return *host_; }
  [[nodiscard]] const Host& host() const { return *host_; }
  [[nodiscard]] HostKernel& kernel() { return *kernel_; }
  [[nodiscard]] DeviceMemory& gpu() { return *gpu_; }
  [[nodiscard]] IoStack& stack() { return *stack_; }
  [[nodiscard]] const IoStack& stack() const { return *stack_; }
  [[nodiscard]] std::vector<MediaCounters> media() const { return drives_->counters(); }

 private:
  IoHostConfig config_;
  PcieConfig pcie_;
  std::unique_ptr<StripedDrives> drives_;
  std::unique_ptr<IoDevice> device_;
  std::unique_ptr<Host> host_;
  std::unique_ptr<HostKernel> kernel_;
  std::unique_ptr<DeviceMemory> gpu_;
  std::unique_ptr<IoStack> stack_;
};

}  // namespace cxlgpu
