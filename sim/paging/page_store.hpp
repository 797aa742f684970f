// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What holds the pages that are not in GPU memory, and moves them there and back.
//
// Purpose: one interface for host memory (uvm) and for drives (gds, phoenix).
// Units:   addresses are bytes from the first page's first; contents by the Backdoor, which takes
//          no time: poke() loads them before a run, peek() sees what the store itself holds.
// Rules:   one set of pages moves at a time. Pages that come in are read by peek() when the move
//          has ended; the bytes of pages that go out are taken when it begins. advance() is to be
//          called at every next_event(), not past it.
// Errors:  preconditions are asserted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/time.hpp"
#include "sim/host/backdoor.hpp"

namespace cxlgpu {

struct PageOut {
  std::uint64_t page = 0;
  std::span<const std::uint8_t> bytes;  // kPageBytes
};

// Sums; of things that overlap they pass the time that went by.
struct StoreStats {
  Time storage, transfer;  // of moves, as it went by: waiting for drives; for the GPU's own link
  std::uint64_t pushes = 0, pushed_bytes = 0;  // over the GPU's link
  std::uint64_t requests = 0, ios = 0;         // of drives: contiguous pages; parts of max_io_bytes
  std::uint64_t bytes_read = 0, bytes_written = 0;  // of drives
  Time registering, software, drive, queued;        // of requests, summed up
};

class PageStore : public Backdoor {
 public:
  // Precondition of both: no move in progress, pages rise, at least one.
  virtual void begin_in(std::span<const std::uint64_t> pages, Time now) = 0;
  virtual void begin_out(std::span<const PageOut> pages, Time now) = 0;
  // Of the move; never if there is none.
  [[nodiscard]] virtual Time next_event() const = 0;
  // True: the move has ended, told once.
  virtual bool advance(Time now) = 0;
  [[nodiscard]] virtual StoreStats stats() const = 0;
};

}  // namespace cxlgpu
