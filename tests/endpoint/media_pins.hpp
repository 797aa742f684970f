// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The media port of a verilated endpoint.
//
// Purpose: its two structs in the terms of the media models. In MediaCommand `dpa` and `offset`
// count
//          lines here, as on the port.
// Units:   lines.
// Errors:  none.
#pragma once

#include "common/media_port.hpp"
#include "tests/common/fields.hpp"

namespace cxlgpu::test {

// What the media says in this cycle; `answer` may be null, and is anything then.
template <typename Port>
void drive_media_port(Port& port, bool takes, const MediaResponse* answer, Idle* idle = nullptr) {
  using Pins = layout::FromMedia;
  using Rsp = layout::MediaRsp;
  set_bits(port, Pins::cmd_ready, takes);
  set_bits(port, Pins::rsp_valid, answer != nullptr);
  if (answer == nullptr) {
    if (idle != nullptr) fill(*idle, port, Pins::rsp);
    return;
  }
  set_line(port, Pins::rsp[Rsp::data], answer->data);
  set_bits(port, Pins::rsp[Rsp::error], answer->error);
  set_bits(port, Pins::rsp[Rsp::id], answer->id);
  set_bits(port, Pins::rsp[Rsp::op], static_cast<unsigned>(answer->op));
  set_bits(port, Pins::rsp[Rsp::poison], answer->poison);
}

// The command on offer.
template <typename Port>
MediaCommand media_command(const Port& port) {
  using Cmd = layout::MediaCmd;
  constexpr layout::Field kCmd = layout::ToMedia::cmd;
  MediaCommand c;
  c.data = get_line(port, kCmd[Cmd::data]);
  c.byte_enable = get_bits(port, kCmd[Cmd::be]);
  c.offset = static_cast<std::uint32_t>(get_bits(port, kCmd[Cmd::offset]));
  c.slot = static_cast<std::uint32_t>(get_bits(port, kCmd[Cmd::slot]));
  c.dpa = get_bits(port, kCmd[Cmd::dpa]);
  c.id = static_cast<std::uint16_t>(get_bits(port, kCmd[Cmd::id]));
  c.op = static_cast<MediaOp>(get_bits(port, kCmd[Cmd::op]));
  c.poison = get_bits(port, kCmd[Cmd::poison]) != 0;
  c.partial = get_bits(port, kCmd[Cmd::partial]) != 0;
  c.durable = static_cast<Durable>(get_bits(port, kCmd[Cmd::durable]));
  return c;
}

}  // namespace cxlgpu::test
