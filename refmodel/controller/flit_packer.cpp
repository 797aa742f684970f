// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/flit_packer.hpp"

#include <algorithm>

namespace cxlgpu {

PackPlan FlitPacker::plan(const In& in) const {
  return pack_rule({.is_host = is_host_,
                    .owed = owed(),
                    .nd_offered = in.nd_valid,
                    .wd_offered = in.wd_valid,
                    .wd_has_be = has_enables(in.wd[0]),
                    .mdh_enabled = !in.mdh_disable,
                    .hold_new = in.hold_new});
}

FlitPacker::Chunks FlitPacker::chunks(const In& in, const PackPlan& plan) const {
  Chunks all = owed_;
  for (unsigned i = 0; i < plan.wd_taken; ++i) {
    for (unsigned k = 0; k < 4; ++k) all.push_back(get_chunk(in.wd[i].data, k));
    if (has_enables(in.wd[i])) all.push_back(enables_chunk(in.wd[i].enables));
  }
  return all;
}

flits::FlitHeader FlitPacker::header(const In& in, const PackPlan& plan) const {
  return {.ak = in.ak,
          .be = plan.wd_taken > 0 && has_enables(in.wd[0]),
          .sz = plan.wd_taken > 0,
          .rsp_crd = in.rsp_crd,
          .req_crd = in.req_crd,
          .data_crd = in.data_crd};
}

// `nd` Reqs are in the flit already.
FlitPacker::Format FlitPacker::host_format(unsigned slot, SlotUse use, const In& in,
                                           unsigned nd) const {
  if (use == SlotUse::kNd) return {std::uint8_t(slot == 0 ? 5 : 4), {in.nd_hdr[nd], 0}};
  return {std::uint8_t(slot == 0 ? 4 : 5), {in.wd[0].header, 0}};
}

// `nd` NDRs go in this slot.
FlitPacker::Format FlitPacker::device_format(SlotUse use, const In& in, unsigned nd) const {
  if (use == SlotUse::kNd) return {4, {in.nd_hdr[0], nd == 2 ? in.nd_hdr[1] : 0}};
  if (use == SlotUse::kWdPair) return {5, {in.wd[0].header, in.wd[1].header}};
  return {3, {in.wd[0].header, nd == 1 ? in.nd_hdr[0] : 0}};
}

// CXL.cache places of a format stay zero.
void FlitPacker::place(Payload& flit, unsigned slot, const Format& format) const {
  const auto direction = is_host_ ? flits::Direction::M2S : flits::Direction::S2M;
  std::size_t next = 0;
  for (const flits::Placement& at : flits::slot_format(direction, slot, format.code).places()) {
    if (flits::is_cache(at.kind)) continue;
    or_slot(flit, slot, place_message(format.messages[next++], at));
  }
}

FlitPacker::Out FlitPacker::eval(const In& in) const {
  const PackPlan p = plan(in);
  Out out{.is_adf = p.is_adf,
          .has_content = p.has_content,
          .nd_take = p.nd_taken,
          .wd_take = p.wd_taken,
          .owed = owed(),
          .owed_next = p.owed_next};
  flits::FlitHeader head = header(in, p);
  const Chunks data = chunks(in, p);
  std::size_t next_chunk = 0;
  unsigned nd = 0;
  for (unsigned slot = 0; slot < 4; ++slot) {
    const SlotUse use = p.slots[slot];
    if (use == SlotUse::kEmpty) continue;
    if (use == SlotUse::kChunk) {
      set_chunk(out.flit, slot, data[next_chunk++]);
      continue;
    }
    const Format format =
        is_host_ ? host_format(slot, use, in, nd++) : device_format(use, in, p.nd_taken);
    head.format[slot] = format.code;
    place(out.flit, slot, format);
  }
  if (!p.is_adf) or_slot(out.flit, 0, flits::pack_header(head));
  return out;
}

void FlitPacker::clock(const In& in) {
  if (in.start) return owed_.clear();
  if (!in.take) return;
  const PackPlan p = plan(in);
  owed_ = chunks(in, p);
  const auto sent = std::count(p.slots.begin(), p.slots.end(), SlotUse::kChunk);
  owed_.erase(owed_.begin(), owed_.begin() + sent);
}

}  // namespace cxlgpu
