// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the next flit holds, in counts only.
//
// Purpose: the packing rule of docs/blocks/controller/flit_packer.md as one pure function without
//          bits or data. The cycle-exact twin `FlitPacker` builds its flits from it, so it is
//          checked in lockstep with the RTL; the event-driven model uses it alone to know how many
//          messages a flit carries and how many flits follow.
// Units:   messages and 16-byte data chunks. "ND" is the channel without data (Req, NDR), "WD" the
//          one with data (RwD, DRS). R is the number of chunks still owed from earlier flits.
// Shapes:  at most two ND and two WD are looked at; one flit takes at most two Req and one RwD
//          (host), or two NDR, one NDR and one DRS, or two DRS (device). R <= 5 at the host (RwD
//          with enables), <= 8 at a device.
// Errors:  none; offers above two count as two.
// Source:  CXL 2.0 4.2.5 to 4.2.7 (slot formats, packing), docs/blocks/controller/flit_packer.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace cxlgpu {

struct PackOffer {
  bool is_host = false;
  unsigned owed = 0;        // R at the start of the flit
  unsigned nd_offered = 0;  // ND messages waiting, those without a credit left out
  unsigned wd_offered = 0;  // WD messages waiting, likewise
  bool wd_has_be = false;   // host: the first WD has byte enables that are not all ones
  bool mdh_enabled = true;  // device: multi-data-header slots allowed
  bool hold_new = false;    // no new message may start; an ADF does not care
};

enum class SlotUse : std::uint8_t {
  kEmpty,   // code 0, zero payload
  kChunk,   // G0: the next chunk in order (owed first, then of the messages of this flit)
  kNd,      // host: one Req (H5, G4); device: one or two NDR (H4)
  kWd,      // host: one RwD (H4, G5); device: one DRS (H3, with an NDR if nd_taken is 1)
  kWdPair,  // device: two DRS (H5, multi-data-header)
};

struct PackPlan {
  bool is_adf = false;       // all-data flit: four chunks, no header, no credits, no Ak
  bool has_content = false;  // owed data or a message; otherwise the flit is not worth sending
  unsigned nd_taken = 0;
  unsigned wd_taken = 0;
  unsigned owed_next = 0;  // R at the end of the flit
  std::array<SlotUse, 4> slots{};
};

namespace pack_detail {

// Host, one free slot: data of a RwD of this flit, else a message; slot 0 prefers a Req, the
// others a RwD.
constexpr SlotUse host_slot(const PackOffer& offer, const PackPlan& plan, unsigned new_chunks,
                            unsigned slot) {
  if (plan.wd_taken > 0) return new_chunks > 0 ? SlotUse::kChunk : SlotUse::kEmpty;
  const bool req = plan.nd_taken < std::min(offer.nd_offered, 2u);
  const bool rwd = offer.wd_offered > 0;
  if (slot == 0 && req) return SlotUse::kNd;
  if (rwd) return SlotUse::kWd;
  return req ? SlotUse::kNd : SlotUse::kEmpty;
}

// Device, one free slot: messages in slot 0 only, then their data.
constexpr SlotUse device_slot(const PackOffer& offer, unsigned new_chunks, unsigned slot) {
  if (slot > 0) return new_chunks > 0 ? SlotUse::kChunk : SlotUse::kEmpty;
  if (offer.wd_offered >= 2 && offer.nd_offered == 0 && offer.mdh_enabled) return SlotUse::kWdPair;
  if (offer.wd_offered >= 1) return SlotUse::kWd;
  return offer.nd_offered >= 1 ? SlotUse::kNd : SlotUse::kEmpty;
}

constexpr unsigned nd_in_slot(const PackOffer& offer, SlotUse use) {
  if (offer.is_host) return use == SlotUse::kNd ? 1 : 0;
  if (use == SlotUse::kNd) return std::min(offer.nd_offered, 2u);
  return use == SlotUse::kWd ? std::min(offer.nd_offered, 1u) : 0;
}

constexpr unsigned wd_in_slot(SlotUse use) {
  return use == SlotUse::kWdPair ? 2 : use == SlotUse::kWd ? 1 : 0;
}

}  // namespace pack_detail

// The flit that an offer makes.
constexpr PackPlan pack_rule(PackOffer offer) {
  PackPlan plan;
  if (offer.owed >= 4) {
    plan.is_adf = plan.has_content = true;
    plan.owed_next = offer.owed - 4;
    plan.slots.fill(SlotUse::kChunk);
    return plan;
  }
  if (offer.hold_new) offer.nd_offered = offer.wd_offered = 0;
  const unsigned chunks_per_wd = offer.is_host && offer.wd_has_be ? 5 : 4;
  unsigned new_chunks = 0;
  for (unsigned slot = 0; slot < 4; ++slot) {
    SlotUse& use = plan.slots[slot];
    if (slot >= 1 && slot <= offer.owed) {
      use = SlotUse::kChunk;
      continue;
    }
    use = offer.is_host ? pack_detail::host_slot(offer, plan, new_chunks, slot)
                        : pack_detail::device_slot(offer, new_chunks, slot);
    if (use == SlotUse::kChunk) --new_chunks;
    plan.nd_taken += pack_detail::nd_in_slot(offer, use);
    plan.wd_taken += pack_detail::wd_in_slot(use);
    new_chunks += chunks_per_wd * pack_detail::wd_in_slot(use);
  }
  plan.owed_next = new_chunks;
  plan.has_content = offer.owed > 0 || plan.nd_taken > 0 || plan.wd_taken > 0;
  return plan;
}

}  // namespace cxlgpu
