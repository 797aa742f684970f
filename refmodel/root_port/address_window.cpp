// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/address_window.hpp"

#include <algorithm>
#include <bit>

namespace cxlgpu {
namespace {

constexpr std::uint64_t kLineEnd = std::uint64_t{1} << 46;
constexpr unsigned kLinesPerGranule = 4;
constexpr std::uint64_t kMaxGranules = 4;

struct Bounds {  // lines; end is exclusive
  std::uint64_t start, end;
};

Bounds unshifted(std::uint64_t line, Gran gran) {
  const std::uint64_t g = std::max(granules_of(gran), 1u) * kLinesPerGranule;
  return {line - std::min(line, g), std::min(line + g, kLineEnd)};
}

GranuleRun to_granules(std::uint64_t line, Bounds w) {
  const std::uint64_t own = line / kLinesPerGranule;
  std::uint64_t s = std::min((w.start + 2) / kLinesPerGranule, own);
  std::uint64_t e = std::max((w.end + 2) / kLinesPerGranule, own + 1);
  if (e - s > kMaxGranules) {
    s = std::min(std::max(s, e - kMaxGranules), own);
    e = std::min(e, s + kMaxGranules);
  }
  return {s, static_cast<unsigned>(e - s - 1)};
}

// below, above: how many entries count against the start and the end.
GranuleRun shifted(std::uint64_t line, Bounds w, std::uint64_t below, std::uint64_t above) {
  w.start = std::min(w.start + below, line);
  w.end = std::max(w.end - std::min(w.end, above), line + 1);
  return to_granules(line, w);
}

// In directional mode an entry counts only inside the window, on its side of the load.
template <typename ForEach>
std::uint64_t count_inside(std::uint64_t first, std::uint64_t end, ForEach for_each) {
  std::uint64_t n = 0;
  for_each([&](std::uint64_t entry) { n += entry - first < end - first; });
  return n;
}

auto each(std::span<const std::uint64_t> lines) {
  return [lines](auto visit) {
    for (std::uint64_t line : lines) visit(line);
  };
}

auto each(LineTable table) {
  return [table](auto visit) {
    for (std::uint64_t left = table.valid; left != 0; left &= left - 1) {
      visit(table.line[std::countr_zero(left)]);
    }
  };
}

std::uint64_t size_of(std::span<const std::uint64_t> lines) {
  return lines.size();
}
std::uint64_t size_of(LineTable table) {
  return std::popcount(table.valid);
}

template <typename Entries>
GranuleRun window(std::uint64_t line, Gran gran, bool directional, Entries mem, Entries sr) {
  const Bounds w = unshifted(line, gran);
  if (!directional) return shifted(line, w, size_of(mem), size_of(sr));
  return shifted(line, w, count_inside(w.start, line, each(mem)),
                 count_inside(line + 1, w.end, each(sr)));
}

}  // namespace

GranuleRun compute_window(std::uint64_t line, Gran gran, bool directional,
                          std::span<const std::uint64_t> mem_lines,
                          std::span<const std::uint64_t> sr_lines, unsigned clip_log2) {
  return clip_to_chunk(window(line, gran, directional, mem_lines, sr_lines), line, clip_log2);
}

GranuleRun compute_window(std::uint64_t line, Gran gran, bool directional, LineTable mem,
                          LineTable sr, unsigned clip_log2) {
  return clip_to_chunk(window(line, gran, directional, mem, sr), line, clip_log2);
}

}  // namespace cxlgpu
