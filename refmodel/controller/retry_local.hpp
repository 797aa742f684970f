// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Local retry state machine (LRSM): what the receiver of a bad flit does.
//
// Purpose: twin of rtl/controller/retry_local.sv.
// Units:   sequence numbers of 8 bits, of the peer's wrap value; the time-out in flits sent.
// Errors:  ABORT is left by start only.
// Source:  CXL 2.0 4.2.8.5.1, table 56; docs/blocks/controller/retry_local.md.
#pragma once

#include <cstdint>

namespace cxlgpu {

class RetryLocal {
 public:
  enum class State : std::uint8_t { kNormal, kLlrReq, kLocalIdle, kPhyReinit, kAbort };

  struct In {
    bool start = false;
    bool flit_valid = false;
    bool flit_bad = false;        // CRC
    bool flit_retryable = false;  // good and retryable
    bool ack_seq = false;         // good framed RETRY.Ack
    unsigned ack_num_retry = 0;
    bool ack_empty = false;
    bool tx_flit = false;   // any flit selected for transmission
    bool req_sent = false;  // the RETRY.Req of a sequence was selected
    bool phy_done = false;  // the PHY has left Recovery
    unsigned wrap = 9;
  };
  struct Out {
    State state = State::kNormal;
    unsigned eseq = 0;
    unsigned num_retry = 0;
    unsigned num_phy_reinit = 0;
    bool phy_reinit_req = false;
    bool accept = false;
  };
  struct Limits {
    unsigned timeout = 4096;  // transmitted flits
    unsigned max_num_retry = 10;
    unsigned max_num_phy_reinit = 10;
    bool wrap_inclusive = false;  // In::wrap is the last sequence number, not their count
  };

  RetryLocal() = default;
  explicit RetryLocal(const Limits& limits) : limits_(limits) {}
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);
  [[nodiscard]] bool exhausted() const { return num_retry_ == limits_.max_num_retry; }

 private:
  // The state that table 56 gives for what the cycle brings; the counts go along.
  State normal(const In& in);
  State llrreq(const In& in);
  State local_idle(const In& in);

  Limits limits_;
  State state_ = State::kNormal;
  unsigned eseq_ = 0, num_retry_ = 0, num_phy_reinit_ = 0;
  unsigned timeout_ = 0;  // flits sent since LOCAL_IDLE was entered
};

}  // namespace cxlgpu
