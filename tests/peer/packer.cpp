// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "packer.hpp"

#include <algorithm>

namespace peer {

namespace {

// The most messages of a channel in one flit (4.2.5).
constexpr Allowance kFlitBound{.req = 2, .rwd = 1, .ndr = 2, .drs = 3};

size_t index_of(MessageKind kind) {
  return static_cast<size_t>(kind);
}

unsigned bound(unsigned allowed, size_t queued, unsigned flit) {
  return std::min({allowed, static_cast<unsigned>(queued), flit});
}

}  // namespace

Packer::Packer(Direction direction, PackPolicy policy, bool mdh, uint64_t seed)
    : direction_(direction), policy_(policy), mdh_(mdh), random_(seed) {}

std::optional<PackedFlit> Packer::next(Outbox& outbox, const Allowance& allowed) {
  if (all_data_next()) return all_data_flit();
  FlitState state;
  state.left.req = bound(allowed.req, outbox.req.size(), kFlitBound.req);
  state.left.rwd = bound(allowed.rwd, outbox.rwd.size(), kFlitBound.rwd);
  state.left.ndr = bound(allowed.ndr, outbox.ndr.size(), kFlitBound.ndr);
  state.left.drs = bound(allowed.drs, outbox.drs.size(), kFlitBound.drs);
  const bool messages = state.left.req + state.left.rwd + state.left.ndr + state.left.drs != 0;
  if (owed_.empty() && !messages) return std::nullopt;
  const bool carries_data = !owed_.empty();
  state.full = policy_ == PackPolicy::OnePerFlit && carries_data;

  for (unsigned slot = 0; slot < 4; ++slot) {
    if (slot > 0 && !owed_.empty()) {
      put_chunk(state.out.flit, slot, owed_.front());
      owed_.pop_front();
      continue;
    }
    if (const auto plan = choose(state, outbox, slot)) {
      put(state, outbox, slot, *plan);
    } else {
      leave_empty(state, slot);
    }
  }
  put_header(state.out.flit, state.header);
  return state.out;
}

PackedFlit Packer::all_data_flit() {
  PackedFlit out;
  out.all_data = true;
  for (unsigned slot = 0; slot < 4; ++slot) {
    put_chunk(out.flit, slot, owed_.front());
    owed_.pop_front();
  }
  return out;
}

std::optional<Packer::SlotPlan> Packer::plan_for(const FlitState& state, const Outbox& outbox,
                                                 unsigned slot, uint8_t code) const {
  const SlotFormat& format = slot_format(direction_, slot == 0, code);
  if (format.reserved || format.data || format.mac || (format.mdh && !mdh_)) return std::nullopt;
  SlotPlan plan;
  plan.code = code;
  for (const SlotPlace& place : format.places) {
    switch (place.kind) {
      case MessageKind::Req:
        if (plan.req < state.left.req) ++plan.req;
        break;
      case MessageKind::Rwd:
        if (plan.rwd < state.left.rwd && !state.data_header) ++plan.rwd;
        break;
      case MessageKind::Ndr:
        if (plan.ndr < state.left.ndr) ++plan.ndr;
        break;
      case MessageKind::Drs:
        // Several data headers are for whole lines only; the halves of a line go one by one.
        if (plan.drs < state.left.drs && !state.data_header &&
            (!format.mdh || outbox.drs[plan.drs].bytes == 64)) {
          ++plan.drs;
        }
        break;
      default:
        break;
    }
  }
  if (plan.messages() == 0 || (format.mdh && plan.drs < 2)) return std::nullopt;
  if ((plan.req > 0 && state.room_left[index_of(MessageKind::Req)]) ||
      (plan.rwd > 0 && state.room_left[index_of(MessageKind::Rwd)]) ||
      (plan.ndr > 0 && state.room_left[index_of(MessageKind::Ndr)]) ||
      (plan.drs > 0 && state.room_left[index_of(MessageKind::Drs)])) {
    return std::nullopt;  // it belonged into the earlier place (tight packing)
  }
  return plan;
}

std::optional<Packer::SlotPlan> Packer::choose(const FlitState& state, const Outbox& outbox,
                                               unsigned slot) {
  if (state.full) return std::nullopt;
  const bool generic_later = owed() < 3;
  if (policy_ == PackPolicy::GenericOnly && slot == 0 && generic_later) return std::nullopt;
  if (policy_ == PackPolicy::Random && random_() % 4 == 0) return std::nullopt;

  std::array<SlotPlan, 8> plans;
  unsigned count = 0;
  for (uint8_t code = 0; code < 8; ++code) {
    if (const auto plan = plan_for(state, outbox, slot, code)) plans[count++] = *plan;
  }
  if (count == 0) return std::nullopt;
  if (policy_ == PackPolicy::Random) return plans[random_() % count];
  if (policy_ == PackPolicy::OnePerFlit) {
    SlotPlan plan = plans[random_() % count];
    const bool mdh = slot_format(direction_, slot == 0, plan.code).mdh;
    if (mdh) plan = plans[0];
    narrow(plan);
    return plan;
  }
  // Densest: most messages; of equals the one with most NDRs or Reqs, which leave room for data
  // behind them.
  const auto worth = [](const SlotPlan& plan) { return plan.messages() * 8 + plan.ndr + plan.req; };
  return *std::max_element(
      plans.begin(), plans.begin() + count,
      [&](const SlotPlan& a, const SlotPlan& b) { return worth(a) < worth(b); });
}

// Leaves one message of the plan.
void Packer::narrow(SlotPlan& plan) {
  const bool keep_drs = plan.drs > 0 && (plan.ndr == 0 || random_() % 2 == 0);
  plan.req = std::min(plan.req, 1u);
  plan.rwd = plan.req == 0 ? std::min(plan.rwd, 1u) : 0;
  plan.drs = keep_drs ? 1 : 0;
  plan.ndr = keep_drs ? 0 : std::min(plan.ndr, 1u);
}

uint8_t Packer::empty_code(unsigned slot) {
  if (policy_ == PackPolicy::Random) {
    for (;;) {
      const auto code = static_cast<uint8_t>(random_() % 8);
      const SlotFormat& format = slot_format(direction_, slot == 0, code);
      if (!format.reserved && !format.mac) return code;
    }
  }
  // A slot 0 without a place for an NDR, lest the NDR behind it should have been there.
  if (policy_ == PackPolicy::GenericOnly && slot == 0) return direction_ == Direction::S2M ? 1 : 0;
  return 0;
}

void Packer::leave_empty(FlitState& state, unsigned slot) {
  const uint8_t code = empty_code(slot);
  state.header.format[slot] = code;
  for (const SlotPlace& place : slot_format(direction_, slot == 0, code).places) {
    if (index_of(place.kind) < state.room_left.size()) state.room_left[index_of(place.kind)] = true;
  }
}

void Packer::put(FlitState& state, Outbox& outbox, unsigned slot, const SlotPlan& plan) {
  const SlotFormat& format = slot_format(direction_, slot == 0, plan.code);
  Flit& flit = state.out.flit;
  state.header.format[slot] = plan.code;
  SlotPlan left = plan;
  const auto owe = [this](const std::vector<Chunk>& chunks) {
    owed_.insert(owed_.end(), chunks.begin(), chunks.end());
  };
  for (const SlotPlace& place : format.places) {
    if (place.kind == MessageKind::Req && left.req > 0) {
      put_req(flit, slot, place, outbox.req.front());
      outbox.req.pop_front();
      --left.req;
    } else if (place.kind == MessageKind::Rwd && left.rwd > 0) {
      const MemRwd& message = outbox.rwd.front();
      put_rwd(flit, slot, place, message);
      owe(chunks_of(message));
      state.header.sz = true;
      state.header.be = message.byte_enable != ~uint64_t{0};
      state.data_header = true;
      outbox.rwd.pop_front();
      --left.rwd;
    } else if (place.kind == MessageKind::Ndr && left.ndr > 0) {
      put_ndr(flit, slot, place, outbox.ndr.front());
      outbox.ndr.pop_front();
      --left.ndr;
    } else if (place.kind == MessageKind::Drs && left.drs > 0) {
      const MemDrs& message = outbox.drs.front();
      put_drs(flit, slot, place, message);
      owe(chunks_of(message));
      state.header.sz = message.bytes == 64;
      state.data_header = true;
      outbox.drs.pop_front();
      --left.drs;
    } else if (index_of(place.kind) < state.room_left.size()) {
      state.room_left[index_of(place.kind)] = true;
    }
  }
  state.left.req -= plan.req;
  state.left.rwd -= plan.rwd;
  state.left.ndr -= plan.ndr;
  state.left.drs -= plan.drs;
  state.out.used.req += plan.req;
  state.out.used.rwd += plan.rwd;
  state.out.used.ndr += plan.ndr;
  state.out.used.drs += plan.drs;
  if (policy_ == PackPolicy::OnePerFlit) state.full = true;
}

}  // namespace peer
