// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Brings up a root port as a PCI bridge, so that what is below it can be reached.
//
// Purpose: set_up() checks that it is a CXL 2.0 root port with a link, gives it its buses and its
//          BAR; open() then opens its memory window over what was placed below.
// Units:   bytes.
// Errors:  InputError, one line: root port, what is wrong, what to do.
// Source:  PCI Express Base 5.0, 7.5.1.3, 7.5.3; CXL 2.0, 8.1.5, 9.12; CXL 3.0, 8.2.4.23.
#pragma once

#include <cstdint>

#include "sim/firmware/function.hpp"

namespace cxlgpu {

struct RootPortInfo {
  unsigned port = 0;
  std::uint16_t vendor = 0, device = 0;
  std::uint64_t timeout_base = 0;  // time-out and isolation structure
};

class BridgeSetUp {
 public:
  explicit BridgeSetUp(const IoPort& io) : function_(root_port_function(io)) {}

  void set_up(MmioSpace& space);
  // From begin to end, in whole MiB; begin = end: nothing is below.
  RootPortInfo open(std::uint64_t begin, std::uint64_t end);

 private:
  void identify();
  void wait_for_link();

  Function function_;
  std::uint64_t block_ = 0;  // component registers
};

}  // namespace cxlgpu
