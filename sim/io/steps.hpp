// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Where the time of an I/O goes, step by step.
//
// Purpose: what software and drive take of the critical path is counted, not inferred.
// Shapes:  sums over all threads and I/Os: of what overlaps they pass the time that went by.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "common/time.hpp"

namespace cxlgpu {

enum class IoStep : std::uint8_t {
  DriverOpen,
  Allocate,    // GPU memory
  HandleOpen,  // of a file
  Register,    // a buffer
  Syscall,
  State,     // of GDS: states of the I/O, look-up of its buffer
  LockWait,  // for the lock around them
  FileSystem,
  BlockLayer,
  Transfer,  // from the command to the drive until the thread goes on
  Callback,
  PageFault,  // of a mapped file
  Copy,       // between host memory and the GPU's, or into the memory that it is given
  LinkWait,   // for copies before it
  Deregister,
  HandleClose,
  Free,
  DriverClose
};
inline constexpr std::array<std::string_view, 18> kIoStepNames = {
    "driver_open", "allocate",    "handle_open", "register",     "syscall",  "state",
    "lock_wait",   "file_system", "block_layer", "transfer",     "callback", "page_fault",
    "copy",        "link_wait",   "deregister",  "handle_close", "free",     "driver_close"};

class StepBook {
 public:
  struct Entry {
    std::uint64_t count = 0;
    Time time;
  };
  void add(IoStep step, Time time) {
    Entry& entry = entries_[static_cast<std::size_t>(step)];
    ++entry.count;
    entry.time += time;
  }
  [[nodiscard]] const Entry& of(IoStep step) const {
    return entries_[static_cast<std::size_t>(step)];
  }

 private:
  std::array<Entry, kIoStepNames.size()> entries_;
};

}  // namespace cxlgpu
