// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What meets in one cycle of the RTL's ras, for functional coverage: an event of each status bit, a
// write that clears it, what was set before.
//
// Use:     look() with the inputs settled, before the edge.
// Source:  docs/blocks/controller/ras.md.
#pragma once

#include <cstdint>
#include <iterator>

#include "Vras___024root.h"
#include "common/registers.hpp"
#include "refmodel/controller/ras.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_registers.hpp"

namespace cxlgpu::test {

class RasMeetings {
 public:
  template <typename Top>
  void look(Top& top, const Ras::In& in) {
    if (!uncor_.on()) return;
    using namespace coverage;
    const auto& inside = *top.rootp;
    const bool enabled = (inside.ras__DOT__control_q >> kPoisonBits & 3) != 0;
    const unsigned first = inside.ras__DOT__control_q & 0x3fu;
    const std::uint32_t uncor = in.uncor | (in.poison && !enabled ? 1u << kPoisonBit : 0u);
    const std::uint32_t cor = in.cor | (in.poison && enabled ? 1u << 5 : 0u) |
                              (in.crc && inside.ras__DOT__crc_full ? 1u << 2 : 0u) |
                              (in.retry && inside.ras__DOT__retry_full ? 1u << 3 : 0u);
    const auto event = [](std::uint32_t events, std::uint32_t mask, unsigned bit) {
      if ((events >> bit & 1) == 0) return RasEvent::None;
      return (mask >> bit & 1) != 0 ? RasEvent::Masked : RasEvent::Happens;
    };
    const auto write = [&](std::uint32_t offset, unsigned bit) {
      if (!in.valid || !in.write || (in.addr & 0x7c) != offset) return RasWrite::None;
      return (in.wdata >> bit & 1) != 0 ? RasWrite::ClearsIt : RasWrite::ClearsOthers;
    };
    const auto number = [](auto value) { return static_cast<unsigned>(value); };
    for (unsigned n = 0; n < std::size(kRasUncorBits); ++n) {
      const unsigned bit = kRasUncorBits[n];
      const RasHeld held = inside.ras__DOT__held_q == 0 ? RasHeld::None
                           : first == bit               ? RasHeld::It
                                                        : RasHeld::Another;
      uncor_.hit({n, number(event(uncor, word(inside.ras__DOT__uncor_mask_q), bit)),
                  number(write(regs::ras::kUncorStatus, bit)),
                  word(inside.ras__DOT__uncor_status_q) >> bit & 1, number(held)});
    }
    for (unsigned bit = 0; bit < kRasCorBits; ++bit) {
      cor_.hit({bit, number(event(cor, inside.ras__DOT__cor_mask_q, bit)),
                number(write(regs::ras::kCorStatus, bit)),
                static_cast<unsigned>(inside.ras__DOT__cor_status_q) >> bit & 1});
    }
  }

 private:
  static constexpr unsigned kPoisonBit = 10;
  static constexpr unsigned kPoisonBits = 7;  // two fields of ras_control_t, one for each side

  // The register of a ras_uncor_status_t: without the reserved bits 13:12 the fields stand in a
  // row.
  static std::uint32_t word(std::uint32_t fields) { return (fields & 0xfff) | fields >> 12 << 14; }

  TestCoverage uncor_{coverage::ras_uncor_pairs()}, cor_{coverage::ras_cor_pairs()};
};

}  // namespace cxlgpu::test
