// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/flex_bus/apn.hpp"

#include <algorithm>

namespace cxlgpu {

using namespace apn_caps;

Apn::Out Apn::eval(const In& in) const {
  const auto in_any = [this](auto... states) { return ((state_ == states) || ...); };
  using S = ApnState;
  Out out{.ts = {}, .state = state_, .done = done_, .cxl = cxl_, .caps = caps_};
  if (in_any(S::kTs1, S::kTs2)) {
    out.ts = ApnTs{.is_ts2 = state_ == S::kTs2,
                   .caps = state_ == S::kTs2 ? caps_ : in.advertise,
                   .vendor = 0x1E98,
                   .common_clock = in.common_clock,
                   .usage = 0b010};
  } else if (in_any(S::kRecoveryTs1, S::kRecoveryTs2)) {
    out.ts = ApnTs{.is_ts2 = state_ == S::kRecoveryTs2};
  }
  out.bypass = (caps_ & kBypass) != 0;
  if (cxl_) out.expect |= 0b1101;  // NULL, ALMP, io
  if ((caps_ & (kMem | kCache)) != 0) out.expect |= 0b0010;
  out.rx_run = in_any(S::kTs2, S::kSpeed, S::kEntry, S::kL0, S::kRecoveryTs2);
  out.tx_run = in_any(S::kEntry, S::kL0);
  out.l0 = state_ == S::kL0;
  out.recovery = in_any(S::kEntry, S::kRecoveryTs1, S::kRecoveryTs2);
  return out;
}

// What the downstream port enables on a received TS1.
std::uint32_t Apn::decision(const In& in) const {
  const std::uint32_t common = in.advertise & in.ts->caps;
  if (!in.ts->alternate() || (common & kIo) == 0 || (common & (kMem | kCache)) == 0) return kPcie;
  std::uint32_t caps = common & (kIo | kMem | kCache | kCxl20);
  if ((common & kCxl20) != 0) caps |= common & kMld;
  const bool aware1 = (in.retimers & 1) == 0 || (in.ts->caps & kRetimer1Aware) != 0;
  const bool aware2 = (in.retimers & 2) == 0 || (in.ts->caps & kRetimer2Aware) != 0;
  if (in.common_clock && in.ts->common_clock && aware1 && aware2) caps |= common & kBypass;
  return caps;
}

bool Apn::acceptable(const In& in) {
  const std::uint32_t caps = in.ts->caps;
  return in.ts->alternate() && (caps & kIo) != 0 && (caps & (kMem | kCache)) != 0 &&
         (caps & ~in.advertise) == 0;
}

bool Apn::met() const {
  const bool entry = state_ == ApnState::kEntry;
  return received_ >= (entry ? goals_.null_received : goals_.ts_received) &&
         sent_ >= (entry ? goals_.null_sent : goals_.ts_sent);
}

void Apn::count(const In& in) {
  const auto up = [](unsigned& n, bool event, unsigned goal) {
    n = std::min(n + (event ? 1 : 0), goal);
  };
  const bool begun = received_ > 0;
  if (state_ == ApnState::kEntry) {
    up(received_, in.null_received, goals_.null_received);
    up(sent_, begun && in.null_sent, goals_.null_sent);
  } else if (state_ == ApnState::kTs2 || state_ == ApnState::kRecoveryTs2) {
    up(received_, in.ts && in.ts->is_ts2, goals_.ts_received);
    up(sent_, begun, goals_.ts_sent);
  }
  up(timer_, true, goals_.timeout);
}

ApnState Apn::fail() {
  caps_ = kPcie;
  cxl_ = false;
  done_ = true;
  return ApnState::kIdle;
}

ApnState Apn::down() {
  caps_ = 0;
  cxl_ = done_ = false;
  return ApnState::kIdle;
}

ApnState Apn::step(const In& in) {
  const bool timeout = timer_ == goals_.timeout;
  const bool ts1 = in.ts && !in.ts->is_ts2;
  const bool ts2 = in.ts && in.ts->is_ts2;
  switch (state_) {
    case ApnState::kIdle:
      if (!in.start) break;
      caps_ = 0;
      cxl_ = done_ = mismatch_ = false;
      return ApnState::kTs1;
    case ApnState::kTs1:
      if (is_dsp_ ? ts1 : ts2) {
        caps_ = is_dsp_ ? decision(in) : acceptable(in) ? in.ts->caps : kPcie;
        cxl_ = (caps_ & kIo) != 0;
        return ApnState::kTs2;
      }
      if (timeout) return fail();
      break;
    case ApnState::kTs2: {
      const bool confirmed = !mismatch_;
      if (is_dsp_ && ts2 && (!in.ts->alternate() || in.ts->caps != caps_)) mismatch_ = true;
      if (met() && cxl_ && confirmed) return ApnState::kSpeed;
      if (met() || timeout) return fail();
      break;
    }
    case ApnState::kSpeed:
      if (!in.speed_done) break;
      done_ = true;
      return in.speed_ok ? ApnState::kEntry : fail();
    case ApnState::kEntry:
      if (in.recovery || again_ || timeout || ts1) return ApnState::kRecoveryTs1;
      if (met()) return ApnState::kL0;
      break;
    case ApnState::kL0:
      if (in.recovery || ts1) return ApnState::kRecoveryTs1;
      break;
    case ApnState::kRecoveryTs1:
      if (ts1) return ApnState::kRecoveryTs2;
      if (timeout) return down();
      break;
    case ApnState::kRecoveryTs2:
      if (met()) return ApnState::kEntry;
      if (timeout) return down();
      break;
  }
  return state_;
}

void Apn::clock(const In& in) {
  const ApnState before = state_;
  state_ = step(in);
  if (state_ != before) {
    received_ = sent_ = timer_ = 0;
  } else {
    count(in);
  }
  again_ = (before == ApnState::kTs2 || before == ApnState::kSpeed ||
            before == ApnState::kRecoveryTs2) &&
           (again_ || in.recovery);
}

}  // namespace cxlgpu
