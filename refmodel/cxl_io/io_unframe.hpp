// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The packets in the symbol stream that the flits of CXL.io carry.
//
// Purpose: twin of rtl/cxl_io/io_unframe.sv: takes a flit a cycle, gives a piece of a packet a
//          cycle.
// Units:   DWs of four symbols, the first of them lowest.
// Errors:  what is no token is given out as it is and marked bad, for the data link to report.
// Source:  PCI Express Base 5.0, 4.2.2.3; docs/blocks/cxl_io/io_unframe.md.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "refmodel/cxl_io/io_flit.hpp"

namespace cxlgpu {

class IoUnframe {
 public:
  static constexpr unsigned kDws = 16;  // of a flit
  using Dw = std::uint32_t;
  struct Piece {
    bool first = false, last = false;
    bool bad = false;                // it is no token where one is due
    Behind behind = Behind::kOther;  // the last piece of a TLP
    unsigned count = 0;              // DWs; zeros behind them
    std::array<Dw, kDws> dws{};
    bool operator==(const Piece&) const = default;
  };

  static constexpr std::size_t kDepth = 16;
  explicit IoUnframe(std::size_t depth = kDepth) : depth_(depth) {}

  // A cycle; the piece of it.
  std::optional<Piece> clock(const std::optional<IoFlit>& flit);
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }  // flits

 private:
  std::optional<Piece> next_piece(const IoFlit& flit);

  std::size_t depth_;
  std::deque<IoFlit> waiting_;   // in front the flit in hand
  unsigned dw_ = 0;              // of it, the next to be looked at
  unsigned remaining_ = 0;       // DWs of the packet begun
  bool is_tlp_ = false;          // the packet begun
  bool flit_ended_tlp_ = false;  // the flit before ended with the end of a TLP
};

}  // namespace cxlgpu
