// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cuFile, the library of GPUDirect Storage, as far as files are read into GPU memory and written
// out of it.
//
// Shapes:  a buffer is registered whole, and an I/O lies within one; devPtr_base is of GPU memory.
// Timing:  an I/O is one call into nvidia-fs; each part of chunk_bytes then takes state_ps, of
// which
//          lock_ps under the one lock, and the way of any I/O below the system call, one part after
//          the other. A batch is one call, its I/Os one after the other, or batch_in_flight at a
//          time. An I/O of a stream is a function of the host in it, which ends with the I/O.
//          Registration: at most chunk_bytes of phony buffer.
// Errors:  CUfileOpError as the library numbers them; I/Os return bytes, or the negative of one.
//          - not opened: DriverNotInitialized. A file that is not open: InvalidValue, one without
//            O_DIRECT: DioNotSet. A handle that is not registered: HandleNotRegistered.
//          - a buffer that is no GPU memory: CudaPointerInvalid; registered already:
//            MemoryAlreadyRegistered; one that is not: MemoryNotRegistered.
//          - address, size or offset that are no multiples of 4 KiB: InvalidValue. Phoenix (SC
//          '25),
//            section 5, has them fail; NVIDIA's documentation says that the library copies instead.
//          - a batch beyond its limits: BatchFull; several I/Os of one buffer with more bytes than
//            batch_buffer_bytes, or an I/O beyond chunk_bytes: InvalidValue, and nothing of the
//            batch is done.
// Source:  NVIDIA, cuFile API reference and cufile.h; limits and times: Phoenix (SC '25).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sim/io/cuda_stream.hpp"
#include "sim/io/device_memory.hpp"
#include "sim/io/host_kernel.hpp"
#include "sim/io/io_config.hpp"

namespace cxlgpu {

enum class CUfileOpError : int {
  Success = 0,
  DriverNotInitialized = 5001,
  CudaPointerInvalid = 5012,
  DioNotSet = 5020,
  InvalidValue = 5022,
  MemoryAlreadyRegistered = 5023,
  MemoryNotRegistered = 5024,
  DriverAlreadyOpen = 5026,
  HandleNotRegistered = 5027,
  HandleAlreadyRegistered = 5028,
  BatchFull = 5037
};

using CUfileHandle = std::uint64_t;

struct CUfileIOParams {
  bool is_write = false;
  CUfileHandle fh = 0;
  std::uint64_t devPtr_base = 0, size = 0, file_offset = 0, devPtr_offset = 0;
  std::uint64_t cookie = 0;
};

struct CUfileIOEvents {
  std::uint64_t cookie = 0;
  std::int64_t ret = 0;
};

class CuFile {
 public:
  CuFile(HostKernel& kernel, DeviceMemory& gpu, const GdsCosts& costs)
      : kernel_(kernel), gpu_(gpu), costs_(costs), lock_(kernel.host(), IoStep::LockWait) {}

  Task<CUfileOpError> cuFileDriverOpen();
  Task<CUfileOpError> cuFileDriverClose();
  Task<CUfileOpError> cuFileHandleRegister(CUfileHandle* fh, int fd);
  Task<CUfileOpError> cuFileHandleDeregister(CUfileHandle fh);
  Task<CUfileOpError> cuFileBufRegister(std::uint64_t devPtr_base, std::uint64_t length);
  Task<CUfileOpError> cuFileBufDeregister(std::uint64_t devPtr_base);

  Task<std::int64_t> cuFileRead(CUfileHandle fh, std::uint64_t devPtr_base, std::uint64_t size,
                                std::uint64_t file_offset, std::uint64_t devPtr_offset) {
    return io({false, fh, devPtr_base, size, file_offset, devPtr_offset, 0}, true);
  }
  Task<std::int64_t> cuFileWrite(CUfileHandle fh, std::uint64_t devPtr_base, std::uint64_t size,
                                 std::uint64_t file_offset, std::uint64_t devPtr_offset) {
    return io({true, fh, devPtr_base, size, file_offset, devPtr_offset, 0}, true);
  }
  // Arguments are read, and the result is written, when the stream comes to it.
  CUfileOpError cuFileReadAsync(CUfileHandle fh, std::uint64_t devPtr_base,
                                const std::uint64_t* size, const std::uint64_t* file_offset,
                                const std::uint64_t* devPtr_offset, std::int64_t* bytes_read,
                                CudaStream& stream) {
    return in_stream(false, fh, devPtr_base, size, file_offset, devPtr_offset, bytes_read, stream);
  }
  CUfileOpError cuFileWriteAsync(CUfileHandle fh, std::uint64_t devPtr_base,
                                 const std::uint64_t* size, const std::uint64_t* file_offset,
                                 const std::uint64_t* devPtr_offset, std::int64_t* bytes_written,
                                 CudaStream& stream) {
    return in_stream(true, fh, devPtr_base, size, file_offset, devPtr_offset, bytes_written,
                     stream);
  }

  CUfileOpError cuFileBatchIOSetUp(std::uint64_t* batch, unsigned nr);
  Task<CUfileOpError> cuFileBatchIOSubmit(std::uint64_t batch, std::span<const CUfileIOParams> ios);
  // What is done since the last call.
  CUfileOpError cuFileBatchIOGetStatus(std::uint64_t batch, std::vector<CUfileIOEvents>* events);
  CUfileOpError cuFileBatchIODestroy(std::uint64_t batch);

 private:
  struct Batch {
    unsigned entries = 0;
    std::vector<CUfileIOEvents> events;
  };
  // The bytes in GPU memory of an I/O, or what is wrong with it.
  struct Place {
    CUfileOpError error = CUfileOpError::Success;
    int fd = -1;
    ByteMap::Bytes memory;
  };
  [[nodiscard]] Place place(const CUfileIOParams& io) const;
  // States and look-up of what stands from `done` on, one chunk_bytes at most; then the kernel's
  // own checks.
  Task<HostKernel::Checked> part(Place found, CUfileIOParams io, std::uint64_t done);
  // I/Os of a batch, batch_in_flight of them at a time.
  Task<Done> overlapped(std::span<const CUfileIOParams> ios, std::vector<CUfileIOEvents>& events);
  // `enter`: by a system call of its own.
  Task<std::int64_t> io(CUfileIOParams io, bool enter);
  CUfileOpError in_stream(bool is_write, CUfileHandle fh, std::uint64_t devPtr_base,
                          const std::uint64_t* size, const std::uint64_t* file_offset,
                          const std::uint64_t* devPtr_offset, std::int64_t* result,
                          CudaStream& stream);
  [[nodiscard]] CUfileOpError batch_error(const Batch& batch,
                                          std::span<const CUfileIOParams> ios) const;

  HostKernel& kernel_;
  DeviceMemory& gpu_;
  GdsCosts costs_;
  HostLock lock_;
  bool open_ = false;
  std::uint64_t next_ = 1;                          // handle or batch
  std::map<CUfileHandle, int> files_;               // their descriptors
  std::map<std::uint64_t, std::uint64_t> buffers_;  // bytes, by address
  std::map<std::uint64_t, Batch> batches_;
};

}  // namespace cxlgpu
