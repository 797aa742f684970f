// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Firmware brings a root port back whose link has gone down.
//
// Purpose: waits until the link is active again, programs the endpoint, which its link has reset,
//          as bring-up did, ends isolation and lets deterministic store go on. Traffic of all ports
//          goes on meanwhile.
// Order:   the port is isolated until the endpoint decodes again: whatever reaches it before ends
//          in an error and nothing is flushed. For that Link Down Enable is 0 in between, which
//          would hold the link down for as long.
// Not written: what is sticky (vendor registers, RAS, AER) and so is as bring-up left it.
// Units:   simulated time only in pauses between two looks at a register.
// Errors:  a line that says what does not hold; the port stays as it is then.
// Source:  CXL 3.x, 8.2.4.24 (isolation); PCI Express Base 5.0, 2.9.1 (link down), 7.5.3.8 (link
//          status); CXL 2.0, 8.1.3, 8.2.5.12; docs/blocks/root_port/root_port.md,
//          endpoint/endpoint.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/config/config.hpp"
#include "sim/firmware/enumerate.hpp"
#include "sim/firmware/firmware_task.hpp"
#include "sim/firmware/io_thread.hpp"

namespace cxlgpu {

class PortRecovery {
 public:
  // `system` and `ranges` as bring-up left them.
  PortRecovery(unsigned port, const SystemInfo& system, const std::vector<HdmRange>& ranges);

  // The wish that stands until grant(); none: it has ended.
  [[nodiscard]] const std::optional<FirmwareWish>& wish() const { return thread_.wish(); }
  void grant(std::uint32_t answer) { thread_.grant(answer); }
  [[nodiscard]] bool done() const { return !thread_.wish(); }
  // Once done: what is wrong, if anything.
  [[nodiscard]] std::string problem() { return run_.result(); }

 private:
  FirmwareTask<std::string> run(EndpointInfo endpoint, std::vector<HdmRange> ranges);
  FirmwareJob bring_back(EndpointInfo endpoint, std::vector<HdmRange> ranges);
  FirmwareJob await_link();
  FirmwareJob end_isolation();

  FirmwareThread thread_;
  IoThread io_;
  FirmwareTask<std::string> run_;
};

}  // namespace cxlgpu
