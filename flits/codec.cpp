// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/codec.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace cxlgpu::flits {
namespace {

u128 chunk_bits(const Chunk& chunk) {
  u128 bits;
  std::memcpy(&bits, chunk.data(), sizeof bits);
  return bits;
}
Chunk to_chunk(u128 bits) {
  Chunk chunk;
  std::memcpy(chunk.data(), &bits, sizeof bits);
  return chunk;
}

// Data slots that one data header of a flit brings with it.
unsigned chunks_owed(const FlitHeader& h) {
  return (h.sz ? 4 : 2) + (h.be ? 1 : 0);
}

// Messages to their places, in order; each place is used once.
u128 slot_bits(const SlotContent& content, const SlotFormat& format) {
  u128 bits = 0;
  std::size_t next = 0;
  for (const Placement& p : format.places()) {
    if (next < content.messages.size() && kind_of(content.messages[next]) == p.kind) {
      bits |= place(pack(content.messages[next++]), p);
    }
  }
  if (next < content.messages.size()) {
    throw std::invalid_argument(fmt::format("{} has no place left in this slot format",
                                            name(kind_of(content.messages[next]))));
  }
  return bits;
}

}  // namespace

Flit encode(Direction direction, const ProtocolFlit& content) {
  Flit flit;
  flit.set_protocol_id(ProtocolId::CacheMem);
  for (unsigned s = 0; s < 4; ++s) {
    const SlotContent& slot = content.slots[s];
    const SlotFormat& format = slot_format(direction, s, content.header.format[s]);
    u128 bits = format.raw || slot.is_data ? chunk_bits(slot.raw) << (s == 0 ? kHeaderSlotBit : 0)
                                           : slot_bits(slot, format);
    if (s == 0) bits |= pack_header(content.header);
    flit.set_slot(s, bits);
  }
  flit.set_crc();
  return flit;
}

Flit encode(const AllDataFlit& content) {
  Flit flit;
  flit.set_protocol_id(ProtocolId::CacheMem);
  for (unsigned s = 0; s < 4; ++s) flit.set_slot(s, chunk_bits(content.chunks[s]));
  flit.set_crc();
  return flit;
}

Flit encode(Direction direction, const FlitContent& content) {
  if (const auto* protocol = std::get_if<ProtocolFlit>(&content)) {
    return encode(direction, *protocol);
  }
  if (const auto* data = std::get_if<AllDataFlit>(&content)) return encode(*data);
  return encode_control(std::get<Control>(content));
}

FlitContent parse(const Flit& flit, Direction direction, unsigned owed) {
  if (owed >= 4) {
    AllDataFlit adf;
    for (unsigned s = 0; s < 4; ++s) adf.chunks[s] = to_chunk(flit.slot(s));
    return adf;
  }
  if (auto control = classify_control(flit)) return *control;
  ProtocolFlit content;
  content.header = unpack_header(flit.header_bits());
  for (unsigned s = 0; s < 4; ++s) {
    SlotContent& slot = content.slots[s];
    const u128 bits = flit.slot(s);
    const SlotFormat& format = slot_format(direction, s, content.header.format[s]);
    const bool owes = s >= 1 && owed > 0;
    if (format.raw || owes) {
      slot.is_data = true;
      slot.raw = to_chunk(s == 0 ? bits >> kHeaderSlotBit : bits);
      if (owes) --owed;
      continue;
    }
    for (const Placement& p : format.places()) {
      const u128 message = take(bits, p);
      if ((message & 1) == 0) continue;
      slot.messages.push_back(unpack(p.kind, message));
      if (carries_data(p.kind)) owed += chunks_owed(content.header);
    }
  }
  return content;
}

Chunk byte_enable_chunk(std::uint64_t enables) {
  return to_chunk(enables);
}

std::string_view name(FlitKind kind) {
  switch (kind) {
    case FlitKind::Protocol:
      return "protocol";
    case FlitKind::AllData:
      return "all-data";
    case FlitKind::Control:
      return "control";
  }
  return {};
}

std::string_view name(DecodeRule rule) {
  switch (rule) {
    case DecodeRule::ReservedSlotFormat:
      return "reserved slot format";
    case DecodeRule::MacWithoutIde:
      return "MAC slot without IDE";
    case DecodeRule::ReservedControl:
      return "reserved control flit";
    case DecodeRule::NonzeroReserved:
      return "reserved bits not zero";
    case DecodeRule::OwedSlotNotData:
      return "data slot without format code G0";
    case DecodeRule::TooManyMessages:
      return "too many messages of a kind";
    case DecodeRule::SeveralDataHeaders:
      return "several data headers outside one MDH slot";
    case DecodeRule::MdhSingleHeader:
      return "MDH slot with one header";
    case DecodeRule::MdhNotFullLines:
      return "MDH slot with BE = 1 or Sz = 0";
    case DecodeRule::MdhDisabled:
      return "MDH slot while MDH is disabled";
    case DecodeRule::ByteEnablesIllegal:
      return "byte enables where none are allowed";
    case DecodeRule::SizeIllegal:
      return "32 B transfer where only 64 B is allowed";
    case DecodeRule::ReservedCode:
      return "reserved code in a message field";
    case DecodeRule::ReservedCredit:
      return "credits for a channel that does not exist";
    case DecodeRule::LoosePacking:
      return "earlier place of the kind left empty";
    case DecodeRule::HalvesApart:
      return "lower half of a line not followed by its upper half";
  }
  return {};
}

std::string describe(const DecodeFinding& f) {
  return fmt::format("slot {}: {}{}{} (value {:#x})", f.slot, name(f.rule),
                     f.subject.empty() ? "" : ": ", f.subject, f.value);
}

}  // namespace cxlgpu::flits
