// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/lsu.hpp"

#include "sim/gpu/warp.hpp"

namespace cxlgpu {

Lsu::Lsu(GpuShared& shared, Llc& llc, std::uint32_t core)
    : shared_(shared),
      llc_(llc),
      core_(core),
      l1_(shared.params.l1, shared.params.seed + core + 1),
      buffer_(shared.params.store_buffer),
      scratchpad_(shared.params.scratchpad) {}

void Lsu::run() {
  if (queue_.front() == nullptr) {
    const Step step = write_out_one();
    blocked_ = step == Step::Blocked;
    if (step == Step::Done) {
      write_out_at_ = 0;
      queue_.pop();
    }
    return;
  }
  MemOp& op = *queue_.front();
  if (is_scratch(op.kind)) return scratch(op);
  if (op.kind == OpKind::Prefetch) {
    prefetch(&op);
    queue_.pop();
    return;
  }
  // One line: that of the lowest unsent lane, with every lane in it.
  const std::uint64_t line = line_of(op.addr[first_lane(op.to_send)]);
  LaneMask lanes = op.to_send;
  if (!op.one_line) {
    lanes = 0;
    for (LaneMask m = op.to_send; m != 0; m &= m - 1) {
      const unsigned lane = first_lane(m);
      lanes |= LaneMask{(op.addr[lane] ^ line) < kLineBytes} << lane;  // the same line
    }
  }
  const Step step = access(op, lanes, line);
  if (step != Step::Done) {
    blocked_ = step == Step::Blocked;
    return;
  }
  op.to_send &= ~lanes;
  if (op.to_send == 0) queue_.pop();
}

Lsu::Step Lsu::access(MemOp& op, LaneMask lanes, std::uint64_t line) {
  if (llc_.uncached(line)) {
    if (llc_.full(core_)) return Step::Blocked;
    send(op, op.kind == OpKind::Store ? LlcKind::Store : LlcKind::Load, lanes, line);
    return Step::Done;
  }
  if (op.kind == OpKind::Load) return load(op, lanes, line);
  if (op.kind == OpKind::Store) return store(op, lanes, line);
  // Past the L1.
  if (llc_.full(core_)) return Step::Blocked;
  const bool atomic = op.kind == OpKind::Atomic;
  if (gathers()) {
    const Step first = atomic && buffer_.enabled() ? write_out_one() : write_out_line(line);
    if (first != Step::Done) return first;
  }
  if (atomic) {
    l1_.invalidate(line);
    l1_.make_stale(line);
  }
  send(op, atomic ? LlcKind::Atomic : LlcKind::Load, lanes, line);
  return Step::Done;
}

Lsu::Step Lsu::load(MemOp& op, LaneMask lanes, std::uint64_t line) {
  if (l1_.back()) {
    if (const auto way = l1_.way_of(line)) {
      const std::uint64_t needed = lanes_mask(op, lanes);
      if ((l1_.written(*way).valid & needed) != needed) {
        // The LLC puts the line together; behind the write-back in the queue to it.
        const Step first = write_out_line(line);
        if (first == Step::Done) l1_.drop(*way);
        return first == Step::Done ? Step::Again : first;
      }
    }
  }
  if (const Line* data = l1_.find(line)) {
    hit(op, lanes, *data);
    return Step::Done;
  }
  return miss(op, lanes, line);
}

void Lsu::hit(MemOp& op, LaneMask lanes, const Line& data) {
  ++shared_.stats.l1_hits;
  read_lanes(op, lanes, data);
  shared_.l1_hits.push() = {shared_.now + shared_.params.l1.hit_latency_cycles, &op, lanes};
}

Lsu::Step Lsu::miss(MemOp& op, LaneMask lanes, std::uint64_t line) {
  GpuStats& stats = shared_.stats;
  if (const auto index = l1_.find_mshr(line)) {
    auto& waiters = l1_.mshr(*index).waiters;
    if (waiters.size() >= shared_.params.l1.merges) return Step::Blocked;
    ++stats.l1_merges;
    waiters.push_back({&op, lanes});
    return Step::Done;
  }
  if (!l1_.mshr_free() || llc_.full(core_)) return Step::Blocked;
  if (buffer_.enabled()) {
    const Step first = write_out_line(line);
    if (first != Step::Done) return first;
  }
  ++stats.l1_misses;
  const std::uint16_t index = l1_.allocate_mshr(line);
  l1_.mshr(index).waiters.push_back({&op, lanes});
  LlcRequest& request = llc_.push(core_);
  request.kind = LlcKind::Fill;
  request.l1_mshr = index;
  request.line = line;
  request.mask = kAllBytes;
  return Step::Done;
}

Lsu::Step Lsu::store(MemOp& op, LaneMask lanes, std::uint64_t line) {
  if (!llc_.persists(line)) {
    if (l1_.back()) return store_back(op, lanes, line);
    if (buffer_.enabled()) return store_buffered(op, lanes, line);
  }
  if (llc_.full(core_)) return Step::Blocked;
  ++shared_.stats.l1_stores;
  if (Line* data = l1_.find(line)) write_lanes(op, lanes, *data);
  l1_.make_stale(line);
  send(op, LlcKind::Store, lanes, line);
  return Step::Done;
}

Lsu::Step Lsu::store_buffered(MemOp& op, LaneMask lanes, std::uint64_t line) {
  StoreBuffer::Entry* entry = buffer_.find(line);
  if (entry == nullptr) {
    if (buffer_.full()) {
      if (llc_.full(core_)) return Step::Blocked;
      write_out(buffer_.oldest());
    }
    entry = &buffer_.add(line);
  } else {
    ++shared_.stats.stores_gathered;
  }
  ++shared_.stats.l1_stores;
  if (Line* data = l1_.find(line)) write_lanes(op, lanes, *data);
  l1_.make_stale(line);
  entry->mask |= lanes_mask(op, lanes);
  write_lanes(op, lanes, entry->data);
  entry->stores.push_back({&op, lanes});
  return Step::Done;
}

Lsu::Step Lsu::store_back(MemOp& op, LaneMask lanes, std::uint64_t line) {
  auto way = l1_.way_of(line);
  if (way) {
    l1_.use(*way);
    if (l1_.dirty(*way)) ++shared_.stats.stores_gathered;
  } else {
    way = l1_.room_for(line);
    if (l1_.dirty(*way)) {
      if (llc_.full(core_)) return Step::Blocked;
      write_out(*way);
    }
    l1_.claim(*way, line);
    l1_.make_stale(line);
  }
  ++shared_.stats.l1_stores;
  L1Cache::Written& written = l1_.written(*way);
  const std::uint64_t mask = lanes_mask(op, lanes);
  written.valid |= mask;
  written.dirty |= mask;
  write_lanes(op, lanes, l1_.data(*way));
  written.stores.push_back({&op, lanes});
  return Step::Done;
}

Lsu::Step Lsu::write_out_line(std::uint64_t line) {
  if (StoreBuffer::Entry* entry = buffer_.find(line)) {
    if (llc_.full(core_)) return Step::Blocked;
    write_out(*entry);
    return Step::Again;
  }
  if (!l1_.back()) return Step::Done;
  const auto way = l1_.way_of(line);
  if (!way || !l1_.dirty(*way)) return Step::Done;
  if (llc_.full(core_)) return Step::Blocked;
  write_out(*way);
  return Step::Again;
}

Lsu::Step Lsu::write_out_one() {
  if (buffer_.enabled()) {
    if (buffer_.empty()) return Step::Done;
    if (llc_.full(core_)) return Step::Blocked;
    write_out(buffer_.oldest());
    return Step::Again;
  }
  while (write_out_at_ < l1_.ways() && !l1_.dirty(write_out_at_)) ++write_out_at_;
  if (write_out_at_ == l1_.ways()) return Step::Done;
  if (llc_.full(core_)) return Step::Blocked;
  write_out(write_out_at_++);
  return Step::Again;
}

void Lsu::write_out(StoreBuffer::Entry& entry) {
  send_gathered(entry.line, entry.mask, entry.stores).data = entry.data;
  buffer_.remove(entry);
}

void Lsu::write_out(std::size_t way) {
  L1Cache::Written& written = l1_.written(way);
  send_gathered(l1_.line_in(way), written.dirty, written.stores).data = l1_.data(way);
  written.dirty = 0;
}

LlcRequest& Lsu::send_gathered(std::uint64_t line, std::uint64_t mask,
                               std::vector<LineWaiter>& stores) {
  if (free_groups_.empty()) {
    free_groups_.push_back(static_cast<std::uint16_t>(groups_.size()));
    groups_.emplace_back();
  }
  const std::uint16_t group = free_groups_.back();
  free_groups_.pop_back();
  groups_[group].swap(stores);  // the one that comes back is empty
  LlcRequest& request = llc_.push(core_);
  request.kind = LlcKind::Store;
  request.l1_mshr = group;
  request.lanes = 0;
  request.op = nullptr;
  request.line = line;
  request.mask = mask;
  return request;
}

void Lsu::written(std::uint16_t group) {
  // Completing one may run a program that stores; nothing opens a group meanwhile.
  for (const LineWaiter& store : groups_[group]) complete(store.op, store.lanes);
  groups_[group].clear();
  free_groups_.push_back(group);
}

void Lsu::send(MemOp& op, LlcKind kind, LaneMask lanes, std::uint64_t line) {
  LlcRequest& request = llc_.push(core_);
  request.kind = kind;
  request.lanes = lanes;
  request.op = &op;
  request.line = line;
  request.mask = lanes_mask(op, lanes);
  if (kind == LlcKind::Store) write_lanes(op, lanes, request.data);
}

void Lsu::scratch(MemOp& op) {
  const LaneMask lanes = op.to_send;
  const std::uint32_t cycles = scratchpad_.access(op, lanes);
  ++shared_.stats.scratch_accesses;
  shared_.stats.scratch_conflict_cycles += cycles - 1;
  op.to_send = 0;
  queue_.pop();
  shared_.at({.due = shared_.now + shared_.params.scratchpad.latency_cycles + cycles - 1,
              .kind = GpuShared::Timed::Kind::Data,
              .op = &op,
              .lanes = lanes});
  if (cycles > 1) {
    busy_ = true;
    shared_.at(
        {.due = shared_.now + cycles, .kind = GpuShared::Timed::Kind::LsuFree, .core = core_});
  }
}

void Lsu::prefetch(MemOp* op) {
  const auto [hints, dropped] = shared_.prefetches.push(op->addr[0], op->addr[1]);
  shared_.stats.hints += hints;
  if (dropped) shared_.stats.hints_dropped += hints;
  shared_.pool.release(op);
}

void Lsu::pass_prefetches() {
  for (std::size_t n = queue_.size(); n != 0; --n) {
    MemOp* const op = queue_.front();
    queue_.pop();
    if (op == nullptr || op->kind != OpKind::Prefetch) {
      queue_.push() = op;
    } else {
      prefetch(op);
    }
  }
}

void Lsu::l1_fill(std::uint16_t mshr, const Line& data) {
  L1Cache::Mshr& entry = l1_.mshr(mshr);
  if (!entry.stale) {
    const std::size_t way = l1_.room_for(entry.line);
    const bool dirty = l1_.dirty(way);
    if (dirty && !llc_.full(core_)) write_out(way);
    if (!l1_.dirty(way)) l1_.fill(way, entry.line, data);
  }
  for (const LineWaiter& waiter : entry.waiters) {
    read_lanes(*waiter.op, waiter.lanes, data);
    complete(waiter.op, waiter.lanes);
  }
  l1_.release_mshr(mshr);
  queue_popped();  // whatever blocked the unit may be gone
}

void Lsu::queue_popped() {
  if (!blocked_) return;
  blocked_ = false;
  shared_.wake(core_);
}

void Lsu::complete(MemOp* op, LaneMask lanes) {
  op->pending &= ~lanes;
  if (op->pending == 0) op->warp->op_done(op);
}

}  // namespace cxlgpu
