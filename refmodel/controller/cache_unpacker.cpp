// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/cache_unpacker.hpp"

namespace cxlgpu {

struct CacheUnpacker::Decode {
  CacheUnpacker& state;
  const In& in;
  flits::FlitHeader header = get_header(in.flit);
  std::optional<unsigned> data_slot = std::nullopt;  // where the data headers of this flit stand
  Out out{};

  void chunk(unsigned slot) {
    const auto line = state.lines_.take(get_chunk(in.flit, slot));
    if (!line) return;
    if (flits::is_cache(line->kind)) {
      out.cache.cdat_valid = true;
      out.cache.cdat = line->message;
    } else {
      out.mem.wd_valid = true;
      out.mem.wd = line->message;
    }
  }

  // More than a flit may carry: the rest is dropped.
  template <std::size_t N>
  void append(std::array<MsgHeader, N>& list, unsigned& count, unsigned limit, MsgHeader message) {
    if (count == limit) {
      out.mem.err = true;
    } else {
      list[count++] = message;
    }
  }

  void request(MsgHeader message) {
    CacheReceived& c = out.cache;
    if (!state.is_host_ && c.creq_valid < c.creq_older.size()) {
      c.creq_older[c.creq_valid] = c.crsp_valid;
    }
    append(c.creq_hdr, c.creq_valid, state.is_host_ ? 4 : 2, message);
  }

  // Only behind 32 bytes there is room for a second slot with data headers; they do not count.
  void data_header(unsigned slot, flits::MessageKind kind, MsgHeader message, bool mdh) {
    if (data_slot.value_or(slot) != slot) {
      out.mem.err = true;
      return;
    }
    data_slot = slot;
    const auto opened = state.lines_.open({kind, message, mdh, header.sz, header.be});
    out.mem.err |= opened.err || (mdh && in.mdh_disable);
    (flits::is_cache(kind) ? out.cache.cdat_half : out.mem.wd_half) |= opened.half;
  }

  // The messages of a slot that is not data.
  void messages(unsigned slot) {
    using enum flits::MessageKind;
    const std::uint8_t code = header.format[slot];
    const auto direction = state.is_host_ ? flits::Direction::S2M : flits::Direction::M2S;
    const flits::SlotFormat& format = flits::slot_format(direction, slot, code);
    out.mem.err |= !format.defined() || (slot == 0 && code == flits::kMacFormat);
    for (const flits::Placement& at : format.places()) {
      const MsgHeader message = take_message(get_slot(in.flit, slot), at);
      if ((message & 1) == 0) continue;
      if (flits::carries_data(at.kind)) {
        data_header(slot, at.kind, message, format.mdh);
      } else if (at.kind == H2dReq || at.kind == D2hReq) {
        request(message);
      } else if (at.kind == H2dRsp || at.kind == D2hRsp) {
        append(out.cache.crsp_hdr, out.cache.crsp_valid, state.is_host_ ? 2 : 4, message);
      } else {
        append(out.mem.nd_hdr, out.mem.nd_valid, 2, message);
      }
    }
  }

  void run() {
    out.mem.owed = state.owed();
    const bool adf = out.mem.owed >= 4;
    out.mem.is_control = !adf && (in.flit[0] & 1) != 0;
    out.mem.is_protocol = !adf && !out.mem.is_control;
    if (out.mem.is_control) return;
    for (unsigned slot = 0; slot < 4; ++slot) {
      if (adf) {
        chunk(slot);
      } else if (slot > 0 && state.owed() > 0) {
        out.mem.err |= header.format[slot] != flits::kDataFormat;
        chunk(slot);
      } else {
        messages(slot);
      }
    }
  }
};

CacheUnpacker::Out CacheUnpacker::eval(const In& in) const {
  if (!in.valid) {
    Out idle;
    idle.mem.owed = owed();
    return idle;
  }
  CacheUnpacker next = *this;
  Decode decode{next, in};
  decode.run();
  return decode.out;
}

void CacheUnpacker::clock(const In& in) {
  if (in.start) {
    lines_ = {};
  } else if (in.valid) {
    Decode{*this, in}.run();
  }
}

}  // namespace cxlgpu
