// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Who makes the stores of a kernel durable, and what it costs where that is the host.
//
// Purpose: values of configs/host/cap.yaml, read by ConfigLoader.
// Units:   picoseconds, GB/s of 10^9 bytes.
// Errors:  none here; a key out of range, unknown or missing is ConfigLoader's.
#pragma once

#include <array>
#include <cstdint>

namespace cxlgpu {

// Gpu: each warp its own, by persist(). The others when a kernel has ended: CapFs copies to the
// host, writes to a file and syncs it; CapMm copies to a mapped file and flushes it; CapEadr
// likewise without the flush, since the host's caches survive; Ndp flushes what the GPU stored to
// host memory.
enum class PersistBy : std::uint8_t { Gpu, CapFs, CapMm, CapEadr, Ndp };

struct HostPersistCosts {
  std::uint64_t sync_ps = 0;    // end of a kernel until the host goes on
  std::uint64_t launch_ps = 0;  // call until the next kernel runs on an idle GPU
  std::uint64_t bounce_ps = 0;  // of a copy into a mapped file, beside the link and the bytes
  double copy_gb_s = 0;         // one thread, from memory to memory
  unsigned threads = 0;         // that flush
  std::array<double, 5> flush_gb_s{};       // of 1, 2, 4, 8 and 16 threads
  unsigned lines = 0;                       // in flight to memory that persists, at most
  std::uint64_t commit_ps = 0;              // of an fsync, beside system call and blocks
  std::uint64_t journal_bytes = 0;          // blocks of a commit
  std::uint64_t read_ps = 0, write_ps = 0;  // of a line of host memory, from the LLC on
  double link_gb_s = 0;                     // of loads and stores, of measured_lanes lanes
};

}  // namespace cxlgpu
