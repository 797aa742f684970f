// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/firmware/io_port.hpp"

#include <fmt/format.h>

#include <string>

#include "refmodel/common/input_error.hpp"
#include "refmodel/common/registers.hpp"

namespace cxlgpu {

namespace io = regs::io_access;

namespace {

constexpr unsigned kRetries = 1000;  // of a request that a device is not ready for yet

const char* name(CplStatus status) {
  switch (status) {
    case CplStatus::kUnsupported:
      return "unsupported request";
    case CplStatus::kRetry:
      return "still not ready";
    case CplStatus::kAbort:
      return "completer abort";
    default:
      return "no answer";
  }
}

}  // namespace

IoResponse IoPort::request(const IoRequest& request) {
  set(io::kAddrLow, static_cast<std::uint32_t>(request.addr));
  set(io::kAddrHigh, static_cast<std::uint32_t>(request.addr >> 32));
  for (unsigned attempt = 0;; ++attempt) {
    if (is_write(request.op)) set(io::kData, request.data);
    set(io::kCommand, io::kCommandOp.put(static_cast<std::uint32_t>(request.op)) |
                          io::kCommandBe.put(request.enables));
    std::uint32_t command = get(io::kCommand);
    while (io::kCommandBusy.is_set(command)) command = get(io::kCommand);
    const auto status = static_cast<CplStatus>(io::kCommandStatus.get(command));
    if (status != CplStatus::kRetry || attempt == kRetries) {
      return {status, is_write(request.op) ? 0 : get(io::kData)};
    }
  }
}

std::uint32_t IoPort::succeed(const IoRequest& request) {
  const IoResponse response = this->request(request);
  if (response.status == CplStatus::kSuccess) return response.data;
  const bool memory = is_memory(request.op);
  const std::string what =
      memory ? fmt::format("register 0x{:x}", request.addr)
             : fmt::format("configuration register 0x{:x} of {}", request.addr & 0xfff,
                           request.addr >> 20 == 0 ? "the root port" : "its endpoint");
  throw InputError(fmt::format("port {}: {} of {} failed ({}); check the device and its link",
                               port_, is_write(request.op) ? "write" : "read", what,
                               name(response.status)));
}

std::uint32_t IoPort::read(std::uint64_t address) {
  return succeed({.op = IoOp::kMemRd, .addr = address, .enables = kAllBytes});
}

void IoPort::write(std::uint64_t address, std::uint32_t value) {
  succeed({.op = IoOp::kMemWr, .addr = address, .enables = kAllBytes, .data = value});
}

}  // namespace cxlgpu
