// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/vlsm.hpp"

#include <utility>

namespace cxlgpu {

using Code = VlsmCode;

Vlsm::Out Vlsm::eval(const In& in) const {
  const bool turn = in.event == Event::kRun && !pending_ && !in.rx_valid && !in.tx_taken;
  const bool heard = in.rx_valid && !is_tearing(state_) && !tears(in.req) && !in.down;
  Out out;
  out.tx = tx();
  out.state = state_;
  out.tx_open = state_ == Code::kActive && !since_.status;
  out.rx_open = rx_open();
  out.link_up = link_up_;
  out.recovered = recovered_;
  out.unexpected = heard && sense(in.rx) == Sense::kUnexpected;
  out.retrain = out.unexpected || (heard && sense(in.rx) == Sense::kRetrain) ||
                (turn && in.req == Code::kRetrain && state_ == Code::kActive);
  if (is_l1(state_) || state_ == Code::kL2) {
    out.wake =
        in.req == Code::kActive || since_.called || pending_ || since_.request || since_.status;
  } else {
    out.wake = !is_tearing(state_);
  }
  return out;
}

std::optional<Vlsm::Message> Vlsm::tx() const {
  if (since_.status) return Message{.request = false, .code = since_.status->code};
  if (since_.request && !asked()) return Message{.request = true, .code = since_.request->code};
  return std::nullopt;
}

void Vlsm::clock(const In& in) {
  recovered_ = false;
  if (tears(in.req)) {
    be_silent_in(in.req);
    pending_ = link_up_ = false;
  } else if (is_tearing(state_)) {
    if (state_ != Code::kLinkError && in.down && in.req != state_) state_ = Code::kReset;
  } else if (in.event == Event::kGoDown) {
    be_silent_in(state_ == Code::kL2 ? state_ : Code::kReset);
    pending_ = link_up_ = false;
  } else if (in.event == Event::kGoRecovery) {
    const bool was_active = state_ == Code::kActive || state_ == Code::kDapm;
    if (!pending_) snapshot_ = was_active ? Code::kActive : state_;
    pending_ = true;
    be_silent_in(was_active ? Code::kRetrain : state_);
  } else if (in.event == Event::kColdUp || (in.down && in.rx_valid)) {
    if (in.event == Event::kColdUp) state_ = Code::kReset;
    if (in.rx_valid && in.rx == Message{true, Code::kActive}) since_.called = true;
  } else if (in.event == Event::kWarmUp || in.rx_valid) {
    const Sense heard = in.rx_valid ? sense(in.rx) : Sense::kUnexpected;
    if (in.event == Event::kWarmUp) since_.status = {snapshot_, false};
    receive(heard, in);
  } else if (in.tx_taken) {
    send();
  } else if (in.event == Event::kRun && !pending_) {
    follow(in.req);
  }
}

bool Vlsm::tears(VlsmCode req) const {
  return req == Code::kLinkDisable ||
         ((req == Code::kLinkError || req == Code::kLinkReset) && state_ != Code::kLinkDisable);
}

bool Vlsm::wakes() const {
  return state_ == Code::kReset || is_l1(state_) || state_ == Code::kRetrain;
}

Vlsm::Sense Vlsm::sense(const Message& rx) const {
  if (pending_) {
    const bool state = rx.code == Code::kReset || rx.code == Code::kActive || is_l1(rx.code) ||
                       rx.code == Code::kL2 || rx.code == Code::kRetrain;
    return !rx.request && state ? Sense::kResolve : Sense::kUnexpected;
  }
  if (rx.request) {
    if (rx.code == Code::kRetrain) return Sense::kRetrain;
    if (rx.code == Code::kActive && wakes() && !since_.called) return Sense::kCall;
    const bool may_sleep = is_host_ && state_ == Code::kActive && !since_.status;
    return may_sleep && is_low_power(rx.code) ? Sense::kSleep : Sense::kUnexpected;
  }
  const bool active = rx.code == Code::kActive && wakes() && !since_.transmitter_active;
  const bool sleep = rx.code != Code::kDapm && is_low_power(rx.code) && state_ == Code::kDapm &&
                     (since_.request->code == rx.code || since_.request->code == Code::kDapm);
  return asked() && (active || sleep) ? Sense::kAccept : Sense::kUnexpected;
}

void Vlsm::receive(Sense sense, const In& in) {
  switch (sense) {
    case Sense::kCall:
      since_.called = true;
      break;
    case Sense::kSleep: {
      const Code depth = in.req == Code::kDapm ? Code::kL2 : in.req;
      if (is_low_power(in.req) && in.rx.code <= depth) {
        since_.status = {in.rx.code == Code::kDapm ? depth : in.rx.code, true};
      }
      break;
    }
    case Sense::kAccept:
      if (in.rx.code == Code::kActive) {
        since_.transmitter_active = link_up_ = true;
        if (since_.receiver_active) enter_active();
      } else {
        sleep_in(in.rx.code);
      }
      break;
    case Sense::kResolve:
      pending_ = false;
      state_ = resolved(in.rx.code);
      if (state_ == Code::kActive) {
        since_.transmitter_active = since_.receiver_active = link_up_ = true;
        enter_active();  // from Reset, too, with recovered_o
      } else if (state_ == Code::kReset || state_ == Code::kL2) {
        link_up_ = false;
      }
      break;
    case Sense::kRetrain:
    case Sense::kUnexpected:
      break;
  }
}

// CXL 2.0, table 61.
VlsmCode Vlsm::resolved(VlsmCode status) const {
  switch (snapshot_) {
    case Code::kReset:
      if (status == Code::kActive) return Code::kActive;
      if (status == Code::kReset || status == Code::kL2) return Code::kReset;
      return Code::kRetrain;
    case Code::kActive:
      if (is_l1(status)) return Code::kRetrain;
      if (status == Code::kL2) return is_host_ ? Code::kRetrain : Code::kReset;
      return Code::kActive;
    case Code::kRetrain:
      return status == Code::kActive ? Code::kActive : Code::kRetrain;
    case Code::kL2:
      return is_l1(status) || status == Code::kRetrain ? Code::kRetrain : Code::kL2;
    default:  // L1
      return status == Code::kReset || status == Code::kL2 ? Code::kRetrain : snapshot_;
  }
}

void Vlsm::send() {
  if (!since_.status) {
    since_.request->left = true;
    return;
  }
  const Status left = *std::exchange(since_.status, std::nullopt);
  if (!left.answer) return;
  if (left.code != Code::kActive) return sleep_in(left.code);
  since_.receiver_active = link_up_ = true;
  if (since_.transmitter_active) enter_active();
}

void Vlsm::follow(VlsmCode req) {
  if (state_ == Code::kDapm) {
    if (req == since_.request->code) return;
    state_ = Code::kActive;
    since_.request.reset();
  } else if (state_ == Code::kActive) {
    if (is_host_ || !is_low_power(req) || since_.status) return;
    state_ = Code::kDapm;
    since_.request = {req};
  } else if (wakes() && active_wanted(req)) {
    if (!since_.request) since_.request = {Code::kActive};
    if (since_.called && !since_.status && !since_.receiver_active) {
      since_.status = {Code::kActive, true};
    }
  }
}

bool Vlsm::active_wanted(VlsmCode req) const {
  if (state_ == Code::kRetrain || since_.request) return true;
  if (state_ == Code::kReset) return req == Code::kActive && (is_host_ || since_.called);
  return req == Code::kActive || since_.called;
}

void Vlsm::be_silent_in(VlsmCode state) {
  since_ = {};
  state_ = state;
}

void Vlsm::sleep_in(VlsmCode code) {
  be_silent_in(code);
  if (code == Code::kL2) link_up_ = false;
}

void Vlsm::enter_active() {
  recovered_ = state_ != Code::kReset;
  state_ = Code::kActive;
  since_.called = false;
  since_.request.reset();
}

}  // namespace cxlgpu
