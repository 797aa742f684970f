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

// What remains of a window of more than four granules.
enum class Keep : std::uint8_t { Ahead, Behind, Middle };

GranuleRun to_granules(std::uint64_t line, Bounds w, Keep keep = Keep::Ahead) {
  const std::uint64_t own = line / kLinesPerGranule;
  std::uint64_t s = std::min((w.start + 2) / kLinesPerGranule, own);
  std::uint64_t e = std::max((w.end + 2) / kLinesPerGranule, own + 1);
  if (e - s > kMaxGranules) {
    switch (keep) {
      case Keep::Ahead:
        s = std::min(std::max(s, e - kMaxGranules), own);
        e = std::min(e, s + kMaxGranules);
        break;
      case Keep::Behind:
        e = std::max(std::min(e, s + kMaxGranules), own + 1);
        s = std::max(s + kMaxGranules, e) - kMaxGranules;
        break;
      case Keep::Middle:
        s = std::min(std::max(s + 2, own) - 2, e - kMaxGranules);
        e = s + kMaxGranules;
        break;
    }
  }
  return {s, static_cast<unsigned>(e - s - 1)};
}

// below, above: how many entries count against the start and the end.
GranuleRun shifted(std::uint64_t line, Bounds w, std::uint64_t below, std::uint64_t above,
                   Keep keep = Keep::Ahead) {
  w.start = std::min(w.start + below, line);
  w.end = std::max(w.end - std::min(w.end, above), line + 1);
  return to_granules(line, w, keep);
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
GranuleRun window(std::uint64_t line, Gran gran, WindowRule rule, Entries mem, Entries sr) {
  const Bounds w = unshifted(line, gran);
  if (rule == WindowRule::Paper) return shifted(line, w, size_of(mem), size_of(sr));
  const std::uint64_t prior_below = count_inside(w.start, line, each(mem));
  const std::uint64_t next_above = count_inside(line + 1, w.end, each(sr));
  if (rule == WindowRule::Ahead) return shifted(line, w, prior_below, next_above);
  const std::uint64_t prior_above = count_inside(line + 1, w.end, each(mem));
  const std::uint64_t next_below = count_inside(w.start, line, each(sr));
  const bool up = prior_below + next_above != 0, down = prior_above + next_below != 0;
  if (up == down) return to_granules(line, w, Keep::Middle);
  if (up) return shifted(line, w, prior_below, next_above);
  return shifted(line, w, next_below, prior_above, Keep::Behind);
}

}  // namespace

GranuleRun compute_window(std::uint64_t line, Gran gran, WindowRule rule,
                          std::span<const std::uint64_t> mem_lines,
                          std::span<const std::uint64_t> sr_lines, unsigned clip_log2) {
  return clip_to_chunk(window(line, gran, rule, mem_lines, sr_lines), line, clip_log2);
}

GranuleRun compute_window(std::uint64_t line, Gran gran, WindowRule rule, LineTable mem,
                          LineTable sr, unsigned clip_log2) {
  return clip_to_chunk(window(line, gran, rule, mem, sr), line, clip_log2);
}

}  // namespace cxlgpu
