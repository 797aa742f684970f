// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/port_recovery.hpp"

#include <fmt/format.h>

#include "common/input_error.hpp"
#include "common/registers.hpp"
#include "sim/firmware/bring_up.hpp"
#include "sim/firmware/function.hpp"
#include "sim/firmware/hdm.hpp"

namespace cxlgpu {

namespace {

namespace rp = regs::rp;
namespace timeout = regs::timeout;
using namespace config_header;

constexpr RegisterSpace kPage = RegisterSpace::RootPort;
constexpr Time kBetweenLooks = kCycle * 64;
// In the configuration space of a root port.
constexpr std::uint32_t kLinkStatus = 0x050, kFlexBusStatus = 0x13c;
constexpr std::uint32_t kLinkActive = 1u << 29, kMemUp = 1u << 18;

}  // namespace

PortRecovery::PortRecovery(unsigned port, const SystemInfo& system,
                           const std::vector<HdmRange>& ranges)
    : io_(thread_, port), run_(run(system.endpoints[port], ranges)) {
  thread_.start(run_.handle());
}

FirmwareTask<std::string> PortRecovery::run(EndpointInfo endpoint, std::vector<HdmRange> ranges) {
  std::string problem;
  try {
    co_await bring_back(endpoint, ranges);
  } catch (const InputError& error) {
    problem =
        fmt::format("port {}: not as before its link went down: {}", io_.number(), error.what());
  }
  co_return problem;
}

FirmwareJob PortRecovery::bring_back(EndpointInfo endpoint, std::vector<HdmRange> ranges) {
  const unsigned port = io_.number();
  const std::uint32_t control = co_await thread_.read(kPage, port, timeout::kControl);
  co_await thread_.write(kPage, port, timeout::kControl,
                         control & ~timeout::kControlMemLinkDown.mask());
  co_await await_link();

  // The first write tells the endpoint its bus and device numbers.
  const std::uint32_t id = std::uint32_t{endpoint.device} << 16 | endpoint.vendor;
  if (co_await io_.config_read(endpoint_register(port, kId)) != id) {
    throw InputError("the endpoint is another; reset the system");
  }
  co_await io_.config_write(endpoint_register(port, kCommand), 0);
  co_await place_bars(io_, endpoint_register(port, 0), endpoint.bars);
  for (const Bar& bar : endpoint.bars) {
    const std::uint32_t at = kFirstBar + 4 * bar.index;
    const std::uint32_t low = co_await io_.config_read(endpoint_register(port, at));
    if ((low & ~0xfu) != static_cast<std::uint32_t>(bar.base)) {
      throw InputError(fmt::format("BAR {} does not keep its place; reset the system", bar.index));
    }
  }
  co_await switch_memory_space_on(io_);
  co_await program_endpoint(io_, endpoint.hdm_base, ranges);
  co_await enable_mem(io_, endpoint.cxl_dvsec);

  co_await end_isolation();
  co_await thread_.write(kPage, port, timeout::kControl, control);
  // What could not be flushed is still there.
  co_await thread_.write(kPage, port, rp::kDsStatus, rp::kDsStatusError.mask());
  co_return Done{};
}

// Isolation says that it has gone down. It is up when both protocols are.
FirmwareJob PortRecovery::await_link() {
  const unsigned port = io_.number();
  for (;;) {
    const std::uint32_t status = co_await thread_.read(kPage, port, timeout::kStatus);
    const std::uint32_t link = co_await io_.config_read(root_port_register(port, kLinkStatus));
    const std::uint32_t flex_bus =
        co_await io_.config_read(root_port_register(port, kFlexBusStatus));
    const bool active = (link & kLinkActive) != 0 && (flex_bus & kMemUp) != 0;
    if (timeout::kStatusMemIsolation.is_set(status) && active) co_return Done{};
    co_await thread_.pause(kBetweenLooks);
  }
}

// It ends once the port has answered what it held.
FirmwareJob PortRecovery::end_isolation() {
  const unsigned port = io_.number();
  for (;;) {
    const std::uint32_t status = co_await thread_.read(kPage, port, timeout::kStatus);
    if (!timeout::kStatusMemIsolation.is_set(status)) co_return Done{};
    if (timeout::kStatusBusy.is_set(status)) {
      co_await thread_.pause(kBetweenLooks);
    } else {
      co_await thread_.write(kPage, port, timeout::kStatus,
                             timeout::kStatusMemIsolation.mask() |
                                 timeout::kStatusMemLinkDown.mask() |
                                 timeout::kStatusMemTimeout.mask());
    }
  }
}

}  // namespace cxlgpu
