// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Firmware brings a root port back whose link has gone down.
//
// Purpose: ends isolation, waits until the link is active again, sees that the endpoint is as
//          bring-up left it, and lets deterministic store go on. Traffic of all ports goes on
//          meanwhile.
// Units:   simulated time only in pauses between two looks at a register.
// Errors:  a line that says what is not as it was; the port stays as it is then.
// Source:  CXL 3.x, 8.2.4.24 (isolation); PCI Express Base 5.0, 7.5.3.8 (link status); CXL 2.0,
//          8.1.3, 8.2.5.12; docs/blocks/root_port/root_port.md.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "refmodel/firmware/enumerate.hpp"
#include "refmodel/firmware/firmware_task.hpp"

namespace cxlgpu {

class PortRecovery {
 public:
  // `decodes`: bring-up has given the endpoint HDM ranges.
  PortRecovery(unsigned port, const SystemInfo& system, bool decodes);

  // The wish that stands until grant(); none: it has ended.
  [[nodiscard]] const std::optional<FirmwareWish>& wish() const { return thread_.wish(); }
  void grant(std::uint32_t answer) { thread_.grant(answer); }
  [[nodiscard]] bool done() const { return !thread_.wish(); }
  // Once done: what is wrong, if anything.
  [[nodiscard]] std::string problem() { return run_.result(); }

 private:
  FirmwareTask<std::string> run(unsigned port, EndpointInfo endpoint, bool decodes);
  // A read of configuration space or memory space; nothing if it was not answered.
  FirmwareTask<std::optional<std::uint32_t>> io_read(unsigned port, bool memory,
                                                     std::uint64_t address);

  FirmwareThread thread_;
  FirmwareTask<std::string> run_;
};

}  // namespace cxlgpu
