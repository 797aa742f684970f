// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_access.hpp"

#include "common/registers.hpp"

namespace cxlgpu {

namespace regs_io = regs::io_access;

IoAccess::Out IoAccess::eval() const {
  Out out{.rdata = rdata_};
  if (offered_) out.req = request_;
  return out;
}

std::uint32_t IoAccess::read(unsigned offset, bool link_up) const {
  switch (offset) {
    case regs_io::kAddrLow:
      return static_cast<std::uint32_t>(request_.addr);
    case regs_io::kAddrHigh:
      return static_cast<std::uint32_t>(request_.addr >> 32);
    case regs_io::kData:
      return request_.data;
    case regs_io::kCommand:
      return regs_io::kCommandOp.put(static_cast<std::uint32_t>(request_.op)) |
             regs_io::kCommandBe.put(request_.enables) |
             regs_io::kCommandStatus.put(static_cast<std::uint32_t>(status_)) |
             regs_io::kCommandLinkUp.put(link_up) | regs_io::kCommandBusy.put(busy_);
    default:
      return 0;
  }
}

void IoAccess::write(unsigned offset, std::uint32_t value) {
  constexpr std::uint64_t kLow = 0xffff'ffff;
  switch (offset) {
    case regs_io::kAddrLow:
      request_.addr = (request_.addr & ~kLow) | value;
      break;
    case regs_io::kAddrHigh:
      request_.addr = (request_.addr & kLow) | std::uint64_t{value} << 32;
      break;
    case regs_io::kData:
      request_.data = value;
      break;
    case regs_io::kCommand: {
      const std::uint32_t op = regs_io::kCommandOp.get(value);
      if (op > static_cast<std::uint32_t>(IoOp::kMemWr)) break;
      request_.op = static_cast<IoOp>(op);
      request_.enables = regs_io::kCommandBe.get(value);
      busy_ = offered_ = true;
      break;
    }
    default:
      break;
  }
}

void IoAccess::clock(const In& in) {
  const bool idle = !busy_;
  rdata_ = in.reg.valid && !in.reg.write ? read(in.reg.addr & 0xffc, in.link_up) : 0;
  if (in.req_ready) offered_ = false;
  if (busy_ && in.rsp) {
    busy_ = false;
    status_ = in.rsp->status;
    request_.data = in.rsp->data;
  }
  if (in.reg.valid && in.reg.write && idle) write(in.reg.addr & 0xffc, in.reg.data);
}

}  // namespace cxlgpu
