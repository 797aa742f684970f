// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/vlsm.hpp"

namespace cxlgpu {
namespace {

using enum VlsmCode;

// Status synchronisation: what became of a snapshot of one kind when the peer's is of another.
enum class Cell : std::uint8_t { kReset, kActive, kRetrain, kL2, kSent, kDeviceResets };
constexpr Cell R = Cell::kReset, A = Cell::kActive, T = Cell::kRetrain, L2 = Cell::kL2,
               S = Cell::kSent, D = Cell::kDeviceResets;
constexpr Cell kResolved[5][5] = {
    // received: Reset, Active, Retrain, L1, L2
    {R, A, T, T, R},     // sent Reset
    {A, A, A, T, D},     // Active
    {T, A, T, T, T},     // Retrain
    {T, S, S, S, T},     // L1
    {L2, L2, T, T, L2},  // L2
};

std::optional<unsigned> column(VlsmCode code) {
  if (code == kReset) return 0;
  if (code == kActive) return 1;
  if (code == kRetrain) return 2;
  if (is_l1(code)) return 3;
  if (code == kL2) return 4;
  return std::nullopt;
}

VlsmCode resolve(VlsmCode sent, VlsmCode received, bool is_host) {
  switch (kResolved[column(sent).value()][column(received).value()]) {
    case Cell::kReset:
      return kReset;
    case Cell::kActive:
      return kActive;
    case Cell::kL2:
      return kL2;
    case Cell::kSent:
      return sent;
    case Cell::kDeviceResets:
      return is_host ? kRetrain : kReset;
    default:
      return kRetrain;
  }
}

}  // namespace

bool Vlsm::link_request(VlsmCode req) const {
  if (req == kLinkDisable) return state_ != kLinkDisable;
  if (req == kLinkError) return state_ != kLinkDisable && state_ != kLinkError;
  if (req == kLinkReset) return state_ != kLinkDisable && state_ != kLinkReset;
  return false;
}

bool Vlsm::handshake() const {
  return state_ == kReset || is_l1(state_) || state_ == kRetrain;
}

bool Vlsm::want(const In& in) const {
  if (own_req_ || req_pend_) return true;
  if (state_ == kReset) return in.req == kActive && (is_host_ || peer_req_);
  if (is_l1(state_)) return in.req == kActive || peer_req_;
  return state_ == kRetrain;
}

bool Vlsm::wake(VlsmCode req) const {
  if (is_tearing(state_)) return false;
  if (!is_l1(state_) && state_ != kL2) return true;
  return req == kActive || own_req_ || peer_req_ || resync_ || req_pend_ || stat_pend_;
}

Vlsm::Meaning Vlsm::meaning(const Message& rx) const {
  if (resync_) {
    return !rx.request && column(rx.code) ? Meaning::kSynchronise : Meaning::kUnexpected;
  }
  return rx.request ? request_meaning(rx.code) : status_meaning(rx.code);
}

Vlsm::Meaning Vlsm::request_meaning(VlsmCode code) const {
  if (code == kRetrain) return Meaning::kPeerWantsRetrain;
  if (code == kActive && handshake() && !peer_req_) return Meaning::kPeerWantsActive;
  const bool may_sleep = is_host_ && state_ == kActive && !stat_pend_;
  return is_low_power(code) && may_sleep ? Meaning::kPeerWantsLowPower : Meaning::kUnexpected;
}

Vlsm::Meaning Vlsm::status_meaning(VlsmCode code) const {
  if (code == kActive && handshake() && own_req_ && !tx_act_) return Meaning::kActiveGranted;
  const bool sleeps = is_low_power(code) && code != kDapm;
  const bool asked = state_ == kDapm && own_req_ && (code == req_code_ || req_code_ == kDapm);
  return sleeps && asked ? Meaning::kLowPowerGranted : Meaning::kUnexpected;
}

std::optional<Vlsm::Message> Vlsm::tx() const {
  if (stat_pend_) return Message{false, stat_code_};
  if (req_pend_) return Message{true, req_code_};
  return std::nullopt;
}

Vlsm::Out Vlsm::eval(const In& in) const {
  Out out{.tx = tx(),
          .state = state_,
          .tx_open = state_ == kActive && !stat_pend_,
          .rx_open = rx_act_,
          .link_up = link_up_,
          .recovered = recovered_,
          .wake = wake(in.req)};
  if (link_request(in.req)) return out;
  if (in.rx_valid) {
    const Meaning what = meaning(in.rx);
    const bool heard = !is_tearing(state_) && !in.down;
    out.unexpected = heard && what == Meaning::kUnexpected;
    out.retrain = out.unexpected || (heard && what == Meaning::kPeerWantsRetrain);
  } else {
    out.retrain = in.event == Event::kRun && !in.tx_taken && !resync_ && state_ == kActive &&
                  in.req == kRetrain;
  }
  return out;
}

void Vlsm::clock(const In& in) {
  recovered_ = false;
  if (link_request(in.req)) {
    state_ = in.req;
    quiet();
    resync_ = link_up_ = false;
  } else if (is_tearing(state_)) {
    if (in.down && in.req != state_ && state_ != kLinkError) state_ = kReset;
  } else if (in.event == Event::kGoDown) {
    quiet();
    resync_ = link_up_ = false;
    if (state_ != kL2) state_ = kReset;
  } else if (in.event == Event::kGoRecovery) {
    quiet();
    if (!resync_) snap_ = state_ == kDapm ? kActive : state_;
    resync_ = true;
    if (state_ == kActive || state_ == kDapm) state_ = kRetrain;
  } else if (in.event == Event::kColdUp || in.down) {
    begin(in);
  } else if (in.event == Event::kWarmUp || in.rx_valid) {
    const Meaning what = meaning(in.rx);  // by the registers before the edge
    if (in.event == Event::kWarmUp) answer(snap_, false);
    if (in.rx_valid) receive(in, what);
  } else if (in.tx_taken && stat_pend_) {
    status_left();
  } else if (in.tx_taken) {
    req_pend_ = false;
    own_req_ = true;
  } else if (in.event == Event::kRun && !resync_) {
    act(in);
  }
}

// A cold start: nobody tells a state, and the peer may be up, and ask, before this end is.
void Vlsm::begin(const In& in) {
  if (in.event == Event::kColdUp) state_ = kReset;
  if (in.rx_valid && in.rx == Message{true, kActive}) peer_req_ = true;
}

void Vlsm::receive(const In& in, Meaning what) {
  switch (what) {
    case Meaning::kSynchronise:
      synchronise(in.rx.code);
      break;
    case Meaning::kPeerWantsActive:
      peer_req_ = true;
      break;
    case Meaning::kPeerWantsLowPower: {  // no answer is a refusal
      const VlsmCode depth = in.req == kDapm ? kL2 : in.req;
      const bool any = in.rx.code == kDapm;
      if (is_low_power(in.req) && (any || in.rx.code <= depth)) {
        answer(any ? depth : in.rx.code, true);
      }
      break;
    }
    case Meaning::kActiveGranted:
      tx_act_ = link_up_ = true;
      if (rx_act_) enter_active();
      break;
    case Meaning::kLowPowerGranted:
      sleep(in.rx.code);
      break;
    default:
      break;
  }
}

void Vlsm::synchronise(VlsmCode received) {
  resync_ = false;
  state_ = resolve(snap_, received, is_host_);
  if (state_ == kActive) tx_act_ = rx_act_ = link_up_ = recovered_ = true;
  if (state_ == kReset || state_ == kL2) link_up_ = false;
}

void Vlsm::status_left() {
  const bool acts = stat_acts_;
  stat_pend_ = stat_acts_ = false;
  if (!acts) return;
  if (stat_code_ == kActive) {
    rx_act_ = link_up_ = true;
    if (tx_act_) enter_active();
  } else {
    sleep(stat_code_);
  }
}

void Vlsm::act(const In& in) {
  if (state_ == kActive && !is_host_ && is_low_power(in.req) && !stat_pend_) {
    state_ = kDapm;
    req_pend_ = true;
    req_code_ = in.req;
  } else if (state_ == kDapm && in.req != req_code_) {
    state_ = kActive;
    req_pend_ = own_req_ = false;
  } else if (handshake() && want(in)) {
    shake_hands();
  }
}

void Vlsm::shake_hands() {
  if (!req_pend_ && !own_req_) {
    req_pend_ = true;
    req_code_ = kActive;
  }
  if (peer_req_ && !stat_pend_ && !rx_act_) answer(kActive, true);
}

void Vlsm::answer(VlsmCode code, bool acts) {
  stat_pend_ = true;
  stat_code_ = code;
  stat_acts_ = acts;
}

void Vlsm::enter_active() {
  recovered_ = state_ != kReset;
  state_ = kActive;
  own_req_ = peer_req_ = false;
}

void Vlsm::sleep(VlsmCode code) {
  state_ = code;
  quiet();
  if (code == kL2) link_up_ = false;
}

void Vlsm::quiet() {
  tx_act_ = rx_act_ = own_req_ = peer_req_ = req_pend_ = stat_pend_ = stat_acts_ = false;
}

}  // namespace cxlgpu
