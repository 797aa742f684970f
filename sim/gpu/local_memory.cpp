// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/local_memory.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace cxlgpu {

LocalMemory::LocalMemory(const LocalMemoryParams& params, const SystemMapParams& map)
    : params_(params), base_(map.hdm_base - map.local_bytes), bytes_(map.local_bytes) {
  if (!params.part) return;
  dram_.emplace(*params.part);
  // Rounded down: the part's own answer waits for the next cycle.
  beyond_part_ = (params.latency_ps - params.part->idle_read().ps) / kCycle.ps;
}

Line LocalMemory::read(std::uint64_t addr) const {
  assert(contains(addr));
  Line line;
  std::memcpy(line.data(), bytes_.data() + (addr - base_), kLineBytes);
  return line;
}

void LocalMemory::write(std::uint64_t addr, const Line& data, std::uint64_t byte_enable) {
  assert(contains(addr));
  merge_bytes(bytes_.data() + (addr - base_), data, byte_enable);
}

void LocalMemory::submit(std::uint64_t cycle, std::uint64_t addr, DramAccess access,
                         std::uint32_t token) {
  const Time now = kCycle * cycle;
  if (dram_) {
    dram_->submit(addr - base_, access, token, now);
    update();
    return;
  }
  free_at_ = std::max(free_at_, now) + Time{kLineBytes * kCycle.ps / params_.bytes_per_cycle};
  const Time at = ceil_to_cycle(free_at_ + Time{params_.latency_ps});
  answers_.push() = {std::max(cycle + 1, at.ps / kCycle.ps), token};
  update();
}

std::optional<std::uint32_t> LocalMemory::take(std::uint64_t cycle) {
  if (next_cycle_ > cycle) return std::nullopt;
  while (dram_ && dram_->next_event() <= kCycle * cycle) {
    const Time at = ceil_to_cycle(dram_->next_event());
    while (const auto done = dram_->take(at)) {
      answers_.push() = {at.ps / kCycle.ps + beyond_part_, *done};
    }
  }
  std::optional<std::uint32_t> token;
  if (!answers_.empty() && answers_.front().due <= cycle) {
    token = answers_.front().token;
    answers_.pop();
  }
  update();
  return token;
}

void LocalMemory::update() {
  next_cycle_ = answers_.empty() ? ~std::uint64_t{0} : answers_.front().due;
  if (dram_ && dram_->next_event() != Time::never()) {
    next_cycle_ = std::min(next_cycle_, ceil_to_cycle(dram_->next_event()).ps / kCycle.ps);
  }
}

void LocalMemory::poke(std::uint64_t hpa, std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return;
  assert(contains(hpa) && bytes.size() <= bytes_.size() - (hpa - base_));
  std::memcpy(bytes_.data() + (hpa - base_), bytes.data(), bytes.size());
}

void LocalMemory::peek(std::uint64_t hpa, std::span<std::uint8_t> bytes) const {
  if (bytes.empty()) return;
  assert(contains(hpa) && bytes.size() <= bytes_.size() - (hpa - base_));
  std::memcpy(bytes.data(), bytes_.data() + (hpa - base_), bytes.size());
}

std::size_t SystemMemory::local_part(std::uint64_t hpa, std::size_t bytes) const {
  return hpa >= hdm_base_ ? 0 : std::min<std::uint64_t>(bytes, hdm_base_ - hpa);
}

void SystemMemory::poke(std::uint64_t hpa, std::span<const std::uint8_t> bytes) {
  const std::size_t n = local_part(hpa, bytes.size());
  if (n > 0) local_.poke(hpa, bytes.first(n));
  if (n < bytes.size()) hdm_.poke(hpa + n, bytes.subspan(n));
}

void SystemMemory::peek(std::uint64_t hpa, std::span<std::uint8_t> bytes) const {
  const std::size_t n = local_part(hpa, bytes.size());
  if (n > 0) local_.peek(hpa, bytes.first(n));
  if (n < bytes.size()) hdm_.peek(hpa + n, bytes.subspan(n));
}

}  // namespace cxlgpu
