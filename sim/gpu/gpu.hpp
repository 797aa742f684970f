// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The GPU model: an Initiator that runs kernels.
//
// Purpose: real GPU traffic for every engine: cores x warps x threads, private L1s, a shared LLC,
//          local memory and, behind the engine, CXL memory.
// Units:   one cycle is kCycle. Cycle 0 of the statistics is the first step.
// Shapes:  kernels run one after the other; a kernel's end is a barrier (L1s invalidated). After
//          the last one the LLC is flushed, so that memory holds every byte of the result when
//          done() turns true.
// Rules:   step() costs next to nothing while there is nothing to do; the bus is offered no more
//          than the engine's lines a cycle, beside them one hint.
// Errors:  the constructor throws InputError for parameters out of range; step() rethrows what a
//          kernel threw.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "common/engine.hpp"
#include "sim/gpu/core.hpp"
#include "sim/gpu/fabric.hpp"
#include "sim/gpu/gpu_config.hpp"
#include "sim/gpu/gpu_stats.hpp"
#include "sim/gpu/llc.hpp"
#include "sim/gpu/local_memory.hpp"

namespace cxlgpu {

// A program of the host that may act when a kernel has ended or is split.
class KernelHolder {
 public:
  virtual ~KernelHolder() = default;
  // Whether the GPU is to wait for go_on(); asked when all warps are there.
  virtual bool holds() = 0;
};

class Gpu : public Initiator {
 public:
  Gpu(const GpuParams& params, const SystemMapParams& map);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  // Queues a kernel behind those queued before. Whatever the kernel refers to must outlive the run.
  // `recovery`: its time is counted as such.
  void launch(Kernel kernel, bool recovery = false);

  void step(Engine& engine) override;
  [[nodiscard]] Time next_event() const override;
  [[nodiscard]] bool done() const override { return phase_ == Phase::Done; }

  // Brings the statistics up to `now`, where a run ends that is not done. No step() after it.
  void stop(Time now);
  // Not at their end, those queued included; 0 while the last results are written back.
  [[nodiscard]] std::size_t kernels_left() const {
    const bool running = phase_ == Phase::Running || phase_ == Phase::Releasing ||
                         (phase_ == Phase::Held && shared_.arrived != 0);
    return queue_.size() + (running ? 1 : 0);
  }

  void hold_kernels(KernelHolder* holder) { holder_ = holder; }
  // Waits for go_on(), with every store in memory or, of GPU memory, in the LLC.
  [[nodiscard]] bool held() const { return phase_ == Phase::Held && llc_.idle(); }
  // After so many cycles from the last step on; precondition: held().
  void go_on(std::uint64_t cycles);
  // A line of GPU memory with what the LLC has of it.
  [[nodiscard]] Line peek(std::uint64_t line) const { return llc_.peek(line); }

  // A device's accesses of GPU memory, which it reaches at the LLC; at no time.
  void dma_write(std::uint64_t address, std::span<const std::uint8_t> bytes);
  // Whether the LLC has every line of it.
  bool dma_read(std::uint64_t address, std::span<std::uint8_t> bytes) const;

  // Of stores to the persistent range, where caches survive a loss of power.
  void watch_stores(StoreWatcher* watcher) { llc_.watch(watcher); }
  void watch_cores(CoreWatcher* watcher) { shared_.core_watcher = watcher; }
  [[nodiscard]] LocalMemory& local_memory() { return local_; }
  [[nodiscard]] const GpuStats& stats() const { return shared_.stats; }
  // Memory instructions whose records are not back in the pool: 0 when done (a leak otherwise).
  [[nodiscard]] std::size_t live_operations() const { return shared_.pool.in_use(); }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  enum class Phase : std::uint8_t { Idle, Launching, Running, Releasing, Held, Flushing, Done };
  struct Queued {
    Kernel kernel;
    bool recovery = false;
  };

  void tick();
  void deliver();
  void advance_phase();
  void kernel_ended(std::uint64_t now);
  void next_kernel(std::uint64_t now, std::uint64_t cycles);
  void submit(Engine& engine, std::uint64_t now);
  void move_hints(Engine& engine, std::uint64_t now);
  void drop_hints();
  [[nodiscard]] std::uint64_t earliest() const;

  GpuShared shared_;  // first: warps give their operations back to its pool
  LocalMemory local_;
  Llc llc_;
  Fabric fabric_;
  std::deque<Queued> queue_;
  Queued running_;  // outlives the coroutines in cores_
  KernelHolder* holder_ = nullptr;
  std::vector<std::unique_ptr<Core>> cores_;
  std::uint32_t warps_;  // of all cores
  Phase phase_ = Phase::Idle;
  std::uint64_t phase_at_ = 0;  // cycle at which Launching or Releasing ends
  std::uint64_t start_ = 0, flush_start_ = 0;
  std::uint64_t next_cycle_ = 0;
  std::uint64_t stepped_ = 0;  // cycle of the last step()
  std::uint64_t last_tick_ = kNever, last_taken_ = kNever;
  unsigned taken_ = 0;                  // by the bus, in the cycle last_taken_
  bool refused_ = false;                // the oldest request, when last offered
  std::uint64_t hints_moved_ = kNever;  // last cycle
};

}  // namespace cxlgpu
