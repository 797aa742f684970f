// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/flit_unpacker.hpp"

namespace cxlgpu {

namespace {

// What CXL 2.0 has for a device without CXL.cache and its host (Tables 30, 36, 39, 42).
bool has_opcode(flits::MessageKind kind, MsgHeader message) {
  const auto opcode = static_cast<unsigned>(message >> 1);
  switch (kind) {
    case flits::MessageKind::M2sReq:
      return (0x307u >> (opcode & 15) & 1) != 0;  // 0 to 2, 8, 9
    case flits::MessageKind::M2sRwd:
      return (opcode & 15) == 1 || (opcode & 15) == 2;
    case flits::MessageKind::S2mNdr:
      return (opcode & 7) <= 2;
    default:
      return (opcode & 7) == 0;
  }
}

}  // namespace

struct FlitUnpacker::Decode {
  FlitUnpacker& state;
  const In& in;
  flits::FlitHeader header = get_header(in.flit);
  std::optional<unsigned> data_slot = std::nullopt;  // where the data header of this flit stands
  Out out{};

  void chunk(unsigned slot) {
    const auto line = state.lines_.take(get_chunk(in.flit, slot));
    if (!line) return;
    out.wd_valid = true;
    out.wd = line->message;
  }

  void no_data(MsgHeader message) {
    if (out.nd_valid == 2) {
      out.err = true;
    } else {
      out.nd_hdr[out.nd_valid++] = message;
    }
  }

  // Only behind 32 bytes there is room for a second slot with data headers; it does not count.
  void with_data(unsigned slot, flits::MessageKind kind, MsgHeader message, bool mdh) {
    if (data_slot.value_or(slot) != slot) {
      out.err = true;
      return;
    }
    data_slot = slot;
    const auto opened = state.lines_.open({kind, message, mdh, header.sz, header.be});
    out.err |= opened.err || (mdh && in.mdh_disable);
    out.wd_half |= opened.half;
  }

  // The messages of a slot that is not data.
  void messages(unsigned slot) {
    const std::uint8_t code = header.format[slot];
    const auto direction = state.is_host_ ? flits::Direction::S2M : flits::Direction::M2S;
    const flits::SlotFormat& format = flits::slot_format(direction, slot, code);
    out.err |= !format.defined() || (slot == 0 && code == flits::kMacFormat);
    for (const flits::Placement& at : format.places()) {
      const MsgHeader message = take_message(get_slot(in.flit, slot), at);
      if ((message & 1) == 0) continue;
      if (flits::is_cache(at.kind)) {
        out.err = true;
        continue;
      }
      out.err |= !has_opcode(at.kind, message);
      if (flits::carries_data(at.kind)) {
        with_data(slot, at.kind, message, format.mdh);
      } else {
        no_data(message);
      }
    }
  }

  void run() {
    out.owed = state.owed();
    const bool adf = out.owed >= 4;
    out.is_control = !adf && (in.flit[0] & 1) != 0;
    out.is_protocol = !adf && !out.is_control;
    if (out.is_control) return;
    for (unsigned slot = 0; slot < 4; ++slot) {
      if (adf) {
        chunk(slot);
      } else if (slot > 0 && state.owed() > 0) {
        out.err |= header.format[slot] != flits::kDataFormat;
        chunk(slot);
      } else {
        messages(slot);
      }
    }
  }
};

FlitUnpacker::Out FlitUnpacker::eval(const In& in) const {
  if (!in.valid) return {.owed = owed()};
  FlitUnpacker next = *this;
  Decode decode{next, in};
  decode.run();
  return decode.out;
}

void FlitUnpacker::clock(const In& in) {
  if (in.start) {
    lines_ = {};
  } else if (in.valid) {
    Decode{*this, in}.run();
  }
}

}  // namespace cxlgpu
