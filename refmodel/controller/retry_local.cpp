// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/retry_local.hpp"

namespace cxlgpu {

RetryLocal::State RetryLocal::normal(const In& in) {
  if (in.flit_valid && in.flit_bad) return State::kLlrReq;
  if (in.flit_valid && in.flit_retryable) {
    const unsigned count = limits_.wrap_inclusive ? in.wrap + 1 : in.wrap;
    eseq_ = eseq_ + 1 == count ? 0 : (eseq_ + 1) & 0xff;
    num_retry_ = num_phy_reinit_ = 0;
  }
  return State::kNormal;
}

RetryLocal::State RetryLocal::llrreq(const In& in) {
  if (exhausted()) {
    if (num_phy_reinit_ == limits_.max_num_phy_reinit) return State::kAbort;
    ++num_phy_reinit_;
    return State::kPhyReinit;
  }
  if (!in.req_sent) return State::kLlrReq;
  ++num_retry_;
  timeout_ = 0;
  return State::kLocalIdle;
}

RetryLocal::State RetryLocal::local_idle(const In& in) {
  if (in.ack_seq && in.ack_num_retry == num_retry_) {
    if (in.ack_empty) num_retry_ = num_phy_reinit_ = 0;
    return State::kNormal;
  }
  if (in.tx_flit && ++timeout_ == limits_.timeout) return State::kLlrReq;
  return State::kLocalIdle;
}

RetryLocal::Out RetryLocal::eval(const In& in) const {
  const bool accept = state_ == State::kNormal && in.flit_valid && !in.flit_bad;
  return {state_, eseq_, num_retry_, num_phy_reinit_, state_ == State::kPhyReinit, accept};
}

void RetryLocal::clock(const In& in) {
  if (in.start) {
    *this = RetryLocal(limits_);
    return;
  }
  switch (state_) {
    case State::kNormal:
      state_ = normal(in);
      break;
    case State::kLlrReq:
      state_ = llrreq(in);
      break;
    case State::kLocalIdle:
      state_ = local_idle(in);
      break;
    case State::kPhyReinit:
      break;
    case State::kAbort:
      return;
  }
  if (in.phy_done) {
    state_ = State::kLlrReq;
    num_retry_ = 0;
  }
}

}  // namespace cxlgpu
