// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/host_kernel.hpp"

#include <algorithm>
#include <cassert>

namespace cxlgpu {

namespace {

constexpr int kFirstFd = 3;  // behind standard input, output and error

// What of an I/O the file has.
std::uint64_t within(const IoFile& file, std::uint64_t offset, std::uint64_t bytes) {
  if (offset >= file.bytes) return 0;
  return std::min({bytes, file.bytes - offset, HostKernel::kMostBytes});
}

bool aligned(std::uint64_t value) {
  return value % HostKernel::kAlignment == 0;
}

}  // namespace

int HostKernel::open(const IoFile& file) {
  assert(aligned(file.base) && aligned(file.bytes));
  files_.push_back({file, true});
  return static_cast<int>(files_.size()) - 1 + kFirstFd;
}

int HostKernel::close(int fd) {
  if (file(fd) == nullptr) return -EBADF;
  files_[static_cast<std::size_t>(fd - kFirstFd)].is_open = false;
  return 0;
}

const IoFile* HostKernel::file(int fd) const {
  if (fd < kFirstFd) return nullptr;
  const auto at = static_cast<std::size_t>(fd - kFirstFd);
  return at < files_.size() && files_[at].is_open ? &files_[at].file : nullptr;
}

HostKernel::Checked HostKernel::check(int fd, bool is_write, std::uint64_t buffer,
                                      std::uint64_t bytes, std::uint64_t offset) const {
  const IoFile* open = file(fd);
  if (open == nullptr || (is_write && !open->writable)) return {-EBADF, {}};
  if (!aligned(buffer) || !aligned(bytes) || !aligned(offset)) return {-EINVAL, {}};
  const auto memory = memory_.find(buffer, bytes);
  if (!memory) return {-EFAULT, {}};
  return check(fd, is_write, *memory, offset);
}

HostKernel::Checked HostKernel::check(int fd, bool is_write, ByteMap::Bytes memory,
                                      std::uint64_t offset) const {
  const IoFile* open = file(fd);
  if (open == nullptr || (is_write && !open->writable)) return {-EBADF, {}};
  if (!aligned(memory.size()) || !aligned(offset)) return {-EINVAL, {}};
  const std::uint64_t bytes = within(*open, offset, memory.size());
  return {0, {is_write, open->base + offset, memory.first(bytes)}};
}

Task<Done> HostKernel::submit(KernelIo io, Host::Completions& to, std::uint64_t tag) {
  co_await host_.work(IoStep::FileSystem, Time{costs_.file_system_ps});
  co_await host_.work(IoStep::BlockLayer, Time{costs_.block_ps});
  DriveIo drive;
  drive.is_write = io.is_write;
  drive.address = io.address;
  drive.bytes = io.memory.size();
  if (io.is_write) drive.data = io.memory.data();
  host_.submit(drive, to, tag);
  co_return Done{};
}

void HostKernel::land(const KernelIo& io) {
  if (!io.is_write) host_.device().peek(io.address, io.memory);
}

Task<Done> HostKernel::transfer(KernelIo io) {
  Host::Completions own;
  co_await submit(io, own, 0);
  co_await Host::next(own);
  land(io);
  co_return Done{};
}

Task<std::int64_t> HostKernel::call(int fd, bool is_write, std::uint64_t buffer,
                                    std::uint64_t bytes, std::uint64_t offset) {
  co_await enter();
  const Checked checked = check(fd, is_write, buffer, bytes, offset);
  if (checked.error != 0) co_return checked.error;
  if (checked.io.memory.empty()) co_return 0;
  co_await transfer(checked.io);
  co_return static_cast<std::int64_t>(checked.io.memory.size());
}

}  // namespace cxlgpu
