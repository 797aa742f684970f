#include "refmodel/controller/flit_unpacker.hpp"

namespace cxlgpu {

struct FlitUnpacker::Decode {
  FlitUnpacker& state;
  const Payload& flit;
  flits::FlitHeader header = get_header(flit);
  Out out{};

  void chunk(unsigned slot) {
    auto& waiting = state.waiting_;
    auto& line = state.line_;
    line.push_back(get_chunk(flit, slot));
    if (line.size() < waiting.front().chunks) return;
    out.wd_valid = true;
    out.wd = assemble(waiting.front().header, line);
    waiting.pop_front();
    line.clear();
  }

  void no_data(MsgHeader message) {
    if (out.nd_valid == 2) {
      out.err = true;
    } else {
      out.nd_hdr[out.nd_valid++] = message;
    }
  }

  // Its data takes all slots that follow, so no other slot of the flit can hold a data header.
  void with_data(MsgHeader message, bool mdh) {
    if (!header.sz || (mdh && header.be)) out.err = true;
    state.waiting_.push_back({message, kChunksPerLine + (header.be && !mdh ? 1 : 0)});
  }

  // The messages of a slot that is not data.
  void messages(unsigned slot) {
    const std::uint8_t code = header.format[slot];
    const auto direction = state.is_host_ ? flits::Direction::S2M : flits::Direction::M2S;
    const flits::SlotFormat& format = flits::slot_format(direction, slot, code);
    out.err |= !format.defined() || (slot == 0 && code == flits::kMacFormat);
    for (const flits::Placement& at : format.places()) {
      const MsgHeader message = take_message(get_slot(flit, slot), at);
      if ((message & 1) == 0) continue;
      if (flits::is_cache(at.kind)) {
        out.err = true;
      } else if (flits::carries_data(at.kind)) {
        with_data(message, format.mdh);
      } else {
        no_data(message);
      }
    }
  }

  void run() {
    out.owed = state.owed();
    const bool adf = out.owed >= 4;
    out.is_control = !adf && (flit[0] & 1) != 0;
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

unsigned FlitUnpacker::owed() const {
  unsigned chunks = 0;
  for (const Waiting& w : waiting_) chunks += w.chunks;
  return chunks - static_cast<unsigned>(line_.size());
}

FlitUnpacker::Out FlitUnpacker::eval(const In& in) const {
  if (!in.valid) return {.owed = owed()};
  FlitUnpacker next = *this;
  Decode decode{next, in.flit};
  decode.run();
  return decode.out;
}

void FlitUnpacker::clock(const In& in) {
  if (in.start) {
    waiting_.clear();
    line_.clear();
  } else if (in.valid) {
    Decode{*this, in.flit}.run();
  }
}

}  // namespace cxlgpu
