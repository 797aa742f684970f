// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/io_system.hpp"

#include <cassert>

#include "sim/io/remote_drives.hpp"

namespace cxlgpu {

namespace {

// Without the software of a read(), which the host has as steps of its own.
HostInterface bare(HostInterface interface) {
  interface.before_read = interface.before_read - interface.submit;
  interface.before_write = interface.before_write - interface.submit;
  return interface;
}

// Of a server for each I/O: block layer, and what gives out files has a file system too.
Time server_time(const IoHostConfig& host) {
  return Time{host.kernel.block_ps +
              (host.network.remote == IoRemote::Nfs ? host.kernel.file_system_ps : 0)};
}

std::unique_ptr<IoStack> make_stack(MemoryKind kind, IoMode mode, const IoStackParts& parts) {
  if (kind == MemoryKind::Posix && mode == IoMode::Mmap) return make_mmap_stack(parts);
  switch (kind) {
    case MemoryKind::Gds:
      return make_gds_stack(parts);
    case MemoryKind::Posix:
      return make_posix_stack(parts);
    default:
      assert(kind == MemoryKind::Phoenix);
      return make_phoenix_stack(parts);
  }
}

}  // namespace

IoSystem::IoSystem(const IoRunParams& params, std::uint64_t file_bytes)
    : config_(params.host), pcie_(params.pcie) {
  drives_ = std::make_unique<StripedDrives>(
      params.part, (file_bytes + HostKernel::kAlignment - 1) & ~(HostKernel::kAlignment - 1),
      config_.drives, pcie_.stripe_bytes, bare(params.interface), pcie_.queue_depth);
  if (config_.network.remote == IoRemote::None) {
    device_ = std::make_unique<LocalDrives>(*drives_);
  } else {
    device_ = std::make_unique<RemoteDrives>(*drives_, config_.network, server_time(config_));
  }
  host_ = std::make_unique<Host>(*device_);
  kernel_ = std::make_unique<HostKernel>(*host_, config_.kernel);
  gpu_ = std::make_unique<DeviceMemory>(*host_, Time{config_.malloc_ps}, Time{config_.free_ps});
  stack_ = make_stack(params.stack, params.work.mode, {*kernel_, *gpu_, config_, pcie_});
}

}  // namespace cxlgpu
