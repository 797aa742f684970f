// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/nvme/plan.hpp"

#include <fmt/format.h>

#include <array>

namespace cxlgpu::nvme {

namespace {

struct Range {
  std::string name;
  std::uint64_t base = 0, bytes = 0;
};

bool overlap(const Range& a, const Range& b) {
  return a.base < b.base + b.bytes && b.base < a.base + a.bytes;
}
bool within(const Range& a, const Range& b) {
  return a.base >= b.base && a.base + a.bytes <= b.base + b.bytes;
}
std::string text(const Range& r) {
  return fmt::format("{} (0x{:x}..0x{:x})", r.name, r.base, r.base + r.bytes - 1);
}

}  // namespace

std::optional<std::string> KvPlan::problem(const NvmeConfig& config,
                                           const SystemMapParams& map) const {
  const std::array<Range, 4> windows = {
      {{"GPU memory", map.hdm_base - map.local_bytes, map.local_bytes},
       {"CXL memory", map.hdm_base, map.hdm_size},
       {"the host window", config.host_base, kHostBytes},
       {"the controller's registers", config.bar_base, reg::kBarBytes}}};
  for (std::size_t i = 0; i < windows.size(); ++i) {
    for (std::size_t j = i + 1; j < windows.size(); ++j) {
      if (overlap(windows[i], windows[j])) {
        return fmt::format("{} overlaps {}", text(windows[j]), text(windows[i]));
      }
    }
  }
  const Range own{"the host's own", config.host_base, kHostOwn};
  for (const QueueRings& r : rings) {
    for (const Range& queue : {Range{fmt::format("SQ {}", r.id), r.sq.base, r.sq.bytes()},
                               Range{fmt::format("CQ {}", r.id), r.cq.base, r.cq.bytes()}}) {
      if (!within(queue, windows[0]) && !within(queue, windows[2])) {
        return fmt::format("{} lies neither in {} nor in {}", text(queue), text(windows[0]),
                           text(windows[2]));
      }
      if (overlap(queue, own)) return fmt::format("{} overlaps {}", text(queue), text(own));
    }
  }
  return std::nullopt;
}

}  // namespace cxlgpu::nvme
