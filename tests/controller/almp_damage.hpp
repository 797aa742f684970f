// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a wire can do to an ALMP, and ALMPs that nobody sent.
//
// Purpose: shared by the benches of ARB/MUX pairs and the soak.
// Errors:  none.
// Source:  CXL 2.0 5.2: an ALMP carries four copies of one DWORD.
#pragma once

#include <algorithm>

#include "refmodel/controller/arb_mux.hpp"
#include "tests/controller/quick_random.hpp"

namespace cxlgpu::test {

// What the wire does to an ALMP: bits, a cut, a swap for another, or nothing of an ALMP left.
inline void damage(CrcFlit& flit, QuickRandom& random) {
  switch (random.below(4)) {
    case 0:
      for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
        flit.payload[random.below(16)] ^= static_cast<std::uint8_t>(1u << random.below(8));
      }
      break;
    case 1:
      std::fill(flit.payload.begin() + static_cast<long>(random.below(16)), flit.payload.end(), 0);
      break;
    case 2: {
      const auto byte = random.below(4);
      const auto bit = static_cast<std::uint8_t>(1u << random.below(8));
      for (unsigned copy = 0; copy < 4; ++copy) flit.payload[4 * copy + byte] ^= bit;
      break;
    }
    default:
      for (unsigned i = 0; i < 16; ++i) {
        flit.payload[i] = static_cast<std::uint8_t>(random.bits(8));
      }
      break;
  }
}

// A well-formed ALMP that nobody sent.
inline CrcFlit forged_almp(QuickRandom& random) {
  constexpr VlsmCode kCodes[] = {VlsmCode::kReset, VlsmCode::kActive, VlsmCode::kActive,
                                 VlsmCode::kDapm,  VlsmCode::kL1_0,   VlsmCode::kL1_2,
                                 VlsmCode::kL2,    VlsmCode::kRetrain};
  return encode_almp(
      {random.bits(1) != 0 ? AlmpLink::kIo : AlmpLink::kCachemem, random.bits(1) != 0,
       random.percent(90) ? random.pick(kCodes) : static_cast<VlsmCode>(random.bits(4))});
}

}  // namespace cxlgpu::test
