// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Registers of the root port through which software makes CXL.io requests.
//
// Purpose: twin of rtl/cxl_io/io_access.sv, cycle by cycle.
// Units:   RegAccess::addr is a byte offset in the port's register page; only addr[11:2] counts.
// Errors:  none of its own; the status of a response is left in the command register.
// Source:  docs/blocks/cxl_io/io_access.md; offsets and fields: regs/io_access.yaml.
#pragma once

#include <cstdint>
#include <optional>

#include "common/register_types.hpp"
#include "refmodel/cxl_io/io_requester.hpp"

namespace cxlgpu {

class IoAccess {
 public:
  struct In {
    RegAccess reg = {};
    bool link_up = false;
    bool req_ready = false;
    std::optional<IoResponse> rsp = std::nullopt;  // always taken
  };
  struct Out {
    std::uint32_t rdata = 0;
    std::optional<IoRequest> req = std::nullopt;
  };

  [[nodiscard]] Out eval() const;
  void clock(const In& in);
  [[nodiscard]] bool busy() const { return regs_.command.busy; }

 private:
  // `locked`: a request was in flight before this edge.
  void write(std::uint32_t offset, std::uint32_t value, bool locked);

  regs::io_access::Regs regs_;  // command.link_up is made at a read
  bool offered_ = false;
  std::uint32_t rdata_ = 0;
};

}  // namespace cxlgpu
