// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/core.hpp"

#include <bit>

namespace cxlgpu {

Core::Core(GpuShared& shared, Llc& llc, std::uint32_t index)
    : shared_(shared),
      index_(index),
      lsu_(shared, llc, index),
      ready_(shared.params.warps),
      ready_memory_(shared.params.warps),
      results_(shared.params.warps) {
  for (unsigned u = 0; u < kUnits; ++u) {
    if (shared.params.units.latency(static_cast<Unit>(u)) == 1) one_cycle_ |= 1u << u;
  }
  warps_.reserve(warps());
  for (std::uint32_t w = 0; w < warps(); ++w) warps_.emplace_back(*this, index * warps() + w, w);
  finished_ = warps();
}

void Core::launch(const Kernel& kernel) {
  account();
  lsu_.invalidate_l1();
  finished_ = 0;
  for (Warp& warp : warps_) {
    warp.task_ = kernel(warp);
    warp.wait_ = Warp::Wait::Drain;
    warp.result_at_ = 0;
  }
  for (Warp& warp : warps_) warp.settle();
  shared_.wake(index_);
}

void Core::release_barrier() {
  account();
  lsu_.invalidate_l1();
  arrived_ = 0;
  for (Warp& warp : warps_) {
    if (warp.wait_ != Warp::Wait::Arrived) continue;
    warp.wait_ = Warp::Wait::Drain;
    warp.settle();
  }
  shared_.wake(index_);
}

void Core::release_core_barrier() {
  ++shared_.stats.core_barriers;
  core_arrived_ = 0;
  for (Warp& warp : warps_) {
    if (warp.wait_ == Warp::Wait::CoreArrived) warp.wait_ = Warp::Wait::Drain;
  }
  for (Warp& warp : warps_) {
    if (warp.wait_ == Warp::Wait::Drain) warp.settle();
  }
}

void Core::warp_arrived() {
  ++arrived_;
  ++shared_.arrived;
  shared_.wake(index_);
}

void Core::warp_at_core_barrier() {
  ++core_arrived_;
  shared_.wake(index_);
}

void Core::warp_finished() {
  ++finished_;
  ++shared_.finished;
  shared_.stats.warp_cycles += shared_.now - shared_.launched;
  shared_.wake(index_);
}

void Core::lsu_free() {
  lsu_.free();
  shared_.wake(index_);
}

void Core::refresh(Warp& warp) {
  ready_.erase(warp.slot_);
  ready_memory_.erase(warp.slot_);
  results_.erase(warp.slot_);
  if (warp.instructions_.empty()) return;
  if (warp.result_at_ > shared_.now) {
    results_.insert(warp.slot_);
    shared_.wake(index_);  // another cause of its slots
    return;
  }
  const MemOp* op = warp.instructions_.front().op;
  if (op == nullptr) {
    ready_.insert(warp.slot_);
  } else if (!has_result(op->kind) || warp.loads_ < shared_.params.loads_per_warp) {
    ready_memory_.insert(warp.slot_);
  } else {
    return;
  }
  shared_.wake(index_);
}

void Core::account() {
  if (accounted_ >= shared_.now) return;  // this cycle's slot is counted already
  shared_.stats.*cause_ += shared_.now - accounted_;
  if (shared_.core_watcher != nullptr) tell();
  accounted_ = shared_.now;
}

void Core::tell() const {
  Stall why = Stall::Memory;
  if (cause_ == &GpuStats::idle_cycles) why = Stall::Idle;
  if (cause_ == &GpuStats::stall_lsu_cycles) why = Stall::LsuFull;
  if (cause_ == &GpuStats::stall_result_cycles) why = Stall::Result;
  if (cause_ == &GpuStats::stall_barrier_cycles) why = Stall::Barrier;
  shared_.core_watcher->on_stall(index_, why, kCycle * accounted_, kCycle * shared_.now);
}

std::uint64_t GpuStats::*Core::cause() const {
  if (finished_ == warps()) return &GpuStats::idle_cycles;
  if (!ready_.empty() || !ready_memory_.empty()) return &GpuStats::stall_lsu_cycles;
  if (!results_.empty()) return &GpuStats::stall_result_cycles;
  if (finished_ + arrived_ + core_arrived_ == warps()) return &GpuStats::stall_barrier_cycles;
  return &GpuStats::stall_memory_cycles;
}

inline std::uint32_t Core::pick() {
  const bool memory = !lsu_.full();
  const auto members = [&](std::uint32_t w) {
    return ready_.word(w) | (memory ? ready_memory_.word(w) : 0);
  };
  if (shared_.params.scheduler == Scheduler::Gto) {
    // Warps of a kernel start together: the oldest is the lowest.
    const bool same = (members(next_warp_ / 64) & IndexSet::bit(next_warp_)) != 0;
    if (!same) next_warp_ = first_index(ready_.words(), members, 0);
    return next_warp_;
  }
  const std::uint32_t slot = first_index(ready_.words(), members, next_warp_);
  next_warp_ = slot + 1 == warps() ? 0 : slot + 1;
  return slot;
}

void Core::tick() {
  account();
  if (core_barrier_full()) release_core_barrier();
  if (lsu_.runnable()) lsu_.run();
  if (can_issue()) {
    Warp& warp = warps_[pick()];
    Warp::Instruction& head = warp.instructions_.front();
    if (head.count > 1 && one_cycle(head.unit)) {  // as most often: the warp has more of it
      --head.count;
      count_arithmetic(head);
    } else {
      issue_head(warp);
    }
    ++shared_.stats.issue_cycles;
    accounted_ = shared_.now + 1;
    if (can_issue()) return;  // in the next cycle, too: nothing to account for
  }
  cause_ = cause();
  if (!can_issue() && !lsu_.runnable() && !core_barrier_full()) {
    shared_.active_cores.erase(index_);
  }
}

void Core::issue_head(Warp& warp) {
  auto& head = warp.instructions_.front();
  if (head.op != nullptr) {
    issue_memory(warp, *head.op);
  } else if (head.count != 0) {
    issue_arithmetic(warp, head);
    if (--head.count != 0) {
      if (warp.result_at_ > shared_.now) refresh(warp);
      return;
    }
  } else {
    ++shared_.stats.syncs;
    if (head.write_out && lsu_.gathers()) lsu_.push(nullptr);
  }
  warp.instructions_.pop();
  refresh(warp);
  if (warp.instructions_.empty()) warp.settle();
}

void Core::issue_arithmetic(Warp& warp, const Warp::Instruction& instruction) {
  count_arithmetic(instruction);
  if (one_cycle(instruction.unit) || (instruction.count > 1 && !instruction.chain)) return;
  warp.result_at_ = shared_.now + shared_.params.units.latency(instruction.unit);
  shared_.at({.due = warp.result_at_,
              .kind = GpuShared::Timed::Kind::Result,
              .core = index_,
              .index = warp.slot_});
}

void Core::issue_memory(Warp& warp, MemOp& op) {
  GpuStats& stats = shared_.stats;
  stats.thread_instructions += op.to_send == warp.full_mask()
                                   ? warp.width()
                                   : static_cast<std::uint64_t>(std::popcount(op.to_send));
  lsu_.push(&op);
  if (op.kind == OpKind::Prefetch) {
    ++stats.prefetches;
    return;
  }
  if (is_store(op.kind)) {
    ++stats.stores;
    ++warp.stores_;
    return;
  }
  ++(op.kind == OpKind::Atomic ? stats.atomics : stats.loads);
  ++warp.loads_;
}

}  // namespace cxlgpu
