// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The receiver loop of 68-byte mode: see codec.hpp.
#include <algorithm>

#include "flits/codec.hpp"

namespace cxlgpu::flits {
namespace {

// Most messages of each kind that one flit may carry, in the order of MessageKind.
constexpr std::array<std::uint8_t, kMessageKinds> kMaxPerFlit{2, 1, 2, 3, 2, 4, 4, 4, 2, 4};
constexpr std::uint8_t kHalfLine = 32;  // bytes

void report(Decoded& out, DecodeRule rule, unsigned slot, std::uint32_t value = 0,
            std::string_view subject = {}) {
  if (!out.findings.full()) {
    out.findings.push_back({rule, static_cast<std::uint8_t>(slot), value, subject});
  }
}

}  // namespace

void Decoder::reset() {
  owed_ = 0;
  pending_.clear();
  lower_half_.reset();
}

Decoded Decoder::decode(const Flit& flit) {
  Decoded out;
  if (owed_ >= 4) {
    out.kind = FlitKind::AllData;
    for (unsigned s = 0; s < 4; ++s) take_chunk(flit.slot(s), s, out);
    return out;
  }
  if (flit.is_control()) {
    decode_control(flit, out);
    return out;
  }
  const std::uint32_t header_bits = flit.header_bits();
  out.header = unpack_header(header_bits);
  if (header_bits & kHeaderReserved) {
    report(out, DecodeRule::NonzeroReserved, 0, header_bits & kHeaderReserved, "flit header");
  }
  unsigned data_header_slots = 0;
  for (unsigned s = 0; s < 4; ++s) {
    const u128 bits = flit.slot(s);
    if (s >= 1 && owed_ > 0) {
      if (out.header.format[s] != kDataFormat) {
        report(out, DecodeRule::OwedSlotNotData, s, out.header.format[s]);
      }
      take_chunk(bits, s, out);
    } else {
      decode_slot(s, bits, out, data_header_slots);
    }
  }
  for (std::size_t k = 0; k < kMessageKinds; ++k) {
    if (out.headers[k] > kMaxPerFlit[k]) {
      report(out, DecodeRule::TooManyMessages, 0, out.headers[k], kMessageNames[k]);
    }
  }
  if (data_header_slots > 1) {
    report(out, DecodeRule::SeveralDataHeaders, 0, data_header_slots);
  }
  out.acks = out.header.ak ? 8 : 0;
  take_credits(out.header.rsp_crd, out.header.req_crd, out.header.data_crd, out);
  return out;
}

void Decoder::decode_control(const Flit& flit, Decoded& out) {
  out.kind = FlitKind::Control;
  out.control = classify_control(flit);
  if (const auto* unknown = std::get_if<UnknownControl>(&*out.control)) {
    report(out, DecodeRule::ReservedControl, 0, unknown->llctrl | unknown->subtype << 4u);
  } else if (!is_canonical(flit, *out.control)) {
    report(out, DecodeRule::NonzeroReserved, 0, 0, name(*out.control));
  }
  if (const auto* llcrd = std::get_if<Llcrd>(&*out.control)) {
    out.acks = llcrd->full_ack;
    take_credits(llcrd->rsp_crd, llcrd->req_crd, llcrd->data_crd, out);
  }
}

void Decoder::decode_slot(unsigned slot, u128 bits, Decoded& out, unsigned& data_header_slots) {
  const unsigned code = out.header.format[slot];
  const SlotFormat& format = slot_format(direction_, slot, code);
  if (!format.defined()) {
    report(out, DecodeRule::ReservedSlotFormat, slot, code);
    return;
  }
  if (format.raw) {  // H6, or G0 with nothing owed, which is an empty slot
    if (slot == 0 && !options_.ide) report(out, DecodeRule::MacWithoutIde, slot, code);
    return;
  }
  if (bits & ~format.used) report(out, DecodeRule::NonzeroReserved, slot, code);

  unsigned data_headers = 0;
  std::uint32_t empty_kinds = 0;  // kinds of which an earlier place was left empty
  for (const Placement& p : format.places()) {
    const u128 message = take(bits, p);
    if ((message & 1) == 0) {
      empty_kinds |= 1u << index(p.kind);
      continue;
    }
    if (empty_kinds >> index(p.kind) & 1u) {
      report(out, DecodeRule::LoosePacking, slot, code, name(p.kind));
    }
    data_headers += carries_data(p.kind);
    add_message(p.kind, message, slot, format.mdh, out);
  }
  if (data_headers == 0) return;
  ++data_header_slots;
  if (!format.mdh) return;
  if (data_headers == 1) report(out, DecodeRule::MdhSingleHeader, slot, code);
  if (out.header.be || !out.header.sz) report(out, DecodeRule::MdhNotFullLines, slot, code);
  if (options_.mdh_disabled) report(out, DecodeRule::MdhDisabled, slot, code);
}

void Decoder::add_message(MessageKind kind, u128 bits, unsigned slot, bool mdh, Decoded& out) {
  ++out.headers[index(kind)];
  Item item;
  item.message = unpack(kind, bits);
  const auto reserved = std::visit([](const auto& m) { return reserved_field(m); }, item.message);
  if (!reserved.empty()) report(out, DecodeRule::ReservedCode, slot, index(kind), reserved);
  if (!carries_data(kind)) {
    out.items.push_back(item);
    return;
  }
  const bool be = out.header.be;
  const bool sz = out.header.sz;
  if (!mdh) {
    if (be && (kind == MessageKind::H2dDh || kind == MessageKind::S2mDrs)) {
      report(out, DecodeRule::ByteEnablesIllegal, slot, 0, name(kind));
    }
    if (!sz && kind == MessageKind::M2sRwd) {
      report(out, DecodeRule::SizeIllegal, slot, 0, name(kind));
    }
  }
  Pending pending;
  pending.data_chunks = sz ? 4 : 2;
  item.data_bytes = static_cast<std::uint8_t>(16 * pending.data_chunks);
  item.has_byte_enables = be;
  join_halves(item, slot, out);
  pending.item = item;
  pending_.push_back(pending);
  owed_ += pending.data_chunks + (be ? 1 : 0);
}

// Headers come in the order of their data, so the halves of a line are two DRS in a row. Any other
// data header where the upper half has to come begins a line of its own.
void Decoder::join_halves(Item& item, unsigned slot, Decoded& out) {
  const auto* drs = std::get_if<S2mDrs>(&item.message);
  const bool half = drs && item.data_bytes == kHalfLine;
  const bool upper =
      half && lower_half_ && lower_half_->tag == drs->tag && lower_half_->ld_id == drs->ld_id;
  if (lower_half_ && !upper) {
    report(out, DecodeRule::HalvesApart, slot, lower_half_->tag, name(kind_of(item.message)));
  }
  item.line_offset = upper ? kHalfLine : 0;
  lower_half_ = half && !upper ? std::optional(*drs) : std::nullopt;
}

void Decoder::take_chunk(u128 bits, unsigned slot, Decoded& out) {
  Pending& p = pending_.front();
  --owed_;
  if (p.received < p.data_chunks) {
    std::memcpy(&p.item.data[16 * p.received], &bits, sizeof bits);
  } else {
    p.item.byte_enables = get_bits(bits, 0, 64);
    if (bits >> 64) {
      report(out, DecodeRule::NonzeroReserved, slot, 0, "byte enables");
    }
  }
  ++p.received;
  if (p.received == p.data_chunks + (p.item.has_byte_enables ? 1 : 0)) {
    out.items.push_back(p.item);
    pending_.pop_front();
  }
}

void Decoder::take_credits(std::uint8_t rsp, std::uint8_t req, std::uint8_t data, Decoded& out) {
  using enum MessageKind;
  // The flit goes one way, the messages it permits go the other.
  const bool from_host = direction_ == Direction::M2S;
  const auto grant = [&](std::uint8_t code, MessageKind cache, MessageKind mem, bool mem_exists) {
    const CreditCode credit = decode_credit(code);
    if (credit.count == 0) return;
    if (credit.mem && !mem_exists) {
      report(out, DecodeRule::ReservedCredit, 0, code);
      return;
    }
    out.credits.push_back({credit.mem ? mem : cache, credit.count});
  };
  grant(rsp, from_host ? D2hRsp : H2dRsp, S2mNdr, from_host);
  grant(req, from_host ? D2hReq : H2dReq, MessageKind::M2sReq, !from_host);
  grant(data, from_host ? D2hDh : H2dDh, from_host ? S2mDrs : M2sRwd, true);
}

}  // namespace cxlgpu::flits
