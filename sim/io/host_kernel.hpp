// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The host's kernel as direct I/O sees it: files, a process's address space, pread and pwrite.
//
// Purpose: what each of the stacks stands on. An I/O is a system call, then the file system and the
//          block layer, then the drive; nvidia-fs enters below the system call.
// Shapes:  a file is a run of pages of the device. Addresses are the process's.
// Timing:  KernelCosts, then the device. The thread that submits is busy until the device has it.
// Errors:  calls return what they moved, or -errno as the system call itself does: -EBADF, a file
//          that is not open, or not for that; -EINVAL, address, size or offset of direct I/O that
//          are no multiples of 4 KiB; -EFAULT, an address that is not mapped. An I/O ends at the
//          end of the file, and moves at most kMostBytes.
// Source:  pread(2), open(2), io_uring(7); configs/host/io.yaml.
#pragma once

#include <cerrno>
#include <cstdint>
#include <vector>

#include "sim/io/byte_map.hpp"
#include "sim/io/host.hpp"
#include "sim/io/io_config.hpp"

namespace cxlgpu {

struct IoFile {
  std::uint64_t base = 0, bytes = 0;  // of the device; base in whole pages
  bool writable = true, direct = true;
};

// Of the kernel: an I/O whose file, memory and place have been looked at.
struct KernelIo {
  bool is_write = false;
  std::uint64_t address = 0;  // of the device
  ByteMap::Bytes memory;
};

class HostKernel {
 public:
  static constexpr std::uint64_t kMostBytes = 0x7ffff000;  // MAX_RW_COUNT
  static constexpr std::uint64_t kAlignment = 4096;

  HostKernel(Host& host, const KernelCosts& costs) : host_(host), costs_(costs) {}

  // open(2) and close(2) of a file that the device has; not timed.
  int open(const IoFile& file);
  int close(int fd);
  // Null: not open.
  [[nodiscard]] const IoFile* file(int fd) const;
  // What direct I/O is made of, or -errno. 0 bytes to move: the end of the file.
  struct Checked {
    int error = 0;
    KernelIo io;
  };
  [[nodiscard]] Checked check(int fd, bool is_write, std::uint64_t buffer, std::uint64_t bytes,
                              std::uint64_t offset) const;
  // The same of memory that is known, which no address of the process stands for.
  [[nodiscard]] Checked check(int fd, bool is_write, ByteMap::Bytes memory,
                              std::uint64_t offset) const;

  Task<std::int64_t> pread(int fd, std::uint64_t buffer, std::uint64_t bytes,
                           std::uint64_t offset) {
    return call(fd, false, buffer, bytes, offset);
  }
  Task<std::int64_t> pwrite(int fd, std::uint64_t buffer, std::uint64_t bytes,
                            std::uint64_t offset) {
    return call(fd, true, buffer, bytes, offset);
  }
  Task<Done> enter() {
    co_await host_.work(IoStep::Syscall, Time{costs_.syscall_ps});
    co_return Done{};
  }
  // Below the system call, up to the device; `tag` comes to `to`, then land() takes the bytes.
  Task<Done> submit(KernelIo io, Host::Completions& to, std::uint64_t tag);
  void land(const KernelIo& io);
  // All of it.
  Task<Done> transfer(KernelIo io);

  [[nodiscard]] ByteMap& memory() { return memory_; }
  [[nodiscard]] Host& host() { return host_; }

 private:
  Task<std::int64_t> call(int fd, bool is_write, std::uint64_t buffer, std::uint64_t bytes,
                          std::uint64_t offset);

  Host& host_;
  KernelCosts costs_;
  ByteMap memory_{0x100000000000, 4096};
  struct Entry {
    IoFile file;
    bool is_open = false;
  };
  std::vector<Entry> files_;
};

}  // namespace cxlgpu
