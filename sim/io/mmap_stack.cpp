// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A file that is mapped into the process, and copied to the GPU from there.
//
// Purpose: what programs do that know nothing of direct I/O: mmap and cudaMemcpy.
// Timing:  the page cache is read in I/Os of readahead_bytes, each begun as the copy of the one
//          before it begins. What is copied is faulted in, fault_around_bytes at a time, and copied
//          into pinned memory by a processor; when all of an I/O is there, the GPU's link carries
//          it. That is how the measured rates are apart, which add up to a pageable copy.
// Errors:  a write has EINVAL: nothing here writes to what is mapped. An I/O ends at the end of the
//          file.
// Source:  Linux, mm/filemap.c (do_sync_mmap_readahead, do_async_mmap_readahead); CUDA runtime API,
//          copies from pageable memory are staged.
#include <algorithm>
#include <array>

#include "sim/io/io_stack.hpp"
#include "sim/paging/gpu_link.hpp"

namespace cxlgpu {

namespace {

class MmapStack : public IoStack {
 public:
  explicit MmapStack(const IoStackParts& parts)
      : kernel_(parts.kernel),
        gpu_(parts.gpu),
        costs_(parts.config.mmap),
        link_(parts.pcie),
        copying_(parts.kernel.host(), IoStep::LinkWait) {}

  Task<int> open() override { co_return 0; }
  Task<int> open_file(int fd) override {
    fd_ = fd;
    co_return 0;
  }
  Task<int> add(IoBuffer&) override { co_return 0; }
  Task<int> remove(IoBuffer&) override { co_return 0; }
  Task<int> close_file() override { co_return 0; }
  Task<int> close() override { co_return 0; }

  [[nodiscard]] const char* without(IoMode mode) const override {
    return mode == IoMode::Mmap ? nullptr : "copies one after the other; use mmap";
  }
  Task<Done> sync(IoPiece& piece) override {
    if (piece.is_write) {
      piece.result = -EINVAL;
      co_return Done{};
    }
    const ByteMap::Bytes device = *gpu_.find(piece.buffer->device, piece.bytes);
    // Whole pages of the page cache around what is copied; two windows, one ahead.
    const std::uint64_t first = piece.offset / HostKernel::kAlignment * HostKernel::kAlignment;
    const std::uint64_t end = piece.offset + piece.bytes;
    Window ahead;
    std::array<std::vector<std::uint8_t>, 2> memory;
    co_await begin(ahead, memory[0], first, end);
    std::uint64_t done = 0;
    for (unsigned turn = 1; done < piece.bytes; ++turn) {
      Window now = std::move(ahead);
      if (now.error != 0) break;
      co_await arrived(now);
      ahead = {};
      const std::uint64_t next = now.offset + now.bytes;
      if (next < end && now.bytes != 0) co_await begin(ahead, memory[turn % 2], next, end);
      const std::uint64_t skip = piece.offset + done - now.offset;
      const std::uint64_t bytes =
          std::min(now.bytes > skip ? now.bytes - skip : 0, piece.bytes - done);
      if (bytes == 0) break;  // the end of the file
      co_await copy(now.io.memory.subspan(skip, bytes), device.subspan(done, bytes));
      done += bytes;
    }
    if (done > 0) {
      co_await copying_.acquire();
      co_await kernel_.host().work(IoStep::Copy, link_.contiguous(done, true));
      copying_.release();
    }
    piece.result = static_cast<std::int64_t>(done);
    co_return Done{};
  }
  Task<Done> group(IoMode, std::span<IoPiece> pieces) override {
    for (IoPiece& piece : pieces) co_await sync(piece);
    co_return Done{};
  }

 private:
  struct Window {
    std::uint64_t offset = 0, bytes = 0;
    int error = 0;
    KernelIo io;
    std::unique_ptr<Host::Completions> done;
  };

  Task<Done> begin(Window& window, std::vector<std::uint8_t>& memory, std::uint64_t offset,
                   std::uint64_t end) {
    const std::uint64_t whole = (end - offset + HostKernel::kAlignment - 1) /
                                HostKernel::kAlignment * HostKernel::kAlignment;
    memory.resize(std::min(costs_.readahead_bytes, whole));
    const HostKernel::Checked checked = kernel_.check(fd_, false, memory, offset);
    window.offset = offset;
    window.error = checked.error;
    window.io = checked.io;
    window.bytes = checked.io.memory.size();
    if (window.bytes == 0) co_return Done{};
    window.done = std::make_unique<Host::Completions>();
    co_await kernel_.submit(window.io, *window.done, 0);
    co_return Done{};
  }
  Task<Done> arrived(const Window& window) {
    if (!window.done) co_return Done{};
    co_await Host::next(*window.done);
    kernel_.land(window.io);
    co_return Done{};
  }
  Task<Done> copy(ByteMap::Bytes from, ByteMap::Bytes to) {
    Host& host = kernel_.host();
    for (std::uint64_t at = 0; at < from.size(); at += costs_.fault_around_bytes) {
      co_await host.work(IoStep::PageFault, Time{costs_.fault_ps});
    }
    const double ps = static_cast<double>(from.size()) * 1000 / costs_.copy_gb_s;
    co_await host.work(IoStep::Copy, Time{static_cast<std::uint64_t>(ps)});
    std::copy(from.begin(), from.end(), to.begin());
    co_return Done{};
  }

  HostKernel& kernel_;
  DeviceMemory& gpu_;
  MmapCosts costs_;
  GpuLink link_;
  HostLock copying_;
  int fd_ = -1;
};

}  // namespace

std::unique_ptr<IoStack> make_mmap_stack(const IoStackParts& parts) {
  return std::make_unique<MmapStack>(parts);
}

}  // namespace cxlgpu
