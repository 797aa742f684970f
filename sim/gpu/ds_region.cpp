// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/ds_region.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace cxlgpu {

DsRegion::DsRegion(const LocalMemoryParams& params, std::uint64_t base, unsigned ports)
    : params_(params), base_(base), ports_(ports) {
  for (Port& port : ports_) port.lines.resize(kPortBytes / kLineBytes);
}

bool DsRegion::is_next(const Port& port) const {
  return std::none_of(ports_.begin(), ports_.end(),
                      [&port](const Port& other) { return other.waits_since < port.waits_since; });
}

bool DsRegion::offer(unsigned port, std::uint64_t line, const LmRequest& request, Time now) {
  Port& own = ports_[port];
  const std::uint64_t first = base_of(base_, port) / kLineBytes;
  if (line < first || line - first >= own.lines.size()) {
    throw std::logic_error(fmt::format("port {}: line 0x{:x} is not of its region in local memory",
                                       port, line * kLineBytes));
  }
  if (!request.write && own.answers.size() == kMaxReads) return false;
  own.waits_since = std::min(own.waits_since, now);
  if (free_at_ >= now + kCycle || !is_next(own)) return false;
  own.waits_since = Time::never();
  free_at_ = std::max(free_at_, now) + Time{kLineBytes * kCycle.ps / params_.bytes_per_cycle};
  Line& contents = own.lines[line - first];
  if (request.write) {
    merge_bytes(contents, request.data, request.byte_enable);
    return true;
  }
  const Time at = std::max(now + kCycle, ceil_to_cycle(free_at_ + Time{params_.latency_ps}));
  own.answers.push_back({at, {request.kind, request.index, contents}});
  return true;
}

const LmResponse* DsRegion::answer(unsigned port, Time now) const {
  return next_answer(port) <= now ? &ports_[port].answers.front().response : nullptr;
}

Time DsRegion::next_answer(unsigned port) const {
  const Port& own = ports_[port];
  return own.answers.empty() ? Time::never() : own.answers.front().at;
}

}  // namespace cxlgpu
