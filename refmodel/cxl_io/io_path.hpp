// CXL.io of one port without its link: from the root port's access registers to the endpoint's.
//
// Purpose: what the model's firmware reaches; the twins of both ends wired to each other, TLPs
// handed
//          over without flits. Untimed: a request is over when the write of its command returns.
// Links:   it also has the link registers of both ends. Their status says "up, initialised" (state
//          3, version 2, the peer's retry buffer depth) and what the owner of the path tells of
//          credits and retry buffers; RETRY flits are not known and their fields read 0. Settings
//          are kept and change nothing.
// Units:   byte offsets in the page of a root port: io_access and link registers.
// Errors:  as the twins: what nobody claims is answered Unsupported Request, and without a device
//          there is no answer.
// Source:  docs/blocks.md, "CXL.io".
#pragma once

#include <cstdint>

#include "refmodel/controller/link_regs.hpp"
#include "refmodel/controller/ras.hpp"
#include "refmodel/cxl_io/config_space.hpp"
#include "refmodel/cxl_io/io_access.hpp"
#include "refmodel/cxl_io/io_completer.hpp"
#include "refmodel/cxl_io/io_requester.hpp"

namespace cxlgpu {

// What is behind the completer but the RAS and link structures, which the path has itself: HDM
// decoders at 000h, vendor block at 800h.
class EndpointRegisters {
 public:
  virtual ~EndpointRegisters() = default;
  virtual void write_register(std::uint32_t offset, std::uint32_t value) = 0;
  [[nodiscard]] virtual std::uint32_t read_register(std::uint32_t offset) = 0;
};

class IoPath {
 public:
  // `registers` outlives the path; none: no device is there and the link stays down.
  IoPath(const ConfigSpace::Parameters& parameters, EndpointRegisters* registers);

  [[nodiscard]] static bool has(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);
  std::uint32_t read(std::uint32_t offset);
  // What the link registers of the two ends show from now on.
  void set_link_status(const LinkStatus& host, const LinkStatus& device);

 private:
  void clock(const RegAccess& access);
  void clock_registers(const RegAccess& access);

  EndpointRegisters* registers_;
  IoAccess access_;
  IoRequester requester_;
  IoCompleter completer_;
  ConfigSpace config_;
  Ras ras_;  // registers only: nothing ever happens on this path
  LinkRegs host_link_, device_link_;
  LinkStatus host_status_, device_status_;
  std::uint32_t reg_rdata_ = 0;
  unsigned weight_io_ = 1, weight_cm_ = 1;
};

}  // namespace cxlgpu
