// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which I/Os the threads of a program do, group by group.
//
// Purpose: what workloads of one file differ in; how a group is done and checked is IoJob's.
// Rules:   next() of a thread gives its groups in their order, then empty ones. An I/O has no more
//          bytes than its buffer, and the I/Os of a group have buffers of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/io/io_config.hpp"

namespace cxlgpu {

struct IoSpan {
  std::uint64_t offset = 0, bytes = 0;  // of the file
  std::size_t buffer = 0;               // of the thread
};

class IoPlan {
 public:
  virtual ~IoPlan() = default;

  [[nodiscard]] virtual std::uint64_t file_bytes() const = 0;  // whole or not
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;       // of all I/Os
  [[nodiscard]] virtual std::uint64_t ios() const = 0;
  [[nodiscard]] virtual unsigned threads() const = 0;
  // Of each thread; bytes.
  [[nodiscard]] virtual std::vector<std::uint64_t> buffers() const = 0;
  virtual void next(unsigned thread, std::vector<IoSpan>& group) = 0;
};

// Workload io: thread t of n has I/Os [t, t + 1) of n equal parts of the file, in order or
// scattered. Precondition: work.count is at least work.threads, and below 2^32.
std::unique_ptr<IoPlan> make_equal_ios(const IoWork& work);

}  // namespace cxlgpu
