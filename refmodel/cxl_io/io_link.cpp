// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_link.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace cxlgpu {
namespace {

constexpr unsigned kSequences = 4096, kHeaders = 256, kDatas = 4096;

constexpr unsigned distance(unsigned to, unsigned from, unsigned modulus) {
  return (to - from) % modulus;  // a power of two, so unsigned wrap is harmless
}
constexpr bool enough(unsigned limit, unsigned used, unsigned modulus) {
  return distance(limit, used + 1, modulus) <= modulus / 2;
}

}  // namespace

IoLink::IoLink(const Parameters& parameters) : parameters_(parameters), s_(reset_state()) {
  assert(parameters.replay_depth <= kMaxReplay);
  assert(parameters.p_hdr + parameters.np_hdr + parameters.cpl_room <= kMaxQueue);
}

IoLink::State IoLink::reset_state() const {
  State state;
  state.unframe = IoUnframe(parameters_.flits());
  if (parameters_.infinite) {
    state.update = 0;
    return state;
  }
  state.alloc = {
      {{parameters_.p_hdr, parameters_.p_data}, {parameters_.np_hdr, parameters_.np_data}}};
  return state;
}

unsigned IoLink::count() const {
  return distance(s_.nts, s_.ackd + 1, kSequences);
}

IoLink::Out IoLink::eval(const In& in) const {
  Out out;
  out.dl_up = s_.phase == Phase::kActive;
  if (offers(in.link_up)) out.io_tx = out_;
  out.tlp_tx_ready = out.dl_up && !s_.pend;
  if (!s_.queue.empty()) out.tlp_rx = s_.queue.front();
  out.err = s_.err;
  out.err_hdr = s_.err_hdr;
  return out;
}

IoLink::Moment IoLink::moment(const In& in) const {
  const bool out_free = !offers(in.link_up) || in.io_tx_ready;
  const bool stalled = s_.selected && !out_free;
  const unsigned held = count();
  return {.stalled = stalled,
          .choice = stalled ? Choice::kNothing : choose(),
          .live = s_.phase != Phase::kInit1,
          .arrives = s_.r2,
          .outstanding = held,
          .queued = static_cast<unsigned>(s_.queue.size()),
          .replaying = s_.replaying,
          .timeout_due = held > 0 && !s_.replaying && s_.timer == parameters_.replay_timeout - 1,
          .refresh = s_.phase == Phase::kActive && !parameters_.infinite &&
                     s_.refresh + 1 == parameters_.fc_refresh};
}

bool IoLink::credit() const {
  const Peer& peer = s_.peer[static_cast<unsigned>(class_of(*s_.pend))];
  return peer.header_ok && (!has_data(*s_.pend) || peer.data_ok);
}

IoLink::Choice IoLink::choose() const {
  if (s_.phase != Phase::kActive) return Choice::kInitFc;
  if (s_.nak_pend) return Choice::kNak;
  if (s_.ack_pend) return Choice::kAck;
  if ((s_.update & 1) != 0) return Choice::kUpdatePosted;
  if ((s_.update & 2) != 0) return Choice::kUpdateNonPosted;
  if (s_.replaying) return Choice::kReplay;
  if (s_.pend && count() < parameters_.replay_depth && credit()) return Choice::kNew;
  return Choice::kNothing;
}

IoLink::Packet IoLink::packet(Choice choice) const {
  const auto flow_control = [this](FcKind kind, unsigned fc) {
    const Credits granted = fc < 2 ? s_.alloc[fc] : Credits{};
    return FlowControl{kind, static_cast<FcClass>(fc), granted.header, granted.data};
  };
  const auto sequenced = [](unsigned sequence, const Tlp& tlp) {
    return SequencedTlp{.sequence = sequence, .tlp = tlp};
  };
  switch (choice) {
    case Choice::kInitFc:
      return flow_control(s_.phase == Phase::kInit1 ? FcKind::kInit1 : FcKind::kInit2,
                          s_.next_init);
    case Choice::kUpdatePosted:
      return flow_control(FcKind::kUpdate, 0);
    case Choice::kUpdateNonPosted:
      return flow_control(FcKind::kUpdate, 1);
    case Choice::kReplay: {
      const unsigned sequence = (s_.ackd + 1 + s_.again) % kSequences;
      return sequenced(sequence, s_.replay_memory[sequence % parameters_.replay_depth]);
    }
    case Choice::kNew:
      return sequenced(s_.nts, *s_.pend);
    default:
      return AckNak{choice == Choice::kNak, (s_.nrs + kSequences - 1) % kSequences};
  }
}

void IoLink::init_fc_sent() {
  if (s_.next_init == 2) {
    if (s_.phase == Phase::kInit1) {
      if (s_.seen == 7) s_.phase = Phase::kInit2;
    } else if (s_.seen2) {
      s_.phase = Phase::kActive;
    }
  }
  s_.next_init = (s_.next_init + 1) % 3;
}

void IoLink::new_tlp_sent() {
  const Tlp& tlp = *s_.pend;
  Credits& used = s_.peer[static_cast<unsigned>(class_of(tlp))].used;
  used.header = (used.header + 1) % kHeaders;
  used.data = (used.data + data_credits(tlp)) % kDatas;
  s_.replay_memory[s_.nts % parameters_.replay_depth] = tlp;
  s_.nts = (s_.nts + 1) % kSequences;
  s_.pend.reset();
}

void IoLink::chosen(Choice choice) {
  switch (choice) {
    case Choice::kInitFc:
      return init_fc_sent();
    case Choice::kNak:
      s_.nak_pend = s_.ack_pend = false;
      return;
    case Choice::kAck:
      s_.ack_pend = false;
      return;
    case Choice::kUpdatePosted:
      s_.update &= ~1u;
      return;
    case Choice::kUpdateNonPosted:
      s_.update &= ~2u;
      return;
    case Choice::kNew:
      return new_tlp_sent();
    default:
      return;
  }
}

void IoLink::compute_credit() {
  for (Peer& peer : s_.peer) {
    peer.header_ok = peer.header_infinite || enough(peer.limit.header, peer.used.header, kHeaders);
    peer.data_ok = peer.data_infinite || enough(peer.limit.data, peer.used.data, kDatas);
  }
}

// To be called before anything else changes the transmitter.
IoLink::Progress IoLink::acknowledge(const IoVerdict& verdict) {
  const auto* dllp = std::get_if<AckNak>(&verdict);
  if (dllp == nullptr || s_.phase == Phase::kInit1) return {};
  const unsigned good = distance(dllp->sequence, s_.ackd, kSequences);
  if (good > count()) {
    raise(kAckRange);
    return {};
  }
  return {.good = good, .nak_replay = dllp->nak && good < count()};
}

void IoLink::replay(const Progress& progress, unsigned old_count, bool replay_sent) {
  const bool timeout = old_count > 0 && !s_.replaying && progress.good == 0 &&
                       !progress.nak_replay && s_.timer == parameters_.replay_timeout - 1;
  const bool starts = timeout || progress.nak_replay;
  if (progress.nak_replay) raise(kNakReplay);
  if (timeout) raise(kTimeoutReplay);
  if (starts && progress.good == 0 && s_.replay_num == 3) raise(kReplayRollover);

  const bool rest = old_count == 0 || s_.replaying || progress.good > 0 || starts;
  s_.timer = rest ? 0 : s_.timer + 1;
  s_.replay_num = ((progress.good > 0 ? 0 : s_.replay_num) + (starts ? 1 : 0)) % 4;
  if (starts) {
    s_.replaying = true;
    s_.again = 0;
  } else if (s_.replaying) {
    const unsigned sent = s_.again + (replay_sent ? 1 : 0);
    s_.again = sent - std::min(sent, progress.good);
    s_.replaying = s_.again != count();
  }
}

void IoLink::damaged() {
  raise(kDamagedTlp);
  if (!s_.nak_sched) s_.nak_sched = s_.nak_pend = true;
}

void IoLink::receive_fc(const FlowControl& fc, Phase phase) {
  Peer& peer = s_.peer[static_cast<unsigned>(fc.fc)];
  if (phase == Phase::kInit1) {
    if (fc.kind == FcKind::kUpdate) return;
    peer.limit = {fc.header, fc.data};
    peer.header_infinite = fc.header == 0;
    peer.data_infinite = fc.data == 0;
    s_.seen |= 1u << static_cast<unsigned>(fc.fc);
    return;
  }
  if (fc.kind == FcKind::kUpdate) peer.limit = {fc.header, fc.data};
  if (phase == Phase::kInit2 && fc.kind != FcKind::kInit1) s_.seen2 = true;
}

void IoLink::receive_tlp(const SequencedTlp& received, bool full) {
  const unsigned behind = distance(s_.nrs, received.sequence, kSequences);
  if (behind > kSequences / 2) return damaged();
  s_.ack_pend = true;
  if (behind != 0) return;  // a duplicate
  s_.nrs = (s_.nrs + 1) % kSequences;
  s_.nak_sched = false;
  if (received.malformed) {
    refuse(kMalformed, received.tlp);
  } else if (full) {
    refuse(kNoRoom, received.tlp);
  } else {
    s_.queue.push(received.tlp);
  }
}

void IoLink::receive(const IoVerdict& verdict, bool bad, Phase phase, bool full) {
  if (const auto* fc = std::get_if<FlowControl>(&verdict)) receive_fc(*fc, phase);
  if (phase == Phase::kInit1) return;
  if (const auto* tlp = std::get_if<SequencedTlp>(&verdict)) {
    if (phase == Phase::kInit2) s_.seen2 = true;
    receive_tlp(*tlp, full);
  }
  if (std::holds_alternative<DamagedTlp>(verdict)) {
    damaged();
    if (bad) raise(kFraming);
  }
  if (std::holds_alternative<DamagedDllp>(verdict)) raise(kDamagedDllp);
}

void IoLink::tlp_leaves() {
  const Tlp& tlp = s_.queue.front();
  const auto fc = static_cast<unsigned>(class_of(tlp));
  if (fc < 2 && !parameters_.infinite) {
    s_.alloc[fc].header = (s_.alloc[fc].header + 1) % kHeaders;
    s_.alloc[fc].data = (s_.alloc[fc].data + data_credits(tlp)) % kDatas;
    s_.update |= 1u << fc;
  }
  s_.queue.pop();
}

// The verdict on the packet whose last piece is in R1.
IoVerdict IoLink::assemble() {
  if (!s_.r1) return {};
  const IoUnframe::Piece& piece = *s_.r1;
  if (piece.first) s_.packet.clear();
  const std::size_t at = s_.packet.size();
  s_.packet.resize(at + 4 * piece.count);
  std::memcpy(s_.packet.data() + at, piece.dws.data(), 4 * piece.count);
  return piece.last ? classify(s_.packet, piece.behind) : IoVerdict{};
}

// Every rule reads the registers before the edge: what is needed of them later is kept first, and
// clears come before sets.
void IoLink::clock(const In& in) {
  const Out now = eval(in);
  const bool out_free = !now.io_tx || in.io_tx_ready;
  up_q_ = in.link_up;
  if (!in.link_up) {
    s_ = reset_state();
    if (out_free) out_.reset();
    return;
  }
  const Phase phase = s_.phase;
  const unsigned old_count = count();
  const unsigned room = parameters_.p_hdr + parameters_.np_hdr + parameters_.cpl_room;
  const bool full = s_.queue.size() == room;
  const IoVerdict verdict = s_.r2;
  const bool bad = s_.r2_bad;
  s_.err = 0;
  s_.err_hdr = {};

  const bool sel_free = !s_.selected || out_free;
  const Choice choice = sel_free ? choose() : Choice::kNothing;
  if (out_free) {
    out_.reset();
    if (s_.selected) {
      out_ = std::visit([](const auto& packet) { return make_flit(packet); }, *s_.selected);
    }
  }
  if (sel_free) s_.selected.reset();
  if (choice != Choice::kNothing) s_.selected = packet(choice);
  const Progress progress = acknowledge(verdict);

  compute_credit();
  chosen(choice);
  s_.ackd = (s_.ackd + progress.good) % kSequences;
  replay(progress, old_count, choice == Choice::kReplay);
  receive(verdict, bad, phase, full);
  if (now.tlp_rx && in.tlp_rx_ready) tlp_leaves();
  if (phase == Phase::kActive && ++s_.refresh == parameters_.fc_refresh) {
    s_.refresh = 0;
    s_.update = parameters_.infinite ? 0 : 3;
  }
  if (now.tlp_tx_ready && in.tlp_tx) s_.pend = in.tlp_tx;

  s_.r2 = assemble();
  s_.r2_bad = s_.r1 && s_.r1->bad;
  s_.r1 = s_.unframe.clock(in.io_rx);
}

}  // namespace cxlgpu
