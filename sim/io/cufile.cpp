// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/cufile.hpp"

#include <algorithm>

namespace cxlgpu {

Task<CUfileOpError> CuFile::cuFileDriverOpen() {
  if (open_) co_return CUfileOpError::DriverAlreadyOpen;
  co_await kernel_.host().work(IoStep::DriverOpen, Time{costs_.setup.open_ps});
  open_ = true;
  co_return CUfileOpError::Success;
}

Task<CUfileOpError> CuFile::cuFileDriverClose() {
  if (!open_) co_return CUfileOpError::DriverNotInitialized;
  co_await kernel_.host().work(IoStep::DriverClose, Time{costs_.setup.close_ps});
  open_ = false;
  files_.clear();
  buffers_.clear();
  batches_.clear();
  co_return CUfileOpError::Success;
}

Task<CUfileOpError> CuFile::cuFileHandleRegister(CUfileHandle* fh, int fd) {
  if (!open_) co_return CUfileOpError::DriverNotInitialized;
  const IoFile* file = kernel_.file(fd);
  if (file == nullptr) co_return CUfileOpError::InvalidValue;
  if (!file->direct) co_return CUfileOpError::DioNotSet;
  if (std::any_of(files_.begin(), files_.end(), [fd](const auto& one) { return one.second == fd; }))
    co_return CUfileOpError::HandleAlreadyRegistered;
  co_await kernel_.host().work(IoStep::HandleOpen, Time{costs_.setup.handle_ps});
  *fh = next_++;
  files_[*fh] = fd;
  co_return CUfileOpError::Success;
}

Task<CUfileOpError> CuFile::cuFileHandleDeregister(CUfileHandle fh) {
  if (files_.erase(fh) == 0) co_return CUfileOpError::HandleNotRegistered;
  co_await kernel_.host().work(IoStep::HandleClose, Time{costs_.setup.handle_close_ps});
  co_return CUfileOpError::Success;
}

Task<CUfileOpError> CuFile::cuFileBufRegister(std::uint64_t devPtr_base, std::uint64_t length) {
  if (!open_) co_return CUfileOpError::DriverNotInitialized;
  if (length == 0) co_return CUfileOpError::InvalidValue;
  if (!gpu_.find(devPtr_base, length)) co_return CUfileOpError::CudaPointerInvalid;
  if (!buffers_.emplace(devPtr_base, length).second) {
    co_return CUfileOpError::MemoryAlreadyRegistered;
  }
  co_await kernel_.host().work(IoStep::Register,
                               costs_.setup.registering(std::min(length, costs_.chunk_bytes)));
  co_return CUfileOpError::Success;
}

Task<CUfileOpError> CuFile::cuFileBufDeregister(std::uint64_t devPtr_base) {
  const auto found = buffers_.find(devPtr_base);
  if (found == buffers_.end()) co_return CUfileOpError::MemoryNotRegistered;
  const std::uint64_t length = found->second;
  buffers_.erase(found);
  co_await kernel_.host().work(IoStep::Deregister,
                               costs_.setup.deregistering(std::min(length, costs_.chunk_bytes)));
  co_return CUfileOpError::Success;
}

CuFile::Place CuFile::place(const CUfileIOParams& io) const {
  if (!open_) return {CUfileOpError::DriverNotInitialized, -1, {}};
  const auto file = files_.find(io.fh);
  if (file == files_.end()) return {CUfileOpError::HandleNotRegistered, -1, {}};
  const auto buffer = buffers_.find(io.devPtr_base);
  if (buffer == buffers_.end()) return {CUfileOpError::MemoryNotRegistered, -1, {}};
  for (const std::uint64_t value : {io.size, io.file_offset, io.devPtr_base + io.devPtr_offset}) {
    if (value % HostKernel::kAlignment != 0) return {CUfileOpError::InvalidValue, -1, {}};
  }
  if (io.devPtr_offset > buffer->second || io.size > buffer->second - io.devPtr_offset) {
    return {CUfileOpError::InvalidValue, -1, {}};
  }
  return {CUfileOpError::Success, file->second,
          *gpu_.find(io.devPtr_base + io.devPtr_offset, io.size)};
}

Task<HostKernel::Checked> CuFile::part(Place found, CUfileIOParams io, std::uint64_t done) {
  Host& host = kernel_.host();
  const std::uint64_t bytes = std::min(costs_.chunk_bytes, io.size - done);
  co_await lock_.acquire();
  co_await host.work(IoStep::State, Time{costs_.lock_ps});
  lock_.release();
  co_await host.work(IoStep::State, Time{costs_.state_ps - costs_.lock_ps});
  co_return kernel_.check(found.fd, io.is_write, found.memory.subspan(done, bytes),
                          io.file_offset + done);
}

Task<std::int64_t> CuFile::io(CUfileIOParams io, bool enter) {
  const Place found = place(io);
  if (found.error != CUfileOpError::Success) co_return -static_cast<int>(found.error);
  if (enter) co_await kernel_.enter();
  std::uint64_t done = 0;
  while (done < io.size) {
    const HostKernel::Checked checked = co_await part(found, io, done);
    if (checked.error != 0) co_return checked.error;
    if (checked.io.memory.empty()) break;  // the end of the file
    co_await kernel_.transfer(checked.io);
    done += checked.io.memory.size();
  }
  co_return static_cast<std::int64_t>(done);
}

// Each is one part: batch_error() has refused longer ones.
Task<Done> CuFile::overlapped(std::span<const CUfileIOParams> ios,
                              std::vector<CUfileIOEvents>& events) {
  Host::Completions done;
  std::vector<KernelIo> moving(ios.size());
  std::size_t left = 0;
  for (std::size_t i = 0; i < ios.size(); ++i) {
    for (; left >= costs_.batch_in_flight; --left) kernel_.land(moving[co_await Host::next(done)]);
    const HostKernel::Checked checked = co_await part(place(ios[i]), ios[i], 0);
    moving[i] = checked.io;
    const auto bytes = static_cast<std::int64_t>(checked.io.memory.size());
    events.push_back({ios[i].cookie, checked.error != 0 ? checked.error : bytes});
    if (checked.io.memory.empty()) continue;
    co_await kernel_.submit(checked.io, done, i);
    ++left;
  }
  for (; left > 0; --left) kernel_.land(moving[co_await Host::next(done)]);
  co_return Done{};
}

CUfileOpError CuFile::in_stream(bool is_write, CUfileHandle fh, std::uint64_t devPtr_base,
                                const std::uint64_t* size, const std::uint64_t* file_offset,
                                const std::uint64_t* devPtr_offset, std::int64_t* result,
                                CudaStream& stream) {
  if (!open_) return CUfileOpError::DriverNotInitialized;
  stream.cudaLaunchHostFunc(
      [this, is_write, fh, devPtr_base, size, file_offset, devPtr_offset, result]() -> Task<Done> {
        co_await kernel_.host().work(IoStep::State, Time{costs_.stream_ps});
        *result =
            co_await io({is_write, fh, devPtr_base, *size, *file_offset, *devPtr_offset, 0}, true);
        co_return Done{};
      });
  return CUfileOpError::Success;
}

CUfileOpError CuFile::cuFileBatchIOSetUp(std::uint64_t* batch, unsigned nr) {
  if (!open_) return CUfileOpError::DriverNotInitialized;
  if (nr == 0 || nr > costs_.batch) return CUfileOpError::InvalidValue;
  *batch = next_++;
  batches_[*batch].entries = nr;
  return CUfileOpError::Success;
}

CUfileOpError CuFile::batch_error(const Batch& batch, std::span<const CUfileIOParams> ios) const {
  if (batch.events.size() + ios.size() > batch.entries) return CUfileOpError::BatchFull;
  struct Share {
    std::uint64_t ios = 0, bytes = 0;
  };
  std::map<std::uint64_t, Share> shares;  // by buffer
  for (const CUfileIOParams& io : ios) {
    if (const Place found = place(io); found.error != CUfileOpError::Success) return found.error;
    if (io.size > costs_.chunk_bytes) return CUfileOpError::InvalidValue;
    Share& share = shares[io.devPtr_base];
    share.bytes += io.size;
    if (++share.ios > 1 && share.bytes > costs_.batch_buffer_bytes) {
      return CUfileOpError::InvalidValue;
    }
  }
  return CUfileOpError::Success;
}

Task<CUfileOpError> CuFile::cuFileBatchIOSubmit(std::uint64_t batch,
                                                std::span<const CUfileIOParams> ios) {
  const auto found = batches_.find(batch);
  if (found == batches_.end()) co_return CUfileOpError::InvalidValue;
  const CUfileOpError error = batch_error(found->second, ios);
  if (error != CUfileOpError::Success) co_return error;
  co_await kernel_.enter();
  if (costs_.batch_in_flight > 1) {
    co_await overlapped(ios, found->second.events);
    co_return CUfileOpError::Success;
  }
  for (const CUfileIOParams& one : ios) {
    const std::int64_t ret = co_await io(one, false);
    found->second.events.push_back({one.cookie, ret});
  }
  co_return CUfileOpError::Success;
}

CUfileOpError CuFile::cuFileBatchIOGetStatus(std::uint64_t batch,
                                             std::vector<CUfileIOEvents>* events) {
  const auto found = batches_.find(batch);
  if (found == batches_.end()) return CUfileOpError::InvalidValue;
  *events = std::exchange(found->second.events, {});
  return CUfileOpError::Success;
}

CUfileOpError CuFile::cuFileBatchIODestroy(std::uint64_t batch) {
  return batches_.erase(batch) == 1 ? CUfileOpError::Success : CUfileOpError::InvalidValue;
}

}  // namespace cxlgpu
