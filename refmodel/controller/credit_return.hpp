// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Credits still to be given to the peer for one receive channel.
//
// Purpose: twin of rtl/controller/credit_return.sv.
// Units:   messages.
// Errors:  none.
// Source:  CXL 2.0 4.2.2, 4.2.7, 4.2.8.2, 8.2.5.11.3, docs/blocks/controller/credit_return.md.
#pragma once

#include <algorithm>

#include "refmodel/controller/wire.hpp"

namespace cxlgpu {

class CreditReturn {
 public:
  struct In {
    bool start = false;
    unsigned held = 0;   // with start: credits not handed out, no more than init
    unsigned freed = 0;  // 0..2: the consumer popped an entry, a first half took none
    bool sent = false;   // the offered code left in a flit
  };
  struct Out {
    unsigned code = 0;  // largest code not above pending
    unsigned pending = 0;
  };

  explicit CreditReturn(unsigned init) : init_(init) {}
  [[nodiscard]] Out eval() const { return {credit_code(pending_), pending_}; }
  [[nodiscard]] Out eval(const In&) const { return eval(); }
  void clock(const In& in) {
    const unsigned sent = in.sent ? credit_count(eval().code) : 0;
    pending_ = in.start ? init_ - in.held : std::min(kMax, pending_ + in.freed - sent);
  }

 private:
  static constexpr unsigned kMax = 1023;
  unsigned init_;
  unsigned pending_ = 0;
};

}  // namespace cxlgpu
