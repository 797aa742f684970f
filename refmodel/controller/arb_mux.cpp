// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/arb_mux.hpp"

#include <algorithm>

namespace cxlgpu {
namespace {

constexpr unsigned kIo = 0, kCm = 1;

bool carries_protocol(FlitKind kind) {
  return kind == FlitKind::kIo || kind == FlitKind::kCachemem;
}

}  // namespace

// Where the link's life goes, and what the vlsm hear of it.
ArbMux::Step ArbMux::step(const In& in) const {
  using Event = Vlsm::Event;
  const bool l0 = in.phy_up && !in.phy_recovery, lost = !in.phy_up && !in.phy_recovery;
  const VlsmCode io = vlsm_[kIo].state(), cm = vlsm_[kCm].state();
  const auto rests = [](VlsmCode code) { return is_l1(code) || code == VlsmCode::kL2; };
  switch (phase_) {
    case Phase::kDown:
      if (l0) return {Phase::kUp, Event::kColdUp};
      break;
    case Phase::kUp:
      if (in.phy_recovery) return {Phase::kRecovery, Event::kGoRecovery};
      if (lost && rests(io) && rests(cm) && (is_l1(io) || is_l1(cm))) {
        return {Phase::kSleep, Event::kNone};
      }
      if (lost) return {Phase::kDown, Event::kGoDown};
      if (!recovery_requested_) return {Phase::kUp, Event::kRun};
      break;
    case Phase::kRecovery:
      if (l0) return {Phase::kUp, Event::kWarmUp};
      if (lost) return {Phase::kDown, Event::kGoDown};
      break;
    case Phase::kSleep:
      if (is_tearing(io) || is_tearing(cm)) return {Phase::kDown, Event::kGoDown};
      if (!lost) return {Phase::kRecovery, Event::kGoRecovery};
      break;
  }
  return {phase_, Event::kNone};
}

ArbMux::Arrival ArbMux::arrival(const In& in) const {
  Arrival a;
  const bool runs = running(in);
  const bool listens = runs || (phase_ == Phase::kRecovery && !recovery_requested_);
  const bool early = !is_host_ && phase_ == Phase::kDown && !recovery_requested_;
  if (in.rx_valid && in.rx_kind == FlitKind::kAlmp && (listens || early)) {
    const AlmpReading reading = read_almp(in.rx_flit);
    a.damaged = reading.damaged;
    a.malformed = !reading.damaged && reading.malformed;
    if (!a.damaged && !a.malformed) a.almp = reading.almp;
  } else if (in.rx_valid && carries_protocol(in.rx_kind) && listens) {
    const Vlsm& vlsm = vlsm_[unsigned(in.rx_kind)];
    a.passed_up = runs && vlsm.rx_open();
    a.stray = !a.passed_up && !is_tearing(vlsm.state());
  }
  return a;
}

// Whose ALMP is taken at this edge.
std::optional<unsigned> ArbMux::source_of_almp(const In& in) const {
  const bool almp_comes = in.rx_valid && in.rx_kind == FlitKind::kAlmp;
  const bool may_speak = is_host_ || spoken_to_;
  if (!running(in) || !may_speak || almp_to_send_ || almp_comes) return std::nullopt;
  if (vlsm_[kIo].tx()) return kIo;
  if (vlsm_[kCm].tx()) return kCm;
  return std::nullopt;
}

ArbMux::Each<Vlsm::In> ArbMux::to_vlsm(const In& in) const {
  Each<Vlsm::In> to;
  const std::optional<Almp> almp = arrival(in).almp;
  for (unsigned p : {kIo, kCm}) {
    to[p].req = p == kIo ? in.io_req : in.cm_req;
    to[p].down = phase_ == Phase::kDown;
    to[p].event = step(in).event;
    to[p].tx_taken = source_of_almp(in) == p;
  }
  if (almp) {
    Vlsm::In& named = to[almp->link == AlmpLink::kIo ? kIo : kCm];
    named.rx_valid = true;
    named.rx = {almp->request, almp->code};
  }
  return to;
}

FlitKind ArbMux::kind_to_send(const In& in) const {
  if (!in.phy_up || in.phy_recovery) return FlitKind::kNull;
  if (stalled_) return *stalled_;
  if (!running(in)) return FlitKind::kNull;
  if (almp_to_send_) return FlitKind::kAlmp;
  const auto out = [&](unsigned p) { return vlsm_[p].eval({}); };
  const Each<bool> offers{in.io_tx_valid && out(kIo).tx_open,
                          in.cm_tx_valid && out(kCm).tx_open && cm_was_up_};
  if (offers[turn_]) return FlitKind(turn_);
  return offers[1 - turn_] ? FlitKind(1 - turn_) : FlitKind::kNull;
}

ArbMux::Out ArbMux::eval(const In& in) const {
  const Each<Vlsm::In> to = to_vlsm(in);
  const Vlsm::Out io = vlsm_[kIo].eval(to[kIo]), cm = vlsm_[kCm].eval(to[kCm]);
  const bool passed_up = arrival(in).passed_up;
  Out out{.tx_kind = kind_to_send(in),
          .retrain_req = recovery_requested_ && phase_ != Phase::kDown,
          .phy_state = std::min(io.state, cm.state),
          .cm_rx_valid = passed_up && in.rx_kind == FlitKind::kCachemem,
          .cm_link_up = cm.link_up,
          .cm_phy_reinit_done = cm.recovered,
          .io_rx_valid = passed_up && in.rx_kind == FlitKind::kIo,
          .io_link_up = io.link_up,
          .rx_flit = in.rx_flit,
          .io_state = io.state,
          .cm_state = cm.state,
          .weight_io = weights_[kIo],
          .weight_cm = weights_[kCm],
          .damaged = damaged_,
          .malformed = malformed_,
          .stray = stray_};
  out.tx_valid = out.tx_kind != FlitKind::kNull;
  out.io_tx_ready = in.tx_ready && out.tx_kind == FlitKind::kIo;
  out.cm_tx_ready = in.tx_ready && out.tx_kind == FlitKind::kCachemem;
  if (out.tx_kind == FlitKind::kIo) out.tx_flit.payload = in.io_tx_data;
  if (out.tx_kind == FlitKind::kCachemem) out.tx_flit = in.cm_tx_flit;
  if (out.tx_kind == FlitKind::kAlmp) out.tx_flit = encode_almp(*almp_to_send_);
  if (io.wake || cm.wake || almp_to_send_) out.phy_state = VlsmCode::kActive;
  for (const VlsmCode tear : {VlsmCode::kLinkReset, VlsmCode::kLinkError, VlsmCode::kLinkDisable}) {
    if (io.state == tear || cm.state == tear) out.phy_state = tear;
  }
  return out;
}

void ArbMux::count(unsigned protocol) {
  sent_in_turn_ = protocol == turn_ ? sent_in_turn_ + 1 : 1;
  turn_ = protocol;
  if (sent_in_turn_ < weights_[protocol]) return;
  turn_ = 1 - protocol;
  sent_in_turn_ = 0;
}

void ArbMux::clock(const In& in) {
  const Out out = eval(in);
  const Step now = step(in);
  const Arrival came = arrival(in);
  const Each<Vlsm::In> to = to_vlsm(in);
  const bool goes_down = now.event == Vlsm::Event::kGoDown;
  bool cause = came.damaged || came.malformed || came.stray;
  cause |= now.event == Vlsm::Event::kRun && in.cm_phy_reinit_req && !out.cm_phy_reinit_done &&
           out.cm_state == VlsmCode::kActive;
  damaged_ = came.damaged;
  malformed_ = came.malformed;
  stray_ = came.stray;
  cm_was_up_ = out.cm_link_up;

  const bool leaves = out.tx_valid && in.tx_ready;
  stalled_ = out.tx_valid && !leaves ? std::optional(out.tx_kind) : std::nullopt;
  if (leaves && carries_protocol(out.tx_kind)) count(unsigned(out.tx_kind));
  const auto source = source_of_almp(in);
  if (leaves && out.tx_kind == FlitKind::kAlmp) almp_to_send_.reset();
  if (source) {
    const Vlsm::Message message = *vlsm_[*source].tx();
    almp_to_send_ = {AlmpLink(*source + 1), message.request, message.code};
  }
  if (goes_down || now.event == Vlsm::Event::kGoRecovery) almp_to_send_.reset();

  for (unsigned p : {kIo, kCm}) {
    const Vlsm::Out said = vlsm_[p].eval(to[p]);
    cause |= said.retrain;
    malformed_ |= said.unexpected;
    vlsm_[p].clock(to[p]);
  }
  const bool recovers = in.phy_recovery && phase_ != Phase::kDown;
  recovery_requested_ = !goes_down && (cause || (recovery_requested_ && !recovers));
  spoken_to_ = !goes_down && (spoken_to_ || (in.rx_valid && in.rx_kind != FlitKind::kNull));
  weights_ = goes_down ? first_weights_
                       : Each<unsigned>{in.weight_io.value_or(weights_[kIo]),
                                        in.weight_cm.value_or(weights_[kCm])};
  phase_ = now.next;
}

ArbMux::Moment ArbMux::moment(const In& in) const {
  return {phase_, step(in).event, source_of_almp(in).has_value(), stalled_.has_value()};
}

}  // namespace cxlgpu
