// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// libPhoenix: the four calls that map GPU memory into a process, after which plain pread, pwrite
// and io_uring reach it.
//
// Shapes:  `addr` is of GPU memory, at a multiple of page_bytes, `len` a multiple of it;
//          `target_addr` has room for an address for each mapping_bytes of it, begun or whole.
// Timing:  PhoenixCosts; registration by mapping, not by I/O.
// Errors:  -ENODEV: no such device, from phxfs_open. -EINVAL from phxfs_regmem: the device is not
//          open, no bytes, no room in target_addr, not aligned, no GPU memory there, or in part of
//          another registration; the same one again is counted. phxfs_deregmem and phxfs_close
//          return -1: not registered so, not open. Opens are counted; the last close unmaps all.
// Source:  Phoenix (SC '25), listing 1 and section 5; github.com/xPU-IO/Phoenix, doc/libphoenix.md.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "sim/io/device_memory.hpp"
#include "sim/io/host_kernel.hpp"
#include "sim/io/io_config.hpp"

namespace cxlgpu {

class Phxfs {
 public:
  Phxfs(HostKernel& kernel, DeviceMemory& gpu, const PhoenixCosts& costs)
      : kernel_(kernel), gpu_(gpu), costs_(costs) {}

  Task<int> phxfs_open(int device_id);
  Task<int> phxfs_close(int device_id);
  Task<int> phxfs_regmem(int device_id, std::uint64_t addr, std::uint64_t len,
                         std::span<std::uint64_t> target_addr);
  Task<int> phxfs_deregmem(int device_id, std::uint64_t addr, std::uint64_t len);

 private:
  struct Registration {
    std::uint64_t bytes = 0;
    std::vector<std::uint64_t> mappings;
    unsigned references = 1;
  };
  static constexpr int kDevice = 0;  // the machine has one GPU

  [[nodiscard]] bool overlaps(std::uint64_t addr, std::uint64_t len) const;

  HostKernel& kernel_;
  DeviceMemory& gpu_;
  PhoenixCosts costs_;
  unsigned opens_ = 0;
  std::map<std::uint64_t, Registration> registered_;  // by address
};

}  // namespace cxlgpu
