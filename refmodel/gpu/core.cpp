#include "refmodel/gpu/core.hpp"

#include <bit>

namespace cxlgpu {

Core::Core(GpuShared& shared, Llc& llc, std::uint32_t index)
    : shared_(shared), llc_(llc), index_(index), l1_(shared.params.l1) {
  for (std::uint32_t w = 0; w < shared.params.warps; ++w) {
    warps_.emplace_back(*this, index * shared.params.warps + w, w);
  }
  finished_ = shared.params.warps;
}

void Core::launch(const Kernel& kernel) {
  account();
  l1_.invalidate_all();
  finished_ = 0;
  for (Warp& warp : warps_) {
    warp.task_ = kernel(warp);
    warp.wait_ = Warp::Wait::Drain;
  }
  for (Warp& warp : warps_) warp.settle();
  wake();
}

void Core::release_barrier() {
  account();
  l1_.invalidate_all();
  arrived_ = 0;
  for (Warp& warp : warps_) {
    if (warp.wait_ != Warp::Wait::Arrived) continue;
    warp.wait_ = Warp::Wait::Drain;
    warp.settle();
  }
  wake();
}

void Core::warp_arrived() {
  ++arrived_;
  ++shared_.arrived;
  wake();
}

void Core::warp_finished() {
  ++finished_;
  ++shared_.finished;
  wake();
}

void Core::refresh(Warp& warp) {
  const std::uint64_t bit = std::uint64_t{1} << warp.slot_;
  ready_ &= ~bit;
  memory_ &= ~bit;
  if (warp.instructions_.empty()) return;
  const MemOp* op = warp.instructions_.front().op;
  if (op != nullptr) {
    memory_ |= bit;
    if (op->kind != OpKind::Store && warp.loads_ >= shared_.params.loads_per_warp) return;
  }
  ready_ |= bit;
  wake();
}

void Core::queue_popped() {
  if (!lsu_blocked_) return;
  lsu_blocked_ = false;
  wake();
}

void Core::account() {
  const std::uint64_t cycles = shared_.now - accounted_;
  accounted_ = shared_.now;
  GpuStats& stats = shared_.stats;
  switch (stall_) {
    case Stall::None:
      break;
    case Stall::Memory:
      stats.stall_memory_cycles += cycles;
      break;
    case Stall::Lsu:
      stats.stall_lsu_cycles += cycles;
      break;
    case Stall::Barrier:
      stats.stall_barrier_cycles += cycles;
      break;
  }
}

Core::Stall Core::stall_reason() const {
  if (finished_ == shared_.params.warps) return Stall::None;
  if (ready_ != 0) return Stall::Lsu;
  if (finished_ + arrived_ == shared_.params.warps) return Stall::Barrier;
  return Stall::Memory;
}

void Core::tick() {
  if (accounted_ != shared_.now) account();
  if (!lsu_.empty() && !lsu_blocked_) run_lsu();
  const bool issued = issue();
  if (issued) {
    ++shared_.stats.issue_cycles;
    accounted_ = shared_.now + 1;
  }
  stall_ = stall_reason();
  if (!can_issue() && (lsu_.empty() || lsu_blocked_)) {
    shared_.active_cores &= ~(std::uint64_t{1} << index_);
  }
}

bool Core::can_issue() const {
  return (lsu_.size() < shared_.params.lsu_queue ? ready_ : ready_ & ~memory_) != 0;
}

bool Core::issue() {
  std::uint64_t candidates = ready_;
  if (lsu_.size() >= shared_.params.lsu_queue) candidates &= ~memory_;
  if (candidates == 0) return false;
  const std::uint64_t later = candidates & (~std::uint64_t{0} << next_warp_);
  const auto slot = static_cast<std::uint32_t>(std::countr_zero(later != 0 ? later : candidates));
  next_warp_ = slot + 1 == shared_.params.warps ? 0 : slot + 1;
  issue_head(warps_[slot]);
  return true;
}

void Core::issue_head(Warp& warp) {
  GpuStats& stats = shared_.stats;
  auto& head = warp.instructions_.front();
  if (head.op == nullptr) {
    ++(head.count == 0 ? stats.syncs : stats.computes);
    if (head.count > 1) {
      --head.count;
      return;
    }
  } else {
    lsu_.push() = head.op;
    switch (head.op->kind) {
      case OpKind::Load:
      case OpKind::LoadL2:
        ++stats.loads;
        ++warp.loads_;
        break;
      case OpKind::Atomic:
        ++stats.atomics;
        ++warp.loads_;
        break;
      case OpKind::Store:
        ++stats.stores;
        ++warp.stores_;
        break;
    }
  }
  warp.instructions_.pop();
  refresh(warp);
  if (warp.instructions_.empty()) warp.settle();
}

// One line of the oldest instruction: the line of its lowest unsent lane, with every lane in it.
void Core::run_lsu() {
  MemOp& op = *lsu_.front();
  const std::uint64_t line = line_of(op.addr[first_lane(op.to_send)]);
  LaneMask lanes = 0;
  for (LaneMask m = op.to_send; m != 0; m &= m - 1) {
    const unsigned lane = first_lane(m);
    lanes |= LaneMask{(op.addr[lane] ^ line) < kLineBytes} << lane;  // the same line
  }
  if (!access(op, lanes, line)) {
    lsu_blocked_ = true;
    return;
  }
  op.to_send &= ~lanes;
  if (op.to_send == 0) lsu_.pop();
}

bool Core::access(MemOp& op, LaneMask lanes, std::uint64_t line) {
  if (op.kind == OpKind::Load) return access_load(op, lanes, line);
  if (llc_.full(index_)) return false;
  switch (op.kind) {
    case OpKind::Load:
      break;
    case OpKind::LoadL2:
      send(op, LlcKind::Load, lanes, line);
      break;
    case OpKind::Atomic:
      l1_.invalidate(line);
      l1_.make_stale(line);
      send(op, LlcKind::Atomic, lanes, line);
      break;
    case OpKind::Store:
      ++shared_.stats.l1_stores;
      if (Line* data = l1_.find(line)) write_lanes(op, lanes, *data);
      l1_.make_stale(line);
      send(op, LlcKind::Store, lanes, line);
      break;
  }
  return true;
}

bool Core::access_load(MemOp& op, LaneMask lanes, std::uint64_t line) {
  GpuStats& stats = shared_.stats;
  if (const Line* data = l1_.find(line)) {
    ++stats.l1_hits;
    read_lanes(op, lanes, *data);
    shared_.l1_hits.push() = {shared_.now + shared_.params.l1.hit_latency_cycles, &op, lanes};
    return true;
  }
  if (const auto index = l1_.find_mshr(line)) {
    auto& waiters = l1_.mshr(*index).waiters;
    if (waiters.size() >= shared_.params.l1.merges) return false;
    ++stats.l1_merges;
    waiters.push_back({&op, lanes});
    return true;
  }
  if (!l1_.mshr_free() || llc_.full(index_)) return false;
  ++stats.l1_misses;
  const std::uint16_t index = l1_.allocate_mshr(line);
  l1_.mshr(index).waiters.push_back({&op, lanes});
  LlcRequest& request = llc_.push(index_);
  request.kind = LlcKind::Fill;
  request.l1_mshr = index;
  request.line = line;
  request.mask = kAllBytes;
  return true;
}

void Core::send(MemOp& op, LlcKind kind, LaneMask lanes, std::uint64_t line) {
  LlcRequest& request = llc_.push(index_);
  request.kind = kind;
  request.lanes = lanes;
  request.op = &op;
  request.line = line;
  request.mask = lanes_mask(op, lanes);
  if (kind == LlcKind::Store) write_lanes(op, lanes, request.data);
}

void Core::l1_fill(std::uint16_t mshr, const Line& data) {
  L1Cache::Mshr& entry = l1_.mshr(mshr);
  if (!entry.stale) l1_.fill(entry.line, data);
  for (const L1Cache::Waiter& waiter : entry.waiters) {
    read_lanes(*waiter.op, waiter.lanes, data);
    complete(waiter.op, waiter.lanes);
  }
  l1_.release_mshr(mshr);
  queue_popped();  // whatever blocked the load/store unit may be gone
}

void Core::complete(MemOp* op, LaneMask lanes) {
  op->pending &= ~lanes;
  if (op->pending == 0) op->warp->op_done(op);
}

}  // namespace cxlgpu
