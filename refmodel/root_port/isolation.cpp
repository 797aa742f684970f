// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/isolation.hpp"

namespace cxlgpu {

namespace tmo = regs::timeout;

namespace {

[[nodiscard]] bool writes(const Isolation::In& in, std::uint32_t offset) {
  return in.valid && in.write && (in.addr & 0x7fc) == offset;
}

}  // namespace

std::uint64_t Isolation::period(unsigned mem_value) {
  constexpr std::uint64_t kMicrosecond = 1000, kMillisecond = 1000 * kMicrosecond;
  switch (mem_value) {
    case 0x1:
      return 50 * kMicrosecond;
    case 0x5:
      return 20 * kMillisecond;
    case 0x6:
      return 100 * kMillisecond;
    case 0x9:
      return 400 * kMillisecond;
    case 0xa:
      return 1500 * kMillisecond;
    case 0xd:
      return 6000 * kMillisecond;
    case 0xe:
      return 30000 * kMillisecond;
    default:
      return 5 * kMillisecond;
  }
}

void Isolation::update_status(const In& in, bool went_down) {
  const bool late = in.timed_out && regs_.control.mem_enable;
  const bool cause = (late || went_down) && regs_.control.mem_isolation;
  tmo::StatusReg& status = regs_.status;
  if (writes(in, tmo::kStatus)) {
    const bool stays = status.mem_isolation && in.busy;
    status.write(in.wdata);
    status.mem_isolation |= stays;
  }
  status.mem_timeout |= late;
  status.mem_link_down |= cause && went_down && !status.mem_isolation;
  status.mem_isolation |= cause;
}

void Isolation::clock(const In& in) {
  tmo::Regs seen = regs_;
  seen.status.busy = in.busy && seen.status.mem_isolation;
  rdata_ = in.valid && !in.write ? seen.word_at(in.addr & 0x7fc) : 0;

  const bool usable = in.link_up && !in.abort;
  update_status(in, was_usable_ && !usable);
  was_usable_ = usable;
  tick_ = regs_.control.mem_enable && ++waited_ == period(regs_.control.mem_value);
  if (tick_) waited_ = 0;
  if (writes(in, tmo::kControl)) {
    regs_.control.write(in.wdata);
    waited_ = 0;
    tick_ = false;
  }
}

}  // namespace cxlgpu
