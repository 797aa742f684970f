// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Link-layer retry buffer (LLRB) and remote retry state machine (RRSM).
//
// Purpose: twin of rtl/controller/retry_buffer.sv: keeps what was sent until it is acknowledged and
//          plays it again from the sequence number that the peer names.
// Units:   flits; sequence numbers modulo the depth.
// Errors:  Out::over_ack, Out::bad_req: what the peer says cannot be; the caller pushes only with
//          room, never while replaying or with ack_sent.
// Source:  CXL 2.0 4.2.8.1, 4.2.8.5, 4.2.8.6; docs/blocks/controller/retry_buffer.md.
#pragma once

#include <deque>

#include "refmodel/controller/wire.hpp"

namespace cxlgpu {

class RetryBuffer {
 public:
  struct In {
    bool start = false;
    bool push = false;  // a new retryable flit was selected
    Payload push_payload{};
    bool push_is_adf = false;
    unsigned ack = 0;      // flits acknowledged by the peer this cycle
    bool req_seq = false;  // good framed RETRY.Req
    unsigned req_eseq = 0;
    unsigned req_num_retry = 0;
    bool ack_sent = false;     // the RETRY.Ack of a sequence was selected
    bool replay_take = false;  // the offered replay flit was selected
    bool phy_done = false;     // the PHY has left Recovery: the peer requests again
  };
  struct Out {
    unsigned wr_ptr = 0;
    unsigned rd_ptr = 0;
    unsigned num_free = 0;
    bool llrack = false;  // RRSM: an Ack sequence is to be sent
    unsigned eseq_echo = 0;
    unsigned num_retry_echo = 0;
    bool replaying = false;
    Payload replay_payload{};
    bool replay_is_adf = false;
    bool over_ack = false;  // the peer acknowledges more than is held
    bool bad_req = false;   // the peer asks for a flit that is not held
  };

  explicit RetryBuffer(unsigned depth) : depth_(depth) {}
  [[nodiscard]] Out eval(const In& in) const;
  [[nodiscard]] Out eval() const { return eval({}); }
  void clock(const In& in);

 private:
  enum class Rrsm { RemoteNormal, LlrAck };
  struct Flit {
    Payload payload;
    bool is_adf;
  };
  [[nodiscard]] unsigned since(unsigned sequence) const {
    return (wr_ptr_ + depth_ - sequence) % depth_;
  }
  [[nodiscard]] bool in_range(unsigned eseq) const {
    return eseq < depth_ && since(eseq) <= unacknowledged_;
  }

  unsigned depth_;
  std::deque<Flit> sent_{};  // the newest first, and as many as sequence numbers tell apart
  unsigned unacknowledged_ = 0, to_replay_ = 0;  // so many of the newest
  unsigned wr_ptr_ = 0;
  Rrsm rrsm_ = Rrsm::RemoteNormal;
  unsigned eseq_ = 0, num_retry_ = 0;  // of the last RETRY.Req
};

}  // namespace cxlgpu
