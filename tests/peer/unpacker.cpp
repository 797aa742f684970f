// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "unpacker.hpp"

#include <algorithm>
#include <cstring>

namespace peer {

namespace {

constexpr const char* kPacking = "4.2.5";

size_t index_of(MessageKind kind) {
  return static_cast<size_t>(kind);
}
bool is_mem(MessageKind kind) {
  return index_of(kind) < 4;
}
bool is_data_header(MessageKind kind) {
  return kind == MessageKind::Rwd || kind == MessageKind::Drs || kind == MessageKind::CacheData;
}
// The most messages of a kind in one flit: Req, RwD, NDR, DRS.
constexpr std::array<unsigned, 4> kFlitBound{2, 1, 2, 3};

bool all_zero(const Flit& flit, unsigned slot) {
  return get_bits(flit, 128 * slot, 64) == 0 && get_bits(flit, 128 * slot + 64, 64) == 0;
}

}  // namespace

Unpacker::Unpacker(Direction direction, bool mdh_allowed, Violations& violations)
    : direction_(direction), mdh_allowed_(mdh_allowed), violations_(violations) {}

void Unpacker::reset() {
  pending_.clear();
  owed_ = 0;
}

Unpacker::Result Unpacker::take(const Flit& flit, Inbox& inbox) {
  Result result;
  if (all_data_next()) {
    result.all_data = true;
    for (unsigned slot = 0; slot < 4; ++slot) take_chunk(flit, slot, inbox);
    return result;
  }
  result.header = get_header(flit);
  if (result.header.reserved != 0)
    violations_.add("4.2.2", "reserved bits of a flit header are set");
  FlitCheck check;
  for (unsigned slot = 0; slot < 4; ++slot) {
    if (slot > 0 && owed_ > 0) {
      if (result.header.format[slot] != 0)
        violations_.add(kPacking, "a slot with owed data has not format G0");
      take_chunk(flit, slot, inbox);
    } else {
      take_slot(flit, slot, result.header, check, inbox);
    }
  }
  check_flit(result.header, check);
  result.headers = check.count;
  return result;
}

void Unpacker::take_chunk(const Flit& flit, unsigned slot, Inbox& inbox) {
  Pending& pending = pending_.front();
  const Chunk chunk = get_chunk(flit, slot);
  const bool enables = pending.byte_enables && pending.taken + 1 == pending.chunks;
  if (enables) {
    uint64_t mask = 0;
    std::memcpy(&mask, chunk.data(), sizeof mask);
    pending.rwd.byte_enable = mask;
    if (std::any_of(chunk.begin() + 8, chunk.end(), [](uint8_t byte) { return byte != 0; })) {
      violations_.add("4.2.3, Figure 57", "reserved bytes of a byte-enable slot are not zero");
    }
  } else {
    Line& data = pending.kind == MessageKind::Rwd ? pending.rwd.data : pending.drs.data;
    std::memcpy(data.data() + 16 * pending.taken, chunk.data(), chunk.size());
  }
  ++pending.taken;
  --owed_;
  if (pending.taken < pending.chunks) return;
  if (pending.kind == MessageKind::Rwd) {
    inbox.rwd.push_back(pending.rwd);
  } else if (pending.kind == MessageKind::Drs) {
    inbox.drs.push_back(pending.drs);
  }
  pending_.pop_front();
}

void Unpacker::take_slot(const Flit& flit, unsigned slot, const FlitHeader& header,
                         FlitCheck& check, Inbox& inbox) {
  const SlotFormat& format = slot_format(direction_, slot == 0, header.format[slot]);
  if (format.reserved) {
    violations_.add("4.2.2, Table 50", "a slot has a reserved format");
    return;
  }
  if (format.mac) {
    violations_.add("4.2.2; 11.1", "a slot has format H6 although IDE is off");
    return;
  }
  if (format.data) {
    if (!all_zero(flit, slot))
      violations_.add(kPacking, "a data slot comes although no data is owed");
    return;
  }
  if (!slot_rest_zero(flit, slot, format))
    violations_.add("4.2.2", "reserved bits of a slot are set");

  unsigned data_headers = 0;
  std::array<bool, 4> empty_place{};
  for (const SlotPlace& place : format.places) {
    const size_t kind = index_of(place.kind);
    if (!place_valid(flit, slot, place)) {
      if (is_mem(place.kind)) empty_place[kind] = true;
      continue;
    }
    if (!is_mem(place.kind)) {
      violations_.add("8.1.3; 2.2", "a CXL.cache message comes on the link of a Type 3 device");
      continue;
    }
    if (empty_place[kind])
      violations_.add(kPacking, "a message is not in the first place of its slot");
    if (check.room_left[kind])
      violations_.add(kPacking, "a message is not in the first slot that has a place for it");
    ++check.count[kind];
    if (is_data_header(place.kind)) {
      ++data_headers;
      if (format.mdh && (header.be || !header.sz)) {
        violations_.add("4.2.2", "several data headers in a slot with BE = 1 or Sz = 0");
      }
    }
    take_message(flit, slot, place, header, inbox);
  }
  for (size_t kind = 0; kind < empty_place.size(); ++kind) {
    if (empty_place[kind]) check.room_left[kind] = true;
  }
  if (format.mdh && data_headers > 0) {
    ++mdh_slots_;
    if (!mdh_allowed_)
      violations_.add("4.2.5; 8.2.5.11.7", "a multi-data-header slot comes although disabled");
    if (data_headers == 1)
      violations_.add(kPacking, "a multi-data-header slot has only one valid data header");
    if (check.data_headers > 0)
      violations_.add(kPacking, "a multi-data-header slot comes with another data header");
    check.mdh = true;
  } else if (data_headers > 0 && check.data_headers > 0) {
    violations_.add(kPacking, "a flit has a second data header");
  }
  check.data_headers += data_headers;
}

void Unpacker::take_message(const Flit& flit, unsigned slot, const SlotPlace& place,
                            const FlitHeader& header, Inbox& inbox) {
  switch (place.kind) {
    case MessageKind::Req:
      inbox.req.push_back(get_req(flit, slot, place));
      check_req(inbox.req.back());
      break;
    case MessageKind::Ndr:
      inbox.ndr.push_back(get_ndr(flit, slot, place));
      check_ndr(inbox.ndr.back());
      break;
    case MessageKind::Rwd: {
      Pending pending;
      pending.kind = MessageKind::Rwd;
      pending.rwd = get_rwd(flit, slot, place);
      pending.byte_enables = header.be;
      pending.chunks = (header.sz ? 4u : 2u) + (header.be ? 1u : 0u);
      check_rwd(pending.rwd, header);
      begin_data(std::move(pending));
      break;
    }
    case MessageKind::Drs: {
      Pending pending;
      pending.kind = MessageKind::Drs;
      pending.drs = get_drs(flit, slot, place);
      pending.drs.bytes = header.sz ? 64 : 32;
      pending.byte_enables = header.be;
      pending.chunks = (header.sz ? 4u : 2u) + (header.be ? 1u : 0u);
      check_drs(pending.drs, header);
      begin_data(std::move(pending));
      break;
    }
    default:
      break;
  }
}

void Unpacker::begin_data(Pending pending) {
  owed_ += pending.chunks;
  pending_.push_back(std::move(pending));
}

void Unpacker::check_flit(const FlitHeader& header, const FlitCheck& check) {
  for (size_t kind = 0; kind < check.count.size(); ++kind) {
    if (check.count[kind] > kFlitBound[kind])
      violations_.add(kPacking, "a flit has more messages of a kind than allowed");
  }
  // Credits for channels that no link has (Table 49).
  const uint8_t none = direction_ == Direction::M2S ? header.req_crd : header.rsp_crd;
  if ((none & kCreditMem) != 0 && credits_of(none) != 0) {
    violations_.add("4.2.2, Table 49", "credits are returned for a channel that is reserved");
  }
}

void Unpacker::check_req(const MemReq& message) {
  switch (message.opcode) {
    case kMemInv:
    case kMemInvNt:
    case kMemRd:
      if (message.meta_field == 1 || message.meta_field == 2)
        violations_.add("3.3.3, Table 31", "a Req has a reserved MetaField");
      break;
    case kMemRdData:
      if (message.meta_field != kMetaNoOp)
        violations_.add("B.2, Table 313", "a MemRdData has a MetaField other than No-Op");
      break;
    case kMemSpecRd:  // Table 30 reserves MetaField, Table 313 wants No-Op: both are taken
      if (message.meta_field != kMetaNoOp && message.meta_field != 0) {
        violations_.add("B.2, Table 313", "a MemSpecRd has a MetaField other than No-Op");
      }
      break;
    case kMemRdFwd:
    case kMemWrFwd:
      violations_.add("B.2, Table 313", "a forward is sent to a Type 3 device");
      break;
    default:
      violations_.add("3.3.3, Table 30", "a Req has a reserved opcode");
      break;
  }
  if (message.snp_type != 0)
    violations_.add("B.2, Table 313", "a Req asks a Type 3 device for a snoop");
  if (message.reserved != 0) violations_.add("3.3.3, Table 29", "reserved bits of a Req are set");
  if (message.ld_id != 0)
    violations_.add("3.3.3, Table 29", "a Req has an LD-ID on the link of a single logical device");
}

void Unpacker::check_rwd(const MemRwd& message, const FlitHeader& header) {
  if (message.opcode != kMemWr && message.opcode != kMemWrPtl)
    violations_.add("3.3.4, Table 36", "an RwD has a reserved opcode");
  if (!header.sz) violations_.add("4.2.2, Table 47", "an RwD has Sz = 0");
  if (header.be && message.opcode == kMemWr)
    violations_.add("3.3.4, Table 36", "a MemWr has byte enables");
  if (message.meta_field != kMeta0State)
    violations_.add("B.4, Table 315", "a write has a MetaField other than Meta0-State");
  if (message.snp_type != 0)
    violations_.add("B.4, Table 315", "a write asks a Type 3 device for a snoop");
  if (message.reserved != 0) violations_.add("3.3.4, Table 35", "reserved bits of an RwD are set");
  if (message.ld_id != 0)
    violations_.add("3.3.4, Table 35",
                    "an RwD has an LD-ID on the link of a single logical device");
}

void Unpacker::check_ndr(const MemNdr& message) {
  if (message.opcode > kCmpE) violations_.add("3.3.5, Table 39", "an NDR has a reserved opcode");
  if (message.opcode == kCmpS || message.opcode == kCmpE) {
    violations_.add("B.2; B.4", "an NDR of a Type 3 device grants a state");
  }
  if (message.meta_field == 1 || message.meta_field == 2)
    violations_.add("3.3.5, Table 31", "an NDR has a reserved MetaField");
  if (message.ld_id != 0)
    violations_.add("3.3.5, Table 38",
                    "an NDR has an LD-ID on the link of a single logical device");
}

void Unpacker::check_drs(const MemDrs& message, const FlitHeader& header) {
  if (message.opcode != kMemData) violations_.add("3.3.6, Table 42", "a DRS has a reserved opcode");
  if (header.be) violations_.add("4.2.2, Table 47", "a DRS has byte enables");
  if (message.meta_field == 1 || message.meta_field == 2)
    violations_.add("3.3.6, Table 31", "a DRS has a reserved MetaField");
  if (message.reserved != 0) violations_.add("3.3.6, Table 41", "reserved bits of a DRS are set");
  if (message.ld_id != 0)
    violations_.add("3.3.6, Table 41", "a DRS has an LD-ID on the link of a single logical device");
}

}  // namespace peer
