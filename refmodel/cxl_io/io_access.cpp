// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_access.hpp"

namespace cxlgpu {

namespace regs_io = regs::io_access;

IoAccess::Out IoAccess::eval() const {
  Out out{.rdata = rdata_};
  if (offered_) {
    out.req = {.op = static_cast<IoOp>(regs_.command.op),
               .addr = std::uint64_t{regs_.addr_high.addr} << 32 | regs_.addr_low.addr,
               .enables = regs_.command.be,
               .data = regs_.data.data};
  }
  return out;
}

void IoAccess::write(std::uint32_t offset, std::uint32_t value, bool locked) {
  if (offset == regs_io::kCommand) {
    const auto command = regs_io::CommandReg::from(value);
    if (locked || command.op > static_cast<std::uint32_t>(IoOp::kMemWr)) return;
    regs_.command.busy = offered_ = true;
  }
  regs_.write_at(offset, value, locked);
}

void IoAccess::clock(const In& in) {
  const bool locked = busy();
  const std::uint32_t offset = in.reg.addr & 0xffc;
  rdata_ = 0;
  if (in.reg.valid && !in.reg.write) {
    regs_.command.link_up = in.link_up;
    rdata_ = regs_.word_at(offset);
  }
  if (in.req_ready) offered_ = false;
  if (locked && in.rsp) {
    regs_.command.busy = false;
    regs_.command.status = static_cast<std::uint32_t>(in.rsp->status);
    regs_.data.data = in.rsp->data;
  }
  if (in.reg.valid && in.reg.write) write(offset, in.reg.data, locked);
}

}  // namespace cxlgpu
