// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// io_uring: many I/Os for one system call, all in flight.
//
// Timing:  submit() is one system call, in which the thread takes each I/O through file system and
//          block layer; wait_cqe() is one if nothing is done yet.
// Errors:  prep() false: the submission queue is full. A completion's `res` is bytes or -errno, as
//          of pread; an I/O that fails its checks completes at once, after those before it.
// Source:  io_uring(7), io_uring_enter(2).
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "sim/io/host_kernel.hpp"

namespace cxlgpu {

struct IoUringSqe {
  bool is_write = false;
  int fd = -1;
  std::uint64_t buffer = 0, bytes = 0, offset = 0, user_data = 0;
};

struct IoUringCqe {
  std::uint64_t user_data = 0;
  std::int64_t res = 0;
};

class IoUring {
 public:
  IoUring(HostKernel& kernel, std::size_t entries) : kernel_(kernel), entries_(entries) {}
  IoUring(const IoUring&) = delete;
  IoUring& operator=(const IoUring&) = delete;

  bool prep(const IoUringSqe& sqe);
  // How many it took.
  Task<int> submit();
  // Precondition: one has been submitted that was not waited for.
  Task<IoUringCqe> wait_cqe();

 private:
  struct Under {
    IoUringCqe cqe;
    KernelIo io;
  };
  HostKernel& kernel_;
  std::size_t entries_;
  std::vector<IoUringSqe> queue_;
  std::unordered_map<std::uint64_t, Under> under_;  // by tag
  std::uint64_t tags_ = 0;
  Host::Completions completions_;
};

}  // namespace cxlgpu
