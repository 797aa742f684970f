// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/host/scoreboard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace cxlgpu {

const FlatMemory::Page* FlatMemory::find(std::uint64_t page) const {
  if (page == last_number_) return last_;
  const auto it = pages_.find(page);
  if (it == pages_.end()) return nullptr;
  last_number_ = page;
  last_ = it->second.get();
  return last_;
}

FlatMemory::Page& FlatMemory::touch(std::uint64_t page) {
  if (page == last_number_) return *last_;
  auto& slot = pages_[page];
  if (!slot) slot = std::make_unique<Page>();
  last_number_ = page;
  last_ = slot.get();
  return *slot;
}

void FlatMemory::poke(std::uint64_t hpa, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::uint64_t offset = hpa % kPageBytes;
    const std::size_t n = std::min<std::uint64_t>(bytes.size(), kPageBytes - offset);
    std::memcpy(touch(hpa / kPageBytes).data() + offset, bytes.data(), n);
    bytes = bytes.subspan(n);
    hpa += n;
  }
}

void FlatMemory::peek(std::uint64_t hpa, std::span<std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const std::uint64_t offset = hpa % kPageBytes;
    const std::size_t n = std::min<std::uint64_t>(bytes.size(), kPageBytes - offset);
    if (const Page* page = find(hpa / kPageBytes)) {
      std::memcpy(bytes.data(), page->data() + offset, n);
    } else {
      std::memset(bytes.data(), 0, n);
    }
    bytes = bytes.subspan(n);
    hpa += n;
  }
}

void FlatMemory::copy(const FlatMemory& from, std::uint64_t begin) {
  for (const auto& [number, page] : from.pages_) {
    if (number * kPageBytes >= begin) touch(number) = *page;
  }
}

std::vector<std::uint64_t> FlatMemory::pages() const {
  std::vector<std::uint64_t> all;
  for (const auto& [number, page] : pages_) all.push_back(number * kPageBytes);
  std::sort(all.begin(), all.end());
  return all;
}

Line FlatMemory::read_line(std::uint64_t addr) const {
  Line line{};
  if (const Page* page = find(addr / kPageBytes)) {
    std::memcpy(line.data(), page->data() + addr % kPageBytes, kLineBytes);
  }
  return line;
}

void FlatMemory::write_line(std::uint64_t addr, const Line& data, std::uint64_t byte_enable) {
  merge_bytes(touch(addr / kPageBytes).data() + addr % kPageBytes, data, byte_enable);
}

std::string to_string(const Mismatch& m) {
  const auto differ = std::mismatch(m.expected.begin(), m.expected.end(), m.got.begin());
  const auto byte = static_cast<std::size_t>(differ.first - m.expected.begin());
  if (byte == kLineBytes) {
    return fmt::format("{} ps: read id {} of {:#x}: lines equal", m.at.ps, m.id, m.addr);
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kLineBytes; ++i) wrong += m.expected[i] != m.got[i];
  return fmt::format(
      "{} ps: read id {} of {:#x} (taken at {} ps): {} bytes wrong, first byte {}: expected "
      "{:#04x}, got {:#04x}",
      m.at.ps, m.id, m.addr, m.submitted.ps, wrong, byte, m.expected[byte], m.got[byte]);
}

bool CheckedEngine::submit(const MemRequest& request) {
  if (!inner_.submit(request)) return false;
  ++outstanding_;
  ++(request.is_write ? writes_ : reads_);
  if (request.is_write) shadow_.write_line(request.addr, request.data, request.byte_enable);
  if (request.id >= kIds) {
    count(id_errors_);
    return true;
  }
  if (request.id >= pending_.size()) pending_.resize(request.id + 1);
  Pending& p = pending_[request.id];
  if (p.valid) count(id_errors_);  // id already outstanding
  p.valid = true;
  p.is_write = request.is_write;
  p.addr = request.addr;
  p.submitted = inner_.now();
  if (!request.is_write) p.expected = shadow_.read_line(request.addr);
  return true;
}

std::optional<MemResponse> CheckedEngine::take() {
  auto response = inner_.take();
  if (!response) return response;
  if (outstanding_ > 0) --outstanding_;
  if (response->error) count(error_responses_);
  if (response->id >= pending_.size() || !pending_[response->id].valid ||
      pending_[response->id].is_write != response->is_write) {
    count(id_errors_);
    return response;
  }
  Pending& p = pending_[response->id];
  p.valid = false;
  if (!p.is_write && !response->error && response->data != p.expected) {
    count(mismatches_);
    if (records_.size() < max_records_) {
      records_.push_back(
          {inner_.now(), p.submitted, response->id, p.addr, p.expected, response->data});
    }
  }
  return response;
}

}  // namespace cxlgpu
