// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "prober.hpp"

namespace peer {
namespace {

constexpr uint64_t kSettle = 3000;                               // cycles that a reaction may take
constexpr uint32_t kUnsupported = 8, kFatal = 4, kNonFatal = 2;  // Device Status

Wrong wrong_of(Illegal what) {
  switch (what) {
    case Illegal::ReservedHeaderBits:
      return Wrong::ReservedHeaderBits;
    case Illegal::UnknownSlotFormat:
      return Wrong::ReservedGenericSlot;
    case Illegal::FlitsBeforeActive:
      return Wrong::CacheMemBeforeActive;
    case Illegal::SecondInitParam:
      return Wrong::SecondInit;
    case Illegal::FlitBeforeInitParam:
      return Wrong::NonRetryBeforeInit;
    case Illegal::RetryAckUnasked:
      return Wrong::RetryAckUnasked;
    case Illegal::RetryReqUnframed:
      return Wrong::RetryReqUnframed;
    case Illegal::BadAlmpCopies:
      return Wrong::AlmpCopiesDiffer;
    case Illegal::StatusAlmpUnasked:
      return Wrong::StatusUnasked;
    default:
      return Wrong::None;
  }
}

LinkWrong link_wrong_of(Illegal what) {
  switch (what) {
    case Illegal::BadLcrc:
      return LinkWrong::BadLcrc;
    case Illegal::SequenceAhead:
      return LinkWrong::SequenceAhead;
    case Illegal::SequenceRepeated:
      return LinkWrong::SequenceRepeated;
    case Illegal::NullifiedTlp:
      return LinkWrong::NullifiedTlp;
    case Illegal::BadDllpCrc:
      return LinkWrong::BadDllpCrc;
    case Illegal::UnknownDllp:
      return LinkWrong::UnknownDllp;
    case Illegal::FramingToken:
      return LinkWrong::FramingToken;
    default:
      return LinkWrong::None;
  }
}

bool before_traffic(Illegal what) {
  return what == Illegal::FlitsBeforeActive || what == Illegal::FlitBeforeInitParam ||
         what == Illegal::TlpFirstInFcInit2;
}

}  // namespace

void Prober::arrange() {
  if (what_ == Illegal::TlpFirstInFcInit2) world_.io.link().do_wrong(LinkWrong::LoseInitFc2);
  if (before_traffic(what_) && wrong_of(what_) != Wrong::None)
    world_.wire.do_wrong(wrong_of(what_));
}

void Prober::judge(bool right, const char* otherwise) {
  seen_ = right;
  if (right) return;
  finding_ = std::string(otherwise) + " after: " + std::string(rule().reason) + " (RAS " +
             std::to_string(last_.ras) + ", AER " + std::to_string(last_.aer) + ", Device Status " +
             std::to_string(last_.status) + ")";
}

Task<void> Prober::clear_log() {
  const Machine& m = world_.machine;
  if (m.ras != 0) world_.io.write32(m.ras, 0xffff'ffff);
  if (m.aer != 0) {
    co_await world_.io.write_config(m.aer + 0x04, 0xffff'ffff);
    co_await world_.io.write_config(m.aer + 0x10, 0xffff'ffff);
  }
  if (m.pcie != 0) co_await world_.io.write_config(m.pcie + 8, 0x000f'0000, 0xc);
}

Task<Prober::Log> Prober::read_log() {
  const Machine& m = world_.machine;
  Log log;
  if (m.ras != 0) log.ras = co_await world_.io.read32(m.ras);
  if (m.aer != 0) {
    log.aer = co_await world_.io.read_config(m.aer + 0x04);
    log.aer_correctable = co_await world_.io.read_config(m.aer + 0x10);
  }
  if (m.pcie != 0) log.status = (co_await world_.io.read_config(m.pcie + 8)) >> 16;
  last_ = log;
  co_return log;
}

Task<bool> Prober::settle_traffic() {
  world_.traffic.hold(true);
  for (unsigned n = 0; n < 1000 && !world_.traffic.idle(); ++n) co_await world_.io.sleep(50);
  co_return world_.traffic.idle();
}

Task<void> Prober::run() {
  if (what_ == Illegal::TlpFirstInFcInit2) {
    judge(true, "");  // the enumeration has come to its end, so the first TLP was taken
  } else if (wrong_of(what_) != Wrong::None) {
    co_await probe_wire();
  } else if (what_ == Illegal::ReqCreditOveruse || what_ == Illegal::RwdCreditOveruse ||
             what_ == Illegal::TwoRwdHeadersInFlit) {
    co_await probe_overuse();
  } else if (what_ < Illegal::ReservedHeaderBits) {
    co_await probe_message();
  } else if (link_wrong_of(what_) != LinkWrong::None) {
    co_await probe_link();
  } else {
    co_await probe_transaction();
  }
  done_ = true;
  world_.traffic.hold(false);
}

// ---- CXL.mem messages ----------------------------------------------------------------------

Task<void> Prober::probe_message() {
  co_await settle_traffic();
  co_await clear_log();
  Traffic& traffic = world_.traffic;
  MemReq req;
  req.opcode = kMemRd;
  req.address = traffic.window_line(0);
  MemRwd rwd;
  rwd.address = traffic.address_outside();
  rwd.data.fill(0x3c);
  bool is_write = false;
  switch (what_) {
    case Illegal::UnknownReqOpcode:
      req.opcode = 5;
      break;
    case Illegal::MemClnEvct:
      req.opcode = 10;
      break;
    case Illegal::NonzeroLdId:
      req.ld_id = 5;
      break;
    case Illegal::ReservedMessageBits:
      req.reserved = 0x3f;
      break;
    case Illegal::SnoopTypeToType3:
      req.snp_type = 3;
      break;
    case Illegal::UnmappedRead:
      req.address = traffic.address_outside();
      break;
    case Illegal::UnknownRwdOpcode:
    case Illegal::BiConflict:
      rwd.opcode = what_ == Illegal::BiConflict ? 4 : 3;
      rwd.address = traffic.window_line(0);
      is_write = true;
      break;
    default:
      is_write = true;
  }
  const uint16_t tag = is_write ? traffic.send_loose(rwd) : traffic.send_loose(req);
  co_await world_.io.sleep(kSettle);
  const Log log = co_await read_log();
  const Traffic::Loose& answer = traffic.loose(tag);
  const bool one_read = answer.drss == 1 && answer.ndrs == 0;
  switch (rule().reaction) {
    case Reaction::LoggedRas:
      judge((log.ras & rule().detail) != 0, "the RAS status shows no reserved encoding");
      break;
    case Reaction::Ignored: {
      bool same = one_read;
      for (unsigned i = 0; i < 64 && same; ++i) {
        const bool known = (traffic.known_of(0) >> i & 1) != 0;
        same = !known || traffic.poisoned(0) || answer.last_drs.data[i] == traffic.bytes_of(0)[i];
      }
      judge(same && log.ras == 0, "not answered with the data of the line, or an error was logged");
      break;
    }
    case Reaction::AllOnes: {
      bool ones = one_read && !answer.last_drs.poison;
      for (const uint8_t byte : answer.last_drs.data) ones = ones && byte == 0xff;
      judge(ones, "a read that hits no decoder is not answered with ones");
      break;
    }
    case Reaction::Dropped:
      judge(answer.ndrs == 1 && answer.drss == 0,
            "a write that hits no decoder gets no completion");
      break;
    default:
      judge(true, "");
  }
}

// Sent past the packer: legal flits in all but their credits, or with one header too many.
Task<void> Prober::probe_overuse() {
  co_await clear_log();
  const bool writes = what_ != Illegal::ReqCreditOveruse;
  const SlotFormat& header = slot_format(Direction::M2S, true, writes ? 4 : 5);
  std::vector<RawFlit> flits;
  const auto line = [&] { return world_.traffic.window_line(0); };
  const auto data_flit = [&](bool all) {
    RawFlit raw;
    for (unsigned slot = all ? 0 : 1; slot < 4; ++slot) put_chunk(raw.flit, slot, Chunk{});
    return raw;
  };
  if (what_ == Illegal::TwoRwdHeadersInFlit) {
    RawFlit raw;
    FlitHeader h;
    h.sz = true;
    h.format = {4, 5, 0, 0};
    put_header(raw.flit, h);
    MemRwd rwd;
    rwd.address = line();
    rwd.tag = world_.traffic.expect_loose();
    put_rwd(raw.flit, 0, header.places[0], rwd);
    rwd.tag = world_.traffic.expect_loose();
    put_rwd(raw.flit, 1, slot_format(Direction::M2S, false, 5).places[0], rwd);
    flits.push_back(raw);  // two chunks here, six follow
    flits.push_back(data_flit(true));
    flits.push_back(RawFlit{});
  } else {
    // More than any buffer and its credit counter can hold: the field of 8.2.5.11.3 has ten bits.
    constexpr unsigned kMany = 1100;
    for (unsigned n = 0; n < kMany; ++n) {
      RawFlit raw;
      FlitHeader h;
      h.sz = writes;
      h.format[0] = writes ? 4 : 5;
      put_header(raw.flit, h);
      if (writes) {
        MemRwd rwd;
        rwd.address = line();
        rwd.tag = world_.traffic.expect_loose();
        put_rwd(raw.flit, 0, header.places[0], rwd);
      } else {
        MemReq req;
        req.address = line();
        req.tag = world_.traffic.expect_loose();
        put_req(raw.flit, 0, header.places[0], req);
        // A second request in slot 1 (G4).
        req.tag = world_.traffic.expect_loose();
        h.format[1] = 4;
        put_header(raw.flit, h);
        put_req(raw.flit, 1, slot_format(Direction::M2S, false, 4).places[0], req);
      }
      flits.push_back(raw);
      if (writes) flits.push_back(RawFlit{});  // the fourth chunk
    }
  }
  world_.traffic.hold(true);
  world_.wire.link().inject(std::move(flits));
  for (unsigned n = 0; n < 200 && world_.wire.link().injection_pending(); ++n)
    co_await world_.io.sleep(100);
  co_await world_.io.sleep(kSettle);
  ended_ = true;
  const Log log = co_await read_log();
  if (rule().reaction == Reaction::AnyLog) {
    judge(log.ras != 0, "the RAS status shows no error");
  } else {
    judge(true, "");
  }
}

// ---- flits, link layer, ARB/MUX ------------------------------------------------------------

Task<void> Prober::probe_wire() {
  const uint64_t recoveries = world_.recoveries;
  if (!before_traffic(what_)) {
    co_await clear_log();
    world_.wire.do_wrong(wrong_of(what_));
    for (unsigned n = 0; n < 1000 && !world_.wire.wrong_done(); ++n) co_await world_.io.sleep(20);
  }
  co_await world_.io.sleep(kSettle);
  ended_ = !rule().traffic_goes_on;
  const Log log = co_await read_log();
  switch (rule().reaction) {
    case Reaction::LoggedRas:
      judge((log.ras & rule().detail) != 0, "the RAS status does not show it");
      break;
    case Reaction::AnyLog:
      // RAS before the enumeration is masked, so only what comes after it can be seen.
      judge(before_traffic(what_) || log.ras != 0 || (log.aer & 1U << 22) != 0,
            "no uncorrectable error is logged");
      break;
    case Reaction::Ignored:
      judge(log.ras == 0, "an error is logged");
      break;
    case Reaction::Retrain:
      judge(world_.recoveries != recoveries, "the link does not go through Recovery");
      break;
    default:
      judge(true, "");
  }
}

// ---- CXL.io --------------------------------------------------------------------------------

Task<void> Prober::probe_link() {
  IoLink& link = world_.io.link();
  co_await clear_log();
  const IoLink::Counts before = link.counts();
  const uint64_t recoveries = world_.recoveries;
  const uint64_t completions = world_.io.completions();
  const uint32_t right = co_await world_.io.read_config(0);
  link.do_wrong(link_wrong_of(what_));
  const uint32_t again = co_await world_.io.read_config(0);
  co_await world_.io.sleep(kSettle);
  const uint32_t once_more = co_await world_.io.read_config(0);
  const bool works = again == right && once_more == right && right != 0xffff'ffff;
  const bool once = world_.io.completions() == completions + 3;
  const IoLink::Counts& after = link.counts();
  switch (rule().reaction) {
    case Reaction::Nak:
      judge(works && once && after.naks_received != before.naks_received,
            "no Nak, or the request did not complete once");
      break;
    case Reaction::AckAgain:
      judge(works && once && after.naks_received == before.naks_received,
            "the repeated TLP is not just acknowledged");
      break;
    case Reaction::Retrain:
      judge(works && world_.recoveries != recoveries,
            "no Recovery, or CXL.io does not work after it");
      break;
    default:
      judge(works && once && after.naks_received == before.naks_received,
            "the requests around it do not complete once each");
  }
}

Task<void> Prober::probe_transaction() {
  IoHost& io = world_.io;
  const Machine& m = world_.machine;
  co_await clear_log();
  Tlp t;
  bool posted = false;
  switch (what_) {
    case Illegal::UnsupportedRequestType:
      t.kind = TlpKind::IoRead;
      t.address = 0x1000;
      break;
    case Illegal::ConfigToAbsentFunction:
      t = io.config_read(0, 1);
      break;
    case Illegal::BarMiss:
      t = IoHost::memory_read(m.bar_base + m.bar_size + 0x1'0000);
      break;
    case Illegal::PoisonedConfigWrite:
      t = io.config_write(0x3c, 0x5a, 1);
      t.poisoned = true;
      break;
    case Illegal::PoisonedMemoryWrite:
      t = IoHost::memory_write(m.ras + 0x08, {0x155});
      t.poisoned = true;
      posted = true;
      break;
    case Illegal::MalformedLength:
      t = IoHost::memory_write(m.ras + 0x08, {0x155});
      t.length = 3;
      t.last_be = 0xf;
      posted = true;
      break;
    default:
      t.kind = TlpKind::Completion;
      t.requester = IoHost::kTarget;
      t.tag = 0x42;
      t.data = {0};
      posted = true;
  }
  const uint32_t config_before = co_await io.read_config(0x3c);
  const uint32_t register_before = co_await io.read32(m.ras + 0x08);
  IoHost::Answer answer;
  if (posted) {
    io.post(t);
  } else {
    answer = co_await io.request(t);
  }
  co_await io.sleep(kSettle);
  const uint32_t config_after = co_await io.read_config(0x3c);
  const uint32_t register_after = co_await io.read32(m.ras + 0x08);
  const Log log = co_await read_log();
  const bool untouched = config_before == config_after && register_before == register_after;
  const bool unsupported = answer.came && answer.status == CplStatus::Unsupported;
  switch (rule().reaction) {
    case Reaction::UnsupportedRequest:
      judge(unsupported && (log.status & kUnsupported) != 0,
            "no completion with UR, or Unsupported Request Detected is not set");
      break;
    case Reaction::NotExecuted:
      judge(untouched && (posted || unsupported),
            "the poisoned write was executed, or not completed with UR");
      break;
    case Reaction::Malformed:
      judge(untouched && (log.status & (kFatal | kNonFatal)) != 0,
            "a malformed TLP is executed, or no error is detected");
      break;
    default:
      judge(untouched, "a register has changed");
  }
}

}  // namespace peer
