// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/slots.hpp"

#include <initializer_list>
#include <utility>

namespace cxlgpu::flits {
namespace {

using enum MessageKind;

template <std::size_t... I>
constexpr std::array<u128, kMessageKinds> make_used(std::index_sequence<I...>) {
  return {used_bits<std::variant_alternative_t<I, Message>>()...};
}
constexpr auto kUsedBits = make_used(std::make_index_sequence<kMessageKinds>{});

constexpr u128 kSlotHeaderBits = low_mask(kHeaderSlotBit);

constexpr SlotFormat make(std::initializer_list<Placement> places, bool header) {
  SlotFormat f;
  unsigned data_headers = 0;
  f.used = header ? kSlotHeaderBits : u128{0};
  for (const Placement& p : places) {
    f.place[f.count++] = p;
    f.used |= place(kUsedBits[index(p.kind)], p);
    data_headers += carries_data(p.kind);
  }
  f.mdh = data_headers > 1;
  return f;
}
constexpr SlotFormat head(std::initializer_list<Placement> places) {
  return make(places, true);
}
constexpr SlotFormat generic(std::initializer_list<Placement> places) {
  return make(places, false);
}
constexpr SlotFormat raw() {
  SlotFormat f;
  f.raw = true;
  f.used = ~u128{0};
  return f;
}

using Formats = std::array<SlotFormat, 8>;

constexpr Formats kM2sHeader{
    head({{H2dReq, 32}, {H2dRsp, 96}}),                           // H0
    head({{H2dDh, 32}, {H2dRsp, 56}, {H2dRsp, 88}}),              // H1
    head({{H2dReq, 32}, {H2dDh, 96}}),                            // H2
    head({{H2dDh, 32}, {H2dDh, 56}, {H2dDh, 80}, {H2dDh, 104}}),  // H3
    head({{M2sRwd, 32}}),                                         // H4
    head({{M2sReq, 32}}),                                         // H5
    raw(),                                                        // H6
    {},
};
constexpr Formats kM2sGeneric{
    raw(),                                                                       // G0
    generic({{H2dRsp, 0}, {H2dRsp, 32}, {H2dRsp, 64}, {H2dRsp, 96}}),            // G1
    generic({{H2dReq, 0}, {H2dDh, 64}, {H2dRsp, 88}}),                           // G2
    generic({{H2dDh, 0}, {H2dDh, 24}, {H2dDh, 48}, {H2dDh, 72}, {H2dRsp, 96}}),  // G3
    generic({{M2sReq, 0}, {H2dDh, 88}}),                                         // G4
    generic({{M2sRwd, 0}, {H2dRsp, 88}}),                                        // G5
    {},
    {},
};
constexpr Formats kS2mHeader{
    head({{D2hDh, 32}, {D2hRsp, 49}, {D2hRsp, 69}, {S2mNdr, 89}}),              // H0
    head({{D2hReq, 32}, {D2hDh, 111}}),                                         // H1
    head({{D2hDh, 32}, {D2hDh, 49}, {D2hDh, 66}, {D2hDh, 83}, {D2hRsp, 100}}),  // H2
    head({{S2mDrs, 32}, {S2mNdr, 72}}),                                         // H3
    head({{S2mNdr, 32, 90}, {S2mNdr, 60}}),                                     // H4
    head({{S2mDrs, 32}, {S2mDrs, 72}}),                                         // H5
    raw(),                                                                      // H6
    {},
};
constexpr Formats kS2mGeneric{
    raw(),                                                         // G0
    generic({{D2hReq, 0}, {D2hRsp, 79}, {D2hRsp, 99}}),            // G1
    generic({{D2hReq, 0}, {D2hDh, 79}, {D2hRsp, 96}}),             // G2
    generic({{D2hDh, 0}, {D2hDh, 17}, {D2hDh, 34}, {D2hDh, 51}}),  // G3
    generic({{S2mDrs, 0}, {S2mNdr, 40, 98}, {S2mNdr, 68}}),        // G4
    generic({{S2mNdr, 0, 58}, {S2mNdr, 28}}),                      // G5
    generic({{S2mDrs, 0}, {S2mDrs, 40}, {S2mDrs, 80}}),            // G6
    {},
};

template <std::size_t I = 0>
Message unpack_alternative(std::size_t which, u128 bits) {
  if constexpr (I + 1 < kMessageKinds) {
    if (which != I) return unpack_alternative<I + 1>(which, bits);
  }
  return unpack<std::variant_alternative_t<I, Message>>(bits);
}

}  // namespace

const SlotFormat& slot_format(Direction direction, unsigned slot, unsigned code) {
  const bool m2s = direction == Direction::M2S;
  const Formats& formats =
      slot == 0 ? (m2s ? kM2sHeader : kS2mHeader) : (m2s ? kM2sGeneric : kS2mGeneric);
  return formats[code & 7];
}

Message unpack(MessageKind kind, u128 bits) {
  return unpack_alternative(index(kind), bits);
}

u128 pack(const Message& m) {
  return std::visit([](const auto& typed) { return pack(typed); }, m);
}

}  // namespace cxlgpu::flits
