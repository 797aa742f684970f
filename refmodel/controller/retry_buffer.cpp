// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/retry_buffer.hpp"

#include <algorithm>

namespace cxlgpu {

RetryBuffer::Out RetryBuffer::eval(const In& in) const {
  Out out{.wr_ptr = wr_ptr_,
          .rd_ptr = (wr_ptr_ + depth_ - to_replay_) % depth_,
          .num_free = depth_ - unacknowledged_,
          .llrack = rrsm_ == Rrsm::LlrAck,
          .eseq_echo = eseq_,
          .num_retry_echo = num_retry_,
          .replaying = to_replay_ > 0,
          .over_ack = in.ack > unacknowledged_,
          .bad_req = in.req_seq && !in_range(in.req_eseq)};
  if (out.replaying) {
    const Flit& oldest = sent_.at(to_replay_ - 1);
    out.replay_payload = oldest.payload;
    out.replay_is_adf = oldest.is_adf;
  }
  return out;
}

void RetryBuffer::clock(const In& in) {
  if (in.start) {
    *this = RetryBuffer(depth_);
    return;
  }
  const bool req = in.req_seq && in_range(in.req_eseq);

  unacknowledged_ -= std::min(in.ack, unacknowledged_);
  if (in.replay_take) --to_replay_;
  if (in.ack_sent) {
    to_replay_ = since(eseq_);
    rrsm_ = Rrsm::RemoteNormal;
  }
  if (req) {
    rrsm_ = Rrsm::LlrAck;
    eseq_ = in.req_eseq;
    num_retry_ = in.req_num_retry;
  }
  if (in.phy_done) rrsm_ = Rrsm::RemoteNormal;
  if (in.push) {
    if (to_replay_ > 0) ++to_replay_;
    sent_.push_front({in.push_payload, in.push_is_adf});
    if (sent_.size() > depth_) sent_.pop_back();
    wr_ptr_ = (wr_ptr_ + 1) % depth_;
    ++unacknowledged_;
  }
}

}  // namespace cxlgpu
