// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/port_recovery.hpp"

#include <fmt/format.h>

#include "common/input_error.hpp"
#include "common/register_types.hpp"
#include "sim/firmware/bring_up.hpp"
#include "sim/firmware/function.hpp"
#include "sim/firmware/hdm.hpp"

namespace cxlgpu {

namespace {

namespace flex_bus = regs::dvsec_flex_bus;
namespace pcie = regs::pcie;
namespace rp = regs::rp;
namespace timeout = regs::timeout;
using namespace config_header;

constexpr RegisterSpace kPage = RegisterSpace::RootPort;
constexpr Time kBetweenLooks = kCycle * 64;
// In the configuration space of a root port.
// Words of our root port's configuration space: control below, status above.
constexpr std::uint32_t kLink = 0x040 + pcie::kLinkControl, kFlexBus = 0x130 + flex_bus::kControl;

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
  auto link_free = timeout::ControlReg::from(control);
  link_free.mem_link_down = false;
  co_await thread_.write(kPage, port, timeout::kControl, link_free.word());
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
    const std::uint32_t link = co_await io_.config_read(root_port_register(port, kLink));
    const std::uint32_t trained = co_await io_.config_read(root_port_register(port, kFlexBus));
    const bool active = pcie::LinkStatusReg::from(link >> 16).active &&
                        flex_bus::StatusReg::from(trained >> 16).mem;
    if (timeout::StatusReg::from(status).mem_isolation && active) co_return Done{};
    co_await thread_.pause(kBetweenLooks);
  }
}

// It ends once the port has answered what it held.
FirmwareJob PortRecovery::end_isolation() {
  const unsigned port = io_.number();
  for (;;) {
    const auto status =
        timeout::StatusReg::from(co_await thread_.read(kPage, port, timeout::kStatus));
    if (!status.mem_isolation) co_return Done{};
    if (status.busy) {
      co_await thread_.pause(kBetweenLooks);
    } else {
      const timeout::StatusReg clear{
          .mem_timeout = true, .mem_isolation = true, .mem_link_down = true};
      co_await thread_.write(kPage, port, timeout::kStatus, clear.word());
    }
  }
}

}  // namespace cxlgpu
