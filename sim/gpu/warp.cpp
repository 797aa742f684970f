// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/warp.hpp"

#include <fmt/format.h>

#include "common/input_error.hpp"
#include "sim/gpu/core.hpp"

namespace cxlgpu {

Warp::Warp(Core& core, std::uint32_t id, std::uint32_t slot)
    : core_(core),
      id_(id),
      slot_(slot),
      count_(core.shared().params.cores * core.shared().params.warps),
      width_(core.shared().params.threads) {}

WorkRange Warp::work(std::uint64_t n, Distribution distribution) const {
  if (distribution == Distribution::Interleaved) {
    return {std::min<std::uint64_t>(n, std::uint64_t{id_} * width_), n,
            std::uint64_t{count_} * width_};
  }
  // Whole vectors, as evenly as they go.
  const std::uint64_t vectors = (n + width_ - 1) / width_;
  const std::uint64_t each = vectors / count_, extra = vectors % count_;
  const std::uint64_t first = id_ * each + std::min<std::uint64_t>(id_, extra);
  const std::uint64_t end = first + each + (id_ < extra ? 1 : 0);
  return {std::min(n, first * width_), std::min(n, end * width_), width_};
}

MemOp* Warp::new_op(OpKind kind, unsigned bytes, LaneMask mask) {
  mask &= full_mask();
  if (mask == 0) return nullptr;
  MemOp* op = core_.shared().pool.get();
  op->warp = this;
  op->kind = kind;
  op->bytes = static_cast<std::uint8_t>(bytes);
  op->width = static_cast<std::uint8_t>(width_);
  op->references = has_result(kind) ? 2 : 1;
  op->to_send = op->pending = mask;
  const bool all = mask == full_mask() && width_ % MemOp::kChunk == 0;  // each is written
  if (has_result(kind) && !all) op->clear_value();
  return op;
}

MemOp* Warp::empty_op() {
  MemOp* op = core_.shared().pool.get();
  op->warp = this;
  op->references = 1;
  op->to_send = op->pending = 0;
  op->width = static_cast<std::uint8_t>(width_);
  op->value.fill(0);  // of elements of any size
  return op;
}

void Warp::append(const Instruction& instruction) {
  const bool was_empty = instructions_.empty();
  instructions_.push() = instruction;
  if (was_empty) core_.refresh(*this);
}

void Warp::append_arithmetic(std::uint32_t n, Unit unit, LaneMask lanes, bool chain) {
  lanes &= full_mask();
  if (n == 0 || lanes == 0) return;
  const auto count =
      static_cast<std::uint8_t>(lanes == full_mask() ? width_ : std::popcount(lanes));
  if (!instructions_.empty() && core_.shared().params.units.latency(unit) == 1) {
    // One that nothing ever waits for: more of the same.
    Instruction& last = instructions_.back();
    if (last.op == nullptr && last.count != 0 && last.unit == unit && last.lanes == count) {
      last.count += n;
      return;
    }
  }
  append({.count = n, .unit = unit, .lanes = count, .chain = chain});
}

void Warp::check_shared(std::uint64_t at, std::uint64_t n, std::uint64_t bytes) const {
  const std::uint32_t size = core_.shared().params.scratchpad.size_bytes;
  if (at % bytes == 0 && at + n * bytes <= size) return;
  throw InputError(fmt::format(
      "gpu.scratchpad_bytes: the kernel wants {} elements of {} B from byte {} on of {}; raise it",
      n, bytes, at, size));
}

void Warp::prefetch(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return;
  MemOp* op = new_op(OpKind::Prefetch, 1, lane_bit(0));
  op->addr[0] = address;
  op->addr[1] = bytes;
  append({.op = op});
}

Warp::Pause Warp::fence() {
  append({.write_out = true});
  return {*this, Wait::Fence};
}

Warp::Pause Warp::fence_system() {
  append({.write_out = true});
  return {*this, Wait::Persist};
}

std::uint64_t Warp::clock() const {
  return core_.shared().now;
}

Warp::PersistPause Warp::persist() {
  append({.write_out = true});
  core_.shared().persisting[id_].since = core_.shared().now;
  return {{*this, Wait::Persist}};
}

bool Warp::persist_over() {
  GpuStats& stats = core_.shared().stats;
  GpuShared::Persisting& mine = core_.shared().persisting[id_];
  const std::uint64_t took = core_.shared().now - mine.since;
  ++stats.persists;
  stats.persist_cycles += took;
  stats.persist_longest = std::max(stats.persist_longest, took);
  const bool refused = std::exchange(mine.refused, false);
  if (refused) ++stats.persists_refused;
  return !refused;
}

void Warp::persist_begun() {
  ++core_.shared().persisting[id_].writes;
}

void Warp::persist_done(bool refused) {
  GpuShared::Persisting& mine = core_.shared().persisting[id_];
  if (refused) mine.refused = true;
  if (--mine.writes == 0 && wait_ == Wait::Persist) settle();
}

Warp::Pause Warp::barrier() {
  append({.write_out = true});
  return {*this, Wait::Barrier};
}

Warp::Pause Warp::split() {
  core_.shared().split = true;
  return barrier();
}

Warp::Pause Warp::core_barrier() {
  append({});
  return {*this, Wait::CoreBarrier};
}

void Warp::drop_handle(MemOp* op) {
  core_.shared().pool.release(op);
}

bool Warp::satisfied(Wait wait) const {
  if (!instructions_.empty()) return false;
  switch (wait) {
    case Wait::Ops:
      for (std::size_t i = 0; i < awaited_count_; ++i) {
        if (!awaited_[i]->done()) return false;
      }
      return true;
    case Wait::Drain:
    case Wait::CoreBarrier:
      return true;
    case Wait::Loads:
      return loads_ == 0;
    case Wait::Fence:
      return stores_ == 0;
    case Wait::Persist:
      return loads_ == 0 && stores_ == 0 && core_.shared().persisting[id_].writes == 0;
    case Wait::Barrier:
    case Wait::Finish:
      return loads_ == 0 && stores_ == 0;
    case Wait::None:
    case Wait::Arrived:
    case Wait::CoreArrived:
    case Wait::Finished:
      return false;
  }
  return false;
}

void Warp::settle() {
  while (satisfied(wait_)) {
    if (wait_ == Wait::Barrier) {
      wait_ = Wait::Arrived;
      core_.warp_arrived();
      return;
    }
    if (wait_ == Wait::CoreBarrier) {
      wait_ = Wait::CoreArrived;
      core_.warp_at_core_barrier();
      return;
    }
    if (wait_ == Wait::Finish) {
      wait_ = Wait::Finished;
      core_.warp_finished();
      return;
    }
    wait_ = Wait::None;
    task_.resume();
    if (task_.done()) {
      task_.rethrow();
      wait_ = Wait::Finish;
      if (core_.gathers_stores()) append({.write_out = true});
    }
  }
}

void Warp::op_done(MemOp* op) {
  if (is_store(op->kind)) {
    --stores_;
  } else {
    if (loads_-- == core_.shared().params.loads_per_warp) core_.refresh(*this);
  }
  core_.shared().pool.release(op);
  settle();
}

}  // namespace cxlgpu
