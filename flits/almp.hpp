// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ARB/MUX link management packets (ALMP): how the two ends of a link agree on the state of CXL.io
// and CXL.cachemem.
//
// A DWORD, four times in the first 16 bytes after the protocol ID (ALMP), the rest of the flit
// zero. DWORD: byte 0 zero, byte 1 08h, byte 2 state code in bits 3:0 and Request in bit 7, byte 3
// link in bits 3:0. An ALMP has no CRC: its copies protect each other. Errors: none thrown;
// read_almp() says what is wrong with a flit. Source: CXL 2.0, ALMP format and codes of 68-byte
// flits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "flits/flit.hpp"

namespace cxlgpu::flits {

enum class AlmpLink : std::uint8_t { Io = 1, CacheMem = 2 };

enum class LinkState : std::uint8_t {
  Reset = 0x0,
  Active = 0x1,
  Dapm = 0x3,  // as a Request: the deepest state the peer allows
  L1_0 = 0x4,
  L1_1 = 0x5,
  L1_2 = 0x6,
  L1_3 = 0x7,
  L2 = 0x8,
  Retrain = 0xB,
};

struct Almp {
  AlmpLink link = AlmpLink::CacheMem;
  bool is_request = false;  // else Status
  LinkState state = LinkState::Reset;
  bool operator==(const Almp&) const = default;
};

constexpr bool is_l1(LinkState s) {
  return s >= LinkState::L1_0 && s <= LinkState::L1_3;
}
constexpr bool is_low_power(LinkState s) {
  return s == LinkState::Dapm || is_l1(s) || s == LinkState::L2;
}
/// Whether an ALMP may say this: a Request never Reset, a Status never DAPM.
constexpr bool is_legal(const Almp& a) {
  return a.is_request ? a.state != LinkState::Reset : a.state != LinkState::Dapm;
}

std::string_view name(AlmpLink link);
/// Empty for a reserved code.
std::string_view name(LinkState state);
std::optional<AlmpLink> almp_link_from_name(std::string_view text);
std::optional<LinkState> link_state_from_name(std::string_view text);

Flit encode_almp(const Almp& almp);

enum class AlmpFault : std::uint8_t {
  None,
  CopiesDiffer,  // damaged on its way
  Malformed,     // a reserved or constant bit, or the link, is wrong in all copies
  IllegalCode,   // a state that a Request or Status cannot have
  RestNotZero,   // the ALMP itself is good
};
/// Empty for None.
std::string_view name(AlmpFault fault);

struct AlmpReading {
  AlmpFault fault = AlmpFault::None;
  Almp almp;  // of the first copy; has a meaning if fault is None or RestNotZero
};
/// The protocol ID is not looked at.
AlmpReading read_almp(const Flit& flit);

}  // namespace cxlgpu::flits
