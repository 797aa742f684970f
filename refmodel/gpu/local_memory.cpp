#include "refmodel/gpu/local_memory.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace cxlgpu {

LocalMemory::LocalMemory(const LocalMemoryParams& params, const SystemMapParams& map)
    : params_(params), base_(map.hdm_base - map.local_bytes), bytes_(map.local_bytes) {}

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

std::uint64_t LocalMemory::schedule(std::uint64_t cycle) {
  const Time start = std::max(free_at_, kCycle * cycle);
  free_at_ = start + Time{kLineBytes * kCycle.ps / params_.bytes_per_cycle};
  return std::max(cycle + 1, ceil_to_cycle(free_at_ + Time{params_.latency_ps}).ps / kCycle.ps);
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
