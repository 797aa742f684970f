// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The packets of CXL.io: TLPs and DLLPs in the symbol stream that CXL.io flits carry.
//
// Purpose: what a person or a program wants to see of them. A flit is 16 DWs of the stream; a
// packet
//          begins in any DW, several stand in one flit, one may go on in the flits that follow. It
//          is read where it ends; where it begins or goes on only that is said.
// Errors:  none: what is no packet is one of kind FramingError, a wrong CRC is said.
// Source:  PCIe 5.0, 4.2.2.3 (framing), 2.2 (TLPs), 3.5 and 3.6 (DLLPs, LCRC).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "flits/flit.hpp"

namespace cxlgpu::flits {

struct IoPacket {
  enum class Kind : std::uint8_t {
    Tlp,
    Dllp,
    Edb,           // in the first DW: the TLP that ended with the flit before was nullified
    FramingError,  // no token where one is due; the rest of the flit is not read
  };
  enum class Part : std::uint8_t { Whole, Begins, GoesOn, Ends };
  Kind kind = Kind::Tlp;
  Part part = Part::Whole;
  std::uint8_t dw = 0, dws = 0;     // in this flit
  bool edb = false;                 // the token that nullifies follows
  std::vector<std::uint8_t> bytes;  // Whole and Ends: all of it, token and CRC included
  bool operator==(const IoPacket&) const = default;
};

/// One direction of a link.
class IoStream {
 public:
  /// Packets of the next CXL.io flit, in order.
  std::vector<IoPacket> take(const Flit& flit);
  /// A packet on its way is lost: Recovery.
  void reset() { *this = {}; }

 private:
  std::vector<std::uint8_t> begun_;  // of a packet that goes on
  std::size_t needed_ = 0;           // its bytes, 0: there is none
  bool tlp_ended_flit_ = false;
};

std::string to_text(const IoPacket& packet);
nlohmann::ordered_json to_json(const IoPacket& packet);
/// Every "type" that to_json() can give.
std::vector<std::string_view> io_packet_types();

}  // namespace cxlgpu::flits
