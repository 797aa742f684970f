// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the device does wrong, once, when a test asks for it.
#include <algorithm>

#include "device.hpp"

namespace peer {
namespace {

constexpr unsigned kBeyond = 64;  // messages sent past the credits

}  // namespace

void Device::do_wrong(Wrong wrong) {
  if (is_of_wire(wrong)) {
    wire_.do_wrong(wrong);
  } else {
    wrong_ = wrong;
  }
}

bool Device::wrong_done() const {
  return wrong_ == Wrong::None && wire_.wrong_done() && held_drs_.empty() && held_ndr_.empty();
}

void Device::wronged(uint16_t tag) {
  wronged_tags_.push_back(tag);
  wrong_ = Wrong::None;
}

uint16_t Device::unused_tag() {
  for (;;) {
    const auto tag = static_cast<uint16_t>(random_());
    if (!open_tags_.contains(tag)) return tag;
  }
}

// True: the NDR has been dealt with.
bool Device::wrong_ndr(const MemNdr& message, bool to_write) {
  MemNdr ndr = message;
  auto& out = wire_.outbox();
  if (!to_write) return false;
  switch (wrong_) {
    case Wrong::DoubledNdr:
      out.ndr.push_back(ndr);
      break;
    case Wrong::ReservedNdrOpcode:
      ndr.opcode = 7;
      break;
    case Wrong::CmpSForWrite:
      ndr.opcode = kCmpS;
      break;
    case Wrong::CmpEForWrite:
      ndr.opcode = kCmpE;
      break;
    case Wrong::CmpMForWrite:
      ndr.opcode = kCmpM;
      break;
    case Wrong::LdIdOfNdr:
      ndr.ld_id = 5;
      break;
    case Wrong::MetaStateForWrite:
      ndr.meta_field = kMeta0State;
      break;
    case Wrong::DrsForWrite: {
      MemDrs drs;
      drs.tag = ndr.tag;
      out.drs.push_back(drs);
      wronged(ndr.tag);
      return true;
    }
    case Wrong::ThreeNdr: {
      held_ndr_.push_back(ndr);
      if (held_ndr_.size() < 2) return true;
      MemNdr third;
      third.tag = unused_tag();
      Flit flit{};
      FlitHeader header;
      header.format = {4, 5, 0, 0};
      put_header(flit, header);
      const SlotFormat& pair = slot_format(Direction::S2M, true, 4);
      put_ndr(flit, 0, pair.places[0], held_ndr_[0]);
      put_ndr(flit, 0, pair.places[1], held_ndr_[1]);
      put_ndr(flit, 1, slot_format(Direction::S2M, false, 5).places[0], third);
      seal(flit);
      wire_.link().inject({{flit, true}});
      held_ndr_.clear();
      wronged(third.tag);
      return true;
    }
    default:
      return false;
  }
  out.ndr.push_back(ndr);
  wronged(ndr.tag);
  return true;
}

bool Device::wrong_drs(const MemDrs& message) {
  MemDrs drs = message;
  auto& out = wire_.outbox();
  if (upper_half_) {  // the line of another read has gone between the halves
    out.drs.push_back(drs);
    out.drs.push_back(*upper_half_);
    upper_half_.reset();
    return true;
  }
  switch (wrong_) {
    case Wrong::DoubledDrs:
      out.drs.push_back(drs);
      break;
    case Wrong::ReservedDrsOpcode:
      drs.opcode = 7;
      break;
    case Wrong::MemDataNxm:
      drs.opcode = kMemDataNxm;
      break;
    case Wrong::LdIdOfDrs:
      drs.ld_id = 5;
      break;
    case Wrong::ReservedMetaField:
      drs.meta_field = 1;
      break;
    case Wrong::ReservedMessageBits:
      drs.reserved = 0x1ff;
      break;
    case Wrong::NdrForRead: {
      MemNdr ndr;
      ndr.tag = drs.tag;
      out.ndr.push_back(ndr);
      wronged(drs.tag);
      return true;
    }
    case Wrong::HalfLineOnly:
      drs.bytes = 32;
      break;
    case Wrong::HalvesSplit: {
      upper_half_ = drs;
      upper_half_->bytes = drs.bytes = 32;
      std::copy_n(message.data.begin() + 32, 32, upper_half_->data.begin());
      break;
    }
    case Wrong::MdhAnyway:
    case Wrong::MdhHalfLine:
    case Wrong::TwoDataHeaders:
    case Wrong::MdhOneHeader:
    case Wrong::ByteEnablesOfDrs: {
      held_drs_.push_back(drs);
      const bool pair = wrong_ != Wrong::MdhOneHeader && wrong_ != Wrong::ByteEnablesOfDrs;
      if (pair && held_drs_.size() < 2) return true;
      inject_drs_flits(held_drs_, wrong_);
      for (const MemDrs& one : held_drs_) wronged_tags_.push_back(one.tag);
      held_drs_.clear();
      wrong_ = Wrong::None;
      return true;
    }
    default:
      return false;
  }
  out.drs.push_back(drs);
  wronged(drs.tag);
  return true;
}

void Device::inject_drs_flits(const std::vector<MemDrs>& messages, Wrong how) {
  std::vector<Chunk> chunks;
  for (MemDrs drs : messages) {
    if (how == Wrong::MdhHalfLine) drs.bytes = 32;
    const auto of_line = chunks_of(drs);
    chunks.insert(chunks.end(), of_line.begin(), of_line.end());
  }
  if (how == Wrong::ByteEnablesOfDrs) {
    Chunk enables{};
    std::fill_n(enables.begin(), 8, 0xff);
    chunks.push_back(enables);
  }
  Flit first{};
  FlitHeader header;
  header.sz = how != Wrong::MdhHalfLine;
  header.be = how == Wrong::ByteEnablesOfDrs;
  unsigned slot = 1;
  if (how == Wrong::TwoDataHeaders || how == Wrong::ByteEnablesOfDrs) {
    header.format[0] = 3;
    put_drs(first, 0, slot_format(Direction::S2M, true, 3).places[0], messages[0]);
    if (how == Wrong::TwoDataHeaders) {
      header.format[1] = 4;
      put_drs(first, 1, slot_format(Direction::S2M, false, 4).places[0], messages[1]);
      slot = 2;
    }
  } else {
    header.format[0] = 5;
    const SlotFormat& format = slot_format(Direction::S2M, true, 5);
    for (size_t n = 0; n < messages.size(); ++n) put_drs(first, 0, format.places[n], messages[n]);
  }
  put_header(first, header);
  size_t next = 0;
  for (; slot < 4 && next < chunks.size(); ++slot) put_chunk(first, slot, chunks[next++]);
  seal(first);
  std::vector<RawFlit> flits{{first, true}};
  while (next < chunks.size()) {
    Flit flit{};
    const bool all_data = chunks.size() - next >= 4;
    for (unsigned s = all_data ? 0 : 1; s < 4 && next < chunks.size(); ++s)
      put_chunk(flit, s, chunks[next++]);
    seal(flit);
    flits.push_back({flit, true});
  }
  wire_.link().inject(flits);
}

// Wrongs that need no request of the host.
void Device::wrong_alone() {
  if (overuse_left_ != 0) return overuse();
  if (wrong_ == Wrong::None || !wire_.active() || !wire_.link().initialised()) return;
  auto& out = wire_.outbox();
  switch (wrong_) {
    case Wrong::UnknownTagNdr: {
      MemNdr ndr;
      ndr.tag = unused_tag();
      out.ndr.push_back(ndr);
      return wronged(ndr.tag);
    }
    case Wrong::UnknownTagDrs: {
      MemDrs drs;
      drs.tag = unused_tag();
      out.drs.push_back(drs);
      return wronged(drs.tag);
    }
    case Wrong::OveruseNdr:
    case Wrong::OveruseDrs: {
      const bool ndrs = wrong_ == Wrong::OveruseNdr;
      overuse_left_ = kBeyond + wire_.link().credits(ndrs ? MessageKind::Ndr : MessageKind::Drs);
      for (unsigned n = 0; n < overuse_left_; ++n) {
        const uint16_t tag = unused_tag();
        wronged_tags_.push_back(tag);
        if (ndrs) {
          MemNdr ndr;
          ndr.tag = tag;
          out.ndr.push_back(ndr);
        } else {
          MemDrs drs;
          drs.tag = tag;
          out.drs.push_back(drs);
        }
      }
      wire_.link().overuse(true);
      return;
    }
    case Wrong::CacheMessage: {
      Flit flit{};
      FlitHeader header;
      header.format[0] = 1;  // H1: D2H Req and D2H data header
      put_header(flit, header);
      put_bits(flit, 32, 1, 1);
      put_bits(flit, 33, 5, 1);  // RdCurr
      seal(flit);
      wire_.link().inject({{flit, true}});
      wrong_ = Wrong::None;
      return;
    }
    default:
      return;
  }
}

void Device::overuse() {
  const Outbox& out = wire_.outbox();
  if (!out.ndr.empty() || !out.drs.empty()) return;
  overuse_left_ = 0;
  wire_.link().overuse(false);
  wrong_ = Wrong::None;
}

}  // namespace peer
