// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Plain reads and writes by a buffer in host memory, which is copied to the GPU or from it.
//
// Timing:  the buffer is pinned; a copy is one of the GPU's link, which carries one at a time.
#include <algorithm>
#include <map>

#include "sim/io/io_stack.hpp"
#include "sim/io/ring_group.hpp"
#include "sim/paging/gpu_link.hpp"

namespace cxlgpu {

namespace {

class PosixStack : public IoStack {
 public:
  explicit PosixStack(const IoStackParts& parts)
      : kernel_(parts.kernel),
        gpu_(parts.gpu),
        costs_(parts.config.posix),
        link_(parts.pcie),
        copying_(parts.kernel.host(), IoStep::LinkWait) {}

  Task<int> open() override { return step(IoStep::DriverOpen, costs_.open_ps); }
  Task<int> open_file(int fd) override {
    fd_ = fd;
    return step(IoStep::HandleOpen, costs_.handle_ps);
  }
  Task<int> add(IoBuffer& buffer) override {
    std::vector<std::uint8_t> bytes(buffer.bytes);
    buffer.mapped = {kernel_.memory().map(bytes)};
    bounce_.emplace(buffer.mapped.front(), std::move(bytes));
    return step(IoStep::Register, costs_.registering(buffer.bytes).ps);
  }
  Task<int> remove(IoBuffer& buffer) override {
    kernel_.memory().unmap(buffer.mapped.front());
    bounce_.erase(buffer.mapped.front());
    return step(IoStep::Deregister, costs_.deregistering(buffer.bytes).ps);
  }
  Task<int> close_file() override { return step(IoStep::HandleClose, costs_.handle_close_ps); }
  Task<int> close() override { return step(IoStep::DriverClose, costs_.close_ps); }

  [[nodiscard]] const char* without(IoMode mode) const override {
    return mode == IoMode::Stream
               ? "copies by CUDA, which a function in a stream must not call; use sync or batch"
               : nullptr;
  }
  Task<Done> sync(IoPiece& piece) override {
    const std::uint64_t at = piece.buffer->mapped.front();
    if (piece.is_write) {
      co_await copy(piece);
      piece.result = co_await kernel_.pwrite(fd_, at, piece.bytes, piece.offset);
    } else {
      piece.result = co_await kernel_.pread(fd_, at, piece.bytes, piece.offset);
      if (piece.result > 0) co_await copy(piece);
    }
    co_return Done{};
  }
  Task<Done> group(IoMode mode, std::span<IoPiece> pieces) override {
    if (pieces.front().is_write) {
      for (IoPiece& piece : pieces) co_await copy(piece);
    }
    co_await ring_group(kernel_, fd_, pieces, mode == IoMode::Batch,
                        [this](IoPiece& piece) { return read_done(piece); });
    co_return Done{};
  }

 private:
  Task<int> step(IoStep step, std::uint64_t ps) {
    co_await kernel_.host().work(step, Time{ps});
    co_return 0;
  }
  Task<Done> read_done(IoPiece& piece) {
    if (!piece.is_write && piece.result > 0) co_await copy(piece);
    co_return Done{};
  }
  // cudaMemcpy of all of it.
  Task<Done> copy(IoPiece& piece) {
    co_await copying_.acquire();
    co_await kernel_.host().work(IoStep::Copy, link_.contiguous(piece.bytes, !piece.is_write));
    copying_.release();
    const auto host = *kernel_.memory().find(piece.buffer->mapped.front(), piece.bytes);
    const auto device = *gpu_.find(piece.buffer->device, piece.bytes);
    if (piece.is_write) {
      std::copy(device.begin(), device.end(), host.begin());
    } else {
      std::copy(host.begin(), host.end(), device.begin());
    }
    co_return Done{};
  }

  HostKernel& kernel_;
  DeviceMemory& gpu_;
  IoSetupCosts costs_;
  GpuLink link_;
  HostLock copying_;
  int fd_ = -1;
  std::map<std::uint64_t, std::vector<std::uint8_t>> bounce_;
};

}  // namespace

std::unique_ptr<IoStack> make_posix_stack(const IoStackParts& parts) {
  return std::make_unique<PosixStack>(parts);
}

}  // namespace cxlgpu
