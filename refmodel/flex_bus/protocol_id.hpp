// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Protocol IDs: the two bytes in front of every flit, and what a receiver makes of damaged ones.
//
// Purpose: twin of rtl/flex_bus/protocol_id.sv.
// Units:   expect is a mask, bit k: kind k may arrive.
// Errors:  the verdict.
// Source:  CXL 2.0 6.2.2 and 6.2.3, docs/blocks/flex_bus/protocol_id.md.
#pragma once

#include <optional>

#include "flits/flit.hpp"
#include "refmodel/controller/arb_mux.hpp"

namespace cxlgpu {

enum class IdVerdict : std::uint8_t { kNormal, kCorrectable, kUncorrectable, kUnexpected };

constexpr flits::ProtocolId protocol_code(FlitKind kind, bool eds) {
  using Id = flits::ProtocolId;
  switch (kind) {
    case FlitKind::kIo:
      return eds ? Id::IoEds : Id::Io;
    case FlitKind::kCachemem:
      return eds ? Id::CacheMemEds : Id::CacheMem;
    case FlitKind::kAlmp:
      return eds ? Id::AlmpEds : Id::Almp;
    case FlitKind::kNull:
      break;
  }
  return eds ? Id::NullEds : Id::Null;
}

struct IdReading {
  IdVerdict verdict = IdVerdict::kUncorrectable;
  FlitKind kind = FlitKind::kIo;
  bool eds = false;
  [[nodiscard]] bool good() const {
    return verdict == IdVerdict::kNormal || verdict == IdVerdict::kCorrectable;
  }
  bool operator==(const IdReading&) const = default;
};

constexpr IdReading judge_id(std::uint8_t a, std::uint8_t b, unsigned expect) {
  IdReading reading;
  const auto is_code = [&](std::uint8_t byte) {
    for (const bool eds : {false, true}) {
      for (const auto kind :
           {FlitKind::kIo, FlitKind::kCachemem, FlitKind::kAlmp, FlitKind::kNull}) {
        if (byte != static_cast<std::uint8_t>(protocol_code(kind, eds))) continue;
        reading.kind = kind;
        reading.eds = eds;
        return true;
      }
    }
    return false;
  };
  // B first: A's meaning stands if both are codes.
  const bool b_valid = is_code(b);
  const bool a_valid = is_code(a);
  if (!(a_valid || b_valid) || (a_valid && b_valid && a != b)) return reading;
  const bool expected = (expect >> static_cast<unsigned>(reading.kind) & 1) != 0;
  reading.verdict = !expected            ? IdVerdict::kUnexpected
                    : a_valid && b_valid ? IdVerdict::kNormal
                                         : IdVerdict::kCorrectable;
  return reading;
}

}  // namespace cxlgpu
