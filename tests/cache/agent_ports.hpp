// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The CXL.cache channels of a verilated agent: driven, read and compared.
//
// Purpose: what device_agent_test and host_responder_test share.
// Units:   messages in wire layout.
// Errors:  as in tests/common/lockstep.hpp.
#pragma once

#include "refmodel/cache/cache_ports.hpp"
#include "tests/controller/ports.hpp"

namespace cxlgpu::test {

template <typename Top>
void drive_channels(Top& v, const AgentIn& in) {
  v.tx_creq_ready_i = in.tx_ready[kCreq];
  v.tx_crsp_ready_i = in.tx_ready[kCrsp];
  v.tx_cdat_ready_i = in.tx_ready[kCdat];
  v.rx_creq_valid_i = in.rx_valid[kCreq];
  v.rx_crsp_valid_i = in.rx_valid[kCrsp];
  v.rx_cdat_valid_i = in.rx_valid[kCdat];
  set_field(v.rx_creq_hdr_i, 0, 79, in.rx_creq_hdr);
  set_field(v.rx_crsp_hdr_i, 0, 32, in.rx_crsp_hdr);
  set_field(v.rx_cdat_hdr_i, 0, 24, in.rx_cdat.header);
  set_line(v.rx_cdat_data_i, 0, in.rx_cdat.data);
  if constexpr (requires { v.rx_cdat_be_i; }) v.rx_cdat_be_i = in.rx_cdat.enables;
}

// Headers and data count only with their valid, ready only while something is offered.
template <typename Top>
void compare_channels(Lockstep& run, const Top& v, const AgentIn& in, const AgentOut& out) {
  run.check("tx_creq_valid_o", v.tx_creq_valid_o, out.tx_valid[kCreq]);
  run.check("tx_crsp_valid_o", v.tx_crsp_valid_o, out.tx_valid[kCrsp]);
  run.check("tx_cdat_valid_o", v.tx_cdat_valid_o, out.tx_valid[kCdat]);
  if (in.rx_valid[kCreq]) run.check("rx_creq_ready_o", v.rx_creq_ready_o, out.rx_creq_ready);
  run.check("rx_crsp_ready_o", v.rx_crsp_ready_o, 1);
  run.check("rx_cdat_ready_o", v.rx_cdat_ready_o, 1);
  const auto check_header = [&](const char* field, MsgHeader r, MsgHeader t) {
    run.check_bytes(field, header_bytes(r), header_bytes(t));
  };
  if (out.tx_valid[kCreq]) {
    check_header("tx_creq_hdr_o", get_field(v.tx_creq_hdr_o, 0, 79), out.tx_creq_hdr);
  }
  if (out.tx_valid[kCrsp]) {
    check_header("tx_crsp_hdr_o", get_field(v.tx_crsp_hdr_o, 0, 32), out.tx_crsp_hdr);
  }
  if (!out.tx_valid[kCdat]) return;
  check_header("tx_cdat_hdr_o", get_field(v.tx_cdat_hdr_o, 0, 24), out.tx_cdat.header);
  run.check_bytes("tx_cdat_data_o", get_line(v.tx_cdat_data_o), out.tx_cdat.data);
  if constexpr (requires { v.tx_cdat_be_o; }) {
    run.check("tx_cdat_be_o", v.tx_cdat_be_o, out.tx_cdat.enables);
  }
}

// Fields that an agent does not look at carry anything.
inline MsgHeader with_noise(Random& random, MsgHeader message, MsgHeader used) {
  const MsgHeader noise = MsgHeader{random.bits(64)} << 64 | random.bits(64);
  return (message & used) | (noise & ~used) | 1;
}

}  // namespace cxlgpu::test
