// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A way for a program of the host to move bytes between files and GPU memory.
//
// Purpose: what a program does step by step, the same for Phoenix, GPUDirect Storage and plain
//          reads with a copy, each by the calls that it publishes.
// Shapes:  a piece is one I/O between a file and a buffer's first bytes. Group calls return when
//          all their pieces are done.
// Errors:  0 or the call's own error; a piece's `result` is bytes or the negative error.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/io/device_memory.hpp"
#include "sim/io/host_kernel.hpp"
#include "sim/io/io_config.hpp"
#include "sim/paging/paging_config.hpp"

namespace cxlgpu {

struct IoBuffer {
  std::uint64_t device = 0, bytes = 0;
  std::vector<std::uint64_t> mapped;  // of the process, by the stack
};

struct IoPiece {
  IoBuffer* buffer = nullptr;
  bool is_write = false;
  std::uint64_t bytes = 0, offset = 0;  // of the file
  std::int64_t result = 0;
};

class IoStack {
 public:
  virtual ~IoStack() = default;

  virtual Task<int> open() = 0;
  virtual Task<int> open_file(int fd) = 0;
  virtual Task<int> add(IoBuffer& buffer) = 0;
  virtual Task<int> remove(IoBuffer& buffer) = 0;
  virtual Task<int> close_file() = 0;
  virtual Task<int> close() = 0;
  // What buffers are made of.
  [[nodiscard]] virtual std::uint64_t granule() const { return HostKernel::kAlignment; }

  // Null: the stack has it; else why it has not, to end a sentence.
  [[nodiscard]] virtual const char* without(IoMode) const { return nullptr; }
  virtual Task<Done> sync(IoPiece& piece) = 0;
  // Precondition: without(mode) is null, and it is not Sync.
  virtual Task<Done> group(IoMode mode, std::span<IoPiece> pieces) = 0;
};

// By its configuration's name. What is given outlives the stack.
struct IoStackParts {
  HostKernel& kernel;
  DeviceMemory& gpu;
  const IoHostConfig& config;
  const PcieConfig& pcie;  // posix copies over it
};
std::unique_ptr<IoStack> make_phoenix_stack(const IoStackParts& parts);
std::unique_ptr<IoStack> make_gds_stack(const IoStackParts& parts);
std::unique_ptr<IoStack> make_posix_stack(const IoStackParts& parts);
// posix by a mapped file: of mode Mmap, which the others have not.
std::unique_ptr<IoStack> make_mmap_stack(const IoStackParts& parts);

}  // namespace cxlgpu
