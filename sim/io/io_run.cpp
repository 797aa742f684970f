// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/io_run.hpp"

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

IoRun::IoRun(const IoRunParams& params) : params_(params) {
  std::unique_ptr<IoPlan> plan = params_.plan ? params_.plan() : make_equal_ios(params_.work);
  drives_ = std::make_unique<StripedDrives>(
      params_.part,
      (plan->file_bytes() + HostKernel::kAlignment - 1) & ~(HostKernel::kAlignment - 1),
      params_.host.drives, params_.pcie.stripe_bytes, bare(params_.interface),
      params_.pcie.queue_depth);
  if (params_.host.network.remote == IoRemote::None) {
    device_ = std::make_unique<LocalDrives>(*drives_);
  } else {
    device_ =
        std::make_unique<RemoteDrives>(*drives_, params_.host.network, server_time(params_.host));
  }
  host_ = std::make_unique<Host>(*device_);
  kernel_ = std::make_unique<HostKernel>(*host_, params_.host.kernel);
  gpu_ = std::make_unique<DeviceMemory>(*host_, Time{params_.host.malloc_ps},
                                        Time{params_.host.free_ps});
  stack_ =
      make_stack(params_.stack, params_.work.mode, {*kernel_, *gpu_, params_.host, params_.pcie});
  job_ = std::make_unique<IoJob>(*kernel_, *gpu_, *stack_, params_.work, std::move(plan));
}

void IoRun::begin() {
  job_->fill(*device_);
  host_->start(job_->run());
}

}  // namespace cxlgpu
