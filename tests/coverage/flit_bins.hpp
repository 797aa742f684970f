// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// From a flit to the bins of flits_m2s and flits_s2m.
//
// Purpose: reads the messages of one protocol flit that packer or unpacker has at its port and
//          counts opcode, slot format, data slots owed before it and rolling over after it.
// Shapes:  a payload, the data slots owed when it starts. Flits that break a rule of CXL 2.0 are
//          not counted, nor are those that carry data of CXL.cache: the groups are about CXL.mem.
// Errors:  none.
// Source:  CXL 2.0 slot formats, maximum messages a flit; flits/slots.hpp.
#pragma once

#include <array>
#include <optional>

#include "refmodel/controller/wire.hpp"
#include "tests/coverage/functional_groups.hpp"
#include "tests/coverage/functional_gtest.hpp"

namespace cxlgpu::test {

class FlitBins {
 public:
  explicit FlitBins(flits::Direction direction)
      : direction_(direction),
        counts_(direction == flits::Direction::M2S ? coverage::flits_m2s()
                                                   : coverage::flits_s2m()) {}

  void look(coverage::Side side, const Payload& payload, unsigned owed) {
    if (!counts_.on() || owed >= 4 || (payload[0] & 1) != 0) return;
    Found found;
    if (!read(payload, owed, found)) return;
    for (unsigned i = 0; i < found.count; ++i) {
      const auto& [opcode, format] = found.message[i];
      counts_.hit({static_cast<unsigned>(side), opcode, format, owed, found.rollover});
    }
  }

 private:
  static constexpr unsigned kMost = 12;
  struct Found {
    std::array<std::pair<unsigned, unsigned>, kMost> message{};  // opcode, format
    unsigned count = 0, rollover = 0;
  };

  // Its place on the opcode axis; nothing if reserved.
  static std::optional<unsigned> opcode(flits::MessageKind kind, MsgHeader bits) {
    using enum flits::MessageKind;
    const auto at = [](const auto& table, auto code) -> std::optional<unsigned> {
      for (unsigned i = 0; i < table.size(); ++i) {
        if (table[i].value == code) return i;
      }
      return std::nullopt;
    };
    switch (kind) {
      case M2sReq:
        return at(flits::NamesOf<flits::M2sReqOpcode>::table,
                  flits::unpack<flits::M2sReq>(bits).opcode);
      case M2sRwd: {
        const auto n = at(flits::NamesOf<flits::M2sRwdOpcode>::table,
                          flits::unpack<flits::M2sRwd>(bits).opcode);
        if (!n) return std::nullopt;
        return *n + static_cast<unsigned>(flits::NamesOf<flits::M2sReqOpcode>::table.size());
      }
      case S2mNdr:
        return at(flits::NamesOf<flits::S2mNdrOpcode>::table,
                  flits::unpack<flits::S2mNdr>(bits).opcode);
      case S2mDrs:
        if (flits::unpack<flits::S2mDrs>(bits).opcode != flits::S2mDrsOpcode::MemData) {
          return std::nullopt;
        }
        return static_cast<unsigned>(flits::NamesOf<flits::S2mNdrOpcode>::table.size());
      default:
        return std::nullopt;
    }
  }

  // False if it breaks a rule or has nothing to do here.
  bool read(const Payload& payload, unsigned owed, Found& found) const {
    using flits::MessageKind;
    constexpr std::array<unsigned, flits::kMessageKinds> kMax{2, 1, 2, 3, 2, 4, 4, 4, 2, 4};
    std::array<unsigned, flits::kMessageKinds> seen{};
    std::uint32_t header_bits;
    std::memcpy(&header_bits, payload.data(), sizeof header_bits);
    const flits::FlitHeader header = flits::unpack_header(header_bits);
    unsigned left = owed, data_slots = 0;
    for (unsigned s = 0; s < 4; ++s) {
      const unsigned code = header.format[s];
      if (s != 0 && left > 0) {
        if (code != flits::kDataFormat) return false;
        --left;
        continue;
      }
      const flits::SlotFormat& format = flits::slot_format(direction_, s, code);
      if (!format.defined() || (s == 0 && format.raw)) return false;
      unsigned data_headers = 0;
      for (const flits::Placement& p : format.places()) {
        const MsgHeader bits = take_message(get_slot(payload, s), p);
        if ((bits & 1) == 0) continue;
        if (++seen[flits::index(p.kind)] > kMax[flits::index(p.kind)]) return false;
        if (flits::carries_data(p.kind)) ++data_headers;
        if (flits::is_cache(p.kind)) {
          if (flits::carries_data(p.kind)) return false;
          continue;
        }
        if (const auto code_index = opcode(p.kind, bits)) {
          found.message[found.count++] = {*code_index, s == 0 ? code : 7 + code};
        }
      }
      if (data_headers == 0) continue;
      const bool m2s = direction_ == flits::Direction::M2S;
      if (++data_slots > 1 || !header.sz || (header.be && !m2s)) return false;
      if (format.mdh && data_headers == 1) return false;
      left += 4 * data_headers + (header.be ? 1 : 0);
    }
    found.rollover = left;
    return true;
  }

  flits::Direction direction_;
  TestCoverage counts_;
};

// DRS of 32 bytes at the host's unpacker.
class HalfBins {
 public:
  // A protocol flit that was accepted with `owed` data slots to come; whether a first half began.
  void look(const Payload& payload, unsigned owed, bool first) {
    if (!counts_.on() || owed >= 4 || (payload[0] & 1) != 0) return;
    const flits::FlitHeader header = get_header(payload);
    if (header.sz || header.be) return;
    for (unsigned s = 0; s < 4; ++s) {
      if (s != 0 && s <= owed) continue;
      const flits::SlotFormat& format =
          flits::slot_format(flits::Direction::S2M, s, header.format[s]);
      for (const flits::Placement& p : format.places()) {
        if (!flits::carries_data(p.kind) || flits::is_cache(p.kind)) continue;
        if ((take_message(get_slot(payload, s), p) & 1) == 0) continue;
        if (!format.mdh) counts_.hit({first ? 0u : 1u, s, owed});
        return;
      }
    }
  }

 private:
  TestCoverage counts_{coverage::drs_halves()};
};

}  // namespace cxlgpu::test
