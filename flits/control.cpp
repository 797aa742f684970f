// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/control.hpp"

#include <algorithm>

namespace cxlgpu::flits {
namespace {

// Slot 0 as a bit string: header 31:0, LLCTRL 35:32, SubType 39:36, payload 127:64.
constexpr unsigned kAkAt = 2, kFormatAt = 5, kLlctrlAt = 32, kSubtypeAt = 36, kPayloadAt = 64;
constexpr unsigned kRspCrdAt = 20, kReqCrdAt = 24, kDataCrdAt = 28;

u128 payload_of(const Llcrd& c) {  // includes its header fields
  return put_bits(c.full_ack >> 3, kAkAt, 1) | put_bits(c.full_ack, kPayloadAt, 3) |
         put_bits(c.full_ack >> 4, kPayloadAt + 4, 4) | put_bits(c.rsp_crd, kRspCrdAt, 4) |
         put_bits(c.req_crd, kReqCrdAt, 4) | put_bits(c.data_crd, kDataCrdAt, 4);
}
u128 payload_of(const IdeTmac& c) {
  u128 slot = put_bits(c.mac[0], 24, 8);
  for (unsigned i = 1; i < 4; ++i) slot |= put_bits(c.mac[i], 32 + 8 * i, 8);
  for (unsigned i = 4; i < 12; ++i) slot |= put_bits(c.mac[i], 32 + 8 * i, 8);
  return slot;
}
template <class C>
u128 payload_of(const C& c) {
  if constexpr (requires { Layout<C>::fields; }) {
    return pack(c) << kPayloadAt;
  } else {
    return 0;
  }
}

template <class C>
C read(u128 slot) {
  if constexpr (std::is_same_v<C, Llcrd>) {
    Llcrd c;
    c.full_ack =
        static_cast<std::uint8_t>(get_bits(slot, kPayloadAt, 3) | get_bits(slot, kAkAt, 1) << 3 |
                                  get_bits(slot, kPayloadAt + 4, 4) << 4);
    c.rsp_crd = static_cast<std::uint8_t>(get_bits(slot, kRspCrdAt, 4));
    c.req_crd = static_cast<std::uint8_t>(get_bits(slot, kReqCrdAt, 4));
    c.data_crd = static_cast<std::uint8_t>(get_bits(slot, kDataCrdAt, 4));
    return c;
  } else if constexpr (std::is_same_v<C, IdeTmac>) {
    IdeTmac c;
    c.mac[0] = static_cast<std::uint8_t>(get_bits(slot, 24, 8));
    for (unsigned i = 1; i < 12; ++i) {
      c.mac[i] = static_cast<std::uint8_t>(get_bits(slot, 32 + 8 * i, 8));
    }
    return c;
  } else if constexpr (requires { Layout<C>::fields; }) {
    return unpack<C>(slot >> kPayloadAt);
  } else {
    return C{};
  }
}

template <std::size_t I = 0>
Control read_alternative(std::size_t which, u128 slot) {
  if constexpr (I < kControlCodes.size()) {
    if (which == I) return read<std::variant_alternative_t<I, Control>>(slot);
    return read_alternative<I + 1>(which, slot);
  } else {
    return UnknownControl{};
  }
}

u128 slot_of(const Control& c) {
  ControlCode code{};
  if (const auto* unknown = std::get_if<UnknownControl>(&c)) {
    code = {{}, unknown->format, unknown->llctrl, unknown->subtype};
  } else {
    code = kControlCodes[c.index()];
  }
  return u128{1} | put_bits(code.format, kFormatAt, 3) | put_bits(code.llctrl, kLlctrlAt, 4) |
         put_bits(code.subtype, kSubtypeAt, 4) |
         std::visit([](const auto& typed) { return payload_of(typed); }, c);
}

}  // namespace

std::string_view name(const Control& c) {
  return c.index() < kControlCodes.size() ? kControlCodes[c.index()].name : "reserved control";
}

Flit encode_control(const Control& c) {
  Flit flit;
  flit.set_protocol_id(ProtocolId::CacheMem);
  flit.set_slot(0, slot_of(c));
  flit.set_crc();
  return flit;
}

std::optional<Control> classify_control(const Flit& flit) {
  if (!flit.is_control()) return std::nullopt;
  const u128 slot = flit.slot(0);
  const auto format = static_cast<std::uint8_t>(get_bits(slot, kFormatAt, 3));
  const auto llctrl = static_cast<std::uint8_t>(get_bits(slot, kLlctrlAt, 4));
  const auto subtype = static_cast<std::uint8_t>(get_bits(slot, kSubtypeAt, 4));
  for (std::size_t i = 0; i < kControlCodes.size(); ++i) {
    const ControlCode& code = kControlCodes[i];
    if (code.format == format && code.llctrl == llctrl && code.subtype == subtype) {
      return read_alternative(i, slot);
    }
  }
  return UnknownControl{format, llctrl, subtype};
}

std::optional<Control> classify_retry(const Flit& flit) {
  constexpr std::uint8_t kRetryByte0 = 0x01;  // Type 1, every other header bit 0
  if (flit.bytes[2] != kRetryByte0) return std::nullopt;
  auto c = classify_control(flit);
  if (!is_retry(*c) || !is_canonical(flit, *c)) return std::nullopt;
  return c;
}

bool is_canonical(const Flit& flit, const Control& c) {
  return flit.slot(0) == slot_of(c) && flit.slot(1) == 0 && flit.slot(2) == 0 && flit.slot(3) == 0;
}

}  // namespace cxlgpu::flits
