// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// NVMe queues in kernels: a warp submits commands and waits for them, with no CPU between.
//
// Purpose: one pair of queues of a warp. submit() writes the SQEs of a whole batch and rings the
//          doorbell once; reap() polls for completions.
// Memory:  queues, doorbell words of a bridge, data and lists of pages are each in GPU memory or in
//          host memory, by the four bits of `kv.memory_mode`. What is in host memory is uncached.
// Rules:   a batch has at most `entries` - 1 commands in flight. SQEs, a fence, the doorbell. Of a
//          completion the phase first; then a fence; then the rest: a completion read before its
//          phase may be half the one before. L1s are passed by (load_l2), since the device writes
//          behind them.
// Lanes:   an SQE is eight words of 64 bits, written by eight lanes side by side: a line,
//          one store.
// Errors:  results, never traps: a batch that is too large, no completion within the limit, a
//          completion of a command that is not in flight. After one the queue is of no more use.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/gpu/warp.hpp"
#include "sim/nvme/kv_config.hpp"
#include "sim/nvme/spec.hpp"
#include "sim/nvme/stage_book.hpp"

namespace cxlgpu::nvme {

// Where a pair of queues is.
struct QueueRings {
  std::uint16_t id = 0;
  std::uint32_t entries = 0;
  DeviceArray<std::uint64_t> sq;    // eight words an entry
  DeviceArray<std::uint32_t> cq;    // four words an entry
  DeviceArray<std::uint32_t> bell;  // tail, then head
  bool sq_in_host = false, bell_in_host = false;
};

enum class QueueError : std::uint8_t { None, TooMany, NoCompletion, UnknownCommand };

struct Completion {
  Status status = Status::Success;
  std::uint32_t result = 0;  // DW0
  bool there = false;
};

class NvmeQueue {
 public:
  // `book`: null, nobody watches.
  NvmeQueue(const QueueRings& rings, const QueueLimits& limits, StageBook* book)
      : rings_(rings), limits_(limits), book_(book), command_(rings.entries, kNone) {}

  // Commands 0..n-1, each as `sqe_of(i)` makes it but for its identifier. Their completions come to
  // `i` of reap()'s list.
  using MakeSqe = std::function<Sqe(std::uint32_t)>;
  WarpTask submit(Warp& w, std::uint32_t n, MakeSqe sqe_of, QueueError& error);
  // All of the last submit().
  WarpTask reap(Warp& w, std::vector<Completion>& completions, QueueError& error);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void ring(Warp& w, std::uint32_t word, std::uint32_t value) const;
  [[nodiscard]] static Time now(const Warp& w) { return kCycle * w.clock(); }

  QueueRings rings_;
  QueueLimits limits_;
  StageBook* book_;
  std::vector<std::uint32_t> command_;  // by identifier, its number in the batch
  std::uint32_t tail_ = 0, head_ = 0;
  bool phase_ = true;
  std::uint32_t in_flight_ = 0;
};

}  // namespace cxlgpu::nvme
