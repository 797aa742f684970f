// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

namespace peer {
namespace {

FlitHeader empty_header() {
  FlitHeader header;
  header.sz = true;
  return header;
}

Flit empty_flit(const FlitHeader& header) {
  Flit flit{};
  put_header(flit, header);
  return flit;
}

}  // namespace

Wire::Wire(const WireConfig& config, IoSide& io)
    : config_(config), link_(config.link, violations_), arb_(config.arb, link_, io, violations_) {}

LinkOut Wire::cycle(const LinkIn& in) {
  violations_.at(++now_);
  was_up_ = in.phy_up;
  if (wrong_ != Wrong::None) try_wrong();
  return arb_.cycle(in);
}

void Wire::reset() {
  arb_.reset();
  link_.link_down();
}

bool Wire::do_wrong(Wrong wrong) {
  if (!is_of_wire(wrong)) return false;
  wrong_ = wrong;
  if (wrong == Wrong::InitVersion) link_.send_init_version(0);
  if (wrong == Wrong::SpeaksFirst) arb_.speak_first();
  if (wrong == Wrong::StatusOfAnotherState) arb_.answer_with(static_cast<uint8_t>(VlsmState::L1));
  if (wrong == Wrong::RequestDuringSync) {
    arb_.request_in_sync();
    arb_.retrain();
  }
  return true;
}

bool Wire::wrong_done() const {
  switch (wrong_) {
    case Wrong::InitVersion:
      return !link_.init_version_pending();
    case Wrong::SpeaksFirst:
    case Wrong::StatusOfAnotherState:
    case Wrong::RequestDuringSync:
      return !arb_.wrong_pending();
    default:
      return wrong_ == Wrong::None;
  }
}

void Wire::try_wrong() {
  const bool reset_state = was_up_ && arb_.state(VlsmId::CacheMem) == VlsmState::Reset;
  const auto before_active = [&](FlitKind kind, const Flit& flit) {
    if (!reset_state) return;
    arb_.send_raw(kind, flit);
    wrong_ = Wrong::None;
  };
  switch (wrong_) {
    case Wrong::CacheMemBeforeActive:
      return before_active(FlitKind::CacheMem, make_retry_idle());
    case Wrong::IoBeforeActive:
      return before_active(FlitKind::Io, Flit{});
    case Wrong::NonRetryBeforeInit:
      if (!was_up_ || link_.initialised()) return;
      link_.inject({{make_llcrd(0, 0, 0, 0), true}}, true);
      wrong_ = Wrong::None;
      return;
    case Wrong::InitVersion:
    case Wrong::SpeaksFirst:
    case Wrong::StatusOfAnotherState:
    case Wrong::RequestDuringSync:
      if (wrong_done()) wrong_ = Wrong::None;
      return;
    default:
      break;
  }
  if (!active() || !link_.initialised()) return;
  const Wrong now = wrong_;
  wrong_ = Wrong::None;
  FlitHeader header = empty_header();
  const auto flit = [&](bool retryable = true) {
    Flit made = empty_flit(header);
    seal(made);
    link_.inject({{made, retryable}});
  };
  const auto almp = [&](const Almp& made) { arb_.send_raw(FlitKind::Almp, make_almp(made)); };
  switch (now) {
    case Wrong::ReservedHeaderSlot:
      header.format[0] = 7;
      return flit();
    case Wrong::ReservedGenericSlot:
      header.format[2] = 7;
      return flit();
    case Wrong::MacSlot:
      header.format[0] = 6;
      return flit();
    case Wrong::ReservedHeaderBits:
      header.reserved = 0xf;
      return flit();
    case Wrong::ReservedSlotBits: {
      header.format[1] = 4;
      Flit made = empty_flit(header);
      put_bits(made, 128 + 112, 16, 0xffff);
      seal(made);
      return link_.inject({{made, true}});
    }
    case Wrong::ReservedControlType: {
      ControlFlit control;
      control.llctrl = 7;
      return link_.inject({{make_control(control), false}});
    }
    case Wrong::ControlStaticBits: {
      Flit made = make_retry_idle();
      put_bits(made, 128, 32, 0xffff'ffff);
      seal(made);
      return link_.inject({{made, false}});
    }
    case Wrong::SecondInit:
      return link_.inject({{make_init_param(2, config_.link.wrap), true}});
    case Wrong::RetryAckUnasked:
      return link_.inject_framed(make_retry_ack({}));
    case Wrong::RetryReqUnframed:
      return link_.inject_framed(make_retry_req(0, 0, 0), 4);
    case Wrong::RetryAckUnframed:
      return link_.inject_framed(make_retry_ack({}), 4);
    case Wrong::RetryFrameAlone:
      return link_.inject_framed(make_retry_frame(), 4);
    case Wrong::RetryReqBeyond:
      // Far ahead of anything that the other side can have sent.
      return link_.inject_framed(make_retry_req(255, 0, 0));
    case Wrong::AckBeyond:
      return link_.inject({{make_llcrd(200, 0, 0, 0), true}});
    case Wrong::StatusUnasked:
      return almp({.request = false, .state = 1, .instance = 2});
    case Wrong::UnknownAlmp:
      return almp({.message = 0xff, .request = false, .state = 1, .instance = 2});
    case Wrong::AlmpCopiesDiffer: {
      Flit made = make_almp({.request = false, .state = 1, .instance = 2});
      made[9] ^= 4;
      return arb_.send_raw(FlitKind::Almp, made);
    }
    case Wrong::AlmpInstance:
      return almp({.request = false, .state = 1, .instance = 5});
    case Wrong::AlmpState:
      return almp({.request = true, .state = 2, .instance = 2});
    default:
      return;
  }
}

}  // namespace peer
