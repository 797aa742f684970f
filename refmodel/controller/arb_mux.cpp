// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/arb_mux.hpp"

#include <algorithm>

namespace cxlgpu {

using Event = Vlsm::Event;

void ArbMux::life(const In& in, Cycle& now) const {
  const bool l0 = in.phy_up && !in.phy_recovery;
  const auto state = [this](unsigned p) { return vlsm_[p].state(); };
  const auto to = [&now](Phase next, Event event) {
    now.next_phase = next;
    now.event = event;
  };
  now.next_phase = phase_;
  switch (phase_) {
    case Phase::kDown:
      if (l0) to(Phase::kUp, Event::kColdUp);
      break;
    case Phase::kUp: {
      const auto rests = [](VlsmCode s) { return is_l1(s) || s == VlsmCode::kL2; };
      const bool sleeps =
          rests(state(kIo)) && rests(state(kCm)) && (is_l1(state(kIo)) || is_l1(state(kCm)));
      if (in.phy_recovery) {
        to(Phase::kRecovery, Event::kGoRecovery);
      } else if (!in.phy_up) {
        if (sleeps) {
          to(Phase::kSleep, Event::kNone);
        } else {
          to(Phase::kDown, Event::kGoDown);
        }
      }
      break;
    }
    case Phase::kRecovery:
      if (l0) {
        to(Phase::kUp, Event::kWarmUp);
      } else if (!in.phy_recovery) {
        to(Phase::kDown, Event::kGoDown);
      }
      break;
    case Phase::kSleep:
      if (is_tearing(state(kIo)) || is_tearing(state(kCm))) {
        to(Phase::kDown, Event::kGoDown);
      } else if (in.phy_recovery || in.phy_up) {
        to(Phase::kRecovery, Event::kGoRecovery);
      }
      break;
  }
  now.run = phase_ == Phase::kUp && l0 && !retrain_;
  if (now.run) now.event = Event::kRun;
}

// A peer that is back from Recovery first may already send its Status; a host that is in L0 first
// sends a device its Request.
bool ArbMux::hears(const In& in) const {
  if (retrain_) return false;
  if (phase_ == Phase::kDown) return !is_host_ && in.rx_kind == FlitKind::kAlmp;
  const bool l0 = in.phy_up && !in.phy_recovery;
  return (phase_ == Phase::kUp && l0) || phase_ == Phase::kRecovery;
}

void ArbMux::receive(const In& in, Cycle& now) const {
  if (!in.rx_valid || !hears(in) || in.rx_kind == FlitKind::kNull) return;
  if (in.rx_kind == FlitKind::kAlmp) {
    receive_almp(in, now);
    return;
  }
  const auto p = static_cast<unsigned>(in.rx_kind);
  now.passed[p] = now.run && vlsm_[p].rx_open();
  now.stray = !now.passed[p] && !is_tearing(vlsm_[p].state());
}

void ArbMux::receive_almp(const In& in, Cycle& now) {
  const AlmpReading reading = read_almp(in.rx_flit);
  now.damaged = reading.damaged;
  now.malformed = !reading.damaged && reading.malformed;
  if (now.damaged || now.malformed) return;
  const unsigned p = reading.almp.link == AlmpLink::kIo ? kIo : kCm;
  now.in[p].rx_valid = true;
  now.in[p].rx = {reading.almp.request, reading.almp.code};
}

// The ALMP that goes into the register. A device is silent until something has come from its host.
void ArbMux::offer_almp(const In& in, Cycle& now) const {
  const bool almp_arrives = in.rx_valid && in.rx_kind == FlitKind::kAlmp;
  const bool may_speak = is_host_ || peer_seen_;
  if (!now.run || !may_speak || almp_ || almp_arrives) return;
  for (const unsigned p : {kCm, kIo}) {
    if (vlsm_[p].tx()) now.loads = p;
  }
  if (now.loads) now.in[*now.loads].tx_taken = true;
}

std::optional<FlitKind> ArbMux::choose(const In& in, const Cycle& now) const {
  if (held_) return held_;
  if (!now.run) return std::nullopt;
  if (almp_) return FlitKind::kAlmp;
  // In the first cycle of link_up the link layer throws away what it offers.
  const bool cm_settled = now.link[kCm].link_up && cm_link_was_up_;
  const std::array<bool, 2> offers = {in.io_tx_valid && now.link[kIo].tx_open,
                                      in.cm_tx_valid && now.link[kCm].tx_open && cm_settled};
  for (const unsigned p : {turn_, 1 - turn_}) {
    if (offers[p]) return static_cast<FlitKind>(p);
  }
  return std::nullopt;
}

ArbMux::Cycle ArbMux::cycle(const In& in) const {
  Cycle now;
  life(in, now);
  receive(in, now);
  for (const unsigned p : {kIo, kCm}) {
    now.in[p].req = p == kIo ? in.io_req : in.cm_req;
    now.in[p].down = phase_ == Phase::kDown;
    now.in[p].event = now.event;
  }
  offer_almp(in, now);
  for (const unsigned p : {kIo, kCm}) now.link[p] = vlsm_[p].eval(now.in[p]);
  if (in.phy_up && !in.phy_recovery) now.choice = choose(in, now);
  now.sent = now.choice && in.tx_ready;
  return now;
}

VlsmCode ArbMux::phy_state(const Cycle& now) const {
  const VlsmCode io = now.link[kIo].state, cm = now.link[kCm].state;
  for (const VlsmCode code : {VlsmCode::kLinkDisable, VlsmCode::kLinkError, VlsmCode::kLinkReset}) {
    if (io == code || cm == code) return code;
  }
  if (now.link[kIo].wake || now.link[kCm].wake || almp_) return VlsmCode::kActive;
  return std::min(io, cm);
}

ArbMux::Out ArbMux::eval(const In& in) const {
  const Cycle now = cycle(in);
  const Vlsm::Out &io = now.link[kIo], &cm = now.link[kCm];
  Out out{.tx_valid = now.choice.has_value(),
          .tx_kind = now.choice.value_or(FlitKind::kNull),
          .retrain_req = retrain_ && phase_ != Phase::kDown,
          .phy_state = phy_state(now),
          .cm_tx_ready = now.sent && now.choice == FlitKind::kCachemem,
          .cm_rx_valid = now.passed[kCm],
          .cm_link_up = cm.link_up,
          .cm_phy_reinit_done = cm.recovered,
          .io_tx_ready = now.sent && now.choice == FlitKind::kIo,
          .io_rx_valid = now.passed[kIo],
          .io_link_up = io.link_up,
          .rx_flit = in.rx_flit,
          .io_state = io.state,
          .cm_state = cm.state,
          .weight_io = weight_[kIo],
          .weight_cm = weight_[kCm],
          .damaged = damaged_,
          .malformed = malformed_,
          .stray = stray_};
  if (now.choice == FlitKind::kIo) {
    out.tx_flit.payload = in.io_tx_data;
  } else if (now.choice == FlitKind::kCachemem) {
    out.tx_flit = in.cm_tx_flit;
  } else if (now.choice == FlitKind::kAlmp) {
    out.tx_flit = encode_almp(*almp_);
  }
  return out;
}

ArbMux::Moment ArbMux::moment(const In& in) const {
  const Cycle now = cycle(in);
  return {phase_, now.event, now.loads.has_value(), held_.has_value()};
}

bool ArbMux::recovery_cause(const In& in, const Cycle& now) const {
  const Vlsm::Out& cm = now.link[kCm];
  const bool link_layer_asks =
      now.run && in.cm_phy_reinit_req && cm.state == VlsmCode::kActive && !cm.recovered;
  return now.damaged || now.malformed || now.stray || now.link[kIo].retrain || cm.retrain ||
         link_layer_asks;
}

// Weighted round robin: a turn lasts as many flits as its protocol weighs.
void ArbMux::count(unsigned protocol) {
  const unsigned n = ((turn_ == protocol ? used_ : 0) + 1) % 16;
  const bool over = n >= std::max(weight_[protocol], 1u);
  turn_ = over ? 1 - protocol : protocol;
  used_ = over ? 0 : n;
}

void ArbMux::clock(const In& in) {
  const Cycle now = cycle(in);
  const bool go_down = now.event == Event::kGoDown;
  if (go_down) {
    retrain_ = false;
  } else if (recovery_cause(in, now)) {
    retrain_ = true;
  } else if (in.phy_recovery && phase_ != Phase::kDown) {
    retrain_ = false;
  }
  peer_seen_ = !go_down && (peer_seen_ || (in.rx_valid && in.rx_kind != FlitKind::kNull));
  damaged_ = now.damaged;
  malformed_ = now.malformed || now.link[kIo].unexpected || now.link[kCm].unexpected;
  stray_ = now.stray;
  cm_link_was_up_ = now.link[kCm].link_up;

  if (go_down || now.event == Event::kGoRecovery || (now.sent && now.choice == FlitKind::kAlmp)) {
    almp_.reset();
  } else if (now.loads) {
    const Vlsm::Message message = *vlsm_[*now.loads].tx();
    almp_ = Almp{*now.loads == kIo ? AlmpLink::kIo : AlmpLink::kCachemem, message.request,
                 message.code};
  }
  held_ = now.sent ? std::nullopt : now.choice;
  if (now.sent && now.choice != FlitKind::kAlmp) count(static_cast<unsigned>(*now.choice));
  weight_[kIo] = in.weight_io.value_or(weight_[kIo]);
  weight_[kCm] = in.weight_cm.value_or(weight_[kCm]);
  if (go_down) weight_ = reset_weight_;  // whatever is written
  for (const unsigned p : {kIo, kCm}) vlsm_[p].clock(now.in[p]);
  phase_ = now.next_phase;
}

}  // namespace cxlgpu
