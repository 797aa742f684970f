// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/io_thread.hpp"

#include <fmt/format.h>

#include <string>

#include "common/input_error.hpp"
#include "common/register_types.hpp"

namespace cxlgpu {

namespace io = regs::io_access;

namespace {

constexpr unsigned kRetries = 1000;  // of a request that a device is not ready for yet
constexpr RegisterSpace kPage = RegisterSpace::RootPort;

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

FirmwareTask<IoResponse> IoThread::make_request(FirmwareThread* thread, unsigned port,
                                                IoRequest request) {
  const auto low = static_cast<std::uint32_t>(request.addr);
  const auto high = static_cast<std::uint32_t>(request.addr >> 32);
  const io::CommandReg ask{.op = static_cast<std::uint32_t>(request.op), .be = request.enables};
  co_await thread->write(kPage, port, io::kAddrLow, low);
  co_await thread->write(kPage, port, io::kAddrHigh, high);
  for (unsigned attempt = 0;; ++attempt) {
    if (is_write(request.op)) co_await thread->write(kPage, port, io::kData, request.data);
    co_await thread->write(kPage, port, io::kCommand, ask.word());
    io::CommandReg command;
    do {
      command = io::CommandReg::from(co_await thread->read(kPage, port, io::kCommand));
    } while (command.busy);
    const auto status = static_cast<CplStatus>(command.status);
    if (status == CplStatus::kRetry && attempt != kRetries) continue;
    IoResponse response{};
    response.status = status;
    if (!is_write(request.op)) response.data = co_await thread->read(kPage, port, io::kData);
    co_return response;
  }
}

FirmwareTask<std::uint32_t> IoThread::make_succeed(FirmwareThread* thread, unsigned port,
                                                   IoRequest request) {
  const IoResponse response = co_await make_request(thread, port, request);
  if (response.status == CplStatus::kSuccess) co_return response.data;
  const bool memory = is_memory(request.op);
  const std::string what =
      memory ? fmt::format("register 0x{:x}", request.addr)
             : fmt::format("configuration register 0x{:x} of {}", request.addr & 0xfff,
                           request.addr >> 20 == 0 ? "the root port" : "its endpoint");
  throw InputError(fmt::format("port {}: {} of {} failed ({}); check the device and its link", port,
                               is_write(request.op) ? "write" : "read", what,
                               name(response.status)));
}

}  // namespace cxlgpu
