// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/sparse_store.hpp"

#include <algorithm>
#include <cstring>

namespace cxlgpu {

namespace {
constexpr unsigned kInitialBits = 6;
}

SparseStore::SparseStore() : table_(std::size_t{1} << kInitialBits), shift_(64 - kInitialBits) {}

// The entry of `page`, or the free one where it would go.
std::size_t SparseStore::find(std::uint64_t page) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = (page * 0x9e3779b97f4a7c15ull) >> shift_;
  while (table_[at].page != page && table_[at].page != kEmpty) at = (at + 1) & mask;
  return at;
}

const SparseStore::Page* SparseStore::lookup(std::uint64_t page) const {
  return table_[find(page)].bytes;
}

SparseStore::Page& SparseStore::touch(std::uint64_t page) {
  std::size_t at = find(page);
  if (table_[at].page == kEmpty) {
    if ((used_ + 1) * 4 > table_.size() * 3) {
      grow();
      at = find(page);
    }
    if (used_ % kChunkPages == 0)
      chunks_.push_back(std::make_unique_for_overwrite<Page[]>(kChunkPages));
    Page& fresh = chunks_.back()[used_ % kChunkPages];  // cleared when used, not before
    fresh.fill(0);
    table_[at] = {page, &fresh};
    ++used_;
  }
  return *table_[at].bytes;
}

void SparseStore::grow() {
  std::vector<Slot> old(table_.size() * 2);
  old.swap(table_);
  --shift_;
  for (const Slot& slot : old) {
    if (slot.page != kEmpty) table_[find(slot.page)] = slot;
  }
}

Line SparseStore::read_line(std::uint64_t addr) const {
  Line line{};
  if (const Page* page = lookup(addr / kPageBytes)) {
    std::memcpy(line.data(), page->data() + addr % kPageBytes, kLineBytes);
  }
  return line;
}

void SparseStore::write_line(std::uint64_t addr, const Line& data, std::uint64_t byte_enable,
                             bool poison) {
  if (poison || byte_enable == kAllBytes) mark(addr, poison);
  if (byte_enable == 0) return;
  merge_bytes(touch(addr / kPageBytes).data() + addr % kPageBytes, data, byte_enable);
}

void SparseStore::read(std::uint64_t addr, std::span<std::uint8_t> to) const {
  while (!to.empty()) {
    const std::size_t n = std::min<std::size_t>(to.size(), kPageBytes - addr % kPageBytes);
    if (const Page* page = lookup(addr / kPageBytes)) {
      std::memcpy(to.data(), page->data() + addr % kPageBytes, n);
    } else {
      std::memset(to.data(), 0, n);
    }
    addr += n;
    to = to.subspan(n);
  }
}

void SparseStore::write(std::uint64_t addr, std::span<const std::uint8_t> from) {
  if (!marked_.empty()) {
    const std::uint64_t first = (addr + kLineBytes - 1) / kLineBytes;
    for (std::uint64_t line = first; line < (addr + from.size()) / kLineBytes; ++line) {
      marked_.erase(line);
    }
  }
  while (!from.empty()) {
    const std::size_t n = std::min<std::size_t>(from.size(), kPageBytes - addr % kPageBytes);
    std::memcpy(touch(addr / kPageBytes).data() + addr % kPageBytes, from.data(), n);
    addr += n;
    from = from.subspan(n);
  }
}

void SparseStore::mark(std::uint64_t addr, bool poison) {
  if (poison) {
    marked_.insert(addr / kLineBytes);
  } else if (!marked_.empty()) {
    marked_.erase(addr / kLineBytes);
  }
}

void SparseStore::copy_marks(const SparseStore& other, std::uint64_t from, std::uint64_t to,
                             std::uint64_t bytes) {
  if (marked_.empty() && other.marked_.empty()) return;
  for (std::uint64_t i = 0; i < bytes; i += kLineBytes) mark(to + i, other.poisoned(from + i));
}

bool SparseStore::same_marks(const SparseStore& other, std::uint64_t from, std::uint64_t to,
                             std::uint64_t bytes) const {
  for (std::uint64_t i = 0; i < bytes; i += kLineBytes) {
    if (poisoned(to + i) != other.poisoned(from + i)) return false;
  }
  return true;
}

std::vector<std::uint64_t> SparseStore::marks() const {
  std::vector<std::uint64_t> addresses;
  addresses.reserve(marked_.size());
  for (const std::uint64_t line : marked_) addresses.push_back(line * kLineBytes);
  std::sort(addresses.begin(), addresses.end());
  return addresses;
}

std::vector<std::uint64_t> SparseStore::pages() const {
  std::vector<std::uint64_t> numbers;
  for (const Slot& slot : table_) {
    if (slot.page != kEmpty) numbers.push_back(slot.page);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::size_t SparseStore::overhead_bytes() const {
  constexpr std::size_t kPerMark = 32;  // a node of the set and its bucket
  return table_.capacity() * sizeof(Slot) + chunks_.capacity() * (sizeof(chunks_[0]) + 16) +
         marked_.size() * kPerMark;
}

}  // namespace cxlgpu
