// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/isolation.hpp"

namespace cxlgpu {
namespace {

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
  regs::timeout::Regs regs = regs_;
  regs.status.busy = regs.status.mem_isolation && in.busy;
  return regs.word_at(offset(in.addr));
}

void Isolation::clock(const In& in) {
  rdata_ = in.valid && !in.write ? read(in) : 0;
  const bool writes = in.valid && in.write;
  const regs::timeout::ControlReg control = regs_.control;  // a write acts from the next cycle on

  const bool usable = in.link_up && !in.abort;
  const bool went_down = was_usable_ && !usable;
  was_usable_ = usable;
  const bool timed_out = in.timed_out && control.mem_enable;
  const bool cause = control.mem_isolation && (timed_out || went_down);

  regs::timeout::StatusReg& status = regs_.status;
  const bool stays = status.mem_isolation && in.busy;
  if (writes) regs_.write_at(offset(in.addr), in.wdata);
  if (timed_out) status.mem_timeout = true;
  if (stays) status.mem_isolation = true;
  if (cause && !status.mem_isolation && went_down) status.mem_link_down = true;
  if (cause) status.mem_isolation = true;

  tick_ = false;
  if (writes && offset(in.addr) == regs::timeout::kControl) {
    counter_ = 0;
  } else if (control.mem_enable && ++counter_ == period(control.mem_value)) {
    counter_ = 0;
    tick_ = true;
  }
}

}  // namespace cxlgpu
