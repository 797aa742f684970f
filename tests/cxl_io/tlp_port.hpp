// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// TLPs on the ports of verilated models, and how a TLP is bent in random tests.
//
// Shapes: byte n of a TLP is bits [8n+7:8n] of the port.
// Errors: none.
// Source: docs/blocks/cxl_io/README.md.
#pragma once

#include "refmodel/cxl_io/io_types.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {

template <typename Port>
Tlp get_tlp(const Port& port) {
  return get_bytes<24>(port);
}
template <typename Port>
void set_tlp(Port& port, const Tlp& tlp) {
  set_bytes(port, 0, tlp);
}

// io_link delivers nothing in the bytes that a TLP does not have.
inline Tlp cut_to_length(Tlp tlp) {
  for (std::size_t i = tlp_bytes(tlp); i < tlp.size(); ++i) tlp[i] = 0;
  return tlp;
}

inline Tlp random_bytes(Random& random) {
  Tlp tlp{};
  for (std::uint8_t& byte : tlp) byte = static_cast<std::uint8_t>(random.bits(8));
  return tlp;
}

// One bit of the header the other way.
inline void flip_header_bit(Random& random, Tlp& tlp) {
  const std::uint64_t bit = random.below(8 * header_bytes(tlp));
  tlp[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
}

}  // namespace cxlgpu::test
