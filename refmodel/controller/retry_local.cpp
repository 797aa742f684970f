// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/retry_local.hpp"

namespace cxlgpu {

RetryLocal::Out RetryLocal::eval(const In& in) const {
  return {.state = state_,
          .eseq = eseq_,
          .num_retry = num_retry_,
          .num_phy_reinit = num_phy_reinit_,
          .phy_reinit_req = state_ == State::kPhyReinit,
          .accept = state_ == State::kNormal && in.flit_valid && !in.flit_bad};
}

void RetryLocal::clock(const In& in) {
  if (in.start) {
    *this = RetryLocal(limits_);
    return;
  }
  if (state_ == State::kAbort) return;
  if (state_ == State::kNormal) {
    normal(in);
  } else if (state_ == State::kLlrReq) {
    request(in);
  } else if (state_ == State::kLocalIdle) {
    wait_for_ack(in);
  }
  if (in.phy_done) {  // Recovery: the next flit counts as bad
    state_ = State::kLlrReq;
    num_retry_ = 0;
  }
}

void RetryLocal::normal(const In& in) {
  if (!in.flit_valid) return;
  if (in.flit_bad) {
    state_ = State::kLlrReq;
  } else if (in.flit_retryable) {
    eseq_ = eseq_ == last(in) ? 0 : (eseq_ + 1) & 0xFF;
    num_retry_ = num_phy_reinit_ = 0;
  }
}

void RetryLocal::request(const In& in) {
  if (exhausted()) {
    const bool last = num_phy_reinit_ == limits_.max_num_phy_reinit;
    state_ = last ? State::kAbort : State::kPhyReinit;
    if (!last) ++num_phy_reinit_;
  } else if (in.req_sent) {
    state_ = State::kLocalIdle;
    ++num_retry_;
    waited_ = 0;
  }
}

void RetryLocal::wait_for_ack(const In& in) {
  if (in.ack_seq && in.ack_num_retry == num_retry_) {
    state_ = State::kNormal;
    if (in.ack_empty) num_retry_ = num_phy_reinit_ = 0;
  } else if (in.tx_flit && ++waited_ == limits_.timeout) {
    state_ = State::kLlrReq;
  }
}

}  // namespace cxlgpu
