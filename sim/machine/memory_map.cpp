// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/memory_map.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cxlgpu {

namespace {
bool uses(const HdmRange& range, unsigned port) {
  return std::find(range.ports.begin(), range.ports.end(), port) != range.ports.end();
}
}  // namespace

std::optional<MemoryMap::Place> MemoryMap::place(std::uint64_t hpa) const {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const HdmRange& range = ranges_[i];
    if (hpa < range.base || hpa - range.base >= range.size) continue;
    const std::uint64_t offset = hpa - range.base;
    const std::uint64_t chunk = offset / range.granularity;
    const std::uint64_t ways = range.ports.size();
    Place place;
    place.port = range.ports[chunk % ways];
    for (std::size_t before = 0; before < i; ++before) {
      if (uses(ranges_[before], place.port))
        place.dpa += ranges_[before].size / ranges_[before].ports.size();
    }
    place.dpa += chunk / ways * range.granularity + offset % range.granularity;
    return place;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> MemoryMap::address(const Place& place) const {
  std::uint64_t begin = 0;
  for (const HdmRange& range : ranges_) {
    const auto way = std::find(range.ports.begin(), range.ports.end(), place.port);
    if (way == range.ports.end()) continue;
    const std::uint64_t ways = range.ports.size(), size = range.size / ways;
    if (place.dpa - begin >= size) {
      begin += size;
      continue;
    }
    const std::uint64_t offset = place.dpa - begin;
    const std::uint64_t chunk =
        offset / range.granularity * ways + static_cast<std::uint64_t>(way - range.ports.begin());
    return range.base + chunk * range.granularity + offset % range.granularity;
  }
  return std::nullopt;
}

std::uint64_t MemoryMap::capacity(const std::vector<HdmRange>& ranges, unsigned port) {
  std::uint64_t total = 0;
  for (const HdmRange& range : ranges) {
    if (uses(range, port)) total += range.size / range.ports.size();
  }
  return total;
}

std::vector<std::string> MemoryMap::differences(const FlatMemory& written, std::size_t most) const {
  std::vector<std::string> found;
  for (const std::uint64_t page : written.pages()) {
    for (std::uint64_t hpa = page; hpa < page + FlatMemory::kPageBytes; hpa += kLineBytes) {
      const auto where = place(hpa);
      if (!where) continue;
      const Line expected = written.read_line(hpa);
      const Line there = media_[where->port]->peek(where->dpa);
      if (there == expected) continue;
      if (found.size() == most) return found;
      std::size_t wrong = 0, first = kLineBytes;
      for (std::size_t i = kLineBytes; i-- > 0;) {
        if (there[i] == expected[i]) continue;
        ++wrong;
        first = i;
      }
      found.push_back(fmt::format(
          "line 0x{:x} (endpoint {}, DPA 0x{:x}): {} bytes wrong, first byte {}: written 0x{:02x}, "
          "there is 0x{:02x}",
          hpa, where->port, where->dpa, wrong, first, expected[first], there[first]));
    }
  }
  return found;
}

void MemoryMap::poke(std::uint64_t hpa, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::size_t step = std::min<std::size_t>(bytes.size(), kLineBytes - hpa % kLineBytes);
    if (const auto where = place(hpa)) media_[where->port]->poke(where->dpa, bytes.first(step));
    hpa += step;
    bytes = bytes.subspan(step);
  }
}

void MemoryMap::peek(std::uint64_t hpa, std::span<std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const std::size_t skip = hpa % kLineBytes;
    const std::size_t step = std::min<std::size_t>(bytes.size(), kLineBytes - skip);
    if (const auto where = place(hpa)) {
      const Line line = media_[where->port]->peek(line_of(where->dpa));
      std::copy_n(line.begin() + static_cast<std::ptrdiff_t>(skip), step, bytes.begin());
    } else {
      std::fill_n(bytes.begin(), step, std::uint8_t{0});
    }
    hpa += step;
    bytes = bytes.subspan(step);
  }
}

}  // namespace cxlgpu
