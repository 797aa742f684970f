// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/firmware/port_recovery.hpp"

#include <fmt/format.h>

#include "refmodel/common/registers.hpp"
#include "refmodel/cxl_io/io_requester.hpp"
#include "refmodel/firmware/function.hpp"

namespace cxlgpu {

namespace {

namespace device_dvsec = regs::dvsec_device;
namespace hdm = regs::hdm;
namespace io = regs::io_access;
namespace rp = regs::rp;
namespace timeout = regs::timeout;

constexpr RegisterSpace kPage = RegisterSpace::RootPort;
constexpr Time kBetweenLooks = kCycle * 64;
// In the configuration space of a root port.
constexpr std::uint32_t kLinkStatus = 0x050, kFlexBusStatus = 0x13c;
constexpr std::uint32_t kLinkActive = 1u << 29, kMemUp = 1u << 18;

std::uint64_t own(unsigned port, std::uint32_t offset) {
  return std::uint64_t{port} << 15 | offset;
}
std::uint64_t below(unsigned port, std::uint32_t offset) {
  return std::uint64_t{bus_below(port)} << 20 | offset;
}

}  // namespace

PortRecovery::PortRecovery(unsigned port, const SystemInfo& system, bool decodes)
    : run_(run(port, system.endpoints[port], decodes)) {
  thread_.start(run_.handle());
}

FirmwareTask<std::optional<std::uint32_t>> PortRecovery::io_read(unsigned port, bool memory,
                                                                 std::uint64_t address) {
  co_await thread_.write(kPage, port, io::kAddrLow, static_cast<std::uint32_t>(address));
  co_await thread_.write(kPage, port, io::kAddrHigh, static_cast<std::uint32_t>(address >> 32));
  const IoOp op = memory ? IoOp::kMemRd : IoOp::kCfgRd0;
  co_await thread_.write(
      kPage, port, io::kCommand,
      io::kCommandOp.put(static_cast<std::uint32_t>(op)) | io::kCommandBe.put(IoPort::kAllBytes));
  std::uint32_t command = co_await thread_.read(kPage, port, io::kCommand);
  while (io::kCommandBusy.is_set(command)) {
    command = co_await thread_.read(kPage, port, io::kCommand);
  }
  if (static_cast<CplStatus>(io::kCommandStatus.get(command)) != CplStatus::kSuccess) {
    co_return std::nullopt;
  }
  co_return co_await thread_.read(kPage, port, io::kData);
}

FirmwareTask<std::string> PortRecovery::run(unsigned port, EndpointInfo endpoint, bool decodes) {
  for (;;) {
    // Isolation ends as soon as the port has answered what it held; until then it may hold the link
    // down.
    const std::uint32_t status = co_await thread_.read(kPage, port, timeout::kStatus);
    const bool isolated = timeout::kStatusMemIsolation.is_set(status);
    if (isolated && !timeout::kStatusBusy.is_set(status)) {
      co_await thread_.write(kPage, port, timeout::kStatus,
                             timeout::kStatusMemIsolation.mask() |
                                 timeout::kStatusMemLinkDown.mask() |
                                 timeout::kStatusMemTimeout.mask());
    }
    const auto link = co_await io_read(port, false, own(port, kLinkStatus));
    const auto flex_bus = co_await io_read(port, false, own(port, kFlexBusStatus));
    const bool active = link && flex_bus && (*link & kLinkActive) != 0 && (*flex_bus & kMemUp) != 0;
    if (active && !isolated) break;
    co_await thread_.pause(kBetweenLooks);
  }

  const std::uint32_t id = std::uint32_t{endpoint.device} << 16 | endpoint.vendor;
  if (co_await io_read(port, false, below(port, 0)) != id) {
    co_return fmt::format("port {}: the endpoint is another after its link has come back", port);
  }
  const std::uint32_t control = endpoint.cxl_dvsec + device_dvsec::kControl;
  const auto enables = co_await io_read(port, false, below(port, control & ~3u));
  if (!enables || !device_dvsec::kControlMem.is_set(*enables >> (8 * (control & 2)))) {
    co_return fmt::format("port {}: the endpoint has lost Mem_Enable with its link", port);
  }
  const auto global = co_await io_read(port, true, endpoint.hdm_base + hdm::kGlobalControl);
  const auto decoder =
      co_await io_read(port, true, endpoint.hdm_base + hdm::kDec + hdm::kDecControl);
  const bool kept = global && hdm::kGlobalControlEnable.is_set(*global) && decoder &&
                    hdm::kDecControlCommitted.is_set(*decoder);
  if (decodes && !kept) {
    co_return fmt::format("port {}: the endpoint has lost its HDM decoders with its link", port);
  }
  // What could not be flushed is still there.
  co_await thread_.write(kPage, port, rp::kDsStatus, rp::kDsStatusError.mask());
  co_return std::string();
}

}  // namespace cxlgpu
