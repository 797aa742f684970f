// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Parameters of the NVMe controller behind the GPU, of its ways, and of the GPU's queues.
//
// Purpose: read from configs/host/kv.yaml; the sources stand there.
// Units:   in the names.
#pragma once

#include <cstdint>

namespace cxlgpu::nvme {

// What tests put in to see that it is found, in controller, store and GPU library.
enum class ControllerFault : std::uint8_t {
  None,
  OverrunsCq,       // writes over an entry whose head has not moved
  PastTail,         // fetches four, however many there are
  TailUnchecked,    // takes a tail beyond the queue
  SizeUnchecked,    // takes a queue larger than MQES
  AnyLayout,        // takes a queue that is not contiguous
  CompletionFirst,  // posts before the data are written
  PhaseStuck,       // does not turn over at the wrap
  NoChain,          // takes the last entry of a list page for a page
  LengthOfBuffer,   // gives the buffer's length for the value's
  DoorbellLost      // every second write of a tail
};
enum class StoreFault : std::uint8_t {
  None,
  InPlace,      // writes a new value over the old one
  LengthLost,   // keeps whole granules alone
  NoPadding,    // of keys in a list
  FreedAtOnce,  // granules of a value that is still read
  CheckedEarly  // the condition of a Store when it is submitted alone
};
enum class QueueFault : std::uint8_t {
  None,
  ResultFirst,   // reads a completion's result before its phase
  NoFence,       // rings without waiting for the SQEs
  HeadForgotten  // does not tell the controller what it has read
};

// Of a queue in a kernel.
struct QueueLimits {
  std::uint64_t wait_cycles = 10'000'000;  // for the next completion
  std::uint32_t backoff_cycles = 1024;     // between polls, at most
  QueueFault fault = QueueFault::None;
};

enum class Interface : std::uint8_t { None, Keys, Blocks };

struct NvmeConfig {
  Interface interface = Interface::None;  // of the configurations kv and kv-block
  unsigned memory_mode = 15;
  unsigned queues = 1;
  unsigned queue_entries = 1024;
  unsigned max_entries = 1024;
  unsigned commands = 256;
  unsigned media_commands = 96;
  std::uint64_t controller_ps = 0, ready_ps = 0, port_ps = 0;
  std::uint64_t host_read_ps = 0, host_write_ps = 0;
  double host_gb_s = 1;
  std::uint64_t poll_interval_ps = 0;
  std::uint64_t store_bytes = 0, block_bytes = 0;
  std::uint64_t wait_us = 0;
  unsigned backoff_cycles = 0;
  std::uint64_t bar_base = 0, host_base = 0, ring_base = 0;
  bool place_check = true;
  // For tests.
  ControllerFault controller_fault = ControllerFault::None;
  StoreFault store_fault = StoreFault::None;
  QueueFault queue_fault = QueueFault::None;
  [[nodiscard]] bool on() const { return interface != Interface::None; }
};

// What of it a workload needs, and what it moves.
struct KvWork {
  Interface interface = Interface::Keys;
  unsigned memory_mode = 15, queues = 1, entries = 1024;
  unsigned batch = 4;
  std::uint64_t value_bytes = 4096;
  std::uint64_t bar_base = 0xc000'0000, host_base = 1ULL << 40, ring_base = 0;
  bool bridge = false;  // doorbells are words of memory
  QueueLimits limits;
};

}  // namespace cxlgpu::nvme
