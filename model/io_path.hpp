// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// CXL.io of one port without its link: from the root port's access registers to its own registers
// and to the endpoint's.
//
// Purpose: what the model's firmware reaches; the twins of both ends wired to each other, TLPs
//          handed over without flits. Untimed: a request is over when the write of its command
//          returns.
// Page:    of the root port's register page it has all but the vendor block: isolation, RAS and
//          link structures, reached through the port's BAR0 too, and io_access. Registers only:
//          nothing ever happens on this path.
// Links:   the status of the link registers of both ends says "up, initialised" (state 3, version
//          2, the peer's retry buffer depth) and what the owner of the path tells of credits and
//          retry buffers; RETRY flits are not known and their fields read 0. Settings are kept and
//          change nothing.
// Units:   byte offsets in the page of a root port.
// Errors:  as the twins: what nobody claims is answered Unsupported Request, and without a device
//          there is no answer from below.
// Source:  docs/blocks/cxl_io/README.md.
#pragma once

#include <cstdint>

#include "common/register_types.hpp"
#include "refmodel/controller/link_regs.hpp"
#include "refmodel/controller/ras.hpp"
#include "refmodel/cxl_io/config_space.hpp"
#include "refmodel/cxl_io/io_access.hpp"
#include "refmodel/cxl_io/io_completer.hpp"
#include "refmodel/cxl_io/io_requester.hpp"
#include "refmodel/cxl_io/io_route.hpp"
#include "refmodel/cxl_io/port_config_space.hpp"
#include "refmodel/endpoint/cxl_mailbox.hpp"
#include "refmodel/root_port/isolation.hpp"

namespace cxlgpu {

// What is behind the completer but the structures that the path has itself (RAS, link, CXL device
// registers): HDM decoders at 000h, vendor block at 800h.
class EndpointRegisters {
 public:
  virtual ~EndpointRegisters() = default;
  virtual void write_register(std::uint32_t offset, std::uint32_t value) = 0;
  [[nodiscard]] virtual std::uint32_t read_register(std::uint32_t offset) = 0;
  // What configuration space says after an access: Mem_Enable and the range bases decode.
  virtual void use_config(const ConfigSpace::Out&) {}
  // The link has gone down: HDM decoders have their reset values again, the vendor block keeps its.
  virtual void reset_decoders() {}
};

class IoPath {
 public:
  // `number` is the root port's. `registers` outlives the path; none: no device is there and the
  // link stays down.
  IoPath(unsigned number, const ConfigSpace::Parameters& device, EndpointRegisters* registers);

  [[nodiscard]] static bool has(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);
  std::uint32_t read(std::uint32_t offset);
  // What the link registers of the two ends show from now on.
  void set_link_status(const LinkStatus& host, const LinkStatus& device);
  // The link below, which is up from the start if there is a device; going down it resets the
  // device but for what is sticky. RP Busy.
  void set_link(bool up);
  void set_busy(bool busy) { busy_ = busy; }
  [[nodiscard]] bool isolated() const { return isolation_.eval({}).isolated; }
  // The port holds its link down.
  [[nodiscard]] bool holds_down() const {
    return isolation_.eval({}).force_down || port_config_.eval().link_disable;
  }
  // How the root port's configuration space is set.
  [[nodiscard]] Bridge bridge() const { return port_config_.eval().bridge; }

 private:
  // The structures of component registers that an end has.
  struct Structures {
    Ras ras;
    LinkRegs link;
    LinkStatus status;
    [[nodiscard]] std::uint32_t rdata() const { return ras.eval({}).rdata | link.eval().rdata; }
  };
  void clock(const RegAccess& software);
  void reset_device();
  void clock_port_registers(const RegAccess& access);
  void clock_device_registers(const RegAccess& access);

  unsigned number_;
  EndpointRegisters* registers_;
  bool link_up_, busy_ = false;
  IoAccess access_;
  IoRoute route_;
  PortConfigSpace port_config_;
  Isolation isolation_;
  IoRequester requester_;
  IoCompleter completer_;
  ConfigSpace config_;
  CxlMailbox mailbox_;
  Structures host_, device_;
  std::uint32_t reg_rdata_ = 0;  // of the owner's registers
  regs::arb_mux::Regs weights_;
};

}  // namespace cxlgpu
