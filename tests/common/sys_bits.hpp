// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// sys_req_t and sys_rsp_t of cxlgpu_pkg as bit fields of verilated ports.
//
// Units:  bit positions are those of the packed structs (last field at bit 0); `at` is the bit
//         where the struct starts, for arrays of them.
#pragma once

#include <array>

#include "common/request.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {

// poison 1, id 16, is_write 1, line 46, be 64, data 512
inline constexpr std::size_t kSysReqBits = 640;
inline constexpr std::size_t kSysRspBits = 530;  // id 16, is_write 1, error 1, data 512

template <typename Port>
void set_sys_req(Port& port, const MemRequest& req, std::size_t at = 0) {
  set_line(port, at, req.data);
  set_bits(port, at + 512, 64, req.byte_enable);
  set_bits(port, at + 576, 46, req.addr / kLineBytes);
  set_bits(port, at + 622, 1, req.is_write);
  set_bits(port, at + 623, 16, req.id);
  set_bits(port, at + 639, 1, req.poison);
}

template <typename Port>
void check_sys_req(Lockstep& lockstep, const Port& port, const MemRequest& twin,
                   std::size_t at = 0) {
  lockstep.check("request.id", get_bits(port, at + 623, 16), twin.id);
  lockstep.check("request.is_write", get_bits(port, at + 622, 1), twin.is_write);
  lockstep.check("request.line", get_bits(port, at + 576, 46), twin.addr / kLineBytes);
  if (!twin.is_write) return;
  lockstep.check("request.poison", get_bits(port, at + 639, 1), twin.poison);
  lockstep.check("request.be", get_bits(port, at + 512, 64), twin.byte_enable);
  lockstep.check_bytes("request.data", get_line(port, at), twin.data);
}

template <typename Port>
void set_sys_rsp(Port& port, const MemResponse& rsp, std::size_t at = 0) {
  set_line(port, at, rsp.data);
  set_bits(port, at + 512, 1, rsp.error);
  set_bits(port, at + 513, 1, rsp.is_write);
  set_bits(port, at + 514, 16, rsp.id);
}

template <typename Port>
void check_sys_rsp(Lockstep& lockstep, const Port& port, const MemResponse& twin,
                   std::size_t at = 0) {
  lockstep.check("response.id", get_bits(port, at + 514, 16), twin.id);
  lockstep.check("response.is_write", get_bits(port, at + 513, 1), twin.is_write);
  lockstep.check("response.error", get_bits(port, at + 512, 1), twin.error);
  if (!twin.is_write) lockstep.check_bytes("response.data", get_line(port, at), twin.data);
}

inline Line random_line(Random& random) {
  Line line;
  for (std::size_t i = 0; i < kLineBytes; i += 8) {
    const std::uint64_t word = random.bits(64);
    for (std::size_t b = 0; b < 8; ++b) line[i + b] = static_cast<std::uint8_t>(word >> (8 * b));
  }
  return line;
}

// Enables: mostly all, else any, a single one, all but one, or none.
inline std::uint64_t random_byte_enables(Random& random, unsigned percent_partial) {
  if (!random.percent(percent_partial)) return kAllBytes;
  const std::uint64_t one = std::uint64_t{1} << random.below(64);
  return random.pick(std::array{random.bits(64), random.bits(64), one, ~one, std::uint64_t{0}});
}

inline MemRequest random_request(Random& random, std::uint64_t line, unsigned percent_writes,
                                 unsigned percent_poison = 0) {
  MemRequest req;
  req.id = static_cast<std::uint32_t>(random.bits(16));
  req.is_write = random.percent(percent_writes);
  req.addr = line * kLineBytes;
  req.byte_enable = random_byte_enables(random, 40);
  req.data = random_line(random);
  req.poison = req.is_write && random.percent(percent_poison);
  return req;
}

inline MemResponse random_response(Random& random) {
  return {static_cast<std::uint32_t>(random.bits(16)), random.percent(50), random.percent(20),
          random_line(random)};
}

}  // namespace cxlgpu::test
