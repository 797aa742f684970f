// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Fields of packed structs in the ports of verilated models, by their names in rtl/pkg.
//
// Purpose: tests/common/bits.hpp with the places of tb/layout.hpp; `from` is the bit of the port
//          where the struct starts.
// Units:   bits.
// Errors:  those of bits.hpp.
#pragma once

#include "tb/layout.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/idle.hpp"

namespace cxlgpu::test {

template <typename Port>
std::uint64_t get_bits(const Port& port, layout::Field at, std::size_t from = 0) {
  return get_bits(port, from + at.lo, at.width);
}

template <typename Port>
void set_bits(Port& port, layout::Field at, std::uint64_t value, std::size_t from = 0) {
  set_bits(port, from + at.lo, at.width, value);
}

template <typename Port>
LineBytes get_line(const Port& port, layout::Field at, std::size_t from = 0) {
  return get_line(port, from + at.lo);
}

template <typename Port>
void set_line(Port& port, layout::Field at, const LineBytes& line, std::size_t from = 0) {
  set_line(port, from + at.lo, line);
}

// A register access, as reg_req_t.
inline std::uint64_t reg_access(bool write, std::uint64_t addr, std::uint32_t data = 0) {
  using layout::RegReq;
  std::uint64_t port = 0;
  set_bits(port, RegReq::valid, 1);
  set_bits(port, RegReq::write, write);
  set_bits(port, RegReq::addr, addr);
  set_bits(port, RegReq::wdata, data);
  return port;
}

template <typename Port>
void fill(Idle& idle, Port& port, layout::Field at) {
  idle.fill(port, at.lo, at.width);
}

}  // namespace cxlgpu::test
