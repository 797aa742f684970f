// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/flex_bus/apn.hpp"

namespace cxlgpu {
namespace {

using namespace apn_caps;

// CXL needs CXL.io and a protocol beside it.
bool has_cxl(std::uint32_t caps) {
  return (caps & kIo) != 0 && (caps & (kMem | kCache)) != 0;
}

bool retimers_aware(unsigned present, std::uint32_t caps) {
  return ((present & 1) == 0 || (caps & kRetimer1Aware) != 0) &&
         ((present & 2) == 0 || (caps & kRetimer2Aware) != 0);
}

}  // namespace

// By the downstream port, of a TS1.
std::uint32_t Apn::decide(const In& in) const {
  const std::uint32_t both = in.ts->caps & in.advertise;
  if (!in.ts->alternate() || !has_cxl(both)) return kPcie;
  std::uint32_t enabled = kIo | kMem | kCache | kCxl20;
  if ((both & kCxl20) != 0) enabled |= kMld;
  const bool one_clock = in.common_clock && in.ts->common_clock;
  if (one_clock && retimers_aware(in.retimers, in.ts->caps)) enabled |= kBypass;
  return both & enabled;
}

// By the upstream port, of a TS2.
std::uint32_t Apn::accept(const In& in) const {
  const bool advertised = (in.ts->caps & ~in.advertise) == 0;
  return in.ts->alternate() && has_cxl(in.ts->caps) && advertised ? in.ts->caps : kPcie;
}

// Enough was received and sent to go on from a state.
bool Apn::met() const {
  if (state_ == ApnState::kEntry) {
    return stay_.received >= goals_.null_received && stay_.sent >= goals_.null_sent;
  }
  return stay_.received >= goals_.ts_received && stay_.sent >= goals_.ts_sent;
}

ApnState Apn::leave(const Outcome& outcome) {
  outcome_ = outcome;
  return ApnState::kIdle;
}

ApnState Apn::next_state(const In& in) {
  using enum ApnState;
  const Outcome pcie{.caps = kPcie, .done = true};
  const bool ts1 = in.ts && !in.ts->is_ts2, ts2 = in.ts && in.ts->is_ts2;
  const bool timeout = stay_.cycles >= goals_.timeout;
  switch (state_) {
    case kIdle:
      if (!in.start) return kIdle;
      outcome_ = {};
      return kTs1;
    case kTs1:
      if (is_dsp_ ? ts1 : ts2) {
        outcome_.caps = is_dsp_ ? decide(in) : accept(in);
        return kTs2;
      }
      return timeout ? leave(pcie) : kTs1;
    case kTs2:
      if (met() && outcome_.cxl() && !stay_.mismatch) return kSpeed;
      return met() || timeout ? leave(pcie) : kTs2;
    case kSpeed:
      if (!in.speed_done) return kSpeed;
      outcome_.done = true;
      return in.speed_ok ? kEntry : leave(pcie);
    case kEntry:
      if (in.recovery || recovery_due_ || timeout || ts1) return kRecoveryTs1;
      return met() ? kL0 : kEntry;
    case kL0:
      return in.recovery || ts1 ? kRecoveryTs1 : kL0;
    case kRecoveryTs1:
      if (ts1) return kRecoveryTs2;
      return timeout ? leave({}) : kRecoveryTs1;
    case kRecoveryTs2:
      if (met()) return kEntry;
      return timeout ? leave({}) : kRecoveryTs2;
  }
  return kIdle;
}

void Apn::stay_on(const In& in) {
  const bool entry = state_ == ApnState::kEntry;
  const bool ts2 = in.ts && in.ts->is_ts2;
  ++stay_.cycles;
  if (stay_.received > 0) stay_.sent += entry ? in.null_sent : 1;
  stay_.received += entry ? in.null_received : ts2;
  if (is_dsp_ && ts2 && (!in.ts->alternate() || in.ts->caps != outcome_.caps)) {
    stay_.mismatch = true;
  }
}

void Apn::clock(const In& in) {
  using enum ApnState;
  const ApnState next = next_state(in);
  const bool keeps = state_ == kTs2 || state_ == kSpeed || state_ == kRecoveryTs2;
  recovery_due_ = keeps && (recovery_due_ || in.recovery);
  if (next == state_) {
    stay_on(in);
  } else {
    stay_ = {};
    state_ = next;
  }
}

Apn::Out Apn::eval(const In& in) const {
  using enum ApnState;
  const auto in_one_of = [this](auto... states) { return ((state_ == states) || ...); };
  const bool cxl = outcome_.cxl(), other = (outcome_.caps & (kMem | kCache)) != 0;
  Out out{.ts = std::nullopt,
          .state = state_,
          .done = outcome_.done,
          .cxl = cxl,
          .caps = outcome_.caps,
          .bypass = (outcome_.caps & kBypass) != 0,
          .expect = (cxl ? 0b1101u : 0) | (other ? 0b0010u : 0),
          .rx_run = in_one_of(kTs2, kSpeed, kEntry, kL0, kRecoveryTs2),
          .tx_run = in_one_of(kEntry, kL0),
          .l0 = state_ == kL0,
          .recovery = in_one_of(kEntry, kRecoveryTs1, kRecoveryTs2)};
  if (in_one_of(kTs1, kTs2)) {
    out.ts = ApnTs{.is_ts2 = state_ == kTs2,
                   .caps = state_ == kTs2 ? outcome_.caps : in.advertise,
                   .vendor = 0x1E98,
                   .common_clock = in.common_clock,
                   .usage = 0b010};
  }
  if (in_one_of(kRecoveryTs1, kRecoveryTs2)) out.ts = ApnTs{.is_ts2 = state_ == kRecoveryTs2};
  return out;
}

}  // namespace cxlgpu
