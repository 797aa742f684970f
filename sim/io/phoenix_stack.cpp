// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Phoenix: GPU memory is mapped into the process, and all I/O is the kernel's own.
//
// Source:  listings 2 and 3 of Phoenix (SC '25); async as its published benchmark, a system call
// for
//          each.
#include "sim/io/cuda_stream.hpp"
#include "sim/io/io_stack.hpp"
#include "sim/io/phxfs.hpp"
#include "sim/io/ring_group.hpp"

namespace cxlgpu {

namespace {

constexpr int kDevice = 0;

class PhoenixStack : public IoStack {
 public:
  explicit PhoenixStack(const IoStackParts& parts)
      : kernel_(parts.kernel),
        costs_(parts.config.phoenix),
        callback_{parts.config.callback_ps},
        phxfs_(parts.kernel, parts.gpu, parts.config.phoenix) {}

  Task<int> open() override { return phxfs_.phxfs_open(kDevice); }
  Task<int> open_file(int fd) override {
    fd_ = fd;
    co_return 0;
  }
  Task<int> add(IoBuffer& buffer) override {
    buffer.mapped.resize((buffer.bytes + costs_.mapping_bytes - 1) / costs_.mapping_bytes);
    return phxfs_.phxfs_regmem(kDevice, buffer.device, buffer.bytes, buffer.mapped);
  }
  Task<int> remove(IoBuffer& buffer) override {
    return phxfs_.phxfs_deregmem(kDevice, buffer.device, buffer.bytes);
  }
  Task<int> close_file() override { co_return 0; }
  Task<int> close() override { return phxfs_.phxfs_close(kDevice); }
  [[nodiscard]] std::uint64_t granule() const override { return costs_.page_bytes; }

  [[nodiscard]] const char* without(IoMode mode) const override {
    return mode == IoMode::Mmap ? "maps GPU memory, not files; use posix, or another mode"
                                : nullptr;
  }
  Task<Done> sync(IoPiece& piece) override {
    const std::uint64_t at = piece.buffer->mapped.front();
    if (piece.is_write) {
      piece.result = co_await kernel_.pwrite(fd_, at, piece.bytes, piece.offset);
    } else {
      piece.result = co_await kernel_.pread(fd_, at, piece.bytes, piece.offset);
    }
    co_return Done{};
  }
  Task<Done> group(IoMode mode, std::span<IoPiece> pieces) override {
    if (mode != IoMode::Stream) {
      co_await ring_group(kernel_, fd_, pieces, mode == IoMode::Batch, {});
      co_return Done{};
    }
    CudaStream stream(kernel_.host(), callback_);
    for (IoPiece& piece : pieces) {
      stream.cudaLaunchHostFunc([this, &piece]() { return sync(piece); });
    }
    co_await stream.cudaStreamSynchronize();
    co_return Done{};
  }

 private:
  HostKernel& kernel_;
  PhoenixCosts costs_;
  Time callback_;
  Phxfs phxfs_;
  int fd_ = -1;
};

}  // namespace

std::unique_ptr<IoStack> make_phoenix_stack(const IoStackParts& parts) {
  return std::make_unique<PhoenixStack>(parts);
}

}  // namespace cxlgpu
