// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the steps of direct storage cost, and what workloads `io` and `kvload` do with it.
//
// Purpose: values of configs/host/io.yaml and of the keys workload.io_* and workload.kvload_*, read
//          by ConfigLoader.
// Units:   picoseconds, bytes, GB/s of 10^9 bytes.
// Errors:  none here; a key out of range, unknown or missing is ConfigLoader's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/time.hpp"

namespace cxlgpu {

// What a host does to make GPU memory reachable for a drive: of a driver, a file, a buffer.
struct IoSetupCosts {
  std::uint64_t open_ps = 0, close_ps = 0;                  // driver
  std::uint64_t handle_ps = 0, handle_close_ps = 0;         // file
  std::uint64_t register_ps = 0, register_page_ps = 0;      // buffer; each 4 KiB of it
  std::uint64_t deregister_ps = 0, deregister_page_ps = 0;  // likewise
  [[nodiscard]] Time registering(std::uint64_t bytes) const {
    return Time{register_ps + pages(bytes) * register_page_ps};
  }
  [[nodiscard]] Time deregistering(std::uint64_t bytes) const {
    return Time{deregister_ps + pages(bytes) * deregister_page_ps};
  }

 private:
  static std::uint64_t pages(std::uint64_t bytes) { return (bytes + 4095) / 4096; }
};

// The way of an I/O through the kernel, beside what configs/host/nvme.yaml has of the drive.
struct KernelCosts {
  std::uint64_t syscall_ps = 0, file_system_ps = 0, block_ps = 0;
};

struct GdsCosts {
  IoSetupCosts setup;
  std::uint64_t state_ps = 0;            // states and look-up of an I/O, in the kernel
  std::uint64_t lock_ps = 0;             // of it, under the one lock
  std::uint64_t stream_ps = 0;           // more for each I/O of a stream
  std::uint64_t chunk_bytes = 0;         // longer I/Os are parts of this, one after the other
  unsigned batch = 0;                    // I/Os
  unsigned batch_in_flight = 1;          // of them at a time
  std::uint64_t batch_buffer_bytes = 0;  // of one batch in one buffer
};

struct PhoenixCosts {
  IoSetupCosts setup;
  std::uint64_t mapping_bytes = 0;  // a mapping
  std::uint64_t page_bytes = 0;     // of the GPU: what is mapped is made of these
};

// A file that is mapped into the process, and copied to the GPU from there.
struct MmapCosts {
  std::uint64_t readahead_bytes = 0;     // an I/O into the page cache
  std::uint64_t fault_around_bytes = 0;  // mapped by a page fault
  std::uint64_t fault_ps = 0;
  double copy_gb_s = 0;  // of a processor, from pageable into pinned memory
};

enum class IoRemote : std::uint8_t { None, NvmeOf, Nfs };
inline constexpr std::array<std::string_view, 3> kIoRemoteNames = {"none", "nvmeof", "nfs"};

struct IoNetwork {
  IoRemote remote = IoRemote::None;
  double gb_s = 0;                  // payload, each way
  std::uint64_t round_trip_ps = 0;  // without the payload
};

struct IoHostConfig {
  unsigned drives = 1;
  std::string drive_link = "part";  // of configs/host/nvme.yaml; "part": the part's own
  KernelCosts kernel;
  std::uint64_t malloc_ps = 0, free_ps = 0;  // of GPU memory
  std::uint64_t callback_ps = 0;             // of a stream, to the host's function and on
  GdsCosts gds;
  PhoenixCosts phoenix;
  IoSetupCosts posix;  // of the pinned buffer in host memory
  MmapCosts mmap;
  IoNetwork network;
};

enum class IoOperation : std::uint8_t { Read, Write };
inline constexpr std::array<std::string_view, 2> kIoOperationNames = {"read", "write"};
// Sync: one after the other. Async: a group in flight, in no order. Stream: a group in the order of
// a stream. Batch: a group handed over in one call. Mmap: a file in the process's memory, copied
// one after the other.
enum class IoMode : std::uint8_t { Sync, Async, Stream, Batch, Mmap };
inline constexpr std::array<std::string_view, 5> kIoModeNames = {"sync", "async", "stream", "batch",
                                                                 "mmap"};
constexpr bool one_at_a_time(IoMode mode) {
  return mode == IoMode::Sync || mode == IoMode::Mmap;
}
// Of buffers: once before the I/Os, or for each.
enum class IoRegistration : std::uint8_t { Once, Each };
inline constexpr std::array<std::string_view, 2> kIoRegistrationNames = {"once", "each"};
enum class IoOrder : std::uint8_t { Sequential, Random };
inline constexpr std::array<std::string_view, 2> kIoOrderNames = {"sequential", "random"};

struct IoWork {
  IoOperation operation = IoOperation::Read;
  IoMode mode = IoMode::Sync;
  IoRegistration registration = IoRegistration::Once;
  IoOrder order = IoOrder::Sequential;
  std::uint64_t bytes = 65536;  // of an I/O
  std::uint64_t count = 0;      // I/Os, of all threads
  unsigned threads = 1;
  unsigned group = 16;  // I/Os of an async, stream or batch group
  std::uint64_t seed = 1;
};

// Layer: the file has a layer's blocks together, by number. Block: a block's layers together; still
// loaded layer by layer. Whole: likewise, all layers of a block at once.
enum class KvLayout : std::uint8_t { Layer, Block, Whole };
inline constexpr std::array<std::string_view, 3> kKvLayoutNames = {"layer", "block", "whole"};

struct KvLoadWork {
  unsigned tokens = 16;                 // of a block
  unsigned heads = 8, head_size = 128;  // keys and values of each
  unsigned bits = 16;                   // of a number
  unsigned latent_percent = 100;        // that latent attention leaves
  unsigned layers = 1;
  KvLayout layout = KvLayout::Layer;
  std::uint64_t merge_bytes = 16ULL << 20;  // of an I/O of several blocks; 0: one for each
  unsigned batch = 2048;                    // I/Os

  // A layer's part of a block; rounded down if bits or per cents make no whole bytes.
  [[nodiscard]] std::uint64_t part_bytes() const {
    return 2ULL * tokens * heads * head_size * bits * latent_percent / 800;
  }
};

}  // namespace cxlgpu
