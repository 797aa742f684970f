// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// GPUDirect Storage: all I/O is cuFile's.
#include <algorithm>

#include "sim/io/cufile.hpp"
#include "sim/io/io_stack.hpp"

namespace cxlgpu {

namespace {

int code(CUfileOpError error) {
  return static_cast<int>(error);
}

class GdsStack : public IoStack {
 public:
  explicit GdsStack(const IoStackParts& parts)
      : host_(parts.kernel.host()),
        costs_(parts.config.gds),
        callback_{parts.config.callback_ps},
        cufile_(parts.kernel, parts.gpu, parts.config.gds) {}

  Task<int> open() override { co_return code(co_await cufile_.cuFileDriverOpen()); }
  Task<int> open_file(int fd) override {
    co_return code(co_await cufile_.cuFileHandleRegister(&file_, fd));
  }
  Task<int> add(IoBuffer& buffer) override {
    co_return code(co_await cufile_.cuFileBufRegister(buffer.device, buffer.bytes));
  }
  Task<int> remove(IoBuffer& buffer) override {
    co_return code(co_await cufile_.cuFileBufDeregister(buffer.device));
  }
  Task<int> close_file() override {
    co_return code(co_await cufile_.cuFileHandleDeregister(file_));
  }
  Task<int> close() override { co_return code(co_await cufile_.cuFileDriverClose()); }

  [[nodiscard]] const char* without(IoMode mode) const override {
    if (mode == IoMode::Mmap) return "maps no files; use posix, or another mode";
    return mode == IoMode::Async ? "has it in streams alone; use stream or batch" : nullptr;
  }
  Task<Done> sync(IoPiece& piece) override {
    const std::uint64_t at = piece.buffer->device;
    if (piece.is_write) {
      piece.result = co_await cufile_.cuFileWrite(file_, at, piece.bytes, piece.offset, 0);
    } else {
      piece.result = co_await cufile_.cuFileRead(file_, at, piece.bytes, piece.offset, 0);
    }
    co_return Done{};
  }
  Task<Done> group(IoMode mode, std::span<IoPiece> pieces) override {
    if (mode == IoMode::Stream) {
      co_await in_stream(pieces);
      co_return Done{};
    }
    for (std::size_t first = 0; first < pieces.size(); first += costs_.batch) {
      const std::size_t n = std::min<std::size_t>(costs_.batch, pieces.size() - first);
      co_await batch(pieces.subspan(first, n));
    }
    co_return Done{};
  }

 private:
  Task<Done> in_stream(std::span<IoPiece> pieces) {
    static constexpr std::uint64_t kFirst = 0;
    CudaStream stream(host_, callback_);
    for (IoPiece& piece : pieces) {
      const std::uint64_t at = piece.buffer->device;
      const CUfileOpError error =
          piece.is_write ? cufile_.cuFileWriteAsync(file_, at, &piece.bytes, &piece.offset, &kFirst,
                                                    &piece.result, stream)
                         : cufile_.cuFileReadAsync(file_, at, &piece.bytes, &piece.offset, &kFirst,
                                                   &piece.result, stream);
      if (error != CUfileOpError::Success) piece.result = -code(error);
    }
    co_await stream.cudaStreamSynchronize();
    co_return Done{};
  }
  Task<Done> batch(std::span<IoPiece> pieces) {
    std::vector<CUfileIOParams> ios;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const IoPiece& piece = pieces[i];
      ios.push_back({piece.is_write, file_, piece.buffer->device, piece.bytes, piece.offset, 0, i});
    }
    std::uint64_t batch = 0;
    CUfileOpError error = cufile_.cuFileBatchIOSetUp(&batch, static_cast<unsigned>(ios.size()));
    if (error == CUfileOpError::Success) {
      error = co_await cufile_.cuFileBatchIOSubmit(batch, ios);
    }
    if (error != CUfileOpError::Success) {
      for (IoPiece& piece : pieces) piece.result = -code(error);
      co_return Done{};
    }
    std::vector<CUfileIOEvents> events;
    cufile_.cuFileBatchIOGetStatus(batch, &events);
    for (const CUfileIOEvents& event : events) pieces[event.cookie].result = event.ret;
    cufile_.cuFileBatchIODestroy(batch);
    co_return Done{};
  }

  Host& host_;
  GdsCosts costs_;
  Time callback_;
  CuFile cufile_;
  CUfileHandle file_ = 0;
};

}  // namespace

std::unique_ptr<IoStack> make_gds_stack(const IoStackParts& parts) {
  return std::make_unique<GdsStack>(parts);
}

}  // namespace cxlgpu
