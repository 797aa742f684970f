// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Where a workload's data lives: behind CXL, or one of the configurations CXL is compared with.
//
// Purpose: values of configs/host/pcie.yaml, uvm.yaml, gds.yaml and phoenix.yaml, read by
//          ConfigLoader under the keys pcie.*, uvm.*, gds.*, phoenix.*.
// Units:   picoseconds, bytes, GB/s of 10^9 bytes.
// Errors:  none here; a key out of range, unknown or missing is ConfigLoader's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/time.hpp"

namespace cxlgpu {

// Cxl: a tenth of the data in GPU memory, the rest behind root ports. GpuDram: all in GPU memory.
// The others: GPU memory is a pool of pages, the data moves into it on a page fault: from host
// memory (Uvm), or from a drive straight into GPU memory (Gds, Phoenix).
// Posix is of programs of the host alone (sim/io), for which Gds and Phoenix are stacks of I/O too;
// Direct, Static and Mma are how others of them copy from host memory (sim/multipath).
enum class MemoryKind : std::uint8_t {
  Cxl,
  GpuDram,
  Uvm,
  Gds,
  Phoenix,
  Posix,
  Direct,
  Static,
  Mma
};
inline constexpr std::array<std::string_view, 9> kMemoryNames = {
    "cxl", "gpu-dram", "uvm", "gds", "phoenix", "posix", "direct", "static", "mma"};
constexpr std::string_view to_string(MemoryKind kind) {
  return kMemoryNames[static_cast<std::size_t>(kind)];
}
// Where programs of the host find a stack of I/O; where they copy; where kernels run.
constexpr bool runs_io(MemoryKind kind) {
  return kind == MemoryKind::Gds || kind == MemoryKind::Phoenix || kind == MemoryKind::Posix;
}
constexpr bool runs_copies(MemoryKind kind) {
  return kind == MemoryKind::Direct || kind == MemoryKind::Static || kind == MemoryKind::Mma;
}
constexpr bool runs_kernels(MemoryKind kind) {
  return kind != MemoryKind::Posix && !runs_copies(kind);
}
constexpr bool paged(MemoryKind kind) {
  return kind == MemoryKind::Uvm || kind == MemoryKind::Gds || kind == MemoryKind::Phoenix;
}

inline constexpr std::uint64_t kPageBytes = 4096;  // x86's and the drives' unit

// The GPU's link to its host, and the host's drives.
struct PcieConfig {
  unsigned lanes = 0, measured_lanes = 0;  // of the platform; of the machine that was measured
  double to_gpu_gb_s = 0, from_gpu_gb_s = 0;
  std::uint64_t to_gpu_setup_ps = 0, from_gpu_setup_ps = 0;
  std::uint64_t push_bytes = 0;    // pages of one such block are copied by one push
  std::uint64_t stripe_bytes = 0;  // of the drives, which are as many as root ports
  unsigned queue_depth = 0;        // I/Os in flight at a drive
  std::string dram_drive;          // link of a drive that is made of a DRAM part
};

// What comes with a page that faults: its aligned block, or what DensityTree says.
enum class PagePrefetch : std::uint8_t { Block, Density };

// What the host does about page faults, of one configuration.
struct FaultConfig {
  std::uint64_t fault_ps = 0;         // access to entry in the fault buffer
  std::uint64_t host_runtime_ps = 0;  // a batch, all but moving pages
  std::uint64_t fetch_ps = 0;         // part of it before the fault buffer is read
  unsigned batch_faults = 0;          // pages that fault, at most, in one batch
  std::uint64_t prefetch_bytes = 0;   // the aligned block that comes with a page; 4 KiB: none
  bool evict_by_access = false;       // least recently accessed, else least recently migrated
  // Of Uvm alone; the others have what stands here.
  PagePrefetch prefetch = PagePrefetch::Block;
  unsigned prefetch_threshold = 51;             // per cent
  std::uint64_t block_bytes = 2 * 1024 * 1024;  // that the host serves as one
  std::uint64_t block_ps = 0;                   // of each in a batch, beside host_runtime_ps
  std::uint64_t page_ps = 0;                    // of each page that comes or is copied out
  std::uint64_t evict_bytes = kPageBytes;       // in which GPU memory is given out and taken back
  bool evict_all = false;                       // clean pages too are copied out
};

// Host memory behind UVM, where its data lies on a drive at first.
struct HostFillConfig {
  std::uint64_t page_fault_ps = 0;    // of the host, beside the I/O
  std::uint64_t readahead_bytes = 0;  // the aligned block that one reads
};

// Reads and writes of drives straight into GPU memory, by the application's threads.
struct DirectIoConfig {
  std::uint64_t open_ps = 0, close_ps = 0;           // once a run, outside of it
  std::uint64_t register_ps = 0, deregister_ps = 0;  // of the buffer, each I/O
  std::uint64_t io_ps = 0;  // software of an I/O beside what configs/host/nvme.yaml has
  std::uint64_t max_io_bytes = 0;
  unsigned threads = 0;  // one I/O each
};

struct PagingConfig {
  PcieConfig pcie;
  FaultConfig uvm_faults, gds_faults, phoenix_faults;
  HostFillConfig host_fill;
  DirectIoConfig gds, phoenix;
  // Precondition: Gds or Phoenix.
  [[nodiscard]] const DirectIoConfig& direct(MemoryKind kind) const {
    return kind == MemoryKind::Gds ? gds : phoenix;
  }
  // Precondition: paged(kind).
  [[nodiscard]] const FaultConfig& faults(MemoryKind kind) const {
    if (kind == MemoryKind::Uvm) return uvm_faults;
    return kind == MemoryKind::Gds ? gds_faults : phoenix_faults;
  }
};

}  // namespace cxlgpu
