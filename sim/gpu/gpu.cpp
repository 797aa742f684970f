// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/gpu.hpp"

#include <algorithm>
#include <utility>

namespace cxlgpu {
namespace {

GpuShared make_shared_state(const GpuParams& params, const SystemMapParams& map) {
  GpuShared shared;
  shared.params = params;
  shared.prefetches = PrefetchQueue(params.prefetch_queue, map.hdm_base);
  shared.active_cores = IndexSet(params.cores);
  shared.persisting.resize(std::size_t{params.cores} * params.warps);
  return shared;
}

const SystemMapParams& checked(const GpuParams& params, const SystemMapParams& map) {
  validate(params);
  validate(map);
  return map;
}

}  // namespace

Gpu::Gpu(const GpuParams& params, const SystemMapParams& map)
    : shared_(make_shared_state(params, map)),
      local_(params.local, checked(params, map)),
      llc_(shared_.params, local_, shared_.stats),
      fabric_(params.fabric_cycles),
      warps_(params.cores * params.warps) {
  for (std::uint32_t c = 0; c < params.cores; ++c) {
    cores_.push_back(std::make_unique<Core>(shared_, llc_, c));
  }
}

void Gpu::launch(Kernel kernel, bool recovery) {
  queue_.push_back({std::move(kernel), recovery});
  if (phase_ == Phase::Done) {
    phase_ = Phase::Idle;
    next_cycle_ = 0;
  }
}

void Gpu::step(Engine& engine) {
  const std::uint64_t now = engine.now().ps / kCycle.ps;
  stepped_ = now;
  while (const auto response = engine.take()) fabric_.answer(*response, now);
  bool answered = false;
  for (; fabric_.response_due(now); fabric_.pop_response()) {
    shared_.now = now;
    llc_.respond(fabric_.response(), now);
    answered = true;
  }
  if (answered || now >= next_cycle_) {
    shared_.now = now;
    if (last_tick_ != now) {
      last_tick_ = now;
      tick();
      next_cycle_ = earliest();
    } else {
      next_cycle_ = now + 1;  // answers after this cycle's work: look again
    }
    for (; llc_.bus_pending(); llc_.bus_taken()) fabric_.send(llc_.bus_request(), now);
  }
  if (fabric_.request_due(now)) submit(engine, now);
  if (!shared_.prefetches.empty() || fabric_.hint_due(now)) move_hints(engine, now);
}

Time Gpu::next_event() const {
  if (next_cycle_ <= stepped_ + 1) return kCycle * next_cycle_;  // none of the others is sooner
  std::uint64_t next = std::min(next_cycle_, fabric_.next_response());
  // One that the bus refused waits for the engine, one beyond its lines a cycle for the next cycle.
  if (!refused_) next = std::min(next, std::max(fabric_.next_request(), stepped_ + 1));
  const std::uint64_t hint = shared_.prefetches.empty() ? fabric_.next_hint() : stepped_;
  next = std::min(next, std::max(hint, stepped_ + 1));
  return next == kNever ? Time::never() : kCycle * next;
}

void Gpu::stop(Time now) {
  if (phase_ == Phase::Idle || phase_ == Phase::Done) return;
  shared_.now = std::max(shared_.now, now.ps / kCycle.ps);
  shared_.stats.cycles += shared_.now - start_;
  if (phase_ == Phase::Flushing) shared_.stats.flush_cycles += shared_.now - flush_start_;
  if (phase_ == Phase::Running || phase_ == Phase::Releasing) {
    // They are there from the cycle after the launch on, and this cycle is not counted.
    const std::uint64_t there = std::max(shared_.now, shared_.launched + 1) - shared_.launched - 1;
    shared_.stats.warp_cycles += (warps_ - shared_.finished) * there;
  }
  for (const auto& core : cores_) core->account();
}

void Gpu::submit(Engine& engine, std::uint64_t now) {
  if (last_taken_ != now) taken_ = 0;
  for (; fabric_.request_due(now) && taken_ < engine.lines_per_cycle(); fabric_.pop_request()) {
    if (!engine.submit(fabric_.request())) {
      ++shared_.stats.bus_refusals;
      refused_ = true;  // the engine's next event says when to offer it again
      return;
    }
    refused_ = false;
    last_taken_ = now;
    ++taken_;
  }
}

// One a cycle on each of its ways: into the fabric and onto the bus.
void Gpu::move_hints(Engine& engine, std::uint64_t now) {
  if (hints_moved_ == now) return;
  hints_moved_ = now;
  if (!shared_.prefetches.empty()) fabric_.send_hint(shared_.prefetches.pop(), now);
  if (fabric_.hint_due(now) && engine.hint(fabric_.hint())) fabric_.pop_hint();
}

// The end of the run waits for none.
void Gpu::drop_hints() {
  for (const auto& core : cores_) core->lsu().pass_prefetches();
  std::uint64_t& dropped = shared_.stats.hints_dropped;
  for (; !shared_.prefetches.empty(); ++dropped) shared_.prefetches.pop();
  for (; !fabric_.no_hint(); ++dropped) fabric_.pop_hint();
}

void Gpu::tick() {
  deliver();
  if (llc_.due(shared_.now)) {
    llc_.tick(shared_.now);
    for_each_index(llc_.popped_cores(), [&](std::uint32_t c) { cores_[c]->lsu().queue_popped(); });
  }
  for_each_index(shared_.active_cores, [&](std::uint32_t c) { cores_[c]->tick(); });
  // While kernels run, nothing happens before every warp is at a barrier or at its end.
  if (phase_ != Phase::Running || shared_.arrived + shared_.finished == warps_) advance_phase();
}

// Data that reaches the cores in this cycle.
void Gpu::deliver() {
  auto& hits = shared_.l1_hits;
  while (!hits.empty() && hits.front().due <= shared_.now) {
    const GpuShared::L1Hit hit = hits.front();
    hits.pop();
    Lsu::complete(hit.op, hit.lanes);
  }
  while (!shared_.timed.empty() && shared_.timed.top().due <= shared_.now) {
    const GpuShared::Timed event = shared_.timed.top();
    shared_.timed.pop();
    switch (event.kind) {
      case GpuShared::Timed::Kind::Result:
        cores_[event.core]->result_there(event.index);
        break;
      case GpuShared::Timed::Kind::LsuFree:
        cores_[event.core]->lsu_free();
        break;
      case GpuShared::Timed::Kind::Data:
        Lsu::complete(event.op, event.lanes);
        break;
    }
  }
  while (const LlcAnswer* answer = llc_.answer(shared_.now)) {
    if (answer->kind == LlcKind::Fill) {
      cores_[answer->core]->lsu().l1_fill(answer->l1_mshr, answer->data);
    } else if (answer->op == nullptr) {
      cores_[answer->core]->lsu().written(answer->l1_mshr);
    } else {
      Lsu::complete(answer->op, answer->lanes);
    }
    llc_.pop_answer(shared_.now);
  }
  if (llc_.persist_due() <= shared_.now) llc_.tell_persisted(shared_.now);
}

void Gpu::advance_phase() {
  const std::uint64_t now = shared_.now;
  switch (phase_) {
    case Phase::Idle:
      start_ = now;
      for (const auto& core : cores_) core->start();
      phase_at_ = now + 1 + shared_.params.start_cycles;
      phase_ = Phase::Launching;
      if (queue_.empty()) phase_ = Phase::Done;
      break;
    case Phase::Launching:
      if (now < phase_at_) break;
      phase_ = Phase::Running;
      shared_.arrived = shared_.finished = 0;
      shared_.launched = now;
      running_ = std::move(queue_.front());
      queue_.pop_front();
      for (const auto& core : cores_) core->launch(running_.kernel);
      break;
    case Phase::Running:
      if (shared_.finished == warps_) {
        kernel_ended(now);
      } else if (shared_.arrived != 0 && shared_.arrived + shared_.finished == warps_) {
        const bool split = std::exchange(shared_.split, false);
        phase_ = split && holder_ != nullptr && holder_->holds() ? Phase::Held : Phase::Releasing;
        phase_at_ = now + shared_.params.barrier_cycles;
      }
      break;
    case Phase::Held:
      break;
    case Phase::Releasing:
      if (now < phase_at_) break;
      phase_ = Phase::Running;
      ++shared_.stats.barriers;
      shared_.arrived = 0;
      for (const auto& core : cores_) core->release_barrier();
      break;
    case Phase::Flushing:
      if (!llc_.idle()) break;
      phase_ = Phase::Done;
      drop_hints();
      shared_.stats.flush_cycles += now - flush_start_;
      shared_.stats.cycles += now - start_;
      for (const auto& core : cores_) core->account();
      break;
    case Phase::Done:
      break;
  }
}

void Gpu::kernel_ended(std::uint64_t now) {
  shared_.arrived = 0;
  if (running_.recovery) shared_.stats.recovery_cycles += now - shared_.launched;
  if (holder_ != nullptr && holder_->holds()) {
    phase_ = Phase::Held;
  } else {
    next_kernel(now, shared_.params.launch_cycles);
  }
}

void Gpu::next_kernel(std::uint64_t now, std::uint64_t cycles) {
  if (!queue_.empty()) {
    phase_ = Phase::Launching;
    phase_at_ = now + cycles;
    return;
  }
  phase_ = Phase::Flushing;
  flush_start_ = now;
  llc_.start_flush();
}

void Gpu::go_on(std::uint64_t cycles) {
  if (shared_.arrived != 0) {
    phase_ = Phase::Releasing;
    phase_at_ = stepped_ + cycles;
  } else {
    next_kernel(stepped_, cycles);
  }
  next_cycle_ = stepped_ + 1;
}

void Gpu::dma_write(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::size_t skip = address % kLineBytes;
    const std::size_t step = std::min(bytes.size(), kLineBytes - skip);
    Line data{};
    std::copy_n(bytes.begin(), step, data.begin() + static_cast<std::ptrdiff_t>(skip));
    const std::uint64_t enabled = step == kLineBytes ? kAllBytes : (1ULL << step) - 1;
    llc_.device_write(line_of(address), data, enabled << skip);
    address += step;
    bytes = bytes.subspan(step);
  }
}

bool Gpu::dma_read(std::uint64_t address, std::span<std::uint8_t> bytes) const {
  bool near = true;
  while (!bytes.empty()) {
    const std::size_t skip = address % kLineBytes;
    const std::size_t step = std::min(bytes.size(), kLineBytes - skip);
    const Line data = llc_.peek(line_of(address));
    near = llc_.holds(line_of(address)) && near;
    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(skip), step, bytes.begin());
    address += step;
    bytes = bytes.subspan(step);
  }
  return near;
}

std::uint64_t Gpu::earliest() const {
  const std::uint64_t now = shared_.now;
  if (phase_ == Phase::Done) return kNever;
  if (!shared_.active_cores.empty() || phase_ == Phase::Idle) return now + 1;
  std::uint64_t next = llc_.next_cycle(now);
  if (!shared_.l1_hits.empty()) next = std::min(next, shared_.l1_hits.front().due);
  if (!shared_.timed.empty()) next = std::min(next, shared_.timed.top().due);
  if (phase_ == Phase::Launching || phase_ == Phase::Releasing) next = std::min(next, phase_at_);
  if (phase_ == Phase::Flushing && llc_.idle()) next = now + 1;
  return std::max(next, now + 1);
}

}  // namespace cxlgpu
