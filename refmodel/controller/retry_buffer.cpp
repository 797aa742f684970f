// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/retry_buffer.hpp"

#include <algorithm>

namespace cxlgpu {

RetryBuffer::Out RetryBuffer::eval(const In& in) const {
  const Entry& replay = entries_[rd_ptr_ % entries_.size()];
  return {.wr_ptr = wr_ptr_,
          .rd_ptr = rd_ptr_,
          .num_free = num_free_,
          .llrack = llrack_,
          .eseq_echo = eseq_echo_,
          .num_retry_echo = num_retry_echo_,
          .replaying = replaying(),
          .replay_payload = replay.payload,
          .replay_is_adf = replay.is_adf,
          .over_ack = in.ack > held(),
          .bad_req = in.req_seq && !in_range(in.req_eseq)};
}

// A flit that is held, or the next one to be sent.
bool RetryBuffer::in_range(unsigned eseq) const {
  const auto depth = static_cast<unsigned>(entries_.size());
  return eseq < depth && (wr_ptr_ + depth - eseq) % depth <= held();
}

void RetryBuffer::clock(const In& in) {
  if (in.start) {
    wr_ptr_ = rd_ptr_ = eseq_echo_ = num_retry_echo_ = 0;
    num_free_ = static_cast<unsigned>(entries_.size());
    llrack_ = false;
    return;  // the memory keeps its content
  }
  const bool follow = !replaying();
  const bool asked = in.req_seq && in_range(in.req_eseq);
  if (in.push) {
    entries_[wr_ptr_] = {in.push_payload, in.push_is_adf};
    wr_ptr_ = after(wr_ptr_);
    if (follow) rd_ptr_ = wr_ptr_;
  }
  // A peer that acknowledges more than is held frees all of it and no more.
  num_free_ = num_free_ + std::min(in.ack, held()) - (in.push ? 1 : 0);
  if (in.replay_take) rd_ptr_ = after(rd_ptr_);
  if (in.ack_sent) {
    rd_ptr_ = eseq_echo_;
    llrack_ = false;
  }
  if (asked) {
    llrack_ = true;
    eseq_echo_ = in.req_eseq;
    num_retry_echo_ = in.req_num_retry;
  }
  if (in.phy_done) llrack_ = false;
}

}  // namespace cxlgpu
