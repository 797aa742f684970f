// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/persist/host_persist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <tuple>

#include "common/input_error.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint32_t kHostIds = 0x8000, kHostIdCount = 0x4000;

Time time_of(std::uint64_t bytes, double gb_s) {
  return Time{static_cast<std::uint64_t>(static_cast<double>(bytes) * 1000 / gb_s)};
}

}  // namespace

bool HostPersist::GpuSide::submit(const MemRequest& request) {
  if (!host_.in_host_memory(request.addr)) return behind().submit(request);
  MemResponse response{.id = request.id, .is_write = request.is_write};
  std::uint64_t bytes = kLineBytes;
  if (request.is_write) {
    host_.host_memory_.write_line(request.addr, request.data, request.byte_enable);
    bytes = static_cast<std::uint64_t>(std::popcount(request.byte_enable));
  } else {
    response.data = host_.host_memory_.read_line(request.addr);
  }
  const PcieConfig& pcie = host_.params_.pcie;
  const HostPersistCosts& costs = host_.params_.costs;
  link_free_ = std::max(link_free_, now()) +
               time_of(bytes, costs.link_gb_s * pcie.lanes / pcie.measured_lanes);
  local_.emplace(link_free_ + Time{request.is_write ? costs.write_ps : costs.read_ps}, response);
  return true;
}

std::optional<MemResponse> HostPersist::GpuSide::take() {
  std::optional<MemResponse> response;
  if (!answers_.empty()) {
    response = answers_.front();
    answers_.pop_front();
  } else if (!local_.empty() && local_.begin()->first <= now()) {
    response = local_.begin()->second;
    local_.erase(local_.begin());
  }
  return response;
}

HostPersist::HostPersist(const HostPersistParams& params, Gpu& gpu, StoreWatcher* caches,
                         const Backdoor& memory, const Journal* journal)
    : params_(params),
      gpu_(gpu),
      caches_(caches),
      link_(params.pcie),
      images_(params.map.persistent_base, params.piece_bytes),
      side_(*this),
      journal_(journal) {
  const std::uint64_t room = params.map.hdm_base + params.map.hdm_size - params.map.persistent_base;
  if (params.by != PersistBy::Ndp && images_.room() > room) {
    throw InputError(fmt::format(
        "persist.by: two images of {} bytes do not fit in the {} bytes of the persistent range; "
        "raise that of hdm.ranges or lower the workload's size",
        params.piece_bytes, room));
  }
  if (params.by == PersistBy::Ndp) {
    std::vector<std::uint8_t> bytes(params.piece_bytes);
    memory.peek(params.map.persistent_base, bytes);
    host_memory_.poke(params.map.persistent_base, bytes);
  } else if (const auto found = images_.newest(memory)) {
    sequence_ = found->sequence;
  }
  gpu.hold_kernels(this);
  gpu.watch_stores(this);
}

std::uint64_t HostPersist::promised(std::size_t events) const {
  const auto after = promises_.upper_bound(events);
  return after == promises_.begin() ? 0 : std::prev(after)->second;
}

bool HostPersist::holds() {
  return std::exchange(dirty_, false);
}

void HostPersist::stored(std::uint64_t, const Line&, std::uint64_t) {
  dirty_ = true;
}

void HostPersist::step(Engine& engine) {
  side_.put_before(engine);
  while (const auto response = engine.take()) {
    if (response->id >= kHostIds) {
      --out_;
    } else {
      side_.answers_.push_back(*response);
    }
  }
  refused_ = false;
  gpu_.step(side_);
  const Time now = engine.now();
  if (phase_ == Phase::Idle && gpu_.held()) {
    ++counters_.turns;
    begin(Phase::Seen, Time{params_.costs.sync_ps}, now);
  }
  if (phase_ == Phase::Idle && gpu_.done() && !cached_.empty()) {
    begin(Phase::Evict, Time{0}, now);
    next_line_ = now;
    interval_ = Time{0};
    lines_.assign(cached_.begin(), cached_.end());
    counters_.written_bytes += lines_.size() * kLineBytes;
    cached_.clear();
  }
  pump(now);
  act(now);
  pump(now);
}

Time HostPersist::next_event() const {
  Time next = gpu_.next_event();
  if (!side_.local_.empty()) next = std::min(next, side_.local_.begin()->first);
  if (phase_ == Phase::Idle) return next;
  const Time now = side_.behind().now();
  if (phase_end_ > now) next = std::min(next, phase_end_);
  if (!lines_.empty() && out_ < params_.costs.lines && !refused_) {
    next = std::min(next, std::max(next_line_, now + kCycle));
  }
  return next;
}

bool HostPersist::done() const {
  return gpu_.done() && phase_ == Phase::Idle && cached_.empty() && out_ == 0;
}

void HostPersist::begin(Phase phase, Time for_so_long, Time now) {
  phase_ = phase;
  phase_start_ = now;
  phase_end_ = now + for_so_long;
}

void HostPersist::end(Time& of, Time now) {
  of += now - phase_start_;
}

std::vector<std::uint8_t> HostPersist::piece() const {
  std::vector<std::uint8_t> bytes(params_.piece_bytes);
  const bool ndp = params_.by == PersistBy::Ndp;
  const std::uint64_t base = ndp ? params_.map.persistent_base : params_.map.staged_base();
  for (std::uint64_t at = 0; at < bytes.size(); at += kLineBytes) {
    const Line line = ndp ? host_memory_.read_line(base + at) : gpu_.peek(base + at);
    std::copy(line.begin(), line.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return bytes;
}

double HostPersist::flush_gb_s() const {
  const auto index = static_cast<std::size_t>(std::countr_zero(params_.costs.threads));
  return params_.costs.flush_gb_s.at(index);
}

void HostPersist::send(const std::vector<std::uint8_t>& bytes, std::uint64_t to, Time at,
                       double gb_s) {
  next_line_ = at;
  interval_ = time_of(kLineBytes, gb_s);
  counters_.written_bytes += bytes.size();
  for (std::uint64_t offset = 0; offset < bytes.size(); offset += kLineBytes) {
    Line line;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), kLineBytes, line.begin());
    lines_.emplace_back(to + offset, line);
  }
}

// What a commit writes of its own, each line with the number of the commit.
void HostPersist::send_journal(Time now) {
  next_line_ = now;
  interval_ = Time{0};
  counters_.journal_bytes += params_.costs.journal_bytes;
  Line line;
  line.fill(static_cast<std::uint8_t>(sequence_));
  for (std::uint64_t at = 0; at < params_.costs.journal_bytes; at += kLineBytes) {
    const std::uint64_t place = (sequence_ * params_.costs.journal_bytes + at);
    lines_.emplace_back(images_.journal() + place % HostImages::kJournalBytes, line);
  }
}

// The image in the host's caches: safe line by line.
void HostPersist::keep(const std::vector<std::uint8_t>& image) {
  const std::uint64_t to = images_.image(sequence_);
  for (std::uint64_t at = 0; at < image.size(); at += kLineBytes) {
    Line line;
    std::copy_n(image.begin() + static_cast<std::ptrdiff_t>(at), kLineBytes, line.begin());
    cached_[to + at] = line;
    if (caches_ != nullptr) caches_->stored(to + at, line, kAllBytes);
  }
}

void HostPersist::pump(Time now) {
  if (submitted_ != now) taken_ = 0;
  while (!lines_.empty() && next_line_ <= now && out_ < params_.costs.lines &&
         taken_ < side_.behind().lines_per_cycle()) {
    MemRequest request;
    request.id = kHostIds + next_id_;
    request.is_write = true;
    std::tie(request.addr, request.data) = lines_.front();
    if (!side_.behind().submit(request)) {
      refused_ = true;
      return;
    }
    next_id_ = (next_id_ + 1) % kHostIdCount;
    lines_.pop_front();
    ++out_;
    ++taken_;
    submitted_ = now;
    next_line_ = std::max(next_line_ + interval_, now);
  }
}

void HostPersist::act(Time now) {
  if (phase_ == Phase::Idle || now < phase_end_) return;
  const HostPersistCosts& costs = params_.costs;
  const std::uint64_t bytes = params_.piece_bytes;
  const PersistBy by = params_.by;
  const auto finish = [&] {
    phase_ = Phase::Idle;
    if (journal_ != nullptr) promises_[journal_->events().size()] = sequence_;
    gpu_.go_on(costs.launch_ps / kCycle.ps);
  };
  switch (phase_) {
    case Phase::Idle:
      break;
    case Phase::Seen:
      end(counters_.wait, now);
      if (by == PersistBy::Ndp) {
        begin(Phase::Flush, Time{0}, now);
        send(piece(), params_.map.persistent_base, now, flush_gb_s());
      } else {
        begin(Phase::Copy, link_.contiguous(bytes, false), now);
      }
      break;
    case Phase::Copy:
      end(counters_.copy, now);
      counters_.copied_bytes += bytes;
      ++sequence_;
      if (by == PersistBy::CapFs) {
        const Time call{params_.syscall_ps + params_.file_system_ps};
        begin(Phase::File, call, now);
        send(images_.make(sequence_, piece()), images_.image(sequence_), now + call,
             costs.copy_gb_s);
      } else {
        begin(Phase::File, Time{costs.bounce_ps} + time_of(bytes, costs.copy_gb_s), now);
      }
      break;
    case Phase::File:
      if (by == PersistBy::CapFs && !lines_.empty()) break;
      end(counters_.file, now);
      if (by == PersistBy::CapFs) {
        begin(Phase::Commit, Time{params_.syscall_ps + costs.commit_ps}, now);
        send_journal(now);
      } else if (by == PersistBy::CapMm) {
        begin(Phase::Flush, Time{0}, now);
        send(images_.make(sequence_, piece()), images_.image(sequence_), now, flush_gb_s());
      } else {
        keep(images_.make(sequence_, piece()));
        finish();
      }
      break;
    case Phase::Flush:
    case Phase::Commit:
      if (!sent()) break;
      end(counters_.flush, now);
      finish();
      break;
    case Phase::Evict:
      if (sent()) phase_ = Phase::Idle;
      break;
  }
}

}  // namespace cxlgpu
