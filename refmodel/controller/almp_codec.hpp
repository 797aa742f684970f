// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ARB/MUX link management packets (ALMP) and the flit that carries one.
//
// Purpose: twin of rtl/controller/almp_codec.sv.
// Units:   flit bytes as in CrcFlit: payload byte n is flit bits [8n+7:8n].
// Errors:  read_almp() says what is wrong with a received one; the fields are then those of the
//          first copy, as they stand.
// Source:  CXL 2.0 5.1.2, docs/blocks/controller/almp_codec.md.
#pragma once

#include "refmodel/controller/wire.hpp"

namespace cxlgpu {

/// vLSM states, ALMP codes and requests share one numbering. Any 4-bit value may arrive.
enum class VlsmCode : std::uint8_t {
  kReset = 0,
  kActive = 1,
  kDapm = 3,
  kL1_0 = 4,
  kL1_1 = 5,
  kL1_2 = 6,
  kL1_3 = 7,
  kL2 = 8,
  kLinkReset = 9,
  kLinkDisable = 0xA,
  kRetrain = 0xB,
  kLinkError = 0xC,
};
constexpr bool is_l1(VlsmCode code) {
  return code >= VlsmCode::kL1_0 && code <= VlsmCode::kL1_3;
}
constexpr bool is_low_power(VlsmCode code) {
  return code == VlsmCode::kDapm || is_l1(code) || code == VlsmCode::kL2;
}
constexpr bool is_tearing(VlsmCode code) {
  return code == VlsmCode::kLinkReset || code == VlsmCode::kLinkDisable ||
         code == VlsmCode::kLinkError;
}

enum class AlmpLink : std::uint8_t { kIo = 1, kCachemem = 2 };

struct Almp {
  AlmpLink link = AlmpLink::kIo;
  bool request = false;  // else Status
  VlsmCode code = VlsmCode::kReset;
  bool operator==(const Almp&) const = default;
};

struct AlmpReading {
  bool damaged = false;    // the four copies differ
  bool malformed = false;  // the first copy is no ALMP of this link
  Almp almp;
};

CrcFlit encode_almp(const Almp& almp);
AlmpReading read_almp(const CrcFlit& flit);

}  // namespace cxlgpu
