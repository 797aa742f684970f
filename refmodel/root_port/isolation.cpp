// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/isolation.hpp"

#include "common/registers.hpp"

namespace cxlgpu {
namespace {

namespace tmo = regs::timeout;

constexpr std::uint64_t kUs = 1000;  // cycles
constexpr std::uint64_t kMs = 1000 * kUs;

constexpr std::uint32_t offset(std::uint32_t addr) {
  return addr & 0xffc;
}

}  // namespace

std::uint64_t Isolation::period(unsigned mem_value) {
  switch (mem_value) {
    case 0x1:
      return 50 * kUs;
    case 0x5:
      return 20 * kMs;
    case 0x6:
      return 100 * kMs;
    case 0x9:
      return 400 * kMs;
    case 0xa:
      return 1500 * kMs;
    case 0xd:
      return 6000 * kMs;
    case 0xe:
      return 30000 * kMs;
    default:  // 0, 2 and what is not defined
      return 5 * kMs;
  }
}

std::uint32_t Isolation::read(const In& in) const {
  switch (offset(in.addr)) {
    case tmo::kCapability:
      return tmo::kCapabilityMemRanges.put(0xf) | tmo::kCapabilityMemTimeout.put(1) |
             tmo::kCapabilityMemIsolation.put(1) | tmo::kCapabilityMemLinkDown.put(1);
    case tmo::kControl:
      return tmo::kControlMemValue.put(mem_value_) | tmo::kControlMemEnable.put(enable_) |
             tmo::kControlMemIsolation.put(isolate_) | tmo::kControlMemLinkDown.put(force_down_);
    case tmo::kStatus:
      return tmo::kStatusMemTimeout.put(timeout_seen_) | tmo::kStatusMemIsolation.put(isolated_) |
             tmo::kStatusMemLinkDown.put(link_down_seen_) |
             tmo::kStatusBusy.put(isolated_ && in.busy);
    default:
      return 0;
  }
}

void Isolation::clock(const In& in) {
  rdata_ = in.valid && !in.write ? read(in) : 0;
  const bool writes = in.valid && in.write;
  const std::uint32_t cleared = writes && offset(in.addr) == tmo::kStatus ? in.wdata : 0;

  const bool usable = in.link_up && !in.abort;
  const bool went_down = was_usable_ && !usable;
  was_usable_ = usable;
  const bool timed_out = in.timed_out && enable_;
  const bool cause = isolate_ && (timed_out || went_down);

  if (tmo::kStatusMemTimeout.is_set(cleared)) timeout_seen_ = false;
  if (tmo::kStatusMemLinkDown.is_set(cleared)) link_down_seen_ = false;
  if (timed_out) timeout_seen_ = true;
  if (tmo::kStatusMemIsolation.is_set(cleared) && !in.busy) isolated_ = false;
  if (cause && !isolated_ && went_down) link_down_seen_ = true;
  if (cause) isolated_ = true;

  tick_ = false;
  if (writes && offset(in.addr) == tmo::kControl) {
    mem_value_ = tmo::kControlMemValue.get(in.wdata);
    enable_ = tmo::kControlMemEnable.is_set(in.wdata);
    isolate_ = tmo::kControlMemIsolation.is_set(in.wdata);
    force_down_ = tmo::kControlMemLinkDown.is_set(in.wdata);
    counter_ = 0;
  } else if (enable_ && ++counter_ == period(mem_value_)) {
    counter_ = 0;
    tick_ = true;
  }
}

}  // namespace cxlgpu
