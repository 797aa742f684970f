// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The packets in the symbol stream that the flits of CXL.io carry.
//
// Purpose: twin of rtl/cxl_io/io_unframe.sv: takes a flit a cycle, gives a packet a cycle, at byte
// 0. Errors:  what is no token is given out as it is, for the data link to judge. Source:  PCI
// Express Base 5.0, 4.2.2.3; docs/blocks.md, "io_unframe".
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "refmodel/cxl_io/io_flit.hpp"

namespace cxlgpu {

class IoUnframe {
 public:
  // A cycle; the packet of it, zeros behind.
  std::optional<IoFlit> clock(const std::optional<IoFlit>& flit);

 private:
  static constexpr std::size_t kDepth = 4, kDws = 16, kMost = 7;
  using Dw = std::uint32_t;

  std::optional<std::vector<Dw>> next(const IoFlit& flit);

  std::deque<IoFlit> waiting_;
  std::size_t at_ = 0;           // DWs of the first flit that are done with
  std::vector<Dw> part_;         // a packet that goes on in the next flit
  std::size_t whole_ = 0;        // its length
  std::size_t passed_over_ = 0;  // DWs of a long packet still to come
};

}  // namespace cxlgpu
